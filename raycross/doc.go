// Package raycross decides on which side of a mesh a point lies by the
// ray-crossing method of Muth, Of, Eberhard, Steinbach 2006, §2.2, made exact
// and extended to open meshes.
//
// A random ray leaves the point P; faces that it may meet come from a tree
// (package bvh). "Volume-Signs" tell whether it crosses a face, the sign of P's
// distance from the face's plane (d1) whether it does so ahead of P. A ray that
// meets an edge, a vertex or a face in its own plane is thrown away for another
// one. All signs are exact, so a Count is either right or never returned.
//
// Crossings are counted with signs: +1 where the ray leaves a face along its
// normal, −1 where it enters. On a closed mesh that number χ is the winding
// number. On an open one W = χ + (1/4π) Σ m_e Ω_e over the boundary edges
// (package bem), with a certified bound; where the bound does not decide,
// arbitrary precision does.
//
// P is on the surface iff it lies exactly on a closed face. Faces of zero area
// count for that only: they are never crossed.
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
