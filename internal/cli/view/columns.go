package view

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/suggest"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/view"
)

// mostColumns is the largest number of columns of the point file that the page has. If the file has
// more columns, the page has the first ones and the column of --color-by.
const mostColumns = 16 // tuning: the page needs up to 11 bytes for each value

// carried is the list of columns of the point file that the page has.
type carried struct {
	list    []view.Column
	fields  []int  // indexes in points.Reader.Fields
	rounded string // name of the first column with an integer beyond 2^53, or ""
	failed  string // first error while columns were read, or ""

	cells  []table.Values
	values []view.Values
}

// ownColors lists the values of --color-by that are not names of columns.
var ownColors = []string{"state", "winding", "distance", "body"}

// carried selects the columns of the page.
func (f *flags) carried(t *term.Terminal, in *points.Reader) (*carried, error) {
	fields, axes := in.Fields(), in.Axes()
	c := &carried{}
	own := slices.Contains(ownColors, f.colorBy) || f.colorBy == ""
	field := -1
	var names []string
	omitted := 0
	for i, one := range fields {
		if one.Opaque != "" || slices.Contains(axes[:], i) {
			continue
		}
		names = append(names, one.Name)
		if !own && field < 0 && one.Name == f.colorBy {
			field = i
		}
	}
	if !own && field < 0 {
		hint := "the points have no columns besides the coordinates"
		if len(names) > 0 {
			hint = "columns of the points: " + strings.Join(names[:min(len(names), 20)], ", ")
		}
		err := term.Usagef("--color-by %q: expected state, winding, distance, body or a column of the points", f.colorBy)
		if _, ok := suggest.Closest(f.colorBy, append(names, ownColors...)); ok {
			return nil, term.DidYouMean(err, "--color-by", f.colorBy, append(names, ownColors...))
		}
		return nil, term.WithHint(err, hint)
	}
	for i, one := range fields {
		if one.Opaque != "" || slices.Contains(axes[:], i) {
			continue
		}
		room := mostColumns - len(c.list)
		if field > i {
			room-- // for the column of --color-by
		}
		if i != field && room <= 0 {
			omitted++
			continue
		}
		c.list = append(c.list, view.Column{Name: one.Name, Text: one.Type == table.Text || one.Type == table.Bool})
		c.fields = append(c.fields, i)
	}
	if omitted > 0 && f.page() {
		t.Note("%s: the page has %d of %d columns; --color-by selects another column", in.Name(), len(c.list), len(c.list)+omitted)
	}
	c.cells, c.values = make([]table.Values, len(c.list)), make([]view.Values, len(c.list))
	return c, nil
}

// read reads the columns of a block. The result is valid until the next call. If a row of the block
// has cells that belong to no column, all values of the block are missing.
func (c *carried) read(in *points.Reader, b *table.Block) []view.Values {
	n, failed := len(b.Points), false
	for k := range c.list {
		v := &c.cells[k]
		read := in.Source().Values
		if texter, ok := in.Source().(table.Texter); ok {
			read = texter.Texts // accepts a cell that does not have the type of its column
		}
		if err := read(b, c.fields[k], v); err != nil {
			c.failed, failed = cmp.Or(c.failed, err.Error()), true
		}
		if failed {
			v.Reset(table.Text)
			v.Texts = slices.Grow(v.Texts, n)[:n]
			clear(v.Texts)
		}
		if c.list[k].Text {
			c.values[k].Texts = texts(c.values[k].Texts[:0], v, n)
		} else {
			c.values[k].Numbers = c.numbers(c.values[k].Numbers[:0], v, n, c.list[k].Name)
		}
	}
	return c.values
}

// missing reports whether cell k has no value.
func missing(v *table.Values, k int) bool { return len(v.Missing) > 0 && v.Missing[k] }

// texts appends the texts of n cells.
func texts(dst [][]byte, v *table.Values, n int) [][]byte {
	for k := range n {
		switch {
		case missing(v, k):
			dst = append(dst, nil)
		case len(v.Texts) > 0:
			dst = append(dst, v.Texts[k])
		default: // bool
			dst = append(dst, [2][]byte{[]byte("false"), []byte("true")}[min(1, v.Ints[k])])
		}
	}
	return dst
}

// numbers appends the numbers of n cells.
func (c *carried) numbers(dst []float64, v *table.Values, n int, name string) []float64 {
	for k := range n {
		x := math.NaN()
		switch {
		case missing(v, k):
		case len(v.Floats) > 0:
			x = v.Floats[k]
		case len(v.Ints) == 0: // the column of this block could not be read
		case v.Type == table.Uint64:
			x = float64(uint64(v.Ints[k]))
		default:
			x = float64(v.Ints[k])
		}
		if math.Abs(x) > 1<<53 && x == math.Trunc(x) && (len(v.Ints) > 0 || len(v.Texts) > 0) && c.rounded == "" {
			c.rounded = name
		}
		dst = append(dst, x)
	}
	return dst
}
