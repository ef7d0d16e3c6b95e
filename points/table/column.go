package table

import "fmt"

// Kind is the kind of values in an answer column.
type Kind uint8

const (
	// Inside writes Block.Sides as truth values. side.Outside is 0, and side.Inside and
	// side.OnSurface are 1. side.Unknown is the word uncertain in text, a missing value in formats
	// with missing values, NaN in npy arrays, and 255 in binary records.
	Inside Kind = iota
	// State writes Block.Sides as the words in, out, on and uncertain. Npy arrays have the numbers
	// 1, 0, 0.5 and NaN instead of these words. Binary records have 1, 0, 2 and 255.
	State
	// Number writes the next slice of Block.Numbers. In text, each number has the fewest digits
	// that restore the float64. JSON Lines and Parquet have null instead of NaN.
	Number
	// Bound writes the next slice of Block.Numbers, like Number. A Bound column after a Number
	// column has the error bounds of these numbers. A format that rounds a number increases its
	// error bound by the rounding error.
	Bound
	// Integer writes the next slice of Block.Integers as integers.
	Integer
	// Label writes the next slice of Block.Integers. Each integer is an index into Column.Labels,
	// and Label writes the text with this index. Label writes −1 as an empty cell. Arrays and
	// binary records have the integers instead of the texts.
	Label
	// Words writes the next slice of Block.Words. Arrays and binary records cannot hold words.
	Words
)

// Column is an answer column.
type Column struct {
	Name   string // name in the header, if the format has one
	Kind   Kind
	Labels []string // texts of a column of kind Label
}

// Names returns a name for each answer column. If a field or an earlier column has the same name,
// Names adds a suffix such as _2.
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

// The types of fields. A Text value can have any bytes.
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

// types lists the names of the types and their sizes in bytes.
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

// Size returns the number of bytes of a value, or 0 for Text.
func (t Type) Size() int { return types[t].size }

// IsFloat reports whether t is a floating-point type.
func (t Type) IsFloat() bool { return t == Float32 || t == Float64 }

// IsInt reports whether t is a signed or unsigned integer type. Bool is not an integer type.
func (t Type) IsInt() bool { return t >= Int8 && t <= Uint64 }

// Field is a column of the input.
type Field struct {
	Name string
	Type Type
	// Opaque describes a field whose values Source.Values cannot read, for example as "a list". It
	// is "" for all other fields. The Type of an opaque field is Text.
	Opaque string
}

// Values has the cells of one field in one block: one cell for each point. The caller owns the
// slices and can reuse them. The elements of Texts point into the memory of the block.
type Values struct {
	Type Type
	// Floats has the values of a Float32 or Float64 field. Ints has the values of an integer or
	// Bool field. A Bool is 0 or 1, and a Uint64 is stored as the int64 with the same bits. The
	// slice that the type does not use is empty.
	Floats []float64
	Ints   []int64
	// Texts has the texts of the cells. For a text file, it is set for every Type. For a binary
	// format, it is set only for Text.
	Texts [][]byte
	// Missing[k] is true if cell k has no value. If all cells have a value, Missing is empty.
	Missing []bool
}

// Reset empties v, sets its type and keeps its memory.
func (v *Values) Reset(t Type) {
	v.Type, v.Floats, v.Ints, v.Texts, v.Missing = t, v.Floats[:0], v.Ints[:0], v.Texts[:0], v.Missing[:0]
}
