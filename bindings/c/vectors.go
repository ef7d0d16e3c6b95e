package main

// #include "export.h"
import "C"

import (
	"unsafe"

	"github.com/golang/geo/r3"
)

// vectors are coordinates in the memory of the caller.
type vectors struct {
	p        unsafe.Pointer
	n        int
	stride   int
	isSingle bool // float32
}

// newVectors checks an array of n vectors. The stride 0 means that they are packed.
func newVectors(name string, p unsafe.Pointer, n, stride int64, kind C.inpoly_type) (vectors, error) {
	size := int64(8)
	switch kind {
	case C.INPOLY_TYPE_FLOAT64:
	case C.INPOLY_TYPE_FLOAT32:
		size = 4
	default:
		return vectors{}, argument("the type of %s is %d: it must be INPOLY_TYPE_FLOAT64 or INPOLY_TYPE_FLOAT32", name, kind)
	}
	if stride == 0 {
		stride = 3 * size
	}
	err := check(name, p, n, stride, 3*size, uintptr(size))
	return vectors{p: p, n: int(n), stride: int(stride), isSingle: size == 4}, err
}

// packed returns the vectors as a slice without a copy, or false.
func (v *vectors) packed() ([]r3.Vector, bool) {
	if v.isSingle || v.stride != int(unsafe.Sizeof(r3.Vector{})) {
		return nil, false
	}
	return unsafe.Slice((*r3.Vector)(v.p), v.n), true
}

// copyTo stores vectors lo, lo+1 and so on in dst.
func (v *vectors) copyTo(dst []r3.Vector, lo int) {
	p := unsafe.Add(v.p, lo*v.stride)
	if !v.isSingle {
		for i := range dst {
			dst[i] = *(*r3.Vector)(unsafe.Add(p, i*v.stride))
		}
		return
	}
	for i := range dst {
		c := (*[3]float32)(unsafe.Add(p, i*v.stride))
		dst[i] = r3.Vector{X: float64(c[0]), Y: float64(c[1]), Z: float64(c[2])}
	}
}
