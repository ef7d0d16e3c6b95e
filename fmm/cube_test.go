package fmm

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// cubeBoxes returns boxes of sizes from 2^−1000 to 2^1001. Some are far from the origin, some are
// flat, and some are a single point.
func cubeBoxes() []bvh.Box {
	r := seeded(31)
	var all []bvh.Box
	for _, e := range []int{-1020, -900, -300, -1, 0, 7, 300, 900, 998} {
		for range 20 {
			size := math.Ldexp(1+r.Float64(), e)
			v := func(k float64) r3.Vector {
				return r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}.Mul(k)
			}
			at := v(size)
			switch r.IntN(4) {
			case 0:
				at = v(math.Ldexp(1, min(e+20, 998))) // distance from the origin: 10^6 times the size
			case 1:
				at = v(math.Ldexp(1, min(e+40, 998))) // distance from the origin: 10^12 times the size
			case 2:
				at = v(math.Ldexp(1, min(e+60, 998))) // 10^18 times the size, which float64 cannot resolve
			}
			side := r3.Vector{X: size, Y: size * r.Float64(), Z: size * r.Float64()}
			switch r.IntN(5) {
			case 0:
				side.Z = 0
			case 1:
				side.Y, side.Z = 0, 0
			case 2:
				side = r3.Vector{}
			}
			box := bvh.Box{Min: at, Max: at.Add(side)}
			if max(vec.MaxAbs(box.Min), vec.MaxAbs(box.Max)) <= mesh.MaxCoordinate {
				all = append(all, box)
			}
		}
	}
	largest := r3.Vector{X: mesh.MaxCoordinate, Y: mesh.MaxCoordinate, Z: mesh.MaxCoordinate}
	return append(all, bvh.Box{}, bvh.Box{Min: largest, Max: largest}, bvh.Box{Min: largest.Mul(-1), Max: largest})
}

// A cube contains its box and is no larger than needed. The centers of cells of all levels are
// exact, and so are their differences.
func TestCube(t *testing.T) {
	r := seeded(32)
	exact := func(f *cube, origin float64, k int32, level int) *big.Float {
		at := new(big.Float).SetPrec(3000).SetFloat64(float64(2*k + 1))
		at.Mul(at, new(big.Float).SetFloat64(f.half(level)))
		return at.Add(at, new(big.Float).SetFloat64(origin))
	}
	for _, box := range cubeBoxes() {
		for _, box := range []bvh.Box{box, withMargin(box)} {
			f := newCube(box)
			if f.depth < 0 || f.depth > maxDepth {
				t.Fatalf("%v: depth %d is out of range", box, f.depth)
			}
			if m, _ := math.Frexp(f.side); m != 0.5 {
				t.Fatalf("%v: side %g is not a power of two", box, f.side)
			}
			size := box.Size()
			longest := max(size.X, size.Y, size.Z)
			unit := math.Ldexp(f.side, -f.depth)
			if f.side > 4*longest && f.depth > 0 && f.side > 4*unit {
				t.Errorf("%v: side %g is too large for a box of size %g, depth %d", box, f.side, longest, f.depth)
			}
			for range 20 {
				mix := func(lo, hi float64) float64 {
					return min(max(lo+float64(r.IntN(5))/4*(hi-lo), lo), hi)
				}
				x := r3.Vector{X: mix(box.Min.X, box.Max.X), Y: mix(box.Min.Y, box.Max.Y), Z: mix(box.Min.Z, box.Max.Z)}
				c, ok := f.cellAt(x)
				if !ok {
					t.Fatalf("%v: %v is outside the cube at %v, side %g", box, x, f.origin, f.side)
				}
				h, m := f.half(f.depth), f.center(c, f.depth)
				if d := x.Sub(m); vec.MaxAbs(d) > h*(1+slackRadius) {
					t.Errorf("%v: %v is %g from the center of its cell, half side %g", box, x, vec.MaxAbs(d), h)
				}
			}
			for range 20 {
				level := r.IntN(f.depth + 1)
				n := int32(1) << level
				c := cell{r.Int32N(n), r.Int32N(n), r.Int32N(n)}
				m := f.center(c, level)
				for i, got := range [3]float64{m.X, m.Y, m.Z} {
					want := exact(&f, [3]float64{f.origin.X, f.origin.Y, f.origin.Z}[i], [3]int32{c.x, c.y, c.z}[i], level)
					if want.Cmp(new(big.Float).SetFloat64(got)) != 0 {
						t.Fatalf("%v: center of %v at level %d is %v, want %v", box, c, level, m, want)
					}
				}
				if level == f.depth {
					continue
				}
				for o := range 8 {
					k := c.child(o)
					want := octant(o).Mul(f.half(level))
					if d := f.center(k, level+1).Sub(m); d != want {
						t.Fatalf("%v: octant %d of %v is off by %v, want %v", box, o, c, d, want)
					}
				}
			}
		}
	}
}

