package raycross

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// intersectReferee computes the result of intersect in integer arithmetic.
func intersectReferee(q *ray, t *mesh.Triangle) hit {
	if referee.OnTriangle(q.p, t[0], t[1], t[2]) {
		return onFace
	}
	var pos, neg, zero int
	for k := range 3 {
		switch referee.Orient3D(q.r, t[k], t[(k+1)%3], q.p) {
		case 1:
			pos++
		case -1:
			neg++
		default:
			zero++
		}
	}
	d1 := referee.Orient3D(t[0], t[1], t[2], q.p)
	switch {
	case pos > 0 && neg > 0:
		return miss
	case zero == 0 && pos > 0:
		if d1 > 0 {
			return leaves
		}
		return miss
	case zero == 0:
		if d1 < 0 {
			return enters
		}
		return miss
	case d1 == 0:
		return touches // P is in the plane of the face, but not on the face
	case pos > 0 && d1 < 0, neg > 0 && d1 > 0:
		return miss // the face is behind the start P of the ray
	}
	return touches
}

// testBox contains all triangles and points of the tests below.
var testBox = bvh.Box{Min: r3.Vector{X: -1, Y: -1, Z: -1}, Max: r3.Vector{X: 1, Y: 1, Z: 1}}

// The test aims rays at interiors, edges and vertices of triangles. Some triangles are behind the
// start P of the ray. In other cases P lies on the triangle or in its plane.
func TestIntersectEqualsReferee(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	grid := func() r3.Vector { // the coordinates are multiples of 1/4, so that exactly degenerate cases are frequent
		return r3.Vector{X: float64(r.IntN(9)-4) / 4, Y: float64(r.IntN(9)-4) / 4, Z: float64(r.IntN(9)-4) / 4}
	}
	any := func() r3.Vector {
		return r3.Vector{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1, Z: 2*r.Float64() - 1}
	}
	bound := edgeBound(2)
	var k predicates.Counter
	seen := map[hit]int{}
	for i := range 60_000 {
		draw := any
		if i%2 == 0 {
			draw = grid
		}
		tri := mesh.Triangle{draw(), draw(), draw()}
		if predicates.ZeroArea(tri[0], tri[1], tri[2]) {
			continue
		}
		p := draw()
		q := aim(p, testBox, rayLength(1), 7, i)
		if i%3 != 0 { // aim at or near a point of the triangle
			spot := tri[0]
			switch r.IntN(3) {
			case 0:
				spot = tri[0].Add(tri[1]).Mul(.5)
			case 1:
				spot = tri[0].Mul(.25).Add(tri[1].Mul(.25)).Add(tri[2].Mul(.5))
			}
			d := spot.Sub(p)
			axis := int(d.LargestComponent())
			c := [3]float64{d.X, d.Y, d.Z}
			lim := maxSlope * math.Abs(c[axis])
			if c[axis] == 0 || math.Abs(c[(axis+1)%3]) > lim || math.Abs(c[(axis+2)%3]) > lim {
				continue // a slope of the ray exceeds maxSlope
			}
			scale := 8 / math.Abs(c[axis])
			sign := 1
			if c[axis] < 0 {
				sign = -1
			}
			if r.IntN(4) == 0 {
				scale, sign = -scale, -sign
			}
			q = newRay(p, p.Add(d.Mul(scale)), axis, sign)
		}
		got, want := intersect(&q, &tri, bound, &k), intersectReferee(&q, &tri)
		if got != want {
			t.Fatalf("case %d: intersect(%v → %v, %v) = %d, want %d", i, q.p, q.r, tri, got, want)
		}
		seen[got]++
	}
	for m := miss; m <= onFace; m++ {
		if seen[m] < 20 {
			t.Errorf("hit %d seen %d times: the test hardly tests it", m, seen[m])
		}
	}
}

