package layout

import (
	"math"
	"math/bits"
)

// Field interpolates a smooth function in an open cell linearly between the corners of the cell.
// With a field, a query in the cell often need not compute the potential of the caps. Let S be the
// mesh, C its caps, W the winding number and J the potential. Then W(S) = W(S+C) − J(C).
type Field struct {
	Kind   uint8
	shift  uint8    // a unit is fieldUnit times 2^shift
	bound  uint16   // error bound, in units
	corner [8]int16 // values at the corners, in units
}

// These are the kinds of fields.
const (
	NoField   = iota // there is no field
	CapField         // the function is J(C), and no cap meets the cell
	MeshField        // the function is W(S), and no face of the mesh meets the cell
	FaceField        // the function is W(S) − χ, where χ is the result of FaceCrossings
)

// fieldUnit is the smallest unit of a Field, and mostShift is the largest shift.
const (
	fieldUnit = 0x1p-12
	mostShift = 20
)

func (f *Field) unit() float64 { return math.Float64frombits(uint64(1023-12+int(f.shift)) << 52) }

// Set stores the values at the corners. The interpolation has an error of at most bound. If a number is
// too large or NaN, f stays NoField.
func (f *Field) Set(kind uint8, v *[8]float64, bound float64) {
	most := bound
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	if !(most < math.MaxInt16*fieldUnit*(1<<mostShift)) {
		return
	}
	f.shift = uint8(max(0, math.Ceil(math.Log2(most/(math.MaxInt16*fieldUnit)))))
	unit := f.unit()
	// Rounding adds at most half a unit to the error. One unit covers this and the roundings in At.
	f.Kind, f.bound = kind, uint16(math.Ceil(bound/unit)+1)
	for i, x := range v {
		f.corner[i] = int16(min(math.RoundToEven(x/unit), math.MaxInt16))
	}
}

// At returns the value of the function at a point of the cell, and a bound of its error. The
// coordinates of the point are relative to the lowest corner of the cell, in units of its edge.
func (f *Field) At(x, y, z float64) (v, bound float64) {
	c := &f.corner
	lerp := func(a, b int16) float64 { return float64(a) + x*(float64(b)-float64(a)) }
	low, high := lerp(c[0], c[1]), lerp(c[4], c[5])
	low += y * (lerp(c[2], c[3]) - low)
	high += y * (lerp(c[6], c[7]) - high)
	unit := f.unit()
	return unit * (low + z*(high-low)), unit * float64(f.bound)
}

// FieldOf returns the field of an open level-0 cell, or nil if the cell has no field.
func (g *Grid) FieldOf(word uint32, bit uint) *Field {
	if g.Smooth[word]>>bit&1 == 0 {
		return nil
	}
	return &g.Fields[g.FirstField[word]+uint32(bits.OnesCount64(g.Smooth[word]&(1<<bit-1)))]
}
