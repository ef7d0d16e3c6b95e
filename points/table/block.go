package table

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/side"
)

// Block is a sequence of consecutive rows. Blocks are reused, so Job.Answer must not keep the
// slices of a Block.
type Block struct {
	// Points has the coordinates of the rows. A coordinate is NaN if its cell is empty or has a
	// word for a missing value.
	Points []r3.Vector
	// First is the number of the first row of the block. In a text, it is the line number, from 1.
	// In other formats, it is the row number, from 0.
	First int64

	// Each slice of answers is as long as Points. Before Job.Answer is called, all Sides are
	// side.Unknown. Numbers has a slice for each column of kind Number or Bound. Integers has a
	// slice for each column of kind Integer or Label. Words has a slice for each column of kind
	// Words. The slices are in the order of the columns.
	Sides    []side.Side
	Numbers  [][]float64
	Integers [][]int64
	Words    [][]string
	// Drop[k] is true if row k is dropped from the output. If Drop is nil, no row is dropped.
	// EnableDrop creates the slice.
	Drop []bool

	// Raw has the bytes of the rows as the Source reads them. Out has the bytes that the Sink
	// writes. The fields Source and Sink hold private data of the Source and of the Sink. All these
	// fields keep their values when the block is reused.
	Raw          []byte
	Source, Sink any
	Out          []byte

	// Next is the position after the rows. Read is the number of bytes of the file before Next.
	// Reports of progress use Read.
	Next Position
	Read int64
	// Counts has the numbers of rows and lines that can need a warning.
	Counts

	dropped []bool // slice that EnableDrop uses again for Drop
}

// Position is a position between two rows of an input.
type Position struct {
	Offset int64 // number of bytes of the decompressed input before the position, or 0 if the format needs only Row
	Row    int64 // number of lines (of a text) or rows (of other formats) before the position
}

// Tally counts rows or lines. First is the number of the earliest counted row or line. In a text,
// it is the line number, from 1. In other formats, it is the row number, from 0.
type Tally struct{ Count, First int64 }

// Add adds the tally of later rows to t.
func (t *Tally) Add(later Tally) {
	if t.Count == 0 {
		t.First = later.First
	}
	t.Count += later.Count
}

// AddAt counts one more row or line. The argument is the number of this row or line.
func (t *Tally) AddAt(at int64) {
	t.Add(Tally{Count: 1, First: at})
}

// Counts has the counts of the rows of a block or of a whole input.
type Counts struct {
	Comments  int64     // number of comment lines of a text
	NonFinite Tally     // rows with a coordinate that is missing, NaN or infinite
	RowLike   Tally     // comment lines that look like rows of points
	Ragged    Tally     // rows with more or fewer fields than the header or the first row
	Min, Max  r3.Vector // box of the finite points; Min > Max if there are no finite points
}

// NoCounts returns the counts of an input without rows.
func NoCounts() Counts {
	inf := math.Inf(1)
	return Counts{Min: r3.Vector{X: inf, Y: inf, Z: inf}, Max: r3.Vector{X: -inf, Y: -inf, Z: -inf}}
}

// Add adds the counts of later rows to c.
func (c *Counts) Add(later Counts) {
	c.Comments += later.Comments
	c.NonFinite.Add(later.NonFinite)
	c.RowLike.Add(later.RowLike)
	c.Ragged.Add(later.Ragged)
	c.Min = r3.Vector{X: min(c.Min.X, later.Min.X), Y: min(c.Min.Y, later.Min.Y), Z: min(c.Min.Z, later.Min.Z)}
	c.Max = r3.Vector{X: max(c.Max.X, later.Max.X), Y: max(c.Max.Y, later.Max.Y), Z: max(c.Max.Z, later.Max.Z)}
}

// Start empties b for new rows and keeps its memory.
func (b *Block) Start() {
	b.Points, b.Raw, b.Out, b.Drop = b.Points[:0], b.Raw[:0], b.Out[:0], nil
	b.Counts = NoCounts()
}

// Reserve makes room for n points.
func (b *Block) Reserve(n int) {
	if cap(b.Points) < n {
		b.Points = make([]r3.Vector, 0, n)
	}
}

