package bem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// The offsets in tools/kernels/bem equal the offsets in the Go types.
func TestPanelLayout(t *testing.T) {
	var st panelState
	for _, f := range []struct {
		name      string
		got, want uintptr
	}{
		{"re", unsafe.Offsetof(st.re), 0},
		{"im", unsafe.Offsetof(st.im), 8},
		{"turns", unsafe.Offsetof(st.turns), 16},
		{"sizes", unsafe.Offsetof(st.sizes), 24},
		{"x", unsafe.Offsetof(st.x), 32},
		{"span", unsafe.Offsetof(st.span), 56},
		{"done", unsafe.Offsetof(st.done), 64},
		{"count", unsafe.Offsetof(st.count), 72},
		{"limit", unsafe.Offsetof(st.limit), 80},
		{"used", unsafe.Offsetof(st.used), 88},
		{"list", unsafe.Offsetof(st.list), 96},
		{"size of a span", unsafe.Sizeof(Span{}), 8},
		{"size of a block", unsafe.Sizeof(panelBlock{}), 1024},
		{"callBlocks", callBlocks, 48},
		{"rowA", rowA, 0},
		{"rowE1", rowE1, 3},
		{"rowE2", rowE2, 6},
		{"rowN", rowN, 9},
		{"rowC1", rowC1, 12},
		{"rowC2", rowC2, 13},
		{"rowC12", rowC12, 14},
		{"rowLimit", rowLimit, 15},
	} {
		if f.got != f.want {
			t.Errorf("%s: %d, the assembly has %d", f.name, f.got, f.want)
		}
	}
}

// randomStarts cuts n triangles into groups. Some groups are empty.
func randomStarts(rng *rand.Rand, n, longest int) (starts []int32) {
	for at := 0; at < n; at += rng.IntN(longest + 1) {
		starts = append(starts, int32(at))
	}
	return starts
}

// randomSpans returns spans and a list of their triangles. A span is a run of consecutive groups.
// Some spans are empty or repeated.
func randomSpans(rng *rand.Rand, p *Panels, n int) (spans []Span, tris []mesh.Triangle) {
	for range n {
		i := rng.IntN(len(p.starts))
		j := min(i+rng.IntN(3), len(p.starts)-1)
		lo, hi := p.starts[i], p.starts[j]
		spans = append(spans, p.Span(lo, hi))
		tris = append(tris, p.tris[lo:hi]...)
	}
	return spans, tris
}

var kernelNames = []string{generic: "generic", avx2: "AVX2", avx512: "AVX512"}

func forKernels(t *testing.T, f func(t *testing.T, k kernel)) {
	for _, k := range panelKernels() {
		t.Run(kernelNames[k], func(t *testing.T) { f(t, k) })
	}
}

// Panels agree with sums in arithmetic of 2400 bits.
func TestPanelsBound(t *testing.T) {
	forKernels(t, func(t *testing.T, k kernel) {
		for wi, w := range worlds {
			rng := newRand(uint64(400 + wi))
			var s PanelSum
			for trial := range trials(60, 3000) {
				m := mustMesh(soup(rng, 1+rng.IntN(40), 4+rng.IntN(20), func() r3.Vector { return w.vertex(rng) }))
				tris := triangles(m)
				p := NewPanels(tris, randomStarts(rng, len(tris), 20))
				p.kernel = k
				spans, in := randomSpans(rng, p, rng.IntN(4))
				x := hard(rng, tris[rng.IntN(len(tris))], w)
				checkPanels(t, fmt.Sprintf("%s, trial %d", w.name, trial), p, x, spans, in, &s)
			}
		}
	})
}

func checkPanels(t *testing.T, where string, p *Panels, x r3.Vector, spans []Span, in []mesh.Triangle, s *PanelSum) {
	t.Helper()
	w, bound, on := p.Winding(x, spans, s)
	want, wantOn := bigf(), false
	for _, f := range in {
		turns, how := twinTurns(bigSub(f[0], x), bigSub(f[1], x), bigSub(f[2], x))
		want.Add(want, turns)
		wantOn = wantOn || how == always
	}
	if on != wantOn {
		t.Fatalf("%s: x %v: on %v, want %v", where, x, on, wantOn)
	}
	if d, ok := off(w, want, bound); !ok {
		t.Fatalf("%s: x %v: %v, want %v: off by %g, bound %g", where, x, w, want, d, bound)
	}
}

