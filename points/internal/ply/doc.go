// Package ply reads and writes clouds of points as PLY files (Turk, "The PLY Polygon
// File Format", 1994): ascii, binary_little_endian and binary_big_endian.
//
// The rows of the element vertex are the points; x, y and z are found by name, in any
// case of letters, and may have any numeric type. Everything else passes through: other
// properties, lists among them, comments, and the elements before and after the
// vertices. Where rows are dropped, elements that refer to vertices by number cannot be
// passed on, which is an error. A conversion to another format takes the vertices alone.
//
// Answers become properties behind the others, and comments in the header say what
// they mean:
//
//	Inside         uchar   1 inside or on the surface, 0 outside, 255 uncertain
//	State          uchar   0 out, 1 in, 2 on, 255 uncertain
//	Number, Bound  double
//	Integer, Label int     a label is its number, −1 none
//
// In an ASCII file each row is one line, which keeps its bytes and its line end; a line
// that is blank, or has more or fewer values than the element has properties, is an
// error with its number. Floats of ASCII files are taken as the digits say, as float64,
// whatever their declared size.
//
// A stream needs no more memory than a file, unless elements stand before the vertices:
// these are held, up to 256 MB.
//
//	f, err := os.Open("cloud.ply")
//	if err != nil {
//		return err
//	}
//	src, err := ply.New("cloud.ply", f, f, size, ply.Options{})
//	if err != nil {
//		return err
//	}
//	sink, err := src.Passthrough([]table.Column{{Name: "inside", Kind: table.Inside}})
package ply
