// Package doors tests that all doors to inpoly give the same answers bit for bit: the C library, the
// Python package, and the npm package in Node and in Chromium. The doors are compared with the Go
// packages, which the command reference asks. Drivers in the folder drivers do the same steps with the
// other doors. Package job describes the steps and compares the answers.
//
//	make same-answers                    a sample, in half a minute
//	INPOLY_FULL=1 make same-answers      all cases
//
// INPOLY_CORPUS names a folder of real meshes. Without it, only generated meshes are used. A door
// whose language is missing is skipped.
package doors
