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

// heights are the names of the third axis of map coordinates.
var heights = []string{"alt", "altitude", "elevation", "elev", "height", "h", "z"}

// families are names of coordinates in lower case; those of one family go together.
var families = [...][3][]string{
	{{"x"}, {"y"}, {"z"}},
	{{"lon", "long", "lng", "longitude"}, {"lat", "latitude"}, heights},
	{{"easting", "east", "e"}, {"northing", "north", "n"}, heights},
	{{"px", "pos_x", "position_x"}, {"py", "pos_y", "position_y"}, {"pz", "pos_z", "position_z"}},
}

// axesOf returns the leaves of x, y and z: those that the user names, else those of
// the first family that is complete.
func axesOf(leaves []leaf, columns [3]string) (axes [3]int, err error) {
	if columns != [3]string{} {
		for a, c := range columns {
			if axes[a], err = lookUp(leaves, c); err != nil {
				return axes, err
			}
		}
	} else if axes, err = named(leaves); err != nil {
		return axes, err
	}
	for a, k := range axes {
		l := &leaves[k]
		if !l.isCoordinate() {
			why := l.opaque
			if why == "" {
				why = "of the type " + l.typ.String()
			}
			return axes, fmt.Errorf("%w: column %q, which is %s, cannot be a coordinate", table.ErrColumns, l.name, why)
		}
		for _, other := range axes[:a] {
			if other == k {
				return axes, fmt.Errorf("%w: column %q is taken for two coordinates", table.ErrColumns, l.name)
			}
		}
	}
	return axes, nil
}

// lookUp returns the leaf of a name, as it stands or but for the case of letters, or
// of a number from 1 on.
func lookUp(leaves []leaf, name string) (int, error) {
	found := -1
	for i := range leaves {
		if leaves[i].name == name {
			return i, nil
		}
		if strings.EqualFold(leaves[i].name, name) {
			if found >= 0 {
				return 0, fmt.Errorf("%w: columns %q and %q differ from %q in the case of letters only", table.ErrColumns, leaves[found].name, leaves[i].name, name)
			}
			found = i
		}
	}
	if found >= 0 {
		return found, nil
	}
	if k, err := strconv.Atoi(name); err == nil {
		if k < 1 || k > len(leaves) {
			return 0, fmt.Errorf("%w: no column %d: the file has %d", table.ErrColumns, k, len(leaves))
		}
		return k - 1, nil
	}
	return 0, fmt.Errorf("%w: no column %q: the file has %s", table.ErrColumns, name, list(leaves))
}

// named finds the coordinates by their names.
func named(leaves []leaf) (axes [3]int, err error) {
	for _, family := range families {
		found := 0
		for a, names := range family {
			k, twice := oneOf(leaves, names)
			if twice != "" {
				return axes, fmt.Errorf("%w: two columns %q", table.ErrColumns, twice)
			}
			if k >= 0 {
				axes[a] = k
				found++
			}
		}
		if found == 3 {
			return axes, nil
		}
	}
	return axes, fmt.Errorf("%w: want columns x, y and z, or lon, lat and alt, or easting, northing and height; the file has %s", table.ErrColumns, list(leaves))
}

// oneOf returns the leaf whose name is one of names but for the case of letters, −1 if
// none is. Of several with one name that which stands exactly so is taken; if none or
// two do, twice is the name. Names that come first go before.
func oneOf(leaves []leaf, names []string) (k int, twice string) {
	for _, name := range names {
		k, count, exact := -1, 0, 0
		for i := range leaves {
			switch n := leaves[i].name; {
			case n == name:
				k = i
				exact++
			case strings.EqualFold(n, name):
				if count++; exact == 0 {
					k = i
				}
			}
		}
		if exact > 1 || exact == 0 && count > 1 {
			return -1, name
		}
		if k >= 0 {
			return k, ""
		}
	}
	return -1, ""
}

// list names the columns, no more than a dozen.
func list(leaves []leaf) string {
	const most = 12
	var b strings.Builder
	for i := range leaves {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(leaves)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(leaves[i].name)
	}
	if b.Len() == 0 {
		return "no columns"
	}
	return b.String()
}
