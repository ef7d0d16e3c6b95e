//go:build noasm || !amd64

package raytree

func advance(walks *Walk, t *Tree, list []int64, enough int) int {
	return advanceGeneric(walks, t, list, enough)
}
