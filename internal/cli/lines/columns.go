// Package lines implements the shared part of the commands that read points, rays, segments and block models: the
// run of a command, and for other items than points their columns and the rows that are derived from them.
package lines

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/internal/tabular"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

// Kind is a kind of lines. A line has six columns: three for a point, and three for its other end, its
// direction or the size of a block.
type Kind uint8

const (
	// Rays have the columns of the coordinates of a point, and dx, dy, dz.
	Rays Kind = iota
	// Segments have the columns x0, y0, z0 and x1, y1, z1.
	Segments
	// Blocks have the columns of the coordinates of a center, and the lengths dx, dy, dz.
	Blocks
)

// names has the names of the columns in messages.
var names = [...][6]string{
	Rays:     {"x", "y", "z", "dx", "dy", "dz"},
	Segments: {"x0", "y0", "z0", "x1", "y1", "z1"},
	Blocks:   {"x", "y", "z", "dx", "dy", "dz"},
}

// same returns three columns whose names differ only in a letter x, y or z, which replaces the dot.
func same(patterns ...string) (columns []tabular.Column) {
	for _, axis := range []string{"x", "y", "z"} {
		var c tabular.Column
		for _, p := range patterns {
			c.Names = append(c.Names, strings.Replace(p, ".", axis, 1))
		}
		columns = append(columns, c)
	}
	return columns
}

// british is the word center as British programs spell it.
const british = "cent" + "re"

// Usual names of the columns. Some tables number the ends of segments from 1.
var (
	origins     = same("o.", "origin.", ".origin", "start.", ".start")
	centers     = same("center.", ".center", british+".", "."+british, "centroid.", ".centroid", "c.", ".c", "mid.", ".mid")
	sizes       = same("d.", "size.", ".size", "inc.", ".inc", "length.", ".length", "len.", ".len", "dim.", ".dim")
	directions  = same("d.", "dir.", ".dir", "direction.", ".direction")
	starts      = same(".0", "from.", ".from", "start.", ".start", "begin.", ".begin", "a.", ".a")
	ends        = same(".1", "to.", ".to", "end.", ".end", "b.", ".b")
	firstEnds   = same(".1", "p1.", "1.")
	secondEnds  = same(".2", "p2.", "2.")
	numberNames = slices.Concat(firstEnds, secondEnds)
	startsEnds  = slices.Concat(starts, ends)
)

// ParseColumns parses the value of --columns: six names or numbers separated by commas. For the empty
// string it returns nil.
func ParseColumns(s string) ([]string, error) {
	if s == "" {
		return nil, nil
	}
	parts := strings.Split(s, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if len(parts) != 6 || slices.Contains(parts, "") {
		return nil, term.Usagef("--columns %q: expected six names or numbers, such as 1,2,3,4,5,6", s)
	}
	return parts, nil
}

// Find returns the indices of the six columns of a line. columns has the names or numbers that the
// user gave, or is nil. Six columns without names are the columns of a line.
func (k Kind) Find(header, columns []string) (at [6]int, err error) {
	found, err := k.find(header, columns)
	if err != nil {
		return at, err
	}
	return [6]int(found), nil
}

func (k Kind) find(header, columns []string) ([]int, error) {
	unnamed := !slices.ContainsFunc(header, func(name string) bool { return name != "" })
	switch {
	case columns != nil:
		return tabular.Find(header, make([]tabular.Column, 6), columns)
	case unnamed && len(header) == 6:
		return []int{0, 1, 2, 3, 4, 5}, nil
	case unnamed:
		return nil, fmt.Errorf("the columns have no names, and there are %d: expected %s", len(header), strings.Join(names[k][:], ", "))
	case k == Segments:
		at, err := tabular.Find(header, startsEnds, nil)
		if err != nil {
			if numbered, second := tabular.Find(header, numberNames, nil); second == nil {
				return numbered, nil
			}
		}
		return at, err
	}
	point, first, last := "origin", origins, directions
	if k == Blocks {
		point, first, last = "center", centers, sizes
	}
	second, err := tabular.Find(header, last, nil)
	if err != nil {
		return nil, err
	}
	if at, err := tabular.Find(header, first, nil); err == nil {
		return append(at, second...), nil
	}
	m := axes.Find(header)
	if m.N < 3 || m.Ambiguous {
		return nil, fmt.Errorf("the columns do not say which are x, y and z of the %s: %s", point, quote.Line(strings.Join(header, ", ")))
	}
	return append(m.At[:], second...), nil
}

// Reader reads lines.
type Reader struct {
	*points.Reader
	Columns [6]int // indices of the fields

	kind  Kind
	parse func([]byte) (float64, int, bool)
}

// Options returns the options for opening the lines.
func (k Kind) Options(columns []string, text string) points.Options {
	opt := points.Options{Find: func(header []string) (at [3]int, err error) {
		all, err := k.Find(header, columns)
		return [3]int(all[:3]), err
	}}
	if text != "" {
		for name := range strings.SplitSeq(text, ",") {
			opt.Text = append(opt.Text, strings.TrimSpace(name))
		}
	}
	return opt
}

// NewReader returns a Reader of the lines of in, which was opened with the options of Options.
func (k Kind) NewReader(in *points.Reader, columns []string) (*Reader, error) {
	at, err := k.Find(tabular.Names(in), columns)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name(), err)
	}
	r := &Reader{Reader: in, Columns: at, kind: k, parse: decimal.Parse}
	if l := in.Layout(); l != nil && l.DecimalComma {
		r.parse = decimal.ParseComma
	}
	return r, nil
}

// Ends is like Sizes, but it returns an error if a row and the header have different numbers of columns. The
// points of b are the first three columns.
func (r *Reader) Ends(dst []r3.Vector, b *table.Block) ([]r3.Vector, error) {
	if n := b.Ragged; n.Count > 0 {
		return nil, tabular.At(r.Name(), int(n.First), errors.New("the row and the header have different numbers of columns"))
	}
	return r.Sizes(dst, b)
}

// Sizes reads the last three columns of the rows of b into dst. A missing value is NaN, and a number can be
// anything.
func (r *Reader) Sizes(dst []r3.Vector, b *table.Block) ([]r3.Vector, error) {
	dst = slices.Grow(dst[:0], len(b.Points))[:len(b.Points)]
	var v table.Values
	for axis := range 3 {
		c := r.Columns[3+axis]
		if err := tabular.Cells(r.Source(), b, c, &v); err != nil {
			return nil, err
		}
		for k := range dst {
			x, err := tabular.Number(&v, k, r.parse)
			switch {
			case len(v.Missing) > 0 && v.Missing[k] || len(v.Texts) > 0 && len(v.Texts[k]) == 0:
				x = math.NaN()
			case err != nil:
				return nil, r.At(b, k, fmt.Errorf("column %d (%s): %w", c+1, quote.Line(r.Fields()[c].Name), err))
			}
			*[]*float64{&dst[k].X, &dst[k].Y, &dst[k].Z}[axis] = x
		}
	}
	return dst, nil
}

// At returns err with the place of row k of b.
func (r *Reader) At(b *table.Block, k int, err error) error {
	return tabular.AtPlace(r.Name(), pointio.Place(r.Source(), b, k), err)
}

// ColumnsHint adds the flag --columns as a hint to an error about the columns.
func (k Kind) ColumnsHint(err error) error {
	if err == nil || !errors.Is(err, table.ErrColumns) || term.Hint(err) != "" {
		return err
	}
	return term.WithHint(err, "--columns selects the columns "+strings.Join(names[k][:], ",")+" by header or number")
}
