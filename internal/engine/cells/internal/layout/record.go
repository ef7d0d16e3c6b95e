package layout

import "github.com/inpoly/inpoly/side"

// Record fills one cache line. A query in a crossed cell usually reads no other memory. Element 0
// of a record is its header. Elements 1 to 7 are the planes of triangles.
//
// A plane consists of four int16 values, q_0 to q_3, from the lowest bits to the highest. In a
// cell, each coordinate ranges from −1 to 1. Let u be such a coordinate vector of a point,
// multiplied by CoordUnit. The value of the plane at the point is q_0·u_x + q_1·u_y + q_2·u_z +
// q_3·CoordUnit. The value is positive on the outer side of the triangle.
//
// The header has these bytes, from the lowest byte to the highest:
//
//	0    kind
//	1    bit j: plane j is positive at reference 0; bit 7: points with the winding number of
//	     reference 0 are inside
//	2    the same for reference 1
//	3    corner of the cell that is reference 0 (low nibble) and reference 1 (high nibble)
//	4, 5 winding number of reference 0
//	6, 7 winding number of reference 1
//
// A cell with at most TablePlanes triangles can have a table. The table lists regions. A region is
// a set of points with the same signs of all planes. The number of a region has bit j set if plane
// j is positive. Element 6 of the record is the table. If bit 32 + n of the table is set, all
// points of region n have the winding number of one reference, and bit n is the number of this
// reference.
//
// A cell with more than PlanesPerRecord triangles has a chain of records. In each record except the
// last one, element 7 is the number of the next record.
type Record [8]uint64

// These are the kinds of records.
const (
	KindTable   = 0 // planes of a cell, in its only record, and a table
	KindLast    = 1 // planes of a cell, in its last or only record
	KindMore    = 2 // planes of a cell, which continue in the next record
	KindUniform = 3 // a cell without triangles; element 1 is its winding number
	KindRefined = 4 // a cell with 4×4×4 children: see Children
	KindRayOnly = 5 // a cell in which queries use rays
)

// These constants belong to the format of records.
const (
	PlanesPerRecord = 7
	TablePlanes     = 5
	TableElement    = 6
	CoordUnit       = 1<<14 - 1
	PlaneUnit       = 1<<15 - 1
	AllPlanes       = 1<<PlanesPerRecord - 1

	// NoReference is byte 3 of the header of a list whose references are not chosen yet.
	NoReference = 0xff

	// NoPlane fills elements that hold no plane. Its value is positive everywhere.
	NoPlane = uint64(PlaneUnit) << 48

	// SignBound is a proved error bound of a plane's value. A plane with a value above SignBound is
	// certainly positive, and a plane with a value below −SignBound is certainly negative. A value
	// fits in an int32 even after SignBound is added to it (docs/design/016-error-bounds.md, Cells).
	SignBound = 1 << 17

	// RecordBytes is the number of bytes that a record and the numbers of its faces take.
	RecordBytes = 64 + 4*PlanesPerRecord
)

// Kind returns the kind of the record.
func (r *Record) Kind() uint8 { return uint8(r[0]) }

// HasPlanes reports whether the record holds planes.
func (r *Record) HasPlanes() bool { return r.Kind() <= KindMore }

// Unreferenced reports whether r, the first record of a list, still has no references.
func (r *Record) Unreferenced() bool { return r[0]>>24&0xff == NoReference }

// Next returns the number of the next record of the list. The kind of r must be KindMore.
func (r *Record) Next() uint32 { return uint32(r[7]) }

// Reference returns three results for reference 0 or 1: its corner, the bits of the planes that are
// positive at the corner, and its winding number.
func (r *Record) Reference(i int) (corner uint8, signs uint64, w int32) {
	h := r[0]
	return uint8(h>>24) >> (4 * i) & 15, h >> (8 + 8*i) & AllPlanes, int32(int16(h >> (32 + 16*i)))
}

// ReferenceSide returns the side of points with the winding number of the given reference, 0 or 1.
// header is element 0 of the record.
func ReferenceSide(header, reference uint64) side.Side {
	return side.Outside + side.Side(header>>(15+8*reference)&1)*(side.Inside-side.Outside)
}

// Planes returns the number of elements of r that are planes or NoPlane.
func (r *Record) Planes() int {
	switch r.Kind() {
	case KindMore:
		return PlanesPerRecord - 1
	case KindTable:
		return TablePlanes
	}
	return PlanesPerRecord
}

// Signs returns the planes whose values are certainly positive at (ux, uy, uz), and the planes
// whose values are certainly negative. It uses no assembly code.
func (r *Record) Signs(ux, uy, uz int32) (pos, neg uint64) {
	var s [1]uint16
	planeSignsGeneric([]*Record{r}, []uint64{Pack(ux, uy, uz)}, s[:])
	return uint64(s[0] & 0xff >> 1), uint64(s[0] >> 9)
}

// Word labels 64 cells with two bits each. The bit in Crossed is set if the cell has a record. For
// a cell without a record, the bit in Value selects one of two winding numbers.
type Word struct{ Crossed, Value uint64 }

// Children is the content of a record of KindRefined. Bit i + 4j + 16k of Crossed and Value labels
// child (i, j, k).
type Children struct {
	Word
	First uint32   // number of the record of the first crossed child; the records of the other crossed children follow
	W     [2]int32 // W[v] is the winding number of the empty children whose Value bit is v
}

// Children returns the content of r, which must be of KindRefined.
func (r *Record) Children() Children {
	return Children{
		Word:  Word{Crossed: r[1], Value: r[2]},
		First: uint32(r[3]),
		W:     [2]int32{int32(uint32(r[4])), int32(uint32(r[4] >> 32))},
	}
}

// SetChildren makes r a record of KindRefined with content c.
func (r *Record) SetChildren(c Children) {
	*r = Record{KindRefined, c.Crossed, c.Value, uint64(c.First), uint64(uint32(c.W[0])) | uint64(uint32(c.W[1]))<<32}
}

// Records are stored in chunks. Then a worker can add records without moving the records of others.
const (
	ChunkBits = 11
	ChunkSize = 1 << ChunkBits
)

// Chunk holds records, and the numbers of the faces of their planes. If an element holds no plane,
// its face number is −1. A face number of Mesh.NumFaces() or more belongs to a cap.
type Chunk struct {
	Records []Record
	Faces   [][PlanesPerRecord]int32
}
