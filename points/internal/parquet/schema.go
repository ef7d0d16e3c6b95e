package parquet

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/points/table"
)

// leaf is a leaf of the schema: a column that holds values.
type leaf struct {
	index  int      // among the leaves
	name   string   // path joined by dots
	path   []string // names below the root
	kind   format.Type
	width  int  // bytes of a value: 1 for BOOLEAN, 0 for BYTE_ARRAY
	maxRep byte // above 0: the column is repeated
	maxDef byte // a lower definition level means null
	typ    table.Type
	scale  int    // of a decimal: number of digits after the point
	signed bool   // of integers
	opaque string // why table has no type for the values; "" if it has one
}

// single reports whether each row has one value or null.
func (l *leaf) single() bool { return l.maxRep == 0 }

// flattenSchema returns the leaves of a schema, and the names of the root's children.
func flattenSchema(schema []format.SchemaElement) (leaves []leaf, top []string, err error) {
	if len(schema) == 0 {
		return nil, nil, fmt.Errorf("%w: no schema", errThrift)
	}
	w := schemaWalker{schema: schema}
	if err := w.group(nil, 0, 0, 0); err != nil {
		return nil, nil, err
	}
	if w.next != len(schema) {
		return nil, nil, fmt.Errorf("%w: the schema has %d elements, but its tree has %d", errThrift, len(schema), w.next)
	}
	return w.leaves, w.topNames, nil
}

// schemaWalker walks a schema, which lists each group before its children.
type schemaWalker struct {
	schema   []format.SchemaElement
	next     int
	leaves   []leaf
	topNames []string
}

