package jsonl

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/jsontext"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// Complete fails if a row of b has a key that the first rows of the file lack.
func (s *Source) Complete(b *table.Block) error {
	if r := rowsOf(b); len(r.strange) > 0 {
		return s.rowError(s.Line(b, int(r.strange[0])), "the row has keys that the first rows of the file lack, and that would be lost: use jsonl", table.ErrCannotHold)
	}
	return nil
}

// Values reads the values of a field. A null and a missing value are missing. Values returns a
// *table.RowError for three defects: a value that does not have the type of the field, an integer
// that the type would round, and a row with keys that the first rows lack.
func (s *Source) Values(b *table.Block, field int, v *table.Values) error {
	return s.values(b, field, v, true)
}

// Texts implements table.Texter. Numbers have the digits of the file, truth values are 1 and 0,
// strings have no quotes, and objects are JSON.
func (s *Source) Texts(b *table.Block, field int, v *table.Values) error {
	return s.values(b, field, v, false)
}

// values implements Values if strict is true, and Texts if strict is false.
func (s *Source) values(b *table.Block, field int, v *table.Values, strict bool) error {
	if err := s.Complete(b); err != nil {
		return err
	}
	f := &s.fields[field]
	if f.Opaque != "" {
		return fmt.Errorf("%s: field %s is %s: %w", s.file, quote.Word(f.Name), f.Opaque, table.ErrCannotHold)
	}
	r, n := rowsOf(b), len(s.fields)
	v.Reset(f.Type)
	for k := range r.starts {
		c := r.cells[k*n+field]
		value := b.Raw[c.start:c.end:c.end]
		missing := len(value) == 0 || value[0] == 'n'
		var text []byte
		if !missing {
			text = textOf(value)
		}
		v.Texts = append(v.Texts, text)
		if err := s.appendValue(v, value, missing, strict, slices.Contains(s.axes[:], field)); err != nil {
			return s.rowError(s.Line(b, k), fmt.Sprintf("%s: %s %v", quote.Word(f.Name), quote.Word(value), err), table.ErrCannotHold)
		}
		missing = missing || !strict && f.Type == table.Float64 && value[0] == 'N' // Texter wants NaN to be missing
		if missing && len(v.Missing) == 0 {
			v.Missing = slices.Grow(v.Missing, len(r.starts))[:len(r.starts)]
			clear(v.Missing)
		}
		if missing {
			v.Missing[k] = true
		}
	}
	return nil
}

// appendValue appends a value to v.Floats or v.Ints. If strict is true, it fails for a value that
// does not have the type of v. A coordinate is rounded to the nearest float64.
func (s *Source) appendValue(v *table.Values, value []byte, missing, strict, axis bool) error {
	switch {
	case v.Type == table.Float64:
		x := math.NaN()
		if !missing {
			var n int
			var ok bool
			switch x, n, ok = decimal.Parse(value); {
			case !ok || n != len(value):
				x = math.NaN()
				if strict {
					return fmt.Errorf("is not a number, unlike the values at the beginning of the file: use csv or jsonl")
				}
			case strict && !axis && isRounded(value, x):
				return fmt.Errorf("would be rounded by float64: use csv or jsonl")
			}
		}
		v.Floats = append(v.Floats, x)
	case v.Type == table.Int64:
		k, ok := parseInteger(value)
		if strict && !missing && !ok {
			return fmt.Errorf("is not an integer of 64 bits, unlike the values at the beginning of the file: use csv or jsonl")
		}
		v.Ints = append(v.Ints, k)
	case v.Type == table.Bool:
		is := bytes.Equal(value, []byte("true"))
		if strict && !missing && !is && !bytes.Equal(value, []byte("false")) {
			return fmt.Errorf("is not a truth value, unlike the values at the beginning of the file: use csv or jsonl")
		}
		k := int64(0)
		if is {
			k = 1
		}
		v.Ints = append(v.Ints, k)
	}
	return nil
}

