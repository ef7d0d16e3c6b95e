package rays

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// pick returns a point that is hard to handle: a vertex, or a point on an edge or on a face, rounded, or
// a random point in or around the box, or a vertex moved by an ulp.
func pick(m *mesh.Mesh, r *rand.Rand) r3.Vector {
	box := m.Box()
	if box.Empty() {
		return r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64()}
	}
	t := m.Triangle(int32(r.IntN(m.NumFaces())))
	size := box.Size()
	switch r.IntN(7) {
	case 0:
		return t[r.IntN(3)]
	case 1:
		return t[0].Mul(0.5).Add(t[1].Mul(0.5))
	case 2:
		return t[0].Mul(0.5).Add(t[1].Mul(0.25)).Add(t[2].Mul(0.25))
	case 3:
		p := t[0]
		p.X = math.Nextafter(p.X, math.Inf(r.IntN(2)*2-1))
		return p
	case 4: // on a coordinate plane of a vertex
		p := box.Min.Add(r3.Vector{X: size.X * r.Float64(), Y: size.Y * r.Float64(), Z: size.Z * r.Float64()})
		p.Z = t[0].Z
		return p
	}
	return box.Min.Add(r3.Vector{
		X: size.X * (1.5*r.Float64() - 0.25), Y: size.Y * (1.5*r.Float64() - 0.25), Z: size.Z * (1.5*r.Float64() - 0.25),
	})
}

// randomLines returns rays and segments between points of pick. Some are parallel to an axis or to an
// edge, and some extend an edge.
func randomLines(m *mesh.Mesh, n int, r *rand.Rand) (rs []Ray, segments []Segment) {
	for range n {
		a, b := pick(m, r), pick(m, r)
		switch r.IntN(8) {
		case 0: // parallel to an axis
			p := [3]r3.Vector{a, a, a}
			p[0].X, p[1].Y, p[2].Z = b.X, b.Y, b.Z
			b = p[r.IntN(3)]
		case 1:
			if m.NumFaces() > 0 { // along an edge, and possibly beyond
				t := m.Triangle(int32(r.IntN(m.NumFaces())))
				e := t[1].Sub(t[0])
				before, after := float64(r.IntN(3)-1)*0.5, float64(r.IntN(3)-1)*0.5
				a, b = t[0].Sub(e.Mul(before)), t[1].Add(e.Mul(after))
			}
		case 2:
			if r.IntN(4) == 0 {
				b = a
			}
		}
		segments = append(segments, Segment{a, b})
		if d := b.Sub(a); d != (r3.Vector{}) {
			rs = append(rs, Ray{a, d.Mul(math.Ldexp(1, r.IntN(3)))})
		}
	}
	return rs, segments
}

// within reports whether |x − exact| ≤ bound.
func within(x, bound float64, exact rat) bool {
	if math.IsInf(bound, 1) {
		return true
	}
	d := new(big.Rat).Sub(ratOf(x), exact)
	return d.Abs(d).Cmp(ratOf(bound)) <= 0
}