// Small triangles surround the point. The kernel skips no lane, and the arguments sum to several
// turns. Some kernel calls end within a span, and the bound is tight.
func TestPanelsFar(t *testing.T) {
	forKernels(t, func(t *testing.T, k kernel) {
		rng := newRand(410)
		tris := triangles(mustMesh(globe(24)))
		for len(tris) < 8000 {
			tris = append(tris, tris...)
		}
		exact := bigf()
		x := randomVector(rng).Mul(0.3)
		for _, f := range tris[:len(tris)/8] {
			turns, _ := twinTurns(bigSub(f[0], x), bigSub(f[1], x), bigSub(f[2], x))
			exact.Add(exact, turns)
		}
		once, _ := exact.Float64()
		var s PanelSum
		for trial := range 50 {
			p := NewPanels(tris[:len(tris)/8], append([]int32{0}, randomStarts(rng, len(tris)/8, 1+trial*20)[1:]...))
			p.kernel = k
			whole := p.Span(0, int32(len(tris)/8))
			var spans []Span
			times := 1 + trial%7
			for range times {
				cut := p.starts[rng.IntN(len(p.starts))]
				spans = append(spans, p.Span(cut, int32(p.Len())), p.Span(0, cut), whole, Span{})
			}
			near := s.Near
			w, bound, on := p.Winding(x, spans, &s)
			want := float64(2*times) * once
			if on || math.Abs(w-want) > bound+1e-15*want || bound > 1e-11*want {
				t.Fatalf("trial %d: %v ± %g, want %v, on %v", trial, w, bound, want, on)
			}
			if s.Near != near {
				t.Fatalf("trial %d: %d triangles took the scalar path, want 0", trial, s.Near-near)
			}
		}
	})
}

// Panels with the fastest kernel agree with Direct on the same triangles.
func TestPanelsAgainstDirect(t *testing.T) {
	forKernels(t, func(t *testing.T, k kernel) {
		rng := newRand(420)
		m := mustMesh(globe(30))
		tris := triangles(m)
		p := NewPanels(tris, randomStarts(rng, len(tris), 40))
		p.kernel = k
		all := []Span{p.Span(0, int32(len(tris)))}
		d := NewDirect(m, 1)
		var s PanelSum
		for trial := range trials(3000, 100000) {
			x := hard(rng, tris[rng.IntN(len(tris))], worlds[0])
			if trial%3 == 0 {
				x = randomVector(rng).Mul(math.Pow(10, 40*rng.Float64()))
			}
			w, e, on := p.Winding(x, all, &s)
			w2, e2, on2 := d.Winding(x)
			if on != on2 || !(math.Abs(w-w2) <= e+e2) {
				t.Fatalf("trial %d: x %v: got %v ± %g %v, want the direct sum %v ± %g %v", trial, x, w, e, on, w2, e2, on2)
			}
			if e > e2+2e-10 {
				t.Fatalf("trial %d: x %v: bound %g, direct %g", trial, x, e, e2)
			}
		}
	})
}

