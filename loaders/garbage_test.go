package loaders

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/mesh"
)

// TestGarbage reads content that is not a mesh, under names with and without a known suffix.
func TestGarbage(t *testing.T) {
	const seed = 1
	random := rand.New(rand.NewPCG(seed, 2))
	noise := func(n int) string {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		return string(data)
	}
	for name, data := range map[string]string{
		"text": "this is no mesh\n", "long text": strings.Repeat("this is no mesh\n", 1000), "HTML": "<!DOCTYPE html>\n<html>",
		"noise of 60 bytes": noise(60), "noise of 84 bytes": noise(84), "noise of 1000 bytes": noise(1000), "noise of 100000 bytes": noise(100000),
		"PNG": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + noise(500),
	} {
		for _, file := range []string{"a.stl", "a.stlb", "a", "a.dat"} {
			soup, _, err := readString(file, data)
			var e *Error
			if soup != nil || !errors.Is(err, ErrUnknownFormat) || !errors.As(err, &e) {
				t.Errorf("%s as %s (seed %d): got %v, want ErrUnknownFormat", name, file, seed, err)
			}
		}
	}
	// A binary STL file without its last bytes is recognized as STL.
	if _, _, err := readString("a.stl", binarySTL("part", 100, 100)[:3000]); !errors.Is(err, ErrTruncated) {
		t.Errorf("a cut STL: got %v, want ErrTruncated", err)
	}
}

// TestLargestCoordinate reads coordinates at and beyond mesh.MaxCoordinate. It covers each format
// that can store numbers of this size.
func TestLargestCoordinate(t *testing.T) {
	for _, c := range []struct{ name, file, data, place string }{
		{"STL", "a.stl", strings.Replace("solid\n"+facet, "0.5", "VALUE", 1), "line 6: "},
		{"OBJ", "a.obj", "v 0 0 -VALUE\n" + square + "f 1 2 3\n", "line 1: "},
		{"PLY", "a.ply", plyHead("ascii", plyXYZ, plyOne) + strings.Replace(plyFour, "1 1 0", "1 VALUE 0", 1) + "3 0 1 2\n", "line 12: "},
		{"OFF", "a.off", "OFF\n4 1 0\n" + strings.Replace(offFour, "1 1 0", "1 VALUE 0", 1) + "3 0 1 2\n", "line 5: "},
		{"MSH", "a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 VALUE 0\n4 0 1 0\n$EndNodes\n$Elements\n1\n1 2 0 1 2 3\n$EndElements\n", "line 8: "},
		{"VTK", "a.vtk", vtkHead("ASCII", "POLYDATA") + strings.Replace(vtkSquare, "1 1 0", "1 VALUE 0", 1) + "POLYGONS 1 4\n3 0 1 2\n", "line 7: "},
		{"VTK coordinates", "a.vtk", vtkHead("ASCII", "RECTILINEAR_GRID") + "DIMENSIONS 2 2 2\n" + strings.Replace(vtkAxes, "0 1", "0 VALUE", 1), "line 7: "},
		{"VTK XML", "a.vtp", vtkPiece("", vtkOnePolygon, strings.Replace(vtkPoints, "1 1 0", "1 VALUE 0", 1)+vtkPolys), "line 6: "},
		{"glTF", "a.gltf", tetText(`"nodes":[{"mesh":0,"scale":[VALUE,1,1]}]`), "/meshes/0/primitives/0: "},
		{"3MF", "a.3mf", model3(strings.Replace(tetObject(1, ""), `x="1"`, `x="VALUE"`, 1), `<item objectid="1"/>`), "line "},
	} {
		read := func(value string) error {
			data := strings.Replace(c.data, "VALUE", value, 1)
			if data == c.data {
				t.Fatalf("%s: no place for the value", c.name)
			}
			if c.file == "a.3mf" {
				data = package3MF(data)
			}
			_, _, err := readString(c.file, data)
			return err
		}
		if err := read("1.0715086071862673e301"); err != nil {
			t.Errorf("%s: 2^1000: %v", c.name, err)
		}
		for _, value := range []string{"1.0715086071862676e301", "1e308"} {
			err := read(value)
			var e *Error
			if !errors.Is(err, mesh.ErrTooLarge) || !errors.As(err, &e) || e.Hint == "" || !strings.Contains(err.Error(), c.place) {
				t.Errorf("%s: %s: got %v, want mesh.ErrTooLarge at %q", c.name, value, err, c.place)
			}
		}
	}
	little := binary.LittleEndian
	head := strings.ReplaceAll(plyHead("binary_little_endian", plyXYZ, plyOne), "float", "double")
	data := head + pack(little, []float64{0, 0, 0, 1, 0, 0, 1, 0x1p1001, 0, 0, 1, 0}, uint8(3), []int32{0, 1, 2})
	if _, _, err := readString("a.ply", data); !errors.Is(err, mesh.ErrTooLarge) {
		t.Errorf("binary PLY: got %v, want mesh.ErrTooLarge", err)
	}
}
