package voxels

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// clipped is the reference for raster.separate. It clips t by the six planes of the box
// (Sutherland, Hodgman 1974), which are moved outward by the given distance.
func clipped(t mesh.Triangle, lo, hi r3.Vector, grow float64) []r3.Vector {
	poly := append([]r3.Vector(nil), t[:]...)
	l, h := components(lo), components(hi)
	for axis := range 3 {
		for _, up := range []bool{false, true} {
			inside := func(p r3.Vector) float64 {
				if up {
					return h[axis] + grow - components(p)[axis]
				}
				return components(p)[axis] - l[axis] + grow
			}
			var next []r3.Vector
			for i, p := range poly {
				q := poly[(i+1)%len(poly)]
				a, b := inside(p), inside(q)
				if a >= 0 {
					next = append(next, p)
				}
				if a >= 0 != (b >= 0) {
					next = append(next, p.Add(q.Sub(p).Mul(a/(a-b))))
				}
			}
			poly = next
		}
	}
	return poly
}

// The raster marks every cell that a triangle intersects, and no cell that the triangle misses by
// more than rounding.
func TestRaster(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	at := func(scale float64) r3.Vector {
		return r3.Vector{X: scale * (rng.Float64() - 0.5), Y: scale * (rng.Float64() - 0.5), Z: scale * (rng.Float64() - 0.5)}
	}
	marked, missed := 0, 0
	for n := range 600 {
		offset := r3.Vector{}
		if n%3 == 1 {
			offset = r3.Vector{X: 1e6, Y: -1e6, Z: 3e5}
		}
		scale := []float64{1, 0x1p400, 0x1p-400, 1}[n%4]
		g := Grid{Origin: r3.Vector{X: -1, Y: -1, Z: -1}.Add(offset).Mul(scale), Spacing: r3.Vector{X: 0.25, Y: 0.4, Z: 0.3}.Mul(scale), Counts: [3]int{8, 5, 7}}
		parts := 1 + n%2
		r := newRaster(g, parts, 0)
		center, size := at(3), []float64{0.1, 1, 4}[n%3]
		tri := mesh.Triangle{center.Add(at(size)), center.Add(at(size)), center.Add(at(size))}
		switch n % 10 {
		case 7: // the triangle lies on a side of cells
			for k := range tri {
				tri[k].X = -0.5
			}
		case 8: // the triangle is a segment
			tri[2] = tri[0].Mul(0.5).Add(tri[1].Mul(0.5))
		case 9: // the triangle is a point at a corner of cells
			tri = mesh.Triangle{{X: -0.5, Y: -0.2, Z: -0.4}, {X: -0.5, Y: -0.2, Z: -0.4}, {X: -0.5, Y: -0.2, Z: -0.4}}
		}
		for k := range tri {
			tri[k] = tri[k].Add(offset).Mul(scale)
		}
		whole := block{hi: [3]int{8 * parts, 5 * parts, 7 * parts}}
		var got bitset
		got.reset(whole)
		r.mark(&tri, &got)
		h := vector(r.spacing)
		whole.forEach(func(i, j, k int) {
			lo := g.Origin.Add(r3.Vector{X: float64(i) * h.X, Y: float64(j) * h.Y, Z: float64(k) * h.Z})
			hi := lo.Add(h)
			// This length exceeds the rounding errors of the coordinates.
			off := 1e-9 * scale
			is := got.has(i, j, k)
			if n%10 < 7 && len(clipped(tri, lo, hi, -off)) > 0 && !is || n%10 >= 7 && len(clipped(tri, lo, hi, 0)) > 0 && offset == (r3.Vector{}) && !is {
				t.Errorf("triangle %d, %v: cell %d %d %d from %v to %v is intersected, but not marked", n, tri, i, j, k, lo, hi)
			}
			if len(clipped(tri, lo, hi, 2*off)) == 0 {
				missed++
				if is {
					t.Errorf("triangle %d, %v: cell %d %d %d from %v to %v is missed, but marked", n, tri, i, j, k, lo, hi)
				}
			}
			if is {
				marked++
			}
		})
	}
	if marked < 1000 || missed < 1000 {
		t.Errorf("%d cells marked, %d missed: the test covers too little", marked, missed)
	}
}

