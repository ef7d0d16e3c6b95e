package nearest

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// pairAt returns a triangle and a point beside one of its parts. Some coordinates are equal, tiny,
// huge or not finite.
func pairAt(r *rand.Rand) (p r3.Vector, t mesh.Triangle) {
	scale := 1.0
	if r.IntN(4) == 0 {
		scale = math.Ldexp(1, r.IntN(2100)-1070)
	}
	for k := range t {
		t[k] = cube(r)
		if k > 0 && r.IntN(4) == 0 {
			t[k].X = t[0].X
		}
		if k > 0 && r.IntN(4) == 0 {
			t[k].Z = t[0].Z
		}
		if k > 0 && r.IntN(20) == 0 {
			t[k] = t[0]
		}
	}
	switch r.IntN(4) {
	case 0:
		p = cube(r).Mul(4)
	case 1: // above the face
		n := t[1].Sub(t[0]).Cross(t[2].Sub(t[0]))
		p = t[0].Mul(0.5).Add(t[1].Mul(0.25)).Add(t[2].Mul(0.25)).Add(n.Mul(log(r, -30, 2)))
	case 2: // beyond a corner
		k := r.IntN(3)
		p = t[k].Add(t[k].Sub(t[(k+1)%3]).Mul(log(r, -20, 2))).Add(t[k].Sub(t[(k+2)%3]).Mul(log(r, -20, 2)))
	default: // beside an edge
		k := r.IntN(3)
		p = t[k].Add(t[(k+1)%3]).Mul(0.5).Add(t[k].Sub(t[(k+2)%3]).Mul(log(r, -20, 2)))
	}
	for k := range t {
		t[k] = t[k].Mul(scale)
	}
	p = p.Mul(scale)
	switch r.IntN(100) {
	case 0:
		p.X = math.NaN()
	case 1:
		p.Y = math.Inf(1)
	case 2:
		p = t[r.IntN(3)]
	}
	return p, t
}

// The assembly computes the same numbers as the Go version.
func TestMeasurePairs(t *testing.T) {
	if !hasFMA {
		t.Skip("no FMA, or built without assembly")
	}
	r := rand.New(rand.NewPCG(22, 1))
	parts := map[part]int{}
	unknown := 0
	for range rounds(100, 20000) {
		got := new(pairList)
		for range r.IntN(maxPairs + 1) {
			p, tri := pairAt(r)
			got.add(0, 0, &p, 0, &tri)
		}
		want := new(pairList)
		*want = *got
		if hasAVX512 && r.IntN(2) == 0 {
			measurePairsAVX512(got, got.size)
		} else {
			measurePairsAVX2(got, got.size)
		}
		measurePairsGeneric(want, want.size)
		for i := range got.size {
			a := measured{got.hi[i], got.lo[i], got.err[i], part(got.part[i])}
			b := measured{want.hi[i], want.lo[i], want.err[i], part(want.part[i])}
			parts[b.part]++
			if math.IsInf(b.err, 1) { // hi and lo have no meaning
				unknown++
				a.hi, a.lo = b.hi, b.lo
			}
			if a != b {
				t.Fatalf("pair %d of %d: got %+v, want %+v", i, got.size, a, b)
			}
		}
	}
	if len(parts) != 8 || unknown == 0 {
		t.Errorf("parts %v, %d unknown distances; want all parts", parts, unknown)
	}
}

// The Go type has the layout that tools/kernels/nearest uses.
func TestPairLayout(t *testing.T) {
	var l pairList
	const list = 8 * maxPairs
	for name, at := range map[string][2]uintptr{
		"point": {unsafe.Offsetof(l.point), 0}, "corner": {unsafe.Offsetof(l.corner), 3 * list}, "hi": {unsafe.Offsetof(l.hi), 12 * list},
		"lo": {unsafe.Offsetof(l.lo), 13 * list}, "err": {unsafe.Offsetof(l.err), 14 * list}, "part": {unsafe.Offsetof(l.part), 15 * list},
		"owner": {unsafe.Offsetof(l.owner), 16*list + 64*maxMemory},
		"at":    {unsafe.Offsetof(l.at) - unsafe.Offsetof(l.owner), 4 * maxPairs}, "block": {unsafe.Offsetof(l.block) - unsafe.Offsetof(l.at), 4 * maxPairs},
		"memory": {unsafe.Offsetof(l.memory), 16 * list}, "maxPairs": {maxPairs, 400}, "maxMemory": {maxMemory, 160},
	} {
		if at[0] != at[1] {
			t.Errorf("%s is %d, want %d as in the assembly", name, at[0], at[1])
		}
	}
}
