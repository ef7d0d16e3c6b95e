package loaders

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/mesh"
)

// TestChangedMesh changes each file of a mesh before each read. Load fails, except if another file
// replaces the path of the open file.
func TestChangedMesh(t *testing.T) {
	m, err := mesh.New(t.Context(), *unitTetrahedron(), mesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var stl, ply, glb, packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write([]byte(square + "f 1 2 3\nf 1 3 4\n"))
	if err := errors.Join(err, z.Close(), WriteSTL(&stl, m), WritePLY(&ply, m), WriteGLB(&glb, m)); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Hour)
	for _, files := range [][]string{ // name and content of each file; the first file is the mesh
		{"a.stl", stl.String()},
		{"a.3mf", package3MF(model3(tetObject(1, ""), `<item objectid="1"/>`))},
		{"a.ply", ply.String()},
		{"a.glb", glb.String()},
		{"a.obj.gz", packed.String()},
		{"a.obj", square + "f 1 2 3\nf 1 3 4\n"},
		{"a.off", "OFF 4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n"},
		{"b.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n"},
		{"a.gltf", `{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "scene": 0, "nodes": [{"mesh": 0}],
			"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
			"accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0,0,0], "max": [1,1,0]}],
			"bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"uri": "a.bin", "byteLength": 36}]}`,
			"a.bin", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
				"\x00\x00\x80\x3f\x00\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\x00"},
	} {
		for changed := 0; changed < len(files); changed += 2 {
			for name, change := range map[string]func(path, text string) error{
				"unchanged": func(string, string) error { return nil },
				"emptied":   func(path, _ string) error { return os.Truncate(path, 0) },
				"cut":       func(path, text string) error { return os.Truncate(path, int64(len(text)-1)) },
				"appended":  func(path, text string) error { return os.WriteFile(path, []byte(text+"\n"), 0o666) },
				"modified":  func(path, text string) error { return os.WriteFile(path, []byte(text), 0o666) },
				"replaced":  func(path, _ string) error { return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o666)) },
			} {
				for at := 1; at <= 2; at++ {
					dir := t.TempDir()
					for i := 0; i < len(files); i += 2 {
						path := filepath.Join(dir, files[i])
						if err := errors.Join(os.WriteFile(path, []byte(files[i+1]), 0o666), os.Chtimes(path, past, past)); err != nil {
							t.Fatal(err)
						}
					}
					victim, reads := filepath.Join(dir, files[changed]), 0
					restore := disk.Inject(func(op, path string) disk.Fault {
						if strings.HasSuffix(op, "read") && path == victim {
							if reads++; reads == at {
								if err := change(victim, files[changed+1]); err != nil {
									t.Error(err)
								}
							}
						}
						return disk.Fault{}
					})
					_, _, err := Load(t.Context(), filepath.Join(dir, files[0]), Options{})
					restore()
					works := name == "unchanged" || name == "replaced"
					if works && err != nil || !works && !errors.Is(err, disk.ErrChanged) || reads < at {
						t.Errorf("%s %s at read %d of %d: %v", files[changed], name, at, reads, err)
					}
				}
			}
		}
	}
}
