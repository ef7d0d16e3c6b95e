package meshopt

import (
	"encoding/binary"
	"math/bits"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Sizes of attribute streams (appendix A, "Mode 0: attributes").
const (
	groupElements    = 16   // elements of a group
	maxBlockElements = 256  // most elements of a block
	maxBlockBytes    = 8192 // most decoded bytes of a block
	leastTail0       = 32   // shortest tail of version 0, with padding
	leastTail1       = 24   // shortest tail of version 1, with padding
)

// blockElements returns the number of elements of a block, except the last one.
func blockElements(stride int) int {
	return min(maxBlockBytes/stride&^(groupElements-1), maxBlockElements)
}

// leastBlock returns the number of bytes of the shortest block. The block has a header for each byte
// of an element: in version 0, two bits for each group; in version 1, two bits for the whole block.
func leastBlock(version, stride int, elements int64) int64 {
	if version == 0 {
		return int64(stride) * ((elements + 4*groupElements - 1) / (4 * groupElements))
	}
	return int64(stride) / 4
}

// attributeTail returns the number of bytes of the tail, with padding. The padding comes first, then
// the element before the first one, then the channel modes of version 1.
func attributeTail(version, stride int) int {
	if version == 0 {
		return max(stride, leastTail0)
	}
	return max(stride+stride/4, leastTail1)
}

// deltaBits are the numbers of bits of each delta in a group, by the control mode of the byte and the
// two header bits of the group. Version 0 has the last row.
var deltaBits = [...][4]uint{{0, 1, 2, 4}, {1, 2, 4, 8}, {0, 2, 4, 8}}

// Control modes of version 1; see deltaBits for 0 and 1.
const (
	controlVersion0 = 2 // row of deltaBits, and not a control mode
	controlZero     = 2 // all deltas are zero
	controlLiteral  = 3 // deltas are bytes without headers
)

// planes holds the deltas of four bytes at neighboring positions, for the elements of a block.
type planes [4][maxBlockElements]byte

// decodeAttributes decodes a stream of the mode Attributes, without the filter.
func decodeAttributes(dst, stream []byte, v View, done func() error) error {
	version, stride := int(stream[0]&1), v.Stride
	last := stream[len(stream)-stride:] // the element before the first one of the block
	var modes []byte
	if version == 1 {
		modes = stream[len(stream)-stride/4:]
		last = stream[len(stream)-stride/4-stride : len(stream)-stride/4]
		for k, m := range modes {
			if m&15 > 2 || m&15 < 2 && m > 2 {
				return soup.Reason(soup.ErrSyntax, "the compressed stream has the channel mode %#02x at bytes %d to %d of the elements, which is not defined", m, 4*k, 4*k+3)
			}
		}
	}
	r := &reader{data: stream[:len(stream)-attributeTail(version, stride)], at: 1}
	var deltas planes
	for len(dst) > 0 {
		if err := done(); err != nil {
			return err
		}
		block := dst[:min(len(dst), blockElements(stride)*stride)]
		n := len(block) / stride
		var control []byte
		if version == 1 {
			if control = r.next(stride / 4); control == nil {
				return r.truncated()
			}
		}
		for channel := range stride / 4 {
			for k := range deltas {
				var err error
				if version == 0 {
					err = r.groups(deltas[k][:], n, controlVersion0)
				} else {
					err = r.plane(deltas[k][:], n, control[channel]>>(2*k)&3)
				}
				if err != nil {
					return err
				}
			}
			mode := byte(0)
			if version == 1 {
				mode = modes[channel]
			}
			at := 4 * channel
			deltas.integrate(block[at:], last[at:at+4], n, stride, mode)
		}
		last, dst = block[len(block)-stride:], dst[len(block):]
	}
	return r.end()
}

// plane reads the deltas of one byte of n elements of version 1.
func (r *reader) plane(dst []byte, n int, control byte) error {
	switch control {
	case controlZero:
		clear(dst[:n])
		return nil
	case controlLiteral:
		data := r.next(n)
		if data == nil {
			return r.truncated()
		}
		copy(dst, data)
		return nil
	}
	return r.groups(dst, n, control)
}

// groups reads the deltas of one byte of n elements: the header bits of all groups, then the groups.
// The last group has 16 deltas too, even if fewer elements are left.
func (r *reader) groups(dst []byte, n int, row byte) error {
	count := (n + groupElements - 1) / groupElements
	headers := r.next((count + 3) / 4)
	if headers == nil {
		return r.truncated()
	}
	for g := range count {
		if err := r.group((*[groupElements]byte)(dst[g*groupElements:]), deltaBits[row][headers[g/4]>>(2*(g%4))&3]); err != nil {
			return err
		}
	}
	return nil
}

// group reads 16 deltas of the given number of bits. If all bits of a delta are ones, the delta is a
// byte after the bits of the group. The first delta is in the highest bits of a byte for 2 and 4 bits,
// and in the lowest bit for 1 bit.
func (r *reader) group(dst *[groupElements]byte, size uint) error {
	if size == 0 {
		*dst = [groupElements]byte{}
		return nil
	}
	packed := r.next(int(2 * size))
	if packed == nil {
		return r.truncated()
	}
	var word uint64 // the first delta is in the highest bits
	switch size {
	case 1:
		word = uint64(bits.Reverse16(binary.LittleEndian.Uint16(packed))) << 48
	case 2:
		word = uint64(binary.BigEndian.Uint32(packed)) << 32
	case 4:
		word = binary.BigEndian.Uint64(packed)
	default:
		copy(dst[:], packed)
		return nil
	}
	escape := byte(1)<<size - 1
	rest := r.data[r.at:]
	for i := range dst {
		d := byte(word >> (64 - size))
		word <<= size
		if d == escape {
			if len(rest) == 0 {
				return r.truncated()
			}
			d, rest = rest[0], rest[1:]
		}
		dst[i] = d
	}
	r.at = len(r.data) - len(rest)
	return nil
}

// integrate adds the deltas of n elements to the element before them, last, and stores the sums. dst
// begins with the four bytes of the first element. mode is a channel mode, which says whether the
// deltas belong to bytes, to integers of 16 bits, or to 32 bits that are combined with XOR. The encoder
// rotates these 32 bits to the left by the number in the high bits of mode.
func (p *planes) integrate(dst, last []byte, n, stride int, mode byte) {
	switch mode & 15 {
	case 0:
		for k := range p {
			sum := last[k]
			for i, d := range p[k][:n] {
				sum += d>>1 ^ -(d & 1)
				dst[i*stride+k] = sum
			}
		}
	case 1:
		for k := 0; k < 4; k += 2 {
			sum := binary.LittleEndian.Uint16(last[k:])
			for i := range n {
				d := uint16(p[k][i]) | uint16(p[k+1][i])<<8
				sum += d>>1 ^ -(d & 1)
				binary.LittleEndian.PutUint16(dst[i*stride+k:], sum)
			}
		}
	default:
		sum := binary.LittleEndian.Uint32(last)
		for i := range n {
			d := uint32(p[0][i]) | uint32(p[1][i])<<8 | uint32(p[2][i])<<16 | uint32(p[3][i])<<24
			sum ^= bits.RotateLeft32(d, -int(mode>>4))
			binary.LittleEndian.PutUint32(dst[i*stride:], sum)
		}
	}
}
