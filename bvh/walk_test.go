package bvh

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"
	"github.com/inpoly/inpoly/internal/vec"
)

// build makes a tree over boxes, validates the tree and returns it.
func build(t testing.TB, boxes []Box, opt Options) *Tree {
	t.Helper()
	tree, err := Build(context.Background(), boxes, opt)
	if err != nil {
		t.Fatalf("Build of %d boxes: %v", len(boxes), err)
	}
	if err := tree.Validate(boxes); err != nil {
		t.Fatalf("Validate of %d boxes: %v", len(boxes), err)
	}
	return tree
}

// walker is the common interface of all walks. The caller must begin the walk with Start.
type walker interface {
	Next() (first, count int32, ok bool)
}

// reported runs the walk w. Element i of the result tells whether the walk reported the leaf of box
// i. The test fails if the walk reports a leaf twice.
func reported(t testing.TB, tree *Tree, w walker) []bool {
	t.Helper()
	got := make([]bool, tree.Len())
	for first, count, ok := w.Next(); ok; first, count, ok = w.Next() {
		for _, i := range tree.Index()[first : first+count] {
			if got[i] {
				t.Fatalf("box %d reported twice", i)
			}
			got[i] = true
		}
	}
	if _, _, ok := w.Next(); ok {
		t.Fatal("a walk that has ended reports another leaf")
	}
	return got
}

// leafBoxes returns, for every input box, the box of its leaf.
func leafBoxes(tree *Tree) []Box {
	out := make([]Box, tree.Len())
	for k := range tree.nodes {
		n := &tree.nodes[k]
		if n.link.count > 0 {
			for _, i := range tree.Index()[n.link.first : n.link.first+n.link.count] {
				out[i] = n.bounds()
			}
		}
	}
	return out
}

// segmentMeetsBox reports whether the closed segment from o to t and the closed box share a point.
// It uses rational arithmetic, so the answer is exact.
func segmentMeetsBox(o, t r3.Vector, b Box) bool {
	lo, hi := new(big.Rat), big.NewRat(1, 1)
	for k := range 3 {
		p, q := axis(o, k), axis(t, k)
		low, high := axis(b.Min, k), axis(b.Max, k)
		if p == q {
			if p < low || p > high {
				return false
			}
			continue
		}
		rp := new(big.Rat).SetFloat64(p)
		d := new(big.Rat).SetFloat64(q)
		d.Sub(d, rp)
		enter := new(big.Rat).SetFloat64(low)
		enter.Sub(enter, rp).Quo(enter, d)
		leave := new(big.Rat).SetFloat64(high)
		leave.Sub(leave, rp).Quo(leave, d)
		if enter.Cmp(leave) > 0 {
			enter, leave = leave, enter
		}
		if enter.Cmp(lo) > 0 {
			lo = enter
		}
		if leave.Cmp(hi) < 0 {
			hi = leave
		}
	}
	return lo.Cmp(hi) <= 0
}

func axis(v r3.Vector, k int) float64 { return [3]float64{v.X, v.Y, v.Z}[k] }

// source generates coordinates of one kind.
type source struct {
	name string
	next func(r *rand.Rand) float64
}

// sources returns three kinds of coordinates: ordinary coordinates, coordinates that often
// coincide, and coordinates at the limits of float64.
func sources() []source {
	return []source{
		{"uniform", func(r *rand.Rand) float64 { return 2*r.Float64() - 1 }},
		{"grid", func(r *rand.Rand) float64 { return float64(r.IntN(7) - 3) }},
		{"ulps", func(r *rand.Rand) float64 { return 1 + float64(r.IntN(9)-4)*0x1p-52 }},
		{"offset", func(r *rand.Rand) float64 { return 1e6 + 0.01*r.Float64() }},
		{"scales", func(r *rand.Rand) float64 { return math.Ldexp(2*r.Float64()-1, r.IntN(120)-60) }},
		{"huge", func(r *rand.Rand) float64 { return 1e300 * (2*r.Float64() - 1) }},
		{"largest", func(r *rand.Rand) float64 { return math.MaxFloat64 * (2*r.Float64() - 1) }},
		{"tiny", func(r *rand.Rand) float64 { return 1e-300 * (2*r.Float64() - 1) }},
		{"subnormal", func(r *rand.Rand) float64 { return float64(r.IntN(9)-4) * math.SmallestNonzeroFloat64 }},
		{"anything", func(r *rand.Rand) float64 {
			for {
				if v := math.Float64frombits(r.Uint64()); math.Abs(v) <= math.MaxFloat64 {
					return v
				}
			}
		}},
		{"zeros", func(r *rand.Rand) float64 { return []float64{0, math.Copysign(0, -1), 1, -1}[r.IntN(4)] }},
	}
}

