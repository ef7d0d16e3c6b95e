// Command inpoly tells which points of a file lie inside a triangle mesh.
//
//	inpoly mesh.stl points.csv > out.csv   # append the column inside
//	inpoly check mesh.stl                  # what is wrong with the mesh
//
// It is flags and files around the packages inpoly, points, loaders and mesh:
// data goes to standard output, everything else to standard error. See "inpoly
// help" for the flags.
//
// Exit codes: 0 done, 1 input, output or parse error, 2 usage, 3 defects or
// uncertain points under --strict, 128 + n when signal n ended it (130 for
// Ctrl-C). An output file is there whole or not at all.
package main
