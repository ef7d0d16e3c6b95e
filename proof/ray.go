package proof

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// caster finds rays that prove winding numbers. It belongs to one goroutine. With a pose, points, rays and boxes are in
// the world, and triangles are in the frame of the mesh.
type caster struct {
	tree *bvh.Tree
	tris []mesh.Triangle // in the order of the leaves
	posed
	flat []bool // faces of zero area, by number
	sums bool   // the rays decide together with the angles of boundary edges
	box  bvh.Box
	unit int // ends of rays are multiples of 2^unit

	walk bvh.BoxWalk
	at   bvh.PointWalk
	hits []hit
}

// hit is a crossed face. sign is +1 if the ray leaves along its normal, otherwise −1.
type hit struct {
	face int32
	sign int
}

// The end of a ray is at most a 16th of the box beyond the box. The coordinates of the end are
// multiples of 2⁻³⁰ of the box. With so many possible ends, a ray rarely meets an edge. Finer
// multiples would make files longer (tuning).
const (
	beyondBits = 4
	unitBits   = 30
)

// endUnit returns the exponent of the power of two whose multiples are ends of rays.
func endUnit(box bvh.Box) int {
	size := box.Size()
	largest := max(size.X, size.Y, size.Z)
	if !(largest > 0) {
		largest = max(vec.MaxAbs(box.Min), 0x1p-1000)
	}
	return max(math.Ilogb(largest)-unitBits, -1074)
}

// attempts is the number of rays that are tried. About one of 2²⁰ rays meets an edge, unless the point
// is very close to the surface or the coordinates have few bits to spare.
const attempts = 400

// cast returns the end of a ray from p that meets no edge. It stores the crossed faces in c.hits, in
// ascending order. ok is false if there is no such ray, because p lies on a face or is too large.
func (c *caster) cast(p r3.Vector) (end r3.Vector, ok bool) {
	h := fnv.New64a()
	var bytes [24]byte
	for k, x := range [3]float64{p.X + 0, p.Y + 0, p.Z + 0} {
		binary.LittleEndian.PutUint64(bytes[8*k:], math.Float64bits(x))
	}
	_, _ = h.Write(bytes[:])
	rng := rand.New(rand.NewPCG(h.Sum64(), 0))
	for i := range attempts {
		end, ok = c.aim(p, i, rng)
		if ok && c.count(p, end) {
			return end, true
		}
	}
	return end, false
}

// direction is a direction parallel to an axis. Its sign is +1 or −1.
type direction struct{ axis, sign int }

// directions returns all directions. The direction in which p is closest to the end of the box is the
// first. If p is outside the box, this direction leads away from the box.
func (c *caster) directions(p r3.Vector) (list [6]direction) {
	lo, hi, x := array(c.box.Min), array(c.box.Max), array(p)
	var length [6]float64
	for k := range 3 {
		length[2*k], length[2*k+1] = x[k]/2-lo[k]/2, hi[k]/2-x[k]/2 // halves do not overflow
	}
	order := [6]int{0, 1, 2, 3, 4, 5}
	slices.SortStableFunc(order[:], func(a, b int) int { return cmp.Compare(length[a], length[b]) })
	for i, o := range order {
		list[i] = direction{o / 2, 2*(o%2) - 1}
	}
	return list
}

// aim returns the end of a ray. It lies strictly beyond a face of the box, and farther along this axis
// than p. The ray is nearly parallel to the axis, so the box around the ray is thin. Later attempts are
// less parallel, and then leave the box in other directions.
func (c *caster) aim(p r3.Vector, attempt int, rng *rand.Rand) (end r3.Vector, ok bool) {
	dir := c.directions(p)[attempt/8%6]
	lo, hi, x := array(c.box.Min), array(c.box.Max), array(p)
	unit := math.Ldexp(1, c.unit)
	for k := range 3 {
		if k == dir.axis {
			limit := max(hi[k], x[k])
			if dir.sign < 0 {
				limit = -min(lo[k], x[k])
			}
			step := max(unit*(1<<(unitBits-beyondBits)), ulp(limit))
			x[k] = float64(dir.sign) * (math.Floor(limit/step) + 1) * step
			continue
		}
		spread := max(unit*math.Ldexp(1, min(unitBits-10+attempt/8, unitBits)), ulp(x[k])*1024)
		step := max(unit, ulp(x[k]))
		x[k] = math.Round((x[k]+spread*(2*rng.Float64()-1))/step) * step
	}
	end = r3.Vector{X: x[0] + 0, Y: x[1] + 0, Z: x[2] + 0}
	return end, vec.Finite(end)
}

// ulp returns the distance between float64 numbers at x.
func ulp(x float64) float64 {
	x = math.Abs(x)
	return math.Nextafter(x, 0x1p1023) - x
}

// count finds the faces that the segment from p to end crosses. It returns false if the line of the
// segment meets an edge of a face that is tested, or if p lies on a face. Edges of faces of zero area
// matter only for a sum of angles, because an edge on the ray has no angle. count tests the faces in
// the leaves whose boxes meet the box of the segment, as the checker does.
func (c *caster) count(p, end r3.Vector) bool {
	c.hits = c.hits[:0]
	signs := c.ray(p, end)
	c.walk.Start(c.tree, bvh.EmptyBox().Add(p).Add(end))
	for {
		first, n, more := c.walk.Next()
		if !more {
			break
		}
		for i := first; i < first+n; i++ {
			face, t := c.tree.Index()[i], &c.tris[i]
			if c.flat[face] {
				if signs.starts(t) {
					return false
				}
				for k := range t {
					if c.sums && signs.mayMeet(t[k], t[(k+1)%3]) {
						return false
					}
				}
				continue
			}
			s0 := signs.edge(t[1], t[2])
			s1 := signs.edge(t[2], t[0])
			if s0*s1 < 0 {
				continue
			}
			s2 := signs.edge(t[0], t[1])
			switch lo, hi := min(s0, s1, s2), max(s0, s1, s2); {
			case lo < 0 && hi > 0:
			case lo <= 0 && hi >= 0:
				return false
			default:
				ahead := signs.ahead(t)
				if ahead == 0 {
					return false
				}
				if ahead == lo {
					c.hits = append(c.hits, hit{face, lo})
				}
			}
		}
	}
	slices.SortFunc(c.hits, func(a, b hit) int { return int(a.face - b.face) })
	return true
}

// faceAt returns the face with the smallest number that contains p, or −1.
func (c *caster) faceAt(p r3.Vector) int32 {
	face := int32(-1)
	signs := c.ray(p, p)
	c.at.Start(c.tree, p)
	for {
		first, n, more := c.at.Next()
		if !more {
			return face
		}
		for i := first; i < first+n; i++ {
			if f := c.tree.Index()[i]; (face < 0 || f < face) && signs.starts(&c.tris[i]) {
				face = f
			}
		}
	}
}

func array(v r3.Vector) [3]float64 { return [3]float64{v.X, v.Y, v.Z} }
