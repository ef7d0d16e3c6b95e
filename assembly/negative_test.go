package assembly_test

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// typedBox is a part whose mesh is a box.
type typedBox struct {
	bvh.Box
	negative bool
	object   int32
}

func strictlyInside(b bvh.Box, p r3.Vector) bool {
	return b.Min.X < p.X && p.X < b.Max.X && b.Min.Y < p.Y && p.Y < b.Max.Y && b.Min.Z < p.Z && p.Z < b.Max.Z
}

// contains evaluates "in a solid box and in no negative box of its object" for each solid box. on decides
// for each box whether its surface belongs to it.
func contains(boxes []typedBox, p r3.Vector, on func(i int) bool) []bool {
	in := make([]bool, len(boxes))
	for i, b := range boxes {
		in[i] = strictlyInside(b.Box, p) || b.Contains(p) && on(i)
	}
	out := make([]bool, len(boxes))
	for i, b := range boxes {
		out[i] = in[i] && !b.negative
		for k, n := range boxes {
			if n.negative && n.object == b.object && in[k] {
				out[i] = false
			}
		}
	}
	return out
}

// sidesOfBoxes evaluates the definition for all choices of the boxes on whose surfaces p lies. It returns
// the side relative to the union, and the side relative to each box.
func sidesOfBoxes(boxes []typedBox, p r3.Vector) (inpoly.Side, []inpoly.Side) {
	var touched []int
	for i, b := range boxes {
		if b.Contains(p) && !strictlyInside(b.Box, p) {
			touched = append(touched, i)
		}
	}
	yes, no := make([]bool, len(boxes)+1), make([]bool, len(boxes)+1) // last: the union
	for choice := range 1 << len(touched) {
		found := contains(boxes, p, func(i int) bool { return choice>>slices.Index(touched, i)&1 == 1 })
		for i, in := range append(found, slices.Contains(found, true)) {
			yes[i], no[i] = yes[i] || in, no[i] || !in
		}
	}
	sides := make([]inpoly.Side, len(yes))
	for i := range sides {
		switch {
		case yes[i] && no[i]:
			sides[i] = inpoly.OnSurface
		case yes[i]:
			sides[i] = inpoly.Inside
		default:
			sides[i] = inpoly.Outside
		}
	}
	return sides[len(boxes)], sides[:len(boxes)]
}

// TestNegativeBoxes compares sides, bodies and sets of boxes with integer corners with the definition,
// also for points on faces, and for solids at poses.
func TestNegativeBoxes(t *testing.T) {
	vector := func(lo, hi int) *rapid.Generator[r3.Vector] {
		return rapid.Custom(func(t *rapid.T) r3.Vector {
			c := rapid.SliceOfN(rapid.IntRange(lo, hi), 3, 3).Draw(t, "coordinates")
			return r3.Vector{X: float64(c[0]), Y: float64(c[1]), Z: float64(c[2])}
		})
	}
	rapid.Check(t, func(rt *rapid.T) {
		var boxes []typedBox
		var parts []assembly.Part
		for i, lo := range rapid.SliceOfN(vector(-3, 3), 1, 16).Draw(rt, "corners") {
			b := typedBox{bvh.Box{Min: lo, Max: lo.Add(vector(1, 4).Draw(rt, "size"))}, rapid.Bool().Draw(rt, "negative"), rapid.Int32Range(0, 2).Draw(rt, "object")}
			soup := testmesh.Cube(b.Min, b.Max)
			if rapid.Bool().Draw(rt, "inverted") {
				soup = testmesh.Flip(soup)
			}
			boxes = append(boxes, b)
			parts = append(parts, assembly.Part{Name: fmt.Sprint("part ", i), Mesh: testmesh.Mesh(soup), Negative: b.negative, Object: b.object})
		}
		a, err := assembly.New(t.Context(), parts, assembly.Options{Options: inpoly.Options{Workers: rapid.IntRange(1, 3).Draw(rt, "workers")}})
		if err != nil {
			rt.Fatal(err)
		}
		shift := r3.Vector{}
		if rapid.Bool().Draw(rt, "posed") {
			shift = r3.Vector{X: 3, Y: -1, Z: 2}
			if a, err = a.At(slices.Repeat([]pose.Pose{pose.At(shift)}, len(parts))); err != nil {
				rt.Fatal(err)
			}
		}
		halves := rapid.SliceOfN(vector(-8, 16), 1, 300).Draw(rt, "points") // coordinates of the points, times 2
		pts := make([]r3.Vector, len(halves))
		for i, p := range halves {
			pts[i] = p.Mul(0.5).Add(shift)
		}
		n := len(pts)
		dst := inpoly.Answers{Body: make([]int32, n), Sets: new(inpoly.Sets)}
		dst.Sides = make([]inpoly.Side, n)
		if _, err := a.LocateTo(t.Context(), assembly.Query{Body: assembly.Count}, dst, pts); err != nil {
			rt.Fatal(err)
		}
		for i, p := range pts {
			side, each := sidesOfBoxes(boxes, p.Sub(shift))
			var set []int32
			for k, s := range each {
				if s.Contains() {
					set = append(set, int32(k))
				}
			}
			if got := a.Side(p); got != side || dst.Sides[i] != side {
				rt.Fatalf("%v: sides %v and %v, want %v", p, got, dst.Sides[i], side)
			}
			if got, certain := a.Bodies(nil, p); !slices.Equal(got, set) || !certain {
				rt.Fatalf("%v: bodies %v, %v, want %v", p, got, certain, set)
			}
			if got, certain := dst.Sets.At(i); !slices.Equal(got, set) || !certain {
				rt.Fatalf("%v: set %v, %v, want %v", p, got, certain, set)
			}
			if got := a.Body(p, assembly.Count); int(got) != len(set) || int(dst.Body[i]) != len(set) {
				rt.Fatalf("%v: counts %d and %d, want %d", p, got, dst.Body[i], len(set))
			}
			first := inpoly.NoBody
			if len(set) > 0 {
				first = set[0]
			}
			if got := a.Body(p, assembly.First); got != first {
				rt.Fatalf("%v: body %d, want %d", p, got, first)
			}
		}
	})
}

