package parquet

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/parquet-go/format"
)

// values are the values of a page or a dictionary, without nulls.
type values struct {
	n       int
	width   int      // bytes of each in fixed; 0 for strings
	fixed   []byte   // little endian; a byte for each BOOLEAN
	data    []byte   // strings
	offsets []uint32 // n+1 places in data
}

func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// bytes returns the bytes of value i.
func (v *values) bytes(i int) []byte {
	if v.width > 0 {
		return v.fixed[i*v.width : (i+1)*v.width : (i+1)*v.width]
	}
	return v.data[v.offsets[i]:v.offsets[i+1]:v.offsets[i+1]]
}

// readValues reads n values of l that are not in a dictionary. They may point into
// src.
func readValues(l *leaf, enc format.Encoding, src []byte, n int) (values, error) {
	integer := l.kind == format.Int32 || l.kind == format.Int64
	number := integer || l.kind == format.Float || l.kind == format.Double
	switch {
	case enc == format.Plain && l.kind == format.Boolean:
		if len(src) < (n+7)/8 {
			return values{}, fmt.Errorf("%w: values cut off", errCorrupt)
		}
		v := values{n: n, width: 1, fixed: make([]byte, n)}
		unpack(v.fixed, src, 1)
		return v, nil
	case enc == format.RLE && l.kind == format.Boolean:
		body, _, err := prefixed(src)
		if err != nil {
			return values{}, err
		}
		v := values{n: n, width: 1, fixed: make([]byte, n)}
		_, err = hybrid(v.fixed, body, 1)
		return v, err
	case enc == format.Plain && l.width > 0:
		if n > len(src)/l.width {
			return values{}, fmt.Errorf("%w: %d values of %d bytes in %d bytes", errCorrupt, n, l.width, len(src))
		}
		return values{n: n, width: l.width, fixed: src[:n*l.width]}, nil
	case enc == format.Plain:
		return plainStrings(src, n)
	case enc == format.DeltaBinaryPacked && integer:
		return deltaIntegers(src, n, l.width)
	case enc == format.DeltaLengthByteArray && l.kind == format.ByteArray:
		return deltaLengths(src, n)
	case enc == format.DeltaByteArray && (l.kind == format.ByteArray || l.kind == format.FixedLenByteArray):
		return deltaStrings(src, n, l.width)
	case enc == format.ByteStreamSplit && (number || l.kind == format.FixedLenByteArray):
		return split(src, n, l.width)
	}
	return values{}, fmt.Errorf("values of type %s in the encoding %s are not known", l.kind, enc)
}

// prefixed returns the bytes that a length of four bytes stands before, and the rest.
func prefixed(src []byte) (body, rest []byte, err error) {
	if len(src) < 4 || uint64(le32(src)) > uint64(len(src)-4) {
		return nil, nil, fmt.Errorf("%w: page cut off", errCorrupt)
	}
	end := 4 + int(le32(src))
	return src[4:end], src[end:], nil
}

// plainStrings reads n strings, each behind its length.
func plainStrings(src []byte, n int) (values, error) {
	if n > len(src)/4 {
		return values{}, fmt.Errorf("%w: %d strings in %d bytes", errCorrupt, n, len(src))
	}
	v := values{n: n, data: make([]byte, 0, len(src)-4*n), offsets: make([]uint32, 1, n+1)}
	for range n {
		s, rest, err := prefixed(src)
		if err != nil {
			return values{}, err
		}
		v.data = append(v.data, s...)
		v.offsets = append(v.offsets, uint32(len(v.data)))
		src = rest
	}
	return v, nil
}

// deltaIntegers reads n integers of that width.
func deltaIntegers(src []byte, n, width int) (values, error) {
	numbers, _, err := deltas(src, n, n)
	if err != nil {
		return values{}, err
	}
	v := values{n: n, width: width, fixed: make([]byte, 0, n*width)}
	for _, k := range numbers {
		if width == 4 {
			v.fixed = binary.LittleEndian.AppendUint32(v.fixed, uint32(k))
		} else {
			v.fixed = binary.LittleEndian.AppendUint64(v.fixed, uint64(k))
		}
	}
	return v, nil
}

// split reads n values whose first bytes are all written first, then their second
// ones (BYTE_STREAM_SPLIT = 9).
func split(src []byte, n, width int) (values, error) {
	if n > len(src)/width {
		return values{}, fmt.Errorf("%w: %d values of %d bytes in %d bytes", errCorrupt, n, width, len(src))
	}
	v := values{n: n, width: width, fixed: make([]byte, n*width)}
	for k := range width {
		for i, c := range src[k*n : (k+1)*n] {
			v.fixed[i*width+k] = c
		}
	}
	return v, nil
}
