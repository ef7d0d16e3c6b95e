// Package bvh is a bounding volume hierarchy over boxes: boxes in, indices out; it knows no mesh.
package bvh
