package parquet

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// leaf is a leaf of the schema: a column that holds values.
type leaf struct {
	name   string   // elements of path that do not belong to the structure of lists, joined by dots
	path   []string // names of the nodes on the path, without the root
	kind   format.Type
	width  int  // number of bytes of a value, which is 1 for BOOLEAN and 0 for BYTE_ARRAY
	maxRep byte // maximum repetition level, which is above 0 if the column is repeated
	maxDef byte // maximum definition level; an entry with a lower level is null
	typ    table.Type
	scale  int    // number of decimal places of a decimal
	signed bool   // whether the stored integers are signed
	opaque string // why package table has no type for the values, or ""
}

// single reports whether each row has one value or null.
func (l *leaf) single() bool { return l.maxRep == 0 }

// flattenSchema returns the leaves of a schema, and the names of the children of the root.
func flattenSchema(schema []format.SchemaElement) (leaves []leaf, top []string, err error) {
	next := 0 // index into schema, which lists each group before its children
	// visible has the elements of path that do not belong to the structure of a list or map.
	var walk func(path, visible []string, above listLevel, rep, def, depth int) error
	walk = func(path, visible []string, above listLevel, rep, def, depth int) error {
		if next >= len(schema) {
			return fmt.Errorf("%w: the schema is cut off", errThrift)
		}
		e := &schema[next]
		next++
		if depth == 1 {
			top = append(top, e.Name)
		}
		if depth > 0 {
			path = append(slices.Clip(path), e.Name)
			if !above.hides(e) {
				visible = append(slices.Clip(visible), e.Name)
			}
			switch e.RepetitionType.V {
			case format.Optional:
				def++
			case format.Repeated:
				def++
				rep++
			}
		}
		// Levels must fit in a byte. Real schemas are far less deep.
		const maxDepth = 255
		switch {
		case depth > maxDepth:
			return plural.Errorf("%w: the schema is nested more than %d levels deep", errThrift, maxDepth)
		case e.Type.Valid && depth == 0:
			return fmt.Errorf("%w: the root of the schema is a value, must be a group", errThrift)
		case e.Type.Valid:
			leaves = append(leaves, leaf{path: path, name: strings.Join(visible, "."), maxRep: byte(rep), maxDef: byte(def)})
			return leaves[len(leaves)-1].classify(e)
		}
		level := above.next(e)
		for range e.NumChildren.V {
			if err := walk(path, visible, level, rep, def, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(nil, nil, noList, 0, 0, 0); err != nil {
		return nil, nil, err
	}
	if next != len(schema) {
		return nil, nil, plural.Errorf("%w: the schema has %d elements, but its tree has %d", errThrift, len(schema), next)
	}
	return leaves, top, nil
}

// listLevel is the position of a schema node in the structure of a list or map. Writers add nodes for
// this structure, whose names no user chose: the list "tags" has the path tags.list.element.
type listLevel uint8

const (
	noList  listLevel = iota // the node is not part of the structure of a list
	inList                   // the node is a LIST; its repeated child is part of the structure
	inMap                    // the node is a MAP; its repeated child is part of the structure
	inEntry                  // the node is the repeated group of a LIST; its only child is part of the structure
)

// next returns the level of the node e, whose parent has the level l.
func (l listLevel) next(e *format.SchemaElement) listLevel {
	switch logicalType(e).(type) {
	case *format.ListType:
		return inList
	case *format.MapType:
		return inMap
	}
	if l == inList && e.RepetitionType.V == format.Repeated && e.NumChildren.V == 1 {
		return inEntry
	}
	return noList
}

// hides reports whether the writer added the node e for the structure, so its name is not shown.
// The parent of e has the level l.
func (l listLevel) hides(e *format.SchemaElement) bool {
	return l == inEntry || l != noList && e.RepetitionType.V == format.Repeated
}

// physicalTypes maps each Parquet type to initial values of three fields of a leaf.
var physicalTypes = [...]struct {
	width  int
	typ    table.Type
	opaque string
}{
	format.Boolean:           {1, table.Bool, ""},
	format.Int32:             {4, table.Int32, ""},
	format.Int64:             {8, table.Int64, ""},
	format.Int96:             {12, table.Text, "a time in the old type INT96"},
	format.Float:             {4, table.Float32, ""},
	format.Double:            {8, table.Float64, ""},
	format.ByteArray:         {0, table.Text, ""},
	format.FixedLenByteArray: {0, table.Text, "of the type FIXED_LEN_BYTE_ARRAY"},
}

// intTypes maps each logical type of integers to its table.Type.
var intTypes = map[format.IntType]table.Type{
	{BitWidth: 8, IsSigned: true}: table.Int8, {BitWidth: 8}: table.Uint8,
	{BitWidth: 16, IsSigned: true}: table.Int16, {BitWidth: 16}: table.Uint16,
	{BitWidth: 32, IsSigned: true}: table.Int32, {BitWidth: 32}: table.Uint32,
	{BitWidth: 64, IsSigned: true}: table.Int64, {BitWidth: 64}: table.Uint64,
}

// classify sets the fields of l that describe its values, from its schema element.
func (l *leaf) classify(e *format.SchemaElement) error {
	l.kind, l.signed = e.Type.V, true
	if l.kind < 0 || int(l.kind) >= len(physicalTypes) {
		return fmt.Errorf("%w: column %s has the unknown type %d", errThrift, quote.Word(l.name), l.kind)
	}
	t := physicalTypes[l.kind]
	l.width, l.typ, l.opaque = t.width, t.typ, t.opaque
	if l.kind == format.FixedLenByteArray {
		if l.width = int(e.TypeLength.V); l.width < 1 {
			return plural.Errorf("%w: column %s has values of %d bytes: expected at least 1", errThrift, quote.Word(l.name), l.width)
		}
	}
	integer := l.kind == format.Int32 || l.kind == format.Int64
	switch t := logicalType(e).(type) {
	case *format.IntType:
		if integer {
			l.typ, l.signed = intTypes[*t], t.IsSigned
		}
	case *format.DecimalType:
		l.typ, l.scale = table.Text, int(t.Scale)
		if !integer {
			l.opaque = "a decimal of many digits"
		} else if t.Scale < 0 || t.Scale > 18 { // an INT64 decimal has at most 18 digits
			l.opaque = "a decimal with a scale that is not valid"
		}
	case *format.BsonType, *format.GeometryType, *format.GeographyType, *format.NullType:
		l.opaque = "of the type " + t.String()
	}
	if !l.single() {
		l.opaque = "a list"
	}
	if l.opaque != "" {
		l.typ = table.Text
	}
	return nil
}

// logicalType returns the logical type of a column, or nil. If e has only a converted type, as in
// older files, logicalType translates the converted type.
func logicalType(e *format.SchemaElement) format.LogicalTypeValue {
	if e.LogicalType.Value != nil || !e.ConvertedType.Valid {
		return e.LogicalType.Value
	}
	switch c := e.ConvertedType.V; c {
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return &format.IntType{BitWidth: 8 << (c - deprecated.Uint8)}
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return &format.IntType{BitWidth: 8 << (c - deprecated.Int8), IsSigned: true}
	case deprecated.Decimal:
		return &format.DecimalType{Scale: e.Scale.V}
	case deprecated.List:
		return new(format.ListType)
	case deprecated.Map, deprecated.MapKeyValue:
		return new(format.MapType)
	case deprecated.Bson:
		return new(format.BsonType)
	}
	return nil
}

// appendCoordinates appends n values of v as float64. It rounds 64-bit integers and decimals to the
// nearest float64. l.isCoordinate() must be true.
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

// float returns the number that the stored integer k represents.
func (l *leaf) float(k int64) float64 {
	switch {
	case l.scale > 0:
		// float64 represents 10^scale (scale ≤ 18) and all integers k with |k| < 2^53 exactly.
		// The division rounds only once, so the quotient is the nearest float64.
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

// integer returns value i of an integer or BOOLEAN column. An unsigned 64-bit integer becomes the
// int64 with the same bits.
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

// appendDecimal appends the digits of the decimal k / 10^scale to dst.
func (l *leaf) appendDecimal(dst []byte, k int64) []byte {
	if l.scale == 0 {
		return strconv.AppendInt(dst, k, 10)
	}
	abs := uint64(k)
	if k < 0 {
		dst = append(dst, '-')
		abs = -abs
	}
	unit := uint64(math.Pow10(l.scale)) // exact, because float64 represents 10^0 to 10^22 exactly
	dst = append(strconv.AppendUint(dst, abs/unit, 10), '.')
	rest := strconv.FormatUint(abs%unit, 10)
	for range l.scale - len(rest) {
		dst = append(dst, '0')
	}
	return append(dst, rest...)
}

// isCoordinate reports whether l can be a coordinate: an integer, a float or a decimal.
func (l *leaf) isCoordinate() bool {
	decimal := l.typ == table.Text && l.width > 0
	return l.opaque == "" && (l.typ.IsFloat() || l.typ.IsInt() || decimal)
}

// findAxes returns the indices of the leaves that hold x, y and z; see axes.Choose.
func findAxes(leaves []leaf, columns [3]string, find pointio.Finder) ([3]int, error) {
	return axes.Choose(fieldsOf(leaves), columns, find, func(k int) bool { return leaves[k].isCoordinate() })
}

// geometry returns the name of the column of geometries of GeoParquet, which are binary, or "".
func geometry(leaves []leaf) string {
	for i := range leaves {
		if l := &leaves[i]; l.typ == table.Text && !l.isCoordinate() && slices.Contains([]string{"geometry", "geom", "wkb_geometry", "geometry.wkb"}, l.name) {
			return l.name
		}
	}
	return ""
}

// fieldsOf returns the leaves as fields of a table.
func fieldsOf(leaves []leaf) []table.Field {
	fields := make([]table.Field, len(leaves))
	for i := range leaves {
		fields[i] = table.Field{Name: leaves[i].name, Type: leaves[i].typ, Opaque: leaves[i].opaque}
	}
	return fields
}
