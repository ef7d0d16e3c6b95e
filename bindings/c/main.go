// Command c is the C library. inpoly.h documents its functions, and docs/c.md describes how to
// build and use it.
//
//	make c-library
//
// This is the only package that uses cgo. Without cgo, it has no files.
package main

// #include "export.h"
// #include "host.h"
import "C"

import "github.com/inpoly/inpoly/internal/version"

func main() {} // package main of a library; never called

// init stores the version in C, so that it is known also in child processes. It runs after the
// initialization of the runtime and of package os, which change the process of the host.
func init() {
	C.inpolyRestore()
	v, _ := version.Identify()
	C.inpolySetVersion(C.CString(v))
}

// inpolyStarted does nothing. As every exported function, it waits for the initialization.
//
//export inpolyStarted
func inpolyStarted() {}
