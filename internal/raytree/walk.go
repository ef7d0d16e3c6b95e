package raytree

import (
	"math"

	"github.com/golang/geo/r3"
)

// Walk visits triangles near a ray, roughly from near to far. The zero Walk visits nothing. Start
// begins a walk and ends the previous walk. A Walk belongs to one goroutine at a time.
type Walk struct {
	// Nodes and Blocks count the nodes and the blocks of triangles that were tested since the caller
	// last set them to zero.
	Nodes, Blocks uint64

	tree *Tree

	// The computed ray starts at start and ends where it leaves the box of the mesh. On axis k, it
	// enters a box [a, b] at (a−near)·inverse and leaves the box at (b−far)·inverse, as for the slabs
	// of package bvh. The parameter is 0 at the start and 1 at the end.
	near, far, inverse [3]float32
	limit              int32  // bits of an upper bound of the parameter; the lowest three bits are set
	enter, leave       [3]int // offset in bytes of the rows where the ray enters and leaves boxes

	// These are for the tests of triangles. The last axis is that of the largest component of the
	// direction, and the order of the axes is cyclic.
	axis    [3]int     // 8 times the number of the axis
	start   [3]float64 // on these axes
	slope   [2]float64
	slope32 [2]float32
	drift   float64 // 8 times a bound of the distance between the ray and the computed ray
	forward bool    // whether the ray runs toward larger coordinates on the last axis

	toUnits, offset, perUnit float64 // a parameter t of the caller is (t·toUnits−offset)·perUnit here

	first int32  // result of advance: the first triangle of a block
	masks uint32 // result of advance: the masks of test

	sp    int
	keys  [stackSize]int32 // bits of the entry into the box; the number of a lane replaces the lowest three bits
	links [stackSize]int32

	// The padding spreads the walks of a Stream over the sets of the cache.
	_ [512]byte
}

// stackSize is the size of the stack. A step removes one entry and adds at most eight, and it writes
// eight in any case. The depth of a bvh.Tree is at most 60, and a leaf with more than eight triangles
// is at most 7 levels deeper.
const stackSize = 7*67 + 8 + 5

// The padding of the ray is pad·(|d|+|s|) + drift + padFloor on each axis, where the computed ray starts at s
// and ends at s+d. pad is 32 times the unit roundoff 2⁻²⁴ of float32. The proof is that of
// slab in package bvh, with this unit roundoff.
const (
	pad      = 0x1p-19
	padFloor = 0x1p-60
)

// blind is a coordinate far from every box. A ray for which float32 excludes nothing starts there.
const blind = 1e30

// Start begins a walk along the points origin + t·direction with t ≥ 0. direction may differ from the
// exact direction by a factor of 1 ± 2⁻⁵² in each component. The walk visits nothing if a coordinate
// is infinite or NaN, or if direction is 0.
func (w *Walk) Start(t *Tree, origin, direction r3.Vector) {
	w.tree, w.sp = t, 0
	largest := max(math.Abs(direction.X), math.Abs(direction.Y), math.Abs(direction.Z))
	if !(largest > 0 && largest <= math.MaxFloat64) || !finite(origin) {
		return
	}
	// The largest component of d is between ½ and 1, unless direction is subnormal.
	power := powerOfTwo(-exponent(largest))
	d := [3]float64{direction.X * power, direction.Y * power, direction.Z * power}
	v := t.local(origin)
	s := [3]float64{v.X, v.Y, v.Z}
	// The drift bounds the errors of local, of the start below and of the slopes.
	size := max(math.Abs(s[0]), math.Abs(s[1]), math.Abs(s[2]))
	drift := 0x1p-47 * (size + 8)
	if !(drift <= maxDrift) {
		w.startBlind()
		return
	}
	last := 0
	if math.Abs(d[1]) > math.Abs(d[0]) {
		last = 1
	}
	if math.Abs(d[2]) > math.Abs(d[last]) {
		last = 2
	}
	from, to := 0.0, math.Inf(1)
	for k := range d {
		low, high := t.low[k]-margin, t.high[k]+margin
		if math.Abs(d[k]) < flatDirection {
			if s[k] < low || s[k] > high {
				return
			}
			continue
		}
		inverse := 1 / d[k]
		if inverse < 0 {
			low, high = high, low
		}
		from, to = max(from, (low-s[k])*inverse), min(to, (high-s[k])*inverse)
	}
	if !(from <= to) {
		return
	}
	length := to - from
	w.limit = oneBits | 7
	w.offset = from
	w.perUnit = 1 / length
	if w.toUnits = t.scale / power; w.toUnits < 0x1p-900 {
		w.toUnits = math.Inf(1) // Limit has no effect, because the parameters could underflow
	}
	for k := range d {
		s[k] += float64(from * d[k])
		w.setSlab(k, s[k], float64(length*d[k]), drift)
	}
	x, y := (last+1)%3, (last+2)%3
	w.axis = [3]int{8 * x, 8 * y, 8 * last}
	w.start = [3]float64{s[x], s[y], s[last]}
	inverse := 1 / d[last]
	w.slope = [2]float64{d[x] * inverse, d[y] * inverse}
	w.slope32 = [2]float32{float32(w.slope[0]), float32(w.slope[1])}
	w.drift, w.forward = 8*drift, d[last] > 0
	w.push()
}

