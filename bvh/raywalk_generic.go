//go:build noasm || !amd64

package bvh

func nextLeaf(w *RayWalk, quads []quad) link { return nextLeafGeneric(w, quads) }
