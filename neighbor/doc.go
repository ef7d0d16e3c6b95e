// Package neighbor finds which of many moving bodies touch: disks and rectangles in the
// plane, balls and boxes in space.
//
// All methods give the same pairs in the same order, for any number of workers; they
// differ in time. Bodies are closed: balls touch if |Δ|² ≤ (r_i+r_j)², as computed
// in float64 without fusing (touchDisks, touchSpheres), boxes if their intervals share a
// number on every axis.
package neighbor
