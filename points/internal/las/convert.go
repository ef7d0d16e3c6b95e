package las

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"sync/atomic"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

var _ table.HeaderPatcher = (*convert)(nil)

// convert writes any source as LAS 1.4. It implements table.HeaderPatcher, table.Resumer and
// table.Lossy.
type convert struct {
	src     table.Source
	cols    []table.Column
	answers pointio.Answers // names apart, which the layout decides
	size    int             // bytes of the answers
	rows    int64           // as Begin was told, −1 if not known
	sum     tally
	rounded rounding
	layout  atomic.Pointer[layout] // nil before the first Write
}

// rounding counts rows with a coordinate that LAS does not hold exactly.
type rounding struct {
	Count int64
	First string // its place
}

// scratch is what a convert keeps with a block.
type scratch struct {
	vals    []table.Values // of each field but the axes
	ints    []int64        // of a field, as a dimension holds them
	built   bool           // Out, sum and rounded are
	sum     tally
	rounded rounding
}

// Convert returns a sink that writes src as LAS 1.4 of point format 6, or 7 or 8 with
// colours. The first block of rows that is written, without those that are dropped,
// decides three things: the scales, to which coordinates are rounded (see the package; the
// sink is a table.Lossy, which tells of it); which fields with the names of LAS
// dimensions, such as intensity, classification, gps_time or red, go to these: those
// whose values fit exactly; and so the point format. Other fields become extra bytes of
// their type. Errors name the row: a coordinate that is not finite, or more than 2³¹
// steps from the offset, or so far that others of the first block would lose digits; a
// value that does not fit its dimension as those before did; an integer without a value
// (but for 64 bits, where −2⁶³ means that there is none). The error of a field of text
// or without values, or of a column that LAS cannot hold, wraps table.ErrCannotHold.
//
// As the first rows decide the header, it is not written by Begin but before them. NeedsPatch
// is true: FinalHeader always has the returns and the box.
func Convert(src table.Source, cols []table.Column) (table.Sink, error) {
	if err := pointio.CheckValues(src, "las"); err != nil {
		return nil, err
	}
	for _, f := range src.Fields() {
		if f.Type == table.Text {
			return nil, fmt.Errorf("column %s holds text: las: %w: want csv, jsonl or parquet", pointio.Quote([]byte(f.Name)), table.ErrCannotHold)
		}
	}
	c := &convert{src: src, cols: cols, rows: -1, sum: noTally()}
	var err error
	if c.answers, err = answers(nil, cols); err != nil {
		return nil, err
	}
	c.size = c.answers.Size()
	// Colours need the longest records, and no field in a dimension the most of the rest.
	most := &layout{Format: 8, Slots: slices.Repeat([]int{-1}, len(src.Fields()))}
	if err := most.place(src.Fields(), src.Axes(), c.size); err != nil {
		return nil, err
	}
	if _, err := most.header(cols, &tally{}); err != nil {
		return nil, err
	}
	return c, nil
}

// NeedsPatch implements table.HeaderPatcher. Box and returns are known only at the end.
func (c *convert) NeedsPatch(int64) bool { return true }

// Begin implements table.Sink. It writes nothing yet.
func (c *convert) Begin(_ io.Writer, rows int64) error {
	c.rows = rows
	return nil
}

// Format implements table.Sink. Rows before the first Write are only read: that formats
// them when it knows how.
func (c *convert) Format(b *table.Block) error {
	if err := pointio.CheckComplete(c.src, b); err != nil {
		return err
	}
	if err := c.answers.Check(c.src, b, "las", "int32"); err != nil {
		return err
	}
	fields, axes := c.src.Fields(), c.src.Axes()
	s, ok := b.Sink.(*scratch)
	if !ok {
		s = &scratch{vals: make([]table.Values, len(fields))}
		b.Sink = s
	}
	for i := range fields {
		if slices.Contains(axes[:], i) {
			continue
		}
		if err := c.src.Values(b, i, &s.vals[i]); err != nil {
			return err
		}
	}
	s.built = false
	if l := c.layout.Load(); l != nil {
		return c.build(b, s, l)
	}
	return nil
}

// build formats the rows of b: all of them, and then takes out those that are dropped.
func (c *convert) build(b *table.Block, s *scratch, l *layout) error {
	size, n := l.record+c.size, len(b.Points)
	b.Out = slices.Grow(b.Out[:0], n*size)[:n*size]
	clear(b.Out)
	s.sum, s.rounded, s.built = noTally(), rounding{}, true
	if n == 0 {
		return nil
	}
	if err := c.coordinates(b, s, l, size); err != nil {
		return err
	}
	returns := false
	for i, at := range l.Slots {
		if at < 0 {
			continue
		}
		returns = returns || slots[at].at == 14
		if err := slots[at].fill(c.src, b, s, i, size); err != nil {
			return err
		}
	}
	for _, e := range l.extra {
		if err := e.fill(c.src, b, &s.vals[e.field], size); err != nil {
			return err
		}
	}
	for k := range b.Points {
		row := b.Out[k*size:][:size]
		if !returns {
			row[14] = 1 | 1<<4 // the first return of one
		}
		c.answers.PutTo(row[l.record:], b, k, false)
	}
	b.CompactRecords(size)
	s.sum.points(b.Out, size, returnMask(l.Format))
	return nil
}

