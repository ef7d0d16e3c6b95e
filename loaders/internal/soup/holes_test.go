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

// rings are the rings of a polygon: the first is the outer ring.
type rings [][]r3.Vector

// join returns the vertices of all rings, the corners, and the ends of the rings.
func (g rings) join() (verts []r3.Vector, corners, ends []int32) {
	for _, ring := range g {
		verts = append(verts, ring...)
		ends = append(ends, int32(len(verts)))
	}
	return verts, upTo(len(verts)), ends
}

// leftover returns an edge that the boundary of the triangles does not have as often as the rings, and
// false if there is none.
func leftover(faces [][3]int32, corners, ends []int32) ([2]int32, bool) {
	edges := map[[2]int32]int{}
	add := func(a, b int32) { edges[[2]int32{a, b}]++; edges[[2]int32{b, a}]-- }
	for _, f := range faces {
		for k := range 3 {
			add(f[k], f[(k+1)%3])
		}
	}
	first := int32(0)
	for _, end := range ends {
		ring := corners[first:end]
		for k, c := range ring {
			add(ring[(k+1)%len(ring)], c)
		}
		first = end
	}
	for e, n := range edges {
		if n != 0 && e[0] != e[1] {
			return e, true
		}
	}
	return [2]int32{}, false
}

// checkRings triangulates a polygon with holes. The boundary of the triangles must be the rings. If
// covers is set, the triangles must also cover the polygon exactly once.
func checkRings(t failer, name string, g rings, covers bool) *Builder {
	t.Helper()
	verts, corners, ends := g.join()
	b := NewBuilder(NewSource(context.Background(), Options{MaxMemory: 1 << 32}))
	b.Vertices = verts
	if err := b.AddPolygonWithHoles(corners, ends); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if want := len(corners) - 2 + 2*(len(ends)-1); len(b.Faces) != want {
		t.Fatalf("%s: %d triangles, want %d", name, len(b.Faces), want)
	}
	if e, bad := leftover(b.Faces, corners, ends); bad {
		t.Fatalf("%s: the edge %v is left over", name, e)
	}
	if !covers {
		return b
	}
	verts = unit(verts)
	var total r3.Vector
	sum := 0.0
	for _, f := range b.Faces {
		total = total.Add(area(verts, f))
		sum += math.Sqrt(area(verts, f).Norm2())
	}
	if whole := math.Sqrt(total.Norm2()); sum > whole*(1+1e-9) || b.crossing > 0 { // 1e-9 allows for rounding
		t.Fatalf("%s: triangles of area %v, want %v; crossing %d; rings %v", name, sum, whole, b.crossing, g)
	}
	return b
}