func (s source) point(r *rand.Rand) r3.Vector {
	return r3.Vector{X: s.next(r), Y: s.next(r), Z: s.next(r)}
}

// boxes returns n boxes of all kinds: points, flat boxes, small and large boxes, and copies of
// boxes.
func (s source) boxes(r *rand.Rand, n int) []Box {
	out := make([]Box, n)
	for i := range out {
		p := s.point(r)
		b := EmptyBox().Add(p)
		switch r.IntN(4) {
		case 0:
			b = b.Add(s.point(r))
		case 1:
			q := s.point(r)
			f := math.Ldexp(1, -r.IntN(12))
			b = b.Add(r3.Vector{X: p.X*(1-f) + f*q.X, Y: p.Y*(1-f) + f*q.Y, Z: p.Z})
		case 2:
			if i > 0 {
				b = out[r.IntN(i)]
			}
		}
		out[i] = b
	}
	return out
}

// eachSource runs f once for every source of coordinates. Each run has its own fixed seed.
func eachSource(t *testing.T, f func(t *testing.T, s source, r *rand.Rand)) {
	for k, s := range sources() {
		t.Run(s.name, func(t *testing.T) {
			f(t, s, rand.New(rand.NewPCG(uint64(k), 20060101)))
		})
	}
}

// segment returns a segment that often touches boxes at corners or faces. The segment can end at a
// corner, pass through a corner, run parallel to an axis, or be a single point.
func segment(r *rand.Rand, s source, boxes []Box) (o, t r3.Vector) {
	o, t = s.point(r), s.point(r)
	corner := func() r3.Vector {
		b := boxes[r.IntN(len(boxes))]
		c := b.Min
		if r.IntN(2) == 0 {
			c.X = b.Max.X
		}
		if r.IntN(2) == 0 {
			c.Y = b.Max.Y
		}
		if r.IntN(2) == 0 {
			c.Z = b.Max.Z
		}
		return c
	}
	switch r.IntN(6) {
	case 0:
		t = corner()
	case 1:
		o, t = corner(), corner()
	case 2: // a segment through a corner, up to rounding
		c := corner()
		f := r.Float64() * 2
		t = r3.Vector{X: o.X + f*(c.X-o.X), Y: o.Y + f*(c.Y-o.Y), Z: o.Z + f*(c.Z-o.Z)}
		if !vec.Finite(t) {
			t = c
		}
	case 3: // a segment parallel to an axis
		c := corner()
		o, t = c, c
		switch r.IntN(3) {
		case 0:
			o.X, t.X = s.next(r), s.next(r)
		case 1:
			o.Y, t.Y = s.next(r), s.next(r)
		default:
			o.Z, t.Z = s.next(r), s.next(r)
		}
	case 4: // a single point, on a corner or one float64 away from a corner
		o = corner()
		if r.IntN(2) == 0 {
			o.X = math.Nextafter(o.X, []float64{-1, 1}[r.IntN(2)])
		}
		t = o
	}
	return o, t
}

func TestRayWalkFindsEveryBoxOnTheSegment(t *testing.T) {
	n := rounds(60, 3000)
	eachSource(t, func(t *testing.T, s source, r *rand.Rand) {
		var w RayWalk
		for round := range n {
			boxes := s.boxes(r, 1+r.IntN(40))
			tree := build(t, boxes, Options{MaxLeaf: 1 + r.IntN(4)})
			for range 10 {
				o, target := segment(r, s, boxes)
				w.Start(tree, o, target)
				got := reported(t, tree, &w)
				for i, b := range boxes {
					if !got[i] && segmentMeetsBox(o, target, b) {
						t.Fatalf("round %d: box %d %v to %v missed by the segment %v to %v", round, i, b.Min, b.Max, o, target)
					}
				}
			}
		}
	})
}

// RayWalk reports a leaf only if the segment meets a slightly enlarged box of the leaf.
func TestRayWalkReportsLittleElse(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var w RayWalk
	for _, scale := range []float64{1e-280, 1e-30, 1, 1e30, 1e280} {
		s := source{"", func(r *rand.Rand) float64 { return scale * (2*r.Float64() - 1) }}
		for range 20 {
			boxes := s.boxes(r, 50)
			tree := build(t, boxes, Options{MaxLeaf: 1})
			for range 20 {
				o, target := segment(r, s, boxes)
				w.Start(tree, o, target)
				got := reported(t, tree, &w)
				for i, b := range boxes {
					grown := b
					pad := 0x1p-40 * scale
					v := r3.Vector{X: pad, Y: pad, Z: pad}
					grown.Min, grown.Max = b.Min.Sub(v), b.Max.Add(v)
					if got[i] && !segmentMeetsBox(o, target, grown) {
						t.Fatalf("scale %g: box %d %v to %v reported for the segment %v to %v, which is far from it", scale, i, b.Min, b.Max, o, target)
					}
				}
			}
		}
	}
}

