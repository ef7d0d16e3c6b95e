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

//export inpolyVersion
func inpolyVersion() *C.char { return versionText() }

// versionText returns the version as a C string that is never freed.
var versionText = sync.OnceValue(func() *C.char {
	v, _ := version.Identify()
	return C.CString(v)
})
