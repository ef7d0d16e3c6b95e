package parquet

import (
	"fmt"
	"math"

	"github.com/inpoly/inpoly/points/table"
)

// Values reads a field of the rows of b. Null is missing, with NaN, 0 or nil for its
// value. Strings are as they stand in the file. The field of a column that is repeated,
// or that no table.Type holds, is an error that wraps table.ErrCannotHold.
func (s *Source) Values(b *table.Block, field int, v *table.Values) error {
	sp := b.Source.(*span)
	l := &s.leaves[field]
	v.Reset(l.typ)
	if l.opaque != "" {
		return fmt.Errorf("%s: column %q is %s: %w", s.file, l.name, l.opaque, table.ErrCannotHold)
	}
	rows := int(sp.hi - sp.lo)
	err := s.entries(sp, field, func(d *decoded, from, to int) {
		all := d.all()
		k := d.before(from, l)
		for e := from; e < to; e++ {
			if d.present != d.entries && d.def[e] != l.maxDef {
				l.null(v, rows)
				continue
			}
			l.value(v, all, d.at(k))
			k++
		}
	})
	if err != nil {
		return s.place(sp.g, field, err)
	}
	return nil
}

// value appends the value i.
func (l *leaf) value(v *table.Values, all *values, i int) {
	switch {
	case l.typ == table.Float64:
		v.Floats = append(v.Floats, math.Float64frombits(le64(all.fixed[8*i:])))
	case l.typ == table.Float32:
		v.Floats = append(v.Floats, float64(math.Float32frombits(le32(all.fixed[4*i:]))))
	case l.typ != table.Text:
		v.Ints = append(v.Ints, l.integer(all, i))
	case l.width > 0:
		v.Texts = append(v.Texts, l.digits(nil, l.integer(all, i)))
	default:
		v.Texts = append(v.Texts, all.bytes(i))
	}
	if len(v.Missing) > 0 {
		v.Missing = append(v.Missing, false)
	}
}

// null appends a null; rows is how many values there will be.
func (l *leaf) null(v *table.Values, rows int) {
	done := len(v.Floats) + len(v.Ints) + len(v.Texts)
	if len(v.Missing) == 0 {
		if cap(v.Missing) < rows {
			v.Missing = make([]bool, 0, rows)
		}
		v.Missing = v.Missing[:done]
		clear(v.Missing)
	}
	switch {
	case l.typ.IsFloat():
		v.Floats = append(v.Floats, math.NaN())
	case l.typ != table.Text:
		v.Ints = append(v.Ints, 0)
	default:
		v.Texts = append(v.Texts, nil)
	}
	v.Missing = append(v.Missing, true)
}
