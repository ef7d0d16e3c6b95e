package las

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"sync/atomic"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

var _ table.HeaderPatcher = (*converter)(nil)

// converter writes any source as LAS 1.4. It implements table.HeaderPatcher, table.Resumer and
// table.Lossy.
type converter struct {
	src     table.Source
	cols    []table.Column
	answers pointio.Answers // answers; their names in the file depend on the layout
	size    int             // number of bytes of the answers for one point
	rows    int64           // number of rows that Begin received, or −1 if unknown
	sum     summary
	rounded rounding
	layout  atomic.Pointer[layout] // chosen layout, or nil before the first Write
}

// rounding counts the rows with a coordinate that LAS cannot store exactly.
type rounding struct {
	Count int64
	First string // place of the first rounded row, for messages
}

// scratch is the temporary memory for a block.
type scratch struct {
	vals      []table.Values // values of each field except the axes
	ints      []int64        // temporary memory of slot.fill
	formatted bool           // true if the rows are formatted
	sum       summary
	rounded   rounding
}

// Convert returns a sink that writes src as LAS 1.4. The kept rows of the first block determine the
// scales (see the package comment), the extra bytes, and the point format. The format is 7 or 8 if
// there are colors, and 6 if not. A field is stored in the LAS dimension with the same name, such
// as intensity or red, if all its values fit exactly. Other fields become extra bytes of their
// type.
//
// Begin writes nothing, and the first Write writes the header. NeedsPatch returns true, because
// only FinalHeader has the bounding box and the number of points for each laser return.
//
// Convert returns table.ErrCannotHold if a field is a text or has no values, or if LAS cannot store
// a column. Format and Write return the same error, with the row, for
//   - a coordinate that is not finite, differs from the offset by more than 2³¹ times the scale, or
//     is so far away that other rows of the first block would lose digits;
//   - a value that is out of the range of its dimension;
//   - a missing integer. But a missing 64-bit integer is stored as −2⁶³.
//
// The points of a LAZ file are not converted, but copied bit by bit.
func Convert(src table.Source, cols []table.Column) (table.Sink, error) {
	if s, ok := src.(*Source); ok && s.header.packed != nil {
		return s.plainPassthrough(cols)
	}
	return newConverter(src, cols, "las")
}

// newConverter returns a converter for an output in the given format, which is named in errors.
func newConverter(src table.Source, cols []table.Column, format string) (*converter, error) {
	if err := pointio.CheckValues(src, format); err != nil {
		return nil, err
	}
	for _, f := range src.Fields() {
		if f.Type == table.Text {
			return nil, pointio.CannotHoldf("column %s holds text, but LAS has only numbers: use csv, jsonl or parquet", quote.Word(f.Name))
		}
	}
	c := &converter{src: src, cols: cols, rows: -1, sum: emptySummary()}
	var err error
	if c.answers, err = newAnswers(uniqueNames{}, cols); err != nil {
		return nil, err
	}
	c.size = c.answers.Size()
	// Check the longest possible record, in which all fields are extra bytes. Format 8 has the most
	// dimensions.
	largest := &layout{Format: 8, Slots: slices.Repeat([]int{-1}, len(src.Fields()))}
	if err := largest.assignOffsets(src.Fields(), src.Axes(), c.size); err != nil {
		return nil, err
	}
	if _, err := largest.encodeHeader(cols, &summary{}); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *converter) NeedsPatch(int64) bool { return true }

func (c *converter) Begin(_ io.Writer, rows int64) error {
	c.rows = rows
	return nil
}

// Format reads the values of b. Format also formats b if the first Write has already chosen the
// layout; otherwise Write formats b.
func (c *converter) Format(b *table.Block) error {
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
	s.formatted = false
	if l := c.layout.Load(); l != nil {
		return c.format(b, s, l)
	}
	return nil
}

// format formats all rows of b. Then it removes the dropped rows.
func (c *converter) format(b *table.Block, s *scratch, l *layout) error {
	size, n := l.pointSize+c.size, len(b.Points)
	b.Out = slices.Grow(b.Out[:0], n*size)[:n*size]
	clear(b.Out)
	s.sum, s.rounded, s.formatted = emptySummary(), rounding{}, true
	if n == 0 {
		return nil
	}
	if err := c.putCoordinates(b, s, l, size); err != nil {
		return err
	}
	hasReturns := false
	for i, at := range l.Slots {
		if at < 0 {
			continue
		}
		hasReturns = hasReturns || slots[at].offset == 14
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
		if !hasReturns {
			row[14] = 1 | 1<<4 // the only return of its laser pulse
		}
		c.answers.PutTo(row[l.pointSize:], b, k, false)
	}
	b.CompactRecords(size)
	s.sum.addRecords(b.Out, size, returnMask(l.Format))
	return nil
}

