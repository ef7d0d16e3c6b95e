package loaders

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golang/geo/r3"
)

// vtkHead returns the header of a legacy file.
func vtkHead(kind, set string) string {
	return "# vtk DataFile Version 3.0\na title\n" + kind + "\nDATASET " + set + "\n"
}

const (
	vtkSquare = "POINTS 4 float\n0 0 0 1 0 0\n1 1 0 0 1 0\n"
	vtkTet    = "POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\n"
	vtkBox    = "POINTS 8 float\n0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1\n" // in the order of a structured grid
	vtkAxes   = "X_COORDINATES 2 float\n0 1\nY_COORDINATES 2 int\n0 1\nZ_COORDINATES 2 double\n0 1\n"
	vtkCube   = "POINTS 8 float\n0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1\n"
)

func TestVTKAccepted(t *testing.T) {
	poly, grid := vtkHead("ASCII", "POLYDATA"), vtkHead("ASCII", "UNSTRUCTURED_GRID")
	structured, rectilinear, image := vtkHead("ASCII", "STRUCTURED_GRID"), vtkHead("ASCII", "RECTILINEAR_GRID"), vtkHead("ASCII", "STRUCTURED_POINTS")
	big := binary.BigEndian
	one := "took the outer surface of 1 volume cell"
	for _, a := range []acceptance{
		{"triangle", "a.vtk", poly + vtkSquare + "POLYGONS 1 4\n3 0 1 2\n", 4, 1, "", ""},
		{"no suffix, CRLF", "a", strings.ReplaceAll(poly+vtkSquare+"POLYGONS 1 4\n3 0 1 2\n", "\n", "\r\n"), 4, 1, "", ""},
		{"CR", "a.vtk", strings.ReplaceAll(poly+vtkSquare+"POLYGONS 1 4\n3 0 1 2\n", "\n", "\r"), 4, 1, "", ""},
		{"lower case, quad", "a.vtk", strings.ToLower(poly+vtkSquare) + "polygons 1 5\n4 0 1 2 3\n", 4, 2, "", ""},
		{"offsets", "a.vtk", poly + vtkSquare + "POLYGONS 3 6\nOFFSETS vtktypeint64\n0 3 6\nCONNECTIVITY vtktypeint64\n0 1 2 0 2 3\n", 4, 2, "", ""},
		{"strip, lines, attributes", "a.vtk", poly + vtkSquare + "METADATA\nINFORMATION 0\n\nVERTICES 1 2\n1 0\nLINES 1 3\n2 0 1\nTRIANGLE_STRIPS 1 5\n4 0 1 3 2\nPOINT_DATA 4\nSCALARS a float\n", 4, 2, "", "skipped 2 vertices, lines and empty cells"},
		{"ghost flags", "a.vtk", poly + vtkSquare + "POLYGONS 1 4\n3 0 1 2\nCELL_DATA 1\nFIELD FieldData 1\nvtkGhostType 1 1 unsigned_char\n1\n", 4, 1, "", "the ghost flags of legacy files are not read: cells with the flag duplicate or hidden are part of the mesh"},
		{"field", "a.vtk", poly + "FIELD FieldData 2\nTIME 1 1 double\n0.5\nb 2 2 int\n1 2 3 4\n" + vtkSquare + "POLYGONS 1 4\n3 0 1 2\n", 4, 1, "", ""},
		{"binary", "a.vtk", vtkHead("BINARY", "POLYDATA") + "FIELD FieldData 1\nTIME 1 1 double\n" + pack(big, 0.5) + "\nPOINTS 4 float\n" + packSquare(big) + "\nPOLYGONS 2 8\n" + pack(big, []int32{3, 0, 1, 2, 3, 0, 2, 3}) + "\n", 4, 2, "", ""},
		{"strings", "a.vtk", poly + "FIELD FieldData 3\nnames 1 3 string\ntwo words\n\n5 6 POINTS\nkinds 1 2 variant\n6 0\n13 x\nbits 1 9 bit\n0 1 0 1 0 1 0 1\n0\n" + vtkSquare + "POLYGONS 1 4\n3 0 1 2\n", 4, 1, "", ""},
		{"binary strings", "a.vtk", vtkHead("BINARY", "POLYDATA") + "FIELD FieldData 2\nnames 1 4 string\n\xc3abc\xc0\x80\x02\n\n\x40\x00\x00\x01x\nbits 1 9 bit\n\xaa\x80\n" + "POINTS 4 float\n" + packSquare(big) + "\nPOLYGONS 1 4\n" + pack(big, []int32{3, 0, 1, 2}) + "\n", 4, 1, "", ""},
		{"tetrahedron", "a.vtk", grid + vtkTet + "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n", 4, 4, "", one},
		{"reversed tetrahedron", "a.vtk", grid + vtkTet + "CELLS 1 5\n4 1 0 2 3\nCELL_TYPES 1\n10\n", 4, 4, "", one + "|reversed 1 cell, because the order of their corners gives them a negative volume"},
		{"polyhedron", "a.vtk", grid + vtkTet + "CELLS 1 18\n17 4 3 0 2 1 3 0 1 3 3 1 2 3 3 0 3 2\nCELL_TYPES 1\n42\n", 4, 4, "", one},
		{"hexahedron and its faces", "a.vtk", grid + vtkCube + "CELLS 2 14\n8 0 1 2 3 4 5 6 7 4 0 1 2 3\nCELL_TYPES 2\n12 9\n", 8, 12, "", "skipped 1 surface cell, because the file has volume cells|" + one},
		{"voxel", "a.vtk", grid + vtkCube + "CELLS 1 9\n8 0 1 3 2 4 5 7 6\nCELL_TYPES 1\n11\n", 8, 12, "", one},
		{"quad that is not planar", "a.vtk", poly + strings.Replace(vtkSquare, "1 1 0", "1 1 1", 1) + "POLYGONS 2 9\n4 0 1 2 3\n3 0 1 2\n", 4, 3, "", "1 polygon is not exactly planar: their triangles define the surface"},
		{"structured grid", "a.vtk", structured + "DIMENSIONS 2 2 2\n" + vtkBox + "POINT_DATA 8\nSCALARS a float\n", 8, 12, "", one},
		{"structured grid, CRLF, dimensions after points", "a.vtk", strings.ReplaceAll(structured+vtkBox+"FIELD f 1\na 1 1 int\n1\ndimensions 2 2 2\n", "\n", "\r\n"), 8, 12, "", one},
		{"structured surface", "a.vtk", structured + "DIMENSIONS 2 1 2\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 1 1 0\n", 4, 2, "", ""},
		{"structured surface that is not planar", "a.vtk", structured + "DIMENSIONS 1 2 2\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 1 1 1\n", 4, 2, "", "1 polygon is not exactly planar: their triangles define the surface"},
		{"hidden point", "a.vtk", structured + "DIMENSIONS 3 2 1\nBLANKING 6 int\n1 1 0 1 1 1\nPOINTS 6 float\n0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 2 1 0\n", 6, 2, "", "skipped 1 cell with a ghost flag (duplicate or hidden)"},
		{"rectilinear grid", "a.vtk", rectilinear + "DIMENSIONS 2 2 2\n" + vtkAxes, 8, 12, "", one},
		{"rectilinear grid that decreases", "a.vtk", rectilinear + "DIMENSIONS 2 2 2\n" + strings.Replace(vtkAxes, "0 1", "1 0", 1), 8, 12, "", one + "|reversed 1 cell, because the order of their corners gives them a negative volume"},
		{"rectilinear grid that turns around", "a.vtk", rectilinear + "DIMENSIONS 3 2 2\n" + strings.Replace(vtkAxes, "2 float\n0 1", "3 float\n0 1 0", 1), 12, 24, "", "took the outer surface of 2 volume cells|reversed 1 cell, because the order of their corners gives them a negative volume|6 faces occur again with the same orientation, so cells overlap"},
		{"rectilinear surface", "a.vtk", rectilinear + "DIMENSIONS 2 2 1\n" + strings.Replace(vtkAxes, "2 double\n0 1", "1 double\n5", 1), 4, 2, "", ""},
		{"binary rectilinear grid", "a.vtk", vtkHead("BINARY", "RECTILINEAR_GRID") + "DIMENSIONS 2 2 2\nX_COORDINATES 2 float\n" + pack(big, float32(0), float32(1)) + "\nMETADATA\nINFORMATION 0\n\nY_COORDINATES 2 short\n" + pack(big, int16(0), int16(1)) + "\nZ_COORDINATES 2 double\n" + pack(big, 0.0, 1.0) + "\n", 8, 12, "", one},
		{"structured points", "a.vtk", image + "DIMENSIONS 3 2 2\nORIGIN 1 1 1\nASPECT_RATIO 1 2 .5\nPOINT_DATA 12\n", 12, 20, "", vtkExtentNote + "|took the outer surface of 2 volume cells"},
		{"structured points without a frame", "a.vtk", image + "DIMENSIONS 2 2 1\n", 4, 2, "", vtkExtentNote},
		{"structured points with an extent", "a.vtk", vtkHead("BINARY", "STRUCTURED_POINTS") + "EXTENT -1 0 -1 0 3 3\nSPACING 1 1 1\nORIGIN 0 0 0\n", 4, 2, "", vtkExtentNote},
		{"surface cells", "a.vtk", grid + vtkSquare + "CELLS 3 15\n4 0 1 3 2 4 0 1 2 3 4 0 1 3 2\nCELL_TYPES 3\n8 9 6\n", 4, 6, "", ""},
	} {
		a.run(t)
	}
}