// cells returns the rings around a random set of square cells that are connected over their sides. If
// split is set, a ring does not pass twice through a corner where two cells of the set touch;
// otherwise holes do not. So rings touch themselves and each other. ok is false if the set has no hole.
func cells(r *rand.Rand, width, height int, split bool) (g rings, ok bool) {
	type cell [2]int
	in := map[cell]bool{}
	list := []cell{{width / 2, height / 2}}
	in[list[0]] = true
	blocked := map[cell]bool{}
	for range width * height / 3 {
		blocked[cell{r.IntN(width), r.IntN(height)}] = true
	}
	for len(list) > 0 { // add all cells that can be reached
		c := list[len(list)-1]
		list = list[:len(list)-1]
		for _, d := range [4]cell{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			n := cell{c[0] + d[0], c[1] + d[1]}
			if n[0] >= 0 && n[1] >= 0 && n[0] < width && n[1] < height && !in[n] && !blocked[n] {
				in[n] = true
				list = append(list, n)
			}
		}
	}
	// An edge runs from a corner in a direction, with a cell of the set on its left.
	type edge struct {
		at  cell
		dir int
	}
	step := [4]cell{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}
	left := [4]cell{{0, 0}, {-1, 0}, {-1, -1}, {0, -1}} // the cell on the left of an edge, from its first corner
	has := func(e edge) bool {
		l := left[e.dir]
		rt := left[(e.dir+3)%4] // the cell on the right
		return in[cell{e.at[0] + l[0], e.at[1] + l[1]}] && !in[cell{e.at[0] + rt[0], e.at[1] + rt[1]}]
	}
	seen := map[edge]bool{}
	for y := range height + 1 {
		for x := range width + 1 {
			for dir := range 4 {
				e := edge{cell{x, y}, dir}
				if !has(e) || seen[e] {
					continue
				}
				var ring []r3.Vector
				for !seen[e] {
					seen[e] = true
					ring = append(ring, r3.Vector{X: float64(e.at[0]), Y: float64(e.at[1])})
					to := cell{e.at[0] + step[e.dir][0], e.at[1] + step[e.dir][1]}
					turns := [3]int{3, 0, 1} // right, straight on, left
					if split {
						turns = [3]int{1, 0, 3}
					}
					for _, turn := range turns {
						if n := (edge{to, (e.dir + turn) % 4}); has(n) {
							e = n
							break
						}
					}
				}
				g = append(g, ring)
			}
		}
	}
	for i := range g { // the outer ring has the largest area
		if ringArea(g[i]) > ringArea(g[0]) {
			g[0], g[i] = g[i], g[0]
		}
	}
	for i := range g { // begin at any corner
		k := r.IntN(len(g[i]))
		g[i] = append(append([]r3.Vector{}, g[i][k:]...), g[i][:k]...)
	}
	r.Shuffle(len(g)-1, func(i, j int) { g[i+1], g[j+1] = g[j+1], g[i+1] })
	return g, len(g) > 1
}

func ringArea(ring []r3.Vector) (a float64) {
	for i, p := range ring {
		q := ring[(i+1)%len(ring)]
		a += p.X*q.Y - p.Y*q.X
	}
	return a
}

// move maps the points of the plane into the plane that two vectors span.
func (g rings) move(x, y r3.Vector) rings {
	out := make(rings, len(g))
	for i, ring := range g {
		for _, p := range ring {
			out[i] = append(out[i], x.Mul(p.X-3).Add(y.Mul(p.Y-3)))
		}
	}
	return out
}

// TestHolesCells triangulates regions of square cells. Many corners are on common lines, and rings
// touch.
func TestHolesCells(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	count := 400
	if os.Getenv("INPOLY_FULL") != "" {
		count = 4000
	}
	holes := 0
	for n := range count {
		g, ok := cells(r, 3+r.IntN(10), 3+r.IntN(10), n%2 == 0)
		if !ok {
			continue
		}
		holes += len(g) - 1
		for name, base := range planes {
			checkRings(t, name, g.move(base[0], base[1]), true)
		}
	}
	if holes < count {
		t.Errorf("only %d holes", holes)
	}
}

// starHole returns a polygon of n corners that is star-shaped around a point, in clockwise order.
func starHole(r *rand.Rand, x, y, size float64, n int) (ring []r3.Vector) {
	turn := r.Float64()
	for i := range n {
		s, c := math.Sincos(-2 * math.Pi * (float64(i) + turn) / float64(n))
		d := size * (.1 + .9*r.Float64())
		ring = append(ring, r3.Vector{X: x + d*c, Y: y + d*s})
	}
	return ring
}

// holedStar returns a star-shaped outer ring with star-shaped holes in a grid.
func holedStar(r *rand.Rand, grid, corners, outer int) rings {
	g := rings{nil}
	for i := range outer {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(outer))
		d := float64(grid)*(1.5+r.Float64()) + 1.2 // the holes are inside
		g[0] = append(g[0], r3.Vector{X: d * c, Y: d * s})
	}
	for y := range grid {
		for x := range grid {
			if r.IntN(4) > 0 {
				g = append(g, starHole(r, 2*float64(x)-float64(grid), 2*float64(y)-float64(grid), .9, 3+r.IntN(corners)))
			}
		}
	}
	for i := range g {
		for k := range g[i] { // a grid in which holes have equal coordinates
			g[i][k].X, g[i][k].Y = math.Round(g[i][k].X*256)/256, math.Round(g[i][k].Y*256)/256
		}
	}
	return g
}

