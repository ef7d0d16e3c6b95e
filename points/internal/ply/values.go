package ply

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/plyfile"
	"github.com/inpoly/inpoly/points/table"
)

// Values implements table.Source. In an ASCII file each value must be a number that the declared
// type can represent. Errors: table.ErrCannotHold for a list.
func (s *Source) Values(b *table.Block, field int, v *table.Values) error {
	f := s.fields[field]
	v.Reset(f.Type)
	p := &s.vertex.Properties[field]
	if p.List {
		return fmt.Errorf("%s: property %s is a list: %w: keep the format ply", s.file, quote(p.Name), table.ErrCannotHold)
	}
	if s.head.ASCII {
		return s.textValues(b, field, v)
	}
	if s.fixed {
		s.fixedValues(b, p, v)
		return nil
	}
	for k := range b.Points {
		row := s.rowAt(b, k)
		at := row[s.offset(row, field):]
		if p.Kind.IsFloat() {
			v.Floats = append(v.Floats, p.Kind.Float(at, s.head.BigEndian))
		} else {
			v.Ints = append(v.Ints, p.Kind.Int(at, s.head.BigEndian))
		}
	}
	return nil
}

// fixedValues reads the property p of rows of equal size into v.
func (s *Source) fixedValues(b *table.Block, p *plyfile.Property, v *table.Values) {
	n, size, big := len(b.Points), int(s.row), s.head.BigEndian
	if n == 0 {
		return
	}
	raw := b.Raw[p.Offset:]
	if p.Kind.IsFloat() {
		v.Floats = slices.Grow(v.Floats, n)[:n]
	} else {
		v.Ints = slices.Grow(v.Ints, n)[:n]
	}
	switch {
	case p.Kind == plyfile.Uint8:
		for k := range v.Ints {
			v.Ints[k] = int64(raw[k*size])
		}
	case p.Kind == plyfile.Uint16 && !big:
		for k := range v.Ints {
			v.Ints[k] = int64(binary.LittleEndian.Uint16(raw[k*size:]))
		}
	case p.Kind == plyfile.Int32 && !big:
		for k := range v.Ints {
			v.Ints[k] = int64(int32(binary.LittleEndian.Uint32(raw[k*size:])))
		}
	case p.Kind == plyfile.Float32 && !big:
		for k := range v.Floats {
			v.Floats[k] = float32At(raw[k*size:])
		}
	case p.Kind == plyfile.Float64 && !big:
		for k := range v.Floats {
			v.Floats[k] = float64At(raw[k*size:])
		}
	case p.Kind.IsFloat():
		for k := range v.Floats {
			v.Floats[k] = p.Kind.Float(raw[k*size:], big)
		}
	default:
		for k := range v.Ints {
			v.Ints[k] = p.Kind.Int(raw[k*size:], big)
		}
	}
}

// float32At reads a little-endian float. Unlike Kind.Float it is inlined into loops over rows.
func float32At(b []byte) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

// float64At is float32At for eight bytes.
func float64At(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// textValues reads a field of a block of an ASCII file into v.
func (s *Source) textValues(b *table.Block, field int, v *table.Values) error {
	m := b.Source.(*rowBounds)
	p := &s.vertex.Properties[field]
	for k := range b.Points {
		line := b.Raw[m.start[k]:m.end[k]]
		i := 0
		for f := range field {
			i = skipBlanks(line, i)
			if q := &s.vertex.Properties[f]; q.List {
				i, _ = skipList(q, line, i) // Parse has checked the list
			} else {
				i = wordEnd(line, i)
			}
		}
		i = skipBlanks(line, i)
		if p.Kind.IsFloat() {
			x, _, ok := parseNumber(line, i)
			if !ok {
				return s.lineError(b, k, notNumber(p, line, i))
			}
			v.Floats = append(v.Floats, x)
		} else {
			n, _, ok := parseInt(p.Kind, line, i)
			if !ok {
				return s.lineError(b, k, fmt.Errorf("property %s: %s is not a number of type %s", quote(p.Name), quote(string(line[i:wordEnd(line, i)])), p.Kind.String()))
			}
			v.Ints = append(v.Ints, n)
		}
		v.Texts = append(v.Texts, line[i:wordEnd(line, i)])
	}
	return nil
}
