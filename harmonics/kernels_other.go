//go:build !amd64 || noasm

package harmonics

func kernels() []kernel { return []kernel{generic} }

func (k kernel) transpose(dst []vector, src *[lanes][]float64) { transposeGeneric(dst, src) }

func (k kernel) load(dst, src, op []vector, list []coefficient, sines int) {
	loadGeneric(dst, src, op, list, sines)
}

func (k kernel) rotate(v, op []vector, list []coefficient, sines int, sign float64) {
	rotateGeneric(v, op, list, sines, sign)
}

func (k kernel) multiply(dst, src []vector, p *products) { multiplyGeneric(dst, src, p) }

func (k kernel) multiplyAdd(dst, src []vector, p *products) { multiplyAddGeneric(dst, src, p) }

func (k kernel) store(dst, v, op []vector, list []coefficient, sines int) {
	storeGeneric(dst, v, op, list, sines)
}
