// Package raycross locates points relative to a mesh by ray crossing (Muth, Of, Eberhard, Steinbach
// 2006, §2.2). It makes the method exact and extends it to open meshes. Most users want package
// inpoly, which chooses among the methods.
//
// A random ray starts at the point P. A tree (package bvh) finds the faces that the ray may meet.
// "Volume-Signs" tell whether the line of the ray crosses a face. The sign of the distance of P
// from the plane of the face (d1) tells whether the crossing is ahead of P. A degenerate ray meets
// an edge, a vertex, or a face in the plane of the face; it is discarded and another ray is cast.
// All signs are exact, so a Count is always right.
//
// Crossings have signs: +1 if the ray leaves through a face along its normal, −1 if it enters. χ is
// the sum of the signs. On a closed mesh χ is the winding number W. On an open mesh W = χ + (1/4π)
// Σ m_e Ω_e, where the boundary edge e has multiplicity m_e and contributes the solid angle Ω_e
// (package bem). The sum has a certified bound. If the bound reaches a threshold of the rule,
// arbitrary precision decides.
//
// P is on the surface if and only if P lies exactly on a closed face. Faces of zero area belong to
// the surface, but rays never cross them.
//
//	x, err := m.Index(ctx, bvh.Options{})
//	if err != nil {
//		return err
//	}
//	c, err := raycross.New(x, raycross.Options{})
//	if err != nil {
//		return err
//	}
//	var s raycross.Scratch
//	fmt.Println(c.Side(r3.Vector{X: 1}, &s))
package raycross
