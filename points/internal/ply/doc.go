// Package ply reads and writes clouds of points as PLY files (Turk, "The PLY Polygon
// File Format", 1994): ascii, binary_little_endian and binary_big_endian.
//
// The rows of the element vertex are the points. x, y and z are found by name, in any letter
// case, and may have any numeric type. Everything else is copied: other properties, including
// lists; comments; and the elements before and after the vertices. If rows are dropped, an
// element that refers to vertices by number is an error. A conversion to another format reads
// the vertices only.
//
// Answers become properties after the others. Comments in the header explain them:
//
//	Inside         uchar   1 inside or on the surface, 0 outside, 255 uncertain
//	State          uchar   0 out, 1 in, 2 on, 255 uncertain
//	Number, Bound  double
//	Integer, Label int     a label is its number, or −1 if there is none
//
// In an ASCII file each row is one line, which keeps its bytes and its line end. A blank line,
// and a line with more or fewer values than the element has properties, is an error with the
// line number. Floats of ASCII files are float64, whatever their declared type.
//
// A stream needs no more memory than a file, unless elements come before the vertices. These
// are kept, up to 256 MB.
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
