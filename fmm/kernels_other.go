//go:build !amd64 || noasm

package fmm

func kernels() []kernel { return []kernel{generic} }

func (kernel) evaluateMany(dst, x, y, z, l []float64, q int) {
	if !fitPoints(dst, x, y, z, l, q) {
		badPoints(len(dst), len(x), len(y), len(z), len(l), q)
	}
	evaluateGeneric(dst, x, y, z, l, q)
}
