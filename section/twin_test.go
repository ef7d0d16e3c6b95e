package section_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/section"
)

func coordinate(p r3.Vector, k int) float64 { return [3]float64{p.X, p.Y, p.Z}[k] }

// corner returns a vector with the given coordinates on the axes i, j and k.
func corner(i, j, k int, x, y, z float64) r3.Vector {
	var c [3]float64
	c[i], c[j], c[k] = x, y, z
	return vector(c[0], c[1], c[2])
}

type point [2]*big.Rat

// twinSegments returns the exact segments of the faces with the plane x_k = h, moved up by an
// infinitesimal distance, in coordinates i and j.
func twinSegments(m *mesh.Mesh, i, j, k int, h float64) (out [][2]point) {
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	for f := range m.Faces {
		t := m.Triangle(int32(f))
		var down, up point
		crossed := false
		for e := range 3 {
			a, b := t[e], t[(e+1)%3]
			if (coordinate(a, k) > h) == (coordinate(b, k) > h) {
				continue
			}
			crossed = true
			s := new(big.Rat).Sub(rat(h), rat(coordinate(a, k)))
			s.Quo(s, new(big.Rat).Sub(rat(coordinate(b, k)), rat(coordinate(a, k))))
			var p point
			for c, axis := range [2]int{i, j} {
				d := new(big.Rat).Sub(rat(coordinate(b, axis)), rat(coordinate(a, axis)))
				p[c] = d.Add(d.Mul(d, s), rat(coordinate(a, axis)))
			}
			if coordinate(a, k) > h {
				down = p
			} else {
				up = p
			}
		}
		if crossed && (down[0].Cmp(up[0]) != 0 || down[1].Cmp(up[1]) != 0) {
			out = append(out, [2]point{down, up})
		}
	}
	return out
}

// twinArea returns the area of the filled region, and the integral of the winding number, by slabs
// between all ends and crossings of segments.
func twinArea(segs [][2]point, inside func(w int) bool) (area, winding *big.Rat) {
	var ys []*big.Rat
	sub := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
	mul := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	for i, s := range segs {
		ys = append(ys, s[0][1], s[1][1])
		for _, r := range segs[:i] {
			dx, dy := sub(s[1][0], s[0][0]), sub(s[1][1], s[0][1])
			ex, ey := sub(r[1][0], r[0][0]), sub(r[1][1], r[0][1])
			det := sub(mul(dx, ey), mul(dy, ex))
			if det.Sign() == 0 {
				continue
			}
			ox, oy := sub(r[0][0], s[0][0]), sub(r[0][1], s[0][1])
			t := sub(mul(ox, ey), mul(oy, ex))
			t.Quo(t, det)
			if t.Sign() > 0 && t.Cmp(big.NewRat(1, 1)) < 0 {
				ys = append(ys, t.Add(mul(t, dy), s[0][1]))
			}
		}
	}
	slices.SortFunc(ys, func(a, b *big.Rat) int { return a.Cmp(b) })
	area, winding = new(big.Rat), new(big.Rat)
	for n := 1; n < len(ys); n++ {
		height := sub(ys[n], ys[n-1])
		if height.Sign() == 0 {
			continue
		}
		y := mul(new(big.Rat).Add(ys[n], ys[n-1]), big.NewRat(1, 2))
		type hit struct {
			x *big.Rat
			w int
		}
		var hits []hit
		for _, s := range segs {
			up := s[1][1].Cmp(y) > 0
			if up == (s[0][1].Cmp(y) > 0) {
				continue
			}
			t := sub(y, s[0][1])
			t.Quo(t, sub(s[1][1], s[0][1]))
			h := hit{t.Add(mul(t, sub(s[1][0], s[0][0])), s[0][0]), 1}
			if up {
				h.w = -1
			}
			hits = append(hits, h)
		}
		slices.SortFunc(hits, func(a, b hit) int { return a.x.Cmp(b.x) })
		w := 0
		for i, h := range hits {
			if i > 0 {
				a := mul(height, sub(h.x, hits[i-1].x))
				if inside(w) {
					area.Add(area, a)
				}
				winding.Add(winding, mul(a, big.NewRat(int64(w), 1)))
			}
			w += h.w
		}
	}
	return area, winding
}

func filled(rule inpoly.Rule) func(w int) bool {
	return func(w int) bool { return rule.Apply(int64(w), uint64(w)) == inpoly.Inside }
}

func within(x *big.Rat, got, bound float64) bool {
	d := new(big.Rat).Sub(x, new(big.Rat).SetFloat64(got))
	return d.Abs(d).Cmp(new(big.Rat).SetFloat64(bound)) <= 0
}

// closed returns the boundaries of random tetrahedra over few points with small integer coordinates,
// so many edges, faces and crossings coincide.
func closed(seed uint64) mesh.Soup {
	r := rand.New(rand.NewPCG(seed, 3))
	var soups []mesh.Soup
	for range 5 {
		p := func() r3.Vector { return vector(float64(r.IntN(4)), float64(r.IntN(4)), float64(r.IntN(4))) }
		soups = append(soups, testmesh.Simplex(p(), p(), p(), p()))
	}
	return testmesh.Union(soups...)
}

// TestTangles compares sections of random tetrahedra with exact slabs. The planes go through many
// vertices, and many edges and faces coincide or cross in one point.
func TestTangles(t *testing.T) {
	count := uint64(5)
	if testcorpus.Full() {
		count = 2000
	}
	for seed := range count {
		m := testmesh.Mesh(closed(seed + 1000))
		for _, rule := range rules {
			s := solid(t, m, inpoly.Options{Rule: rule})
			for k := range 3 {
				for _, h := range []float64{0, 1, 1.5, 2.25} {
					i, j := (k+1)%3, (k+2)%3
					up := corner(i, j, k, 0, 0, 1)
					got := cut(t, s, section.Plane{Origin: up.Mul(h), Normal: up})
					name := fmt.Sprintf("seed %d, axis %d at %g, %v", seed, k, h, rule)
					checkShape(t, name, got)
					area, winding := twinArea(twinSegments(m, i, j, k, h), filled(rule))
					if !within(area, got.Area, got.AreaBound) || !within(winding, got.WindingArea, got.WindingAreaBound) {
						t.Errorf("%s: area %g ± %g, want %s; integral of W %g ± %g, want %s", name,
							got.Area, got.AreaBound, area.FloatString(17), got.WindingArea, got.WindingAreaBound, winding.FloatString(17))
					}
					if got.AreaBound > 1e-12*max(1, got.Area) {
						t.Errorf("%s: area %g ± %g: the bound is large", name, got.Area, got.AreaBound)
					}
				}
			}
		}
	}
}
