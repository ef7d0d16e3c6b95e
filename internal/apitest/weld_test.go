package apitest

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// seamed has meshes whose seams differ by rounding. distance is negative inside the smooth solid, and off
// is the largest distance of the mesh from its surface.
var seamed = []struct {
	name     string
	soup     mesh.Soup
	distance func(p r3.Vector) float64
	off      float64
}{
	{"sphere", testmesh.SeamedSphere(32, 16), func(p r3.Vector) float64 { return p.Norm() - 1 }, .02},
	{"torus", testmesh.SeamedTorus(.4, 48, 24), func(p r3.Vector) float64 {
		return math.Hypot(math.Hypot(p.X, p.Y)-1, p.Z) - .4
	}, .02},
	{"large torus", testmesh.Scale(testmesh.SeamedTorus(.4, 48, 24), 1<<20), func(p r3.Vector) float64 {
		p = p.Mul(0x1p-20)
		return (math.Hypot(math.Hypot(p.X, p.Y)-1, p.Z) - .4) * 0x1p20
	}, .02 * 0x1p20},
}

// TestWeldClosesSeams welds with 10⁻⁶ of the size, and with the tolerance that the warning names. The sides are
// those of the smooth solid, away from its surface.
func TestWeldClosesSeams(t *testing.T) {
	for _, c := range seamed {
		open := newSolid(t, c.soup, inpoly.Options{})
		r := open.Report()
		hint := r.Diagnosis.WeldTolerance
		if r.Diagnosis.ZeroBoundary || hint == 0 || r.Welding != nil {
			t.Errorf("%s: want an open mesh with a tolerance that closes it, got %+v", c.name, r.Diagnosis)
			continue
		}
		if text := strings.Join(r.Warnings(), "\n"); !strings.Contains(text, "closes the mesh") {
			t.Errorf("%s: no hint in %q", c.name, text)
		}
		for _, tolerance := range []float64{hint, 1e-6 * r.Diagnosis.Size} {
			for _, m := range inpoly.Methods() {
				s := newSolid(t, c.soup, inpoly.Options{Weld: tolerance, Method: m})
				r := s.Report()
				if !r.Diagnosis.Watertight || r.Welding == nil || r.Welding.Joined == 0 || r.Welding.Farthest > tolerance*(1+1e-15) || r.Defects() {
					t.Errorf("%s, weld=%g: %+v, %+v", c.name, tolerance, r.Welding, r.Warnings())
				}
				rnd := rand.New(rand.NewPCG(1, 1))
				box := s.Mesh().Box()
				for range 500 {
					p := r3.Vector{
						X: box.Min.X + rnd.Float64()*(box.Max.X-box.Min.X), Y: box.Min.Y + rnd.Float64()*(box.Max.Y-box.Min.Y),
						Z: box.Min.Z + rnd.Float64()*(box.Max.Z-box.Min.Z),
					}
					d := c.distance(p)
					if w, bound := s.Winding(p); math.Abs(d) > c.off && (s.Contains(p) != (d < 0) || bound != 0 || w != math.Round(w)) {
						t.Fatalf("%s, %s, weld=%g: %v has the side %v and the winding number %g ± %g, at the distance %g",
							c.name, m, tolerance, p, s.Side(p), w, bound, d)
					}
				}
			}
		}
	}
}

