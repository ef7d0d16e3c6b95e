package view

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/vec"
)

// corpusMeshes returns the manifest rows of the readable meshes, indexed by path. If there is no
// corpus, corpusMeshes skips the test.
func corpusMeshes(t *testing.T) (dir string, rows map[string]map[string]string) {
	t.Helper()
	dir, all := testcorpus.Rows(t)
	rows = map[string]map[string]string{}
	for _, row := range all {
		if n, err := strconv.Atoi(row["triangles"]); err == nil && n > 0 && row["load_error"] == "" {
			rows[row["path"]] = row
		}
	}
	return dir, rows
}

// corpusScene returns the scene of a corpus mesh with n points around it. It returns nil if inpoly
// refuses the mesh.
func corpusScene(t *testing.T, path string, n int) *Scene {
	t.Helper()
	solid, err := inpoly.Open(context.Background(), path, inpoly.Options{})
	if err != nil {
		return nil
	}
	box := solid.Mesh().Box()
	rim := box.Size().Mul(0.1)
	cloud := newCloud(t, solid, box.Min.Sub(rim), box.Max.Add(rim), n, n)
	return newScene(t, solid, cloud, Options{Name: filepath.Base(path), Pixels: 96})
}

// TestCorpus draws real meshes and compares the numbers of drawn defects with the diagnosis. It
// draws all meshes with INPOLY_FULL, and otherwise about one in forty of the small meshes.
func TestCorpus(t *testing.T) {
	dir, rows := corpusMeshes(t)
	full, drawn := os.Getenv("INPOLY_FULL") != "", 0
	for path, row := range rows {
		h := fnv.New32a()
		h.Write([]byte(path))
		if n, _ := strconv.Atoi(row["triangles"]); !full && (n > 20000 || h.Sum32()%40 != 7) {
			continue
		}
		s := corpusScene(t, filepath.Join(dir, path), 200)
		if s == nil {
			continue
		}
		drawn++
		d := s.report.Diagnosis
		got := map[string]int{}
		for _, l := range s.layers {
			got[l.Key] = l.Total
		}
		for key, want := range map[string]int{"open": d.BoundaryEdges, "misoriented": d.MisorientedEdges, "nonmanifold": d.NonManifoldEdges,
			"duplicate": d.DuplicateFaces, "zero": d.ZeroArea} {
			if got[key] != want {
				t.Errorf("%s: %d %s in the picture, %d in the report", path, got[key], key, want)
			}
		}
		text := visible(htmlPage(t, s))
		if want := fmt.Sprintf("triangles %d of %d faces", d.Triangles, d.Faces); !strings.Contains(text, want) {
			t.Errorf("%s: the page does not say %q", path, want)
		}
		if vec.MaxAbs(d.Box.Size())/2 > math.MaxFloat32 {
			if err := s.WriteGLB(&bytes.Buffer{}); !errors.Is(err, ErrRange) {
				t.Errorf("%s: positions beyond float32 gave %v", path, err)
			}
		} else {
			readGLB(t, s)
		}
		if s.slice != nil {
			if err := s.WritePNG(&bytes.Buffer{}); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if drawn < 5 {
		t.Errorf("%d meshes were drawn: the sample is too small", drawn)
	}
	t.Logf("%d meshes", drawn)
}

// viewCorpus opens a closed corpus mesh and a corpus mesh with defects.
func viewCorpus(t *testing.T, d *devtools) {
	dir, rows := corpusMeshes(t)
	for name, path := range map[string]string{
		"closed": "odedstein+meshes/objects/bunny/bunny.obj",
		"broken": "kmammou+v-hacd/app/meshes/blonde.obj",
	} {
		if rows[path] == nil {
			t.Errorf("%s is not in the corpus", path)
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := corpusScene(t, filepath.Join(dir, path), 3000)
			if s == nil {
				t.Fatal("the mesh was refused")
			}
			v := d.open(t, htmlPage(t, s), "", 1280, 860, false).visit()
			if v.data["ready"] != "yes" || v.data["error"] != "" || v.data["triangles"] != rows[path]["triangles"] {
				t.Errorf("the page says %v", v.data)
			}
			if n := pixels(v.img, stage, sideColors[inpoly.Inside]); n < 100 {
				t.Errorf("%d pixels in the color of points inside", n)
			}
			n := pixels(v.img, stage, openColor)
			if want := rows[path]["boundary_edges"]; (want != "0") != (n > 100) || !strings.Contains(visible(v.text), "open edges "+want+" misoriented") {
				t.Errorf("%s open edges in the manifest, %d pixels in their color", want, n)
			}
		})
	}
}