func TestVTKRefused(t *testing.T) {
	poly, grid := vtkHead("ASCII", "POLYDATA"), vtkHead("ASCII", "UNSTRUCTURED_GRID")
	structured, rectilinear, image := vtkHead("ASCII", "STRUCTURED_GRID"), vtkHead("ASCII", "RECTILINEAR_GRID"), vtkHead("ASCII", "STRUCTURED_POINTS")
	for _, r := range []refusal{
		{"header only", "a.vtk", "# vtk DataFile Version 3.0\n", ErrSyntax, "line 3"},
		{"no header", "a.vtk", "DATASET POLYDATA\n", ErrSyntax, "byte 0"},
		{"table", "a.vtk", vtkHead("ASCII", "TABLE"), ErrUnsupported, `type "TABLE"`},
		{"no dimensions", "a.vtk", structured + vtkBox, ErrSyntax, "line 6: syntax error: the data set lacks DIMENSIONS"},
		{"second dimensions", "a.vtk", structured + "DIMENSIONS 2 2 2\nDIMENSIONS 2 2 2\n", ErrSyntax, `line 6: syntax error: found "DIMENSIONS"`},
		{"two dimensions", "a.vtk", structured + "DIMENSIONS 2 2\n" + vtkBox, ErrSyntax, `line 6: syntax error: found "POINTS" instead of a number of points`},
		{"negative dimension", "a.vtk", structured + "DIMENSIONS 2 -2 2\n" + vtkBox, ErrSyntax, `line 5: syntax error: found "-2"`},
		{"dimension 0", "a.vtk", structured + "DIMENSIONS 2 0 2\nPOINTS 0 float\n", ErrNoTriangles, "the dimensions of the grid are 2 × 0 × 2"},
		{"line of points", "a.vtk", structured + "DIMENSIONS 1 2 1\nPOINTS 2 float\n0 0 0 1 0 0\n", ErrNoTriangles, "the dimensions of the grid are 1 × 2 × 1, so its cells are points or lines"},
		{"one point", "a.vtk", image + "DIMENSIONS 1 1 1\n", ErrNoTriangles, "1 × 1 × 1"},
		{"huge line", "a.vtk", image + "DIMENSIONS 2147483647 1 1\n", ErrNoTriangles, "2147483647 × 1 × 1"},
		{"few points", "a.vtk", structured + "DIMENSIONS 2 2 3\n" + vtkBox, ErrSyntax, "line 5: syntax error: the dimensions are 2 × 2 × 3, but POINTS has 8 elements"},
		{"no points", "a.vtk", structured + "DIMENSIONS 2 2 3\n", ErrSyntax, "POINTS has 0 elements"},
		{"dimensions beyond int64", "a.vtk", structured + "DIMENSIONS 2147483647 2147483647 2147483647\n" + vtkBox, ErrSyntax, "the dimensions are 2147483647 × 2147483647 × 2147483647, but POINTS has 8 elements"},
		{"hidden points", "a.vtk", structured + "DIMENSIONS 2 2 2\nBLANKING 2 int\n1 1\n" + vtkBox, ErrSyntax, "BLANKING has 2 elements"},
		{"type of hidden points", "a.vtk", structured + "DIMENSIONS 2 2 2\nBLANKING 2 text\n1 1\n" + vtkBox, ErrUnsupported, "line 6: not supported: values of type"},
		{"points of a rectilinear grid", "a.vtk", rectilinear + "DIMENSIONS 2 2 2\n" + vtkBox, ErrSyntax, `found "POINTS" instead of a section`},
		{"few coordinates", "a.vtk", rectilinear + "DIMENSIONS 2 2 3\n" + vtkAxes, ErrSyntax, "Z_COORDINATES has 2 elements"},
		{"no coordinates", "a.vtk", rectilinear + "DIMENSIONS 2 2 3\n", ErrSyntax, "X_COORDINATES has 0 elements"},
		{"second coordinates", "a.vtk", rectilinear + "DIMENSIONS 2 2 2\n" + strings.Replace(vtkAxes, "Y_", "X_", 1), ErrSyntax, `line 8: syntax error: found "X_COORDINATES"`},
		{"type of coordinates", "a.vtk", rectilinear + strings.Replace(vtkAxes, "int", "bit", 1), ErrUnsupported, `line 7: not supported: coordinates of type "bit"`},
		{"too many coordinates", "a.vtk", rectilinear + strings.Replace(vtkAxes, "2 double", "2000000000 double", 1), ErrTruncated, "2000000000 coordinates do not fit"},
		{"cut coordinates", "a.vtk", vtkHead("BINARY", "RECTILINEAR_GRID") + "DIMENSIONS 2 2 2\nX_COORDINATES 2 float\n1234567", ErrTruncated, "2 coordinates do not fit"},
		{"coordinate", "a.vtk", rectilinear + strings.Replace(vtkAxes, "0 1", "0 inf", 1), ErrNotFinite, "line 6: coordinate is not finite: coordinate 1 (+Inf)"},
		{"too many structured points", "a.vtk", image + "DIMENSIONS 2000000 2000000 2000000\n", ErrTooLarge, "too large: a grid of 2000000 × 2000000 × 2000000 points"},
		{"structured points beyond the memory", "a.vtk", image + "DIMENSIONS 1000 1000 1000\n", ErrTooLarge, "memory limit"},
		{"spacing", "a.vtk", image + "DIMENSIONS 2 2 2\nSPACING 1 x 1\n", ErrSyntax, `line 6: syntax error: found "x" instead of a number`},
		{"spacing that is not finite", "a.vtk", image + "DIMENSIONS 2 2 2\nSPACING 1 1\nnan\n", ErrNotFinite, "line 7"},
		{"end in the origin", "a.vtk", image + "DIMENSIONS 2 2 2\nORIGIN 1 1", ErrTruncated, "the numbers end too early"},
		{"short extent", "a.vtk", image + "EXTENT 0 1 0 1 0\n", ErrTruncated, "the file ends where an index of the extent should follow"},
		{"extent beyond int32", "a.vtk", image + "EXTENT 0 1 0 1 0 3000000000\n", ErrSyntax, `found "3000000000"`},
		{"no cells", "a.vtk", poly + vtkSquare, ErrNoTriangles, ""},
		{"too many points", "a.vtk", poly + "POINTS 2000000000 float\n0 0 0\n", ErrTruncated, "line 5"},
		{"cut points", "a.vtk", poly + "POINTS 4 float\n0 0 0 1000 0 00000 1 1 0 0 1\n", ErrTruncated, "line"},
		{"cut binary", "a.vtk", vtkHead("BINARY", "POLYDATA") + "POINTS 4 float\n123", ErrTruncated, "byte"},
		{"word", "a.vtk", poly + "POINTS 1 float\n0 0 x\n", ErrSyntax, `line 6: syntax error: found "x" instead of a number`},
		{"NaN", "a.vtk", poly + "POINTS 1 float\n0 0 nan\n", ErrNotFinite, "line 6"},
		{"type of points", "a.vtk", poly + "POINTS 1 string\n0 0 0\n", ErrUnsupported, "line 5"},
		{"index", "a.vtk", poly + vtkSquare + "POLYGONS 1 4\n3 0 1 4\n", ErrIndexRange, "polygon 0: index out of range: the cell refers to point 4"},
		{"negative index", "a.vtk", poly + vtkSquare + "POLYGONS 1 4\n3 0 1 -4\n", ErrIndexRange, "line 9"},
		{"sizes", "a.vtk", poly + vtkSquare + "POLYGONS 2 4\n3 0 1 2\n", ErrSyntax, "end in cell 1 of 2"},
		{"offsets", "a.vtk", poly + vtkSquare + "POLYGONS 3 3\nOFFSETS vtktypeint64\n0 3 9\nCONNECTIVITY vtktypeint64\n0 1 2\n", ErrIndexRange, "polygon 1"},
		{"types", "a.vtk", grid + vtkTet + "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10 10\n", ErrSyntax, "1 cell has 2 types"},
		{"unknown type", "a.vtk", grid + vtkTet + "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n41\n", ErrUnsupported, "cell 0: not supported: cells of type 41"},
		{"nodes", "a.vtk", grid + vtkTet + "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", ErrSyntax, "cell 0"},
		{"faces of a polyhedron", "a.vtk", grid + vtkTet + "CELLS 1 6\n5 4 3 0 2 1\nCELL_TYPES 1\n42\n", ErrSyntax, "cell 0"},
		{"field of an unknown type", "a.vtk", poly + "FIELD f 1\na 1 1 thing\n1\n", ErrUnsupported, "line 6: not supported: a field before the cells has the type"},
		{"cut strings", "a.vtk", poly + "FIELD f 1\na 1 9 string\n1\n2\n", ErrTruncated, "line 6: truncated: the file ends in a field"},
		{"huge field", "a.vtk", poly + "FIELD f 1\na 2147483647 2147483647 string\n1\n", ErrTruncated, "do not fit"},
		{"cut binary strings", "a.vtk", vtkHead("BINARY", "POLYDATA") + "FIELD f 1\na 1 1 string\n\xc9abc", ErrTruncated, "ends in a field"},
		{"huge binary string", "a.vtk", vtkHead("BINARY", "POLYDATA") + "FIELD f 1\na 1 1 string\n\x3f\xff\xff\xff\xff\xff\xff\xff", ErrTruncated, "ends in a field"},
		{"cut length of a string", "a.vtk", vtkHead("BINARY", "POLYDATA") + "FIELD f 1\na 1 1 string\n\x3f\xff", ErrTruncated, "ends in a field"},
		{"cut bits", "a.vtk", vtkHead("BINARY", "POLYDATA") + "FIELD f 1\na 1 9 bit\n1", ErrTruncated, "ends in a field"},
		{"cut binary field", "a.vtk", vtkHead("BINARY", "POLYDATA") + "FIELD f 1\na 1 9 double\n12345678", ErrTruncated, "ends in a field"},
		{"garbage", "a.vtk", poly + vtkSquare + "CELLS 1 4\n", ErrSyntax, `found "CELLS"`},
	} {
		r.run(t)
	}
}

