//go:build !noasm

package harmonics

import "golang.org/x/sys/cpu"

// kernels returns the kernels that the processor and the operating system can run, the fastest
// first.
func kernels() (k []kernel) {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL {
			k = append(k, avx512)
		}
		k = append(k, avx2)
	}
	return append(k, generic)
}

func (k kernel) transpose(dst []vector, src *[lanes][]float64) {
	switch k {
	case avx512:
		transposeAVX512(&dst[0], src, len(src[0]))
	case avx2:
		transposeAVX2(&dst[0], src, len(src[0]))
	default:
		transposeGeneric(dst, src)
	}
}

func (k kernel) load(dst, src, op []vector, list []coefficient, sines int) {
	switch k {
	case avx512:
		loadAVX512(&dst[0], &src[0], &op[0], &list[0], len(list), sines)
	case avx2:
		loadAVX2(&dst[0], &src[0], &op[0], &list[0], len(list), sines)
	default:
		loadGeneric(dst, src, op, list, sines)
	}
}

func (k kernel) rotate(v, op []vector, list []coefficient, sines int, sign float64) {
	switch {
	case len(list) == 0:
	case k == avx512:
		rotateAVX512(&v[0], &op[0], &list[0], len(list), sines, sign)
	case k == avx2:
		rotateAVX2(&v[0], &op[0], &list[0], len(list), sines, sign)
	default:
		rotateGeneric(v, op, list, sines, sign)
	}
}

func (k kernel) multiply(dst, src []vector, p *products) {
	switch k {
	case avx512:
		multiplyAVX512(&dst[0], &src[0], &p.list[0], &p.counts[0], &p.values[0])
	case avx2:
		multiplyAVX2(&dst[0], &src[0], &p.list[0], &p.counts[0], &p.values[0])
	default:
		multiplyGeneric(dst, src, p)
	}
}

func (k kernel) multiplyAdd(dst, src []vector, p *products) {
	switch {
	case len(p.list) == 0:
	case k == avx512:
		multiplyAddAVX512(&dst[0], &src[0], &p.list[0], &p.counts[0], &p.values[0])
	case k == avx2:
		multiplyAddAVX2(&dst[0], &src[0], &p.list[0], &p.counts[0], &p.values[0])
	default:
		multiplyAddGeneric(dst, src, p)
	}
}

func (k kernel) store(dst, v, op []vector, list []coefficient, sines int) {
	switch k {
	case avx512:
		storeAVX512(&dst[0], &v[0], &op[0], &list[0], len(list), sines)
	case avx2:
		storeAVX2(&dst[0], &v[0], &op[0], &list[0], len(list), sines)
	default:
		storeGeneric(dst, v, op, list, sines)
	}
}

// Program tools/kernels/harmonics generates kernels_amd64.s, which contains these functions. n is
// positive. The lengths of slices in src are equal and positive.

//go:noescape
func transposeAVX512(dst *vector, src *[lanes][]float64, n int)

//go:noescape
func transposeAVX2(dst *vector, src *[lanes][]float64, n int)

//go:noescape
func loadAVX512(dst, src, op *vector, list *coefficient, n, sines int)

//go:noescape
func loadAVX2(dst, src, op *vector, list *coefficient, n, sines int)

//go:noescape
func rotateAVX512(v, op *vector, list *coefficient, n, sines int, sign float64)

//go:noescape
func rotateAVX2(v, op *vector, list *coefficient, n, sines int, sign float64)

//go:noescape
func multiplyAVX512(dst, src *vector, list *product, counts *int64, values *float64)

//go:noescape
func multiplyAVX2(dst, src *vector, list *product, counts *int64, values *float64)

//go:noescape
func multiplyAddAVX512(dst, src *vector, list *product, counts *int64, values *float64)

//go:noescape
func multiplyAddAVX2(dst, src *vector, list *product, counts *int64, values *float64)

//go:noescape
func storeAVX512(dst, v, op *vector, list *coefficient, n, sines int)

//go:noescape
func storeAVX2(dst, v, op *vector, list *coefficient, n, sines int)
