package main

// #include "export.h"
import "C"

import (
	"math"
	"unsafe"
)

// maxBytes is the size of the address space of a process, which no array exceeds.
const maxBytes = math.MaxInt>>16 | math.MaxInt32>>1

// check returns an error unless n elements at p are a possible array: the distance of two elements
// is stride bytes, the last element has size bytes, and all addresses are multiples of align.
func check(name string, p unsafe.Pointer, n, stride, size int64, align uintptr) error {
	switch {
	case n < 0:
		return argument("the number of elements of %s is %d, which is negative", name, n)
	case n == 0:
		return nil
	case p == nil:
		return argument("%s is NULL", name)
	case stride < size || uintptr(stride)%align != 0:
		return argument("the stride of %s is %d bytes: it must be at least %d and a multiple of %d", name, stride, size, align)
	case uintptr(p)%align != 0:
		return argument("%s is misaligned: its address is not a multiple of %d", name, align)
	case n > maxBytes/stride || uintptr(p)+uintptr(n*stride) < uintptr(p):
		return argument("%s has %d elements of %d bytes, more than the address space", name, n, stride)
	}
	return nil
}

// array returns the n·k elements at p as a slice without a copy. If p is NULL and optional, the
// result is nil.
func array[T any](name string, p unsafe.Pointer, n int64, optional bool) ([]T, error) {
	if p == nil && optional {
		return nil, nil
	}
	var element T
	size := int64(unsafe.Sizeof(element))
	if err := check(name, p, n, size, size, unsafe.Alignof(element)); err != nil || n == 0 {
		return nil, err
	}
	return unsafe.Slice((*T)(p), n), nil
}

// text returns a copy of a C string.
func text(name string, s *C.char) (string, error) {
	if s == nil {
		return "", argument("%s is NULL", name)
	}
	return C.GoString(s), nil
}
