package las

import (
	"fmt"
	"math"
	"strings"

	"github.com/inpoly/inpoly/points/table"
)

// slot is a dimension of point formats 6 to 8.
type slot struct {
	dim
	min, max int64 // of integers
	needs    int   // point format that has it
}

// slots are the dimensions that fields of other formats go to, by their names.
var slots = makeSlots()

func makeSlots() []slot {
	h := &head{format: 8}
	var list []slot
	for _, d := range h.standard()[3:] {
		s := slot{dim: d, needs: 6}
		switch d.name {
		case "red", "green", "blue":
			s.needs = 7
		case "nir":
			s.needs = 8
		}
		switch {
		case d.bits > 0:
			s.max = 1<<d.bits - 1
		case d.raw == table.Uint8:
			s.max = math.MaxUint8
		case d.raw == table.Uint16:
			s.max = math.MaxUint16
		case d.raw == table.Int16:
			s.min, s.max = math.MinInt16, math.MaxInt16
		}
		list = append(list, s)
	}
	return list
}

// slotOf returns the place in slots of a name, in any case of letters, or −1.
func slotOf(name string) int {
	for i := range slots {
		if strings.EqualFold(slots[i].name, name) {
			return i
		}
	}
	return -1
}

// fit returns the value of row k as s holds it: a float64 as its bits.
func (s *slot) fit(v *table.Values, k int) (int64, error) {
	if s.raw == table.Float64 {
		x := number(v, k)
		if !v.Type.IsFloat() && math.Abs(x) > 1<<53 {
			return 0, fmt.Errorf("%v is rounded as a float64", x)
		}
		return int64(math.Float64bits(x)), nil
	}
	var n int64
	switch {
	case len(v.Missing) > 0 && v.Missing[k]:
		return 0, fmt.Errorf("no value")
	case v.Type.IsFloat():
		x := v.Floats[k]
		if n = int64(x); float64(n) != x { // NaN differs from anything
			return 0, fmt.Errorf("%v does not fit: want a whole number", x)
		}
	default:
		n = v.Ints[k]
	}
	if n < s.min || n > s.max {
		return 0, fmt.Errorf("%d does not fit: want %d to %d", n, s.min, s.max)
	}
	return n, nil
}

// fill writes field i of the rows of b, whose bytes are zero. A value that does not fit is
// an error, unless its row is dropped.
func (s *slot) fill(src table.Source, b *table.Block, c *scratch, i, size int) error {
	v := &c.vals[i]
	ints := v.Ints
	if !s.fitAll(v) {
		c.ints = c.ints[:0]
		for k := range b.Points {
			n, err := s.fit(v, k)
			if err != nil && !b.Dropped(k) {
				return fmt.Errorf("%s: column %s: %w: las: %w: want another name for it, or ply, npy or parquet",
					table.Place(src, b, k), s.name, err, table.ErrCannotHold)
			}
			c.ints = append(c.ints, n)
		}
		ints = c.ints
	}
	out := b.Out[s.at:]
	switch {
	case s.bits > 0:
		for k, n := range ints {
			out[k*size] |= byte(n) << s.shift
		}
	case s.raw == table.Uint8:
		for k, n := range ints {
			out[k*size] = byte(n)
		}
	case s.raw == table.Float64:
		for k, n := range ints {
			le.PutUint64(out[k*size:], uint64(n))
		}
	default:
		for k, n := range ints {
			le.PutUint16(out[k*size:], uint16(n))
		}
	}
	return nil
}

// fitAll reports whether s holds integers without more ado.
func (s *slot) fitAll(v *table.Values) bool {
	if v.Type.IsFloat() || s.raw == table.Float64 || len(v.Missing) > 0 {
		return false
	}
	for _, n := range v.Ints {
		if n < s.min || n > s.max {
			return false
		}
	}
	return true
}

// fill writes a field of the rows of b to its extra bytes.
func (e *extraField) fill(src table.Source, b *table.Block, v *table.Values, size int) error {
	out := b.Out[e.at:]
	if e.typ.IsFloat() {
		for k, x := range v.Floats {
			if len(v.Missing) > 0 && v.Missing[k] {
				x = math.NaN()
			}
			if e.typ == table.Float64 {
				le.PutUint64(out[k*size:], math.Float64bits(x))
			} else {
				le.PutUint32(out[k*size:], math.Float32bits(float32(x)))
			}
		}
		return nil
	}
	for k, n := range v.Ints {
		missing := len(v.Missing) > 0 && v.Missing[k]
		switch {
		case missing && e.typ == table.Int64:
			n = int64None
		case missing && !b.Dropped(k):
			return fmt.Errorf("%s: column %s: no value, and an integer cannot say so: las: %w", table.Place(src, b, k), table.Quote([]byte(e.name)), table.ErrCannotHold)
		case n == int64None && e.typ == table.Int64 && !b.Dropped(k):
			return fmt.Errorf("%s: column %s: %d stands for no value: las: %w", table.Place(src, b, k), table.Quote([]byte(e.name)), n, table.ErrCannotHold)
		}
		switch at := out[k*size:]; e.typ.Size() {
		case 1:
			at[0] = byte(n)
		case 2:
			le.PutUint16(at, uint16(n))
		case 4:
			le.PutUint32(at, uint32(n))
		default:
			le.PutUint64(at, uint64(n))
		}
	}
	return nil
}
