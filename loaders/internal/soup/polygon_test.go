package soup

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"
)

// triangulate returns the triangles of the face with the given corners, and the notes.
func triangulate(tb testing.TB, verts []r3.Vector, corners []int32) ([][3]int32, []string) {
	tb.Helper()
	b := NewBuilder(NewSource(context.Background(), Options{}))
	b.Vertices = verts
	if err := b.AddPolygon(corners); err != nil {
		tb.Fatal(err)
	}
	faces := b.Faces
	b.Finish()
	return faces, b.Notes
}

// upTo returns the integers from 0 to n−1.
func upTo(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i)
	}
	return s
}

// unit multiplies the points by a power of two, so that the largest |coordinate| is about 1.
func unit(verts []r3.Vector) []r3.Vector {
	size := 0.0
	for _, v := range verts {
		size = max(size, math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z))
	}
	_, exp := math.Frexp(size)
	scaled := make([]r3.Vector, len(verts))
	for i, v := range verts {
		scaled[i] = r3.Vector{X: math.Ldexp(v.X, -exp), Y: math.Ldexp(v.Y, -exp), Z: math.Ldexp(v.Z, -exp)}
	}
	return scaled
}

// area returns twice the area vector of the triangle f.
func area(verts []r3.Vector, f [3]int32) r3.Vector {
	return verts[f[1]].Sub(verts[f[0]]).Cross(verts[f[2]].Sub(verts[f[0]]))
}

// checkCover fails the test unless the triangles cover a planar, simple polygon exactly once. The
// boundary chain of the triangles must be the polygon, and no triangle can be inverted. These
// conditions determine the winding number at every point of the plane.
func checkCover(t *testing.T, name string, verts []r3.Vector, corners []int32, faces [][3]int32) {
	t.Helper()
	if len(faces) != len(corners)-2 {
		t.Errorf("%s: %d triangles of %d corners", name, len(faces), len(corners))
	}
	verts = unit(verts)
	edges := map[[2]int32]int{}
	add := func(a, b int32) { edges[[2]int32{a, b}]++; edges[[2]int32{b, a}]-- }
	var total r3.Vector
	sum := 0.0
	for _, f := range faces {
		for k := range 3 {
			add(f[k], f[(k+1)%3])
		}
		total = total.Add(area(verts, f))
		sum += math.Sqrt(area(verts, f).Norm2())
	}
	if whole := math.Sqrt(total.Norm2()); sum > whole*(1+1e-12) { // 1e-12 allows for rounding
		t.Errorf("%s: triangles of area %v, want %v", name, sum, whole)
	}
	for k, c := range corners {
		add(corners[(k+1)%len(corners)], c)
	}
	for e, n := range edges {
		if n != 0 {
			t.Errorf("%s: edge %v is left over %d times", name, e, n)
		}
	}
	for _, f := range faces {
		if a := area(verts, f); a.Dot(total) < -1e-12*total.Norm2() { // 1e-12 allows for rounding
			t.Errorf("%s: triangle %v is turned over: %v against %v", name, f, a, total)
		}
	}
}

// flatPolygons are simple and weakly simple polygons in the plane.
var flatPolygons = map[string][][2]float64{
	"square":           {{0, 0}, {1, 0}, {1, 1}, {0, 1}},
	"L":                {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}},
	"arrow":            {{0, 0}, {2, 1}, {0, 2}, {1, 1}},
	"points in line":   {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {1, 1}, {0, 1}},
	"comb":             {{0, 0}, {7, 0}, {7, 5}, {6, 5}, {6, 1}, {5, 1}, {5, 5}, {4, 5}, {4, 1}, {3, 1}, {3, 5}, {2, 5}, {2, 1}, {1, 1}, {1, 5}, {0, 5}},
	"spiral":           {{0, 0}, {5, 0}, {5, 5}, {0, 5}, {0, 2}, {3, 2}, {3, 3}, {1, 3}, {1, 4}, {4, 4}, {4, 1}, {0, 1}},
	"keyhole":          {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}, {1, 1}, {1, 3}, {3, 3}, {3, 1}, {1, 1}},
	"two keyholes":     {{0, 0}, {9, 0}, {9, 4}, {0, 4}, {0, 0}, {1, 1}, {1, 3}, {3, 3}, {3, 1}, {5, 1}, {5, 3}, {7, 3}, {7, 1}, {5, 1}, {3, 1}, {1, 1}},
	"corner touches":   {{0, 0}, {4, 0}, {4, 4}, {2, 0}, {0, 4}},
	"spike of no area": {{0, 0}, {2, 0}, {2, 2}, {3, 3}, {2, 2}, {0, 2}, {1, 1}},
	"outward spikes":   {{4, 0.5}, {4, 2.5}, {4, 4.5}, {3, 4.5}, {3, 5}, {3, 4.5}, {0, 4.5}, {0, 0.5}, {1, 0.5}, {1, 0}, {1, 0.5}},
	"branched spike":   {{0, 0}, {4, 0}, {4, 4}, {2, 4}, {2, 6}, {1, 7}, {2, 6}, {3, 7}, {2, 6}, {2, 4}, {2, 2}, {0, 4}},
	"inward spike":     {{0, 0}, {4, 0}, {4, 4}, {2, 4}, {2, 1}, {2, 3}, {2, 4}, {0, 4}, {1, 2}},
	"doubled corners":  {{0, 0}, {0, 0}, {2, 1}, {2, 1}, {2, 1}, {0, 2}, {1, 1}, {1, 1}},
}

