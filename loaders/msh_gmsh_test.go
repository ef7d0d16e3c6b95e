package loaders

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// gmshModel is a model of Gmsh.
type gmshModel struct {
	name   string
	dim    int
	args   []string // further arguments of Gmsh
	bodies string
	text   string
}

// writer writes the model to a folder. It returns a function that writes a mesh of the model and returns
// the path of the file.
func (m gmshModel) writer(t *testing.T, gmsh, dir string) func(format, name string, more ...string) string {
	t.Helper()
	geo := filepath.Join(dir, "model.geo")
	kernel := "SetFactory(\"OpenCASCADE\");\nMesh.MeshSizeMax = 0.4;\n"
	if err := os.WriteFile(geo, []byte(kernel+m.text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(format, name string, more ...string) string {
		path := filepath.Join(dir, name)
		args := append([]string{geo, fmt.Sprintf("-%d", m.dim), "-nt", "1", "-format", format, "-o", path}, m.args...)
		if out, err := exec.Command(gmsh, append(args, more...)...).CombinedOutput(); err != nil {
			t.Fatalf("gmsh: %v\n%s", err, out)
		}
		return path
	}
}

// gmshModels are models of Gmsh. Their meshes are read in all variants of the format.
var gmshModels = []gmshModel{
	{"box", 3, nil, "", "Box(1) = {0,0,0,1,1,1};\n"},
	{"two volumes and an inlet", 3, nil, "left|right", `
		Box(1) = {0,0,0,1,1,1}; Box(2) = {1,0,0,1,1,1}; Coherence;
		Physical Volume("left") = {1}; Physical Volume("right") = {2}; Physical Surface("inlet") = {1};`},
	{"a volume in two groups", 3, nil, "a", `Sphere(1) = {0,0,0,1}; Physical Volume("a") = {1}; Physical Volume("b") = {1};`},
	{"hollow sphere", 3, nil, "shell", `
		Sphere(1) = {0,0,0,1}; Sphere(2) = {0,0,0,0.5};
		BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
		Physical Volume("shell") = {3};`},
	{"second order", 3, []string{"-order", "2"}, "", "Cylinder(1) = {0,0,0,0,0,3,1};\n"},
	{"fourth order", 3, []string{"-order", "4"}, "", "Box(1) = {0,0,0,1,2,1};\n"},
	{"parametric nodes", 3, []string{"-parametric"}, "", "Sphere(1) = {0,0,0,1};\n"},
	{"partitions", 3, []string{"-part", "3"}, "left|right", `
		Box(1) = {0,0,0,1,1,1}; Box(2) = {1,0,0,1,1,1}; Coherence;
		Physical Volume("left") = {1}; Physical Volume("right") = {2};`},
	{"hexahedra", 3, nil, "hex", extruded("Recombine;", "Recombine;") + `Physical Volume("hex") = {v[1]};`},
	{"prisms", 3, nil, "", extruded("", "Recombine;")},
	{"tetrahedra by extrusion", 3, nil, "", extruded("", "")},
	{"second-order hexahedra", 3, []string{"-order", "2"}, "", extruded("Recombine;", "Recombine;")},
	{"incomplete second-order hexahedra", 3, []string{"-order", "2", "-setnumber", "Mesh.SecondOrderIncomplete", "1"}, "", extruded("Recombine;", "Recombine;")},
	{"third-order prisms", 3, []string{"-order", "3"}, "", extruded("", "Recombine;")},
	{"pyramids", 3, nil, "", `
		Mesh.MeshSizeMax = 0.5; Mesh.OptimizeNetgen = 0;
		Box(1) = {0,0,0,1,1,1}; Transfinite Curve {:} = 4; Transfinite Surface {1}; Recombine Surface {1};`},
	{"surface", 2, nil, "skin", `Torus(1) = {0,0,0,2,0.5}; Physical Surface("skin") = {Surface{:}};`},
	{"reversed surface", 2, nil, "out", `Sphere(1) = {0,0,0,1}; Physical Surface("out", 7) = {-1};`},
	{"quads", 2, nil, "", "Cylinder(1) = {0,0,0,0,0,3,1}; Mesh.RecombineAll = 1;\n"},
	{"second-order triangles", 2, []string{"-order", "2"}, "", "Sphere(1) = {0,0,0,1};\n"},
	{"periodic surface", 2, nil, "", "Box(1) = {0,0,0,1,1,1}; Periodic Surface {2} = {1} Translate {1,0,0};\n"},
}

// extruded returns a model of a box of 2 by 1 by 1.5, extruded in layers.
func extruded(second, third string) string {
	return fmt.Sprintf(`
		Point(1) = {0,0,0,0.5};
		l[] = Extrude {2,0,0} { Point{1}; Layers{4}; };
		s[] = Extrude {0,1,0} { Line{l[1]}; Layers{3}; %s };
		v[] = Extrude {0,0,1.5} { Surface{s[1]}; Layers{2}; %s };
		`, second, third)
}

// TestGmsh compares meshes that Gmsh writes, in all variants of the format, with sums over the
// elements of the text of MSH 2.2, and with the surface that Gmsh exports as STL.
func TestGmsh(t *testing.T) {
	gmsh, err := exec.LookPath("gmsh")
	if err != nil {
		t.Skip("gmsh is not installed")
	}
	for i, m := range gmshModels {
		if i%5 != 0 && os.Getenv("INPOLY_FULL") != "1" {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			write := m.writer(t, gmsh, t.TempDir())
			text := write("msh22", "text22.msh")
			want := sumOfElements(t, text)
			for _, path := range []string{text, write("msh22", "binary22.msh", "-bin"), write("msh41", "text41.msh"), write("msh41", "binary41.msh", "-bin")} {
				s, info, err := Load(context.Background(), path, Options{})
				if err != nil {
					t.Fatal(err)
				}
				checkSoup(t, s)
				got := totalOf(s)
				if !near(got.volume, want.volume) || got.low != want.low || got.high != want.high {
					t.Errorf("%s: got %+v, want %+v; notes %q", filepath.Base(path), got, want, info.Notes)
				}
				if m.dim == 2 && (info.Polygons != want.surface || !near(got.area, want.area)) {
					t.Errorf("%s: got %d elements and area %v, want %d and %v", filepath.Base(path), info.Polygons, got.area, want.surface, want.area)
				}
				if got := bodyNames(s); got != m.bodies {
					t.Errorf("%s: got bodies %q, want %q", filepath.Base(path), got, m.bodies)
				}
				if err := closed(s, m.dim == 3); err != nil {
					t.Errorf("%s: %v", filepath.Base(path), err)
				}
			}
			if m.dim == 2 && len(m.args) == 0 {
				stl, _, err := Load(context.Background(), write("stl", "surface.stl"), Options{})
				if err != nil {
					t.Fatal(err)
				}
				s, _, err := Load(context.Background(), text, Options{})
				if err != nil || len(s.Faces) != len(stl.Faces) {
					t.Errorf("%d triangles, %v; Gmsh exports %d", len(s.Faces), err, len(stl.Faces))
				}
			}
		})
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

func bodyNames(s *mesh.Soup) string {
	var names []string
	for _, b := range s.Bodies {
		names = append(names, b.Name)
	}
	return strings.Join(names, "|")
}

// closed returns an error unless the edges of each body occur equally often in both directions. If
// oriented is false, it only checks that their number is even.
func closed(s *mesh.Soup, oriented bool) error {
	for _, b := range s.Bodies {
		net := map[[2]int32]int{}
		for _, f := range s.Faces[b.First : b.First+b.Count] {
			for k := range f {
				from, to := f[k], f[(k+1)%3]
				if oriented {
					net[[2]int32{from, to}]++
					net[[2]int32{to, from}]--
				} else {
					net[[2]int32{min(from, to), max(from, to)}] ^= 1
				}
			}
		}
		for edge, n := range net {
			if n != 0 {
				return fmt.Errorf("body %q: edge %v occurs %d times more than its opposite", b.Name, edge, n)
			}
		}
	}
	return nil
}

// total holds sums over a mesh.
type total struct {
	volume, area float64
	surface      int // number of surface elements
	low, high    r3.Vector
}

func newTotal() total {
	inf := math.Inf(1)
	return total{low: r3.Vector{X: inf, Y: inf, Z: inf}, high: r3.Vector{X: -inf, Y: -inf, Z: -inf}}
}

// cover extends the box to p.
func (s *total) cover(p r3.Vector) {
	s.low = r3.Vector{X: min(s.low.X, p.X), Y: min(s.low.Y, p.Y), Z: min(s.low.Z, p.Z)}
	s.high = r3.Vector{X: max(s.high.X, p.X), Y: max(s.high.Y, p.Y), Z: max(s.high.Z, p.Z)}
}

// addTriangle adds a triangle. The volume is that of the cone from the origin.
func (s *total) addTriangle(a, b, c r3.Vector) {
	s.volume += a.Dot(b.Cross(c)) / 6
	s.area += b.Sub(a).Cross(c.Sub(a)).Norm() / 2
	s.cover(a)
	s.cover(b)
	s.cover(c)
}

func totalOf(s *mesh.Soup) total {
	sum := newTotal()
	for _, f := range s.Faces {
		sum.addTriangle(s.Vertices[f[0]], s.Vertices[f[1]], s.Vertices[f[2]])
	}
	return sum
}

// splitCells lists tetrahedra that cover a cell of each type of Gmsh whose sides are planar.
var splitCells = map[int][][4]int{
	4: {{0, 1, 2, 3}},
	5: {{0, 1, 3, 4}, {1, 2, 3, 6}, {1, 3, 4, 6}, {1, 4, 5, 6}, {3, 4, 6, 7}},
	6: {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}},
	7: {{0, 1, 2, 4}, {0, 2, 3, 4}},
}

// gmshTypes maps the types of elements of higher order to those of first order.
var gmshTypes = map[int]int{9: 2, 10: 3, 11: 4, 12: 5, 13: 6, 16: 3, 17: 5, 18: 6, 23: 2, 29: 4, 30: 4, 90: 6}

// sumOfElements reads the text of MSH 2.2 line by line. If there are volume elements, it sums their
// volumes, otherwise the triangles of the surface elements. It reads each element only for the first of
// several groups.
func sumOfElements(t *testing.T, path string) total {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	nodes := map[int]r3.Vector{}
	solid, flat := newTotal(), newTotal()
	cells := 0
	seen := map[string]bool{}
	section := ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "$") {
			section = line
			continue
		}
		var v []float64
		for _, word := range strings.Fields(line) {
			x, err := strconv.ParseFloat(word, 64)
			if err != nil {
				break
			}
			v = append(v, x)
		}
		switch {
		case len(v) < 4:
		case section == "$Nodes" || section == "$ParametricNodes":
			nodes[int(v[0])] = r3.Vector{X: v[1], Y: v[2], Z: v[3]}
		case section == "$Elements":
			kind := int(v[1])
			if first, ok := gmshTypes[kind]; ok {
				kind = first
			}
			corners := v[3+int(v[2]):]
			sorted := slices.Clone(corners)
			slices.Sort(sorted)
			key := fmt.Sprint(kind, sorted)
			if seen[key] {
				continue
			}
			seen[key] = true
			at := func(k int) r3.Vector { return nodes[int(corners[k])] }
			switch {
			case kind == 2 || kind == 3:
				flat.surface++
				flat.addTriangle(at(0), at(1), at(2))
				if kind == 3 {
					flat.addTriangle(at(0), at(2), at(3))
				}
			case splitCells[kind] != nil:
				cells++
				for _, c := range splitCells[kind] {
					a := at(c[0])
					solid.volume += math.Abs(at(c[1]).Sub(a).Dot(at(c[2]).Sub(a).Cross(at(c[3]).Sub(a)))) / 6
					for _, k := range c {
						solid.cover(at(k))
					}
				}
			}
		}
	}
	if cells > 0 {
		return solid
	}
	return flat
}