// All kernels skip the same lanes and stop at the same block. They write no memory outside their
// state.
func TestPanelKernelsAgree(t *testing.T) {
	rng := newRand(430)
	tris := triangles(mustMesh(globe(30)))
	const guard = 0x1.23456789abcdep+77
	type guarded struct {
		before [8]float64
		st     panelState
		after  [8]float64
	}
	for trial := range trials(2000, 50000) {
		p := NewPanels(tris, randomStarts(rng, len(tris), 1+rng.IntN(100)))
		spans, _ := randomSpans(rng, p, 1+rng.IntN(30))
		x := randomVector(rng)
		x = x.Mul(1.02 / x.Norm())
		var want panelState
		for _, k := range append([]kernel{generic}, panelKernels()...) {
			var g guarded
			for i := range g.before {
				g.before[i], g.after[i] = guard, guard
			}
			g.st = panelState{x: [3]float64{x.X, x.Y, x.Z}, limit: int64(len(p.blocks)), used: 77, count: 77, re: 7, im: 7, turns: 7}
			first := spans[0]
			g.st.done = rng.Int64N(int64(first.Count) + 1)
			if k == generic && trial%2 == 0 {
				g.st.done = 0
			}
			start := g.st.done
			k.winding(&g.st, p.blocks, spans)
			st := &g.st
			for i := range g.before {
				if g.before[i] != guard || g.after[i] != guard {
					t.Fatalf("trial %d: kernel %d wrote outside its state", trial, k)
				}
			}
			want = panelState{x: st.x, limit: st.limit, done: start}
			windingGeneric(&want, p.blocks, spans)
			if st.span != want.span || st.done != want.done || st.count != want.count || st.used != want.used {
				t.Fatalf("trial %d, kernel %d: span %d, done %d, count %d, used %d, want %d, %d, %d, %d", trial, k,
					st.span, st.done, st.count, st.used, want.span, want.done, want.count, want.used)
			}
			for i := range st.used {
				if st.list[i] != want.list[i] {
					t.Fatalf("trial %d, kernel %d: entry %d is %x, want %x", trial, k, i, st.list[i], want.list[i])
				}
			}
			got, twin := product{st.re, st.im, st.turns}.total(), product{want.re, want.im, want.turns}.total()
			if math.Abs(got-twin) > 2*errorPanel*want.sizes+errorFactor*float64(16*st.count)+1e-15 ||
				math.Abs(st.sizes-want.sizes) > 1e-12*want.sizes {
				t.Fatalf("trial %d, kernel %d: %v turns, sizes %v, want %v, %v", trial, k, got, st.sizes, twin, want.sizes)
			}
		}
	}
}

func TestPanelsSpecialPoints(t *testing.T) {
	tetra := triangles(mustMesh(mesh.Soup{
		Vertices: []r3.Vector{{}, {X: 4}, {Y: 4}, {Z: 4}},
		Faces:    [][3]int32{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}},
	}))
	tetra = append(tetra, mesh.Triangle{{X: 9}, {X: 9}, {X: 9}}, mesh.Triangle{{X: 6}, {X: 7}, {X: 8}})
	forKernels(t, func(t *testing.T, k kernel) {
		p := NewPanels(tetra, []int32{0, 2})
		p.kernel = k
		all := []Span{p.Span(0, 6)}
		for _, c := range []struct {
			name string
			x    r3.Vector
			w    float64
			on   bool
		}{
			{"inside", r3.Vector{X: 1, Y: 1, Z: 1}, 1, false},
			{"outside", r3.Vector{X: -1, Y: 1, Z: 1}, 0, false},
			{"on a face", r3.Vector{X: 1, Y: 1}, 0.5, true},
			{"on a right-angled edge", r3.Vector{X: 2}, 0.25, true},
			{"on the corner", r3.Vector{}, 0.125, true},
			{"on a point", r3.Vector{X: 9}, 0, true},
			{"on a segment", r3.Vector{X: 6.5}, 0, true},
			{"far", r3.Vector{X: 1e30}, 0, false},
			{"farther", r3.Vector{Y: -1e300}, 0, false},
			{"NaN", r3.Vector{X: math.NaN()}, math.NaN(), false},
			{"infinite", r3.Vector{Y: math.Inf(-1)}, math.NaN(), false},
		} {
			var s PanelSum
			w, bound, on := p.Winding(c.x, all, &s)
			switch {
			case on != c.on:
				t.Errorf("%s: on %v, want %v", c.name, on, c.on)
			case math.IsNaN(c.w):
				if !math.IsNaN(w) || !math.IsInf(bound, 1) {
					t.Errorf("%s: %v ± %v, want NaN ± Inf", c.name, w, bound)
				}
			case math.Abs(w-c.w) > bound || bound > 1e-12:
				t.Errorf("%s: %v ± %g, want %v", c.name, w, bound, c.w)
			}
			if w, bound, on := p.Winding(c.x, nil, &s); !math.IsNaN(c.w) && (w != 0 || bound > 1e-14 || on) {
				t.Errorf("%s, no spans: %v ± %v, on %v", c.name, w, bound, on)
			}
		}
	})
}

