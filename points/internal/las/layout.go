package las

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// layout describes the points of a new file. It depends on the first block of rows.
type layout struct {
	Format        int
	Scale, Offset [3]float64
	Slots         []int // index into slots for each field; −1 if the field goes to extra bytes

	scalings  [3]scaling  // made from Scale and Offset
	names     uniqueNames // names of all dimensions and extra bytes
	extra     []extraField
	pointSize int // size of a point in bytes, without answers
}

// extraField is a field that is written to extra bytes.
type extraField struct {
	field  int
	name   string
	typ    table.Type // type of the extra bytes
	offset int
}

// missingInt64 represents a missing int64 value.
const missingInt64 = math.MinInt64

// chooseLayout chooses a layout from the kept rows of b, the first block of src. It returns the
// errors of chooseScales.
func chooseLayout(src table.Source, b *table.Block, vals []table.Values) (l *layout, err error) {
	fields, axes := src.Fields(), src.Axes()
	l = &layout{Format: 6, Slots: make([]int, len(fields))}
	if l.Scale, l.Offset, err = chooseScales(src, b); err != nil {
		return nil, err
	}
	fits := map[int]bool{}
	for i, f := range fields {
		l.Slots[i] = -1
		at := findSlot(f.Name)
		if at < 0 || fits[at] || slices.Contains(axes[:], i) {
			continue
		}
		allFit := true
		for k := range b.Points {
			if _, err := slots[at].convert(&vals[i], k); err != nil && !b.Dropped(k) {
				allFit = false
				break
			}
		}
		if allFit {
			l.Slots[i], fits[at] = at, true
		}
	}
	if fits[findSlot("red")] && fits[findSlot("green")] && fits[findSlot("blue")] {
		l.Format = 7
		if fits[findSlot("nir")] {
			l.Format = 8
		}
	}
	for i, at := range l.Slots {
		if at >= 0 && slots[at].needs > l.Format {
			l.Slots[i] = -1
		}
	}
	return l, nil
}

// assignOffsets sets l.pointSize and the offsets of the extra bytes. It fails if a point with its
// answers is too long.
func (l *layout) assignOffsets(fields []table.Field, axes [3]int, answerSize int) error {
	l.names = newUniqueNames(standardDims(l.Format))
	for i := range l.scalings {
		l.scalings[i] = newScaling(l.Scale[i], l.Offset[i])
	}
	l.pointSize, l.extra = pointSizes[l.Format], nil
	for i, f := range fields {
		if l.Slots[i] >= 0 || slices.Contains(axes[:], i) {
			continue
		}
		e := extraField{field: i, name: l.names.add(f.Name), typ: f.Type, offset: l.pointSize}
		if f.Type == table.Bool {
			e.typ = table.Uint8
		}
		l.extra = append(l.extra, e)
		l.pointSize += e.typ.Size()
	}
	return checkPointSize(l.pointSize + answerSize)
}

// encodeHeader returns the header and the records of a file.
func (l *layout) encodeHeader(cols []table.Column, t *summary) ([]byte, error) {
	answers, err := newAnswers(maps.Clone(l.names), cols)
	if err != nil {
		return nil, err
	}
	raw := make([]byte, headerSize14)
	copy(raw, "LASF")
	const wkt = 1 << 4 // formats 6 and later require well-known text for a coordinate system
	raw[6] = wkt
	raw[atMajor], raw[atMinor] = 1, 4
	copy(raw[26:58], "inpoly")
	copy(raw[58:90], "inpoly")
	le.PutUint16(raw[atSize:], headerSize14)
	raw[atFormat] = byte(l.Format)
	le.PutUint16(raw[atPointSize:], uint16(l.pointSize))
	for i := range 3 {
		putFloat(raw, atScale+8*i, l.Scale[i])
		putFloat(raw, atOffset+8*i, l.Offset[i])
	}
	var descriptors []byte
	for _, e := range l.extra {
		d := newDescriptor(extraNumber(e.typ), e.name)
		if e.typ == table.Int64 {
			putNoData(d, 1<<63) // the bits of missingInt64
		}
		descriptors = append(descriptors, d...)
	}
	h := &header{raw: raw, size: headerSize14, pointSize: l.pointSize, vlrsEnd: headerSize14}
	if raw, err = h.extend(descriptors, answers); err != nil {
		return nil, err
	}
	t.putCounts(raw)
	t.putBox(raw)
	return raw, nil
}

// slot is a dimension of point formats 6 to 8 that can hold a field of the source.
type slot struct {
	dimension
	min, max int64 // range of the integers that the slot can hold
	needs    int   // lowest point format with this dimension
}

// slots lists all slots. A field is stored in the slot with the name of the field.
var slots = makeSlots()