// Add appends a point to b.Points and counts it. The second argument is the number of its line or
// row.
func (b *Block) Add(p r3.Vector, at int64) {
	b.Points = append(b.Points, p)
	if d := (p.X - p.X) + (p.Y - p.Y) + (p.Z - p.Z); d != 0 { // a coordinate is NaN or infinite
		b.NonFinite.AddAt(at)
		return
	}
	b.Min = r3.Vector{X: min(b.Min.X, p.X), Y: min(b.Min.Y, p.Y), Z: min(b.Min.Z, p.Z)}
	b.Max = r3.Vector{X: max(b.Max.X, p.X), Y: max(b.Max.Y, p.Y), Z: max(b.Max.Z, p.Z)}
}

// CountPoints counts all points of b.Points. Their rows are numbered from b.First. For speed, some
// formats fill b.Points without calling Add. These formats then call CountPoints.
func (b *Block) CountPoints() {
	lo, hi := b.Min, b.Max
	for k := range b.Points {
		p := &b.Points[k]
		if d := (p.X - p.X) + (p.Y - p.Y) + (p.Z - p.Z); d != 0 { // a coordinate is NaN or infinite
			b.NonFinite.AddAt(b.First + int64(k))
			continue
		}
		// Few points extend the box, so the CPU predicts these branches well. With the builtin
		// function min, each step would wait for the previous comparison.
		if p.X < lo.X {
			lo.X = p.X
		}
		if p.X > hi.X {
			hi.X = p.X
		}
		if p.Y < lo.Y {
			lo.Y = p.Y
		}
		if p.Y > hi.Y {
			hi.Y = p.Y
		}
		if p.Z < lo.Z {
			lo.Z = p.Z
		}
		if p.Z > hi.Z {
			hi.Z = p.Z
		}
	}
	b.Min, b.Max = lo, hi
}

// Resize makes room for the answers: b.Sides and the slices that the given columns need. It sets
// all sides to side.Unknown.
func (b *Block) Resize(cols []Column) {
	n := len(b.Points)
	b.Sides = resized(b.Sides, n, cap(b.Points))
	clear(b.Sides)
	var numbers, integers, words int
	for _, c := range cols {
		switch c.Kind {
		case Number, Bound:
			numbers++
		case Integer, Label:
			integers++
		case Words:
			words++
		}
	}
	b.Numbers = resizedAll(b.Numbers, numbers, n, cap(b.Points))
	b.Integers = resizedAll(b.Integers, integers, n, cap(b.Points))
	b.Words = resizedAll(b.Words, words, n, cap(b.Points))
}

// EnableDrop sets b.Drop to a slice of false values, as long as b.Points, and returns the slice.
func (b *Block) EnableDrop() []bool {
	b.dropped = resized(b.dropped, len(b.Points), cap(b.Points))
	clear(b.dropped)
	b.Drop = b.dropped
	return b.Drop
}

// Dropped reports whether row k is dropped from the output.
func (b *Block) Dropped(k int) bool { return b.Drop != nil && b.Drop[k] }

// CompactRecords removes the dropped rows from b.Out. Before the call, b.Out has all rows. The
// argument is the number of bytes in each row.
func (b *Block) CompactRecords(size int) {
	if b.Drop == nil {
		return
	}
	out, at := b.Out, 0
	for k, drop := range b.Drop {
		if !drop {
			copy(out[at:at+size], out[k*size:])
			at += size
		}
	}
	b.Out = out[:at]
}

// Kept returns the number of rows that are not dropped.
func (b *Block) Kept() int {
	n := len(b.Points)
	for _, d := range b.Drop {
		if d {
			n--
		}
	}
	return n
}

// resized returns a slice of length n. It uses the memory of s if cap(s) ≥ n. Otherwise it
// allocates a slice with capacity max(n, room).
func resized[T any](s []T, n, room int) []T {
	if cap(s) < n {
		return make([]T, n, max(n, room))
	}
	return s[:n]
}

// resizedAll returns the given number of slices of length n. It calls resized for each slice.
func resizedAll[T any](s [][]T, count, n, room int) [][]T {
	for len(s) < count {
		s = append(s, nil)
	}
	s = s[:count]
	for k := range s {
		s[k] = resized(s[k], n, room)
	}
	return s
}
