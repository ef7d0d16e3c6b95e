package points

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/side"
)

// Kind says what an answer column holds and how it is written.
type Kind uint8

const (
	// Inside writes Block.Sides as a truth value: 1 for side.Inside and
	// side.OnSurface (the solid is closed), 0 for side.Outside, and for
	// side.Unknown the word uncertain in text, NaN in arrays.
	Inside Kind = iota
	// State writes Block.Sides as the words in, out, on and uncertain; in arrays
	// as 1, 0, 0.5 and NaN.
	State
	// Number writes the next slice of Block.Numbers, in text with the shortest
	// digits that give the same float64 back.
	Number
	// Bound is a Number that bounds the error of the column before, if that is a
	// Number too: where arrays round both, it still does for what is written.
	Bound
)

// Column is an answer column.
type Column struct {
	Name string // written after the header row, if there is one
	Kind Kind
}

// Tally counts rows or lines of a kind. First is the line (text, from 1) or row
// (arrays, from 0) of the first.
type Tally struct{ Count, First int64 }

// add adds a later tally.
func (t *Tally) add(later Tally) {
	if t.Count == 0 {
		t.First = later.First
	}
	t.Count += later.Count
}

// tallies are the rows and lines of a block that may need a warning.
type tallies struct {
	comments                   int64
	nonFinite, ragged, rowLike Tally
}

// Block is a run of consecutive rows. A Job owns its blocks and uses them again;
// a callback must not keep their slices.
type Block struct {
	// Points holds the coordinates of the rows, NaN where a cell is empty or says
	// that there is no value.
	Points []r3.Vector
	// Sides is as long as Points and zero (side.Unknown); the answer goes here.
	Sides []side.Side
	// Numbers has one slice, as long as Points, for each Number column in order.
	Numbers [][]float64
	// First is the number of the block's first line (text, from 1) or of its first
	// row (arrays, from 0).
	First int64

	raw    []byte  // input bytes; text has one more byte, '\n', beyond its length
	insert []int32 // text: where in raw the answers of each row go
	header int32   // text: where in raw the answer names go, −1 without
	offset int64   // place of raw in the (decompressed) input
	quoted bool    // text: raw has a double quote
	lines  int     // text: no more rows than that
	read   int64   // bytes of the file consumed, for progress
	out    []byte  // formatted rows
	lo, hi r3.Vector
	tallies
	err   error
	ready chan struct{}
}

// start empties b for new rows and keeps its memory.
func (b *Block) start() {
	inf := math.Inf(1)
	b.Points, b.raw, b.insert, b.out = b.Points[:0], b.raw[:0], b.insert[:0], b.out[:0]
	b.header, b.quoted, b.tallies, b.err = -1, false, tallies{}, nil
	b.lo = r3.Vector{X: inf, Y: inf, Z: inf}
	b.hi = r3.Vector{X: -inf, Y: -inf, Z: -inf}
}

// reserve makes room for n points.
func (b *Block) reserve(n int) {
	if cap(b.Points) < n {
		b.Points = make([]r3.Vector, 0, n)
	}
}

// add appends a point and reports whether it is not finite: such a point stays
// out of the box.
func (b *Block) add(p r3.Vector) (odd bool) {
	b.Points = append(b.Points, p)
	if d := (p.X - p.X) + (p.Y - p.Y) + (p.Z - p.Z); d != 0 { // NaN of ∞ − ∞
		b.nonFinite.Count++
		return true
	}
	b.lo = r3.Vector{X: min(b.lo.X, p.X), Y: min(b.lo.Y, p.Y), Z: min(b.lo.Z, p.Z)}
	b.hi = r3.Vector{X: max(b.hi.X, p.X), Y: max(b.hi.Y, p.Y), Z: max(b.hi.Z, p.Z)}
	return false
}

// resize makes room for the answers: zero sides, and the number columns.
func (b *Block) resize(cols []Column) {
	n := len(b.Points)
	if cap(b.Sides) < n {
		b.Sides = make([]side.Side, n, cap(b.Points))
	}
	b.Sides = b.Sides[:n]
	clear(b.Sides)
	k := 0
	for _, c := range cols {
		if c.Kind != Number && c.Kind != Bound {
			continue
		}
		if k == len(b.Numbers) {
			b.Numbers = append(b.Numbers, nil)
		}
		if cap(b.Numbers[k]) < n {
			b.Numbers[k] = make([]float64, n, cap(b.Points))
		}
		b.Numbers[k] = b.Numbers[k][:n]
		k++
	}
}
