package table

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/side"
)

// Block is a run of consecutive rows. Blocks are used again; a callback must not keep
// their slices.
type Block struct {
	// Points holds the coordinates of the rows, NaN where a cell is empty or says
	// that there is no value.
	Points []r3.Vector
	// First is the number of the block's first line (text, from 1) or of its first
	// row (other formats, from 0).
	First int64

	// The answers, as long as Points. Sides is zero (side.Unknown) before. Numbers has
	// a slice for each column of the kinds Number and Bound, Integers one for each
	// Integer and Label, Words one for each Words, all in the order of the columns.
	Sides    []side.Side
	Numbers  [][]float64
	Integers [][]int64
	Words    [][]string
	// Drop is true for rows that are left out of the output; nil leaves none out.
	Drop []bool

	// Raw is the input of these rows, as the source wants it; Source and Sink keep what
	// else they need with a block, and find it there when the block is used again.
	// Out is what the sink writes for it.
	Raw          []byte
	Source, Sink any
	Out          []byte

	// Next is the place in the input behind these rows, and Read how many bytes of
	// the file were consumed up to there, for progress.
	Next Position
	Read int64
	// Counts are of rows and lines that may need a warning.
	Counts

	dropped []bool // memory of Drop
}

// Position is a place between two rows of an input.
type Position struct {
	Offset int64 // bytes of the plain input before it; 0 if the format counts rows
	Row    int64 // rows (other formats) or lines (text) before it
}

// Tally counts rows or lines of a kind. First is the line (text, from 1) or row
// (other formats, from 0) of the first.
type Tally struct{ Count, First int64 }

// Add adds a later tally.
func (t *Tally) Add(later Tally) {
	if t.Count == 0 {
		t.First = later.First
	}
	t.Count += later.Count
}

// AddAt counts one more, which is at that line or row.
func (t *Tally) AddAt(at int64) {
	t.Add(Tally{Count: 1, First: at})
}

// Counts is what is counted about the rows of a block, or of all.
type Counts struct {
	Comments  int64     // comment lines of text
	NonFinite Tally     // rows with a coordinate that is missing, NaN or infinite
	RowLike   Tally     // comments that would be rows but for their first field
	Ragged    Tally     // rows with more or fewer fields than the header or first row
	Min, Max  r3.Vector // box of the finite points; Min > Max if there are none
}

// NoCounts returns the counts of no rows.
func NoCounts() Counts {
	inf := math.Inf(1)
	return Counts{Min: r3.Vector{X: inf, Y: inf, Z: inf}, Max: r3.Vector{X: -inf, Y: -inf, Z: -inf}}
}

// Add adds the counts of later rows.
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

// Add appends a point, whose line or row is at, and counts it.
func (b *Block) Add(p r3.Vector, at int64) {
	b.Points = append(b.Points, p)
	if d := (p.X - p.X) + (p.Y - p.Y) + (p.Z - p.Z); d != 0 { // NaN of ∞ − ∞
		b.NonFinite.AddAt(at)
		return
	}
	b.Min = r3.Vector{X: min(b.Min.X, p.X), Y: min(b.Min.Y, p.Y), Z: min(b.Min.Z, p.Z)}
	b.Max = r3.Vector{X: max(b.Max.X, p.X), Y: max(b.Max.Y, p.Y), Z: max(b.Max.Z, p.Z)}
}

// CountPoints counts all points, which were written to b.Points without Add, row after row
// from b.First on: it is for formats that read points faster than one by one.
func (b *Block) CountPoints() {
	lo, hi := b.Min, b.Max
	for k := range b.Points {
		p := &b.Points[k]
		if d := (p.X - p.X) + (p.Y - p.Y) + (p.Z - p.Z); d != 0 { // NaN of ∞ − ∞
			b.NonFinite.AddAt(b.First + int64(k))
			continue
		}
		// Comparisons are foreseen, as few points widen the box; min would wait for them.
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

// Resize makes room for the answers: zero sides, and what cols need.
func (b *Block) Resize(cols []Column) {
	n := len(b.Points)
	b.Sides = fit(b.Sides, n, cap(b.Points))
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
	b.Numbers = fitAll(b.Numbers, numbers, n, cap(b.Points))
	b.Integers = fitAll(b.Integers, integers, n, cap(b.Points))
	b.Words = fitAll(b.Words, words, n, cap(b.Points))
}

// EnableDrop makes Drop a slice as long as Points, all false, and returns it.
func (b *Block) EnableDrop() []bool {
	b.dropped = fit(b.dropped, len(b.Points), cap(b.Points))
	clear(b.dropped)
	b.Drop = b.dropped
	return b.Drop
}

// Dropped reports whether row k is left out of the output.
func (b *Block) Dropped(k int) bool { return b.Drop != nil && b.Drop[k] }

// CompactRecords takes the dropped rows out of b.Out, which has all rows, each of that many bytes.
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

// Kept returns how many rows are not dropped.
func (b *Block) Kept() int {
	n := len(b.Points)
	for _, d := range b.Drop {
		if d {
			n--
		}
	}
	return n
}

// fit returns a slice of length n, s itself if that has room.
func fit[T any](s []T, n, room int) []T {
	if cap(s) < n {
		return make([]T, n, max(n, room))
	}
	return s[:n]
}

// fitAll is fit for count slices.
func fitAll[T any](s [][]T, count, n, room int) [][]T {
	for len(s) < count {
		s = append(s, nil)
	}
	s = s[:count]
	for k := range s {
		s[k] = fit(s[k], n, room)
	}
	return s
}
