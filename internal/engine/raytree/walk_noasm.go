//go:build noasm || !amd64

package raytree

func (w *Walk) clip(s, d *[4]float64, from, drift float64) float64 {
	return w.clipGeneric(s, d, from, drift)
}

func advance(walks *Walk, t *Tree, list []int64, enough int) int {
	return advanceGeneric(walks, t, list, enough)
}
