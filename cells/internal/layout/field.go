package layout

import (
	"math"
	"math/bits"
)

// Field interpolates a smooth function in an open cell linearly between the corners of the cell. A
// query in the cell often needs no potential of the caps. Let S be the mesh, C its caps, W the winding
// number and J the potential. Then W(S) = W(S+C) − J(C).
type Field struct {
	Kind   uint8
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

// fieldUnit is the unit of a Field.
const fieldUnit = 0x1p-12

// Set stores the values at the corners. The interpolation has an error of at most bound. If a number is
// too large or NaN, f stays NoField.
func (f *Field) Set(kind uint8, v *[8]float64, bound float64) {
	// The values are rounded by at most half a unit. A unit covers this and the roundings of At.
	b := math.Ceil(bound/fieldUnit) + 1
	if !(b <= math.MaxUint16) {
		return
	}
	for i, x := range v {
		u := math.RoundToEven(x / fieldUnit)
		if !(math.Abs(u) <= math.MaxInt16) {
			return
		}
		f.corner[i] = int16(u)
	}
	f.Kind, f.bound = kind, uint16(b)
}

// At returns the value of the function at a point of the cell, and a bound of its error. The
// coordinates of the point are relative to the lowest corner of the cell, in units of its edge.
func (f *Field) At(x, y, z float64) (v, bound float64) {
	c := &f.corner
	lerp := func(a, b int16) float64 { return float64(a) + x*(float64(b)-float64(a)) }
	low, high := lerp(c[0], c[1]), lerp(c[4], c[5])
	low += y * (lerp(c[2], c[3]) - low)
	high += y * (lerp(c[6], c[7]) - high)
	return fieldUnit * (low + z*(high-low)), fieldUnit * float64(f.bound)
}

// FieldOf returns the field of an open level-0 cell, or nil if the cell has no field.
func (g *Grid) FieldOf(word uint32, bit uint) *Field {
	if g.Smooth[word]>>bit&1 == 0 {
		return nil
	}
	return &g.Fields[g.FirstField[word]+uint32(bits.OnesCount64(g.Smooth[word]&(1<<bit-1)))]
}
