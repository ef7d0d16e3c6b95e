package laz

import (
	"encoding/binary"
	"math"
)

// UserID and RecordID identify the LASzip VLR among the variable length records of a LAS file.
const (
	UserID   = "laszip encoded"
	RecordID = 22204
)

// A Compressor is the arrangement of compressed points in a file.
type Compressor uint16

// The compressors of LASzip.
const (
	Uncompressed     Compressor = iota // plain records
	Pointwise                          // one sequence of all points, without chunks
	PointwiseChunked                   // chunks, point by point
	LayeredChunked                     // chunks, attribute by attribute
)

// An ItemType is a part of a point record with its own method of compression.
type ItemType uint16

// The items of point records. LASzip does not use the numbers 1 to 5.
const (
	Byte         ItemType = 0 // extra bytes of the point formats 0 to 5
	Point10      ItemType = 6
	GPSTime11    ItemType = 7
	RGB12        ItemType = 8
	WavePacket13 ItemType = 9
	Point14      ItemType = 10
	RGB14        ItemType = 11
	RGBNIR14     ItemType = 12
	WavePacket14 ItemType = 13
	Byte14       ItemType = 14 // extra bytes of the point formats 6 to 10
)

// An Item is a part of a point record. Its Size is in bytes.
type Item struct {
	Type          ItemType
	Size, Version uint16
}

// VariableChunks is the chunk size of files whose chunk table has the number of points of each
// chunk.
const VariableChunks = math.MaxUint32

// DefaultChunkSize is the number of points in a chunk that LASzip uses by default.
const DefaultChunkSize = 50_000

// A VLR is the content of a LASzip VLR. It says how the points of a file are compressed.
type VLR struct {
	Compressor   Compressor
	Coder        uint16 // 0, the arithmetic coder
	Major, Minor uint8  // version of the software
	Revision     uint16
	Options      uint32
	ChunkSize    uint32 // points in a chunk, or VariableChunks
	Items        []Item // in the order of the record
	// SpecialEVLRs and SpecialOffset are the number and the offset of extended records that LASzip
	// reserved for itself. They are -1 if there are none, and LASzip has never used them.
	SpecialEVLRs, SpecialOffset int64
}

// vlrSize is the size of a VLR without items. itemSize is the size of an item.
const (
	vlrSize  = 34
	itemSize = 6
)

// ParseVLR parses the payload of a LASzip VLR, without the header of the record. Bytes after the
// items are ignored. Errors wrap ErrDamaged or ErrUnsupported.
func ParseVLR(data []byte) (*VLR, error) {
	if len(data) < vlrSize {
		return nil, damaged("the LASzip VLR has %d bytes: expected at least %d", len(data), vlrSize)
	}
	le := binary.LittleEndian
	v := &VLR{
		Compressor: Compressor(le.Uint16(data)), Coder: le.Uint16(data[2:]),
		Major: data[4], Minor: data[5], Revision: le.Uint16(data[6:]),
		Options: le.Uint32(data[8:]), ChunkSize: le.Uint32(data[12:]),
		SpecialEVLRs: int64(le.Uint64(data[16:])), SpecialOffset: int64(le.Uint64(data[24:])),
	}
	n := int(le.Uint16(data[32:]))
	if vlrSize+itemSize*n > len(data) {
		return nil, damaged("the LASzip VLR has %d bytes: expected %d for %d items", len(data), vlrSize+itemSize*n, n)
	}
	for b := data[vlrSize : vlrSize+itemSize*n]; len(b) > 0; b = b[itemSize:] {
		v.Items = append(v.Items, Item{ItemType(le.Uint16(b)), le.Uint16(b[2:]), le.Uint16(b[4:])})
	}
	return v, v.check()
}

// NewVLR returns the VLR of a new file with chunks of DefaultChunkSize points. The compressor is
// PointwiseChunked with version 2 of the items for the point formats 0 to 5, and LayeredChunked with
// version 3 for 6 to 10. recordLength is the number of bytes of a record with its extra bytes. Errors
// wrap ErrUnsupported.
func NewVLR(pointFormat, recordLength int) (*VLR, error) {
	items, err := itemsOf(pointFormat, recordLength)
	if err != nil {
		return nil, err
	}
	v := &VLR{
		Compressor: PointwiseChunked, Major: 3, Minor: 4, Revision: 3,
		ChunkSize: DefaultChunkSize, Items: items, SpecialEVLRs: -1, SpecialOffset: -1,
	}
	if pointFormat > 5 {
		v.Compressor = LayeredChunked
	}
	return v, v.check()
}

// Append appends the payload of the VLR to dst.
func (v *VLR) Append(dst []byte) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint16(dst, uint16(v.Compressor))
	dst = le.AppendUint16(dst, v.Coder)
	dst = append(dst, v.Major, v.Minor)
	dst = le.AppendUint16(dst, v.Revision)
	dst = le.AppendUint32(dst, v.Options)
	dst = le.AppendUint32(dst, v.ChunkSize)
	dst = le.AppendUint64(dst, uint64(v.SpecialEVLRs))
	dst = le.AppendUint64(dst, uint64(v.SpecialOffset))
	dst = le.AppendUint16(dst, uint16(len(v.Items)))
	for _, it := range v.Items {
		dst = le.AppendUint16(dst, uint16(it.Type))
		dst = le.AppendUint16(dst, it.Size)
		dst = le.AppendUint16(dst, it.Version)
	}
	return dst
}

// RecordLength returns the number of bytes of a point record.
func (v *VLR) RecordLength() int {
	n := 0
	for _, it := range v.Items {
		n += int(it.Size)
	}
	return n
}

