package ply

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/plyfile"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/internal/records"
	"github.com/inpoly/inpoly/points/table"
)

// Parse implements table.Source. In an ASCII file it checks that every row has a value for each
// property, and that coordinates and lengths of lists are numbers.
func (s *Source) Parse(b *table.Block) error {
	if s.head.ASCII {
		return s.parseLines(b)
	}
	if s.fixed {
		s.parseFixed(b)
		return nil
	}
	n := len(b.Source.(*rowBounds).start)
	b.Reserve(n)
	for k := range n {
		row := s.rowAt(b, k)
		var v [3]float64
		for i, a := range s.axes {
			v[i] = s.kinds[i].Float(row[s.offset(row, a):], s.head.BigEndian)
		}
		b.Add(r3.Vector{X: v[0], Y: v[1], Z: v[2]}, b.First+int64(k))
	}
	return nil
}

// parseFixed parses the points of binary rows of equal size.
func (s *Source) parseFixed(b *table.Block) {
	big, size := s.head.BigEndian, int(s.row)
	n := len(b.Raw) / size
	b.Reserve(n)
	b.Points = b.Points[:n]
	kx, ky, kz := s.kinds[0], s.kinds[1], s.kinds[2]
	p := s.vertex.Properties
	x, y, z := p[s.axes[0]].Offset, p[s.axes[1]].Offset, p[s.axes[2]].Offset
	switch {
	case kx == plyfile.Float32 && ky == plyfile.Float32 && kz == plyfile.Float32 && !big:
		for k := range b.Points {
			row := b.Raw[k*size:][:size]
			b.Points[k] = r3.Vector{X: float32At(row[x:]), Y: float32At(row[y:]), Z: float32At(row[z:])}
		}
	case kx == plyfile.Float64 && ky == plyfile.Float64 && kz == plyfile.Float64 && !big:
		for k := range b.Points {
			row := b.Raw[k*size:][:size]
			b.Points[k] = r3.Vector{X: float64At(row[x:]), Y: float64At(row[y:]), Z: float64At(row[z:])}
		}
	default:
		for k := range b.Points {
			row := b.Raw[k*size:][:size]
			b.Points[k] = r3.Vector{X: kx.Float(row[x:], big), Y: ky.Float(row[y:], big), Z: kz.Float(row[z:], big)}
		}
	}
	b.CountPoints()
}

// offset returns the index of the first byte of a scalar property in a complete binary row.
func (s *Source) offset(row []byte, field int) int {
	if s.fixed {
		return s.vertex.Properties[field].Offset
	}
	at := 0
	for i := range field {
		p := &s.vertex.Properties[i]
		if !p.List {
			at += p.Kind.Size()
			continue
		}
		at += p.LengthKind.Size() + int(p.LengthKind.Int(row[at:], s.head.BigEndian))*p.Kind.Size()
	}
	return at
}

// parseLines parses the points of a block of an ASCII file.
func (s *Source) parseLines(b *table.Block) error {
	m := s.findLines(b)
	b.Reserve(len(m.start))
	for k := range m.start {
		p, err := s.parseLine(b.Raw[m.start[k]:m.end[k]])
		if err != nil {
			return s.lineError(b, k, err)
		}
		b.Add(p, b.First+int64(k))
	}
	return nil
}

// lineError adds the name of the file and the line of row k to an error.
func (s *Source) lineError(b *table.Block, k int, err error) error {
	return fmt.Errorf("%s: line %d: %w", s.file, s.line+b.First+int64(k)+1, err)
}

// parseLine returns the point of a row. The caller has removed the blanks at the end of the row.
func (s *Source) parseLine(line []byte) (r3.Vector, error) {
	var v [3]float64
	i := 0
	for f := range s.vertex.Properties {
		p := &s.vertex.Properties[f]
		if i = records.SkipBlanks(line, i); i == len(line) {
			return r3.Vector{}, s.missingValue(line, f)
		}
		if p.List {
			var err error
			if i, err = skipList(p, line, i); err != nil {
				return r3.Vector{}, err
			}
			continue
		}
		axis := slices.Index(s.axes[:], f)
		if axis < 0 {
			i = records.WordEnd(line, i)
			continue
		}
		x, end, ok := records.ParseNumber(line, i)
		if !ok {
			return r3.Vector{}, notNumber(p, line, i)
		}
		v[axis], i = x, end
	}
	if records.SkipBlanks(line, i) < len(line) {
		return r3.Vector{}, plural.Errorf("the line has more values than the %d properties of a vertex: %s", len(s.vertex.Properties), quote.Word(line))
	}
	return r3.Vector{X: v[0], Y: v[1], Z: v[2]}, nil
}

