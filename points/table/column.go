package table

import "fmt"

// Kind says what an answer column holds and how it is written.
type Kind uint8

const (
	// Inside writes Block.Sides as a truth value: 1 for side.Inside and
	// side.OnSurface (the solid is closed), 0 for side.Outside, and for
	// side.Unknown the word uncertain in text, NaN in arrays of floats, 255 in
	// arrays of bytes, no value where a format has missing values.
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
	// Integer writes the next slice of Block.Integers.
	Integer
	// Label writes the next slice of Block.Integers as one of Column.Labels, and as
	// nothing where it is −1; arrays hold the integer.
	Label
	// Words writes the next slice of Block.Words. Arrays cannot hold it.
	Words
)

// Column is an answer column.
type Column struct {
	Name   string // written after the header row, if there is one
	Kind   Kind
	Labels []string // of Label
}

// Names returns the names of the answer columns, made different from those of the
// fields, and from each other, by a number: inside, inside_2.
func Names(fields []Field, cols []Column) []string {
	taken := map[string]bool{}
	for _, f := range fields {
		taken[f.Name] = true
	}
	names := make([]string, len(cols))
	for i, c := range cols {
		name := c.Name
		for k := 2; taken[name]; k++ {
			name = fmt.Sprintf("%s_%d", c.Name, k)
		}
		taken[name] = true
		names[i] = name
	}
	return names
}