func makeSlots() (list []slot) {
	for _, d := range standardDims(8)[3:] {
		s := slot{dimension: d, needs: 6 + bits.TrailingZeros16(d.formats>>6), max: 1<<d.bits - 1}
		switch {
		case d.bits > 0:
		case d.raw == table.Int16:
			s.min, s.max = math.MinInt16, math.MaxInt16
		case d.raw.IsInt():
			s.max = 1<<(8*d.raw.Size()) - 1
		}
		list = append(list, s)
	}
	return list
}

// findSlot returns the index of the slot with this name, or −1. It ignores case.
func findSlot(name string) int {
	return slices.IndexFunc(slots, func(s slot) bool { return strings.EqualFold(s.name, name) })
}

// convert returns value k of v as slot s stores it. For a float64, it returns the bits.
func (s *slot) convert(v *table.Values, k int) (int64, error) {
	if s.raw == table.Float64 {
		x := floatValue(v, k)
		if !v.Type.IsFloat() && math.Abs(x) > 1<<53 {
			return 0, fmt.Errorf("float64 would round %v", x)
		}
		return int64(math.Float64bits(x)), nil
	}
	var n int64
	switch {
	case len(v.Missing) > 0 && v.Missing[k]:
		return 0, fmt.Errorf("no value")
	case v.Type.IsFloat():
		x := v.Floats[k]
		if n = int64(x); float64(n) != x { // true if x is NaN
			return 0, fmt.Errorf("%v does not fit: expected a whole number", x)
		}
	default:
		n = v.Ints[k]
	}
	if n < s.min || n > s.max {
		return 0, fmt.Errorf("%d does not fit: expected %d to %d", n, s.min, s.max)
	}
	return n, nil
}

// fill writes field i of the rows of b to b.Out, which must contain zeros. A value that does not
// fit is an error, unless its row is dropped.
func (s *slot) fill(src table.Source, b *table.Block, c *scratch, i, size int) error {
	v := &c.vals[i]
	ints := v.Ints
	if !s.fitsAll(v) {
		c.ints = c.ints[:0]
		for k := range b.Points {
			n, err := s.convert(v, k)
			if err != nil && !b.Dropped(k) {
				return fmt.Errorf("%s: column %s: %w: las: %w: rename the column, or use ply, npy or parquet",
					pointio.Place(src, b, k), s.name, err, table.ErrCannotHold)
			}
			c.ints = append(c.ints, n)
		}
		ints = c.ints
	}
	out := b.Out[s.offset:]
	if s.bits == 0 {
		putInts(out, ints, size, s.raw.Size())
		return nil
	}
	for k, n := range ints {
		out[k*size] |= byte(n) << s.shift
	}
	return nil
}

// putInts writes the lowest bytes of each integer to out. The integers are stride bytes apart.
func putInts(out []byte, ints []int64, stride, width int) {
	switch width {
	case 1:
		for k, n := range ints {
			out[k*stride] = byte(n)
		}
	case 2:
		for k, n := range ints {
			le.PutUint16(out[k*stride:], uint16(n))
		}
	case 4:
		for k, n := range ints {
			le.PutUint32(out[k*stride:], uint32(n))
		}
	default:
		for k, n := range ints {
			le.PutUint64(out[k*stride:], uint64(n))
		}
	}
}

// fitsAll reports whether all values of v are integers that s can hold.
func (s *slot) fitsAll(v *table.Values) bool {
	if v.Type.IsFloat() || s.raw == table.Float64 || len(v.Missing) > 0 {
		return false
	}
	for _, n := range v.Ints {
		if n < s.min || n > s.max {
			return false
		}
	}
	return true
}

// fill writes the field values v to b.Out. In v, it replaces missing values by NaN or missingInt64.
func (e *extraField) fill(src table.Source, b *table.Block, v *table.Values, size int) error {
	out := b.Out[e.offset:]
	for k, missing := range v.Missing {
		switch {
		case !missing:
		case e.typ.IsFloat():
			v.Floats[k] = math.NaN()
		case e.typ == table.Int64:
			v.Ints[k] = missingInt64
		case !b.Dropped(k):
			return fmt.Errorf("%s: column %s: a value is missing, but its integer type cannot represent a missing value: las: %w", pointio.Place(src, b, k), quote.Word(e.name), table.ErrCannotHold)
		}
	}
	for k, x := range v.Floats {
		if e.typ == table.Float64 {
			putFloat(out, k*size, x)
		} else {
			le.PutUint32(out[k*size:], math.Float32bits(float32(x)))
		}
	}
	for k, n := range v.Ints {
		if n == missingInt64 && (len(v.Missing) == 0 || !v.Missing[k]) && e.typ == table.Int64 && !b.Dropped(k) {
			return fmt.Errorf("%s: column %s: the value %d would be read back as missing: las: %w", pointio.Place(src, b, k), quote.Word(e.name), n, table.ErrCannotHold)
		}
	}
	putInts(out, v.Ints, size, e.typ.Size())
	return nil
}
