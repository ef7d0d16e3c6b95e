package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/internal/plural"
)

// values are the values of a page or a dictionary, without nulls.
type values struct {
	n       int
	width   int      // bytes of a value: 0 for strings, 1 for BOOLEAN
	fixed   []byte   // values of width bytes, little endian
	data    []byte   // strings, concatenated
	offsets []uint32 // n+1 offsets of strings in data
}

func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

func (v *values) bytes(i int) []byte {
	if v.width > 0 {
		return v.fixed[i*v.width : (i+1)*v.width : (i+1)*v.width]
	}
	return v.data[v.offsets[i]:v.offsets[i+1]:v.offsets[i+1]]
}

// decodeValues decodes n values of column l. The values must not be dictionary indices. The result
// can share the memory of src.
func decodeValues(l *leaf, enc format.Encoding, src []byte, n int) (v values, err error) {
	integer := l.kind == format.Int32 || l.kind == format.Int64
	number := integer || l.kind == format.Float || l.kind == format.Double
	split := enc == format.ByteStreamSplit && (number || l.kind == format.FixedLenByteArray)
	switch {
	case enc == format.Plain && l.kind == format.Boolean:
		if len(src) < (n+7)/8 {
			return values{}, fmt.Errorf("%w: the values are cut off", errCorrupt)
		}
		v = values{n: n, width: 1, fixed: make([]byte, n)}
		unpackBits(v.fixed, src, 1)
		return v, nil
	case enc == format.RLE && l.kind == format.Boolean:
		if src, _, err = cutPrefixed(src); err != nil {
			return values{}, err
		}
		v = values{n: n, width: 1, fixed: make([]byte, n)}
		_, err = decodeHybrid(v.fixed, src, 1)
		return v, err
	case split || enc == format.Plain && l.width > 0:
		if n > len(src)/l.width {
			return values{}, plural.Errorf("%w: %d values of %d bytes do not fit into %d bytes", errCorrupt, n, l.width, len(src))
		}
		v = values{n: n, width: l.width, fixed: src[:n*l.width]}
		if split {
			v.fixed = joinStreams(src, n, l.width)
		}
		return v, nil
	case enc == format.Plain:
		return decodePlainStrings(src, n)
	case enc == format.DeltaBinaryPacked && integer:
		return decodeDeltaIntegers(src, n, l.width)
	case enc == format.DeltaLengthByteArray && l.kind == format.ByteArray:
		return decodeDeltaLengths(src, n)
	case enc == format.DeltaByteArray && (l.kind == format.ByteArray || l.kind == format.FixedLenByteArray):
		return decodeDeltaStrings(src, n, l.width)
	}
	return values{}, fmt.Errorf("unsupported encoding %[2]s for values of type %[1]s", l.kind, enc)
}

// cutPrefixed splits src into a body and the rest. The four bytes before the body are its length.
func cutPrefixed(src []byte) (body, rest []byte, err error) {
	if len(src) < 4 || uint64(le32(src)) > uint64(len(src)-4) {
		return nil, nil, fmt.Errorf("%w: the page is cut off", errCorrupt)
	}
	end := 4 + int(le32(src))
	return src[4:end], src[end:], nil
}

// decodePlainStrings reads n strings, each preceded by its length.
func decodePlainStrings(src []byte, n int) (values, error) {
	if n > len(src)/4 {
		return values{}, plural.Errorf("%w: %d strings do not fit into %d bytes", errCorrupt, n, len(src))
	}
	v := values{n: n, data: make([]byte, 0, len(src)-4*n), offsets: make([]uint32, 1, n+1)}
	for range n {
		s, rest, err := cutPrefixed(src)
		if err != nil {
			return values{}, err
		}
		v.data = append(v.data, s...)
		v.offsets = append(v.offsets, uint32(len(v.data)))
		src = rest
	}
	return v, nil
}

