// Package fmm evaluates the double-layer potential of any triangles. This potential is their
// winding number
//
//	W(x) = J(x) = (1/4π) Σ_τ Ω_τ(x)
//
// by a fast multipole method (Muth, Of, Eberhard, Steinbach 2006, §2.1). The caller chooses the
// largest allowed error. Each answer has a bound of its own error.
//
// Most callers want package inpoly. This package is for authors of algorithms and may change in
// minor versions.
//
// Two octrees divide one cube. A cluster ω of the source tree is the set of triangles whose
// centroids lie in one cell. P2M computes the multipole moments of a leaf, and M2M those of a
// parent. A cell σ of the evaluation tree has a local expansion: M2L adds the clusters that are far
// enough, and L2L adds the expansion of the parent. W at a point is the sum of two parts: the local
// expansion of its leaf (L2P), and the solid angles of the near triangles (P2P, package bem).
//
// Eq. 16 of the paper accepts a pair (ω, σ) for M2L by its distance. This package accepts a pair if
// a bound of its truncation error is small enough (bound.go). For given norms of the moments of ω,
// the bound is sharp. In a closed surface, the moments of neighboring triangles cancel, so the
// package can accept its clusters at small distances. The error budget of a cell is the tolerance
// minus the errors that its ancestors accepted. The cell accepts the pairs with the smallest errors
// first. The remaining pairs go to its children, or to the near field if it is a leaf. So the sum
// of all bounds never exceeds the tolerance, for any mesh.
//
// A cell of the evaluation tree is divided if this saves more time in the near field than it costs.
// If the points are known, the cost model counts them (well chosen, WC, in the paper). Otherwise
// the cost model uses an expected or assumed number of points (pre-chosen, PC). If evaluation from
// the source tree alone (M2P) is faster for the points of a leaf, the package uses M2P.
package fmm
