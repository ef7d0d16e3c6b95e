package layout

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
)

// hardLanes returns lanes of triangles, and of points that are near their planes or exactly in them.
func hardLanes(r *rand.Rand, n int) []Lanes {
	l := make([]Lanes, n)
	for k := range l {
		for lane := range LaneCount {
			scale := math.Ldexp(1, r.IntN(40)-20)
			digits := math.Ldexp(1, 3+r.IntN(50)) // few digits give exact results
			c := func() float64 { return math.Round((2*r.Float64()-1)*digits) / digits * scale }
			v := func() r3.Vector { return r3.Vector{X: c(), Y: c(), Z: c()} }
			a, b, d, end := v(), v(), v(), v()
			s, t := math.Round(r.Float64()*16)/16, math.Round(r.Float64()*16)/16
			p := a.Add(b.Sub(a).Mul(s)).Add(d.Sub(a).Mul(t))
			switch r.IntN(8) {
			case 0:
				p = v()
			case 1:
				p.X += math.Ldexp(scale, -r.IntN(60))
			case 2:
				p = b
			case 3: // the segment meets an edge, or almost meets it
				p, end = v(), a.Add(b.Sub(a).Mul(s))
			case 4:
				p.X, end.Y = math.Inf(1), math.NaN()
			case 5:
				a.X, b.Y, p.Z = 0x1p500, -0x1p500, 0x1p499
			case 6:
				tiny := func(v r3.Vector) r3.Vector { return v.Mul(0x1p-340) }
				a, b, d, p, end = tiny(a), tiny(b), tiny(d), tiny(p), tiny(end)
			}
			l[k].SetPlane(lane, &a, &b, &d, &p)
			l[k].SetEnd(lane, &end)
		}
	}
	return l
}

// The filters never contradict the exact signs, and decide most lanes. The assembly code has the same
// results as the generic code.
func TestLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, kernel := range []struct {
		name          string
		fast, generic func([]Lanes, []uint8)
		exact         func(t mesh.Triangle, p, end r3.Vector) (first, second bool)
	}{
		{"PlaneLanes", PlaneLanes, planeLanesGeneric, exactPlane},
		{"SegmentLanes", SegmentLanes, segmentLanesGeneric, exactSegment},
	} {
		decided, possible := 0, 0
		for n := range 300 {
			l := hardLanes(r, n)
			got, want := make([]uint8, n+1), make([]uint8, n)
			got[n] = 0xa5
			kernel.fast(l, got[:n])
			kernel.generic(l, want)
			if got[n] != 0xa5 {
				t.Fatalf("%s writes beyond its result", kernel.name)
			}
			for k := range l {
				if got[k] != want[k] {
					t.Fatalf("%s: lanes %+v: %08b, want %08b", kernel.name, l[k], got[k], want[k])
				}
				for i := range LaneCount {
					v, p, end := l[k].get(i)
					if !finite(v[0]) || !finite(v[1]) || !finite(v[2]) || !finite(p) || !finite(end) {
						continue
					}
					first, second := kernel.exact(v, p, end)
					if got[k]>>i&1 == 1 && !first || got[k]>>(LaneCount+i)&1 == 1 && !second {
						t.Fatalf("%s: lane %d of %+v: %08b is wrong", kernel.name, i, l[k], got[k])
					}
					if first || second {
						possible++
						decided += int(got[k]>>i&1 | got[k]>>(LaneCount+i)&1)
					}
				}
			}
		}
		if decided < possible/2 {
			t.Errorf("%s decided only %d of %d lanes", kernel.name, decided, possible)
		}
	}
}

func exactPlane(t mesh.Triangle, p, _ r3.Vector) (positive, negative bool) {
	s := predicates.Orient3D(t[0], t[1], t[2], p)
	return s > 0, s < 0
}

func exactSegment(t mesh.Triangle, p, end r3.Vector) (hit, miss bool) {
	u := predicates.Orient3D(end, t[0], t[1], p)
	v := predicates.Orient3D(end, t[1], t[2], p)
	w := predicates.Orient3D(end, t[2], t[0], p)
	return u == v && v == w && u != 0, u*v < 0 || v*w < 0 || u*w < 0
}

func finite(v r3.Vector) bool { return v.X*0+v.Y*0+v.Z*0 == 0 }