// TestVTKReader writes files with VTK and compares their points, boxes, surfaces and volumes with those
// that VTK's own readers find.
func TestVTKReader(t *testing.T) {
	dir := t.TempDir()
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import vtk").Run() != nil {
		t.Skip("the module vtk of Python is missing")
	}
	out, err := exec.Command(python, "testdata/vtkfiles.py", dir).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) < 350 {
		t.Fatalf("%d files, want at least 350", len(lines))
	}
	for _, line := range lines {
		var name string
		var points, triangles int
		var lo, hi [3]float64
		var want float64
		if _, err := fmt.Sscan(line, &name, &points, &lo[0], &hi[0], &lo[1], &hi[1], &lo[2], &hi[2], &triangles, &want); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		soup, info, err := Load(context.Background(), filepath.Join(dir, name), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		tolerance := 1e-9
		if strings.HasSuffix(name, "ascii.vtk") { // VTK rounds the six digits of such a file to float32
			tolerance = 1e-7
		}
		got := totalOf(soup)
		low, high := r3.Vector{X: lo[0], Y: lo[1], Z: lo[2]}, r3.Vector{X: hi[0], Y: hi[1], Z: hi[2]}
		if points >= 0 && info.StoredVertices != points || len(soup.Faces) != triangles || math.Abs(got.volume-want) > tolerance*(1+want) ||
			got.low.Sub(low).Norm() > tolerance || got.high.Sub(high).Norm() > tolerance {
			t.Errorf("%s: %d points, %d triangles, %+v, notes %q; VTK: %s", name, info.StoredVertices, len(soup.Faces), got, info.Notes, line)
		}
	}
	if _, _, err := Load(context.Background(), filepath.Join(dir, "lzma.vtp"), Options{}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("LZMA: got %v, want ErrUnsupported", err)
	}
}

