package parquet

import (
	"encoding/binary"
	"fmt"
)

// deltas reads numbers that are written as differences (Encodings.md,
// DELTA_BINARY_PACKED = 5): n of them, −1 if the page alone tells how many, which are
// at most as many as limit. It returns what is left of src.
func deltas(src []byte, n, limit int) ([]int64, []byte, error) {
	cut := fmt.Errorf("%w: differences cut off", errCorrupt)
	var head [4]uint64 // block, parts of a block, numbers, the first
	for i := range head {
		v, k := varint(src)
		if k == 0 {
			return nil, nil, cut
		}
		head[i], src = v, src[k:]
	}
	block, parts, total := head[0], head[1], head[2]
	// The format wants blocks of a multiple of 128 in parts of a multiple of 32.
	if parts == 0 || block == 0 || block%parts != 0 || block/parts%32 != 0 || block > 1<<31 {
		return nil, nil, fmt.Errorf("%w: differences in blocks of %d in %d parts", errCorrupt, block, parts)
	}
	if n >= 0 && total != uint64(n) || total > uint64(limit) {
		return nil, nil, fmt.Errorf("%w: %d differences where %d numbers are", errCorrupt, total, max(n, limit))
	}
	part := int(block / parts)
	out := make([]int64, 0, total)
	if total == 0 {
		return out, src, nil
	}
	last := zigzag(head[3])
	out = append(out, last)
	for len(out) < int(total) {
		v, k := varint(src)
		if k == 0 || uint64(len(src)-k) < parts {
			return nil, nil, cut
		}
		least := zigzag(v)
		widths := src[k : k+int(parts)]
		src = src[k+int(parts):]
		for _, width := range widths {
			if len(out) == int(total) {
				break // the parts that are not needed have no bytes
			}
			w := int(width)
			count := min(part, int(total)-len(out))
			if w > 64 || len(src) < (count*w+7)/8 {
				return nil, nil, cut
			}
			for i := range count {
				last += least + int64(bitsAt(src, i*w, w)) // wraps round, as the format says
				out = append(out, last)
			}
			src = src[min(len(src), part/8*w):]
		}
	}
	return out, src, nil
}

// bitsAt returns width bits of src, 0 to 64, from a bit on, low bits first. Bits
// behind the end are 0.
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

// deltaLengths reads n strings whose lengths are written first
// (DELTA_LENGTH_BYTE_ARRAY = 6).
func deltaLengths(src []byte, n int) (values, error) {
	lengths, src, err := deltas(src, n, n)
	if err != nil {
		return values{}, err
	}
	v := values{n: n, offsets: make([]uint32, 1, n+1)}
	end := 0
	for _, k := range lengths {
		if k < 0 || k > int64(len(src)-end) {
			return values{}, fmt.Errorf("%w: string of %d bytes", errCorrupt, k)
		}
		end += int(k)
		v.offsets = append(v.offsets, uint32(end))
	}
	v.data = src[:end]
	return v, nil
}

// deltaStrings reads n strings that begin as the one before (DELTA_BYTE_ARRAY = 7).
// width is their length if all have the same, else 0.
func deltaStrings(src []byte, n, width int) (values, error) {
	prefixes, src, err := deltas(src, n, n)
	if err != nil {
		return values{}, err
	}
	suffixes, err := deltaLengths(src, n)
	if err != nil {
		return values{}, err
	}
	v := values{n: n, offsets: make([]uint32, 1, n+1)}
	var last []byte
	for i, k := range prefixes {
		if k < 0 || k > int64(len(last)) {
			return values{}, fmt.Errorf("%w: string that begins with %d bytes of one of %d", errCorrupt, k, len(last))
		}
		// Prefixes let the strings grow with the square of the page: 4 GiB are the
		// limit of a page.
		if uint64(len(v.data))+uint64(k) > 1<<31 {
			return values{}, fmt.Errorf("%w: strings of more than 2 GiB in a page", errCorrupt)
		}
		start := len(v.data)
		v.data = append(append(v.data, last[:k]...), suffixes.bytes(i)...)
		last = v.data[start:]
		if width > 0 && len(last) != width {
			return values{}, fmt.Errorf("%w: value of %d bytes where %d are", errCorrupt, len(last), width)
		}
		v.offsets = append(v.offsets, uint32(len(v.data)))
	}
	if width > 0 {
		return values{n: n, width: width, fixed: v.data}, nil
	}
	return v, nil
}
