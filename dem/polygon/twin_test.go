package polygon

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"sort"
	"testing"

	"github.com/golang/geo/r2"
)

// The functions with the prefix twin are a slow reference. They use no frames and no walks, and
// examine all features. Their numbers have so many bits that sums and products are exact.

// twinPrecision suffices for determinants of coordinates with exponents from −100 to 100. A
// determinant has products of four factors. Each factor has 53 bits and one of 200 exponents.
const twinPrecision = 4*53 + 4*200 + 64

func bigFloat(x float64) *big.Float { return new(big.Float).SetPrec(twinPrecision).SetFloat64(x) }
func blank() *big.Float             { return new(big.Float).SetPrec(twinPrecision) }

type twinPoint struct{ x, y *big.Float }

func (p twinPoint) sub(q twinPoint) twinPoint {
	return twinPoint{blank().Sub(p.x, q.x), blank().Sub(p.y, q.y)}
}

func (p twinPoint) cross(q twinPoint) *big.Float {
	l, r := blank().Mul(p.x, q.y), blank().Mul(p.y, q.x)
	return l.Sub(l, r)
}

func (p twinPoint) dot(q twinPoint) *big.Float {
	l, r := blank().Mul(p.x, q.x), blank().Mul(p.y, q.y)
	return l.Add(l, r)
}

func (p twinPoint) toward(q twinPoint, t *big.Float) twinPoint {
	d := q.sub(p)
	return twinPoint{d.x.Add(d.x.Mul(d.x, t), p.x), d.y.Add(d.y.Mul(d.y, t), p.y)}
}

func (p twinPoint) rounded() r2.Point {
	x, _ := p.x.Float64()
	y, _ := p.y.Float64()
	return r2.Point{X: x, Y: y}
}

func twinCorners(b *Body) []twinPoint {
	var out []twinPoint
	c, s := bigFloat(b.cos), bigFloat(b.sin)
	for _, l := range b.shape.corners {
		p := twinPoint{bigFloat(l.X), bigFloat(l.Y)}
		x := blank().Sub(blank().Mul(c, p.x), blank().Mul(s, p.y))
		y := blank().Add(blank().Mul(s, p.x), blank().Mul(c, p.y))
		out = append(out, twinPoint{x.Add(x, bigFloat(b.at.X)), y.Add(y, bigFloat(b.at.Y))})
	}
	return out
}

// twinRelation returns the relation of two bodies. It tests the normal of each edge as a separating
// axis. If the bodies overlap, twinRelation also returns the smallest depth.
func twinRelation(a, b []twinPoint) (Relation, float64) {
	relation, depth := Overlapping, math.Inf(1)
	for _, pair := range [2][2][]twinPoint{{a, b}, {b, a}} {
		p, q := pair[0], pair[1]
		for i := range p {
			e := p[(i+1)%len(p)].sub(p[i])
			var highest *big.Float
			for _, c := range q {
				if h := e.cross(c.sub(p[i])); highest == nil || h.Cmp(highest) > 0 {
					highest = h
				}
			}
			switch highest.Sign() {
			case -1:
				return Separated, 0
			case 0:
				relation = Touching
			}
			d, _ := blank().Quo(highest, blank().Sqrt(e.dot(e))).Float64()
			depth = min(depth, d)
		}
	}
	return relation, depth
}

// twinDistance returns the smallest distance of a corner of one body from an edge of the other
// body. If the bodies do not overlap, this is the distance of the bodies.
func twinDistance(a, b []twinPoint) float64 {
	var least *big.Float
	for _, pair := range [2][2][]twinPoint{{a, b}, {b, a}} {
		for _, c := range pair[0] {
			for i, p := range pair[1] {
				if d := twinSegment(c, p, pair[1][(i+1)%len(pair[1])]); least == nil || d.Cmp(least) < 0 {
					least = d
				}
			}
		}
	}
	d, _ := blank().Sqrt(least).Float64()
	return d
}

// twinSegment returns the squared distance of c from the segment pq.
func twinSegment(c, p, q twinPoint) *big.Float {
	e, d := q.sub(p), c.sub(p)
	t, l := e.dot(d), e.dot(e)
	if t.Sign() <= 0 {
		return d.dot(d)
	}
	if t.Cmp(l) >= 0 {
		d = c.sub(q)
		return d.dot(d)
	}
	h := e.cross(d)
	return h.Quo(h.Mul(h, h), l)
}