// TestGmshVTK compares legacy VTK files that Gmsh exports with sums over the elements of its own format.
func TestGmshVTK(t *testing.T) {
	gmsh, err := exec.LookPath("gmsh")
	if err != nil {
		t.Skip("gmsh is not installed")
	}
	for i, m := range gmshModels {
		if strings.Contains(m.name, "third") || strings.Contains(m.name, "fourth") {
			continue // Gmsh does not export such elements
		}
		if i%4 != 0 && os.Getenv("INPOLY_FULL") == "" {
			continue
		}
		write := m.writer(t, gmsh, t.TempDir())
		want := sumOfElements(t, write("msh22", "a.msh", "-save_all"))
		for _, path := range []string{write("vtk", "text.vtk", "-save_all"), write("vtk", "binary.vtk", "-save_all", "-bin")} {
			s, info, err := Load(context.Background(), path, Options{})
			if err != nil {
				t.Errorf("%s, %s: %v", m.name, filepath.Base(path), err)
				continue
			}
			checkSoup(t, s)
			if got := totalOf(s); !near(got.volume, want.volume) || got.low.Sub(want.low).Norm() > 1e-9 || got.high.Sub(want.high).Norm() > 1e-9 {
				t.Errorf("%s, %s: got %+v, want %+v; notes %q", m.name, filepath.Base(path), got, want, info.Notes)
			}
			if err := closed(s, m.dim == 3); err != nil {
				t.Errorf("%s, %s: %v", m.name, filepath.Base(path), err)
			}
		}
	}
}

