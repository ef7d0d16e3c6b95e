package table

import "fmt"

// Kind is the kind of values of an answer column.
type Kind uint8

const (
	// Inside writes Block.Sides as a truth value: 1 for side.Inside and side.OnSurface (a
	// solid contains its surface), 0 for side.Outside. side.Unknown is the word uncertain in
	// text, no value in formats with missing values, NaN in npy arrays, and 255 in records of
	// bytes.
	Inside Kind = iota
	// State writes Block.Sides as the words in, out, on and uncertain; in npy arrays as 1, 0,
	// 0.5 and NaN, in records of bytes as 1, 0, 2 and 255.
	State
	// Number writes the next slice of Block.Numbers, in text with the fewest digits that
	// restore the float64.
	Number
	// Bound is a Number that bounds the error of the column before, if that is a Number. If
	// an array rounds both, the rounded bound still covers the rounded number.
	Bound
	// Integer writes the next slice of Block.Integers.
	Integer
	// Label writes the next slice of Block.Integers as one of Column.Labels, and −1 as an
	// empty cell. Arrays and records hold the integer.
	Label
	// Words writes the next slice of Block.Words. Arrays and records cannot hold it.
	Words
)

// Column is an answer column.
type Column struct {
	Name   string // in the header, if there is one
	Kind   Kind
	Labels []string // of Label
}

// Names returns the names of the answer columns. A number makes them differ from the names
// of the fields and from each other: inside, inside_2.
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

// Type is the type of a field.
type Type uint8

// The types of fields. Text is any string of bytes, as it is in the file.
const (
	Text Type = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
)

// types lists the names and sizes of the types.
var types = [...]struct {
	name string
	size int
}{
	{"text", 0}, {"bool", 1}, {"int8", 1}, {"int16", 2}, {"int32", 4}, {"int64", 8},
	{"uint8", 1}, {"uint16", 2}, {"uint32", 4}, {"uint64", 8}, {"float32", 4}, {"float64", 8},
}

// String returns the name of the type in lower case, such as float64.
func (t Type) String() string {
	if int(t) < len(types) {
		return types[t].name
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// Size returns the bytes of a value, 0 for Text.
func (t Type) Size() int { return types[t].size }

// IsFloat reports whether t is a floating-point type.
func (t Type) IsFloat() bool { return t == Float32 || t == Float64 }

// IsInt reports whether t is a signed or unsigned integer type. Bool is not.
func (t Type) IsInt() bool { return t >= Int8 && t <= Uint64 }

// Field is a column of the input.
type Field struct {
	Name string
	Type Type
	// Opaque describes a field without Values, such as "a list". It is "" for other fields.
	// The Type of an opaque field is Text.
	Opaque string
}

// Values are the cells of one field in one block, one for each point. The caller owns the
// slices and may reuse them. The cells in Texts point into the block.
type Values struct {
	Type Type
	// Floats holds Float32 and Float64. Ints holds integers, Bool as 0 and 1, and Uint64 as
	// the int64 with the same bits. The other slice is empty; for Text both are empty.
	Floats []float64
	Ints   []int64
	// Texts holds the cells of a text, whatever their Type. It is empty for binary formats.
	Texts [][]byte
	// Missing is true for cells without a value. It is empty if all cells have a value.
	Missing []bool
}

// Reset empties v and sets its type. It keeps the memory.
func (v *Values) Reset(t Type) {
	v.Type, v.Floats, v.Ints, v.Texts, v.Missing = t, v.Floats[:0], v.Ints[:0], v.Texts[:0], v.Missing[:0]
}