// planes holds two vectors that span each plane. All planes except one contain two coordinate axes.
var planes = map[string][2]r3.Vector{
	"xy":      {{X: 1}, {Y: 1}},
	"yx":      {{Y: 1}, {X: 1}},
	"yz":      {{Y: 1}, {Z: 1}},
	"xz":      {{X: 1}, {Z: 1}},
	"slanted": {{X: 1, Y: 2, Z: 3}, {X: -2, Y: 1, Z: 5}},
	"small":   {{X: 0x1p-200}, {Z: 0x1p-200}},
	"large":   {{Y: 0x1p+300}, {X: 0x1p+300}},
	"largest": {{X: 0x1p+1021}, {Z: -0x1p+1021}},
}

func TestPolygonFlat(t *testing.T) {
	for name, points := range flatPolygons {
		for plane, base := range planes {
			for first := range points {
				verts := make([]r3.Vector, len(points))
				for i := range points {
					p := points[(first+i)%len(points)]
					// The coordinates begin at −3, so that the largest differences of the scaled
					// coordinates overflow.
					verts[i] = base[0].Mul(p[0] - 3).Add(base[1].Mul(p[1] - 3))
				}
				corners := upTo(len(verts))
				faces, notes := triangulate(t, verts, corners)
				checkCover(t, name+" in "+plane, verts, corners, faces)
				for _, n := range notes {
					if n != "1 concave polygon was triangulated by ear clipping" {
						t.Errorf("%s in %s from corner %d: %s", name, plane, first, n)
					}
				}
			}
		}
	}
}

// TestPolygonRandom triangulates combs with random teeth, and random polygons that are star-shaped
// around an inner point.
func TestPolygonRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 4 + rng.IntN(60)
		verts := make([]r3.Vector, n)
		for i := range verts {
			s, c := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			r := 0.1 + rng.Float64()
			verts[i] = r3.Vector{X: r * c, Y: 7, Z: -r * s}
		}
		faces, _ := triangulate(t, verts, upTo(n))
		checkCover(t, "star", verts, upTo(n), faces)
	}
	for range 100 {
		n := 3 + rng.IntN(200)
		verts := make([]r3.Vector, 0, n)
		for i := range n {
			verts = append(verts, r3.Vector{X: float64(i), Y: rng.Float64() + float64(i%2)})
		}
		verts = append(verts, r3.Vector{X: float64(n), Y: -1}, r3.Vector{X: -1, Y: -1})
		faces, notes := triangulate(t, verts, upTo(len(verts)))
		checkCover(t, "comb", verts, upTo(len(verts)), faces)
		for _, note := range notes {
			if note != "1 concave polygon was triangulated by ear clipping" {
				t.Errorf("comb of %d teeth: %s", n, note)
			}
		}
	}
}

// TestPolygonFan checks that a face becomes a fan if the fan covers the face exactly.
func TestPolygonFan(t *testing.T) {
	verts := []r3.Vector{{}, {X: 2}, {X: 3, Y: 1}, {X: 2, Y: 2}, {Y: 2, Z: 0.1}}
	faces, notes := triangulate(t, verts, upTo(5))
	want := [][3]int32{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}
	for i := range want {
		if faces[i] != want[i] {
			t.Fatalf("got %v, want %v", faces, want)
		}
	}
	if len(notes) > 0 {
		t.Errorf("got notes %q, want none", notes)
	}
}