// checkLines compares all answers for lines with those of the twin.
func checkLines[L Line](t *testing.T, c *Caster, lines []L, r *rand.Rand) (found, ties int) {
	t.Helper()
	ctx, m := context.Background(), c.mesh
	var all Hits
	var events Events
	first, met := make([]Hit, len(lines)), make([]bool, len(lines))
	for _, err := range []error{
		AllTo(ctx, c, &all, lines), EventsTo(ctx, c, &events, lines),
		FirstTo(ctx, c, first, lines), AnyTo(ctx, c, met, lines),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range lines {
		l := newLine(c, &lines[i], new(posed))
		w := twinOf(l)
		want, got := w.hits(m), all.Of(i)
		if len(got) != len(want) {
			t.Fatalf("%v: %d hits %+v, want %d", lines[i], len(got), got, len(want))
		}
		last := -1.0
		for k, h := range got {
			if h.Face != want[k].face || !within(h.T, h.Bound, want[k].lo) ||
				h.T < last || h.T < 0 || l.segment && h.T > 1 {
				t.Fatalf("%v: hit %d is %+v, want face %d at %s", lines[i], k, h, want[k].face, want[k].lo.FloatString(20))
			}
			last = h.T
		}
		if (len(want) > 0) != met[i] {
			t.Fatalf("%v: any is %v, want %v", lines[i], met[i], !met[i])
		}
		if h := first[i]; len(want) == 0 && h.Face != -1 || len(want) > 0 &&
			(h.Face != got[0].Face || h.Sign != got[0].Sign || h.Jump != got[0].Jump || !within(h.T, h.Bound, want[0].lo)) {
			t.Fatalf("%v: first is %+v, want %+v", lines[i], h, got)
		}
		k := 0
		for n, e := range events.Of(i) {
			of, jump := events.HitsOf(e), 0
			for _, h := range of {
				if h != got[k] || h.T != e.T {
					t.Fatalf("%v: event %d has %+v, want %+v", lines[i], n, h, got[k])
				}
				jump += int(h.Jump)
				k++
			}
			if jump != e.Jump || want[k-1].lo.Cmp(want[k-len(of)].lo) != 0 ||
				k < len(want) && want[k].lo.Cmp(want[k-1].lo) == 0 {
				t.Fatalf("%v: event %d: %+v", lines[i], n, e)
			}
			if len(of) > 1 {
				ties++
			}
		}
		if k != len(got) {
			t.Fatalf("%v: the events have %d hits of %d", lines[i], k, len(got))
		}
		found += k
		if m.Closed() && len(want) > 0 && !l.isPoint() {
			checkJumps(t, m, &w, want, events.Of(i), events.Hits.Offsets[i], r)
		}
	}
	return found, ties
}

// checkJumps compares sums of jumps with differences of winding numbers.
func checkJumps(t *testing.T, m *mesh.Mesh, w *twin, hits []twinHit, events []Event, base int, r *rand.Rand) {
	t.Helper()
	ends := []rat{w.limit.lo}
	for _, e := range events {
		ends = append(ends, hits[e.First-base].lo)
	}
	end := ends[len(ends)-1]
	for _, h := range hits {
		if h.hi.Cmp(end) > 0 {
			end = h.hi
		}
	}
	if w.limit.hi == nil {
		ends = append(ends, end, new(big.Rat).Add(end, big.NewRat(1, 1)))
	} else {
		ends = append(ends, end, w.limit.hi)
	}
	before, sum := (*int64)(nil), int64(0)
	for n := range ends[1:] {
		if 0 < n && n <= len(events) {
			sum += int64(events[n-1].Jump)
		}
		if ends[n].Cmp(ends[n+1]) == 0 {
			continue
		}
		mid := between(ends[n], ends[n+1])
		if slices.ContainsFunc(hits, func(h twinHit) bool { return h.lo.Cmp(mid) <= 0 && mid.Cmp(h.hi) <= 0 }) {
			continue
		}
		now, _ := w.windingAt(m, w.a.along(w.d, mid), r)
		if before != nil && now-*before != sum {
			t.Fatalf("from %v along %v at %s: W changes from %d to %d, but the jumps are %d",
				w.start, w.d, mid.FloatString(10), *before, now, sum)
		}
		before, sum = &now, 0
	}
}

// checkIntervals compares the intervals of segments with those of the twin.
func checkIntervals(t *testing.T, c *Caster, segments []Segment, r *rand.Rand) {
	t.Helper()
	var got Intervals
	if err := IntervalsTo(context.Background(), c, &got, segments, 0); err != nil {
		t.Fatal(err)
	}
	for i := range segments {
		l := newLine(c, &segments[i], new(posed))
		w := twinOf(l)
		hits := w.hits(c.mesh)
		checkCover(t, segments[i], got.Of(i))
		if l.isPoint() {
			p, of := segments[i].A, got.Of(i)
			if s := c.set.Exact.Side(p); len(of) != 1 || of[0].Side != s || of[0].Length != 0 ||
				(s == side.OnSurface) != (len(hits) > 0) {
				t.Fatalf("point %v: %+v, want %v", p, of, s)
			}
			continue
		}
		if !c.Exact() {
			checkOn(t, segments[i], got.Of(i), hits)
			continue
		}
		want := w.pieces(c.mesh, hits, c.rule, r)
		if len(want) != len(got.Of(i)) {
			t.Fatalf("%v: %+v, want %v", segments[i], got.Of(i), want)
		}
		for k, v := range got.Of(i) {
			p := want[k]
			if v.Side != p.side || !within(v.From, v.FromBound, p.lo) || !within(v.To, v.ToBound, p.hi) ||
				!lengthHolds(&w, v, p.span) {
				t.Fatalf("%v: interval %d is %+v, want %v from %s to %s",
					segments[i], k, v, p.side, p.lo.FloatString(20), p.hi.FloatString(20))
			}
		}
	}
}

// checkCover checks that intervals cover a segment without gaps.
func checkCover(t *testing.T, s Segment, of []Interval) {
	t.Helper()
	for k, v := range of {
		if k == 0 && (v.From != 0 || v.FromBound != 0) || k == len(of)-1 && (v.To != 1 || v.ToBound != 0) ||
			k > 0 && (v.From != of[k-1].To || v.FromBound != of[k-1].ToBound || v.Side == of[k-1].Side) ||
			v.From > v.To || v.Length < 0 {
			t.Fatalf("%v: interval %d of %+v", s, k, of)
		}
	}
}

// checkOn compares the intervals on the surface with the hits.
func checkOn(t *testing.T, s Segment, of []Interval, hits []twinHit) {
	t.Helper()
	var want []span
	slices.SortStableFunc(hits, func(g, h twinHit) int { return g.lo.Cmp(h.lo) })
	for _, h := range hits {
		switch n := len(want); {
		case h.lo.Cmp(h.hi) == 0:
		case n > 0 && h.lo.Cmp(want[n-1].hi) <= 0:
			if h.hi.Cmp(want[n-1].hi) > 0 {
				want[n-1].hi = h.hi
			}
		default:
			want = append(want, h.span)
		}
	}
	k := 0
	for _, v := range of {
		if v.Side != side.OnSurface {
			continue
		}
		if k >= len(want) || !within(v.From, v.FromBound, want[k].lo) ||
			!within(v.To, v.ToBound, want[k].hi) {
			t.Fatalf("%v: %+v, want %v on the surface", s, of, want)
		}
		k++
	}
	if k != len(want) {
		t.Fatalf("%v: %+v, want %v on the surface", s, of, want)
	}
}

// lengthHolds reports whether the length of v is right. It compares squares.
func lengthHolds(w *twin, v Interval, p span) bool {
	width := new(big.Rat).Sub(p.hi, p.lo)
	square := w.d.dot(w.d)
	square.Mul(square, width.Mul(width, width))
	if w.scale != nil {
		square.Quo(square, new(big.Rat).Mul(w.scale, w.scale))
	}
	length, bound := ratOf(v.Length), ratOf(v.LengthBound)
	lo, hi := new(big.Rat).Sub(length, bound), new(big.Rat).Add(length, bound)
	return (lo.Sign() <= 0 || lo.Mul(lo, lo).Cmp(square) <= 0) && hi.Mul(hi, hi).Cmp(square) >= 0
}

var rules = []inpoly.Rule{inpoly.NonZero, inpoly.Positive, inpoly.Negative, inpoly.EvenOdd}

func TestCatalogEqualsTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	n := 4
	if testcorpus.Full() {
		n = 300
	}
	found, ties := 0, 0
	for _, s := range testmesh.Catalog() {
		for _, rule := range rules {
			c := caster(t, testmesh.Mesh(s.Soup), inpoly.Options{Rule: rule, Orient: inpoly.OrientNever})
			rs, segments := randomLines(c.mesh, n, r)
			t.Run(s.Name+" "+rule.String(), func(t *testing.T) {
				f, e := checkLines(t, c, rs, r)
				g, h := checkLines(t, c, segments, r)
				found, ties = found+f+g, ties+e+h
				checkIntervals(t, c, segments, r)
			})
		}
	}
	if found < 500 || ties < 100 {
		t.Errorf("%d hits, %d events with several hits: the test covers too little", found, ties)
	}
	t.Logf("%d hits, %d events with several hits", found, ties)
}
