package loaders

// readBinaryPLY reads the body of a binary file, row by row.
func readBinaryPLY(s *source, b *builder, h *plyHeader) ([]*plyPiece, error) {
	p := newPLYPiece(b.mem, h.vertices)
	var err error
	// The header's check has found room for this many vertices in the file.
	if p.verts, err = extend(b.mem, p.verts, int(h.vertices), vertexBytes); err != nil {
		return nil, err
	}
	at := h.body()
	for i := range h.elements {
		e := &h.elements[i]
		if len(e.Properties) == 0 {
			continue // rows of no bytes
		}
		const look = 1 << 14 // rows between looks at the context
		for row, from := int64(0), at; row < e.Count; row++ {
			next, err := p.binaryRow(s.data, at, e, h.BigEndian)
			if err != nil {
				return nil, plyRowError(err, next, e, row)
			}
			if err := p.endRow(e); err != nil {
				return nil, plyRowError(err, at, e, row)
			}
			at = next
			if row%look == look-1 || row == e.Count-1 {
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
	if _, ok := err.(*soupError); ok {
		return err
	}
	return atByte(int64(at), err, "element %q, row %d", e.Name, row)
}

// binaryRow reads the row at data[at:] and returns the place after it, or the
// place of the error.
func (p *plyPiece) binaryRow(data []byte, at int, e *plyElement, big bool) (int, error) {
	for k := range e.Properties {
		prop, role := &e.Properties[k], e.roles[k]
		count, size := 1, prop.Kind.Size()
		if prop.List {
			n := prop.LengthKind.Size()
			if len(data)-at < n {
				return at, ErrTruncated
			}
			c := prop.LengthKind.Int(data[at:], big)
			if c < 0 {
				return at, reason(ErrSyntax, "a list of length %v", c)
			}
			at += n
			if c > int64((len(data)-at)/size) {
				return at, reason(ErrTruncated, "a list of length %v, but %d bytes are left", c, len(data)-at)
			}
			count = int(c)
		}
		if len(data)-at < count*size {
			return at, ErrTruncated
		}
		switch {
		case role == plySkip:
			at += count * size
		case prop.List:
			for range count {
				if err := p.index(role, prop.Kind.Float(data[at:], big)); err != nil {
					return at, err
				}
				at += size
			}
		default:
			p.scalar(role, prop.Kind.Float(data[at:], big))
			at += size
		}
	}
	return at, nil
}
