package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// magic is both the first four bytes and the last four bytes of a Parquet file.
const magic = "PAR1"

// blockRows is the number of rows of a block. The last block of a row group can have fewer. The
// coordinates of a block take 1.5 MiB, which fits into the caches of a core.
const blockRows = 1 << 16 // tuning

// blockCells bounds the number of cells of a block, and thus the memory for the block in an output
// format. Only files of more than 8 columns have blocks of fewer than blockRows rows (tuning).
const blockCells = 8 * blockRows

// Options select the columns that hold x, y and z, and the rows to read. Columns has numbers from
// 1, or names. The parts of a nested name are separated by dots. If Columns is empty, New finds
// columns with usual names. New fails if Bytes is set.
type Options = pointio.Options

// Source reads a Parquet file. It implements table.Source.
type Source struct {
	name     string
	file     io.ReaderAt
	size     int64
	footer   int64         // byte offset of the footer
	decoded  atomic.Int64  // number of bytes of decoded pages and dictionaries; see reserve
	metadata []thriftField // fields of the footer
	leaves   []leaf
	topNames []string // names of the children of the schema's root
	fields   []table.Field
	axes     [3]int
	groups   []*rowGroup

	firstRow, endRow int64 // Fill reads the rows [firstRow, endRow)
	nextRow          int64 // first row of the next block
	nextGroup        int   // index of the row group that has nextRow, or of an earlier row group
}

var _ table.Source = (*Source)(nil)

// rowRange is the range of rows of a block.
type rowRange struct {
	src              *Source
	group            *rowGroup
	firstRow, endRow int64 // within the row group
	floats           [3][]float64
}