// If positions overflow, separate never reports a separating plane.
func TestRasterExtremes(t *testing.T) {
	r := newRaster(Grid{Spacing: r3.Vector{X: 1e-200, Y: 1, Z: 1}, Counts: [3]int{1, 1, 1}}, 1, 0)
	huge := mesh.Triangle{{X: -1e300, Y: -1e300, Z: -1e300}, {X: 1e300, Y: 1e300}, {X: 1e300, Z: 1e300}}
	if !(r.scale > 0) {
		t.Errorf("scale %g", r.scale)
	}
	f := r.scaled(&huge)
	if r.separate(&[3]float64{0.5, 0.5, 0.5}, &[3]float64{0.5, 0.5, 0.5}, &f) {
		t.Error("a triangle around the box is told to miss it")
	}
}

// segmentDistance returns a lower bound that is close to the exact distance.
func TestSegmentDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	at := func() r3.Vector { return r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()} }
	for range 2000 {
		scale := math.Ldexp(1, rng.IntN(600)-300)
		p, a, b := at().Mul(scale), at().Mul(scale), at().Mul(scale)
		if rng.IntN(5) == 0 {
			b = a
		}
		best := math.Inf(1)
		for i := range 2001 {
			best = min(best, vec.Norm(a.Add(b.Sub(a).Mul(float64(i)/2000)).Sub(p)))
		}
		if d := segmentDistance(p, a, b); d > best || d < best-1e-2*scale {
			t.Fatalf("from %v to %v–%v: %g, want about %g", p, a, b, d, best)
		}
	}
}

// The variation of W does not exceed its bound, and the bound decreases with the distance from the
// boundary.
func TestFieldVariation(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, m := range []*mesh.Mesh{
		testmesh.Mesh(testmesh.Hemisphere(2)), testmesh.Mesh(testmesh.Moebius(12)),
		testmesh.Mesh(testmesh.Without(testmesh.UnitCube(), 0)), testmesh.Mesh(testmesh.Without(testmesh.Soup(testmesh.Sphere(3)), 5, 17, 300)),
	} {
		s := newSolid(t, m, options(0))
		v, err := newFieldVariation(t.Context(), m, m.Vertices, 0)
		if err != nil {
			t.Fatal(err)
		}
		finite, tight := 0, 0.0
		for range 3000 {
			c := r3.Vector{X: 4 * (rng.Float64() - 0.5), Y: 4 * (rng.Float64() - 0.5), Z: 4 * (rng.Float64() - 0.5)}
			d, _ := s.Distance(c)
			// No face intersects the ball with the center c and the radius r.
			r := math.Abs(d) * 0.9 * rng.Float64()
			most := v.bound(c, r, math.Inf(1))
			if math.IsInf(most, 1) || r == 0 {
				continue
			}
			finite++
			u := r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
			w0, b0 := s.Winding(c)
			w1, b1 := s.Winding(c.Add(u.Mul(r * 0.999 / vec.Norm(u))))
			if got := math.Abs(w1 - w0); got > most+b0+b1 {
				t.Fatalf("W changes by %g within %g of %v, the bound is %g", got, r, c, most)
			}
			tight = max(tight, math.Abs(w1-w0)/most)
		}
		if finite < 1000 || tight < 0.05 {
			t.Errorf("%d bounds, at most %g of which was needed", finite, tight)
		}
		near, far := v.bound(r3.Vector{X: 4}, 0.1, math.Inf(1)), v.bound(r3.Vector{X: 40}, 0.1, math.Inf(1))
		if !(near > 50*far && far > 0) {
			t.Errorf("change %g at 4, %g at 40: want a falling off by the square", near, far)
		}
	}
}
