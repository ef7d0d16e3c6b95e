package bem

import (
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// AddPatch adds the triangles faces of vertices, seen from centre and multiplied by
// scale. Edges between them cancel before they cost anything. Faces may be
// collapsed. It allocates only to grow with the largest patch.
func (m *Moments) AddPatch(faces [][3]int32, vertices []r3.Vector, centre r3.Vector, scale float64) {
	m.chain.start(len(faces))
	for _, f := range faces {
		m.chain.add(f[0], f[1])
		m.chain.add(f[1], f[2])
		m.chain.add(f[2], f[0])
	}
	m.addChain(vertices, centre, scale)
}

// AddTriangles is AddPatch for triangles that share corners by their coordinates
// (−0 = +0), at some more cost.
func (m *Moments) AddTriangles(tris []mesh.Triangle, centre r3.Vector, scale float64) {
	m.chain.start(len(tris))
	m.corners.start(len(tris))
	for i := range tris {
		t := &tris[i]
		a, b, c := m.corners.number(t[0]), m.corners.number(t[1]), m.corners.number(t[2])
		m.chain.add(a, b)
		m.chain.add(b, c)
		m.chain.add(c, a)
	}
	m.addChain(m.corners.points, centre, scale)
}

// addChain adds the edges that are left in the chain.
func (m *Moments) addChain(vertices []r3.Vector, centre r3.Vector, scale float64) {
	for _, at := range m.chain.used {
		if n := m.chain.mult[at]; n != 0 {
			a, b := int32(m.chain.keys[at]>>32), int32(uint32(m.chain.keys[at]))
			m.AddEdge(vertices[a].Sub(centre).Mul(scale), vertices[b].Sub(centre).Mul(scale), float64(n))
		}
	}
}

// chain adds up directed edges: a hash table with open addressing. Edges keep the
// order in which they came.
type chain struct {
	keys []uint64 // lower vertex << 32 | higher one; used where it is in the list
	mult []int32  // copies from the lower vertex to the higher one
	live []bool
	used []int32
}

// start empties the chain and makes room for triangles.
func (c *chain) start(triangles int) {
	for _, at := range c.used {
		c.live[at] = false
	}
	c.used = c.used[:0]
	size := tableSize(3 * triangles)
	if size > len(c.keys) {
		c.keys, c.mult, c.live = make([]uint64, size), make([]int32, size), make([]bool, size)
		c.used = slices.Grow(c.used, 3*triangles)
	}
}

// tableSize returns a power of two, at least twice n.
func tableSize(n int) int {
	size := 64
	for size < 2*n {
		size *= 2
	}
	return size
}

// add adds the edge a→b.
func (c *chain) add(a, b int32) {
	n := int32(1)
	if a > b {
		a, b, n = b, a, -1
	}
	if a == b {
		return
	}
	key := uint64(a)<<32 | uint64(uint32(b))
	at := int(mix(key)) & (len(c.keys) - 1)
	for c.live[at] && c.keys[at] != key {
		at = (at + 1) & (len(c.keys) - 1)
	}
	if !c.live[at] {
		c.live[at], c.keys[at], c.mult[at] = true, key, 0
		c.used = append(c.used, int32(at))
	}
	c.mult[at] += n
}

// mix spreads the bits of a key: multiplication by 2^64/φ (Knuth, The Art of
// Computer Programming 3, §6.4), the upper half of which depends on all bits.
func mix(key uint64) uint64 { return (key ^ key>>29) * 0x9e3779b97f4a7c15 >> 32 }

// corners numbers points: a hash table like chain.
type corners struct {
	slots  []int32 // number of the point, plus 1; 0 where free
	taken  []int32 // slots
	points []r3.Vector
}

// start empties the table and makes room for triangles.
func (c *corners) start(triangles int) {
	for _, at := range c.taken {
		c.slots[at] = 0
	}
	c.taken, c.points = c.taken[:0], c.points[:0]
	if size := tableSize(3 * triangles); size > len(c.slots) {
		c.slots = make([]int32, size)
		c.taken = slices.Grow(c.taken, 3*triangles)
		c.points = slices.Grow(c.points, 3*triangles)
	}
}

// number returns the number of p.
func (c *corners) number(p r3.Vector) int32 {
	p = r3.Vector{X: p.X + 0, Y: p.Y + 0, Z: p.Z + 0} // −0 becomes +0
	at := int(mix(math.Float64bits(p.X)^mix(math.Float64bits(p.Y)^mix(math.Float64bits(p.Z))<<32)<<32)) & (len(c.slots) - 1)
	for c.slots[at] != 0 {
		if n := c.slots[at] - 1; c.points[n] == p {
			return n
		}
		at = (at + 1) & (len(c.slots) - 1)
	}
	c.taken = append(c.taken, int32(at))
	c.points = append(c.points, p)
	c.slots[at] = int32(len(c.points))
	return int32(len(c.points)) - 1
}
