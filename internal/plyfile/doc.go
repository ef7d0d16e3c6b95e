// Package plyfile knows the layout of PLY files (Turk, "The PLY Polygon File Format",
// 1994): the header, the scalar types and the size of binary rows. It does not know what
// the elements mean.
//
// A PLY file is a header of text lines followed by elements, which are tables. Each row of
// an element has a value, or a list of values, for each of its properties.
package plyfile