// Points outside the cube and points that are not finite have no cell. Points near a plane between
// two cells are within the slack of their cell, even far from the origin.
func TestLattice(t *testing.T) {
	r := seeded(33)
	for _, box := range cubeBoxes() {
		f := newCube(box)
		for _, x := range []r3.Vector{
			{X: math.NaN()}, {Y: math.NaN()}, {Z: math.NaN()}, {X: math.Inf(1)}, {Y: math.Inf(-1)}, {X: math.MaxFloat64}, {Z: -math.MaxFloat64},
		} {
			if c, ok := f.cellAt(x); ok {
				t.Fatalf("%v: point %v has the cell %v, want none", box, x, c)
			}
		}
		for _, k := range []float64{-1, 1} { // x is below the cube for −1, above it for 1
			d := f.side * (1.5*k + 0.5)
			x := f.center(cell{}, 0).Add(r3.Vector{X: d})
			if c, ok := f.cellAt(x); ok && x != f.center(cell{}, 0) {
				t.Fatalf("%v: point %v has the cell %v, but is outside the cube at %v, side %g", box, x, c, f.origin, f.side)
			}
		}
		for range 100 {
			n := int32(1) << f.depth
			c := cell{r.Int32N(n), r.Int32N(n), r.Int32N(n)}
			x := f.center(c, f.depth)
			x.X += f.half(f.depth) // x is on a plane between two cells
			x.X = math.Nextafter(x.X, math.Inf(1-2*r.IntN(2)))
			got, ok := f.cellAt(x)
			if !ok {
				continue // x is outside the cube
			}
			for level := 0; level <= f.depth; level++ {
				s := f.depth - level
				at := cell{got.x >> s, got.y >> s, got.z >> s}
				h := f.half(level)
				if d := x.Sub(f.center(at, level)).Mul(1 / h); d.Norm() > radius || vec.MaxAbs(d) > 1+slackRadius {
					t.Fatalf("%+v: %#v lies %#v half sides from the center of its cell %v of level %d", f, x, d, at, level)
				}
			}
		}
	}
}

// withMargin(box) contains box and a margin around box.
func TestEnlarge(t *testing.T) {
	for _, box := range cubeBoxes() {
		e := withMargin(box)
		if !(e.Min.X <= box.Min.X && e.Min.Y <= box.Min.Y && e.Min.Z <= box.Min.Z && e.Max.X >= box.Max.X && e.Max.Y >= box.Max.Y && e.Max.Z >= box.Max.Z) {
			t.Errorf("withMargin(%v) = %v does not contain its argument and a margin", box, e)
		}
		if v := volumeRatio(&cube{side: newCube(e).side}, e); !(v >= 0.99) && v != 1 || math.IsInf(v, 0) {
			t.Errorf("%v: the volume ratio of the cube is %g", box, v)
		}
	}
}

// The method code returns the same number as a bit-by-bit computation of the Morton code.
func TestCode(t *testing.T) {
	r := seeded(34)
	for i := range 2000 {
		v := [3]int32{r.Int32N(1 << maxDepth), r.Int32N(1 << maxDepth), r.Int32N(1 << maxDepth)}
		if i < 20 {
			v = [3]int32{1 << i, 0, 1<<maxDepth - 1}
		}
		want := uint64(0)
		for bit := range maxDepth {
			for k := range 3 {
				want |= uint64(v[k]>>bit&1) << (3*bit + k)
			}
		}
		if got := (cell{v[0], v[1], v[2]}).code(); got != want {
			t.Fatalf("code of %v is %b, want %b", v, got, want)
		}
	}
}

func TestSortKeys(t *testing.T) {
	r := seeded(35)
	for _, n := range []int{0, 1, 2, 3, 100, 5000} {
		for _, bits := range []int{0, 3, 11, 12, 33, 60} {
			keys := make([]keyed, n)
			for i := range keys {
				code := r.Uint64()
				if i%2 == 0 { // every second key has one of five codes
					code = code % 5 * 0x9e3779b97f4a7c15
				}
				keys[i] = keyed{code & (1<<bits - 1), int32(i)}
			}
			want := slices.Clone(keys)
			slices.SortStableFunc(want, func(a, b keyed) int {
				switch {
				case a.code < b.code:
					return -1
				case a.code > b.code:
					return 1
				}
				return 0
			})
			if got := sortKeys(keys, bits); !slices.Equal(got, want) {
				t.Errorf("%d keys of %d bits are out of order", n, bits)
			}
		}
	}
}

// The function between returns the exact difference of the centers. Either cell can be the larger
// one.
func TestBetween(t *testing.T) {
	r := seeded(37)
	f := newCube(bvh.Box{Max: r3.Vector{X: 1, Y: 1, Z: 1}})
	for range 5000 {
		a, b := r.IntN(f.depth+1), r.IntN(f.depth+1)
		random := func(level int) cell {
			n := int32(1) << level
			return cell{r.Int32N(n), r.Int32N(n), r.Int32N(n)}
		}
		n := node{cell: random(a), level: int8(a)}
		c := random(b)
		o := between(&n, c, int8(b))
		h := min(f.half(a), f.half(b))
		want := f.center(c, b).Sub(f.center(n.cell, a))
		got := r3.Vector{X: float64(o.x), Y: float64(o.y), Z: float64(o.z)}.Mul(h)
		if got != want || int(o.finer) != a-b {
			t.Fatalf("from %v of level %d to %v of level %d: %v, want %v", n.cell, a, c, b, o, want)
		}
		if math.Abs(float64(o.square())*h*h-want.Norm2()) > 1e-12*want.Norm2() {
			t.Fatalf("the square of offset %v is %d", o, o.square())
		}
	}
}