// isRounded reports whether the value is an integer that differs from x, the nearest float64.
func isRounded(value []byte, x float64) bool {
	if math.Abs(x) < 1<<53 || bytes.ContainsAny(value, ".eE") {
		return false
	}
	const most = 309 // the largest float64 has 309 digits
	var room [most + 1]byte
	return !bytes.Equal(value, strconv.AppendFloat(room[:0], x, 'f', 0, 64))
}

// textOf returns a value as text; see Source.Texts.
func textOf(value []byte) []byte {
	switch value[0] {
	case '"':
		if inner := value[1 : len(value)-1]; bytes.IndexByte(inner, '\\') < 0 {
			return inner
		}
		return jsontext.AppendUnescaped(nil, value[1:len(value)-1])
	case 't':
		return []byte("1")
	case 'f':
		return []byte("0")
	}
	return value
}

// passthrough is the sink that copies all bytes of the input and inserts the answers after the last
// member of each object.
type passthrough struct {
	table.NoState
	src     *Source
	answers sink
}

// Passthrough returns a sink that copies the lines byte for byte and appends the answers to each
// object. Dropped rows disappear with their line ends. Blank lines stay. If a row has the key of an
// answer, the sink fails, because the key would occur twice. The sink does not fail if the first
// rows have this key. Passthrough must be called before the rows are parsed.
func (s *Source) Passthrough(cols []table.Column) (table.Sink, error) {
	var taken []table.Field
	for _, c := range s.top.order {
		taken = append(taken, table.Field{Name: c.name})
	}
	p := &passthrough{src: s, answers: sink{cols: cols}}
	if s.watched == nil {
		s.watched = map[string]bool{}
	}
	for _, name := range table.Names(taken, cols) {
		s.watched[name] = true
		p.answers.names = append(p.answers.names, name)
		p.answers.keys = append(p.answers.keys, append(appendString([]byte{','}, []byte(name)), ':'))
	}
	return p, nil
}

// lineWith returns the line of the first row of b with a key that the first rows of the file lack.
func (s *Source) lineWith(b *table.Block, key string) int64 {
	r := rowsOf(b)
	if s.isGeo {
		return s.Line(b, int(r.strange[0]))
	}
	for _, k := range r.strange {
		found := false
		row, _, _ := bytes.Cut(b.Raw[r.starts[k]:], newline)
		row = bytes.TrimPrefix(row, bom)
		if _, _, err := scanObject(row, skipBlanks(row, 0), 1, func(m *member) error {
			found = found || string(m.Text()) == key
			return nil
		}); found && err == nil {
			return s.Line(b, int(k))
		}
	}
	return b.First
}

// Format appends the rows of b with their answers to b.Out.
func (p *passthrough) Format(b *table.Block) error {
	r := rowsOf(b)
	for _, name := range p.answers.names {
		if r.keys[name] {
			return p.src.rowError(p.src.lineWith(b, name), fmt.Sprintf("the row has the key %s, which the first rows of the file lack, and which is the key of an answer", quote.Word(name)), table.ErrCannotHold)
		}
	}
	dst, prev := slices.Grow(b.Out, len(b.Raw)+16*len(r.starts)*len(p.answers.cols)), int32(0)
	for k, last := range r.lasts {
		if b.Dropped(k) {
			dst = append(dst, b.Raw[prev:r.starts[k]]...)
			if prev = int32(len(b.Raw)); int(last) < len(b.Raw) {
				if end := bytes.IndexByte(b.Raw[last:], '\n'); end >= 0 {
					prev = last + int32(end) + 1
				}
			}
			continue
		}
		dst = append(dst, b.Raw[prev:last]...)
		prev = last
		if s := p.src; s.isGeo && len(p.answers.cols) > 0 && r.places[k] > inObject {
			dst = p.insertObject(dst, b, k, r.places[k])
			if r.places[k] == instead {
				prev += int32(len(null))
			}
			continue
		}
		from := len(dst)
		dst = p.answers.answers(dst, b, k, p.answers.keys)
		if r.empty[k] && len(dst) > from {
			dst = slices.Delete(dst, from, from+1) // the comma before the first answer
		}
	}
	b.Out = append(dst, b.Raw[prev:]...)
	return nil
}
