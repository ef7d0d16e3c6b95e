package main

// #include "export.h"
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// A caller fills a struct of the header that it was compiled with. Its first field is the size of this
// struct. The functions of this file accept the sizes of all versions of inpoly.h, also of versions that
// are newer than the library.

// olderSizes returns the sizes that the struct at p had in older versions of inpoly.h. Each is the offset of the
// first field that the next version added.
func olderSizes(p any) []uintptr {
	switch p.(type) {
	case *C.inpoly_options:
		return []uintptr{unsafe.Offsetof(C.inpoly_options{}.parts)} // version 3
	case *C.inpoly_answers:
		return []uintptr{unsafe.Offsetof(C.inpoly_answers{}.nearest_bound)} // version 1
	case *C.inpoly_interval_list:
		return []uintptr{unsafe.Offsetof(C.inpoly_interval_list{}.unsampled_count)} // version 2
	}
	return nil
}

// maxStruct limits the size of a struct, so that a size that was not set is found (tuning).
const maxStruct = 1 << 12

// checkStruct returns an error unless p points to a struct whose first field is a possible size of the
// struct: an older size, today's size, or a larger multiple of its alignment.
func checkStruct[T any](name string, p *T) error {
	if p == nil {
		return argument("%s is NULL", name)
	}
	known, align := unsafe.Sizeof(*p), unsafe.Alignof(*p)
	if uintptr(unsafe.Pointer(p))%align != 0 {
		return argument("%s is misaligned: its address is not a multiple of %d", name, align)
	}
	size := sizeOf(p)
	older := olderSizes(p)
	for _, s := range older {
		if size == s {
			return nil
		}
	}
	if size >= known && size <= maxStruct && size%align == 0 {
		return nil
	}
	var others strings.Builder
	for _, s := range older {
		fmt.Fprintf(&others, " or %d in older versions of inpoly.h", s)
	}
	return argument("the field size of %s is %d: it must be the sizeof of the struct, %d%s", name, size, known, others.String())
}

// sizeOf returns the first field of the struct at p, which is its size.
func sizeOf[T any](p *T) uintptr { return uintptr(*(*C.size_t)(unsafe.Pointer(p))) }

// bytesAt returns the first n bytes of the struct at p.
func bytesAt[T any](p *T, n uintptr) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(p)), n) }

// readStruct returns a copy of the struct at p. Fields that the struct of the caller lacks are 0. Fields
// that the library does not know must be 0.
func readStruct[T any](name string, p *T) (out T, err error) {
	if err := checkStruct(name, p); err != nil {
		return out, err
	}
	known := unsafe.Sizeof(out)
	for i, b := range tail(p) {
		if b != 0 {
			return out, argument("byte %d of %s is not 0, but this version of the library knows no field there", int(known)+i, name)
		}
	}
	size := min(sizeOf(p), known)
	copy(bytesAt(&out, size), bytesAt(p, size))
	return out, nil
}

// writeStruct stores value in the struct at p, which checkStruct has accepted. The size stays. Fields that
// the struct of the caller lacks are not written. Fields that the library does not know become 0.
func writeStruct[T any](p *T, value T) {
	size := sizeOf(p)
	clear(tail(p))
	*(*C.size_t)(unsafe.Pointer(&value)) = C.size_t(size)
	known := min(size, unsafe.Sizeof(value))
	copy(bytesAt(p, known), bytesAt(&value, known))
}

// tail returns the bytes of the struct at p behind the fields that this version knows.
func tail[T any](p *T) []byte {
	known, size := unsafe.Sizeof(*p), sizeOf(p)
	if size <= known {
		return nil
	}
	return bytesAt(p, size)[known:]
}
