package build

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// openMeshes returns meshes with holes of several sizes and shapes.
func openMeshes() map[string]*mesh.Mesh {
	star := testmesh.Star(4, .4, 1)
	return map[string]*mesh.Mesh{
		"hemisphere":    testmesh.Mesh(testmesh.Hemisphere(3)),
		"pinholes":      testmesh.Mesh(testmesh.Without(star, 1, 50, 300, 301, 900)),
		"half a star":   testmesh.Mesh(mesh.Soup{Vertices: star.Vertices, Faces: star.Faces[:len(star.Faces)/2]}),
		"single faces":  testmesh.Mesh(testmesh.Triangles(30, 2)),
		"long":          testmesh.Mesh(testmesh.Move(testmesh.Without(star, 1, 2, 50, 51, 52, 300, 301, 900), stretched)),
		"large numbers": testmesh.Mesh(testmesh.Scale(testmesh.Soup(testmesh.Mesh(testmesh.Hemisphere(2))), 0x1p200)),
	}
}

// stretched moves a point so that triangles become long, diagonal to the axes.
func stretched(p r3.Vector) r3.Vector {
	d := 40 * (p.X + p.Y + p.Z)
	return p.Add(r3.Vector{X: d, Y: d, Z: d})
}

// The bounds of a box hold for the potential at random points of the box.
func TestHolesBounds(t *testing.T) {
	for name, m := range openMeshes() {
		h, err := closeHoles(t.Context(), m, math.MaxInt)
		if err != nil {
			t.Fatal(err)
		}
		soup := mesh.Soup{Vertices: m.Vertices, Faces: h.caps}
		direct := bem.NewDirect(testmesh.Mesh(soup), 1)
		r := rand.New(rand.NewPCG(1, 2))
		size := m.Box().Size()
		unit := max(size.X, size.Y, size.Z)
		random := func(lo, hi float64) r3.Vector {
			f := func() float64 { return lo + (hi-lo)*r.Float64() }
			return r3.Vector{X: f(), Y: f(), Z: f()}
		}
		decided, stack := 0, []int32(nil)
		for range 3000 {
			edge := unit * math.Exp2(-1-8*r.Float64())
			lo := m.Box().Min.Add(random(-.3, 1.3).Mul(unit))
			box := bvh.Box{Min: lo, Max: lo.Add(r3.Vector{X: edge, Y: edge, Z: edge})}
			wide := []float64{0, 0.01, math.Inf(1)}[r.IntN(3)]
			if wide < 1 && meetsCaps(h, &box) {
				continue
			}
			room := r.Float64()
			s, difference := h.inBox(h.wholeSpread(), &box, edge*h.scale, wide, room, &stack)
			if difference >= room {
				// A part of the box inherits the sums of the whole box.
				half := box.Min.Add(box.Max.Sub(box.Min).Mul(.5))
				box.Max, edge = half, edge/2
				s.square /= 4
				if _, difference = h.inBox(s, &box, edge*h.scale, wide, room, &stack); difference >= room {
					continue
				}
			}
			decided++
			var j [8]float64
			most := 0.0
			for c := range j {
				j[c], _, _ = direct.Winding(corner(&box, c))
				most = max(most, math.Abs(j[c]))
			}
			limit := h.magnitude(&box, math.Inf(1)) // holds for all boxes
			for range 5 {
				u := random(0, 1)
				p := box.Min.Add(r3.Vector{X: u.X * edge, Y: u.Y * edge, Z: u.Z * edge})
				w, bound, _ := direct.Winding(p)
				mean := 0.0
				for c := range j {
					f := 1.0
					for a, x := range [3]float64{u.X, u.Y, u.Z} {
						if c>>a&1 == 0 {
							x = 1 - x
						}
						f *= x
					}
					mean += f * j[c]
				}
				if math.Abs(w-mean) > difference+bound+1e-9 {
					t.Fatalf("%s: J = %g at %v in %v, interpolated %g, bound %g", name, w, p, box, mean, difference)
				}
				if math.Abs(w) > limit+bound+1e-9 {
					t.Fatalf("%s: J = %g at %v in %v, bound %g", name, w, p, box, limit)
				}
			}
		}
		if decided < 300 {
			t.Errorf("%s: only %d boxes are decided", name, decided)
		}
	}
}

