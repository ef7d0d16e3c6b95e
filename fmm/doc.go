// Package fmm evaluates the double-layer potential of any triangles, which is their winding number
//
//	W(x) = J(x) = (1/4π) Σ_τ Ω_τ(x)
//
// by a fast multipole method (Muth, Of, Eberhard, Steinbach 2006, §2.1). The caller chooses the
// error, and each answer comes with a bound that holds for its point.
//
// Most callers want package inpoly. This package is for authors of algorithms and may change in
// minor versions.
//
// Two octrees divide one cube. The clusters ω of the source tree are triangles whose centroids
// share a cell. They have multipole moments: P2M at the leaves, M2M up the tree. The cells σ of the
// evaluation tree have local expansions: M2L from clusters that are far enough, L2L down the tree.
// The value at a point is the local expansion of its leaf (L2P) plus the solid angles of the near
// triangles (P2P, package bem).
//
// A pair (ω, σ) is not accepted by a fixed distance, as in eq. 16, but by a bound of its truncation
// error (bound.go). The bound is sharp for the norms of the moments of ω. Closed surfaces cancel,
// so their clusters may be close. Each cell has an error budget: the tolerance minus the part that
// its ancestors used. It accepts the pairs with the smallest errors first and leaves the others to
// its children or to the near field. So the sum of all bounds never exceeds the tolerance, for any
// mesh.
//
// A cell of the evaluation tree is divided if that saves more time in the near field than it costs.
// The cost model counts the known points (well chosen, WC in the paper), or an expected or assumed
// number of points (pre-chosen, PC). Points whose leaf would be slower than the source tree are
// evaluated from the source tree alone (M2P).
//
//	p, err := fmm.New(ctx, triangles, fmm.Options{Epsilon: 1e-6})
//	if err != nil {
//		return err
//	}
//	var s fmm.Scratch
//	w, bound, on := p.Winding(x, &s)
package fmm
