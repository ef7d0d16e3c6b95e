//go:build js && wasm

package main

import (
	"fmt"
	"strings"
	"syscall/js"
	"unsafe"

	"github.com/inpoly/inpoly/internal/binding"
)

var uint8Array = js.Global().Get("Uint8Array")

// bytesOf returns the memory of s. WebAssembly is little-endian, as all typed arrays are in practice.
func bytesOf[T any](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(zero))
}

// bytesView returns a Uint8Array of n bytes of the memory of a typed array, from byte lo.
func bytesView(array js.Value, lo, n int) js.Value {
	return uint8Array.New(array.Get("buffer"), array.Get("byteOffset").Int()+lo, n)
}

// copyIn copies the memory of a typed array from byte lo into dst.
func copyIn[T any](dst []T, array js.Value, lo int) {
	b := bytesOf(dst)
	js.CopyBytesToGo(b, bytesView(array, lo, len(b)))
}

// copyOut copies src to a typed array.
func copyOut[T any](array js.Value, src []T) {
	b := bytesOf(src)
	js.CopyBytesToJS(bytesView(array, 0, len(b)), b)
}

var toString = js.Global().Get("Object").Get("prototype").Get("toString")

// kind returns the name of the class of an object, such as Float64Array, or "" for other values.
func kind(v js.Value) string {
	if v.Type() != js.TypeObject {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(toString.Call("call", v).String(), "[object "), "]")
}

// slice returns a copy of a typed array whose elements are of type T.
func slice[T any](array js.Value) []T {
	s := make([]T, array.Get("length").Int())
	copyIn(s, array, 0)
	return s
}

// triples returns the length of a typed array divided by 3.
func triples(array js.Value, what string) (int, error) {
	n := array.Get("length").Int()
	if n%3 != 0 {
		return 0, fmt.Errorf("%w: the length of %s, %d, is not a multiple of 3", binding.ErrArgument, what, n)
	}
	return n / 3, nil
}

// newArray returns a typed array of the given class.
func newArray(class string, n int) js.Value { return js.Global().Get(class).New(n) }
