package ply

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/inpoly/inpoly/points/table"
)

// Values implements table.Source. Lists have none: they give an error that wraps
// table.ErrCannotHold. In text a value must be a number that its type can hold.
func (s *Source) Values(b *table.Block, field int, v *table.Values) error {
	f := s.fields[field]
	v.Reset(f.Type)
	p := &s.vertex.props[field]
	if p.list {
		return fmt.Errorf("%s: property %s is a list: %w: keep the format ply", s.file, quote(p.name), table.ErrCannotHold)
	}
	if s.head.ascii {
		return s.textValues(b, field, v)
	}
	if s.fixed {
		s.fixedValues(b, p, v)
		return nil
	}
	for k := range b.Points {
		row := s.rowAt(b, k)
		at := row[s.offset(row, field):]
		if p.kind.isFloat() {
			v.Floats = append(v.Floats, p.kind.float(at, s.head.big))
		} else {
			v.Ints = append(v.Ints, p.kind.int(at, s.head.big))
		}
	}
	return nil
}

// fixedValues reads a property of rows that all have the same bytes.
func (s *Source) fixedValues(b *table.Block, p *property, v *table.Values) {
	n, size, big := len(b.Points), int(s.row), s.head.big
	if n == 0 {
		return
	}
	raw := b.Raw[p.offset:]
	if p.kind.isFloat() {
		v.Floats = slices.Grow(v.Floats, n)[:n]
	} else {
		v.Ints = slices.Grow(v.Ints, n)[:n]
	}
	switch {
	case p.kind == uchar:
		for k := range v.Ints {
			v.Ints[k] = int64(raw[k*size])
		}
	case p.kind == ushort && !big:
		for k := range v.Ints {
			v.Ints[k] = int64(binary.LittleEndian.Uint16(raw[k*size:]))
		}
	case p.kind == integer && !big:
		for k := range v.Ints {
			v.Ints[k] = int64(int32(binary.LittleEndian.Uint32(raw[k*size:])))
		}
	case p.kind == float && !big:
		for k := range v.Floats {
			v.Floats[k] = float32At(raw[k*size:])
		}
	case p.kind == double && !big:
		for k := range v.Floats {
			v.Floats[k] = float64At(raw[k*size:])
		}
	case p.kind.isFloat():
		for k := range v.Floats {
			v.Floats[k] = p.kind.float(raw[k*size:], big)
		}
	default:
		for k := range v.Ints {
			v.Ints[k] = p.kind.int(raw[k*size:], big)
		}
	}
}

// textValues reads a field of a text block.
func (s *Source) textValues(b *table.Block, field int, v *table.Values) error {
	m := b.Source.(*marks)
	p := &s.vertex.props[field]
	for k := range b.Points {
		line := b.Raw[m.start[k]:m.end[k]]
		i := 0
		for f := range field {
			i = skipBlanks(line, i)
			if q := &s.vertex.props[f]; q.list {
				i, _ = q.skipList(line, i) // Parse found no error
			} else {
				i = wordEnd(line, i)
			}
		}
		i = skipBlanks(line, i)
		if p.kind.isFloat() {
			x, _, ok := number(line, i)
			if !ok {
				return s.lineError(b, k, notNumber(p, line, i))
			}
			v.Floats = append(v.Floats, x)
		} else {
			n, _, ok := p.kind.whole(line, i)
			if !ok {
				return s.lineError(b, k, fmt.Errorf("property %s: %s is not a number of type %s", quote(p.name), quote(string(line[i:wordEnd(line, i)])), kinds[p.kind].name))
			}
			v.Ints = append(v.Ints, n)
		}
		v.Texts = append(v.Texts, line[i:wordEnd(line, i)])
	}
	return nil
}