// coordinates writes the coordinates of the rows of b, rounded to the scale.
func (c *convert) coordinates(b *table.Block, s *scratch, l *layout, size int) error {
	for k, p := range b.Points {
		row := b.Out[k*size:][:12]
		exact := true
		for i, x := range [3]float64{p.X, p.Y, p.Z} {
			n := math.RoundToEven((x - l.Offset[i]) / l.Scale[i])
			if n >= math.MinInt32 && n <= math.MaxInt32 {
				le.PutUint32(row[4*i:], uint32(int32(n)))
				exact = exact && l.grids[i].at(n) == x
			} else if !b.Dropped(k) {
				return c.beyond(b, l, k, i, x)
			}
		}
		if !exact && !b.Dropped(k) {
			if s.rounded.Count++; s.rounded.Count == 1 {
				s.rounded.First = pointio.Place(c.src, b, k)
			}
		}
	}
	return nil
}

// beyond is the error of a coordinate that LAS cannot hold.
func (c *convert) beyond(b *table.Block, l *layout, k, axis int, x float64) error {
	at := pointio.Place(c.src, b, k)
	if x-x != 0 {
		return fmt.Errorf("%s: %c is %v: las: %w: want ply, npy or parquet", at, "xyz"[axis], x, table.ErrCannotHold)
	}
	return fmt.Errorf("%s: %c is %v, but with the scale %v and the offset %v that the first rows need LAS reaches from %v to %v: las: %w: want ply, npy or parquet",
		at, "xyz"[axis], x, l.Scale[axis], l.Offset[axis],
		l.Offset[axis]+math.MinInt32*l.Scale[axis], l.Offset[axis]+math.MaxInt32*l.Scale[axis], table.ErrCannotHold)
}

// Write implements table.Sink.
func (c *convert) Write(w io.Writer, b *table.Block) error {
	if b.Kept() == 0 {
		return nil
	}
	s := b.Sink.(*scratch)
	l := c.layout.Load()
	if l == nil {
		var err error
		if l, err = decide(c.src, b, s.vals); err != nil {
			return err
		}
		if err := c.start(w, l); err != nil {
			return err
		}
	}
	if !s.built {
		if err := c.build(b, s, l); err != nil {
			return err
		}
	}
	c.sum.add(&s.sum)
	if c.rounded.Count == 0 {
		c.rounded.First = s.rounded.First
	}
	c.rounded.Count += s.rounded.Count
	_, err := w.Write(b.Out)
	return err
}

// start writes the header.
func (c *convert) start(w io.Writer, l *layout) error {
	if err := l.place(c.src.Fields(), c.src.Axes(), c.size); err != nil {
		return err
	}
	head, err := l.header(c.cols, &tally{Count: max(0, c.rows)})
	if err != nil {
		return err
	}
	c.layout.Store(l)
	_, err = w.Write(head)
	return err
}

// End implements table.Sink. Without rows it writes the header.
func (c *convert) End(w io.Writer) error {
	if c.rows >= 0 && c.rows != c.sum.Count {
		return fmt.Errorf("%d points were written, but %d were announced", c.sum.Count, c.rows)
	}
	if c.layout.Load() != nil {
		return nil
	}
	l, err := decide(c.src, &table.Block{}, make([]table.Values, len(c.src.Fields())))
	if err != nil {
		return err
	}
	return c.start(w, l)
}

// FinalHeader implements table.HeaderPatcher.
func (c *convert) FinalHeader() []byte {
	l := c.layout.Load()
	if l == nil {
		return nil
	}
	head, err := l.header(c.cols, &c.sum)
	if err != nil {
		return nil // start would have failed
	}
	return head
}

// Warnings implements table.Lossy.
func (c *convert) Warnings() []string {
	if c.rounded.Count == 0 {
		return nil
	}
	s := c.layout.Load().Scale
	return []string{fmt.Sprintf("las: coordinates of %d of %d rows are rounded, to steps of %v in x, %v in y and %v in z; the first is %s",
		c.rounded.Count, c.sum.Count, s[0], s[1], s[2], c.rounded.First)}
}

// state is what Resume needs.
type state struct {
	Sum     tally
	Rounded rounding
	Layout  *layout
}

// State implements table.Resumer.
func (c *convert) State() ([]byte, error) {
	return json.Marshal(state{c.sum, c.rounded, c.layout.Load()})
}

// Resume implements table.Resumer.
func (c *convert) Resume(rows int64, data []byte) error {
	c.rows = rows
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("las: state of an earlier run: %w", err)
	}
	if c.sum, c.rounded = s.Sum, s.Rounded; s.Layout == nil {
		return nil
	}
	if len(s.Layout.Slots) != len(c.src.Fields()) || s.Layout.Format < 6 || s.Layout.Format > 8 {
		return fmt.Errorf("las: state of an earlier run does not belong to %d fields", len(c.src.Fields()))
	}
	for _, at := range s.Layout.Slots {
		if at < -1 || at >= len(slots) {
			return fmt.Errorf("las: state of an earlier run: there is no dimension %d", at)
		}
	}
	if err := s.Layout.place(c.src.Fields(), c.src.Axes(), c.size); err != nil {
		return err
	}
	c.layout.Store(s.Layout)
	return nil
}
