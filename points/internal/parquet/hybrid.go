package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// errCorrupt is any fault of the pages.
var errCorrupt = errors.New("the file is damaged")

// hybrid fills dst with numbers of width bits, 0 to 32, that are written as runs of
// equal ones and as packed groups of eight (Parquet format, Encodings.md, RLE = 3). It
// returns what is left of src.
func hybrid[T uint8 | uint32](dst []T, src []byte, width int) ([]byte, error) {
	for len(dst) > 0 {
		head, n := varint(src)
		if n == 0 {
			return nil, fmt.Errorf("%w: %d numbers missing", errCorrupt, len(dst))
		}
		src = src[n:]
		if head&1 == 0 {
			size := (width + 7) / 8
			if len(src) < size {
				return nil, fmt.Errorf("%w: run cut off", errCorrupt)
			}
			var v uint32
			for i, c := range src[:size] {
				v |= uint32(c) << (8 * i)
			}
			src = src[size:]
			count := int(min(head>>1, uint64(len(dst))))
			for i := range dst[:count] {
				dst[i] = T(v)
			}
			dst = dst[count:]
			continue
		}
		// The last group may be cut after the bytes that are needed.
		count := len(dst)
		if groups := head >> 1; groups < uint64(count+7)/8 {
			count = int(groups) * 8
		}
		if len(src) < (count*width+7)/8 {
			return nil, fmt.Errorf("%w: packed numbers cut off", errCorrupt)
		}
		unpack(dst[:count], src, width)
		dst = dst[count:]
		src = src[min(uint64(len(src)), (head>>1)*uint64(width)):]
	}
	return src, nil
}

// unpack reads numbers of width bits, low bits first. src must be long enough.
func unpack[T uint8 | uint32](dst []T, src []byte, width int) {
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

// unpackHigh reads levels of width bits, at most 8, high bits first: the old encoding
// BIT_PACKED = 4. It returns what is left of src.
func unpackHigh(dst []uint8, src []byte, width int) ([]byte, error) {
	size := (len(dst)*width + 7) / 8
	if len(src) < size {
		return nil, fmt.Errorf("%w: levels cut off", errCorrupt)
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

// appendHybrid appends src as hybrid reads it. Eight equal numbers or more make a run.
func appendHybrid[T uint8 | uint32](dst []byte, src []T, width int) []byte {
	for len(src) > 0 {
		// Groups of eight that are not equal, up to the next run.
		packed := 0
		run := 0
		for packed < len(src) {
			if run = equal(src[packed:]); run >= 8 || packed+run == len(src) {
				break
			}
			packed += min(8, len(src)-packed)
			run = 0
		}
		if packed > 0 {
			dst = binary.AppendUvarint(dst, uint64(packed+7)/8<<1|1)
			dst = pack(dst, src[:packed], width)
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

// equal returns how many numbers at the start of s are the same.
func equal[T uint8 | uint32](s []T) int {
	n := 1
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}

// pack appends numbers of width bits, low bits first, filled up to whole groups of
// eight.
func pack[T uint8 | uint32](dst []byte, src []T, width int) []byte {
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

// widthOf returns the bits that the number v needs.
func widthOf(v int) int { return bits.Len(uint(v)) }
