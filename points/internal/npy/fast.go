package npy

import (
	"encoding/binary"
	"math"

	"github.com/golang/geo/r3"
)

var (
	le = binary.LittleEndian
	be = binary.BigEndian
)

// pointBytes is the size of three float64.
const pointBytes = 24

// parseRows reads the three little-endian float64 at the front of each row of raw into
// pts, rows being stride bytes apart. Its twin is the loop in Source.Parse.
func parseRows(pts []r3.Vector, raw []byte, stride int) {
	for k := range pts {
		p := (*[pointBytes]byte)(raw[k*stride:])
		pts[k] = r3.Vector{
			X: math.Float64frombits(le.Uint64(p[0:8])),
			Y: math.Float64frombits(le.Uint64(p[8:16])),
			Z: math.Float64frombits(le.Uint64(p[16:24])),
		}
	}
}

// copyRows copies the first n rows of row bytes from src to dst, where they are stride
// bytes apart. Rows of 24 bytes, the most frequent ones, go as three words.
func copyRows(dst []byte, stride int, src []byte, row, n int) {
	if row != pointBytes {
		for k := range n {
			copy(dst[k*stride:k*stride+row], src[k*row:])
		}
		return
	}
	for k := range n {
		d := (*[pointBytes]byte)(dst[k*stride:])
		s := (*[pointBytes]byte)(src[k*pointBytes:])
		le.PutUint64(d[0:8], le.Uint64(s[0:8]))
		le.PutUint64(d[8:16], le.Uint64(s[8:16]))
		le.PutUint64(d[16:24], le.Uint64(s[16:24]))
	}
}

// copyColumn copies elements that are item bytes long and lie one after the other in src
// to dst, where they are stride bytes apart.
func copyColumn(dst []byte, stride int, src []byte, item, n int) {
	if item == 8 {
		for k := range n {
			le.PutUint64(dst[k*stride:], le.Uint64(src[8*k:]))
		}
		return
	}
	for k := range n {
		le.PutUint32(dst[k*stride:], le.Uint32(src[4*k:]))
	}
}

// putFloats writes x as elements, stride bytes apart. A float32 array rounds them.
func (h *header) putFloats(dst []byte, stride int, x []float64) {
	switch {
	case h.item == 8 && h.big:
		for k, v := range x {
			be.PutUint64(dst[k*stride:], math.Float64bits(v))
		}
	case h.item == 8:
		for k, v := range x {
			le.PutUint64(dst[k*stride:], math.Float64bits(v))
		}
	case h.big:
		for k, v := range x {
			be.PutUint32(dst[k*stride:], math.Float32bits(float32(v)))
		}
	default:
		for k, v := range x {
			le.PutUint32(dst[k*stride:], math.Float32bits(float32(v)))
		}
	}
}
