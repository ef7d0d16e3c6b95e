package loaders

import (
	"encoding/binary"
	"math"
)

// readBinaryPLY reads the body of a binary file, row by row.
func readBinaryPLY(s *source, b *builder, h *plyHeader, vertices int64) ([]*plyPiece, error) {
	p := newPLYPiece(b.mem, vertices)
	var err error
	// The header's check has found room for this many vertices in the file.
	if p.verts, err = extend(b.mem, p.verts, int(vertices), vertexBytes); err != nil {
		return nil, err
	}
	at := h.body
	for i := range h.elements {
		e := &h.elements[i]
		if len(e.props) == 0 {
			continue // rows of no bytes
		}
		const look = 1 << 14 // rows between looks at the context
		for row, from := int64(0), at; row < e.count; row++ {
			next, err := p.binaryRow(s.data, at, e, h.order)
			if err != nil {
				return nil, plyRowError(err, next, e, row)
			}
			if err := p.endRow(e); err != nil {
				return nil, plyRowError(err, at, e, row)
			}
			at = next
			if row%look == look-1 || row == e.count-1 {
				if err := s.step(int64(at - from)); err != nil {
					return nil, err
				}
				from = at
			}
		}
	}
	if rest := len(s.data) - at; rest > 0 {
		b.note("bytes ignored after the last element: %d", rest)
	}
	return []*plyPiece{p}, nil
}

// plyRowError places an error at a byte and a row.
func plyRowError(err error, at int, e *plyElement, row int64) error {
	if _, ok := err.(*Error); ok {
		return err
	}
	return atByte(int64(at), err, "element %q, row %d", e.name, row)
}

// binaryRow reads the row at data[at:] and returns the place after it, or the
// place of the error.
func (p *plyPiece) binaryRow(data []byte, at int, e *plyElement, order binary.ByteOrder) (int, error) {
	for k := range e.props {
		prop := &e.props[k]
		count, size := 1, plySizes[prop.kind]
		if prop.list {
			n := plySizes[prop.sizeKind]
			if len(data)-at < n {
				return at, ErrTruncated
			}
			c := plyValue(data[at:], prop.sizeKind, order)
			if c < 0 {
				return at, reason(ErrSyntax, "a list of length %v", c)
			}
			at += n
			if c > float64((len(data)-at)/size) {
				return at, reason(ErrTruncated, "a list of length %v, but %d bytes are left", c, len(data)-at)
			}
			count = int(c)
		}
		if len(data)-at < count*size {
			return at, ErrTruncated
		}
		switch {
		case prop.role == plySkip:
			at += count * size
		case prop.list:
			for range count {
				if err := p.index(prop.role, plyValue(data[at:], prop.kind, order)); err != nil {
					return at, err
				}
				at += size
			}
		default:
			p.scalar(prop.role, plyValue(data[at:], prop.kind, order))
			at += size
		}
	}
	return at, nil
}

// plyValue reads a scalar; data is long enough. float64 holds all of them exactly.
func plyValue(data []byte, kind plyType, order binary.ByteOrder) float64 {
	switch kind {
	case plyInt8:
		return float64(int8(data[0]))
	case plyUint8:
		return float64(data[0])
	case plyInt16:
		return float64(int16(order.Uint16(data)))
	case plyUint16:
		return float64(order.Uint16(data))
	case plyInt32:
		return float64(int32(order.Uint32(data)))
	case plyUint32:
		return float64(order.Uint32(data))
	case plyFloat32:
		return float64(math.Float32frombits(order.Uint32(data)))
	default:
		return math.Float64frombits(order.Uint64(data))
	}
}