// TestPolygonFallback triangulates faces that are not simple polygons. The triangles must have the
// boundary of the face, and triangulate must return a note.
func TestPolygonFallback(t *testing.T) {
	for _, c := range []struct {
		name  string
		verts []r3.Vector
		note  string
	}{
		{"all in line", []r3.Vector{{}, {X: 1}, {X: 2}, {X: 3}}, "1 zero-area polygon was triangulated as fans"},
		{"one point", []r3.Vector{{}, {}, {}, {}, {}}, "1 zero-area polygon was triangulated as fans"},
		{"bow tie of no area", []r3.Vector{{}, {X: 1, Y: 1}, {X: 1}, {Y: 1}}, "1 zero-area polygon was triangulated as fans"},
	} {
		faces, notes := triangulate(t, c.verts, upTo(len(c.verts)))
		if len(faces) != len(c.verts)-2 {
			t.Errorf("%s: got %d triangles", c.name, len(faces))
		}
		if len(notes) != 1 || notes[0] != c.note {
			t.Errorf("%s: got notes %q, want %q", c.name, notes, c.note)
		}
	}
	// The fan of a pentagram has no inverted triangle.
	star := []r3.Vector{{Y: 10}, {X: 6, Y: -8}, {X: -9, Y: 3}, {X: 9, Y: 3}, {X: -6, Y: -8}}
	faces, _ := triangulate(t, star, upTo(5))
	if len(faces) != 3 {
		t.Errorf("pentagram: got %d triangles, want 3", len(faces))
	}
	crossing := []r3.Vector{{}, {X: 4}, {X: 1, Y: 3}, {X: 3, Y: 3}, {X: 4, Y: -1}, {Y: 4}}
	faces, _ = triangulate(t, crossing, upTo(6))
	if len(faces) != 4 {
		t.Errorf("crossing: got %d triangles, want 4", len(faces))
	}
}

// TestPolygonLarge triangulates a comb of many teeth. The time must not be quadratic.
func TestPolygonLarge(t *testing.T) {
	const n = 20000
	var verts []r3.Vector
	for i := range n {
		verts = append(verts, r3.Vector{X: float64(i), Y: float64(i % 2)})
	}
	verts = append(verts, r3.Vector{X: n, Y: 5}, r3.Vector{X: -1, Y: 5})
	faces, notes := triangulate(t, verts, upTo(len(verts)))
	if len(faces) != n || len(notes) != 1 {
		t.Fatalf("got %d triangles and notes %q, want %d and one", len(faces), notes, n)
	}
	checkCover(t, "comb", verts, upTo(len(verts)), faces)
}

// TestPolygonAny triangulates arbitrary faces. The boundary of the triangles must be the boundary
// of the face. The number of triangles must be the same as in a fan.
func TestPolygonAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 12).Draw(t, "n")
		small := rapid.IntRange(-2, 2)
		verts := make([]r3.Vector, n)
		for i := range verts {
			verts[i] = r3.Vector{X: float64(small.Draw(t, "x")), Y: float64(small.Draw(t, "y"))}
			if rapid.Bool().Draw(t, "off the plane") {
				verts[i].Z = float64(small.Draw(t, "z"))
			}
		}
		corners := make([]int32, n)
		for i := range corners {
			corners[i] = int32(rapid.IntRange(0, n-1).Draw(t, "corner"))
		}
		b := NewBuilder(NewSource(context.Background(), Options{}))
		b.Vertices = verts
		if err := b.AddPolygon(corners); err != nil {
			t.Fatal(err)
		}
		if len(b.Faces) != n-2 {
			t.Fatalf("got %d triangles of %d corners", len(b.Faces), n)
		}
		edges := map[[2]int32]int{}
		add := func(a, b int32) { edges[[2]int32{a, b}]++; edges[[2]int32{b, a}]-- }
		for _, f := range b.Faces {
			add(f[0], f[1])
			add(f[1], f[2])
			add(f[2], f[0])
		}
		for k, c := range corners {
			add(corners[(k+1)%n], c)
		}
		for e, m := range edges {
			if m != 0 && e[0] != e[1] {
				t.Fatalf("edge %v is left over %d times in %v of %v", e, m, b.Faces, corners)
			}
		}
	})
}

// largePolygons are simple polygons of about n corners. Ear clipping needs quadratic time for these
// polygons if it compares each ear with all corners.
var largePolygons = map[string]func(n int) [][2]float64{
	"comb of long teeth": func(n int) (p [][2]float64) {
		for i := range n {
			p = append(p, [2]float64{float64(i), float64(i % 2 * n)})
		}
		return append(p, [2]float64{float64(n), float64(2 * n)}, [2]float64{-1, float64(2 * n)})
	},
	"slanted comb": func(n int) (p [][2]float64) {
		for i := range n {
			x, y := float64(i), float64(i%2*n)
			p = append(p, [2]float64{x - y, x + y})
		}
		return append(p, [2]float64{float64(n - 2*n), float64(3 * n)}, [2]float64{float64(-1 - 2*n), float64(2*n - 1)})
	},
	"saw on an arc": func(n int) (p [][2]float64) {
		for i := range n {
			s, c := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			r := 1 - float64(i%2)/float64(n)
			p = append(p, [2]float64{r * c, r * s})
		}
		return p
	},
	"spiral": func(n int) (p [][2]float64) {
		// The path goes outward along the right side of a square spiral and returns along the left
		// side. The distance between windings of the spiral is 1.
		n /= 8
		for i := range 4 * n {
			p = append(p, spiralCorner(i, 0))
		}
		for i := 4*n - 1; i >= 0; i-- {
			p = append(p, spiralCorner(i, 0.5))
		}
		return p
	},
}