// TestWeldZero tests that a mesh without near vertices is the same mesh with any tolerance, and that 0 joins
// nothing.
func TestWeldZero(t *testing.T) {
	for _, c := range seamed {
		m := testmesh.Mesh(c.soup)
		s, err := inpoly.New(t.Context(), m, inpoly.Options{Orient: inpoly.OrientNever})
		if err != nil {
			t.Fatal(err)
		}
		if s.Mesh() != m {
			t.Errorf("%s: the mesh changed", c.name)
		}
	}
	m := testmesh.Sphere(2)
	s, err := inpoly.New(t.Context(), m, inpoly.Options{Weld: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	if w := s.Report().Welding; s.Mesh() != m || w == nil || w.Joined != 0 {
		t.Errorf("the closed mesh changed: %+v", w)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := inpoly.New(t.Context(), m, inpoly.Options{Weld: bad}); !errors.Is(err, inpoly.ErrOption) {
			t.Errorf("weld %g: %v", bad, err)
		}
	}
}

// TestWeldBeforeOrient welds a mesh whose halves have opposite orientations.
func TestWeldBeforeOrient(t *testing.T) {
	soup := testmesh.SeamedSphere(16, 8)
	soup.Faces = slices.Clone(soup.Faces)
	for f, face := range soup.Faces {
		if f%2 == 0 {
			soup.Faces[f] = [3]int32{face[0], face[2], face[1]}
		}
	}
	s := newSolid(t, soup, inpoly.Options{Weld: 1e-6})
	if d := s.Report().Diagnosis; !d.Watertight || d.Volume < 3.5 {
		t.Errorf("watertight: %v, volume %g", d.Watertight, d.Volume)
	}
}

// TestWeldRefit moves a welded open solid. The joined vertices stay joined, and no others are joined.
func TestWeldRefit(t *testing.T) {
	for _, orient := range []inpoly.Orient{inpoly.OrientAuto, inpoly.OrientAlways} {
		soup := testmesh.SeamedSphere(16, 8)
		soup.Faces = soup.Faces[:len(soup.Faces)-20]
		s := newSolid(t, soup, inpoly.Options{Weld: 1e-6, Orient: orient})
		for range 2 {
			v := slices.Clone(s.Mesh().Vertices)
			for i := range v {
				v[i] = v[i].Mul(1e-4) // finally, neighbors at the hole are closer than the tolerance
			}
			moved, _, err := s.Refit(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			r := moved.Report()
			if len(moved.Mesh().Vertices) != len(v) || r.Diagnosis.Collapsed != 0 || r.Welding == nil || *r.Welding != *s.Report().Welding {
				t.Errorf("%v: %d vertices, want %d; %+v", orient, len(moved.Mesh().Vertices), len(v), r.Welding)
			}
			s = moved
		}
	}
}

// threeScript prints the primitives of three.js as JSON.
const threeScript = `
import * as three from "three";
const list = {
  box: new three.BoxGeometry(1, 2, 3, 2, 2, 2), capsule: new three.CapsuleGeometry(.5, 1, 16, 48), cone: new three.ConeGeometry(1, 1, 64, 4),
  cylinder: new three.CylinderGeometry(1, 1, 1, 64, 3), sphere: new three.SphereGeometry(1, 48, 24), torus: new three.TorusGeometry(1, .4, 32, 64),
  knot: new three.TorusKnotGeometry(1, .3, 512, 32), tetrahedron: new three.TetrahedronGeometry(1, 40), octahedron: new three.OctahedronGeometry(1, 24),
  icosahedron: new three.IcosahedronGeometry(1, 12), dodecahedron: new three.DodecahedronGeometry(1, 8),
};
for (const name in list) {
  const { attributes: { position }, index } = list[name];
  list[name] = { Vertices: Array.from(position.array), Faces: index ? Array.from(index.array) : Array.from({ length: position.count }, (_, i) => i) };
}
console.log(JSON.stringify(list));
`

// TestWeldThree welds the primitives of three.js. INPOLY_NODE_MODULES names a folder node_modules with three.
func TestWeldThree(t *testing.T) {
	modules := os.Getenv("INPOLY_NODE_MODULES")
	if _, err := os.Stat(filepath.Join(modules, "three")); modules == "" || err != nil {
		t.Skip("INPOLY_NODE_MODULES names no folder with three.js")
	}
	dir := t.TempDir()
	if err := errors.Join(os.Symlink(modules, filepath.Join(dir, "node_modules")), os.WriteFile(filepath.Join(dir, "main.mjs"), []byte(threeScript), 0o644)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "main.mjs")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var meshes map[string]struct {
		Vertices []float64
		Faces    []uint32
	}
	if err := json.Unmarshal(out, &meshes); err != nil {
		t.Fatal(err)
	}
	knot := make([]r3.Vector, 20_000) // TorusKnotGeometry, with p = 2 and q = 3
	for i := range knot {
		u := float64(i) / float64(len(knot)) * 4 * math.Pi
		sin, cos := math.Sincos(u)
		over, under := math.Cos(1.5*u), math.Sin(1.5*u)
		knot[i] = r3.Vector{X: (2 + over) / 2 * cos, Y: (2 + over) / 2 * sin, Z: under / 2}
	}
	sphere := func(p r3.Vector) float64 { return p.Norm() - 1 }
	open := 0
	for name, distance := range map[string]func(p r3.Vector) float64{
		"box":     func(p r3.Vector) float64 { return max(math.Abs(p.X)-.5, math.Abs(p.Y)-1, math.Abs(p.Z)-1.5) },
		"capsule": func(p r3.Vector) float64 { return math.Hypot(math.Hypot(p.X, p.Z), max(0, math.Abs(p.Y)-.5)) - .5 },
		"cone":    func(p r3.Vector) float64 { return max(-.5-p.Y, math.Hypot(p.X, p.Z)-.5+p.Y) },
		"cylinder": func(p r3.Vector) float64 {
			return max(math.Abs(p.Y)-.5, math.Hypot(p.X, p.Z)-1)
		},
		"sphere": sphere, "tetrahedron": sphere, "octahedron": sphere, "icosahedron": sphere, "dodecahedron": sphere,
		"torus": func(p r3.Vector) float64 { return math.Hypot(math.Hypot(p.X, p.Y)-1, p.Z) - .4 },
		"knot": func(p r3.Vector) float64 {
			least := math.Inf(1)
			for _, q := range knot {
				least = min(least, p.Sub(q).Norm2())
			}
			return math.Sqrt(least) - .3
		},
	} {
		soup, err := mesh.FromBuffers(meshes[name].Vertices, meshes[name].Faces)
		if err != nil {
			t.Fatal(err)
		}
		open += checkWelded(t, name, soup, distance, .02)
	}
	t.Logf("%d of %d primitives are open without welding", open, len(meshes))
}

// checkWelded welds with a tolerance of 10⁻⁶ of the size. The result must be closed, and its sides those of a
// smooth solid at all distances above off. checkWelded returns 1 if the mesh is open without welding.
func checkWelded(t *testing.T, name string, soup mesh.Soup, distance func(p r3.Vector) float64, off float64) (open int) {
	t.Helper()
	d := newSolid(t, soup, inpoly.Options{}).Report().Diagnosis
	if !d.ZeroBoundary {
		open = 1
		if d.WeldTolerance == 0 {
			t.Errorf("%s: no tolerance that closes it", name)
		}
	}
	s := newSolid(t, soup, inpoly.Options{Weld: 1e-6 * d.Size})
	if r := s.Report(); !r.Diagnosis.ZeroBoundary || !r.Diagnosis.ConsistentOrientation {
		t.Errorf("%s: weld left %d open edges of %d", name, r.Diagnosis.BoundaryEdges, d.BoundaryEdges)
	}
	rnd := rand.New(rand.NewPCG(2, 2))
	in := 0
	for range 2000 {
		p := r3.Vector{X: rnd.Float64()*4 - 2, Y: rnd.Float64()*4 - 2, Z: rnd.Float64()*4 - 2}
		if away := distance(p); math.Abs(away) > off {
			if s.Contains(p) != (away < 0) {
				t.Errorf("%s: %v has the side %v and is at the distance %g", name, p, s.Side(p), away)
			}
			if away < 0 {
				in++
			}
		}
	}
	if in == 0 {
		t.Errorf("%s: no point is inside", name)
	}
	return open
}

// vtkScript writes the textured sphere of VTK to the file of its argument.
const vtkScript = `
import sys, vtk
source = vtk.vtkTexturedSphereSource()
source.SetRadius(1)
source.SetThetaResolution(48)
source.SetPhiResolution(24)
triangles = vtk.vtkTriangleFilter()
triangles.SetInputConnection(source.GetOutputPort())
writer = vtk.vtkXMLPolyDataWriter()
writer.SetFileName(sys.argv[1])
writer.SetInputConnection(triangles.GetOutputPort())
writer.Write()
`

// TestWeldVTK welds the textured sphere of VTK. It needs Python with VTK.
func TestWeldVTK(t *testing.T) {
	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), name, "-c", "import vtk").Run() == nil {
			python = name
		}
	}
	if python == "" {
		t.Skip("Python with VTK is missing")
	}
	path := filepath.Join(t.TempDir(), "sphere.vtp")
	if out, err := exec.CommandContext(t.Context(), python, "-c", vtkScript, path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s, err := inpoly.Open(t.Context(), path, inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if open := checkWelded(t, "textured sphere", testmesh.Soup(s.Mesh()), func(p r3.Vector) float64 { return p.Norm() - 1 }, .02); open != 1 {
		t.Error("the sphere of VTK is closed without welding")
	}
}
