package loaders

import "encoding/binary"

// Layout of binary STL: 80 bytes of text, a little-endian count, then records of
// 12 float32 (normal and three corners) and two attribute bytes.
const (
	stlHeaderSize = 84
	stlRecordSize = 50
)

func leUint32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
