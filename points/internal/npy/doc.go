// Package npy reads point clouds as NumPy arrays (.npy, N×M float32 or float64 with M ≥ 3,
// C or Fortran order, either byte order) and writes them: with the answers as further
// columns of the same dtype (Source.Passthrough), or made from another format (Convert), with
// x, y and z in the first three columns whatever their places were.
//
// Sides are written as 1 (inside, and on the surface), 0 and NaN (undecided), states as
// 1, 0.5 (on the surface), 0 and NaN. Three rows of more than three columns may be N
// points transposed: unless the columns are given, up to 32 are warned of (see
// Source.Warnings), and more are refused.
//
//	src, err := npy.New("points.npy", f, f, size, npy.Options{})
//	if err != nil {
//		return err
//	}
//	var b table.Block
//	for err = src.Fill(&b); err == nil; err = src.Fill(&b) {
//		if err := src.Parse(&b); err != nil {
//			return err
//		}
//		fmt.Println(b.First, b.Points)
//	}
package npy