func TestPointWalkIsExact(t *testing.T) {
	eachSource(t, func(t *testing.T, s source, r *rand.Rand) {
		var w PointWalk
		for range rounds(100, 3000) {
			boxes := s.boxes(r, 1+r.IntN(60))
			tree := build(t, boxes, Options{MaxLeaf: 1 + r.IntN(4)})
			leaves := leafBoxes(tree)
			for range 10 {
				p, _ := segment(r, s, boxes)
				w.Start(tree, p)
				got := reported(t, tree, &w)
				for i, b := range leaves {
					if got[i] != b.Contains(p) {
						t.Fatalf("box %d: got %v for %v in the leaf %v to %v", i, got[i], p, b.Min, b.Max)
					}
				}
			}
		}
	})
}

func TestBoxWalkIsExact(t *testing.T) {
	eachSource(t, func(t *testing.T, s source, r *rand.Rand) {
		var w BoxWalk
		for range rounds(100, 3000) {
			boxes := s.boxes(r, 1+r.IntN(60))
			tree := build(t, boxes, Options{MaxLeaf: 1 + r.IntN(4)})
			leaves := leafBoxes(tree)
			for range 10 {
				p, q := segment(r, s, boxes)
				query := EmptyBox().Add(p).Add(q)
				w.Start(tree, query)
				got := reported(t, tree, &w)
				for i, b := range leaves {
					if got[i] != b.Overlaps(query) {
						t.Fatalf("box %d: got %v for %v against the leaf %v", i, got[i], query, b)
					}
				}
			}
		}
	})
}

// distance2 returns the exact squared distance from p to b.
func distance2(p r3.Vector, b Box) *big.Rat {
	sum := new(big.Rat)
	for k := range 3 {
		v, low, high := axis(p, k), axis(b.Min, k), axis(b.Max, k)
		if v < low {
			v, low = low, v
		} else if v > high {
			low = high
		} else {
			continue
		}
		d := new(big.Rat).SetFloat64(v)
		d.Sub(d, new(big.Rat).SetFloat64(low))
		sum.Add(sum, d.Mul(d, d))
	}
	return sum
}

// The limit of each walk is the exact distance to a random box, rounded up. The walk must report
// every box within the exact distance.
func TestNearWalkFindsEveryBoxWithinTheDistance(t *testing.T) {
	n := rounds(20, 1000)
	eachSource(t, func(t *testing.T, s source, r *rand.Rand) {
		var w NearWalk
		for range n {
			boxes := s.boxes(r, 1+r.IntN(40))
			tree := build(t, boxes, Options{MaxLeaf: 1 + r.IntN(4)})
			for range 5 {
				p, _ := segment(r, s, boxes)
				w.Start(tree, p)
				scale := new(big.Rat).SetFloat64(w.Scale())
				scale.Mul(scale, scale)
				limit := distance2(p, boxes[r.IntN(len(boxes))])
				best2, exact := new(big.Rat).Mul(limit, scale).Float64()
				if up := new(big.Rat); !exact && up.SetFloat64(best2).Cmp(up.Mul(limit, scale)) < 0 {
					best2 = math.Nextafter(best2, math.Inf(1))
				}
				got := reported(t, tree, fixedNear{&w, best2})
				for i, b := range boxes {
					if d := distance2(p, b); !got[i] && d.Cmp(limit) <= 0 {
						t.Fatalf("box %d %v to %v not reported within %v of %v", i, b.Min, b.Max, limit, p)
					}
				}
			}
		}
	})
}

// fixedNear is a NearWalk that passes the same limit to every call of Next.
type fixedNear struct {
	w     *NearWalk
	best2 float64
}

func (f fixedNear) Next() (first, count int32, ok bool) { return f.w.Next(f.best2) }

