// Package npy reads point clouds as NumPy arrays (.npy, N×M float32 or float64 with M ≥ 3,
// C or Fortran order, either byte order) and writes them: with the answers as further
// columns of the same dtype (Source.Same), or made from another format (Convert).
//
// Sides are written as 1 (inside, and on the surface), 0 and NaN (undecided), states as
// 1, 0.5 (on the surface), 0 and NaN. Three rows of more than three columns are refused
// unless the columns are given: they may be N points transposed.
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
