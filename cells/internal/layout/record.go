package layout

// Record is one cache line. A query in a crossed cell usually reads no other memory. Element 0 is
// the header. Elements 1 to 7 are the planes of triangles.
//
// A plane is four int16, q_0 to q_3 from the lowest bits. Let u be coordinates within the cell in
// units of 1/CoordUnit, −1 ≤ u ≤ 1 on each axis. The value of the plane at u is q·u +
// q_3·CoordUnit. It is positive on the outer side of the triangle.
//
// The header has these bytes, from the lowest one:
//
//	0    kind
//	1    bit j: plane j is positive at reference 0
//	2    bit j: plane j is positive at reference 1
//	3    the corners of the cell that are reference 0 (low nibble) and 1
//	4, 5 winding number of reference 0
//	6, 7 winding number of reference 1
//
// A cell with more than PlanesPerRecord triangles has a chain of records. Element 7 is then the
// number of the next record, except in the last record.
type Record [8]uint64

// The kinds of records.
const (
	KindLast    = 0 // planes of a cell; this is the last or only record of the cell
	KindMore    = 1 // planes of a cell, continued in the next record
	KindUniform = 2 // a cell without triangles; element 1 is its winding number
	KindRefined = 3 // a cell with 4×4×4 children: see Children
	KindRayOnly = 4 // a cell that rays answer for
)

// Constants of the format of records.
const (
	PlanesPerRecord = 7
	CoordUnit       = 1<<14 - 1
	PlaneUnit       = 1<<15 - 1
	AllPlanes       = 1<<PlanesPerRecord - 1

	// NoReference is byte 3 of the header until references are chosen.
	NoReference = 0xff

	// NoPlane fills unused elements. It is a plane that is positive everywhere.
	NoPlane = uint64(PlaneUnit) << 48

	// SignBound proves signs. A value above SignBound is certainly positive, and a value below
	// −SignBound is certainly negative. Even with SignBound added, values do not overflow int32
	// (docs/design/016-error-bounds.md, Cells).
	SignBound = 1 << 17

	// RecordBytes is the memory of a record and its faces.
	RecordBytes = 64 + 4*PlanesPerRecord
)

// Kind returns the kind of the record.
func (r *Record) Kind() uint8 { return uint8(r[0]) }

// HasPlanes reports whether the record holds planes.
func (r *Record) HasPlanes() bool { return r.Kind() <= KindMore }

// Unreferenced reports whether the first record of a list has no references yet.
func (r *Record) Unreferenced() bool { return r[0]>>24&0xff == NoReference }

// Next returns the number of the next record, for a record of KindMore.
func (r *Record) Next() uint32 { return uint32(r[7]) }

// Reference returns the corner, the plane bits and the winding number of reference 0 or 1.
func (r *Record) Reference(i int) (corner uint8, signs uint64, w int32) {
	h := r[0]
	return uint8(h>>24) >> (4 * i) & 15, h >> (8 + 8*i) & AllPlanes, int32(int16(h >> (32 + 16*i)))
}

// Planes returns the number of elements of the record that can be planes.
func (r *Record) Planes() int {
	if r.Kind() == KindMore {
		return PlanesPerRecord - 1
	}
	return PlanesPerRecord
}

// Signs returns the planes whose value at u is certainly positive, and the planes whose value is
// certainly negative.
func (r *Record) Signs(ux, uy, uz int32) (pos, neg uint64) {
	for j, q := range r[1:] {
		v := int32(int16(q))*ux + int32(int16(q>>16))*uy + int32(int16(q>>32))*uz + int32(int16(q>>48))*CoordUnit
		pos |= uint64(uint32(SignBound-v)>>31) << j
		neg |= uint64(uint32(v+SignBound)>>31) << j
	}
	return pos, neg
}

// Word labels 64 cells with two bits each. Crossed means that the cell has a record. Value selects
// one of two winding numbers for a cell without a record.
type Word struct{ Crossed, Value uint64 }

// Children is the content of a record of KindRefined. Bit i + 4j + 16k of the word labels child (i,
// j, k).
type Children struct {
	Word
	First uint32   // record of the first crossed child; the others follow
	W     [2]int32 // winding numbers of the empty children of value 0 and 1
}

// Children returns the children that the record holds.
func (r *Record) Children() Children {
	return Children{
		Word:  Word{Crossed: r[1], Value: r[2]},
		First: uint32(r[3]),
		W:     [2]int32{int32(uint32(r[4])), int32(uint32(r[4] >> 32))},
	}
}

// SetChildren makes r a record of KindRefined.
func (r *Record) SetChildren(c Children) {
	*r = Record{KindRefined, c.Crossed, c.Value, uint64(c.First), uint64(uint32(c.W[0])) | uint64(uint32(c.W[1]))<<32}
}

// Records are stored in chunks: a worker that adds records does not move other records.
const (
	ChunkBits = 11
	ChunkSize = 1 << ChunkBits
)

// Chunk holds records and the faces of their planes. The face is −1 if there is no plane. Faces
// from mesh.NumFaces() on are caps.
type Chunk struct {
	Records []Record
	Faces   [][PlanesPerRecord]int32
}
