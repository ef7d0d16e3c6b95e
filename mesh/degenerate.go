package mesh

import (
	"context"
	"math"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/predicates"
)

// zeroAreaFaces returns the faces of exactly zero area in ascending order.
func zeroAreaFaces(ctx context.Context, m *Mesh, workers int) ([]int32, error) {
	found := make([][]int32, len(m.Faces)/blockSize+1)
	err := par.Blocks(ctx, len(m.Faces), blockSize, workers, func(_, lo, hi int) {
		c := lo / blockSize
		for f := lo; f < hi; f++ {
			t := m.Triangle(int32(f))
			if !surelyArea(t) && (collapsed(m.Faces[f]) || predicates.ZeroArea(t[0], t[1], t[2])) {
				found[c] = append(found[c], int32(f))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	var all []int32
	for _, part := range found {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	return all, nil
}

// surelyArea reports true only if the triangle has an area: if one of its three
// coordinate projections certainly has one.
func surelyArea(t Triangle) bool {
	u, v := t[1].Sub(t[0]), t[2].Sub(t[0])
	return surelyNonZero(u.X, v.Y, u.Y, v.X) ||
		surelyNonZero(u.Y, v.Z, u.Z, v.Y) ||
		surelyNonZero(u.Z, v.X, u.X, v.Z)
}

// surelyNonZero reports true only if ab − cd is not zero, where a, b, c and d are
// differences of coordinates, each rounded once.
//
// This is the filter of orient2d: the error is at most (3+16ε)ε(|ab|+|cd|),
// ε = 2⁻⁵³ (Shewchuk 1997, §4.2); 2⁻⁵¹ = 4ε leaves room for the rounding of the
// sum and of the bound. A product that underflows adds at most 2⁻¹⁰⁷⁵, which is
// below that room, ε·2⁻⁵⁰⁰, from a sum of 2⁻⁵⁰⁰ on. Inf and NaN from overflow
// fail the comparison.
func surelyNonZero(a, b, c, d float64) bool {
	l, r := float64(a*b), float64(c*d)
	sum := math.Abs(l) + math.Abs(r)
	return sum > 0x1p-500 && math.Abs(l-r) > float64(0x1p-51*sum)
}
