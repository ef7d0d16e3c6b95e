// Package las reads and writes point clouds as LAS files (ASPRS, "LAS Specification", versions 1.0
// to 1.5 R00). It supports the point formats 0 to 10, extra bytes, variable length records and
// extended variable length records. It reads and writes LAZ, which is compressed LAS, and reads COPC,
// which is LAZ with an octree. Package laz has the compression.
//
// # Compressed points
//
// The header of a LAZ file becomes the header of the same file without compression, so everything else
// is as for LAS. Fill reads chunks, and Parse decodes them in parallel. Points without chunks, and large
// chunks of the point formats 0 to 5, are decoded in sequence by Fill. A shard has the chunks that begin
// in its rows.
//
// Outputs in LAZ have chunks of 50,000 points, which goroutines encode. If the input is a COPC file, the
// output lacks the records of COPC, because they contain offsets in the input.
//
// # Coordinates
//
// A coordinate x is stored as a 32-bit integer X. The header has a scale and an offset, and x is
// X·scale + offset. Usually the scale is 10⁻ᵏ with 0 ≤ k ≤ 22, and the offset is a multiple of
// 10⁻ᵏ. Then x is the decimal number X·10⁻ᵏ + offset, rounded once to float64. A text with the same
// number gives the same float64 and therefore the same answers. For other scales, x is rounded
// twice. Software that always rounds twice can compute a neighboring float64 of x.
//
// # Writing
//
// Convert rounds coordinates to the scales of the new file, which are powers of ten. The kept rows of
// the first block determine the scales. If the coordinates are decimal numbers, a scale is at most one
// unit of their last digit. Otherwise, it is 10⁻⁸ to 10⁻⁷ of their extent. A scale is smaller if it
// would otherwise exceed 10⁻⁵ of a typical distance between coordinates. The sink reports the number of
// rows that were changed (table.Lossy). A row is an error if a coordinate differs from the offset by
// more than 2³¹ times the scale. If such a coordinate marks a missing point, drop the row. Convert
// writes only points and does not copy the records of a LAS file.
//
// Answers become extra bytes after the other bytes of a point, with a description (record 4 of
// LASF_Spec):
//
//	Inside         uint8   1 inside or on the surface, 0 outside, 255 (no data) uncertain
//	State          uint8   0 out, 1 in, 2 on, 255 (no data) uncertain
//	Number, Bound  float64
//	Integer, Label int32   a label is stored as its number, or −1 for none; a record with the
//	                       user ID inpoly has the labels, one on each line
//
// Files of version 1.3 and earlier also get extra bytes, which is common practice. Undocumented
// bytes of a point get the description "undocumented". Scan angles are the numbers in the file:
// scan_angle_rank in degrees (formats 0 to 5), and scan_angle in steps of 0.006 degrees (formats 6
// to 10).
package las
