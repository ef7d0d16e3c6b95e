package rays

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// Samples lie between their two hits, also if a line meets faces at small angles, so that the hits have
// large bounds, or if the hits are close to each other.
func TestSamplesBelongToTheirPart(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 15))
	u := func() float64 { return 2*r.Float64() - 1 }
	good, bad, outside := 0, 0, 0
	for range 150 {
		// Triangles that are almost in the plane z = 0, far or near the point 0.
		flat := []float64{1, 0x1p-10, 0x1p-26, 0x1p-30, 0x1p-34, 0x1p-50}[r.IntN(6)]
		shift := r3.Vector{X: float64(r.IntN(3)), Z: float64(r.IntN(2))}
		var soup mesh.Soup
		for range 4 {
			v := func() r3.Vector { return r3.Vector{X: 3 * u(), Y: 3 * u(), Z: u() * flat}.Add(shift) }
			one := mesh.Soup{Vertices: []r3.Vector{v(), v(), v()}, Faces: [][3]int32{{0, 1, 2}}}
			// The second triangle is so close that the errors of two hits can exceed a piece between them.
			soup = testmesh.Union(soup, one, testmesh.Translate(one, r3.Vector{Z: u() * flat * 0x1p-17}))
		}
		c := caster(t, testmesh.Mesh(soup), inpoly.Options{Workers: 1, Orient: inpoly.OrientNever})
		s := &c.scratches(t.Context(), 1)[0]
		for range 10 {
			a, b := r3.Vector{X: -2, Y: u() / 4, Z: u() * flat}.Add(shift), r3.Vector{X: 2, Y: u() / 4, Z: u() * flat}.Add(shift)
			l := worldLine(&Segment{a, b})
			c.all(&l, s, c.gatherOne(&l, s), true)
			ends := []parameter{number(0)}
			for _, h := range s.hits {
				ends = append(ends, h.at)
			}
			ends = append(ends, number(1))
			for k := range ends[1:] {
				from, to := ends[k], ends[k+1]
				if c.compare(&l, &from, &to) >= 0 {
					continue
				}
				from, to = ends[k], ends[k+1] // without the rounding of compare
				pieces := []int{1, 3, 1000, 1 << 16, 1 << 22}[r.IntN(5)]
				p := c.newPart(&l, from, to, pieces, &s.signs)
				if !(p.least <= p.most) {
					continue
				}
				for _, i := range []int{0, 1, r.IntN(pieces), pieces - 1} {
					at, v, ok := p.sample(min(i, pieces-1), &s.signs)
					if !inside(c, &l, from, to, ratOf(at)) {
						t.Fatalf("sample %d of %d from %+v to %+v of %v has the parameter %v", i, pieces, from, to, l, at)
					}
					belongs := belongs(c, &l, from, to, v)
					switch {
					case ok && !belongs:
						t.Fatalf("sample %d of %d from %+v to %+v of %v is %v", i, pieces, from, to, l, v)
					case ok:
						good++
					default:
						bad++
					}
					if !belongs {
						outside++
					}
				}
			}
		}
	}
	t.Logf("%d samples belong to their part, %d were refused, and %d of these are outside", good, bad, outside)
	if good < 1000 || outside < 10 || bad > good/2 {
		t.Error("the test covers too little")
	}
}

// inside reports whether the parameter at is between the exact parameters of two hits.
func inside(c *Caster, l *line, from, to parameter, at rat) bool {
	return exactly(c, l, from).Cmp(at) < 0 && at.Cmp(exactly(c, l, to)) < 0
}

// exactly returns the exact parameter p.
func exactly(c *Caster, l *line, p parameter) rat {
	num, den := c.ratio(l, &p)
	n, _ := num.Rat(nil)
	d, _ := den.Rat(nil)
	return new(big.Rat).Quo(n, d)
}

// belongs reports whether v is between the hits along the line, and on their sides of the two faces.
func belongs(c *Caster, l *line, from, to parameter, v r3.Vector) bool {
	a, b, p := ratVecOf(l.a), ratVecOf(l.b), ratVecOf(v)
	d := b.sub(a)
	axis := 0
	for k := range d {
		if new(big.Rat).Abs(d[k]).Cmp(new(big.Rat).Abs(d[axis])) > 0 {
			axis = k
		}
	}
	if !inside(c, l, from, to, new(big.Rat).Quo(p.sub(a)[axis], d[axis])) {
		return false
	}
	for i, at := range []parameter{from, to} {
		if at.kind != atFace {
			continue
		}
		q := ratVecOf(c.mesh.Vertices[at.u])
		n := ratVecOf(c.mesh.Vertices[at.v]).sub(q).cross(ratVecOf(c.mesh.Vertices[at.w]).sub(q))
		if p.sub(q).dot(n).Sign() != []ratVec{b, a}[i].sub(q).dot(n).Sign() {
			return false
		}
	}
	return true
}
