// Package measure computes the area, volume, centroid, inertia tensor, principal moments and
// principal axes of solids, each with a certified bound of its error.
//
// The volume integrals of a closed mesh follow from its faces by the divergence theorem (Lee, Requicha, "Algorithms
// for computing the volume and other integral properties of solids", 1982). These integrals weight each point of
// space by its winding number W. The volume is the integral of W, the mass is the density times the volume, and so
// on. Where W is 0 or 1 everywhere, these are the properties of the solid. Elsewhere they differ from the properties
// of the set that the rule of the solid fills: a point in two overlapping bodies counts twice, and a point in an
// inverted body counts −1 times. Compare decides whether the two are certainly equal.
//
// On an open mesh, W is not an integer, and the integrals depend on the choice of the origin. So only the area is
// determined. The other numbers are NaN, their bounds are +Inf, and Reason says why.
//
// A Target at a pose has the numbers of the exactly moved mesh. The motion does not change the area, the volume, the
// mass and the principal moments.
//
// Each number x has a bound b, such that the exact value for the given float64 coordinates lies in [x−b, x+b].
// Coordinates are relative to the middle of the bounding box and scaled by a power of two. Sums over faces are
// compensated. The bounds include the rounding errors of all terms. The results depend on the mesh alone, not on the
// number of workers.
//
//	p, err := measure.Whole(ctx, solid, measure.Options{Density: 7.85e-6})
//	if err != nil {
//		return err
//	}
//	fmt.Println(p.Volume, "±", p.VolumeBound)
//	fmt.Println(p.Centroid, "±", p.CentroidBound)
package measure
