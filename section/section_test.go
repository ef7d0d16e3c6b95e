package section_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/section"
)

func vector(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }

func solid(t *testing.T, m *mesh.Mesh, opt inpoly.Options) *inpoly.Solid {
	t.Helper()
	opt.ExpectedPoints, opt.Orient = 1, inpoly.OrientNever
	s, err := inpoly.New(t.Context(), m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func cut(t *testing.T, s inpoly.Target, p section.Plane) *section.Section {
	t.Helper()
	c, err := section.Cut(t.Context(), s, p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// contains reports whether the projected p lies in the polygons of c, and its distance from the rings.
func contains(c *section.Section, p [2]float64) (in bool, distance float64) {
	distance = math.Inf(1)
	ring := func(points []r3.Vector) {
		for i := range points {
			a, b := c.Frame.At(points[i]), c.Frame.At(points[(i+1)%len(points)])
			if (a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0]+(p[1]-a[1])/(b[1]-a[1])*(b[0]-a[0]) {
				in = !in
			}
			dx, dy := b[0]-a[0], b[1]-a[1]
			t := 0.0
			if l := dx*dx + dy*dy; l > 0 {
				t = max(0, min(1, ((p[0]-a[0])*dx+(p[1]-a[1])*dy)/l))
			}
			distance = min(distance, math.Hypot(p[0]-a[0]-t*dx, p[1]-a[1]-t*dy))
		}
	}
	for _, g := range c.Polygons {
		ring(g.Outer.Points)
		for _, h := range g.Holes {
			ring(h.Points)
		}
	}
	return in, distance
}

// checkShape checks the orientation of the rings and the sums of areas.
func checkShape(t *testing.T, name string, c *section.Section) {
	t.Helper()
	sum := 0.0
	for _, p := range c.Polygons {
		sum += p.Outer.Area
		if p.Outer.Area < -p.Outer.AreaBound || len(p.Outer.Points) < 3 {
			t.Errorf("%s: outer ring with %d points and the area %g", name, len(p.Outer.Points), p.Outer.Area)
		}
		for _, h := range p.Holes {
			sum += h.Area
			if h.Area > h.AreaBound || h.Area < -p.Outer.Area-p.Outer.AreaBound {
				t.Errorf("%s: hole with the area %g in a ring with the area %g", name, h.Area, p.Outer.Area)
			}
		}
	}
	if math.Abs(sum-c.Area) > c.AreaBound {
		t.Errorf("%s: the rings have the area %g, the section %g", name, sum, c.Area)
	}
	for _, k := range c.Contours {
		if c.Closed && !k.Closed {
			t.Errorf("%s: open contour of a closed mesh", name)
		}
	}
}

// heights returns planes through vertices, between vertices and near vertices.
func heights(m *mesh.Mesh, k int, r *rand.Rand) []float64 {
	var out []float64
	for range 3 {
		a, b := m.Vertices[r.IntN(len(m.Vertices))], m.Vertices[r.IntN(len(m.Vertices))]
		h := coordinate(a, k)
		out = append(out, h, h/2+coordinate(b, k)/2, math.Nextafter(h, math.Inf(1)))
	}
	return append(out, coordinate(m.Box().Min, k), coordinate(m.Box().Max, k))
}

var rules = []inpoly.Rule{inpoly.NonZero, inpoly.Positive, inpoly.Negative, inpoly.EvenOdd}

// cases returns closed solids: the catalog, and solids that overlap, touch and cross themselves.
func cases() []testmesh.Case {
	cube := testmesh.UnitCube()
	list := []testmesh.Case{
		{Name: "nested", Soup: testmesh.Nested(false)}, {Name: "cavity", Soup: testmesh.Nested(true)},
		{Name: "overlapping", Soup: testmesh.Overlapping()},
		{Name: "edge", Soup: testmesh.Union(cube, testmesh.Translate(cube, vector(1, 1, 0)))},
		{Name: "corner", Soup: testmesh.Union(cube, testmesh.Translate(cube, vector(1, 1, 1)))},
		{Name: "wall", Soup: testmesh.Union(cube, testmesh.Translate(cube, vector(1, 0, 0)))},
		{Name: "part of a wall", Soup: testmesh.Union(cube, testmesh.Translate(cube, vector(1, 0.5, 0.25)))},
		{Name: "holes that touch", Soup: testmesh.Union(testmesh.Cube(vector(-3, -3, -3), vector(4, 4, 4)), testmesh.Flip(cube), testmesh.Flip(testmesh.Translate(cube, vector(1, 1, 0))))},
		{Name: "hole at the outside", Soup: testmesh.Union(testmesh.Cube(vector(0, -3, -3), vector(4, 4, 4)), testmesh.Flip(testmesh.DoubleCone(5, 1)))},
		{Name: "island", Soup: testmesh.Union(testmesh.Nested(true), testmesh.Scale(testmesh.Tetrahedron(), 0.5), testmesh.Translate(testmesh.Flip(cube), vector(-1.75, -1.75, 0)))},
		{Name: "copies", Soup: testmesh.Copies(cube, 2)},
		{Name: "inverted", Soup: testmesh.Flip(testmesh.Torus(2, 0.5, 7, 5))},
		{Name: "two tori", Soup: testmesh.Union(testmesh.Torus(2, 0.5, 7, 5), testmesh.Translate(testmesh.Torus(2, 0.75, 5, 6), vector(1, 0.5, 0.125)))},
		{Name: "klein", Soup: testmesh.Klein(5, 3)},
	}
	for seed := range uint64(6) {
		list = append(list, testmesh.Case{Name: fmt.Sprint("tangle ", seed), Soup: closed(seed)})
	}
	return append(testmesh.Catalog(), list...)
}

// TestTwin compares the areas with exact slabs, and points of the plane that are on no face with their
// winding numbers.
func TestTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	sections, areas, probes := 0, 0, 0
	for _, c := range cases() {
		m := testmesh.Mesh(c.Soup)
		if len(m.Faces) == 0 || len(m.Faces) > 2000 {
			continue
		}
		rule := rules[r.IntN(len(rules))]
		s := solid(t, m, inpoly.Options{Rule: rule})
		if r.IntN(2) == 0 {
			locate.Of(s).Surface.MustIndex()
		}
		for k := range 3 {
			for _, h := range heights(m, k, r) {
				p := section.AxisPlane(k, h)
				p.Normal = corner(0, 1, 2, 0, 0, 0)
				p.Normal = corner((k+1)%3, (k+2)%3, k, 0, 0, 3)
				name := fmt.Sprintf("%s, axis %d at %v, %v", c.Name, k, h, rule)
				got := cut(t, s, p)
				sections++
				checkShape(t, name, got)
				if !m.Closed() {
					if got.Polygons != nil || !math.IsNaN(got.Area) {
						t.Errorf("%s: an open mesh has polygons", name)
					}
					continue
				}
				i, j := (k+1)%3, (k+2)%3
				if segs := twinSegments(m, i, j, k, h); len(segs) <= 40 {
					area, winding := twinArea(segs, filled(rule))
					areas++
					if !within(area, got.Area, got.AreaBound) || !within(winding, got.WindingArea, got.WindingAreaBound) {
						a, _ := area.Float64()
						w, _ := winding.Float64()
						t.Errorf("%s: area %g ± %g, want %g; ∫W %g ± %g, want %g", name, got.Area, got.AreaBound, a, got.WindingArea, got.WindingAreaBound, w)
					}
				}
				size := max(m.Box().Size().X, m.Box().Size().Y, m.Box().Size().Z)
				for range 6 {
					at := func(axis int) float64 {
						lo, hi := coordinate(m.Box().Min, axis), coordinate(m.Box().Max, axis)
						return lo + (hi-lo)*r.Float64()
					}
					q := corner(i, j, k, at(i), at(j), h)
					w, _, on := referee.Judge(m.Vertices, m.Faces, q)
					in, distance := contains(got, got.Frame.At(q))
					if on || distance < 1e-9*size || got.Bound > 1e-12*size || size < 1e-300 {
						continue
					}
					probes++
					if in != filled(rule)(w) {
						t.Errorf("%s: point %v: in the polygons: %v, winding number %d", name, q, in, w)
					}
				}
			}
		}
	}
	if sections < 500 || areas < 200 || probes < 300 {
		t.Errorf("%d sections, %d areas, %d probes", sections, areas, probes)
	}
}

// TestOblique compares sections with oblique planes with those of a mesh that is turned exactly, and
// random points with winding numbers.
func TestOblique(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	small := func() float64 { return float64(r.IntN(9)-4) / 4 }
	for _, c := range cases() {
		m := testmesh.Mesh(c.Soup)
		if !m.Closed() || len(m.Faces) == 0 || len(m.Faces) > 500 || !(m.Box().Size().Norm() < 100 && min(m.Box().Size().X, m.Box().Size().Y, m.Box().Size().Z) > 0.1) {
			continue
		}
		s := solid(t, m, inpoly.Options{})
		for range 10 {
			p := section.Plane{Origin: m.Vertices[r.IntN(len(m.Vertices))], Normal: vector(small(), small(), small())}
			if r.IntN(2) == 0 {
				p.Origin = m.Box().Min.Add(m.Box().Size().Mul(r.Float64()))
			}
			if p.Normal == (r3.Vector{}) {
				continue
			}
			got := cut(t, s, p)
			name := fmt.Sprintf("%s, plane %v", c.Name, p)
			checkShape(t, name, got)
			n := p.Normal.Normalize()
			for range 10 {
				f := got.Frame
				u, v := r.NormFloat64(), r.NormFloat64()
				q := f.Origin.Add(f.U.Mul(u)).Add(f.V.Mul(v))
				if f.Origin != p.Origin { // a plane parallel to an axis plane
					q = q.Add(n.Mul(p.Origin.Dot(n)))
				}
				q = q.Add(n.Mul(1e-12))
				w, _, on := referee.Judge(m.Vertices, m.Faces, q)
				in, distance := contains(got, f.At(q))
				if !on && distance > 1e-9 && in != (w != 0) {
					t.Errorf("%s: point %v: in the polygons: %v, winding number %d", name, q, in, w)
				}
			}
		}
	}
}

// TestHalfOpen checks that a solid is cut at its bottom, but not at its top.
func TestHalfOpen(t *testing.T) {
	s := solid(t, testmesh.Mesh(testmesh.Cube(vector(0, 0, 1), vector(2, 3, 5))), inpoly.Options{})
	for _, c := range []struct{ z, normal, area float64 }{{1, 1, 6}, {5, 1, 0}, {1, -1, 0}, {5, -1, 6}, {3, 1, 6}, {0.5, 1, 0}} {
		got := cut(t, s, section.Plane{Origin: vector(7, 7, c.z), Normal: vector(0, 0, c.normal)})
		if got.Area != c.area {
			t.Errorf("z = %g, normal %g: area %g, want %g", c.z, c.normal, got.Area, c.area)
		}
	}
}

// TestContours checks the winding numbers beside contours, and open contours.
func TestContours(t *testing.T) {
	got := cut(t, solid(t, testmesh.Mesh(testmesh.Nested(false)), inpoly.Options{}), section.AxisPlane(2, 0.5))
	if len(got.Contours) != 2 || got.Crossings != 0 || len(got.Polygons) != 1 || len(got.Polygons[0].Holes) != 0 {
		t.Fatalf("nested cubes: %+v", got)
	}
	for i, want := range []int{1, 2} { // the outer cube has the first faces
		slices.SortFunc(got.Contours, func(a, b section.Contour) int { return a.Left[0] - b.Left[0] })
		if c := got.Contours[i]; c.Left != [2]int{want, want} || c.Right != [2]int{want - 1, want - 1} || !c.Closed {
			t.Errorf("contour %d: %+v", i, c)
		}
	}
	got = cut(t, solid(t, testmesh.Mesh(testmesh.Overlapping()), inpoly.Options{}), section.AxisPlane(2, 0.5))
	if len(got.Contours) != 2 || got.Crossings != 2 || len(got.Polygons) != 1 || got.Area != 16+16-9 || got.WindingArea != 32 {
		t.Errorf("overlapping cubes: %+v", got)
	}
	if c := got.Contours[0]; c.Left != [2]int{1, 2} || c.Right != [2]int{0, 1} {
		t.Errorf("overlapping cubes: contour %+v", c)
	}
	open := testmesh.Without(testmesh.UnitCube(), 0, 1)
	got = cut(t, solid(t, testmesh.Mesh(open), inpoly.Options{}), section.AxisPlane(2, 0.5))
	if len(got.Contours) != 1 || got.Contours[0].Closed || got.Closed || len(got.Contours[0].Points) < 4 {
		t.Errorf("open cube: %+v", got)
	}
}

// TestHoles checks that holes belong to the right polygon.
func TestHoles(t *testing.T) {
	ring := testmesh.Nested(true)
	var soups []mesh.Soup
	for i := range 3 { // rings inside each other, next to a ring
		soups = append(soups, testmesh.Scale(ring, math.Ldexp(1, 2*i)))
	}
	soups = append(soups, testmesh.Translate(ring, vector(50, 0, 0)))
	got := cut(t, solid(t, testmesh.Mesh(testmesh.Union(soups...)), inpoly.Options{}), section.AxisPlane(2, 0.25))
	if len(got.Polygons) != 4 {
		t.Fatalf("%d polygons, want 4", len(got.Polygons))
	}
	for _, p := range got.Polygons {
		if len(p.Holes) != 1 || p.Holes[0].Area != -p.Outer.Area/4 {
			t.Errorf("a ring of area %g has %d holes", p.Outer.Area, len(p.Holes))
		}
	}
}

// TestStack compares stacks with single sections, for any number of workers.
func TestStack(t *testing.T) {
	m := testmesh.Mesh(testmesh.Union(testmesh.Torus(2, 0.5, 24, 12), testmesh.Star(3, 0.5, 1)))
	for _, axis := range []int{0, 1, 2, 3} {
		var planes []section.Plane
		for i := range 40 {
			p := section.Plane{Origin: vector(0, 0, float64((i*7)%40)/20-1), Normal: vector(1, 2, 3)}
			if axis < 3 {
				p = section.AxisPlane(axis, p.Origin.Z)
			}
			planes = append(planes, p)
		}
		for _, workers := range []int{1, 3} {
			s := solid(t, m, inpoly.Options{Workers: workers})
			next := 0
			err := section.Stack(t.Context(), s, planes, func(i int, c *section.Section) error {
				if i != next {
					t.Errorf("section %d, want %d", i, next)
				}
				next++
				if want := cut(t, s, planes[i]); !reflect.DeepEqual(c, want) {
					t.Errorf("axis %d, plane %d: got %+v, want %+v", axis, i, c, want)
				}
				return nil
			})
			if err != nil || next != len(planes) {
				t.Errorf("%d sections, error %v", next, err)
			}
		}
	}
	stop := fmt.Errorf("stop")
	if err := section.Stack(t.Context(), solid(t, m, inpoly.Options{}), []section.Plane{section.AxisPlane(2, 0), section.AxisPlane(2, 0.1)}, func(int, *section.Section) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want %v", err, stop)
	}
}

func TestErrors(t *testing.T) {
	s := solid(t, testmesh.Sphere(1), inpoly.Options{})
	for _, p := range []section.Plane{{}, {Normal: vector(math.NaN(), 0, 1)}, {Normal: vector(0, 0, math.Inf(1))}, {Origin: vector(math.Inf(1), 0, 0), Normal: vector(0, 0, 1)}, {Normal: vector(0, 0, 1e-200)}} {
		if _, err := section.Cut(t.Context(), s, p); err == nil {
			t.Errorf("%v: no error", p)
		}
	}
	empty := solid(t, testmesh.Mesh(mesh.Soup{}), inpoly.Options{})
	if c := cut(t, empty, section.AxisPlane(0, 0)); c.Area != 0 || c.Polygons != nil || c.Contours != nil {
		t.Errorf("empty mesh: %+v", c)
	}
}

// TestCorpus compares sections of real meshes with exact sides of points.
func TestCorpus(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	r := rand.New(rand.NewPCG(21, 5))
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	left, most := 6, 30_000
	if testcorpus.Full() {
		left, most = 60, 300_000
	}
	probes := 0
	for _, row := range rows {
		if left == 0 {
			break
		}
		s, err := inpoly.Open(t.Context(), filepath.Join(dir, row["path"]), inpoly.Options{ExpectedPoints: 1, Orient: inpoly.OrientNever})
		if err != nil || len(s.Mesh().Faces) > most || len(s.Mesh().Faces) < 100 || !s.Mesh().Closed() {
			continue
		}
		left--
		m := s.Mesh()
		for k := range 3 {
			for _, h := range heights(m, k, r) {
				p := section.AxisPlane(k, h)
				got := cut(t, s, p)
				name := fmt.Sprintf("%s, axis %d at %v", row["path"], k, h)
				checkShape(t, name, got)
				size := m.Box().Size().Norm()
				if got.Bound > 1e-14*(size+m.Box().Min.Norm()) {
					t.Errorf("%s: bound %g, size %g", name, got.Bound, size)
				}
				for range 20 {
					q := m.Box().Min.Add(vector(r.Float64()*m.Box().Size().X, r.Float64()*m.Box().Size().Y, r.Float64()*m.Box().Size().Z))
					q = corner((k+1)%3, (k+2)%3, k, coordinate(q, (k+1)%3), coordinate(q, (k+2)%3), h)
					in, distance := contains(got, got.Frame.At(q))
					if side := s.Side(q); distance > 1e-9*size && side != inpoly.OnSurface && in != (side == inpoly.Inside) {
						t.Errorf("%s: point %v: in the polygons: %v, side %v", name, q, in, side)
					}
					probes++
				}
			}
		}
	}
	if left > 0 {
		t.Errorf("%d meshes are missing", left)
	}
}
