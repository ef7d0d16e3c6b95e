package view

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// TestCloudColumns adds rows from several goroutines. Each point of the sample must have the values
// of its row, however often the sample was pruned.
func TestCloudColumns(t *testing.T) {
	const n = 9000
	for _, limit := range []int{0, 1, 100, n, 2 * n} {
		c := NewCloud(limit)
		c.SetColumns([]Column{{Name: "number"}, {Name: "text", Text: true}})
		var busy sync.WaitGroup
		for block := range 30 {
			busy.Add(1)
			go func() {
				defer busy.Done()
				const size = n / 30
				first := block * size
				numbers, texts := make([]float64, size), make([][]byte, size)
				for i := range size {
					if numbers[i] = float64(first + i); i%7 == 0 {
						numbers[i] = math.NaN()
					}
					if i%5 > 0 {
						texts[i] = fmt.Appendf(nil, "row %d", (first+i)%50)
					}
				}
				c.AddRows(int64(first), make([]r3.Vector, size), make([]inpoly.Side, size), []Values{{Numbers: numbers}, {Texts: texts}})
			}()
		}
		busy.Wait()
		for _, p := range c.sample() {
			i := int(p.row) % (n / 30)
			if x := c.value(p, 0); i%7 == 0 != math.IsNaN(x) || i%7 > 0 && x != float64(p.row) {
				t.Fatalf("limit %d: the number of row %d is %v", limit, p.row, x)
			}
			switch w := c.value(p, 1); {
			case i%5 == 0 && w != wordMissing:
				t.Fatalf("limit %d: the missing text of row %d is %v", limit, p.row, w)
			case i%5 > 0 && c.words[1].list[int(w)] != fmt.Sprintf("row %d", p.row%50):
				t.Fatalf("limit %d: the text of row %d is %q", limit, p.row, c.words[1].list[int(w)])
			}
		}
	}
}

// TestCloudWords adds more and longer texts than a Cloud stores.
func TestCloudWords(t *testing.T) {
	w := &words{index: map[string]int{}}
	long := strings.Repeat("x", maxWordBytes-3)
	for _, c := range []struct {
		text []byte
		want float64
	}{{[]byte("a"), 0}, {nil, wordMissing}, {[]byte{}, 1}, {[]byte(long), 2}, {[]byte("bcd"), wordNotStored}, {[]byte("bc"), 3}, {[]byte("a"), 0}} {
		if got := w.add(c.text); got != c.want {
			t.Errorf("text %.10q has the index %v, want %v", c.text, got, c.want)
		}
	}
	w = &words{index: map[string]int{}}
	for i := range maxWords + 2 {
		want := float64(i)
		if i >= maxWords {
			want = wordNotStored
		}
		if got := w.add(fmt.Appendf(nil, "%x", i)); got != want {
			t.Fatalf("text %d has the index %v, want %v", i, got, want)
		}
	}
}