// ExtraMemory returns the number of bytes that a Decoder or an Encoder needs for the models of the extra
// bytes. Layered chunks have one model for all extra bytes.
func (v *VLR) ExtraMemory() int64 {
	const perByte = 1 << 11 // a model of 256 symbols has 1.5 kB
	for _, it := range v.Items {
		if it.Type == Byte {
			return perByte * int64(it.Size)
		}
	}
	return 0
}

// Check returns an error that wraps ErrDamaged if the items do not match the point format, or if
// their sizes do not add up to recordLength. pointFormat is the number in the header without the
// bits 6 and 7, which mark compressed points.
func (v *VLR) Check(pointFormat, recordLength int) error {
	want, err := itemsOf(pointFormat, recordLength)
	if err != nil {
		return err
	}
	if len(v.Items) != len(want) {
		return damaged("the LASzip VLR has %d items: expected %d for point format %d with records of %d bytes", len(v.Items), len(want), pointFormat, recordLength)
	}
	for i, it := range v.Items {
		if it.Type != want[i].Type || it.Size != want[i].Size {
			return damaged("item %d of the LASzip VLR has type %d and %d bytes: expected type %d and %d bytes for point format %d with records of %d bytes",
				i, it.Type, it.Size, want[i].Type, want[i].Size, pointFormat, recordLength)
		}
	}
	return nil
}

// itemsOf returns the items of a point format, in the versions that NewVLR uses.
func itemsOf(pointFormat, recordLength int) ([]Item, error) {
	const time, rgb, nir, wave = 1, 2, 4, 8
	parts := [...]int{0, time, rgb, time | rgb, time | wave, time | rgb | wave, 0, rgb, rgb | nir, wave, rgb | nir | wave}
	if pointFormat < 0 || pointFormat >= len(parts) {
		return nil, unsupported("point format %d: expected 0 to %d", pointFormat, len(parts)-1)
	}
	p := parts[pointFormat]
	items := []Item{{Point10, 20, 2}}
	color, packet, extra := Item{RGB12, 6, 2}, Item{WavePacket13, 29, 1}, Item{Byte, 0, 2}
	if pointFormat > 5 {
		items[0] = Item{Point14, 30, 3}
		color, packet, extra = Item{RGB14, 6, 3}, Item{WavePacket14, 29, 3}, Item{Byte14, 0, 3}
	}
	if p&time != 0 {
		items = append(items, Item{GPSTime11, 8, 2})
	}
	if p&nir != 0 {
		color = Item{RGBNIR14, 8, 3}
	}
	if p&rgb != 0 {
		items = append(items, color)
	}
	if p&wave != 0 {
		items = append(items, packet)
	}
	size := 0
	for _, it := range items {
		size += int(it.Size)
	}
	if recordLength < size || recordLength > math.MaxUint16 {
		return nil, unsupported("records of %d bytes: expected %d to %d for point format %d", recordLength, size, math.MaxUint16, pointFormat)
	}
	if recordLength > size {
		extra.Size = uint16(recordLength - size)
		items = append(items, extra)
	}
	return items, nil
}

// check returns an error if the package cannot decode the points.
func (v *VLR) check() error {
	switch {
	case v.Coder != 0:
		return unsupported("coder %d: expected 0, the arithmetic coder", v.Coder)
	case v.Compressor > LayeredChunked:
		return unsupported("compressor %d: expected 0 to %d", v.Compressor, LayeredChunked)
	case len(v.Items) == 0:
		return damaged("the LASzip VLR has no items")
	case v.RecordLength() > math.MaxUint16:
		return damaged("the items of the LASzip VLR have %d bytes: expected at most %d", v.RecordLength(), math.MaxUint16)
	}
	seen := map[ItemType]bool{}
	for i, it := range v.Items {
		first := it.Type == Point10 || it.Type == Point14
		if first != (i == 0) || seen[it.Type] {
			return unsupported("item %d of the LASzip VLR has type %d: expected one of each type, POINT10 or POINT14 first", i, it.Type)
		}
		seen[it.Type] = true
		if err := it.check(v.Compressor); err != nil {
			return err
		}
	}
	if seen[RGB14] && seen[RGBNIR14] {
		return unsupported("the LASzip VLR has RGB14 and RGBNIR14: expected one of them")
	}
	return nil
}

// check returns an error if an item has an unknown type or version, or a wrong size, or does not
// fit the compressor.
func (it Item) check(c Compressor) error {
	sizes := map[ItemType]uint16{Point10: 20, GPSTime11: 8, RGB12: 6, WavePacket13: 29, Point14: 30, RGB14: 6, RGBNIR14: 8, WavePacket14: 29}
	size, fixed := sizes[it.Type]
	layered := it.Type >= Point14
	lowest, highest := uint16(1), uint16(2)
	switch {
	case !fixed && it.Type != Byte && it.Type != Byte14:
		return unsupported("items of type %d", it.Type)
	case fixed && it.Size != size:
		return damaged("an item of type %d has %d bytes: expected %d", it.Type, it.Size, size)
	case it.Size == 0:
		return damaged("an item of type %d has no bytes", it.Type)
	case c == Uncompressed:
		return nil
	case layered != (c == LayeredChunked):
		return unsupported("items of type %d with compressor %d", it.Type, c)
	case it.Type == WavePacket13:
		highest = 1
	case it.Type == WavePacket14:
		lowest, highest = 3, 4
	case layered:
		lowest, highest = 2, 4 // LASzip reads version 2, of a prototype, like version 3
	}
	if it.Version < lowest || it.Version > highest {
		return unsupported("version %d of items of type %d: expected %d to %d", it.Version, it.Type, lowest, highest)
	}
	return nil
}
