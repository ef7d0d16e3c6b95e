// Command capi is the C library. inpoly.h documents its functions, and docs/c.md describes how to
// build and use it.
//
//	go build -buildmode=c-shared -o libinpoly.so ./capi
//
// This is the only package that uses cgo. Without cgo, it has no files.
package main

// #include "export.h"
import "C"

import (
	"sync"

	"github.com/inpoly/inpoly/internal/version"
)

func main() {} // package main of a library; never called

//export inpoly_abi_version
func inpoly_abi_version() C.int32_t { return C.INPOLY_ABI_VERSION }

//export inpoly_version
func inpoly_version() C.const_string { return C.const_string(versionText()) }

// versionText returns the version as a C string that is never freed.
var versionText = sync.OnceValue(func() *C.char {
	v, _ := version.Identify()
	return C.CString(v)
})
