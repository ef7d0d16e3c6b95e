package vtk

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/dem/rigid"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// world returns a falling ball, a falling tetrahedron and a wall.
func world(t *testing.T) *rigid.World {
	t.Helper()
	solid := func(vertices []r3.Vector, faces ...[3]int32) *inpoly.Solid {
		m, err := mesh.New(t.Context(), mesh.Soup{Vertices: vertices, Faces: faces}, mesh.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := inpoly.New(t.Context(), m, inpoly.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	ball, err := rigid.NewBall(.5)
	if err != nil {
		t.Fatal(err)
	}
	corner := []r3.Vector{{}, {X: 1}, {Y: 1}, {Z: 1}}
	tetrahedron, err := rigid.NewPolyhedron(t.Context(), solid(corner, [3]int32{0, 2, 1}, [3]int32{0, 1, 3}, [3]int32{0, 3, 2}, [3]int32{1, 2, 3}))
	if err != nil {
		t.Fatal(err)
	}
	floor := solid([]r3.Vector{{X: -9, Y: -9}, {X: 9, Y: -9}, {Y: 9}}, [3]int32{0, 1, 2})
	w, err := rigid.New(t.Context(), rigid.Scene{
		Bodies: []rigid.Body{
			{Shape: tetrahedron, Pose: pose.At(r3.Vector{X: 3, Z: 5}), Spin: r3.Vector{Z: .25}},
			{Shape: ball, Pose: pose.At(r3.Vector{Z: 2})},
		},
		Walls: []rigid.Wall{{Solid: floor, Thickness: 1}}, Gravity: r3.Vector{Z: -8},
	}, rigid.Options{TimeStep: 1. / 64, Law: rigid.Linear{Ball: rigid.Spring{Stiffness: 1e3}}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func step(t *testing.T, w *rigid.World, n int) {
	t.Helper()
	for range n {
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// TestVTKReads reads the frames with the readers of VTK.
func TestVTKReads(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import vtkmodules.vtkIOXML").Run(); err != nil {
		t.Skip("Python has no VTK")
	}
	dir := t.TempDir()
	s, err := Open(filepath.Join(dir, "run.pvd"))
	if err != nil {
		t.Fatal(err)
	}
	w := world(t)
	step(t, w, 8)
	if err := s.Add(w); err != nil {
		t.Fatal(err)
	}
	const program = `
import sys
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
def read(name):
    r = vtkXMLPolyDataReader()
    r.SetFileName(sys.argv[1] + "/" + name)
    r.Update()
    return r.GetOutput()
b = read("run_balls_000000008.vtp")
d = b.GetPointData()
print(b.GetNumberOfPoints(), b.GetNumberOfVerts(), b.GetPoint(0), d.GetArray("radius").GetTuple(0), d.GetArray("body").GetTuple(0), d.GetArray("velocity").GetTuple(0))
p = read("run_polyhedra_000000008.vtp")
d = p.GetCellData()
print(p.GetNumberOfPoints(), p.GetNumberOfPolys(), d.GetArray("body").GetTuple(3), d.GetArray("velocity").GetTuple(3), d.GetArray("spin").GetTuple(3))
print([p.GetCell(3).GetPointId(i) for i in range(3)], round(p.GetPoint(0)[2], 9))
q = read("run_walls.vtp")
print(q.GetNumberOfPoints(), q.GetNumberOfPolys(), q.GetPoint(2), q.GetCellData().GetArray("body").GetTuple(0))
`
	out, err := exec.Command(python, "-c", program, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// After 1/8 s, all bodies have fallen by 1/16 and have the velocity −1. The tetrahedron turns
	// about its center of mass.
	want := `1 1 (0.0, 0.0, 1.9375) (0.5,) (1.0,) (0.0, 0.0, -1.0)
4 4 (0.0,) (0.0, 0.0, -1.0)`
	if got := string(out); !strings.HasPrefix(got, want) || !strings.Contains(got, "\n[1, 2, 3] 4.93") || !strings.HasSuffix(got, "3 1 (0.0, 9.0, 0.0) (2.0,)\n") {
		t.Errorf("VTK reads\n%s", got)
	}
}

func TestSeriesContinues(t *testing.T) {
	dir := t.TempDir()
	index := filepath.Join(dir, "a&b.pvd")
	s, err := Open(index)
	if err != nil {
		t.Fatal(err)
	}
	w := world(t)
	for range 4 {
		if err := s.Add(w); err != nil {
			t.Fatal(err)
		}
		step(t, w, 3)
	}
	// The run begins again at step 4, between the frames 3 and 6.
	w = world(t)
	step(t, w, 4)
	if s, err = Open(index); err != nil || s.Len() != 4 {
		t.Fatalf("%d frames, error %v", s.Len(), err)
	}
	if err := s.Add(w); err != nil || s.Len() != 3 {
		t.Fatalf("%d frames, error %v", s.Len(), err)
	}
	if err := s.Add(w); err != nil || s.Len() != 3 { // the same frame again
		t.Fatalf("%d frames, error %v", s.Len(), err)
	}
	want := []string{"a&b.pvd"}
	for _, step := range []string{"000000000", "000000003", "000000004"} {
		want = append(want, "a&b_balls_"+step+".vtp", "a&b_polyhedra_"+step+".vtp")
	}
	want = append(want, "a&b_walls.vtp")
	slices.Sort(want)
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	if s, err = Open(index); err != nil || s.Len() != 3 || s.frames[2].time != 4./64 {
		t.Errorf("%+v, error %v", s.frames, err)
	}
}

// A half-space has no mesh. It is left out of the file of the walls, and the other walls keep their numbers.
func TestHalfSpaces(t *testing.T) {
	low, side := rigid.Wall{HalfSpace: &rigid.HalfSpace{Normal: r3.Vector{Z: 1}, Offset: -20}}, rigid.Wall{HalfSpace: &rigid.HalfSpace{Normal: r3.Vector{X: 1}, Offset: -20}}
	floor := rigid.Wall{Solid: world(t).Walls()[0], Thickness: 1}
	ball, err := rigid.NewBall(.5)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		walls []rigid.Wall
		want  []int32 // the array body of the file of the walls
	}{
		{nil, nil},
		{[]rigid.Wall{low, side}, nil},
		{[]rigid.Wall{low, floor}, []int32{2}},
		{[]rigid.Wall{floor, low, side, floor, low}, []int32{1, 4}},
	} {
		w, err := rigid.New(t.Context(), rigid.Scene{Bodies: []rigid.Body{{Shape: ball, Pose: pose.At(r3.Vector{Y: 1, Z: 2})}}, Walls: c.walls},
			rigid.Options{TimeStep: 1. / 64, Law: rigid.Linear{Ball: rigid.Spring{Stiffness: 1e3}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := wallMeshes(w).body; !slices.Equal(got, c.want) {
			t.Errorf("%d walls: the numbers are %v, want %v", len(c.walls), got, c.want)
		}
		dir := t.TempDir()
		index := filepath.Join(dir, "run.pvd")
		s, err := Open(index)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Add(w); err != nil {
				t.Fatal(err)
			}
			step(t, w, 1)
		}
		want := []string{"run.pvd", "run_balls_000000000.vtp", "run_balls_000000001.vtp"}
		if c.want != nil {
			want = append(want, "run_walls.vtp")
		}
		if got := names(t, dir); !slices.Equal(got, want) {
			t.Errorf("%d walls: files %q, want %q", len(c.walls), got, want)
		}
		text, err := os.ReadFile(index)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "run_walls.vtp"); n != 2*min(1, len(c.want)) {
			t.Errorf("%d walls: the index names the file of the walls %d times", len(c.walls), n)
		}
		if again, err := Open(index); err != nil || again.Len() != 2 {
			t.Errorf("%d walls: %d frames, error %v", len(c.walls), again.Len(), err)
		}
	}
}

func TestSeriesRefusesForeignFiles(t *testing.T) {
	dir := t.TempDir()
	index := filepath.Join(dir, "run.pvd")
	for _, text := range []string{
		"", "solid", "<VTKFile>", "<other></other>",
		`<VTKFile><Collection><DataSet timestep="0" part="0" file="other.vtp"/></Collection></VTKFile>`,
		`<VTKFile><Collection><DataSet timestep="0" part="0" file="../run_balls_000000001.vtp"/></Collection></VTKFile>`,
		`<VTKFile><Collection><DataSet timestep="0" part="7" file="run_balls_000000001.vtp"/></Collection></VTKFile>`,
		`<VTKFile><Collection><DataSet timestep="1" part="0" file="run_balls_000000002.vtp"/><DataSet timestep="0" part="0" file="run_balls_000000001.vtp"/></Collection></VTKFile>`,
	} {
		if err := os.WriteFile(index, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(index); !errors.Is(err, ErrIndex) {
			t.Errorf("%q: error %v, want %v", text, err, ErrIndex)
		}
	}
	if _, err := Open(filepath.Join(dir, "run.vtp")); err == nil {
		t.Error("an index without the suffix .pvd")
	}
	// Nothing remains of a frame that cannot be written.
	s, err := Open(filepath.Join(dir, "missing", "run.pvd"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(world(t)); !errors.Is(err, os.ErrNotExist) || s.Len() != 0 {
		t.Errorf("error %v and %d frames", err, s.Len())
	}
}