// putCoordinates writes the coordinates of the rows of b, rounded to the scales of l.
func (c *converter) putCoordinates(b *table.Block, s *scratch, l *layout, size int) error {
	for k, p := range b.Points {
		row := b.Out[k*size:][:12]
		exact := true
		for i, x := range [3]float64{p.X, p.Y, p.Z} {
			n := math.RoundToEven((x - l.Offset[i]) / l.Scale[i])
			if n >= math.MinInt32 && n <= math.MaxInt32 {
				le.PutUint32(row[4*i:], uint32(int32(n)))
				exact = exact && l.scalings[i].value(n) == x
			} else if !b.Dropped(k) {
				return c.rangeError(b, l, k, i, x)
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

// rangeError returns an error for a coordinate that LAS cannot store.
func (c *converter) rangeError(b *table.Block, l *layout, k, axis int, x float64) error {
	at := pointio.Place(c.src, b, k)
	if x-x != 0 {
		return fmt.Errorf("%s: %c is %v: las: %w: use ply, npy or parquet", at, "xyz"[axis], x, table.ErrCannotHold)
	}
	return fmt.Errorf("%s: %c is %v, out of range with the scale %v and the offset %v of the first rows: expected %v to %v: las: %w: use ply, npy or parquet",
		at, "xyz"[axis], x, l.Scale[axis], l.Offset[axis],
		l.Offset[axis]+math.MinInt32*l.Scale[axis], l.Offset[axis]+math.MaxInt32*l.Scale[axis], table.ErrCannotHold)
}

func (c *converter) Write(w io.Writer, b *table.Block) error {
	if b.Kept() == 0 {
		return nil
	}
	s := b.Sink.(*scratch)
	l := c.layout.Load()
	if l == nil {
		var err error
		if l, err = chooseLayout(c.src, b, s.vals); err != nil {
			return err
		}
		if err := c.writeHeader(w, l); err != nil {
			return err
		}
	}
	if !s.formatted {
		if err := c.format(b, s, l); err != nil {
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

func (c *converter) writeHeader(w io.Writer, l *layout) error {
	if err := l.assignOffsets(c.src.Fields(), c.src.Axes(), c.size); err != nil {
		return err
	}
	head, err := l.encodeHeader(c.cols, &summary{Count: max(0, c.rows)})
	if err != nil {
		return err
	}
	c.layout.Store(l)
	_, err = w.Write(head)
	return err
}

// End writes the header if no row was written.
func (c *converter) End(w io.Writer) error {
	if c.rows >= 0 && c.rows != c.sum.Count {
		return plural.Errorf("%d points were written, but Begin expected %d", c.sum.Count, c.rows)
	}
	if c.layout.Load() != nil {
		return nil
	}
	l, err := chooseLayout(c.src, &table.Block{}, make([]table.Values, len(c.src.Fields())))
	if err != nil {
		return err
	}
	return c.writeHeader(w, l)
}

func (c *converter) FinalHeader() []byte {
	l := c.layout.Load()
	if l == nil {
		return nil
	}
	head, err := l.encodeHeader(c.cols, &c.sum)
	if err != nil {
		return nil // encodeHeader cannot fail, because writeHeader has encoded the same columns
	}
	return head
}

func (c *converter) lastHeader() []byte  { return c.FinalHeader() }
func (c *converter) movesTrailing() bool { return false }

func (c *converter) Warnings() []string {
	if c.rounded.Count == 0 {
		return nil
	}
	s := c.layout.Load().Scale
	return []string{plural.Sprintf("las: coordinates of %d of %d rows are rounded, to steps of %v in x, %v in y and %v in z; the first is %s",
		c.rounded.Count, c.sum.Count, s[0], s[1], s[2], c.rounded.First)}
}

// state is the part of a converter that Resume restores.
type state struct {
	Sum     summary
	Rounded rounding
	Layout  *layout
}

func (c *converter) State() ([]byte, error) {
	return json.Marshal(state{c.sum, c.rounded, c.layout.Load()})
}

func (c *converter) Resume(rows int64, data []byte) error {
	c.rows = rows
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("las: cannot read the state of an earlier run: %w", err)
	}
	if c.sum, c.rounded = s.Sum, s.Rounded; s.Layout == nil {
		return nil
	}
	if len(s.Layout.Slots) != len(c.src.Fields()) || s.Layout.Format < 6 || s.Layout.Format > 8 {
		return plural.Errorf("las: the state of an earlier run does not fit the input: expected %d fields", len(c.src.Fields()))
	}
	if slices.ContainsFunc(s.Layout.Slots, func(at int) bool { return at < -1 || at >= len(slots) }) {
		return fmt.Errorf("las: the state of an earlier run has invalid dimensions %v", s.Layout.Slots)
	}
	if err := s.Layout.assignOffsets(c.src.Fields(), c.src.Axes(), c.size); err != nil {
		return err
	}
	c.layout.Store(s.Layout)
	return nil
}