func FuzzVTK(f *testing.F) {
	big := binary.BigEndian
	for _, data := range []string{
		vtkHead("ASCII", "POLYDATA") + vtkSquare + "POLYGONS 3 6\nOFFSETS vtktypeint64\n0 3 6\nCONNECTIVITY vtktypeint64\n0 1 2 0 2 3\n",
		vtkHead("ASCII", "UNSTRUCTURED_GRID") + vtkTet + "CELLS 1 18\n17 4 3 0 2 1 3 0 1 3 3 1 2 3 3 0 3 2\nCELL_TYPES 1\n42\n",
		vtkHead("ASCII", "UNSTRUCTURED_GRID") + vtkCube + "CELLS 2 14\n8 0 1 2 3 4 5 6 7 4 0 1 2 3\nCELL_TYPES 2\n12 9\n",
		vtkHead("BINARY", "POLYDATA") + "POINTS 4 float\n" + packSquare(big) + "\nPOLYGONS 2 8\n" + pack(big, []int32{3, 0, 1, 2, 3, 0, 2, 3}) + "\nTRIANGLE_STRIPS 1 5\n" + pack(big, []int32{4, 0, 1, 3, 2}),
		vtkHead("BINARY", "POLYDATA") + "FIELD f 2\nnames 1 2 string\n\xc3abc\x80\x02\n\n\nbits 1 9 bit\n\xaa\x80\nPOINTS 1 float\n",
		vtkHead("ASCII", "POLYDATA") + "FIELD f 2\nnames 1 2 string\na b\n\nkinds 1 1 variant\n6 0\n" + vtkSquare + "POLYGONS 1 4\n3 0 1 2\n",
		vtkHead("ASCII", "STRUCTURED_GRID") + "DIMENSIONS 2 2 2\nBLANKING 8 int\n1 1 1 1 1 1 1 1\n" + vtkBox,
		vtkHead("ASCII", "RECTILINEAR_GRID") + "DIMENSIONS 2 2 2\n" + vtkAxes,
		vtkHead("BINARY", "RECTILINEAR_GRID") + "EXTENT 0 1 0 1 0 0\nX_COORDINATES 2 float\n" + pack(big, float32(0), float32(1)) + "\nY_COORDINATES 2 short\n" + pack(big, int16(0), int16(1)) + "\nZ_COORDINATES 1 double\n" + pack(big, 0.0),
		vtkHead("ASCII", "STRUCTURED_POINTS") + "DIMENSIONS 3 2 2\nORIGIN 1 1 1\nASPECT_RATIO 1 2 .5\n",
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) { fuzzRead(t, bytes.Clone(data), VTK) })
}