// The limit of the walk shrinks to the distance of the nearest box found so far. The walk must find
// the nearest of all boxes, and must visit only a small part of the tree.
func TestNearWalkPrunes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	s := sources()[0]
	boxes := make([]Box, 20000)
	for i := range boxes {
		p := s.point(r)
		boxes[i] = EmptyBox().Add(p).Add(p.Add(r3.Vector{X: 0.01, Y: 0.01, Z: 0.01}))
	}
	tree := build(t, boxes, Options{})
	var w NearWalk
	for range 100 {
		p := s.point(r)
		best, want := math.Inf(1), math.Inf(1)
		for _, b := range boxes {
			want = min(want, near2(p, b))
		}
		w.Start(tree, p)
		w.Nodes = 0
		for first, count, ok := w.Next(best); ok; first, count, ok = w.Next(best) {
			for _, i := range tree.Index()[first : first+count] {
				best = min(best, near2(p, boxes[i]))
			}
		}
		if best != want {
			t.Fatalf("nearest box of %v at %v, want %v", p, best, want)
		}
		if w.Nodes > 2000 {
			t.Errorf("%d of %d nodes visited for the nearest box of %v", w.Nodes, tree.Nodes(), p)
		}
	}
}

// near2 returns the squared distance from p to b, computed in float64.
func near2(p r3.Vector, b Box) float64 {
	return r3.Vector{
		X: outside(p.X, b.Min.X, b.Max.X),
		Y: outside(p.Y, b.Min.Y, b.Max.Y),
		Z: outside(p.Z, b.Min.Z, b.Max.Z),
	}.Norm2()
}

func TestWalksWithoutAnything(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := build(t, []Box{{Max: r3.Vector{X: 1, Y: 1, Z: 1}}}, Options{})
	for _, row := range []struct {
		name string
		tree *Tree
		p    r3.Vector
	}{
		{"empty tree", build(t, nil, Options{}), r3.Vector{}},
		{"zero tree", &Tree{}, r3.Vector{}},
		{"NaN point", one, r3.Vector{Y: nan}},
		{"infinite point", one, r3.Vector{Z: inf}},
	} {
		var (
			ray   RayWalk
			point PointWalk
			box   BoxWalk
			near  NearWalk
		)
		ray.Start(row.tree, row.p, r3.Vector{})
		point.Start(row.tree, row.p)
		box.Start(row.tree, Box{Min: row.p, Max: row.p})
		near.Start(row.tree, row.p)
		for k, w := range []walker{&ray, &point, &box, fixedNear{&near, inf}} {
			if _, _, ok := w.Next(); ok {
				t.Errorf("%s: walk %d reports a leaf", row.name, k)
			}
		}
		ray.Start(row.tree, r3.Vector{}, row.p)
		if _, _, ok := ray.Next(); ok {
			t.Errorf("%s: a ray to it reports a leaf", row.name)
		}
	}
	var box BoxWalk
	box.Start(one, EmptyBox())
	if _, _, ok := box.Next(); ok {
		t.Error("the empty box overlaps something")
	}
	if box.Nodes != 0 {
		t.Errorf("%d boxes tested for the empty box, want 0", box.Nodes)
	}
	if b := build(t, nil, Options{}).Bounds(); !b.Empty() {
		t.Errorf("bounds of the empty tree are %v", b)
	}
}

func TestWalksDoNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	s := sources()[0]
	boxes := s.boxes(r, 1000)
	tree := build(t, boxes, Options{})
	var (
		ray   RayWalk
		point PointWalk
		box   BoxWalk
		near  NearWalk
	)
	if n := testing.AllocsPerRun(100, func() {
		p, q := s.point(r), s.point(r)
		ray.Start(tree, p, q)
		for _, _, ok := ray.Next(); ok; _, _, ok = ray.Next() {
		}
		point.Start(tree, p)
		for _, _, ok := point.Next(); ok; _, _, ok = point.Next() {
		}
		box.Start(tree, EmptyBox().Add(p).Add(q))
		for _, _, ok := box.Next(); ok; _, _, ok = box.Next() {
		}
		near.Start(tree, p)
		for _, _, ok := near.Next(1); ok; _, _, ok = near.Next(1) {
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func ExampleTree_Index() {
	boxes := []Box{
		{Max: r3.Vector{X: 1, Y: 1, Z: 1}},
		{Min: r3.Vector{X: 5}, Max: r3.Vector{X: 6, Y: 1, Z: 1}},
	}
	tree, err := Build(context.Background(), boxes, Options{MaxLeaf: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	var w RayWalk
	w.Start(tree, r3.Vector{X: 5.5, Y: 0.5, Z: -1}, r3.Vector{X: 5.5, Y: 0.5, Z: 2})
	var hits []int32
	for first, count, ok := w.Next(); ok; first, count, ok = w.Next() {
		hits = append(hits, tree.Index()[first:first+count]...)
	}
	slices.Sort(hits)
	fmt.Println(hits)
	// Output: [1]
}
