// Package raycross locates points relative to a mesh by the ray-crossing method of
// Muth, Of, Eberhard, Steinbach 2006, §2.2, made exact and extended to open meshes.
// Most users want package inpoly, which chooses among the methods.
//
// A random ray leaves the point P. A tree (package bvh) finds the faces that it may
// meet. "Volume-Signs" tell whether the ray crosses a face, and the sign of the
// distance of P from the plane of the face (d1) tells whether it does so ahead of
// P. A ray that meets an edge or a vertex, or lies in the plane of a face that it
// meets, is discarded and another one is cast. All signs are exact, so a Count is
// either right or never returned.
//
// Crossings have signs: +1 if the ray leaves through a face along its normal, −1 if
// it enters. On a closed mesh their sum χ is the winding number. On an open mesh
// W = χ + (1/4π) Σ m_e Ω_e over the boundary edges (package bem), with a certified
// bound. If the bound reaches a threshold of the rule, arbitrary precision decides.
//
// P is on the surface if and only if it lies exactly on a closed face. Faces of
// zero area belong to the surface, but they are never crossed.
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