func TestCloudColumnErrors(t *testing.T) {
	pts, sides := make([]r3.Vector, 2), make([]inpoly.Side, 2)
	for name, f := range map[string]func(c *Cloud){
		"no values":    func(c *Cloud) { c.Add(0, pts, sides) },
		"few numbers":  func(c *Cloud) { c.AddRows(0, pts, sides, []Values{{Numbers: []float64{1}}}) },
		"texts":        func(c *Cloud) { c.AddRows(0, pts, sides, []Values{{Texts: make([][]byte, 2)}}) },
		"late columns": func(c *Cloud) { c.AddRows(0, pts, sides, []Values{{Numbers: make([]float64, 2)}}); c.SetColumns(nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			c := NewCloud(10)
			c.SetColumns([]Column{{Name: "a"}})
			f(c)
		}()
	}
}

// TestArrays writes arrays of several types. Each must be read back exactly, and take the expected
// number of bytes.
func TestArrays(t *testing.T) {
	for _, c := range []struct {
		list []float64
		kind string
	}{
		{nil, "uint8"}, {[]float64{0, 255}, "uint8"}, {[]float64{256}, "uint16"}, {[]float64{65536}, "float32"}, {[]float64{1<<24 + 1}, "uint32"},
		{[]float64{math.MaxUint32}, "uint32"}, {[]float64{-1}, "float32"}, {[]float64{0.5, math.NaN()}, "float32"}, {[]float64{0.1}, "float64"},
		{[]float64{1 << 40}, "float32"}, {[]float64{1<<40 + 1}, "float64"}, {[]float64{math.MaxFloat64, -math.SmallestNonzeroFloat64}, "float64"},
	} {
		var page strings.Builder
		a := arrayWriter{w: &page, types: map[string]string{}}
		a.numbers("x", len(c.list), func(i int) float64 { return c.list[i] })
		if a.types["x"] != c.kind {
			t.Errorf("%v has the type %s, want %s", c.list, a.types["x"], c.kind)
		}
		fmt.Fprintf(&page, `<script type="application/json" id="settings">{"arrays":{"x":%q}}</script>`, c.kind)
		got := pageNumbers(t, page.String(), "x")
		if !slices.EqualFunc(got, c.list, func(a, b float64) bool { return a == b || a != a && b != b }) {
			t.Errorf("%v reads as %v", c.list, got)
		}
	}
	a := arrayWriter{w: io.Discard, types: map[string]string{}}
	a.numbers("rows", 100, func(i int) float64 { return float64(i) })
}

// TestAssemblyPage draws an assembly whose second solid is open and whose first solid has a collapsed
// face.
func TestAssemblyPage(t *testing.T) {
	first, second := testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1)), testmesh.Without(testmesh.Cube(vector(0.5, 0, 0), vector(2, 1, 1)), 3)
	first.Faces = slices.Insert(slices.Clone(first.Faces), 2, [3]int32{0, 0, 1})
	a, err := assembly.New(t.Context(), []assembly.Part{{Name: "one", Mesh: testmesh.Mesh(first)}, {Name: "none", Mesh: testmesh.Mesh(mesh.Soup{})}, {Name: "two", Mesh: testmesh.Mesh(second)}}, assembly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	pts, sides, want := make([]r3.Vector, 300), make([]inpoly.Side, 300), make([]float64, 300)
	for i := range pts {
		pts[i] = vector(3*rng.Float64()-0.5, 1.4*rng.Float64()-0.2, 1.4*rng.Float64()-0.2)
		sides[i], want[i] = a.Side(pts[i]), float64(a.Body(pts[i], assembly.Innermost))
	}
	c := NewCloud(1000)
	c.Add(0, pts, sides)
	s, err := NewAssembly(t.Context(), a, c, Options{Name: "both", Windings: true, Distances: true, Body: assembly.Innermost, ColorBy: "body", Files: []string{"a.stl", "b.stl", "c.stl"}, Pixels: 20})
	if err != nil {
		t.Fatal(err)
	}
	page := htmlPage(t, s)
	set := pageSettings(t, page)
	if got := fmt.Sprint(set.Bodies, set.Runs, set.Files); got != "[one none two] [[0 12] [2 11]] [a.stl b.stl c.stl]" {
		t.Errorf("bodies, triangles and files: %s", got)
	}
	if got := fmt.Sprint(pageNumbers(t, page, "numbers")); got != "[0 1 3 4 5 6 7 8 9 10 11 12 0 1 2 3 4 5 6 7 8 9 10]" {
		t.Errorf("numbers of the faces: %s", got)
	}
	if set.Channels[set.Color].Key != "body" || !slices.Equal(pageNumbers(t, page, "body"), want) {
		t.Errorf("the points have the bodies %v, want %v", pageNumbers(t, page, "body"), want)
	}
	w, bounds, d := pageNumbers(t, page, "winding"), pageNumbers(t, page, "bound"), pageNumbers(t, page, "distance")
	for i, p := range pts {
		exact, bound := a.Winding(p)
		if distance, _, _ := a.Distance(p); distance != d[i] || math.Abs(w[i]-exact) > bound+bounds[i] {
			t.Fatalf("point %d: winding number %v ± %v and distance %v, want %v ± %v and %v", i, w[i], bounds[i], d[i], exact, bound, distance)
		}
	}
	// The marks of the open edges are vertices of the second solid.
	vertices, marks := pageVectors(t, page, "vertex"), pageNumbers(t, page, "marks-open")
	if len(marks) != 6 {
		t.Fatalf("%d ends of open edges, want 6", len(marks))
	}
	for _, v := range marks {
		if p := vertices[int(v)]; p.X != 0.5 && p.X != 2 {
			t.Errorf("an open edge ends at %v", p)
		}
	}
	if text := visible(page); !strings.Contains(text, "triangles 23 of 24 faces") || !strings.Contains(text, "two: the mesh is not closed") || !strings.Contains(text, "union of the 3 meshes") {
		t.Errorf("the page says %s", text)
	}
	if _, err := NewAssembly(t.Context(), a, c, Options{ColorBy: "grade"}); err == nil || !strings.Contains(err.Error(), "expected one of state, body") {
		t.Errorf("a column that does not exist gave %v", err)
	}
	empty, err := assembly.New(t.Context(), nil, assembly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewAssembly(t.Context(), empty, nil, Options{}); err == nil {
		t.Error("an assembly without solids was accepted")
	}
}

// TestBodies draws bodies of one file. They overlap, and faces 4 and 5 are in no body.
func TestBodies(t *testing.T) {
	soup := testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1))
	soup.Bodies = []mesh.Body{{Name: "a", First: 0, Count: 4}, {Name: "", First: 2, Count: 2}, {Name: "a", First: 6, Count: 6}}
	s := newScene(t, newSolid(t, soup, inpoly.Options{}), nil, Options{})
	set := pageSettings(t, htmlPage(t, s))
	if got := fmt.Sprintf("%q %v", set.Bodies, set.Runs); got != `["a" "body_2" "a_2" "rest"] [[0 4] [3 2] [2 6]]` {
		t.Errorf("bodies and triangles: %s", got)
	}
	// A simplified mesh keeps the bodies of its triangles.
	ball := testmesh.Sphere(4)
	n := int32(len(ball.Faces))
	parts := mesh.Soup{Vertices: ball.Vertices, Faces: ball.Faces, Bodies: []mesh.Body{{Name: "upper", First: 0, Count: n / 2}, {Name: "lower", First: n / 2, Count: n - n/2}}}
	s = newScene(t, newSolid(t, parts, inpoly.Options{}), nil, Options{Triangles: 500})
	if set = pageSettings(t, htmlPage(t, s)); len(set.Runs) != 2 || set.Runs[0][0] != 0 || set.Runs[1][0] != 1 || set.Runs[0][1]+set.Runs[1][1] != len(s.surface.faces) || !set.Reduced {
		t.Errorf("triangles of a simplified mesh: %v", set.Runs)
	}
}