// The error bound must hold for the edge functions of triangles within a few ulps of the ray. The
// test compares the results with integer arithmetic.
func TestIntersectWithinRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	bound := edgeBound(2)
	var k predicates.Counter
	undecided := 0
	for i := range 40_000 {
		p := r3.Vector{X: .9 * r.Float64(), Y: r.Float64() - .5, Z: r.Float64() - .5}
		q := aim(p, testBox, rayLength(1), uint64(i), 0)
		// One corner lies within a few ulps of a point of the ray.
		s := r.Float64() / 16
		at := q.p.Add(q.r.Sub(q.p).Mul(s))
		far := func() r3.Vector {
			return r3.Vector{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1, Z: 2*r.Float64() - 1}
		}
		tri := mesh.Triangle{at, far(), far()}
		if i%2 == 0 { // an edge lies within a few ulps of the ray
			o := far()
			tri = mesh.Triangle{at.Add(o.Sub(at).Mul(.5)), at.Sub(o.Sub(at).Mul(.25)), far()}
		}
		if !testBox.Contains(tri[0]) || !testBox.Contains(tri[1]) {
			continue
		}
		before := k
		got, want := intersect(&q, &tri, bound, &k), intersectReferee(&q, &tri)
		if got != want {
			t.Fatalf("case %d: intersect(%v → %v, %v) = %d, want %d", i, q.p, q.r, tri, got, want)
		}
		if k.Expansion > before.Expansion {
			undecided++
		}
	}
	if undecided == 0 {
		t.Error("the filters decided every case: nothing was tested")
	}
}

func TestAim(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, offset := range []float64{0, 1e6, -1e15} {
		for _, scale := range []float64{1e-18, 1, 1e18} {
			lo := r3.Vector{X: offset, Y: offset, Z: offset}.Mul(scale)
			box := bvh.Box{Min: lo, Max: lo.Add(r3.Vector{X: 2 * scale, Y: 3 * scale, Z: scale})}
			largest := max(vec.MaxAbs(box.Min), vec.MaxAbs(box.Max))
			for i := range 1000 {
				p := r3.Vector{X: box.Min.X + 2*scale*r.Float64(), Y: box.Min.Y + 3*scale*r.Float64(), Z: box.Min.Z + scale*r.Float64()}
				if i%5 == 0 {
					p.X += 4 * scale
				}
				q := aim(p, box, rayLength(largest), 1, i)
				if box.Contains(q.r) {
					t.Fatalf("R = %v lies in the box %v", q.r, box)
				}
				d := q.r.Sub(p)
				c := [3]float64{d.X, d.Y, d.Z}
				if math.Abs(c[q.axis]) < 4*largest || math.Signbit(c[q.axis]) != (q.sign < 0) {
					t.Fatalf("R−P = %v along axis %d, sign %d: not far enough for %v", d, q.axis, q.sign, box)
				}
				if math.Abs(q.sx) > maxSlope*(1+0x1p-50) || math.Abs(q.sy) > maxSlope*(1+0x1p-50) {
					t.Fatalf("slopes %g, %g exceed %g", q.sx, q.sy, maxSlope)
				}
			}
		}
	}
}

// Different points and attempts give different rays. The rays are evenly spread in the cone.
func TestAimSpreads(t *testing.T) {
	seen := map[[2]float64]bool{}
	var sum, sum2 float64
	const n = 20_000
	for i := range n {
		p := r3.Vector{X: .5, Y: float64(i%100) / 1000, Z: float64(i/100%100) / 1000}
		q := aim(p, testBox, 8, 3, i/10_000)
		seen[[2]float64{q.sx, q.sy}] = true
		sum += q.sx
		sum2 += q.sx * q.sx
	}
	if len(seen) != n {
		t.Errorf("%d different directions, want %d", len(seen), n)
	}
	// The slope q.sx is u/(1+v), where u is uniform in [−1/4, 1/4] and v is uniform in [0, 1). The
	// mean of u² is 1/48, and the mean of 1/(1+v)² is 1/2. So the variance of q.sx is 1/96. The
	// limit is four standard errors.
	if mean, dev := sum/n, math.Sqrt(1./96/n); math.Abs(mean) > 4*dev {
		t.Errorf("mean slope %g, want 0 ± %g", mean, 4*dev)
	}
	if v := sum2 / n; math.Abs(v*96-1) > .05 {
		t.Errorf("variance of the slope %g, want %g", v, 1./96)
	}
	a := aim(r3.Vector{X: .1}, testBox, 8, 3, 0)
	b := aim(r3.Vector{X: .1, Y: math.Copysign(0, -1)}, testBox, 8, 3, 0)
	if a.r != b.r {
		t.Errorf("−0 gives another ray than 0: %v, %v", b.r, a.r)
	}
}