// twinCommon clips a with the lines through the edges of b. It returns the area and the centroid of
// the clipped polygon.
func twinCommon(a, b []twinPoint) (float64, r2.Point) {
	for i, p := range b {
		e := b[(i+1)%len(b)].sub(p)
		var kept []twinPoint
		for j, c := range a {
			d := a[(j+1)%len(a)]
			hc, hd := e.cross(c.sub(p)), e.cross(d.sub(p))
			if hc.Sign() >= 0 {
				kept = append(kept, c)
			}
			if hc.Sign()*hd.Sign() < 0 {
				kept = append(kept, c.toward(d, blank().Quo(hc, blank().Sub(hc, hd))))
			}
		}
		a = kept
		if len(a) < 3 {
			return 0, r2.Point{}
		}
	}
	twice, x, y := blank(), blank(), blank()
	for i := 1; i+1 < len(a); i++ {
		w := a[i].sub(a[0]).cross(a[i+1].sub(a[0]))
		sx := blank().Add(a[0].x, blank().Add(a[i].x, a[i+1].x))
		sy := blank().Add(a[0].y, blank().Add(a[i].y, a[i+1].y))
		x.Add(x, sx.Mul(sx, w))
		y.Add(y, sy.Mul(sy, w))
		twice.Add(twice, w)
	}
	if twice.Sign() <= 0 {
		return 0, r2.Point{}
	}
	by := blank().Mul(twice, bigFloat(3))
	area, _ := blank().Quo(twice, bigFloat(2)).Float64()
	return area, twinPoint{x.Quo(x, by), y.Quo(y, by)}.rounded()
}

// trials selects the number of random test cases.
func trials(sample, all int) int {
	switch {
	case os.Getenv("INPOLY_FULL") == "1":
		return all
	case testing.Short():
		return sample / 10
	}
	return sample
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func regular(t testing.TB, n int, radius, phase float64) *Shape {
	t.Helper()
	corners := make([]r2.Point, n)
	for i := range corners {
		sin, cos := math.Sincos(phase + 2*math.Pi*float64(i)/float64(n))
		corners[i] = r2.Point{X: radius * cos, Y: radius * sin}
	}
	return must[*Shape](t)(New(corners))
}

func random(t testing.TB, rng *rand.Rand, n int, size float64) *Shape {
	t.Helper()
	for {
		angles := make([]float64, n)
		for i := range angles {
			angles[i] = 2 * math.Pi * rng.Float64()
		}
		sort.Float64s(angles)
		flat, turn := math.Exp(-3*rng.Float64()), 2*math.Pi*rng.Float64()
		b := Body{cos: math.Cos(turn), sin: math.Sin(turn)}
		corners := make([]r2.Point, n)
		for i, w := range angles {
			corners[i] = b.World(r2.Point{X: size * math.Cos(w), Y: size * flat * math.Sin(w)})
		}
		if s, err := New(corners); err == nil {
			return s
		}
	}
}

func lattice(t testing.TB, rng *rand.Rand) *Shape {
	t.Helper()
	for {
		points := make([]r2.Point, 4+rng.IntN(6))
		for i := range points {
			points[i] = r2.Point{X: float64(rng.IntN(7)), Y: float64(rng.IntN(7))}
		}
		if s, err := New(hull(points)); err == nil {
			return s
		}
	}
}

// hull returns the counterclockwise corners of the convex hull of the points (monotone chain). The
// points must have small integer coordinates.
func hull(points []r2.Point) []r2.Point {
	sort.Slice(points, func(i, j int) bool {
		p, q := points[i], points[j]
		return p.X < q.X || (p.X == q.X && p.Y < q.Y)
	})
	chain := func(points []r2.Point) []r2.Point {
		var out []r2.Point
		for _, p := range points {
			for len(out) > 1 && out[len(out)-1].Sub(out[len(out)-2]).Cross(p.Sub(out[len(out)-1])) <= 0 {
				out = out[:len(out)-1]
			}
			if len(out) == 0 || out[len(out)-1] != p {
				out = append(out, p)
			}
		}
		return out[:max(0, len(out)-1)]
	}
	lower := chain(points)
	reversed := make([]r2.Point, len(points))
	for i, p := range points {
		reversed[len(points)-1-i] = p
	}
	return append(lower, chain(reversed)...)
}