// decodeDeltaIntegers decodes n integers of width bytes.
func decodeDeltaIntegers(src []byte, n, width int) (values, error) {
	numbers, _, err := decodeDelta(src, n)
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

// joinStreams decodes n values of width bytes (BYTE_STREAM_SPLIT = 9). The data are the first bytes
// of all values, then their second bytes, and so on.
func joinStreams(src []byte, n, width int) []byte {
	out := make([]byte, n*width)
	for k := range width {
		for i, c := range src[k*n : (k+1)*n] {
			out[i*width+k] = c
		}
	}
	return out
}

// errTooLarge is wrapped by errors about pages that need too much memory.
var errTooLarge = errors.New("too large")

// errCorrupt is wrapped by errors that report a damaged file.
var errCorrupt = errors.New("the file is damaged")

// decodeHybrid decodes len(dst) numbers of width bits (0 to 32) and returns the rest of src. The
// encoding is a hybrid of runs of equal numbers and bit-packed groups of eight numbers (Parquet
// format, Encodings.md, RLE = 3).
func decodeHybrid[T uint8 | uint32](dst []T, src []byte, width int) ([]byte, error) {
	for len(dst) > 0 {
		header, n := binary.Uvarint(src)
		if n <= 0 {
			return nil, plural.Errorf("%w: %d numbers are missing", errCorrupt, len(dst))
		}
		src = src[n:]
		if header&1 == 0 {
			size := (width + 7) / 8
			if len(src) < size {
				return nil, fmt.Errorf("%w: a run is cut off", errCorrupt)
			}
			var v uint32
			for i, c := range src[:size] {
				v |= uint32(c) << (8 * i)
			}
			src = src[size:]
			count := int(min(header>>1, uint64(len(dst))))
			for i := range dst[:count] {
				dst[i] = T(v)
			}
			dst = dst[count:]
			continue
		}
		// The last group can lack the bytes after the last number.
		count := len(dst)
		if groups := header >> 1; groups < uint64(count+7)/8 {
			count = int(groups) * 8
		}
		if len(src) < (count*width+7)/8 {
			return nil, fmt.Errorf("%w: packed numbers are cut off", errCorrupt)
		}
		unpackBits(dst[:count], src, width)
		dst = dst[count:]
		src = src[min(uint64(len(src)), (header>>1)*uint64(width)):]
	}
	return src, nil
}

// unpackBits decodes len(dst) numbers of width bits, low bits first. Missing bits are 0.
func unpackBits[T uint8 | uint32](dst []T, src []byte, width int) {
	mask := uint64(1)<<width - 1
	for i := range dst {
		bit := i * width
		at := bit >> 3
		var word uint64
		if at+8 <= len(src) {
			word = binary.LittleEndian.Uint64(src[at:])
		} else {
			for k, c := range src[min(at, len(src)):] {
				word |= uint64(c) << (8 * k)
			}
		}
		dst[i] = T(word >> (bit & 7) & mask)
	}
}

// unpackMSB decodes levels of width bits (at most 8), high bits first, and returns the rest of src.
// The encoding is deprecated (BIT_PACKED = 4).
func unpackMSB(dst []uint8, src []byte, width int) ([]byte, error) {
	size := (len(dst)*width + 7) / 8
	if len(src) < size {
		return nil, fmt.Errorf("%w: the levels are cut off", errCorrupt)
	}
	for i := range dst {
		var v uint8
		for bit := i * width; bit < (i+1)*width; bit++ {
			v = v<<1 | src[bit>>3]>>(7-bit&7)&1
		}
		dst[i] = v
	}
	return src[size:], nil
}

// appendHybrid is the inverse of decodeHybrid. Eight or more equal numbers become a run.
func appendHybrid[T uint8 | uint32](dst []byte, src []T, width int) []byte {
	for len(src) > 0 {
		// Numbers before the next run are packed in groups of eight.
		packed, run := 0, 0
		for packed < len(src) {
			if run = runLength(src[packed:]); run >= 8 || packed+run == len(src) {
				break
			}
			packed += min(8, len(src)-packed)
			run = 0
		}
		if packed > 0 {
			dst = binary.AppendUvarint(dst, uint64(packed+7)/8<<1|1)
			dst = packBits(dst, src[:packed], width)
		}
		if run > 0 {
			dst = binary.AppendUvarint(dst, uint64(run)<<1)
			for i := range (width + 7) / 8 {
				dst = append(dst, byte(uint32(src[packed])>>(8*i)))
			}
		}
		src = src[packed+run:]
	}
	return dst
}

// runLength returns the number of equal numbers at the start of s.
func runLength[T uint8 | uint32](s []T) int {
	n := 1
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}

// packBits appends numbers of width bits, low bits first. It pads the last group of eight with 0.
func packBits[T uint8 | uint32](dst []byte, src []T, width int) []byte {
	end := len(dst) + (len(src)+7)/8*width
	var word uint64
	have := 0
	for _, v := range src {
		word |= uint64(v) << have
		for have += width; have >= 8; have -= 8 {
			dst = append(dst, byte(word))
			word >>= 8
		}
	}
	for len(dst) < end {
		dst = append(dst, byte(word))
		word >>= 8
	}
	return dst
}

// decodeDelta reads n integers that are encoded as differences, and returns the rest of src
// (Encodings.md, DELTA_BINARY_PACKED = 5).
func decodeDelta(src []byte, n int) ([]int64, []byte, error) {
	errCut := fmt.Errorf("%w: the differences are cut off", errCorrupt)
	var header [3]uint64
	for i := range header {
		v, k := binary.Uvarint(src)
		if k <= 0 {
			return nil, nil, errCut
		}
		header[i], src = v, src[k:]
	}
	// The numbers of differences in a block, of miniblocks in a block, and of integers.
	block, parts, total := header[0], header[1], header[2]
	last, k := binary.Varint(src)
	if k <= 0 {
		return nil, nil, errCut
	}
	src = src[k:]
	// The format requires multiples of 128 differences in a block, and of 32 in a miniblock.
	if parts == 0 || block == 0 || block%parts != 0 || block/parts%32 != 0 || block > 1<<31 {
		return nil, nil, plural.Errorf("%w: invalid blocks of %d differences in %d miniblocks", errCorrupt, block, parts)
	}
	if total != uint64(n) {
		return nil, nil, plural.Errorf("%w: the header declares %d integers, expected %d", errCorrupt, total, n)
	}
	part := int(block / parts)
	out := make([]int64, 0, total)
	if total == 0 {
		return out, src, nil
	}
	out = append(out, last)
	for len(out) < int(total) {
		minDelta, k := binary.Varint(src)
		if k <= 0 || uint64(len(src)-k) < parts {
			return nil, nil, errCut
		}
		widths := src[k : k+int(parts)]
		src = src[k+int(parts):]
		for _, width := range widths {
			if len(out) == int(total) {
				break // unused miniblocks have no bytes
			}
			w := int(width)
			count := min(part, int(total)-len(out))
			if w > 64 || len(src) < (count*w+7)/8 {
				return nil, nil, errCut
			}
			for i := range count {
				last += minDelta + int64(bitsAt(src, i*w, w)) // the sum wraps around, as the format requires
				out = append(out, last)
			}
			src = src[min(len(src), part/8*w):]
		}
	}
	return out, src, nil
}

// bitsAt returns up to 64 bits of src from a bit position, low bits first. Bits after the end of
// src are 0.
func bitsAt(src []byte, bit, width int) uint64 {
	var raw [9]byte
	at := min(bit>>3, len(src))
	copy(raw[:], src[at:])
	v := binary.LittleEndian.Uint64(raw[:]) >> (bit & 7)
	if s := bit & 7; s > 0 {
		v |= uint64(raw[8]) << (64 - s)
	}
	if width < 64 {
		v &= uint64(1)<<width - 1
	}
	return v
}

// decodeDeltaLengths decodes n strings, whose lengths come first (DELTA_LENGTH_BYTE_ARRAY = 6).
func decodeDeltaLengths(src []byte, n int) (values, error) {
	lengths, src, err := decodeDelta(src, n)
	if err != nil {
		return values{}, err
	}
	v := values{n: n, offsets: make([]uint32, 1, n+1)}
	end := 0
	for _, k := range lengths {
		if k < 0 || k > int64(len(src)-end) {
			return values{}, plural.Errorf("%w: invalid string of %d bytes", errCorrupt, k)
		}
		end += int(k)
		v.offsets = append(v.offsets, uint32(end))
	}
	v.data = src[:end]
	return v, nil
}

// decodeDeltaStrings decodes n strings (DELTA_BYTE_ARRAY = 7). A string is encoded as a suffix and
// the length of the prefix that it shares with the previous string. All strings must have the given
// length, unless it is 0.
func decodeDeltaStrings(src []byte, n, width int) (values, error) {
	prefixes, src, err := decodeDelta(src, n)
	if err != nil {
		return values{}, err
	}
	suffixes, err := decodeDeltaLengths(src, n)
	if err != nil {
		return values{}, err
	}
	v := values{n: n, offsets: make([]uint32, 1, n+1)}
	var last []byte
	for i, k := range prefixes {
		if k < 0 || k > int64(len(last)) {
			return values{}, plural.Errorf("%w: a string begins with %d bytes of the previous string, which has %d", errCorrupt, k, len(last))
		}
		// Shared prefixes can make the total length grow with the square of the page size. The
		// offsets have 32 bits.
		if uint64(len(v.data))+uint64(k) > 1<<31 {
			return values{}, fmt.Errorf("%w: the strings of a page have more than 2 GiB in total", errCorrupt)
		}
		start := len(v.data)
		v.data = append(append(v.data, last[:k]...), suffixes.bytes(i)...)
		last = v.data[start:]
		if width > 0 && len(last) != width {
			return values{}, plural.Errorf("%w: a value has %d bytes, expected %d", errCorrupt, len(last), width)
		}
		v.offsets = append(v.offsets, uint32(len(v.data)))
	}
	if width > 0 {
		return values{n: n, width: width, fixed: v.data}, nil
	}
	return v, nil
}
