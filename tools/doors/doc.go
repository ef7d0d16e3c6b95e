// Package doors tests that the libraries for other languages give the same answers as the Go packages,
// bit for bit: the C library, the Python package, and the npm package in Node and in Chromium. The
// command reference asks the Go packages. The drivers in the folder drivers ask the libraries. Package
// job describes the steps of the drivers and compares their answers.
//
//	make same-answers                    a sample, in half a minute
//	INPOLY_FULL=1 make same-answers      all cases
//
// INPOLY_CORPUS names a folder of real meshes. Without it, only generated meshes are used. A door
// whose language is missing is skipped.
package doors
