// Package ply reads and writes clouds of points as PLY files (Turk, "The PLY Polygon
// File Format", 1994): ascii, binary_little_endian and binary_big_endian.
//
// The rows of the element vertex are the points. The properties x, y and z are found by name in any
// letter case and can have any numeric type. Source.Passthrough copies everything else: other
// properties, including lists; comments; and the elements before and after the vertices. It fails
// if rows are dropped and another element refers to vertices by number. A conversion to another
// format reads only the vertices.
//
// Answers become properties after the others. Comments in the header explain their values:
//
//	Inside         uchar   1 inside or on the surface, 0 outside, 255 uncertain
//	State          uchar   0 out, 1 in, 2 on, 255 uncertain
//	Number, Bound  double
//	Integer, Label int     a label is its number, or −1 if there is none
//
// In an ASCII file each row is one line, whose bytes are copied with the line end. A blank line is
// an error, and so is a line with more or fewer values than the element has properties. Floats of
// ASCII files are float64, whatever their declared type.
//
// Elements before the vertices of a stream are stored in memory, up to 256 MB.
package ply