// TestStacks compares precomputed slices of an open mesh with single winding numbers. A closed mesh
// has no precomputed slices unless it is simplified.
func TestStacks(t *testing.T) {
	open := newSolid(t, testmesh.Hemisphere(3), inpoly.Options{})
	s := newScene(t, open, nil, Options{})
	for k, st := range s.stacks {
		if st == nil || len(st.slices) != stackSlices {
			t.Fatalf("axis %d has no %d slices", k, stackSlices)
		}
		last := axis(s.box.Min, k)
		for _, x := range st.slices {
			if v := x.plane.Value; !(v > last && v < axis(s.box.Max, k)) || x.plane.Axis != k {
				t.Errorf("axis %d: %v after %v", k, x.plane, last)
			}
			last = x.plane.Value
			for i := 0; i < len(x.w); i += 371 {
				if w, bound := open.Winding(x.point(i%x.cols, i/x.cols)); math.Abs(w-x.w[i]) > bound+x.bound {
					t.Fatalf("%v: W is %v ± %v, want %v ± %v", x.plane, x.w[i], x.bound, w, bound)
				}
			}
		}
	}
	set := pageSettings(t, htmlPage(t, s))
	if set.Slice.Exact || len(set.Slice.Stacks[1].Values) != stackSlices {
		t.Errorf("the page of an open mesh has the slices %+v", set.Slice)
	}
	sphere := newSolid(t, mesh.Soup{Vertices: testmesh.Sphere(3).Vertices, Faces: testmesh.Sphere(3).Faces}, inpoly.Options{})
	for triangles, exact := range map[int]bool{0: true, 100: false} {
		s := newScene(t, sphere, nil, Options{Triangles: triangles})
		if set := pageSettings(t, htmlPage(t, s)); set.Slice.Exact != exact || (set.Slice.Stacks[0] == nil) != exact {
			t.Errorf("at most %d triangles: exact %v", triangles, set.Slice.Exact)
		}
	}
}

func TestHidesOutside(t *testing.T) {
	for _, c := range []struct {
		in, out, on, uncertain int
		want                   bool
	}{{1, 2, 0, 0, true}, {2, 2, 0, 0, false}, {0, 5, 0, 0, false}, {0, 5, 1, 0, true}, {0, 5, 3, 3, false}, {0, 0, 0, 0, false}} {
		var shown [4]int
		shown[inpoly.Inside], shown[inpoly.Outside], shown[inpoly.OnSurface], shown[inpoly.Unknown] = c.in, c.out, c.on, c.uncertain
		if got := hidesOutside(shown); got != c.want {
			t.Errorf("%+v: hidden %v", c, got)
		}
	}
}

func TestUp(t *testing.T) {
	solid := newSolid(t, testmesh.Cube(vector(0, 0, 0), vector(1, 1, 1)), inpoly.Options{})
	for up, want := range map[string]int{"": 2, "x": 0, "y": 1, "z": 2} {
		if got := newScene(t, solid, nil, Options{Up: up}).up(); got != want {
			t.Errorf("Up %q: axis %d, want %d", up, got, want)
		}
	}
}
