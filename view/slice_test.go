package view

import (
	"bytes"
	"errors"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func TestParsePlane(t *testing.T) {
	tests := []struct {
		text string
		want Plane
		ok   bool
	}{
		{"z=0.3", Plane{2, 0.3}, true},
		{" X = -1e3 ", Plane{0, -1000}, true},
		{"y=0", Plane{1, 0}, true},
		{"w=1", Plane{}, false},
		{"xy=1", Plane{}, false},
		{"=1", Plane{}, false},
		{"z", Plane{}, false},
		{"z=", Plane{}, false},
		{"z=NaN", Plane{}, false},
		{"z=inf", Plane{}, false},
		{"z=1e999", Plane{}, false},
		{"", Plane{}, false},
	}
	for _, c := range tests {
		got, err := ParsePlane(c.text)
		if (err == nil) != c.ok || got != c.want {
			t.Errorf("ParsePlane(%q) = %v, %v; want %v, ok %v", c.text, got, err, c.want, c.ok)
		}
		if c.ok {
			if again, err := ParsePlane(got.String()); again != got || err != nil {
				t.Errorf("%v is written as %q, which reads as %v, %v", got, got.String(), again, err)
			}
		}
	}
}

func TestMiddlePlane(t *testing.T) {
	tests := []struct {
		name string
		size r3.Vector
		want Plane
	}{
		{"cube", vector(2, 2, 2), Plane{2, 1}},
		{"plate", vector(1, 4, 4), Plane{0, 0.5}},
		{"needle", vector(4, 2, 2), Plane{2, 1}},
		{"sheet", vector(4, 6, 0), Plane{0, 2}},
		{"line", vector(0, 0, 6), Plane{2, 3}},
	}
	for _, c := range tests {
		if got := middlePlane(bvh.Box{Max: c.size}); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestSection intersects convex solids with planes. The section must be closed, lie on the plane
// and have the known length.
func TestSection(t *testing.T) {
	length := func(segments [][2][2]float64) (sum float64) {
		for _, s := range segments {
			sum += math.Hypot(s[1][0]-s[0][0], s[1][1]-s[0][1])
		}
		return sum
	}
	cube := testmesh.Mesh(testmesh.Cube(vector(0, 0, 0), vector(1, 2, 3)))
	for _, c := range []struct {
		p    Plane
		want float64
	}{
		{Plane{0, 0.5}, 10}, {Plane{1, 0.5}, 8}, {Plane{2, 2.9}, 6}, {Plane{2, -0.1}, 0}, {Plane{0, 1.1}, 0},
		// If the plane contains a side of the cube, the section has the outlines of the two
		// triangles of the side. The adjacent faces only touch the plane.
		{Plane{2, 0}, 6 + 2*math.Sqrt(5)},
	} {
		segments := sectionOf(cube, c.p)
		got := length(segments)
		if c.p == (Plane{2, 0}) {
			got = length(unique(segments))
			c.want = 6 + math.Sqrt(5)
		}
		if math.Abs(got-c.want) > 1e-12 {
			t.Errorf("cube on %v: the cut is %.15g long, want %g", c.p, got, c.want)
		}
	}
	sphere := testmesh.Sphere(5)
	for _, p := range []Plane{{0, 0.1}, {1, -0.33}, {2, 0.7}} {
		segments := sectionOf(sphere, p)
		r := math.Sqrt(1 - p.Value*p.Value)
		if got := length(segments); math.Abs(got/(2*math.Pi*r)-1) > 2e-3 {
			t.Errorf("sphere on %v: the cut is %g long, a circle %g", p, got, 2*math.Pi*r)
		}
		ends := map[[2]int64]int{}
		for _, s := range segments {
			for _, e := range s {
				// Each intersection point is computed twice, once for each face at its edge. The
				// two results agree to 1e-12.
				ends[[2]int64{int64(math.Round(e[0] * 1e9)), int64(math.Round(e[1] * 1e9))}]++
			}
		}
		for e, n := range ends {
			if n != 2 {
				t.Errorf("sphere on %v: %d segments end in %v, want 2", p, n, e)
			}
		}
	}
}

func sectionOf(m *mesh.Mesh, p Plane) [][2][2]float64 {
	right, up := p.axes(2)
	return section(m.Vertices, m.Faces, p, right, up)
}

// unique returns the segments without repetitions. It ignores the direction of a segment.
func unique(list [][2][2]float64) [][2][2]float64 {
	for i, s := range list {
		if slices.Compare(s[0][:], s[1][:]) > 0 {
			list[i] = [2][2]float64{s[1], s[0]}
		}
	}
	compare := func(a, b [2][2]float64) int {
		if c := slices.Compare(a[0][:], b[0][:]); c != 0 {
			return c
		}
		return slices.Compare(a[1][:], b[1][:])
	}
	slices.SortFunc(list, compare)
	return slices.Compact(list)
}

// TestSliceNumbers compares the slice with single queries, and the picture with the position of the
// cube.
func TestSliceNumbers(t *testing.T) {
	solid := newSolid(t, testmesh.Cube(vector(-1, -2, -3), vector(1, 2, 3)), inpoly.Options{})
	for k := range 3 {
		s := newScene(t, solid, nil, Options{Pixels: 64, Plane: &Plane{Axis: k, Value: 0.25}})
		x := s.slice
		if max(x.cols, x.rows) != 64 || len(x.w) != x.cols*x.rows {
			t.Fatalf("axis %d: %d×%d numbers", k, x.cols, x.rows)
		}
		inside := 0
		for i, w := range x.w {
			p := x.point(i%x.cols, i/x.cols)
			if want, _ := solid.Winding(p); w != want {
				t.Fatalf("axis %d: W = %g at %v, want %g", k, w, p, want)
			}
			if w == 1 {
				inside++
			}
		}
		if share := float64(inside) / float64(len(x.w)); share < 0.75 || share > 0.95 {
			t.Errorf("axis %d: %.2f of the slice is inside", k, share)
		}
		if a, b := x.corner(0, 0), x.corner(1, 1); axis(a, k) != 0.25 || axis(a, x.right) >= axis(b, x.right) || axis(a, x.up) >= axis(b, x.up) {
			t.Errorf("axis %d: corners %v and %v", k, a, b)
		}
		// The top row has the largest coordinate on the axis that points up.
		if p, q := x.point(0, 0), x.point(0, x.rows-1); axis(p, x.up) <= axis(q, x.up) {
			t.Errorf("axis %d: the first row is below the last", k)
		}
	}
}

func TestSliceOpen(t *testing.T) {
	solid := newSolid(t, testmesh.Hemisphere(4), inpoly.Options{})
	s := newScene(t, solid, nil, Options{Pixels: 80, Plane: &Plane{Axis: 0, Value: 0.01}})
	if s.slice.bound <= 0 {
		t.Error("winding numbers of an open mesh without an error")
	}
	// W is nearly ½ just above the center of the opening.
	if w, _ := solid.Winding(vector(0.01, 0, 0.001)); math.Abs(w-0.5) > 0.01 {
		t.Fatalf("W = %g in the opening", w)
	}
	// At the pole of the hemisphere, the opening fills a cone with a half angle of 45°. Just below
	// the pole, W is therefore 1 − (1 − cos 45°)/2 = 0.854. Just above the pole, W is 1 less.
	if math.Abs(s.slice.maxW-0.854) > 0.01 || s.slice.minW > -0.146 || s.slice.minW < -0.5 {
		t.Errorf("W from %g to %g", s.slice.minW, s.slice.maxW)
	}
}

func TestWindingColor(t *testing.T) {
	for _, stop := range windingScale {
		if got := windingColor(stop.w); got != stop.c {
			t.Errorf("W = %g has the color %v, want %v", stop.w, got, stop.c)
		}
	}
	if windingColor(math.NaN()) != (color.NRGBA{}) || windingColor(-9) != windingScale[0].c || windingColor(math.Inf(1)) != windingScale[len(windingScale)-1].c {
		t.Error("colors at the ends of the scale")
	}
	in := windingColor(1)
	if (rgb{in.R, in.G, in.B}) != sideColors[inpoly.Inside] {
		t.Error("W = 1 has not the color of points inside")
	}
	for w := -3.0; w < 5; w += 0.01 { // colors must not jump
		a, b := windingColor(w), windingColor(w+0.01)
		for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
			if d > 6 || d < -6 {
				t.Fatalf("colors jump between W = %g and %g: %v, %v", w, w+0.01, a, b)
			}
		}
	}
}

func TestWritePNG(t *testing.T) {
	solid := newSolid(t, testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1)), inpoly.Options{})
	cloud := NewCloud(100)
	// The first point is on the plane of the slice. The second point is far from the plane.
	cloud.Add(0, []r3.Vector{vector(0.25, 0.25, 0.5), vector(0.75, 0.75, 0.9)}, []inpoly.Side{inpoly.OnSurface, inpoly.Unknown})
	s := newScene(t, solid, cloud, Options{Pixels: 500, Name: "cube \u00fc"})
	var b bytes.Buffer
	if err := s.WritePNG(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	near := func(x, y float64, want rgb) bool {
		px, py := s.slice.pixel([2]float64{x, y}, 500, 500)
		r, g, b, _ := img.At(sliceRim+int(px), sliceRim+sliceHead+int(py)).RGBA()
		far := func(v uint32, w uint8) bool { return math.Abs(float64(v>>8)-float64(w)) > 24 }
		return !far(r, want[0]) && !far(g, want[1]) && !far(b, want[2])
	}
	in := windingColor(1)
	r, g, bl, _ := img.At(0, 0).RGBA()
	if corner := (rgb{uint8(r >> 8), uint8(g >> 8), uint8(bl >> 8)}); corner.opaque() != paper {
		t.Errorf("the corner is %v, want paper", corner)
	}
	over := func(c uint8) uint8 { return uint8((int(c)*int(in.A) + 255*(255-int(in.A))) / 255) }
	if !near(0.75, 0.5, rgb{over(in.R), over(in.G), over(in.B)}) {
		t.Error("the inside of the cube has not the color of W = 1")
	}
	if near(0.75, 0.5, rgb{255, 255, 255}) || near(-0.03, 0.5, rgb{over(in.R), over(in.G), over(in.B)}) {
		t.Error("inside and outside look the same")
	}
	if !near(0.25, 0.25, sideColors[inpoly.OnSurface]) {
		t.Error("the point on the plane is not drawn")
	}
	if near(0.75, 0.75, sideColors[inpoly.Unknown]) {
		t.Error("a point far from the plane is drawn")
	}
	if !near(0, 0.5, outlineColor) || !near(0.5, 1, outlineColor) {
		t.Error("the cut of the cube is not drawn")
	}
}

func TestNoSlice(t *testing.T) {
	solid := newSolid(t, mesh.Soup{}, inpoly.Options{})
	s := newScene(t, solid, newCloud(t, solid, vector(0, 0, 0), vector(1, 1, 1), 10, 10), Options{})
	if err := s.WritePNG(&bytes.Buffer{}); !errors.Is(err, ErrNoSlice) {
		t.Errorf("an empty mesh has a slice: %v", err)
	}
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return s.WriteHTML(b) }, func(b *bytes.Buffer) error { return s.WriteGLB(b) },
	} {
		if err := write(&bytes.Buffer{}); err != nil {
			t.Error(err)
		}
	}
}

