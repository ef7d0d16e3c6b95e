package drillhole

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
)

// The functions below compute with numbers of 256 bits. They share no code with the package.

const bits = 256

type vector [3]*big.Float

func num(x float64) *big.Float         { return new(big.Float).SetPrec(bits).SetFloat64(x) }
func add(a, b *big.Float) *big.Float   { return num(0).Add(a, b) }
func sub(a, b *big.Float) *big.Float   { return num(0).Sub(a, b) }
func times(a, b *big.Float) *big.Float { return num(0).Mul(a, b) }
func over(a, b *big.Float) *big.Float  { return num(0).Quo(a, b) }

// sinCosBig sums the Taylor series of e^(ix) for |x| ≤ 8.
func sinCosBig(x *big.Float) (sin, cos *big.Float) {
	parts := [2]*big.Float{num(1), num(0)} // real and imaginary part
	term := num(1)
	for n := 1; n < 100; n++ {
		term = over(times(term, x), num(float64(n)))
		sum := parts[n%2]
		if n%4 >= 2 {
			sum.Sub(sum, term)
		} else {
			sum.Add(sum, term)
		}
	}
	return parts[1], parts[0]
}

// piBig solves sin x = 0 near 3.14 by Newton's method.
func piBig() *big.Float {
	x := num(math.Pi)
	for range 6 {
		sin, cos := sinCosBig(x)
		x = sub(x, over(sin, cos))
	}
	return x
}

var pi = piBig()

// angleBig returns the angle with the given sine and cosine, by Newton's method.
func angleBig(sin, cos *big.Float) *big.Float {
	s, _ := sin.Float64()
	c, _ := cos.Float64()
	x := num(math.Atan2(s, c))
	for range 6 {
		sx, cx := sinCosBig(x)
		x = add(x, sub(times(sin, cx), times(cos, sx)))
	}
	return x
}

func directionBig(s Station) vector {
	radians := func(degrees float64) *big.Float { return over(times(num(degrees), pi), num(180)) }
	sinA, cosA := sinCosBig(radians(s.Azimuth))
	sinD, cosD := sinCosBig(radians(s.Dip))
	return vector{times(cosD, sinA), times(cosD, cosA), sinD}
}

func dotBig(a, b vector) *big.Float {
	return add(add(times(a[0], b[0]), times(a[1], b[1])), times(a[2], b[2]))
}

// pointBig returns the point of the exact curve at a depth. It adds whole courses from the collar on.
// In a course with the tangents t1 and t2, the angle β and the length L, the displacement after the
// length ℓ is L/β·(sin θ·t1 + (1−cos θ)·n) with θ = β·ℓ/L and n = (t2 − cos β·t1)/sin β.
func pointBig(collar r3.Vector, stations []Station, end, depth float64, method Method) vector {
	p := vector{num(collar.X), num(collar.Y), num(collar.Z)}
	move := func(d vector, by *big.Float) {
		for axis := range p {
			p[axis] = add(p[axis], times(d[axis], by))
		}
	}
	for i, s := range stations {
		t1 := directionBig(s)
		t2, next := t1, end
		if i+1 < len(stations) {
			t2, next = directionBig(stations[i+1]), stations[i+1].Depth
		}
		whole, l := sub(num(next), num(s.Depth)), sub(num(min(next, depth)), num(s.Depth))
		if l.Sign() <= 0 {
			break
		}
		cos := dotBig(t1, t2)
		cross := vector{
			sub(times(t1[1], t2[2]), times(t1[2], t2[1])), sub(times(t1[2], t2[0]), times(t1[0], t2[2])), sub(times(t1[0], t2[1]), times(t1[1], t2[0])),
		}
		sin := num(0).Sqrt(dotBig(cross, cross))
		if x, _ := sin.Float64(); method == Tangential || method == MinimumCurvature && x < 1e-60 {
			move(t1, l)
			continue
		}
		if method == BalancedTangential {
			half := over(whole, num(2))
			if l.Cmp(half) <= 0 {
				move(t1, l)
			} else {
				move(t1, half)
				move(t2, sub(l, half))
			}
			continue
		}
		beta := angleBig(sin, cos)
		radius := over(whole, beta)
		sinT, cosT := sinCosBig(over(l, radius))
		var n vector
		for axis := range n {
			n[axis] = over(sub(t2[axis], times(cos, t1[axis])), sin)
		}
		move(t1, times(radius, sinT))
		move(n, times(radius, sub(num(1), cosT)))
	}
	return p
}

