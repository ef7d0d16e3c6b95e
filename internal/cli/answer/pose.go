package answer

import (
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/vec"
)

// The limits below only affect warnings.
const (
	// exactRotation is the largest deformation of a matrix with all digits.
	exactRotation = 1e-12 // tuning: well above the rounding of float64
	// almostRotation is the largest deformation that is probably an error of rounding. Three
	// decimals of a rotation give at most 0.001.
	almostRotation = 0.01 // tuning
	// notableShift is the share of the size of the mesh by which an error of rounding must move a
	// point.
	notableShift = 1e-6 // tuning: above the errors of a matrix in float32
	// notableOfTolerance is the share of --tolerance by which an error of rounding must move a
	// point. It is small, because the nearest rotation can differ from the correct one.
	notableOfTolerance = 0.02 // tuning
)

// matrixWarnings returns warnings about the matrix of --matrix. cloud is the box of the images of the
// points.
func (f *Flags) matrixWarnings(mesh, cloud bvh.Box) (list []string) {
	if f.matrix == nil {
		return nil
	}
	if f.matrix.Mirrors() {
		list = append(list, f.Matrix+": the determinant of the matrix is negative: it mirrors the points")
	}
	d := f.matrix.Deformation()
	if d.Share <= exactRotation || d.Share > almostRotation || mesh.Empty() || cloud.Empty() {
		return list
	}
	shift := 0.0
	for _, q := range corners(cloud) {
		shift = max(shift, d.Shift(f.matrix.Inverse(q)))
	}
	least := notableShift * vec.MaxAbs(mesh.Size())
	if f.Tolerance > 0 {
		least = notableOfTolerance * f.Tolerance
	}
	if shift > least {
		list = append(list, fmt.Sprintf("%s: the matrix is almost a rotation, with errors that can move points by %.2g or more: are its numbers rounded? Give all their digits", f.Matrix, shift))
	}
	return list
}

// poseHint returns a hint if the box of the points does not overlap the box of the mesh, but the
// center of the points would be near the mesh without a usual mistake in --matrix. It returns "" if
// there is no such mistake.
func (f *Flags) poseHint(mesh, cloud bvh.Box) string {
	if f.matrix == nil || mesh.Overlaps(cloud) {
		return ""
	}
	center := cloud.Min.Add(cloud.Max).Mul(0.5)
	before := f.matrix.Inverse(center) // after the factor, before the matrix
	if nearPoint(mesh, f.matrix.Inverse(before)) {
		return fmt.Sprintf("; with the inverse of %s, the points are near the mesh: does the file map the frame of the mesh to the frame of the points?", f.Matrix)
	}
	if f.factor == nil {
		return ""
	}
	factor, _ := f.factor.Float64()
	if t := f.matrix.Translation(); nearPoint(mesh, center.Add(t.Mul(factor-1))) {
		return fmt.Sprintf("; with the translation of %s times %.5g, the points are near the mesh: the translation must be in the unit of the mesh", f.Matrix, factor)
	}
	return ""
}

func corners(b bvh.Box) (list [8]r3.Vector) {
	for i := range list {
		p := b.Min
		if i&1 != 0 {
			p.X = b.Max.X
		}
		if i&2 != 0 {
			p.Y = b.Max.Y
		}
		if i&4 != 0 {
			p.Z = b.Max.Z
		}
		list[i] = p
	}
	return list
}
