// Package testcloud helps to test point formats. Cloud is a source in memory with fields of every
// type, for tests of conversions. Answer sets answers that depend only on the row number. Format
// checks a point format. For example, it checks that a format copies its own files unchanged.
package testcloud

import (
	"io"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/table"
)

// Cloud is a table.Source in memory. x, y and z are its first fields.
type Cloud struct {
	table.Source // nil, because no test calls SeekTo or Passthrough of a Cloud

	Columns []table.Field
	Cells   []table.Values // cells of all rows: one Values for each column
	N       int            // number of rows
	PerFill int            // number of rows of a block
	Unknown bool           // makes Rows return −1

	next int
}

// words are texts that at least one format must quote, escape or replace.
var words = []string{"", "a", "b c", "d,e", "f\"g", "h\ni", "#j", "null", "ä\xff\u2028", "7", " k ", "<\\\t\x01>"}

// Random returns a cloud of n rows with a column of each type. If texts is true, there are also
// columns of texts. Some cells are missing, but all coordinates are present. All integers can be
// represented exactly as a float64.
func Random(seed uint64, n int, texts bool) *Cloud {
	r := rand.New(rand.NewPCG(seed, 1))
	c := &Cloud{N: n, PerFill: 1 + r.IntN(100)}
	for _, name := range []string{"x", "y", "z"} {
		c.add(r, name, table.Float64, false)
	}
	for t := table.Bool; t <= table.Float64; t++ {
		c.add(r, t.String(), t, r.IntN(2) == 0)
	}
	if texts {
		c.add(r, "text", table.Text, true)
		c.add(r, "odd \"name\",", table.Text, false)
	}
	return c
}

// add adds a column with random cells.
func (c *Cloud) add(r *rand.Rand, name string, t table.Type, missing bool) {
	v := table.Values{Type: t}
	for range c.N {
		switch {
		case t == table.Text:
			v.Texts = append(v.Texts, []byte(words[r.IntN(len(words))]))
		case t.IsFloat():
			x := (2*r.Float64() - 1) * math.Pow(10, float64(r.IntN(30)-15))
			if t == table.Float32 {
				x = float64(float32(x))
			}
			if len(c.Columns) >= 3 && r.IntN(20) == 0 {
				x = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}[r.IntN(4)]
			}
			v.Floats = append(v.Floats, x)
		case t == table.Bool:
			v.Ints = append(v.Ints, r.Int64N(2))
		default:
			bits := min(8*t.Size()-1, 53)
			n := r.Int64N(1 << bits)
			if t <= table.Int64 && r.IntN(2) == 0 {
				n = -n
			}
			v.Ints = append(v.Ints, n)
		}
		if missing {
			v.Missing = append(v.Missing, r.IntN(5) == 0)
		}
	}
	c.Columns = append(c.Columns, table.Field{Name: name, Type: t})
	c.Cells = append(c.Cells, v)
}

// Fields returns the columns.
func (c *Cloud) Fields() []table.Field { return c.Columns }

// Axes returns the first three columns.
func (c *Cloud) Axes() [3]int { return [3]int{0, 1, 2} }

// Rows returns the number of rows, or −1 if Unknown is set.
func (c *Cloud) Rows() int64 {
	if c.Unknown {
		return -1
	}
	return int64(c.N)
}

// Fill begins the next block of rows.
func (c *Cloud) Fill(b *table.Block) error {
	b.Start()
	if c.next == c.N {
		return io.EOF
	}
	b.First = int64(c.next)
	c.next = min(c.N, c.next+c.PerFill)
	b.Next.Row = int64(c.next)
	return nil
}

// Parse adds one point to b for each row of b.
func (c *Cloud) Parse(b *table.Block) error {
	for k := b.First; k < b.Next.Row; k++ {
		b.Add(r3.Vector{X: c.Cells[0].Floats[k], Y: c.Cells[1].Floats[k], Z: c.Cells[2].Floats[k]}, k)
	}
	return nil
}

// Values copies the cells of a field in block b to v.
func (c *Cloud) Values(b *table.Block, field int, v *table.Values) error {
	all := &c.Cells[field]
	v.Reset(all.Type)
	switch from, to := b.First, b.Next.Row; {
	case all.Floats != nil:
		v.Floats = append(v.Floats, all.Floats[from:to]...)
	case all.Ints != nil:
		v.Ints = append(v.Ints, all.Ints[from:to]...)
	case all.Texts != nil:
		v.Texts = append(v.Texts, all.Texts[from:to]...)
	}
	if all.Missing != nil {
		v.Missing = append(v.Missing, all.Missing[b.First:b.Next.Row]...)
	}
	return nil
}

// Stream writes all rows through sink. setAnswers sets the answers of each block. Stream returns
// the output with its final header.
func (c *Cloud) Stream(sink table.Sink, cols []table.Column, setAnswers func(*table.Block)) ([]byte, error) {
	c.next = 0
	return patched(c, sink, cols, c.Rows(), setAnswers)
}
