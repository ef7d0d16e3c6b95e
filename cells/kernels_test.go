package cells

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// certain is more than the errors that its comment adds up, and no sum of a plane
// leaves int32, not even with certain added.
func TestCertainIsProved(t *testing.T) {
	const (
		coefficients = 4 * 0.75 * unitU                  // rounding to int16, and 1/4 behind it
		coordinates  = (0.5 + 0x1p-19*unitU) * 3 * unitQ // rounding, and corners off by 2^−20 of the edge
		largest      = 4*unitQ*unitU + certain           // in magnitude
		moved        = 0x1p-23*2*unitU + 0x1p-20*2*unitU // points and corners, in units
	)
	if coefficients+coordinates >= certain {
		t.Errorf("errors add up to %v, certain is %d", coefficients+coordinates, certain)
	}
	if largest > math.MaxInt32 {
		t.Errorf("values reach %d", int64(largest))
	}
	if slack*2*unitU < moved {
		t.Errorf("slack is %v units, points and corners move by %v", slack*2*unitU, moved)
	}
}

// randomLine returns a line of planes, some of them not there, through the middle
// or with the largest values.
func randomLine(r *rand.Rand) *line {
	l := &line{uint64(r.Uint32())<<8 | uint64(r.IntN(2))}
	for j := 1; j < len(l); j++ {
		q := uint64(0)
		for k := range 4 {
			c := int16(r.IntN(2*unitQ+1) - unitQ)
			switch r.IntN(5) {
			case 0:
				c = int16([]int{-unitQ, 0, unitQ}[r.IntN(3)])
			case 1:
				c = int16(r.IntN(41) - 20)
			}
			q |= uint64(uint16(c)) << (16 * k)
		}
		if r.IntN(8) == 0 {
			q = noPlane
		}
		l[j] = q
	}
	return l
}

// randomUnit returns a coordinate in a cell, often at its ends.
func randomUnit(r *rand.Rand) int32 {
	if r.IntN(3) == 0 {
		return []int32{-unitU, 0, unitU}[r.IntN(3)]
	}
	return r.Int32N(2*unitU+1) - unitU
}

// The kernels agree with the loops that they stand for, for any number of
// lines, and write nothing beyond.
func TestPlaneSigns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const guard = 0xa5a5
	for n := range 70 {
		lines, at := make([]*line, n), make([]uint64, n)
		for i := range lines {
			lines[i], at[i] = randomLine(r), pack(randomUnit(r), randomUnit(r), randomUnit(r))
		}
		want, got := make([]uint16, n+3), make([]uint16, n+3)
		for i := range got {
			want[i], got[i] = guard, guard
		}
		planeSignsGeneric(lines, at, want[:n])
		planeSigns(lines, at, got[:n])
		for i := range got {
			if i < n && got[i]&0xfefe != want[i] || i >= n && got[i] != guard {
				t.Fatalf("%d lines: signs %d are %#x, want %#x: line %#x at %#x", n, i, got[i], want[i], *lines[i], at[i])
			}
		}
	}
}

// cornerSigns are the signs of planes at the ends of all coordinates, with and
// without assembly.
func TestCornerSigns(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 5000 {
		l := randomLine(r)
		var pos, neg, pos2, neg2 [8]uint8
		cornerSigns(l, &pos, &neg)
		cornerSignsGeneric(l, &pos2, &neg2)
		for c := range int32(8) {
			p, n := l.signs((2*(c&1)-1)*unitU, (2*(c>>1&1)-1)*unitU, (2*(c>>2)-1)*unitU)
			for j := 1; j < len(l); j++ {
				want := [2]uint8{uint8(p >> (j - 1) & 1), uint8(n >> (j - 1) & 1)}
				if got := [2]uint8{pos[j] >> c & 1, neg[j] >> c & 1}; got != want {
					t.Fatalf("corner %d, plane %d of %#x: %v, want %v", c, j, *l, got, want)
				}
				if got := [2]uint8{pos2[j] >> c & 1, neg2[j] >> c & 1}; got != want {
					t.Fatalf("corner %d, plane %d of %#x: %v without assembly, want %v", c, j, *l, got, want)
				}
			}
		}
	}
}

// lookUp finds the same sides and the same points to be decided elsewhere with
// and without assembly, but for coordinates that round to −0, and writes nothing
// beyond.
func TestLookUp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	m := testmesh.Mesh(testmesh.Union(testmesh.Star(3, .5, 2), testmesh.Translate(testmesh.Star(2, .5, 3), r3.Vector{X: 3, Y: 1, Z: -2})))
	x, err := New(t.Context(), m, Options{Rays: func(ctx context.Context) (*raycross.Caster, error) {
		tree, err := bvh.Build(ctx, m.Boxes(), bvh.Options{})
		if err != nil {
			return nil, err
		}
		return raycross.New(m, tree, m.Gather(tree.Index()), raycross.Options{})
	}})
	if err != nil {
		t.Fatal(err)
	}
	coordinate := func(low, extent float64) float64 {
		switch r.IntN(12) {
		case 0:
			return []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 0x1p31 * x.cell, low + extent*x.cell, low, low - 1e-9}[r.IntN(9)]
		case 1:
			return low + float64(r.IntN(int(extent)+1))*x.cell
		}
		return low + x.cell*extent*(1.1*r.Float64()-0.05)
	}
	for n := range 200 {
		pts := make([]r3.Vector, n)
		for i := range pts {
			pts[i] = r3.Vector{X: coordinate(x.min.X, x.lim[0]), Y: coordinate(x.min.Y, x.lim[1]), Z: coordinate(x.min.Z, x.lim[2])}
		}
		const guard = side.Side(77)
		got, want := make([]side.Side, n+9), make([]side.Side, n+9)
		for i := range got {
			got[i], want[i] = guard, guard
		}
		later, later2 := make([]uint8, (n+7)/8+1), make([]uint8, (n+7)/8+1)
		later[(n+7)/8], later2[(n+7)/8] = 0x5a, 0x5a
		x.lookUp(got[:n], pts, later[:(n+7)/8])
		x.lookUpGeneric(want[:n], pts, later2[:(n+7)/8])
		for i := range pts {
			a, b := later[i>>3]>>(i&7)&1, later2[i>>3]>>(i&7)&1
			if a != b || a == 0 && got[i] != want[i] {
				t.Fatalf("%d points: point %d %v: side %v, later %d, want %v, %d", n, i, pts[i], got[i], a, want[i], b)
			}
		}
		for i := n; i < len(got); i++ {
			if got[i] != guard {
				t.Fatalf("%d points: side %d beyond is %v", n, i, got[i])
			}
		}
		if later[(n+7)/8] != 0x5a {
			t.Fatalf("%d points: bits beyond are %#x", n, later[(n+7)/8])
		}
	}
}
