package meshopt

import "encoding/binary"

// indexTail is the number of bytes after the last index, which are reserved (appendix A, "Mode 2:
// indices").
const indexTail = 4

// checkEvery is the number of elements between two calls of done (tuning).
const checkEvery = 1 << 12

// decodeIndices decodes a stream of the mode Indices. Each index is the sum of a signed number and one
// of two earlier indices. The lowest bit of the number chooses the earlier index.
func decodeIndices(dst, stream []byte, v View, done func() error) error {
	r := &reader{data: stream[:len(stream)-indexTail], at: 1}
	var last [2]uint32
	for i := range v.Count {
		if i%checkEvery == 0 {
			if err := done(); err != nil {
				return err
			}
		}
		d, err := r.varint()
		if err != nil {
			return err
		}
		last[d&1] += zigzag(d >> 1)
		putIndex(dst, i, v.Stride, last[d&1])
	}
	return r.end()
}

// putIndex stores index i. If an index has two bytes, its higher bits are dropped, as the
// specification says.
func putIndex(dst []byte, i, stride int, index uint32) {
	if stride == 2 {
		binary.LittleEndian.PutUint16(dst[2*i:], uint16(index))
		return
	}
	binary.LittleEndian.PutUint32(dst[4*i:], index)
}