// distanceBig returns the distance of p from the point of the path at the given depth, which must lie
// between the depths of the points i and i+1.
func distanceBig(p vector, path *Path, i int, depth float64) float64 {
	part := over(sub(num(depth), num(path.Depths[i])), sub(num(path.Depths[i+1]), num(path.Depths[i])))
	a, b := path.Points[i], path.Points[i+1]
	sum := num(0)
	for axis, x := range [3][2]float64{{a.X, b.X}, {a.Y, b.Y}, {a.Z, b.Z}} {
		q := add(num(x[0]), times(part, sub(num(x[1]), num(x[0]))))
		d := sub(q, p[axis])
		sum = add(sum, times(d, d))
	}
	x, _ := num(0).Sqrt(sum).Float64()
	return x
}

// TestDesurveyBound compares paths with the exact curves at depths between the points of the path. No
// distance exceeds the bound. For arcs, the largest distance is more than half of the bound, so the
// bound is not arbitrary.
func TestDesurveyBound(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 1))
	for round := range 60 {
		method := Method(round % 3)
		collar := r3.Vector{X: 1e6 * r.Float64(), Y: 5e6 * r.Float64(), Z: 500}
		if round%4 == 0 {
			collar = r3.Vector{}
		}
		stations := []Station{{0, 360 * r.Float64(), 180*r.Float64() - 90}}
		for range 1 + r.IntN(4) {
			last := stations[len(stations)-1]
			turn := []float64{1e-9, 0.01, 3, 40, 170}[r.IntN(5)]
			next := Station{last.Depth + 50*r.Float64(), math.Mod(last.Azimuth+turn*r.Float64(), 360), last.Dip + turn*(r.Float64()-0.5)}
			next.Dip = max(-90, min(90, next.Dip))
			stations = append(stations, next)
		}
		end := stations[len(stations)-1].Depth + 10*float64(r.IntN(2))
		chord := []float64{1e-3, 0.1, 5}[r.IntN(3)]
		path, err := Desurvey(collar, stations, end, method, chord)
		if err != nil {
			t.Fatal(err)
		}
		check(t, &path, collar, stations, end, method, chord)
	}
}

// check compares a path with the exact curve at the middle of some of its segments, and at its points.
func check(t *testing.T, path *Path, collar r3.Vector, stations []Station, end float64, method Method, chord float64) {
	t.Helper()
	n := len(path.Points)
	if path.Points[0] != collar || path.Depths[0] != 0 || path.Depths[n-1] != end || len(path.Depths) != n {
		t.Fatalf("a path from %v at depth %v to depth %v, want %v, 0, %v", path.Points[0], path.Depths[0], path.Depths[n-1], collar, end)
	}
	if limit := chord*1.0000001 + 1e-6; path.Bound > limit {
		t.Errorf("bound %g, want at most %g", path.Bound, limit)
	}
	largest := 0.0
	step := 1 + n/12
	for i := 0; i+1 < n; i++ {
		lo, hi := path.Depths[i], path.Depths[i+1]
		if hi < lo {
			t.Fatalf("the depths descend from %v to %v", lo, hi)
		}
		if i%step != 0 && i+2 < n || hi == lo {
			continue
		}
		for _, depth := range []float64{lo + (hi-lo)/2, hi} {
			largest = max(largest, distanceBig(pointBig(collar, stations, end, depth, method), path, i, depth))
		}
	}
	if largest > path.Bound {
		t.Errorf("%v, chord %g, %v to %v: distance %g, bound %g", method, chord, stations, end, largest, path.Bound)
	}
	if method == MinimumCurvature && path.Bound > 1e-4 && n <= 12 && largest < path.Bound/3 {
		t.Errorf("%v to %v: the largest distance is %g, the bound %g", stations, end, largest, path.Bound)
	}
}