// TestNegativeUncertain checks that a side that is Unknown makes the answer Unknown only if the answer
// depends on it.
func TestNegativeUncertain(t *testing.T) {
	open := testmesh.Without(box(0, 0, 0, 1), 10, 11) // W = 1/2 in the middle of the missing face of the cube
	p := r3.Vector{X: 0.5, Y: 0.5, Z: 1}
	around, on, far := box(-1, -1, -1, 3), box(0, 0, 1, 0.5), box(5, 5, 5, 1)
	for _, c := range []struct {
		name              string
		solid, negative   mesh.Soup
		want              inpoly.Side
		certain, contains bool
	}{
		{"unknown, far negative", open, far, inpoly.Unknown, false, false},
		{"unknown, negative around it", open, around, inpoly.Outside, true, false},
		{"unknown, on a negative", open, on, inpoly.Unknown, false, false},
		{"inside, unknown negative", around, open, inpoly.Unknown, false, false},
		{"outside, unknown negative", far, open, inpoly.Outside, true, false},
		{"on, unknown negative", on, open, inpoly.Unknown, false, false},
		{"on, far negative", on, far, inpoly.OnSurface, true, true},
		{"on both", on, on, inpoly.OnSurface, true, true},
	} {
		parts := partsOf(c.solid, c.negative)
		parts[1].Negative = true
		a := newAssembly(t, inpoly.Options{}, parts)
		got := make([]inpoly.Side, 1)
		if err := a.SidesTo(t.Context(), got, []r3.Vector{p}); err != nil {
			t.Fatal(err)
		}
		if s := a.Side(p); s != c.want || got[0] != c.want {
			t.Errorf("%s: sides %v and %v, want %v", c.name, s, got[0], c.want)
		}
		if bodies, certain := a.Bodies(nil, p); certain != c.certain || len(bodies) == 1 != c.contains {
			t.Errorf("%s: bodies %v, certain %v", c.name, bodies, certain)
		}
	}
}

