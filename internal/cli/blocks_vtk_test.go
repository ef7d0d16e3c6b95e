package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/cli/term"
)

// readVTK prints a VTK file as JSON: the arrays of cells, the names of the bodies, and for each cell the mean of
// its corners and the lengths of the edges from its first corner.
const readVTK = `
import json, sys
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLUnstructuredGridReader
path = sys.argv[1]
r = vtkXMLImageDataReader() if path.endswith(".vti") else vtkXMLUnstructuredGridReader()
r.SetFileName(path)
r.Update()
d = r.GetOutput()
cells = d.GetCellData()
arrays = {}
for i in range(cells.GetNumberOfArrays()):
    a = cells.GetArray(i)
    arrays[cells.GetArrayName(i)] = [repr(a.GetTuple1(k)) for k in range(a.GetNumberOfTuples())]
names = d.GetFieldData().GetAbstractArray("body_names")
centers, edges, types = [], [], []
for i in range(d.GetNumberOfCells()):
    c = d.GetCell(i)
    p = [c.GetPoints().GetPoint(k) for k in range(8)]
    centers.append([sum(q[k] for q in p) / 8 for k in range(3)])
    third = 3 if c.GetCellType() == 12 else 2
    edges.append([sum((p[0][k] - q[k]) ** 2 for k in range(3)) ** 0.5 for q in (p[1], p[third], p[4])])
    types.append(c.GetCellType())
json.dump({"arrays": arrays, "names": [names.GetValue(i) for i in range(names.GetNumberOfValues())],
           "centers": centers, "edges": edges, "types": types, "points": d.GetNumberOfPoints()}, sys.stdout)
`

// vtkFile is the output of readVTK.
type vtkFile struct {
	Arrays         map[string][]string
	Names          []string
	Centers, Edges [][3]float64
	Types          []int
	Points         int
}

// python returns the path of a Python with the modules of VTK, or skips the test.
func python(t *testing.T) string {
	for _, path := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(path, "-c", "import vtkmodules.vtkIOXML").Run() == nil {
			return path
		}
	}
	t.Skip("no Python with the modules of VTK")
	return ""
}

// succeed runs a command and returns its standard output.
func succeed(t *testing.T, command string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := Run(context.Background(), &term.Terminal{In: strings.NewReader(""), Out: &stdout, Err: &stderr}, strings.Fields(command)); code != 0 {
		t.Fatalf("%s: exit code %d: %s", command, code, stderr.String())
	}
	return stdout.String()
}

// TestBlocksVTK compares files that the readers of VTK read with the same models as CSV.
func TestBlocksVTK(t *testing.T) {
	path := python(t)
	newFaultFolder(t)
	const model = "blocks cube.obj cube.gltf --size 0.25,0.3,0.4 --counts 7,6,5 --origin -0.3,-0.2,-0.1 "
	for _, c := range []struct{ flags, out string }{
		{"", "a.vti"}, {"--distance", "a.vti"}, {"--rotation 30,10,-5", "a.vti"},
		{"", "a.vtu"}, {"--sub-levels 2 --distance", "a.vtu"}, {"--rotation 30,10,-5", "a.vtu"}, {"--rotation 120 --sub-levels 1 --overlap", "a.vtu"},
	} {
		succeed(t, model+c.flags+" --out "+c.out)
		rows, err := csv.NewReader(strings.NewReader(succeed(t, model+c.flags))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		text, err := exec.Command(path, "-c", readVTK, c.out).Output()
		if err != nil {
			t.Fatalf("%s %s: %v", c.flags, c.out, err)
		}
		var f vtkFile
		if err := json.Unmarshal(text, &f); err != nil {
			t.Fatal(err)
		}
		header := rows[0]
		if rows = rows[1:]; len(f.Centers) != len(rows) {
			t.Fatalf("%s %s: %d cells, want %d", c.flags, c.out, len(f.Centers), len(rows))
		}
		if n := len(rows) * 3; c.out == "a.vtu" && f.Points > n {
			t.Errorf("%s: %d points for %d cells", c.flags, f.Points, len(rows))
		}
		unit := c.out == "a.vti"
		for col, name := range header {
			for k, row := range rows {
				switch want := row[col]; {
				case col < 3 && unit: // the place of a cell in the array is its index
				case name == "body":
					at, err := strconv.ParseFloat(f.Arrays[name][k], 64)
					if err != nil || at < 0 != (want == "") || at >= 0 && f.Names[int(at)] != want {
						t.Fatalf("%s %s, row %d: body %v of %v, want %s", c.flags, c.out, k, at, f.Names, want)
					}
				case len(name) == 1 && name >= "x":
					near(t, f.Centers[k][name[0]-'x'], want)
				case len(name) == 2 && name[0] == 'd':
					near(t, f.Edges[k][name[1]-'x'], want)
				default:
					got, err1 := strconv.ParseFloat(f.Arrays[name][k], 64)
					x, err2 := strconv.ParseFloat(want, 64)
					if err1 != nil || err2 != nil || got != x {
						t.Fatalf("%s %s, row %d: %s is %v, want %s", c.flags, c.out, k, name, got, want)
					}
				}
			}
		}
		if err := os.Remove(c.out); err != nil {
			t.Fatal(err)
		}
	}
	if left := readFolder("."); len(left) != len(newFiles(left)) {
		t.Errorf("temporary files remain: %v", left)
	}
}

func newFiles(files map[string]string) map[string]string {
	out := map[string]string{}
	for name, data := range files {
		if !strings.HasPrefix(name, ".inpoly") {
			out[name] = data
		}
	}
	return out
}

func near(t *testing.T, got float64, want string) {
	t.Helper()
	if x, err := strconv.ParseFloat(want, 64); err != nil || math.Abs(got-x) > 1e-12 {
		t.Fatalf("%v, want %s", got, want)
	}
}