// missingValue returns the error for a line that ends before property f.
func (s *Source) missingValue(line []byte, f int) error {
	if len(line) == 0 {
		return errors.New("the line is blank: expected a vertex")
	}
	return fmt.Errorf("%s has no value for property %s: expected one vertex on each line", quote.Word(line), quote.Word(s.vertex.Properties[f].Name))
}

// notNumber returns the error for the word at line[i:], which is not a number.
func notNumber(p *plyfile.Property, line []byte, i int) error {
	return fmt.Errorf("property %s: %s is not a number", quote.Word(p.Name), quote.Word(line[i:records.WordEnd(line, i)]))
}

// parseInt parses the word at line[i:] as an integer of kind k.
func parseInt(k plyfile.Kind, line []byte, i int) (v int64, end int, ok bool) {
	x, end, ok := records.ParseNumber(line, i)
	if !ok || !k.Holds(x) {
		return 0, i, false
	}
	return int64(x), end, true
}

// skipList returns the index after the list at line[i:].
func skipList(p *plyfile.Property, line []byte, i int) (int, error) {
	n, end, ok := parseInt(p.LengthKind, line, i)
	if !ok || n < 0 {
		return i, fmt.Errorf("property %s: %s is not a valid list length of type %s", quote.Word(p.Name), quote.Word(line[i:records.WordEnd(line, i)]), p.LengthKind.String())
	}
	i = end
	for k := range n {
		if i = records.SkipBlanks(line, i); i == len(line) {
			return i, plural.Errorf("property %s: the list length is %d, but %d values follow", quote.Word(p.Name), n, k)
		}
		i = records.WordEnd(line, i)
	}
	return i, nil
}

// Values implements table.Source. In an ASCII file, each value must be a number that the declared
// type can represent. If the property is a list, Values returns table.ErrCannotHold.
func (s *Source) Values(b *table.Block, field int, v *table.Values) error {
	f := s.fields[field]
	v.Reset(f.Type)
	p := &s.vertex.Properties[field]
	if p.List {
		return fmt.Errorf("%s: property %s is a list: %w: keep the format ply", s.file, quote.Word(p.Name), table.ErrCannotHold)
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

// fixedValues reads a property of rows of equal size into v.
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

// float32At reads a little-endian float32. The compiler can inline float32At into loops over rows.
// The compiler cannot inline Kind.Float.
func float32At(b []byte) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

func float64At(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// textValues reads a field of a block of an ASCII file into v.
func (s *Source) textValues(b *table.Block, field int, v *table.Values) error {
	m := b.Source.(*rowBounds)
	p := &s.vertex.Properties[field]
	for k := range b.Points {
		line := b.Raw[m.start[k]:m.end[k]]
		i := 0
		for f := range field {
			i = records.SkipBlanks(line, i)
			if q := &s.vertex.Properties[f]; q.List {
				i, _ = skipList(q, line, i) // Parse has checked the list
			} else {
				i = records.WordEnd(line, i)
			}
		}
		i = records.SkipBlanks(line, i)
		if p.Kind.IsFloat() {
			x, _, ok := records.ParseNumber(line, i)
			if !ok {
				return s.lineError(b, k, notNumber(p, line, i))
			}
			v.Floats = append(v.Floats, x)
		} else {
			n, _, ok := parseInt(p.Kind, line, i)
			if !ok {
				return s.lineError(b, k, fmt.Errorf("property %s: %s is not a number of type %s", quote.Word(p.Name), quote.Word(line[i:records.WordEnd(line, i)]), p.Kind.String()))
			}
			v.Ints = append(v.Ints, n)
		}
		v.Texts = append(v.Texts, line[i:records.WordEnd(line, i)])
	}
	return nil
}
