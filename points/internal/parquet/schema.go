package parquet

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/points/table"
)

// leaf is a column that holds values.
type leaf struct {
	index  int      // among the leaves
	name   string   // path with dots
	path   []string // below the root
	kind   format.Type
	width  int  // bytes of a value, 1 for BOOLEAN, 0 for BYTE_ARRAY
	maxRep byte // repeated above 0
	maxDef byte // levels below are null
	typ    table.Type
	scale  int    // of a decimal: the number has so many digits behind the point
	signed bool   // of integers
	opaque string // why it is not a value of table, "" if it is
}

// single reports whether each row has one value, or null.
func (l *leaf) single() bool { return l.maxRep == 0 }

// leavesOf returns the leaves of a schema, and the names of the columns below the root.
func leavesOf(schema []format.SchemaElement) (leaves []leaf, top []string, err error) {
	if len(schema) == 0 {
		return nil, nil, fmt.Errorf("%w: no schema", errThrift)
	}
	w := walker{schema: schema}
	if err := w.group(nil, 0, 0, 0); err != nil {
		return nil, nil, err
	}
	if w.at != len(schema) {
		return nil, nil, fmt.Errorf("%w: the schema has %d elements, of which %d are columns", errThrift, len(schema), w.at)
	}
	return w.leaves, w.top, nil
}

// walker goes through a schema, which lists each group before its children.
type walker struct {
	schema []format.SchemaElement
	at     int
	leaves []leaf
	top    []string
}