func TestPanelsPanics(t *testing.T) {
	tris := triangles(mustMesh(globe(4)))
	p := NewPanels(tris, []int32{0, 9, 20})
	var s PanelSum
	for name, f := range map[string]func(){
		"first group not at 0": func() { NewPanels(tris, []int32{1, 4}) },
		"groups not in order":  func() { NewPanels(tris, []int32{0, 5, 4}) },
		"groups beyond":        func() { NewPanels(tris, []int32{0, 33}) },
		"no groups":            func() { NewPanels(tris, nil) },
		"span within a group":  func() { p.Span(0, 10) },
		"span backwards":       func() { p.Span(9, 0) },
		"span beyond":          func() { p.Span(0, 40) },
		"blocks beyond":        func() { p.Winding(r3.Vector{}, []Span{{0, 1}, {4, 3}}, &s) },
		"blocks before":        func() { p.Winding(r3.Vector{}, []Span{{-1, 1}}, &s) },
		"negative count":       func() { p.Winding(r3.Vector{}, []Span{{1, -1}}, &s) },
		"blocks of nothing":    func() { NewPanels(nil, nil).Winding(r3.Vector{}, []Span{{0, 1}}, &s) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: got no panic, want one", name)
				}
			}()
			f()
		}()
	}
	if w, bound, on := NewPanels(nil, nil).Winding(r3.Vector{}, []Span{{}}, &s); w != 0 || bound > 1e-14 || on {
		t.Errorf("no triangles: %v ± %v, on %v", w, bound, on)
	}
}

func TestPanelsDoNotAllocate(t *testing.T) {
	tris := triangles(mustMesh(globe(20)))
	p := NewPanels(tris, []int32{0, 100, 300})
	spans := []Span{p.Span(0, 100), p.Span(300, int32(len(tris)))}
	s := new(PanelSum)
	for _, x := range []r3.Vector{{X: 0.1, Y: 0.2, Z: 0.3}, {X: 0.999, Y: 1e-3}, {X: 1e200}} {
		if n := testing.AllocsPerRun(20, func() { p.Winding(x, spans, s) }); n != 0 {
			t.Errorf("x %v: %v allocations, want 0", x, n)
		}
	}
}

// A point 1e-323 below a face sees its inner side. The product of all factors has a negative real
// part above 10⁶, and its imaginary part is the smallest float64.
func TestWindingNextToFace(t *testing.T) {
	tris := []mesh.Triangle{
		{{X: -0.5, Y: 0, Z: 0}, {X: -0.5, Y: 0.5, Z: 0}, {X: 0.5, Y: 1.5, Z: 0}},
		{{X: -0.5, Y: 0, Z: 0}, {X: 0.5, Y: 1.5, Z: 0}, {X: 0.5, Y: 0.5, Z: 0}},
		{{X: -0.5, Y: 0, Z: 0}, {X: 0.5, Y: 0.5, Z: 0}, {X: 0.5, Y: 0, Z: 0}},
		{{X: 0.5, Y: 0.5, Z: 0}, {X: 0.5, Y: 1.5, Z: 0}, {X: 0.5, Y: 1, Z: 0}},
		{{X: 0.5, Y: 1.5, Z: 0}, {X: -0.5, Y: 0.5, Z: 0}, {X: -0.5, Y: 2, Z: 0}},
		{{X: 0.5, Y: 1.5, Z: 0}, {X: -0.5, Y: 2, Z: 0}, {X: 0.5, Y: 2, Z: 0}},
		{{X: -0.5, Y: 2, Z: 0}, {X: -0.5, Y: 0.5, Z: 0}, {X: -0.5, Y: 1.5, Z: 0}},
		{{X: -0.5, Y: 1.5, Z: 0}, {X: -0.5, Y: 0.5, Z: 0}, {X: -0.5, Y: 1, Z: 0}},
		{{X: 0.5, Y: 2, Z: 0}, {X: 0.5, Y: 2, Z: 0}, {X: 0.5, Y: 2, Z: 0}},
	}
	p := NewPanels(tris, []int32{0})
	for _, z := range []float64{-1e-323, 1e-323} {
		x := r3.Vector{X: 0x1.145d3a38ea933p-03, Y: 0x1.41d7422605863p+00, Z: z}
		want := math.Copysign(0.5, z)
		if w, bound, on := p.Winding(x, []Span{p.Span(0, int32(len(tris)))}, new(PanelSum)); on || math.Abs(w-want) > bound {
			t.Errorf("z = %g: W = %v ± %g, on %v; want %v", z, w, bound, on, want)
		}
	}
}
