// Package npy reads point clouds from NumPy arrays (.npy, N×M float32 or float64 with M ≥ 3, C or
// Fortran order, either byte order) and writes them. Source.Passthrough writes the same array with the
// answers as further columns of the same dtype. Convert writes an array from another format, with x,
// y and z in the first three columns.
//
// Sides are written as 1 (inside or on the surface), 0 and NaN (uncertain), states as 1, 0.5 (on the
// surface), 0 and NaN. An array of three rows and more than three columns may hold N points
// transposed. Unless the columns are given, New warns of up to 32 columns (see Source.Warnings) and
// refuses more.
package npy
