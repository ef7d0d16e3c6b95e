// Package las reads and writes clouds of points as LAS files (ASPRS, "LAS Specification",
// versions 1.0 to 1.4 R15): point formats 0 to 10, with extra bytes, variable length
// records and extended ones. LAZ, which is compressed LAS, is refused with a word on what
// to do.
//
// A coordinate is an integer X of 32 bits: x = X·scale + offset, both of the header. Where
// the scale stands for 10⁻ᵏ, 0 ≤ k ≤ 22, and the offset for a multiple of it, as in nearly
// every file, x is the float64 nearest to that decimal number: the same that a text of it
// is read as, so that points have the same answers in both. Otherwise x is rounded twice
// as float64; software that always does so may find a neighbour of x. That x is what is
// classified, and what other formats are given.
//
// A file that Convert makes rounds coordinates to its scales, powers of ten that the rows
// of the first block decide that are not dropped: at or below their last digit if they are
// decimals, and otherwise 10⁻⁸ to 10⁻⁷ of their extent, or 10⁻⁵ of a typical distance
// between them, if that is finer. The sink tells how many rows came out changed
// (table.Lossy). A row so far away that 2³² steps cannot do that is an error: what is no
// data must be dropped. Only points are converted, not the records of a LAS file.
//
// Answers become extra bytes behind what a record has, with a description (record 4 of
// LASF_Spec):
//
//	Inside         uint8   1 inside or on the surface, 0 outside, 255 (no data) uncertain
//	State          uint8   0 out, 1 in, 2 on, 255 (no data) uncertain
//	Number, Bound  float64
//	Integer, Label int32   a label is its number, −1 none; a record of user id inpoly
//	                       has the labels, a line each
//
// Files of 1.3 and before take them too, as is the custom. Bytes of a record that are not
// described get a description as such. Scan angles are numbers as they stand: degrees as
// scan_angle_rank (formats 0 to 5), steps of 0.006 degrees as scan_angle (6 to 10).
//
//	f, err := os.Open("cloud.las")
//	if err != nil {
//		return err
//	}
//	src, err := las.New("cloud.las", f, f, size, las.Options{})
//	if err != nil {
//		return err
//	}
//	sink, err := src.Passthrough([]table.Column{{Name: "inside", Kind: table.Inside}})
package las
