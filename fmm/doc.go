// Package fmm evaluates the double-layer potential of any triangles, which is
// their winding number
//
//	W(x) = J(x) = (1/4π) Σ_τ Ω_τ(x)
//
// by a fast multipole method (Muth, Of, Eberhard, Steinbach 2006, §2.1), with an
// error that is wanted beforehand and a bound that holds for each point.
//
// Two octrees divide one cube. Clusters ω of the source tree, triangles whose
// centroids share a cell, have multipole moments: P2M at the leaves, M2M upwards.
// Cells σ of the evaluation tree have local expansions: M2L from clusters that are
// far enough, L2L downwards. A point adds the local expansion of its leaf (L2P) to
// the solid angles of the triangles that are near (P2P, package bem).
//
// A pair (ω, σ) is not accepted by a fixed distance, as in eq. 16, but by a bound
// of what its expansions omit, sharp for the norms of the moments of ω (bound.go):
// closed surfaces cancel, and their clusters may be close. Each cell has spent a part
// of the tolerance; with what is left it accepts the pairs of the smallest
// errors first, and leaves the rest to its children or to the near field. So the
// sum of all bounds never exceeds the tolerance, whatever the mesh.
//
// The evaluation tree is divided where dividing saves more time in the near field
// than it takes, for the points that are known (WC in the paper), or for a number of
// points that is expected or assumed (PC). Where a leaf would be slower than that,
// points are evaluated from the source tree alone (M2P).
//
//	p, err := fmm.New(ctx, triangles, fmm.Options{Epsilon: 1e-6})
//	if err != nil {
//		return err
//	}
//	var s fmm.Scratch
//	w, bound, on := p.Winding(x, &s)
package fmm
