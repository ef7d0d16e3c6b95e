package cells

import (
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/predicates"
)

// fans are virtual triangles that close the boundary chain ∂S of a mesh: for
// each connected part of the chain, which is a cycle, one apex, and for each
// copy of an edge a→b in it the triangle b, a, apex. With those of zero area, which
// are left out as they are never crossed and have no potential, S and the fans
// together have no boundary: their winding number is an integer, and that of S
// differs from it by the double-layer potential of the fans.
type fans struct {
	tris  []mesh.Triangle
	parts []part
	scale float64 // a power of two, about 1/size of the mesh
}

// part bounds the potential of the fans of one part of the chain.
type part struct {
	box  bvh.Box
	area float64 // bound of the total area of its fans, times scale²
}

// Parts are looked at for each brick of the grid, about mostLooks times in all;
// where they are more than leastParts, neighbours are taken together for that.
const (
	leastParts = 64
	mostLooks  = 1 << 22
)

// newFans returns the fans of m, or false if they would be more than most.
func newFans(m *mesh.Mesh, most int) (*fans, bool) {
	chain := m.Boundary()
	count := 0
	for _, e := range chain {
		count += int(max(e.Mult, -e.Mult))
		if count > most {
			return nil, false
		}
	}
	parent := make(map[int32]int32, len(chain))
	find := func(v int32) int32 {
		root := v
		for p, ok := parent[root]; ok && p != root; p, ok = parent[root] {
			root = p
		}
		for v != root { // compress the path
			v, parent[v] = parent[v], root
		}
		parent[root] = root
		return root
	}
	for _, e := range chain {
		parent[find(e.A)] = find(e.B)
	}
	type sum struct {
		part int
		at   r3.Vector
		n    float64
	}
	sums := make(map[int32]*sum)
	size := m.Box().Size()
	_, exp := math.Frexp(max(size.X, size.Y, size.Z))
	f := &fans{tris: make([]mesh.Triangle, 0, count), scale: math.Ldexp(1, min(-exp, 1000))}
	for _, e := range chain {
		s := sums[find(e.A)]
		if s == nil {
			s = &sum{part: len(f.parts)}
			sums[find(e.A)] = s
			f.parts = append(f.parts, part{box: bvh.EmptyBox()})
		}
		// A running mean stays within the box whatever the size of coordinates.
		for _, v := range [2]int32{e.A, e.B} {
			s.n++
			s.at = s.at.Mul((s.n - 1) / s.n).Add(m.Vertices[v].Mul(1 / s.n))
		}
	}
	for _, e := range chain {
		s := sums[find(e.A)]
		p := &f.parts[s.part]
		a, b := m.Vertices[e.A], m.Vertices[e.B]
		if e.Mult < 0 {
			a, b = b, a
		}
		if predicates.ZeroArea(b, a, s.at) {
			continue // closes the chain, but is never crossed and has no potential
		}
		for range max(e.Mult, -e.Mult) {
			f.tris = append(f.tris, mesh.Triangle{b, a, s.at})
		}
		p.box = p.box.Add(a).Add(b).Add(s.at)
		// Half the product of two edges; 2^−1000 covers what underflows.
		u, v := b.Sub(a).Mul(f.scale), s.at.Sub(a).Mul(f.scale)
		p.area += float64(max(e.Mult, -e.Mult)) * (u.Norm()*v.Norm()/2 + 0x1p-1000)
	}
	f.parts = slices.DeleteFunc(f.parts, func(p part) bool { return p.area == 0 })
	return f, true
}

// group merges parts for a grid of so many bricks.
func (f *fans) group(bricks int) {
	most := max(leastParts, mostLooks/bricks)
	if len(f.parts) <= most {
		return
	}
	// Parts are in the order of their vertices: neighbours as a rule lie together.
	merged := make([]part, most)
	for i := range merged {
		g := part{box: bvh.EmptyBox()}
		for _, p := range f.parts[len(f.parts)*i/most : len(f.parts)*(i+1)/most] {
			g.box = g.box.Add(p.box.Min).Add(p.box.Max)
			g.area += p.area
		}
		merged[i] = g
	}
	f.parts = merged
}

// faint reports whether the potential of all fans is less than 1/2 in magnitude
// everywhere in box: then the integer winding number of mesh and fans is the one
// nearest to that of the mesh, and every rule gives the same side for both.
//
// A surface of area A at distance d or more spans a solid angle of at most A/d².
// 0.49 leaves room for the rounding of areas and distances.
func (f *fans) faint(box bvh.Box) bool {
	sum := 0.0
	for i := range f.parts {
		p := &f.parts[i]
		d := distance(p.box, box) * f.scale
		if !(d > 0x1p-400) {
			return false
		}
		sum += p.area / (d * d) / (4 * math.Pi)
		if !(sum < 0.49) {
			return false
		}
	}
	return true
}

// distance returns the distance between two boxes.
func distance(a, b bvh.Box) float64 {
	between := func(amin, amax, bmin, bmax float64) float64 { return max(0, bmin-amax, amin-bmax) }
	return math.Hypot(between(a.Min.X, a.Max.X, b.Min.X, b.Max.X),
		math.Hypot(between(a.Min.Y, a.Max.Y, b.Min.Y, b.Max.Y), between(a.Min.Z, a.Max.Z, b.Min.Z, b.Max.Z)))
}
