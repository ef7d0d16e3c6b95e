package ply

import (
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

func readBinary(s *soup.Source, b *soup.Builder, h *header) ([]*soup.Part, error) {
	p := newChunk(b.Budget, h)
	// readHeader has checked that the file is long enough for the vertices.
	if err := soup.Grow(b.Budget, &p.Vertices, int(h.vertices), soup.VertexBytes); err != nil {
		return nil, err
	}
	at := h.body()
	for i := range h.elements {
		e := &h.elements[i]
		const look = 1 << 14 // number of rows between two checks of the context
		for row, from := int64(0), at; row < e.Count; row++ {
			next, err := p.binaryRow(s.Data, at, e, h.BigEndian)
			if err != nil {
				return nil, rowError(err, next, e, row)
			}
			if err := p.endRow(e); err != nil {
				return nil, rowError(err, at, e, row)
			}
			at = next
			if row%look == look-1 || row == e.Count-1 {
				if err := s.Step(int64(at - from)); err != nil {
					return nil, err
				}
				from = at
			}
		}
	}
	if rest := len(s.Data) - at; rest > 0 {
		b.Note("number of ignored bytes after the last element: %d", rest)
	}
	return []*soup.Part{p.Part}, nil
}

// rowError adds the byte offset, the element and the row to err if err has no place.
func rowError(err error, at int, e *element, row int64) error {
	if soup.Placed(err) {
		return err
	}
	return soup.AtByte(int64(at), err, "element %s, row %d", quote.Word(e.Name), row)
}

// binaryRow reads the row that begins at data[at]. It returns the position after the row. If there
// is an error, it returns the position of the error.
func (p *chunk) binaryRow(data []byte, at int, e *element, big bool) (int, error) {
	for k := range e.Properties {
		prop, role := &e.Properties[k], e.roles[k]
		count, size := 1, prop.Kind.Size()
		if prop.List {
			n := prop.LengthKind.Size()
			if len(data)-at < n {
				return at, soup.ErrTruncated
			}
			c := prop.LengthKind.Int(data[at:], big)
			if c < 0 {
				return at, soup.Reason(soup.ErrSyntax, "the length of a list is %v, must be an integer of at least 0", c)
			}
			at += n
			if c > int64((len(data)-at)/size) {
				return at, soup.Reason(soup.ErrTruncated, "a list declares %v elements, but only %d bytes are left", c, len(data)-at)
			}
			count = int(c)
		}
		if len(data)-at < count*size {
			return at, soup.ErrTruncated
		}
		switch {
		case role == skipped:
			at += count * size
		case prop.List:
			for range count {
				if err := p.index(role, prop.Kind.Float(data[at:], big)); err != nil {
					return at, err
				}
				at += size
			}
		default:
			p.xyz[role-coordinateX] = prop.Kind.Float(data[at:], big)
			at += size
		}
	}
	return at, nil
}