// spiralCorner returns corner i of a square spiral, moved inward by the given distance. The
// distance between windings of the spiral is 1.
func spiralCorner(i int, in float64) [2]float64 {
	r := float64(i/4) + 2 - in
	switch i % 4 {
	case 0:
		return [2]float64{r, -r + 1}
	case 1:
		return [2]float64{r, r}
	case 2:
		return [2]float64{-r, r}
	}
	return [2]float64{-r, -r}
}

// TestPolygonVisits bounds the number of visited corners and boxes. This number determines the
// time.
func TestPolygonVisits(t *testing.T) {
	n := 20000
	if os.Getenv("INPOLY_FULL") != "" {
		n = 400000
	}
	for name, points := range largePolygons {
		var verts []r3.Vector
		for _, p := range points(n) {
			verts = append(verts, r3.Vector{X: p[0], Y: p[1]})
		}
		b := NewBuilder(&Source{ctx: context.Background(), Budget: &Budget{limit: 1 << 30}})
		b.Vertices = verts
		if err := b.AddPolygon(upTo(len(verts))); err != nil {
			t.Fatal(err)
		}
		checkCover(t, name, verts, upTo(len(verts)), b.Faces)
		if b.concave != 1 || b.crossing != 0 {
			t.Errorf("%s: %d concave, %d crossing polygons", name, b.concave, b.crossing)
		}
		perCorner := float64(b.visits) / float64(len(verts))
		t.Logf("%s: %.0f visits a corner", name, perCorner)
		if perCorner > 10*math.Log2(float64(n)) {
			t.Errorf("%s: %.0f visits a corner", name, perCorner)
		}
	}
}

// TestPolygonCanceled cancels the context in each stage of the triangulation of a large polygon.
// The stage must end at its first check of the context.
func TestPolygonCanceled(t *testing.T) {
	var verts []r3.Vector
	for _, p := range largePolygons["saw on an arc"](10000) {
		verts = append(verts, r3.Vector{X: p[0], Y: p[1]})
	}
	corners := upTo(len(verts))
	looks := 0
	run := func(last int) error {
		looks = 0
		b := NewBuilder(&Source{ctx: context.Background(), Budget: &Budget{limit: 1 << 30}})
		b.Vertices = verts
		b.ctxDone = func() error {
			if looks++; looks > last {
				return context.Canceled
			}
			return nil
		}
		return b.AddPolygon(corners)
	}
	if err := run(math.MaxInt); err != nil {
		t.Fatal(err)
	}
	for last, total := 0, looks; last < total; last += 7 {
		if err := run(last); !errors.Is(err, context.Canceled) || looks != last+1 {
			t.Fatalf("canceled at look %d: got %v after %d looks", last+1, err, looks)
		}
	}
}

// TestPolygonTree compares two searches for corners that block an ear: a search in the tree, and a
// search of all corners.
func TestPolygonTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		b := NewBuilder(NewSource(context.Background(), Options{}))
		n := 4 + rng.IntN(200)
		for i := range n { // a polygon that is star-shaped around the origin is simple
			s, c := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			r := math.Ldexp(1+rng.Float64(), -rng.IntN(40))
			b.Vertices = append(b.Vertices, r3.Vector{X: r * c, Y: r * s})
		}
		corners := upTo(n)
		if err := b.reserveEars(n); err != nil {
			t.Fatal(err)
		}
		if solid, err := b.project(corners, corners); !solid || err != nil {
			t.Fatal(solid, err)
		}
		b.ears.ring(n)
		if err := b.buildEarTree(); err != nil {
			t.Fatal(err)
		}
		e := &b.ears
		for i := range int32(n) {
			p, q := e.prev[i], e.next[i]
			if e.turn(p, i, q) <= 0 {
				continue
			}
			want := false
			for k := range int32(n) {
				want = want || k != p && k != i && k != q && e.blocks(k, p, i, q)
			}
			if got, err := b.blocked(0, i); got != want || err != nil {
				t.Fatalf("corner %d of %v: got blocked %v, %v, want %v", i, b.Vertices, got, err, want)
			}
		}
	}
}