// TestNegativeRefuse checks that only sides can be asked for.
func TestNegativeRefuse(t *testing.T) {
	for _, negatives := range [][]bool{{false, true}, {true, true}, {true}} {
		parts := partsOf(slices.Repeat([]mesh.Soup{box(0, 0, 0, 2)}, len(negatives))...)
		for i, n := range negatives {
			parts[i].Negative = n
		}
		a := newAssembly(t, inpoly.Options{}, parts)
		p := []r3.Vector{{X: 1, Y: 1, Z: 1}}
		if s := a.Side(p[0]); s != inpoly.Outside {
			t.Errorf("%v: side %v", negatives, s)
		}
		winding, distance, nearest, both := inpoly.Answers{}, inpoly.Answers{}, inpoly.Answers{}, inpoly.Answers{}
		winding.Winding, winding.Bound = make([]float64, 1), make([]float64, 1)
		distance.Distance, distance.Face, distance.NearestBody = make([]float64, 1), make([]int32, 1), make([]int32, 1)
		nearest.Nearest = make([]inpoly.Nearest, 1)
		both.Sides, both.Winding, both.Bound = make([]inpoly.Side, 1), winding.Winding, winding.Bound
		for _, dst := range []inpoly.Answers{winding, distance, nearest, both} {
			if _, err := a.LocateTo(t.Context(), assembly.Query{}, dst, p); !errors.Is(err, inpoly.ErrNegative) {
				t.Errorf("%v: got %v, want ErrNegative", negatives, err)
			}
		}
		if w, bound := a.Winding(p[0]); !math.IsNaN(w) || !math.IsInf(bound, 1) {
			t.Errorf("%v: winding %v ± %v", negatives, w, bound)
		}
		if d, body, face := a.Distance(p[0]); !math.IsNaN(d) || body != inpoly.NoBody || face != -1 {
			t.Errorf("%v: distance %v, body %d, face %d", negatives, d, body, face)
		}
		if err := a.CheckNegative(); !errors.Is(err, inpoly.ErrNegative) {
			t.Errorf("%v: CheckNegative returns %v", negatives, err)
		}
		for i, n := range negatives {
			if a.Negative(i) != n {
				t.Errorf("%v: Negative(%d) is %v", negatives, i, !n)
			}
		}
	}
	a := newAssembly(t, inpoly.Options{}, partsOf(box(0, 0, 0, 2)))
	if err := a.CheckNegative(); err != nil {
		t.Errorf("no negative part: %v", err)
	}
}

// TestSplitNegative checks that Split keeps the signs and objects of bodies, and that New refuses a mesh
// with negative bodies that is not divided.
func TestSplitNegative(t *testing.T) {
	soup := testmesh.Union(box(0, 0, 0, 2), box(1, 1, 1, 2))
	soup.Bodies = []mesh.Body{{Name: "a", Count: 12, Object: 4}, {Name: "b", First: 12, Count: 12, Negative: true, Object: 4}}
	m := testmesh.Mesh(soup)
	if _, err := inpoly.New(t.Context(), m, inpoly.Options{}); !errors.Is(err, inpoly.ErrNegative) || !strings.Contains(err.Error(), "1 part") {
		t.Errorf("inpoly.New: got %v", err)
	}
	if _, err := assembly.New(t.Context(), []assembly.Part{{Name: "x", Mesh: m}}, assembly.Options{}); !errors.Is(err, inpoly.ErrNegative) {
		t.Errorf("assembly.New: got %v", err)
	}
	parts, err := assembly.Split(t.Context(), "m", m)
	if err != nil {
		t.Fatal(err)
	}
	if len(parts) != 2 || parts[0].Negative || !parts[1].Negative || parts[0].Object != 4 || parts[1].Object != 4 {
		t.Fatalf("parts %+v", parts)
	}
	a := newAssembly(t, inpoly.Options{}, parts)
	for p, want := range map[r3.Vector]inpoly.Side{
		{X: 0.5, Y: 0.5, Z: 0.5}: inpoly.Inside, {X: 1.5, Y: 1.5, Z: 1.5}: inpoly.Outside, {X: 2.5, Y: 2.5, Z: 2.5}: inpoly.Outside,
		{X: 1, Y: 1.5, Z: 1.5}: inpoly.OnSurface, {X: 2, Y: 1.5, Z: 1.5}: inpoly.Outside, {X: 2, Y: 0.5, Z: 0.5}: inpoly.OnSurface,
	} {
		if got := a.Side(p); got != want {
			t.Errorf("%v: %v, want %v", p, got, want)
		}
	}
	soup.Faces, soup.Bodies = soup.Faces[12:], []mesh.Body{{Name: "b", Count: 12, Negative: true}}
	if parts, err = assembly.Split(t.Context(), "", testmesh.Mesh(soup)); err != nil || len(parts) != 1 || !parts[0].Negative {
		t.Fatalf("one negative body: %+v, %v", parts, err)
	}
	if s := newAssembly(t, inpoly.Options{}, parts).Side(r3.Vector{X: 2, Y: 2, Z: 2}); s != inpoly.Outside {
		t.Errorf("a negative part alone: %v", s)
	}
}