// The caps are those of mesh.Capped, except for caps of zero area. A tree has at most two nodes for
// each edge.
func TestCapsOfCapped(t *testing.T) {
	for name, m := range openMeshes() {
		h, err := closeHoles(t.Context(), m, math.MaxInt)
		if err != nil {
			t.Fatal(err)
		}
		_, capped, err := m.Capped(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		count := map[mesh.Triangle]int{}
		for _, c := range capped {
			if !predicates.ZeroArea(c[0], c[1], c[2]) {
				count[sorted(c)]++
			}
		}
		for _, c := range h.caps {
			count[sorted(h.triangle(c))]--
		}
		for c, n := range count {
			if n != 0 {
				t.Errorf("%s: cap %v: %d more in mesh.Capped", name, c, n)
			}
		}
		edges := 0
		for _, e := range m.Boundary() {
			edges += int(max(e.Mult, -e.Mult))
		}
		if len(h.nodes) > 2*edges {
			t.Errorf("%s: %d nodes for %d edges", name, len(h.nodes), edges)
		}
	}
}

// sorted rotates the corners of a triangle so that the smallest corner is first.
func sorted(c mesh.Triangle) mesh.Triangle {
	for range 2 {
		if c[1].Cmp(c[0]) < 0 || c[2].Cmp(c[0]) < 0 {
			c = mesh.Triangle{c[1], c[2], c[0]}
		}
	}
	return c
}

func corner(b *bvh.Box, c int) r3.Vector {
	p := b.Min
	if c&1 == 1 {
		p.X = b.Max.X
	}
	if c>>1&1 == 1 {
		p.Y = b.Max.Y
	}
	if c>>2&1 == 1 {
		p.Z = b.Max.Z
	}
	return p
}

// meetsCaps reports whether the box of a cap overlaps a box. Every cap that meets the box does.
func meetsCaps(h *holes, box *bvh.Box) bool {
	for _, c := range h.caps {
		t := h.triangle(c)
		if bvh.EmptyBox().Add(t[0]).Add(t[1]).Add(t[2]).Overlaps(*box) {
			return true
		}
	}
	return false
}

// No point of a stick is closer to a box than stickDistance says.
func TestStickDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	random := func() r3.Vector { return r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64()} }
	positive := 0
	for range 2000 {
		m := testmesh.Mesh(mesh.Soup{Vertices: []r3.Vector{random(), random(), random()}, Faces: [][3]int32{{0, 1, 2}}})
		h, err := closeHoles(t.Context(), m, math.MaxInt)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range h.nodes {
			if n.kind != patchNode && n.kind != edgeNode {
				continue
			}
			edge := math.Exp2(-6 * r.Float64())
			lo := random().Mul(2).Sub(r3.Vector{X: .5, Y: .5, Z: .5})
			box := bvh.Box{Min: lo, Max: lo.Add(r3.Vector{X: edge, Y: edge, Z: edge})}
			d := h.stickDistance(&n.cap.stick, &box) / h.scale
			if d > 0 {
				positive++
			}
			a, b, c := m.Vertices[n.cap.stick.from], m.Vertices[n.cap.stick.to], m.Vertices[n.cap.stick.to]
			if n.kind == patchNode {
				c = m.Vertices[3-n.cap.stick.from-n.cap.stick.to]
			}
			for range 50 {
				u, v := r.Float64(), r.Float64()
				p := a.Add(b.Sub(a).Mul(u)).Mul(1 - v).Add(c.Mul(v))
				q := r3.Vector{X: max(box.Min.X, min(box.Max.X, p.X)), Y: max(box.Min.Y, min(box.Max.Y, p.Y)), Z: max(box.Min.Z, min(box.Max.Z, p.Z))}
				if p.Distance(q) < d {
					t.Fatalf("distance %g of %v from %v, want at least %g", p.Distance(q), p, box, d)
				}
			}
		}
	}
	if positive < 1000 {
		t.Errorf("%d positive distances: the test tests little", positive)
	}
}
