//go:build noasm || !amd64

package raytree

func next(w *Walk, t *Tree) (first int32, masks uint32) { return nextGeneric(w, t) }