// group reads the element at w.next and everything below it.
func (w *schemaWalker) group(path []string, rep, def, depth int) error {
	e := &w.schema[w.next]
	w.next++
	// Levels are stored in bytes. Real schemas are far less deep.
	const maxDepth = 255
	if depth > maxDepth {
		return fmt.Errorf("%w: schema nested more than %d deep", errThrift, maxDepth)
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
		if w.next >= len(w.schema) {
			return fmt.Errorf("%w: schema cut off", errThrift)
		}
		child := &w.schema[w.next]
		r, d := rep, def
		switch child.RepetitionType.V {
		case format.Optional:
			d++
		case format.Repeated:
			d++
			r++
		}
		if depth == 0 {
			w.topNames = append(w.topNames, child.Name)
		}
		if err := w.group(append(path[:len(path):len(path)], child.Name), r, d, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// classify sets the types of l.
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

// logical applies the logical type of a column, or in older files the converted type.
func (l *leaf) logical(e *format.SchemaElement) {
	integer := func(width int, signed bool) {
		if l.kind != format.Int32 && l.kind != format.Int64 {
			return
		}
		types := map[int][2]table.Type{8: {table.Uint8, table.Int8}, 16: {table.Uint16, table.Int16},
			32: {table.Uint32, table.Int32}, 64: {table.Uint64, table.Int64}}
		index := 0
		if signed {
			index = 1
		}
		l.typ, l.signed = types[width][index], signed
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

// appendCoordinates appends n values, from the first, as float64. It rounds 64-bit integers and
// decimals to the nearest float64. l must satisfy isCoordinate.
func (l *leaf) appendCoordinates(dst []float64, v *values, first, n int) []float64 {
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
			dst = append(dst, l.float(l.integer(v, i)))
		}
	}
	return dst
}

// float returns the number that the integer k of the column stands for.
func (l *leaf) float(k int64) float64 {
	switch {
	case l.scale > 0:
		// Powers of ten up to 10^22 are exact as float64. If k is exact too (below 2^53), the
		// quotient is rounded once, and therefore the nearest float64. Otherwise the digits are
		// parsed.
		if -1<<53 < k && k < 1<<53 {
			return float64(k) / math.Pow10(l.scale)
		}
		f, _ := strconv.ParseFloat(string(l.appendDecimal(nil, k)), 64)
		return f
	case l.typ == table.Uint64:
		return float64(uint64(k))
	}
	return float64(k)
}

// integer returns value i of an integer or BOOLEAN column. Unsigned 64-bit integers keep their
// bits.
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

// appendDecimal appends the decimal with unscaled value k.
func (l *leaf) appendDecimal(dst []byte, k int64) []byte {
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

// isDecimal reports whether l is a decimal that appendDecimal can write.
func (l *leaf) isDecimal() bool {
	return l.opaque == "" && l.typ == table.Text && l.width > 0
}

// isCoordinate reports whether l can be a coordinate.
func (l *leaf) isCoordinate() bool {
	return l.opaque == "" && (l.typ.IsFloat() || l.typ.IsInt() || l.isDecimal())
}

// heightNames are the usual names of the third axis of map coordinates.
var heightNames = []string{"alt", "altitude", "elevation", "elev", "height", "h", "z"}

// coordinateNames are the usual names of coordinates, in lower case. Each line is a family; x, y
// and z must be of one family.
var coordinateNames = [...][3][]string{
	{{"x"}, {"y"}, {"z"}},
	{{"lon", "long", "lng", "longitude"}, {"lat", "latitude"}, heightNames},
	{{"easting", "east", "e"}, {"northing", "north", "n"}, heightNames},
	{{"px", "pos_x", "position_x"}, {"py", "pos_y", "position_y"}, {"pz", "pos_z", "position_z"}},
}

// findAxes returns the leaves of x, y and z: the leaves that the user names, or else the leaves of
// the first complete family.
func findAxes(leaves []leaf, columns [3]string) (axes [3]int, err error) {
	if columns != [3]string{} {
		for a, c := range columns {
			if axes[a], err = findLeaf(leaves, c); err != nil {
				return axes, err
			}
		}
	} else if axes, err = findFamily(leaves); err != nil {
		return axes, err
	}
	for a, k := range axes {
		l := &leaves[k]
		if !l.isCoordinate() {
			reason := l.opaque
			if reason == "" {
				reason = "of the type " + l.typ.String()
			}
			return axes, fmt.Errorf("%w: column %q, which is %s, cannot be a coordinate", table.ErrColumns, l.name, reason)
		}
		for _, other := range axes[:a] {
			if other == k {
				return axes, fmt.Errorf("%w: column %q is used for two coordinates", table.ErrColumns, l.name)
			}
		}
	}
	return axes, nil
}

// findLeaf returns the leaf with a name, or with a number from 1. An exact match wins over one
// that ignores case.
func findLeaf(leaves []leaf, name string) (int, error) {
	found := -1
	for i := range leaves {
		if leaves[i].name == name {
			return i, nil
		}
		if strings.EqualFold(leaves[i].name, name) {
			if found >= 0 {
				return 0, fmt.Errorf("%w: columns %q and %q differ from %q only in case", table.ErrColumns, leaves[found].name, leaves[i].name, name)
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
	return 0, fmt.Errorf("%w: no column %q: the file has %s", table.ErrColumns, name, columnList(leaves))
}

// findFamily finds the coordinates by their usual names.
func findFamily(leaves []leaf) (axes [3]int, err error) {
	for _, family := range coordinateNames {
		found := 0
		for a, names := range family {
			k, ambiguous := matchNames(leaves, names)
			if ambiguous != "" {
				return axes, fmt.Errorf("%w: two columns %q", table.ErrColumns, ambiguous)
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
	return axes, fmt.Errorf("%w: want columns x, y and z, or lon, lat and alt, or easting, northing and height; the file has %s", table.ErrColumns, columnList(leaves))
}

// matchNames returns the leaf that has one of names, ignoring case, or −1. Earlier names win. If
// several leaves match one name, the exact match wins. If none or several match exactly, twice is
// that name.
func matchNames(leaves []leaf, names []string) (k int, ambiguous string) {
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

// columnList returns the names of at most twelve columns.
func columnList(leaves []leaf) string {
	const maxListed = 12
	var b strings.Builder
	for i := range leaves {
		if i == maxListed {
			fmt.Fprintf(&b, " and %d more", len(leaves)-maxListed)
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