// TestHolesStars triangulates stars with many holes.
func TestHolesStars(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 5))
	for range 200 {
		g := holedStar(r, 1+r.IntN(6), 8, 60)
		if len(g) > 1 {
			checkRings(t, "stars", g.move(r3.Vector{X: 1}, r3.Vector{Y: 1}), true)
			checkRings(t, "slanted", g.move(r3.Vector{X: 4, Y: 3, Z: 1}, r3.Vector{X: -3, Y: 4, Z: 5}), true)
		}
	}
}

// TestHolesHostile triangulates polygons whose holes are not holes. The boundary must still be that of
// the rings.
func TestHolesHostile(t *testing.T) {
	square := func(x, y, size float64, clockwise bool) []r3.Vector {
		ring := []r3.Vector{{X: x, Y: y}, {X: x + size, Y: y}, {X: x + size, Y: y + size}, {X: x, Y: y + size}}
		if clockwise {
			ring[1], ring[3] = ring[3], ring[1]
		}
		return ring
	}
	line := []r3.Vector{{X: 1, Y: 1}, {X: 2, Y: 1}, {X: 3, Y: 1}}
	point := []r3.Vector{{X: 2, Y: 2}, {X: 2, Y: 2}, {X: 2, Y: 2}}
	out := square(0, 0, 10, false)
	for name, g := range map[string]rings{
		"same orientation":       {out, square(2, 2, 3, false)},
		"outer ring clockwise":   {square(0, 0, 10, true), square(2, 2, 3, true)},
		"left of the outer ring": {out, square(-9, 2, 3, true)},
		"right of it":            {out, square(12, 2, 3, true)},
		"below and above":        {out, square(2, -9, 3, true), square(2, 12, 3, true)},
		"around it":              {out, square(-5, -5, 30, true)},
		"crossing":               {out, square(8, 8, 5, true), square(-1, 4, 4, true)},
		"holes cross":            {out, square(2, 2, 4, true), square(3, 3, 4, true)},
		"hole in a hole":         {out, square(2, 2, 6, true), square(4, 4, 1, true)},
		"equal to the outer":     {out, square(0, 0, 10, true)},
		"hole twice":             {out, square(2, 2, 4, true), square(2, 2, 4, true)},
		"a line and a point":     {out, line, point},
		"outer ring is a line":   {line, square(2, 2, 4, true), square(7, 7, 1, true)},
		"only points":            {point, point, point},
		"not planar":             {out, {{X: 2, Y: 2, Z: 1}, {X: 4, Y: 5, Z: -7}, {X: 6, Y: 2, Z: 3}}},
	} {
		checkRings(t, name, g, false)
	}
	touching := map[string]rings{
		"corner at corner":   {out, {{}, {X: 1, Y: 3}, {X: 3, Y: 1}}},
		"corner on edge":     {out, {{X: 5}, {X: 4, Y: 3}, {X: 6, Y: 3}}, {{Y: 5}, {X: 3, Y: 6}, {X: 3, Y: 4}}},
		"edge on edge":       {out, {{X: 2}, {X: 4, Y: 3}, {X: 6}}},
		"holes at one point": {out, {{X: 5, Y: 5}, {X: 3, Y: 6}, {X: 4, Y: 7}}, {{X: 5, Y: 5}, {X: 6, Y: 7}, {X: 7, Y: 6}}, {{X: 5, Y: 5}, {X: 7, Y: 4}, {X: 6, Y: 3}}, {{X: 5, Y: 5}, {X: 4, Y: 3}, {X: 3, Y: 4}}},
	}
	for name, g := range touching {
		for plane, base := range planes {
			checkRings(t, name+" in "+plane, g.move(base[0], base[1]), true)
		}
	}
}

