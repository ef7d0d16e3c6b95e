package raytree

import (
	"math"
	"math/big"

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

	// These fields are for the tests of triangles. The axes are in cyclic order, and the direction
	// has its largest component on the last axis.
	axis    [3]int     // 8 times the number of the axis
	start   [3]float64 // start of the computed ray on these axes
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

// The padding of the ray is pad·(|d|+|s|) + drift + padFloor on each axis, where the computed ray
// starts at s and ends at s+d. pad is 32 times the unit roundoff 2⁻²⁴ of float32. For the proof,
// see slab in package bvh, with this unit roundoff.
const (
	pad      = 0x1p-19
	padFloor = 0x1p-60
)

// Start begins a walk along the points origin + t·direction with t ≥ 0. Each component of direction
// may differ from the exact component by a factor of 1 ± 2⁻⁵². If a coordinate is infinite or NaN,
// or if direction is 0, Start returns true and the walk visits nothing.
//
// If slack is not 0, larger errors are allowed: origin may be at most slack away from the exact
// origin, and direction may differ from the exact direction by 2⁻⁴⁷ times its largest component.
//
// If origin is more than about 2³³ times the size of the mesh away, Start returns false and the
// walk visits nothing. Then the caller calls StartExact.
func (w *Walk) Start(t *Tree, origin, direction r3.Vector, slack float64) bool {
	w.tree, w.sp = t, 0
	largest := max(math.Abs(direction.X), math.Abs(direction.Y), math.Abs(direction.Z))
	if !(largest > 0 && largest <= math.MaxFloat64) || !finite(origin) {
		return true
	}
	// The largest component of d is between ½ and 1, unless direction is subnormal.
	power := powerOfTwo(-exponent(largest))
	d := [3]float64{direction.X * power, direction.Y * power, direction.Z * power}
	v := t.local(origin)
	s := [3]float64{v.X, v.Y, v.Z}
	// drift bounds the errors of local, of the start of the computed ray, and of the slopes.
	size := max(math.Abs(s[0]), math.Abs(s[1]), math.Abs(s[2]))
	drift := 0x1p-47 * (size + 8)
	if slack > 0 { // points in the box have parameters of at most 2(size + 2) in units of d
		drift = 0x1p-44*(size+8) + 2*slack*t.scale*t.lift
	}
	if !(drift <= maxDrift) {
		return false
	}
	last := 0
	if math.Abs(d[1]) > math.Abs(d[0]) {
		last = 1
	}
	if math.Abs(d[2]) > math.Abs(d[last]) {
		last = 2
	}
	if length := w.begin(s, d, last, 0, drift); length > 0 {
		w.perUnit = 1 / length
		if w.toUnits = t.scale / power * t.lift; w.toUnits < 0x1p-900 {
			w.toUnits = math.Inf(1) // Limit has no effect, because the parameters could underflow
		}
	}
	return true
}

// Misses reports that the ray certainly misses the box of the mesh up to the parameter limit: at
// the points origin + t·direction with 0 ≤ t ≤ limit. direction may differ from the exact direction
// as for Start. If Misses returns false, the ray may meet the box or miss it. Misses takes a few
// nanoseconds, much less than Start.
func (t *Tree) Misses(origin, direction r3.Vector, limit float64) bool {
	o, d := [3]float64{origin.X, origin.Y, origin.Z}, [3]float64{direction.X, direction.Y, direction.Z}
	if a, b := &t.outerLow, &t.outerHigh; a[0] <= o[0] && o[0] <= b[0] && a[1] <= o[1] && o[1] <= b[1] && a[2] <= o[2] && o[2] <= b[2] {
		return false
	}
	from, to := 0.0, limit+limitSlack*limit
	for k := range d {
		low, high := t.outerLow[k]-o[k], t.outerHigh[k]-o[k]
		if !(low >= -t.reach && high <= t.reach) {
			return false // the origin is far away
		}
		if x := math.Abs(d[k]); !(x >= leastComponent && x <= 1/leastComponent) {
			if x == 0 && (low > 0 || high < 0) {
				return true
			}
			continue // the coordinates do not decide
		}
		inverse := 1 / d[k]
		low, high = low*inverse, high*inverse
		if inverse < 0 {
			low, high = high, low
		}
		if low > from {
			from = low
		}
		if high < to {
			to = high
		}
	}
	return from > to
}

// begin begins a walk along the points s + τ·d with τ ≥ from, in the coordinates of the tree. last
// is the axis of the largest component of d. begin returns the length of the computed ray in units
// of τ. If the points miss the box of the mesh, begin returns 0 and the walk visits nothing.
func (w *Walk) begin(s, d [3]float64, last int, from, drift float64) (length float64) {
	at, along := [4]float64{s[0], s[1], s[2], 0}, [4]float64{d[0], d[1], d[2], 1}
	if min(math.Abs(d[0]), math.Abs(d[1]), math.Abs(d[2])) < flatDirection {
		length = w.clipGeneric(&at, &along, from, drift)
	} else {
		length = w.clip(&at, &along, from, drift)
	}
	if length == 0 {
		return 0
	}
	w.limit = oneBits | 7
	x, y := (last+1)%3, (last+2)%3
	inverse := 1 / d[last]
	w.axis = [3]int{8 * x, 8 * y, 8 * last}
	w.start = [3]float64{at[x], at[y], at[last]}
	w.slope = [2]float64{d[x] * inverse, d[y] * inverse}
	w.slope32 = [2]float32{float32(w.slope[0]), float32(w.slope[1])}
	w.drift, w.forward = 8*drift, d[last] > 0
	w.keys[0], w.links[0], w.sp = 0, 0, 1
	return length
}

// StartExact begins a walk along the points origin + t·direction with t ≥ 0, and rounds only the point
// where the line of the ray passes the center of the mesh. So the walk is as precise for a distant
// origin as for a near one. StartExact takes some microseconds, and Limit has no effect on the walk.
func (w *Walk) StartExact(t *Tree, origin, direction r3.PreciseVector) {
	w.tree, w.sp = t, 0
	o, d := components(origin.Sub(r3.PreciseVectorFromVector(t.center))), components(direction)
	last := 0
	for k := range d {
		if new(big.Float).Abs(d[k]).Cmp(new(big.Float).Abs(d[last])) > 0 {
			last = k
		}
	}
	if d[last].Sign() == 0 {
		return
	}
	forward := float64(d[last].Sign())
	// The line is s + τ·slope, where component last of s is 0, and component last of slope is ±1.
	var s, slope [3]float64
	slope[last] = forward
	for k := range d {
		if k != last {
			// s = o − o[last]·d/d[last] is exact up to the division.
			at := new(big.Float).Sub(new(big.Float).Mul(o[k], d[last]), new(big.Float).Mul(o[last], d[k]))
			s[k] = t.units(at, d[last])
			slope[k] = forward * quotient(d[k], d[last])
			if math.Abs(s[k]) > 4 {
				return // the line passes far from the box, because the slopes are at most 1
			}
		}
	}
	// The origin has the parameter τ = ±o[last]. This parameter matters only near the box, where
	// its error is below 2⁻⁵⁰.
	from := forward * t.units(o[last], big.NewFloat(1))
	if from > 8 {
		return // the ray runs away from the mesh
	}
	w.begin(s, slope, last, max(from-exactDrift, -8), exactDrift)
	w.toUnits, w.perUnit = math.Inf(1), 1
}

// exactDrift bounds the distance between the exact ray and the computed ray of StartExact.
const exactDrift = 0x1p-44

func components(v r3.PreciseVector) [3]*big.Float { return [3]*big.Float{v.X, v.Y, v.Z} }

// units returns the length n/d, rounded once, in the coordinates of t.
func (t *Tree) units(n, d *big.Float) float64 {
	q := new(big.Float).SetPrec(53).Quo(n, d)
	_, e := math.Frexp(t.scale)
	_, more := math.Frexp(t.lift)
	x, _ := q.SetMantExp(q, e-1+more-1).Float64()
	return x
}

// quotient returns n/d, rounded once.
func quotient(n, d *big.Float) float64 {
	q, _ := new(big.Float).SetPrec(53).Quo(n, d).Float64()
	return q
}

const (
	// maxDrift is the largest drift of Start (tuning). A ray that starts 2³³ times the size of the
	// mesh away has this drift.
	maxDrift = 0x1p-14
	// margin exceeds maxDrift + roundingSlack. So the computed ray ends outside the box of the
	// mesh, beyond the point where the exact ray leaves the box.
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

// Limit shortens the walk to the parameter t: from now on, the walk may leave out triangles that
// the ray meets only at larger parameters. A later call can only decrease the limit.
func (w *Walk) Limit(t float64) {
	x := (t*w.toUnits-w.offset)*w.perUnit + limitSlack*(1+0x1p-30*w.offset*w.perUnit)
	switch {
	case x < 0:
		w.sp = 0 // the ray has not entered the box of the mesh
	case x < 1:
		w.limit = min(w.limit, int32(math.Float32bits(float32(x)))|7)
	}
}

// limitSlack exceeds the relative error of the parameter in Limit. The parameter has two roundings
// relative to the offset, and a rounding to float32.
const limitSlack = 0x1p-20

// Block is the result of Next for up to eight triangles. Bit k belongs to the triangle with the number
// First + k in mesh.Indexed.Triangles.
type Block struct {
	First  int32
	Met    uint8 // the line of the ray can meet the triangle; all other bits are 0 then
	Leaves uint8 // the line crosses the interior of the triangle along its normal
	Enters uint8 // the line crosses the interior of the triangle against its normal
}

// Next returns the next block with a triangle that the line of the ray can meet. After the last
// block, Met is 0. Every triangle that the ray meets before the limit is in one of the blocks.
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