// TestFarPlane draws a slice that is too far away for the 3D picture.
func TestFarPlane(t *testing.T) {
	solid := newSolid(t, testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1)), inpoly.Options{})
	s := newScene(t, solid, nil, Options{Plane: &Plane{Axis: 1, Value: 1e300}})
	if page := htmlPage(t, s); !strings.Contains(page, `"slice":null`) || !strings.Contains(page, "W on y=1e&#43;300") {
		t.Error("the page has no slice, or a slice in the 3D picture")
	}
	if doc := readGLB(t, s); len(doc.Nodes) != 1 || len(doc.ExtensionsUsed) != 0 {
		t.Errorf("%d nodes, extensions %v; want the mesh only", len(doc.Nodes), doc.ExtensionsUsed)
	}
}

// TestUpright checks the axes of the pictures of the three planes.
func TestUpright(t *testing.T) {
	for _, c := range []struct{ axis, upright, right, up int }{
		{0, 2, 1, 2}, {1, 2, 0, 2}, {2, 2, 0, 1}, {0, 1, 2, 1}, {1, 1, 0, 2}, {2, 1, 0, 1},
	} {
		if right, up := (Plane{Axis: c.axis}).axes(c.upright); right != c.right || up != c.up {
			t.Errorf("plane %c, %c up: axes %d and %d, want %d and %d", axisNames[c.axis], axisNames[c.upright], right, up, c.right, c.up)
		}
	}
}

// TestExtremes draws solids of all sizes. Nothing panics, and positions are finite.
func TestExtremes(t *testing.T) {
	for _, k := range []float64{0x1p900, 0x1p-900, 1e18, 1e-18, 0x1p-1060} {
		solid := newSolid(t, testmesh.Scale(testmesh.Cube(vector(-1, -1, -1), vector(1, 1.5, 2)), k), inpoly.Options{})
		s := newScene(t, solid, newCloud(t, solid, vector(-2*k, -2*k, -2*k), vector(2*k, 2*k, 2*k), 50, 100), Options{})
		if err := s.WriteHTML(&bytes.Buffer{}); err != nil {
			t.Errorf("size %g: %v", k, err)
		}
		if s.slice == nil {
			t.Errorf("size %g: no slice", k)
		} else if err := s.WritePNG(&bytes.Buffer{}); err != nil {
			t.Errorf("size %g: %v", k, err)
		}
		if len(s.points) != 50 || s.far != 0 {
			t.Errorf("size %g: %d points drawn, %d far", k, len(s.points), s.far)
		}
	}
}