// TestOpenNegative opens two files of PrusaSlicer. Each has two instances of an object with a solid cube from 0
// to 4 and a negative cube from 2 to 6, the second one moved by 5 along x and mirrored at x = 0 before. A
// negative cube cuts neither the solid cube of the other instance nor that of the other file.
func TestOpenNegative(t *testing.T) {
	var vertices, triangles strings.Builder
	for i, from := range []int{0, 2} {
		for k := range 8 {
			fmt.Fprintf(&vertices, `<vertex x="%d" y="%d" z="%d"/>`, from+4*(k>>2&1), from+4*(k>>1&1), from+4*(k&1))
		}
		for _, f := range [12][3]int{{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1}, {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}} {
			fmt.Fprintf(&triangles, `<triangle v1="%d" v2="%d" v3="%d"/>`, 8*i+f[0], 8*i+f[1], 8*i+f[2])
		}
	}
	file := func(shift r3.Vector) string {
		var out strings.Builder
		z := zip.NewWriter(&out)
		for name, text := range map[string]string{
			"_rels/.rels": `<Relationships><Relationship Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/3D/m.model"/></Relationships>`,
			"3D/m.model": `<model><resources><object id="1"><mesh><vertices>` + vertices.String() + `</vertices><triangles>` + triangles.String() + `</triangles></mesh></object></resources>` +
				fmt.Sprintf(`<build><item objectid="1" transform="1 0 0 0 1 0 0 0 1 %g %g %g"/><item objectid="1" transform="-1 0 0 0 1 0 0 0 1 %g %g %g"/></build></model>`,
					shift.X, shift.Y, shift.Z, shift.X+5, shift.Y, shift.Z),
			"Metadata/Slic3r_PE_model.config": `<config><object id="1"><volume firstid="0" lastid="11"/><volume firstid="12" lastid="23">` +
				`<metadata type="volume" key="volume_type" value="NegativeVolume"/></volume></object></config>`,
		} {
			w, err := z.Create(name)
			if err == nil {
				_, err = w.Write([]byte(text))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	var boxes []typedBox
	var files []assembly.File
	for i, shift := range []r3.Vector{{}, {X: 1, Y: 1, Z: -1}} {
		files = append(files, assembly.File{Name: fmt.Sprintf("f%d.3mf", i), Content: strings.NewReader(file(shift))})
		at := func(x0, x1, from float64) bvh.Box {
			return bvh.Box{Min: r3.Vector{X: x0, Y: from, Z: from}.Add(shift), Max: r3.Vector{X: x1, Y: from + 4, Z: from + 4}.Add(shift)}
		}
		boxes = append(boxes, typedBox{at(0, 4, 0), false, int32(2 * i)}, typedBox{at(2, 6, 2), true, int32(2 * i)},
			typedBox{at(1, 5, 0), false, int32(2*i + 1)}, typedBox{at(-1, 3, 2), true, int32(2*i + 1)})
	}
	for _, opt := range []assembly.Options{{}, {SplitBodies: true}} {
		for i := range files {
			if _, err := files[i].Content.(*strings.Reader).Seek(0, io.SeekStart); err != nil {
				t.Fatal(err)
			}
		}
		a, err := assembly.ReadFiles(t.Context(), files, opt)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[inpoly.Side]int{}
		for x := range 20 {
			for y := range 18 {
				for z := range 18 {
					p := r3.Vector{X: float64(x-4) / 2, Y: float64(y-2) / 2, Z: float64(z-4) / 2}
					want, _ := sidesOfBoxes(boxes, p)
					if got := a.Side(p); got != want {
						t.Fatalf("%v: %v, want %v", p, got, want)
					}
					counts[want]++
				}
			}
		}
		if len(counts) != 3 {
			t.Errorf("the points have the sides %v, want inside, outside and on", counts)
		}
	}
}
