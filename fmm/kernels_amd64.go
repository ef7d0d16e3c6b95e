//go:build !noasm

package fmm

import "golang.org/x/sys/cpu"

// kernels returns the kernels that the processor and the operating system can run, the fastest
// first.
func kernels() (k []kernel) {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasBMI2 {
			k = append(k, avx512)
		}
		k = append(k, avx2)
	}
	return append(k, generic)
}

func (k kernel) evaluateMany(dst, x, y, z, l []float64, q int) {
	if !fitPoints(dst, x, y, z, l, q) {
		badPoints(len(dst), len(x), len(y), len(z), len(l), q)
	}
	n := len(dst)
	if n == 0 {
		return
	}
	if k == generic {
		evaluateGeneric(dst, x, y, z, l, q)
		return
	}
	d, px, py, pz, pl := &dst[0], &x[0], &y[0], &z[0], &l[0]
	rows := 0 // set to q for AVX-512, which evaluates degrees 2 to 10 by rows
	if k == avx512 {
		rows = q
	}
	switch rows {
	case 2:
		evaluate2AVX512(d, px, py, pz, n, pl)
	case 3:
		evaluate3AVX512(d, px, py, pz, n, pl)
	case 4:
		evaluate4AVX512(d, px, py, pz, n, pl)
	case 5:
		evaluate5AVX512(d, px, py, pz, n, pl)
	case 6:
		evaluate6AVX512(d, px, py, pz, n, pl)
	case 7:
		evaluate7AVX512(d, px, py, pz, n, pl)
	case 8:
		evaluate8AVX512(d, px, py, pz, n, pl)
	case 9:
		evaluate9AVX512(d, px, py, pz, n, pl)
	case 10:
		evaluate10AVX512(d, px, py, pz, n, pl)
	default:
		if k == avx512 && n > 4 {
			evaluateOrdersAVX512(d, px, py, pz, n, pl, q, &steps[0][0])
			return
		}
		evaluateOrdersAVX2(d, px, py, pz, n, pl, q, &steps[0][0])
	}
}

// Program tools/kernels/fmm generates kernels_amd64.s, which contains these functions.

//go:noescape
func evaluate2AVX512(dst, x, y, z *float64, n int, l *float64)

//go:noescape
func evaluate3AVX512(dst, x, y, z *float64, n int, l *float64)

//go:noescape
func evaluate4AVX512(dst, x, y, z *float64, n int, l *float64)

//go:noescape
func evaluate5AVX512(dst, x, y, z *float64, n int, l *float64)

//go:noescape
func evaluate6AVX512(dst, x, y, z *float64, n int, l *float64)

//go:noescape
func evaluate7AVX512(dst, x, y, z *float64, n int, l *float64)

//go:noescape
func evaluate8AVX512(dst, x, y, z *float64, n int, l *float64)

//go:noescape
func evaluate9AVX512(dst, x, y, z *float64, n int, l *float64)

//go:noescape
func evaluate10AVX512(dst, x, y, z *float64, n int, l *float64)

//go:noescape
func evaluateOrdersAVX512(dst, x, y, z *float64, n int, l *float64, q int, steps *step)

//go:noescape
func evaluateOrdersAVX2(dst, x, y, z *float64, n int, l *float64, q int, steps *step)
