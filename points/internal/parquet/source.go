package parquet

import (
	"fmt"
	"io"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// magic stands at both ends of a file.
const magic = "PAR1"

// blockRows is how many rows a block has, but for the last of a row group: with three
// coordinates 1.5 MiB of points, which is small enough for the caches of a core and
// large enough that nothing is felt of what is done once a block.
const blockRows = 1 << 16

// Options say how to read. The zero value is good.
type Options struct {
	// Columns are the columns of x, y and z: names, with dots between the parts of
	// nested ones, or numbers from 1 on. If all are empty, names tell.
	Columns [3]string
	// Shard of Shards equal parts of the rows is read, from 1 on; 0 of 0 is all.
	Shard, Shards int
}

// Source is a Parquet file. It implements table.Source.
type Source struct {
	file   string
	at     io.ReaderAt
	size   int64
	footer int64   // where the footer begins
	meta   []field // of the footer
	leaves []leaf
	top    []string // names of the columns below the root
	fields []table.Field
	axes   [3]int
	groups []*group

	lo, hi int64 // the rows that Fill gives
	next   int64 // the row that it gives next
	now    int   // the row group of next
}

var _ table.Source = (*Source)(nil)

// span is the rows of a block.
type span struct {
	s      *Source
	g      *group
	lo, hi int64 // rows of the row group
	floats [3][]float64
}

// New reads the footer of the Parquet file at of that size, which must stay open until
// the last Sink of it has ended; r is not used, as the file is read from its end. Without at, or with a size below 0, it is an error that wraps
// table.ErrFormat. Errors about the columns of x, y and z wrap table.ErrColumns.
func New(file string, r io.Reader, at io.ReaderAt, size int64, opt Options) (*Source, error) {
	if at == nil || size < 0 {
		return nil, fmt.Errorf("%s: %w: a Parquet file is read from its end, so it must be a plain file, neither a stream nor compressed as a whole", file, table.ErrFormat)
	}
	if err := pointio.CheckShard(opt.Shard, opt.Shards); err != nil {
		return nil, err
	}
	s := &Source{file: file, at: at, size: size}
	err := s.readFooter()
	if err == nil {
		s.axes, err = axesOf(s.leaves, opt.Columns)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i := range s.leaves {
		s.fields = append(s.fields, table.Field{Name: s.leaves[i].name, Type: s.leaves[i].typ, Opaque: s.leaves[i].opaque})
	}
	s.lo, s.hi = pointio.ShardRange(s.rows(), opt.Shard, opt.Shards)
	s.next = s.lo
	return s, nil
}

// Format returns parquet.
func (s *Source) Format() string { return "parquet" }

// Fields returns the columns that hold values, nested ones with dots in their names. A
// column that is repeated, or that no table.Type can hold, is opaque. Dates and times are
// the integers of the file; decimals are table.Text with all their digits.
func (s *Source) Fields() []table.Field { return s.fields }

// Axes returns the fields of x, y and z.
func (s *Source) Axes() [3]int { return s.axes }

// Rows returns how many rows Fill gives in all.
func (s *Source) Rows() int64 { return s.hi - s.lo }

// SeekTo makes Fill go on with row p.Row of the file, which must be one of the shard, or
// the one behind it.
func (s *Source) SeekTo(p table.Position) error {
	if p.Row < s.lo || p.Row > s.hi {
		return fmt.Errorf("%s: no row %d: want %d to %d", s.file, p.Row, s.lo, s.hi)
	}
	s.lo, s.next, s.now = p.Row, p.Row, 0
	return nil
}

// Fill takes the next rows of a row group and reads the pages of their coordinates.
func (s *Source) Fill(b *table.Block) error {
	b.Start()
	sp := s.release(b)
	if s.next >= s.hi {
		sp.g = nil
		return io.EOF
	}
	for s.groups[s.now].first+s.groups[s.now].rows <= s.next {
		s.now++
	}
	g := s.groups[s.now]
	sp.g, sp.lo = g, s.next-g.first
	sp.hi = min(sp.lo+blockRows, g.rows, s.hi-g.first)
	for _, a := range s.axes {
		c, err := s.chunk(g, a)
		if err == nil {
			first, last := c.holding(sp.lo, sp.hi)
			for k := first; k <= last && err == nil; k++ {
				err = c.pages[k].read(c)
			}
		}
		if err != nil {
			return s.place(g, a, err)
		}
	}
	b.First = s.next
	s.next += sp.hi - sp.lo
	b.Next = table.Position{Row: s.next}
	b.Read = int64(float64(s.size) * (float64(s.next-s.lo) / float64(s.hi-s.lo)))
	return nil
}

// release frees the pages that end in the rows that b had before, and returns its span.
func (s *Source) release(b *table.Block) *span {
	sp, ok := b.Source.(*span)
	if !ok || sp.s != s {
		sp = &span{s: s}
		b.Source = sp
		return sp
	}
	g := sp.g
	if g == nil {
		return sp
	}
	g.forget(sp.lo, sp.hi)
	if sp.hi == min(g.rows, s.hi-g.first) {
		g.drop()
	}
	return sp
}

// place says where an error was.
func (s *Source) place(g *group, column int, err error) error {
	return fmt.Errorf("%s: row group %d: column %q: %w", s.file, g.index, s.leaves[column].name, err)
}

// Parse decodes the points of b.
func (s *Source) Parse(b *table.Block) error {
	sp := b.Source.(*span)
	for k, a := range s.axes {
		var err error
		if sp.floats[k], err = s.coordinates(sp, a, sp.floats[k][:0]); err != nil {
			return s.place(sp.g, a, err)
		}
	}
	x, y, z := sp.floats[0], sp.floats[1], sp.floats[2]
	b.Reserve(len(x))
	for i := range x {
		b.Add(r3.Vector{X: x[i], Y: y[i], Z: z[i]}, b.First+int64(i))
	}
	return nil
}

// coordinates appends a column of the rows of sp, NaN where it is null.
func (s *Source) coordinates(sp *span, column int, dst []float64) ([]float64, error) {
	l := &s.leaves[column]
	err := s.entries(sp, column, func(d *decoded, from, to int) {
		first := d.before(from, l)
		count := d.before(to, l) - first
		base := len(dst)
		if d.index == nil {
			dst = l.coordinates(dst, &d.values, first, count)
		} else {
			for _, k := range d.index[first : first+count] {
				dst = append(dst, d.dict.coordinates[k])
			}
		}
		if count == to-from {
			return
		}
		// Make room for the nulls, from the end on.
		for range to - from - count {
			dst = append(dst, math.NaN())
		}
		k := base + count
		for e := to - 1; e >= from; e-- {
			at := base + e - from
			if d.def[e] == l.maxDef {
				k--
				dst[at] = dst[k]
			} else {
				dst[at] = math.NaN()
			}
		}
	})
	return dst, err
}

// entries calls do for the entries [from, to) of each page with rows of sp, in order. The
// column must not be repeated.
func (s *Source) entries(sp *span, column int, do func(d *decoded, from, to int)) error {
	c, err := s.chunk(sp.g, column)
	if err != nil {
		return err
	}
	first, last := c.holding(sp.lo, sp.hi)
	for k := first; k <= last; k++ {
		p := c.pages[k]
		d, err := p.decode(c)
		if err != nil {
			return err
		}
		from, to := max(sp.lo-p.first, 0), min(sp.hi-p.first, p.rows)
		if from < to {
			do(d, int(from), int(to))
		}
	}
	return nil
}

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
