package neighbor

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// FuzzMethods reads bodies of any kind from bytes. It runs four steps of all methods: the bodies,
// the shifted bodies (some absent), the original bodies, and half of the original bodies.
func FuzzMethods(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, uint8(0))
	f.Add([]byte{0, 0, 0, 40, 0, 0, 0, 40, 0, 0, 1, 0, 1, 0, 0, 0, 255, 255, 9, 200}, uint8(3))
	f.Add(binary.LittleEndian.AppendUint64(nil, math.Float64bits(1e300)), uint8(200))
	f.Fuzz(func(t *testing.T, data []byte, scale uint8) {
		if len(data) > 4*150 {
			data = data[:4*150]
		}
		var first, second []Sphere
		unit := math.Ldexp(1, 3*int(scale)-384)
		for ; len(data) >= 4; data = data[4:] {
			b := Sphere{
				Center: r3.Vector{X: float64(int8(data[0])), Y: float64(int8(data[1])), Z: float64(int8(data[2]) / 16)}.Mul(unit),
				Radius: unit * math.Ldexp(1+float64(data[3]&15)/16, int(data[3]>>4)-8),
			}
			if data[3]&31 == 31 { // place this body far away
				b.Center = b.Center.Mul(0x1p40)
			}
			first = append(first, b)
			b.Center.X += unit * float64(data[0]&3)
			if data[1]&15 == 0 {
				b.Radius = Absent()
			}
			second = append(second, b)
		}
		fuzzKind[Disk](t, first, second)
		fuzzKind[Sphere](t, first, second)
		fuzzKind[Rect](t, first, second)
		fuzzKind[bvh.Box](t, first, second)
	})
}

func fuzzKind[T Body](t *testing.T, first, second []Sphere) {
	t.Helper()
	a, b := convert[T](first), convert[T](second)
	brute := NewBruteForce[T]()
	makers := methods[T]()
	runs := make([]Method[T], len(makers))
	for i, m := range makers {
		runs[i] = m.make(2)
	}
	for step, bodies := range [][]T{a, b, a, a[:len(a)/2]} {
		if err := brute.Update(t.Context(), bodies); err != nil {
			t.Skip(err) // the scaled bodies are too large
		}
		for i, m := range runs {
			if err := m.Update(t.Context(), bodies); err != nil {
				t.Fatalf("%s, step %d: %v", makers[i].name, step, err)
			}
			if got := m.Pairs(); !slices.Equal(got, brute.Pairs()) {
				t.Fatalf("%s, step %d: %s", makers[i].name, step, differ(got, brute.Pairs(), bodies))
			}
		}
	}
}