// TestHolesAny triangulates arbitrary rings, also with repeated corners.
func TestHolesAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := rapid.IntRange(-3, 3)
		n := rapid.IntRange(3, 20).Draw(t, "n")
		verts := make([]r3.Vector, n)
		for i := range verts {
			verts[i] = r3.Vector{X: float64(small.Draw(t, "x")), Y: float64(small.Draw(t, "y"))}
			if rapid.IntRange(0, 3).Draw(t, "off the plane") == 0 {
				verts[i].Z = float64(small.Draw(t, "z"))
			}
		}
		var corners, ends []int32
		for range rapid.IntRange(2, 6).Draw(t, "rings") {
			for range rapid.IntRange(3, 7).Draw(t, "corners") {
				corners = append(corners, int32(rapid.IntRange(0, n-1).Draw(t, "corner")))
			}
			ends = append(ends, int32(len(corners)))
		}
		b := NewBuilder(NewSource(context.Background(), Options{}))
		b.Vertices = verts
		for pass := range 2 { // the second pass uses the memory of the first one again
			before := len(b.Faces)
			if err := b.AddPolygonWithHoles(corners, ends); err != nil {
				t.Fatal(err)
			}
			faces := b.Faces[before:]
			if len(faces) != len(corners)-2+2*(len(ends)-1) {
				t.Fatalf("pass %d: %d triangles", pass, len(faces))
			}
			if e, bad := leftover(faces, corners, ends); bad {
				t.Fatalf("pass %d: the edge %v is left over in %v of %v %v", pass, e, faces, corners, ends)
			}
		}
	})
}

// TestHolesVisits bounds the number of visited corners and boxes. This number determines the time.
func TestHolesVisits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	grid := 30
	if os.Getenv("INPOLY_FULL") != "" {
		grid = 300
	}
	outside := rings{{{}, {X: 1}, {Y: 1}}}
	for k := range grid * grid {
		x := float64(2*k + 2)
		outside = append(outside, []r3.Vector{{X: x}, {X: x, Y: 1}, {X: x + 1}})
	}
	comb := rings{nil}
	for _, p := range largePolygons["comb of long teeth"](8 * grid * grid) {
		comb[0] = append(comb[0], r3.Vector{X: p[0], Y: p[1]})
	}
	for k := range grid * grid {
		x := float64(2*k + 2)
		comb = append(comb, []r3.Vector{{X: x, Y: 1}, {X: x - .25, Y: 4}, {X: x + .25, Y: 3}})
	}
	for name, g := range map[string]rings{
		"few large holes": holedStar(r, grid/4, 100, 100*grid), "many small holes": holedStar(r, grid, 3, 10*grid), "teeth": comb, "outside": outside,
	} {
		b := checkRings(t, name, g, name[0] != 'o' && name[0] != 't')
		perCorner := float64(b.visits) / float64(len(b.Vertices))
		t.Logf("%s: %d corners, %d holes, %.0f visits a corner", name, len(b.Vertices), len(g)-1, perCorner)
		if perCorner > 20*math.Log2(float64(len(b.Vertices))) {
			t.Errorf("%s: %.0f visits a corner", name, perCorner)
		}
	}
}

// TestHolesCanceled cancels the context in each stage.
func TestHolesCanceled(t *testing.T) {
	verts, corners, ends := holedStar(rand.New(rand.NewPCG(4, 5)), 20, 20, 2000).join()
	looks := 0
	run := func(last int) error {
		looks = 0
		b := NewBuilder(NewSource(context.Background(), Options{}))
		b.Vertices = verts
		b.ctxDone = func() error {
			if looks++; looks > last {
				return context.Canceled
			}
			return nil
		}
		return b.AddPolygonWithHoles(corners, ends)
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

// TestHolesLimits checks the errors of AddPolygonWithHoles.
func TestHolesLimits(t *testing.T) {
	verts, corners, ends := holedStar(rand.New(rand.NewPCG(4, 5)), 10, 20, 200).join()
	b := NewBuilder(NewSource(context.Background(), Options{MaxMemory: 100_000}))
	b.Vertices = verts
	if err := b.AddPolygonWithHoles(corners, ends); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v, want ErrTooLarge", err)
	}
	corners[len(corners)-1] = int32(len(verts))
	if err := b.AddPolygonWithHoles(corners, ends); !errors.Is(err, ErrIndexRange) {
		t.Errorf("got %v, want ErrIndexRange", err)
	}
}

// failer has the methods of testing.T and rapid.T that checkRings uses.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}