const (
	// maxDrift is the largest drift for which float32 excludes anything. Rays that start 2⁴¹ times
	// the size of the mesh away have it.
	maxDrift = 0x1p-6
	// margin exceeds maxDrift and roundingSlack. So the ends of the computed ray lie outside the box
	// of the mesh where the exact ray leaves it.
	margin = 0x1p-5
	// A component below flatDirection changes the coordinate by less than the drift.
	flatDirection = 0x1p-200
	oneBits       = 0x3f800000 // the bits of the float32 number 1
)

// powerOfTwo returns 2ᵉ, but at least 2⁻¹⁰²² and at most 2¹⁰²³.
func powerOfTwo(e int) float64 {
	return math.Float64frombits(uint64(max(-1022, min(e, 1023))+1023) << 52)
}

func finite(v r3.Vector) bool {
	return max(math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z)) <= math.MaxFloat64
}

func (w *Walk) push() {
	w.keys[0], w.links[0], w.sp = 0, 0, 1
}

// startBlind begins a walk that visits all triangles and decides no sign.
func (w *Walk) startBlind() {
	w.toUnits, w.offset, w.perUnit, w.limit = 0, 0, 0, oneBits|7
	for k := range 3 {
		w.near[k], w.far[k], w.inverse[k] = blind, -blind, 1
		w.enter[k], w.leave[k] = 32*k, 32*(k+3)
	}
	w.axis = [3]int{0, 8, 16}
	w.start, w.slope, w.slope32 = [3]float64{}, [2]float64{}, [2]float32{}
	w.drift, w.forward = math.Inf(1), true
	w.push() // Limit has no effect, because the parameter is always limitSlack
}

// setSlab sets the numbers for the box tests on axis k. The computed ray is s+τd, 0 ≤ τ ≤ 1.
func (w *Walk) setSlab(k int, s, d, drift float64) {
	p := pad*(math.Abs(d)+math.Abs(s)) + drift + padFloor
	w.enter[k], w.leave[k] = 32*k, 32*(k+3)
	switch {
	case d > p:
		w.near[k], w.far[k], w.inverse[k] = float32(s+p), float32(s-p), float32(1/d)
	case d < -p:
		w.near[k], w.far[k], w.inverse[k] = float32(s-p), float32(s+p), float32(1/d)
		w.enter[k], w.leave[k] = w.leave[k], w.enter[k]
	default:
		w.near[k], w.far[k], w.inverse[k] = float32(s+2*p), float32(s-2*p), float32(2/p)
	}
}

// Limit ends the walk at the parameter t: triangles that the ray meets only at larger parameters may
// be left out from now on. The limit can only decrease.
func (w *Walk) Limit(t float64) {
	x := (t*w.toUnits-w.offset)*w.perUnit + limitSlack*(1+0x1p-30*w.offset*w.perUnit)
	switch {
	case x < 0:
		w.sp = 0 // the ray has not entered the box of the mesh
	case x < 1:
		w.limit = min(w.limit, int32(math.Float32bits(float32(x)))|7)
	}
}

// limitSlack exceeds the error of the parameter in Limit, which has two roundings relative to the
// offset, and the rounding to float32.
const limitSlack = 0x1p-20

// Block is the result of Next for up to eight triangles. Bit k belongs to the triangle with the number
// First + k in mesh.Indexed.Triangles.
type Block struct {
	First  int32
	Met    uint8 // the line of the ray can meet the triangle; all other bits are 0 then
	Leaves uint8 // the line crosses the interior of the triangle along its normal
	Enters uint8 // the line crosses the interior of the triangle against its normal
}

// Next returns the next block with a triangle that the line of the ray can meet. After the last block,
// Met is 0. The triangles that the ray meets before the limit are in the blocks that Next returns.
func (w *Walk) Next() Block {
	if w.sp == 0 {
		return Block{}
	}
	list := [1]int64{0}
	advance(w, w.tree, list[:], 0)
	return w.block()
}

// block returns the result of advance.
func (w *Walk) block() Block {
	b := Block{First: w.first, Met: uint8(w.masks), Leaves: uint8(w.masks >> 8), Enters: uint8(w.masks >> 16)}
	if !w.forward {
		b.Leaves, b.Enters = b.Enters, b.Leaves
	}
	return b
}