// group reads the group at w.at and what is in it.
func (w *walker) group(path []string, rep, def, depth int) error {
	e := &w.schema[w.at]
	w.at++
	// Levels are bytes here; no schema is nested half as deep.
	const deepest = 255
	if depth > deepest {
		return fmt.Errorf("%w: schema nested more than %d deep", errThrift, deepest)
	}
	if e.Type.Valid {
		if depth == 0 {
			return fmt.Errorf("%w: the root of the schema is a value", errThrift)
		}
		l := leaf{index: len(w.leaves), path: path, name: strings.Join(path, "."), maxRep: byte(rep), maxDef: byte(def)}
		if err := l.classify(e); err != nil {
			return err
		}
		w.leaves = append(w.leaves, l)
		return nil
	}
	for range e.NumChildren.V {
		if w.at >= len(w.schema) {
			return fmt.Errorf("%w: schema cut off", errThrift)
		}
		child := &w.schema[w.at]
		r, d := rep, def
		switch child.RepetitionType.V {
		case format.Optional:
			d++
		case format.Repeated:
			d++
			r++
		}
		if depth == 0 {
			w.top = append(w.top, child.Name)
		}
		if err := w.group(append(path[:len(path):len(path)], child.Name), r, d, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// classify sets what l holds.
func (l *leaf) classify(e *format.SchemaElement) error {
	l.kind, l.signed = e.Type.V, true
	switch l.kind {
	case format.Boolean:
		l.width, l.typ = 1, table.Bool
	case format.Int32:
		l.width, l.typ = 4, table.Int32
	case format.Int64:
		l.width, l.typ = 8, table.Int64
	case format.Int96:
		l.width, l.opaque = 12, "a time in the old type INT96"
	case format.Float:
		l.width, l.typ = 4, table.Float32
	case format.Double:
		l.width, l.typ = 8, table.Float64
	case format.ByteArray:
		l.width = 0
	case format.FixedLenByteArray:
		l.width, l.opaque = int(e.TypeLength.V), "of the type FIXED_LEN_BYTE_ARRAY"
		if l.width < 1 {
			return fmt.Errorf("%w: column %q has values of %d bytes", errThrift, l.name, l.width)
		}
	default:
		return fmt.Errorf("%w: column %q has the unknown type %d", errThrift, l.name, l.kind)
	}
	l.logical(e)
	if !l.single() {
		l.opaque = "repeated"
	}
	if l.opaque != "" {
		l.typ = table.Text
	}
	return nil
}

// logical applies what the schema says of the meaning of the values: by a logical type,
// or in older files by a converted type.
func (l *leaf) logical(e *format.SchemaElement) {
	integer := func(width int, signed bool) {
		if l.kind != format.Int32 && l.kind != format.Int64 {
			return
		}
		types := map[int][2]table.Type{8: {table.Uint8, table.Int8}, 16: {table.Uint16, table.Int16},
			32: {table.Uint32, table.Int32}, 64: {table.Uint64, table.Int64}}
		k := 0
		if signed {
			k = 1
		}
		l.typ, l.signed = types[width][k], signed
	}
	decimal := func(scale int32) {
		l.typ, l.scale = table.Text, int(scale)
		if l.kind != format.Int32 && l.kind != format.Int64 {
			l.opaque = "a decimal of many digits"
		} else if scale < 0 || scale > 18 { // an INT64 has no more digits
			l.opaque = "a decimal with a scale that is not valid"
		}
	}
	switch t := e.LogicalType.Value.(type) {
	case *format.IntType:
		integer(int(t.BitWidth), t.IsSigned)
	case *format.DecimalType:
		decimal(t.Scale)
	case *format.BsonType, *format.GeometryType, *format.GeographyType, *format.NullType:
		l.opaque = "of the type " + t.String()
	}
	if e.LogicalType.Value != nil || !e.ConvertedType.Valid {
		return
	}
	switch c := e.ConvertedType.V; c {
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		integer(8<<(c-deprecated.Uint8), false)
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		integer(8<<(c-deprecated.Int8), true)
	case deprecated.Decimal:
		decimal(e.Scale.V)
	case deprecated.Bson:
		l.opaque = "of the type BSON"
	}
}

// coordinates appends n values from first on as float64, to the nearest where an
// integer of 64 bits or a decimal is none. l must be of a kind that isCoordinate
// accepts.
func (l *leaf) coordinates(dst []float64, v *values, first, n int) []float64 {
	b := v.fixed[first*l.width : (first+n)*l.width]
	switch {
	case l.typ == table.Float64:
		for ; len(b) >= 8; b = b[8:] {
			dst = append(dst, math.Float64frombits(le64(b)))
		}
	case l.typ == table.Float32:
		for ; len(b) >= 4; b = b[4:] {
			dst = append(dst, float64(math.Float32frombits(le32(b))))
		}
	default:
		for i := first; i < first+n; i++ {
			dst = append(dst, l.real(l.integer(v, i)))
		}
	}
	return dst
}

// real returns the integer of a column as the number that it stands for.
func (l *leaf) real(k int64) float64 {
	switch {
	case l.scale > 0:
		// Below 2^53, and with a power of ten that is a float64 (10^22 is the last), the
		// quotient is rounded once, and so the nearest; else the digits are parsed.
		if -1<<53 < k && k < 1<<53 {
			return float64(k) / math.Pow10(l.scale)
		}
		f, _ := strconv.ParseFloat(string(l.digits(nil, k)), 64)
		return f
	case l.typ == table.Uint64:
		return float64(uint64(k))
	}
	return float64(k)
}

// integer returns the value i of an integer or BOOLEAN column; unsigned ones of 64
// bits with their bits.
func (l *leaf) integer(v *values, i int) int64 {
	switch {
	case l.width == 8:
		return int64(le64(v.fixed[8*i:]))
	case l.width == 1:
		return int64(v.fixed[i])
	case l.signed:
		return int64(int32(le32(v.fixed[4*i:])))
	}
	return int64(le32(v.fixed[4*i:]))
}

// digits appends the decimal with that unscaled value.
func (l *leaf) digits(dst []byte, k int64) []byte {
	if l.scale == 0 {
		return strconv.AppendInt(dst, k, 10)
	}
	abs := uint64(k)
	if k < 0 {
		dst = append(dst, '-')
		abs = -abs
	}
	unit := uint64(math.Pow10(l.scale)) // ≤ 10^18 < 2^64, exact: 10^18 = 2^18·5^18, 5^18 < 2^53
	dst = append(strconv.AppendUint(dst, abs/unit, 10), '.')
	rest := strconv.FormatUint(abs%unit, 10)
	for range l.scale - len(rest) {
		dst = append(dst, '0')
	}
	return append(dst, rest...)
}

// isDecimal reports whether l is a decimal that digits can write.
func (l *leaf) isDecimal() bool {
	return l.opaque == "" && l.typ == table.Text && l.width > 0
}

// isCoordinate reports whether l can be a coordinate.
func (l *leaf) isCoordinate() bool {
	return l.opaque == "" && (l.typ.IsFloat() || l.typ.IsInt() || l.isDecimal())
}

// levelBits returns how many bits levels up to highest need.
func levelBits(highest byte) int { return bits.Len8(highest) }