// New reads the footer of a Parquet file of the given size. It ignores r, because the footer is at
// the end of the file. The file must stay open until the last Sink of the source has ended. Error
// messages begin with the given name.
//
// Errors: table.ErrFormat if file is nil, size is negative, or the file is not a Parquet file;
// table.ErrColumns if the columns of x, y and z are missing or ambiguous.
func New(name string, r io.Reader, file io.ReaderAt, size int64, opt Options) (*Source, error) {
	if file == nil || size < 0 {
		return nil, fmt.Errorf("%s: %w: a Parquet file is read from its end, so it must be a plain file, neither a stream nor compressed as a whole", name, table.ErrFormat)
	}
	if opt.Bytes != [2]int64{} {
		return nil, fmt.Errorf("%s: a Parquet file cannot be restricted to a range of bytes: use shards", name)
	}
	if err := opt.Check(); err != nil {
		return nil, err
	}
	s := &Source{name: name, file: file, size: size}
	err := s.readFooter()
	if err == nil {
		s.axes, err = findAxes(s.leaves, opt.Columns, opt.Find)
		if wkb := geometry(s.leaves); errors.Is(err, table.ErrColumns) && wkb != "" {
			err = &table.FormatError{Name: "GeoParquet with points as WKB in the column " + quote.Word(wkb),
				Hint: "convert it to CSV with GDAL: ogr2ogr -f CSV -lco GEOMETRY=AS_XYZ points.csv points.parquet, or write the coordinates as columns x, y and z"}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.fields = fieldsOf(s.leaves)
	s.firstRow, s.endRow = pointio.ShardRange(s.endRow, opt.Shard, opt.Shards)
	s.nextRow = s.firstRow
	return s, nil
}

// Format returns "parquet".
func (s *Source) Format() string { return "parquet" }

// Fields returns the leaf columns. The names of nested columns contain dots. A column is opaque if
// it is a list or if no table.Type can hold its values. Dates and times are integers, as in the
// file. Decimals are table.Text with all their digits.
func (s *Source) Fields() []table.Field { return s.fields }

// Axes returns the indices of the fields of x, y and z.
func (s *Source) Axes() [3]int { return s.axes }

// Rows returns the number of rows of the file, or of the shard.
func (s *Source) Rows() int64 { return s.endRow - s.firstRow }

// The decoded pages and dictionaries in memory have at most decodedBase + decodedFactor·n bytes for a
// file of n bytes. A few bytes can encode a long run of equal values, so the size of a page does not
// bound its memory. The base suffices for a page of a million rows (tuning).
const (
	decodedBase   = 8 << 20
	decodedFactor = 8
)

// reserve counts n bytes that the caller is about to decode. If n is negative, it releases them.
func (s *Source) reserve(n int64) error {
	most := decodedBase + decodedFactor*s.size
	if s.decoded.Add(n) > most && n > 0 {
		s.decoded.Add(-n)
		return plural.Errorf("%w: the decoded pages need more than %d bytes: write the file with smaller pages", errTooLarge, most)
	}
	return nil
}

// SeekTo makes Fill continue with row p.Row of the file. The row must be in the shard, or follow
// the last row of the shard.
func (s *Source) SeekTo(p table.Position) error {
	if p.Row < s.firstRow || p.Row > s.endRow {
		return fmt.Errorf("%s: no row %d: expected a row from %d to %d", s.name, p.Row, s.firstRow, s.endRow)
	}
	s.firstRow, s.nextRow, s.nextGroup = p.Row, p.Row, 0
	return nil
}

// Fill selects the next rows of a row group and reads the pages of their coordinates.
func (s *Source) Fill(b *table.Block) error {
	b.Start()
	r := s.recycle(b)
	if s.nextRow >= s.endRow {
		r.group = nil
		return io.EOF
	}
	for s.groups[s.nextGroup].firstRow+s.groups[s.nextGroup].rows <= s.nextRow {
		s.nextGroup++
	}
	g := s.groups[s.nextGroup]
	r.group, r.firstRow = g, s.nextRow-g.firstRow
	// In a small file, long blocks can only come from runs of equal values.
	rows := min(blockRows, max(blockRows/8, s.size/8), max(blockCells/int64(len(s.leaves)), 1))
	r.endRow = min(r.firstRow+rows, g.rows, s.endRow-g.firstRow)
	for _, a := range s.axes {
		c, err := s.chunk(g, a)
		if err == nil {
			first, last := c.pageRange(r.firstRow, r.endRow)
			for k := first; k <= last && err == nil; k++ {
				err = c.pages[k].read(c)
			}
		}
		if err != nil {
			return s.wrapError(g, a, err)
		}
	}
	b.First = s.nextRow
	s.nextRow += r.endRow - r.firstRow
	b.Next = table.Position{Row: s.nextRow}
	b.Read = int64(float64(s.size) * (float64(s.nextRow-s.firstRow) / float64(s.endRow-s.firstRow)))
	return nil
}

// recycle returns the rowRange of b. It releases the pages that end in the previous rows of b.
func (s *Source) recycle(b *table.Block) *rowRange {
	r, ok := b.Source.(*rowRange)
	if !ok || r.src != s {
		r = &rowRange{src: s}
		b.Source = r
	}
	if g := r.group; g != nil {
		g.releasePages(r.firstRow, r.endRow)
		if r.endRow == min(g.rows, s.endRow-g.firstRow) {
			g.release()
		}
	}
	return r
}

// wrapError adds the names of the file and the column, and the index of the row group, to err.
func (s *Source) wrapError(g *rowGroup, column int, err error) error {
	return fmt.Errorf("%s: row group %d: column %s: %w", s.name, g.index, quote.Word(s.leaves[column].name), err)
}

// Parse decodes the points of b.
func (s *Source) Parse(b *table.Block) error {
	r := b.Source.(*rowRange)
	for k, a := range s.axes {
		var err error
		if r.floats[k], err = s.readCoordinates(r, a, r.floats[k][:0]); err != nil {
			return s.wrapError(r.group, a, err)
		}
	}
	x, y, z := r.floats[0], r.floats[1], r.floats[2]
	b.Reserve(len(x))
	for i := range x {
		b.Add(r3.Vector{X: x[i], Y: y[i], Z: z[i]}, b.First+int64(i))
	}
	return nil
}

// readCoordinates appends to dst the values of a column in the rows of r. A null becomes NaN.
func (s *Source) readCoordinates(r *rowRange, column int, dst []float64) ([]float64, error) {
	l := &s.leaves[column]
	err := s.forEachPage(r, column, func(d *decodedPage, from, to int) {
		first := d.valuesBefore(from, l)
		count := d.valuesBefore(to, l) - first
		base := len(dst)
		if d.indices == nil {
			dst = l.appendCoordinates(dst, &d.values, first, count)
		} else {
			for _, k := range d.indices[first : first+count] {
				dst = append(dst, d.dict.coordinates[k])
			}
		}
		if count == to-from {
			return
		}
		// Insert NaN for the nulls. Begin with the last row, because values move to higher indices.
		dst = append(dst, make([]float64, to-from-count)...)
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

// forEachPage calls a function for each page with rows of r, in file order. The entries [from, to)
// of the page are rows of r. The column must not be repeated.
func (s *Source) forEachPage(r *rowRange, column int, do func(d *decodedPage, from, to int)) error {
	c, err := s.chunk(r.group, column)
	if err != nil {
		return err
	}
	first, last := c.pageRange(r.firstRow, r.endRow)
	for k := first; k <= last; k++ {
		p := c.pages[k]
		d, err := p.decode(c)
		if err != nil {
			return err
		}
		from, to := max(r.firstRow-p.firstRow, 0), min(r.endRow-p.firstRow, p.rows)
		if from < to {
			do(d, int(from), int(to))
		}
	}
	return nil
}

// Values reads a field of the rows of b into v. For a null, v.Missing is true and the value is NaN,
// 0 or nil. A text has the same bytes as in the file, but a decimal is formatted. For an opaque
// field, the error wraps table.ErrCannotHold.
func (s *Source) Values(b *table.Block, field int, v *table.Values) error {
	r := b.Source.(*rowRange)
	l := &s.leaves[field]
	v.Reset(l.typ)
	if l.opaque != "" {
		return fmt.Errorf("%s: column %s is %s: %w", s.name, quote.Word(l.name), l.opaque, table.ErrCannotHold)
	}
	rows := int(r.endRow - r.firstRow)
	err := s.forEachPage(r, field, func(d *decodedPage, from, to int) {
		stored := d.storage()
		k := d.valuesBefore(from, l)
		for e := from; e < to; e++ {
			if d.present != d.entries && d.def[e] != l.maxDef {
				l.appendNull(v, rows)
				continue
			}
			l.appendValue(v, stored, d.valueIndex(k))
			k++
		}
	})
	if err != nil {
		return s.wrapError(r.group, field, err)
	}
	return nil
}

// appendValue appends value i of a page or dictionary to v.
func (l *leaf) appendValue(v *table.Values, from *values, i int) {
	switch {
	case l.typ == table.Float64:
		v.Floats = append(v.Floats, math.Float64frombits(le64(from.fixed[8*i:])))
	case l.typ == table.Float32:
		v.Floats = append(v.Floats, float64(math.Float32frombits(le32(from.fixed[4*i:]))))
	case l.typ != table.Text:
		v.Ints = append(v.Ints, l.integer(from, i))
	case l.width > 0:
		v.Texts = append(v.Texts, l.appendDecimal(nil, l.integer(from, i)))
	default:
		v.Texts = append(v.Texts, from.bytes(i))
	}
	if len(v.Missing) > 0 {
		v.Missing = append(v.Missing, false)
	}
}

// appendNull appends a null to v. It allocates v.Missing for the given number of rows.
func (l *leaf) appendNull(v *table.Values, rows int) {
	count := len(v.Floats) + len(v.Ints) + len(v.Texts)
	if len(v.Missing) == 0 {
		v.Missing = append(slices.Grow(v.Missing, rows), make([]bool, count)...)
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
