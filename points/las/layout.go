package las

import (
	"fmt"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/table"
)

// layout is what the first block of rows decides about a file.
type layout struct {
	Format        int
	Scale, Offset [3]float64
	Slots         []int // of each field: place in slots, or −1 for extra bytes

	extra  []extraField
	record int // bytes of a point without answers
}

// extraField is a field that goes to extra bytes.
type extraField struct {
	field int
	name  string
	typ   table.Type // stored
	at    int
}

// int64None stands for a missing integer of 64 bits.
const int64None = math.MinInt64

// decide makes a layout from the first rows.
func decide(points []r3.Vector, fields []table.Field, axes [3]int, vals []table.Values) *layout {
	l := &layout{Format: 6, Slots: make([]int, len(fields))}
	l.Scale, l.Offset = steps(points)
	fits := map[int]bool{}
	for i, f := range fields {
		l.Slots[i] = -1
		if slices.Contains(axes[:], i) {
			continue
		}
		at := slotOf(f.Name)
		if at < 0 || fits[at] {
			continue
		}
		good := true
		for k := range points {
			if _, err := slots[at].fit(&vals[i], k); err != nil {
				good = false
				break
			}
		}
		if good {
			l.Slots[i], fits[at] = at, true
		}
	}
	switch {
	case fits[slotOf("red")] && fits[slotOf("green")] && fits[slotOf("blue")] && fits[slotOf("nir")]:
		l.Format = 8
	case fits[slotOf("red")] && fits[slotOf("green")] && fits[slotOf("blue")]:
		l.Format = 7
	}
	for i, at := range l.Slots {
		if at >= 0 && slots[at].needs > l.Format {
			l.Slots[i] = -1
		}
	}
	return l
}

// steps returns scales and offsets for coordinates. The scale of all axes is a power of
// ten: at least 10⁻⁸ of the extent, and 2⁻⁵² of the largest coordinate, which is the
// spacing of float64. So the points take at most 10⁸ of the 2³² steps, and others may lie
// twenty times the extent beyond them. If the coordinates are decimals, as surveyors write
// them, it is a tenth of their last digit, but at most 10⁻⁵ of the extent, so that others
// may lie far beyond; or it is their last digit, if that is at least 10⁻⁹ of the extent, so
// that none is rounded. The offset is 0 if that leaves all coordinates within 2³⁰ steps, and else a
// multiple of 10⁶ steps near the middle.
func steps(points []r3.Vector) (scale, offset [3]float64) {
	inf := math.Inf(1)
	lo, hi := [3]float64{inf, inf, inf}, [3]float64{-inf, -inf, -inf}
	for _, p := range points {
		for i, x := range [3]float64{p.X, p.Y, p.Z} {
			if x-x == 0 {
				lo[i], hi[i] = min(lo[i], x), max(hi[i], x)
			}
		}
	}
	half, largest := 0.0, 0.0 // of the extent, so that nothing overflows
	for i := range 3 {
		if lo[i] <= hi[i] {
			half = max(half, hi[i]/2-lo[i]/2)
			largest = max(largest, -lo[i], hi[i])
		}
	}
	step := 1e-3 // where nothing says how large the cloud is: millimetres, if units are metres
	if largest > 0 {
		if half == 0 {
			half = largest / 2
		}
		spacing := largest / (1 << 52)
		step = power(max(2e-8*half, spacing))
		if last, ok := lastDigit(points); ok && last >= max(2e-9*half, spacing) {
			step = max(min(step, last), min(last/10, power(2e-6*half)))
		}
	}
	for i := range 3 {
		scale[i] = step
		if lo[i] <= hi[i] && max(-lo[i], hi[i])/step > 1<<30 {
			const coarse = 1e6
			middle := lo[i]/2 + hi[i]/2
			offset[i] = times(math.Round(middle/step/coarse)*coarse, step)
			if o := offset[i]; o-o != 0 {
				offset[i] = middle
			}
		}
	}
	return scale, offset
}

// times returns n·step, rounded once if step is a power of ten not below 10⁻²²: other
// than that, its reciprocal is exact.
func times(n, step float64) float64 {
	if e := math.Round(math.Log10(step)); e < 0 {
		return n / math.Pow10(int(-e))
	}
	return n * step
}

// lastDigit returns the power of ten of the last digit of finite coordinates that are
// decimals, each the float64 nearest to a decimal number of at most twelve digits behind
// the point. The quotient of a whole number, below 2⁵³, and a power of ten, below 10²²,
// both exact, is rounded once, and so is that float64.
func lastDigit(points []r3.Vector) (float64, bool) {
	const most = 12
	digits, p := 0, 1.0
	for _, point := range points {
		for _, x := range [3]float64{point.X, point.Y, point.Z} {
			if x-x != 0 {
				continue
			}
			for math.Round(x*p)/p != x {
				if digits++; digits > most {
					return 0, false
				}
				p = math.Pow10(digits)
			}
			if math.Abs(x*p) >= 1<<53 {
				return 0, false
			}
		}
	}
	return math.Pow10(-digits), true
}

// power returns the least power of ten that is at least x, and a normal number.
func power(x float64) float64 {
	e := max(-300, int(math.Floor(math.Log10(x)))-1)
	for math.Pow10(e) < x {
		e++
	}
	return math.Pow10(e)
}

// place lays out the record, and fails if it gets too long. size is that of the answers.
func (l *layout) place(fields []table.Field, axes [3]int, size int) error {
	names := newNames(nil)
	for _, n := range (&head{format: l.Format}).standard() {
		names[n.name] = true
	}
	l.record, l.extra = recordSizes[l.Format], nil
	for i, f := range fields {
		if l.Slots[i] >= 0 || slices.Contains(axes[:], i) {
			continue
		}
		e := extraField{field: i, name: names.take(f.Name), typ: f.Type, at: l.record}
		if f.Type == table.Bool {
			e.typ = table.Uint8
		}
		l.extra = append(l.extra, e)
		l.record += e.typ.Size()
	}
	if l.record+size > maxRecordBytes {
		return fmt.Errorf("points of %d bytes: las: %w: at most %d", l.record+size, table.ErrCannotHold, maxRecordBytes)
	}
	return nil
}

// names of all fields of the layout.
func (l *layout) fields() []table.Field {
	var list []table.Field
	for _, d := range (&head{format: l.Format}).standard() {
		list = append(list, table.Field{Name: d.name})
	}
	for _, e := range l.extra {
		list = append(list, table.Field{Name: e.name})
	}
	return list
}

// header returns header and records of a file with that layout.
func (l *layout) header(cols []table.Column, t *tally) ([]byte, error) {
	list, size, err := answers(l.fields(), cols)
	if err != nil {
		return nil, err
	}
	var descriptors []byte
	for _, e := range l.extra {
		d := newDescriptor(extraNumber(e.typ), e.name)
		if e.typ == table.Int64 {
			setNone(d, 1<<63) // the bits of int64None
		}
		descriptors = append(descriptors, d...)
	}
	more, records, n, err := describeAnswers(list)
	if err != nil {
		return nil, err
	}
	if descriptors = append(descriptors, more...); len(descriptors) > math.MaxUint16 {
		return nil, fmt.Errorf("%d descriptions of extra bytes: las: %w: at most %d", len(descriptors)/descriptor, table.ErrCannotHold, math.MaxUint16/descriptor)
	}
	if len(descriptors) > 0 {
		records = append(appendRecord(nil, specUser, extraID, "extra bytes", descriptors), records...)
		n++
	}
	raw := append(make([]byte, headSize4), records...)
	copy(raw, "LASF")
	const wkt = 1 << 4 // a coordinate system would be well-known text, which formats 6 on want
	raw[6] = wkt
	raw[atMajor], raw[atMinor] = 1, 4
	copy(raw[26:58], "inpoly")
	copy(raw[58:90], "inpoly")
	le.PutUint16(raw[atSize:], headSize4)
	le.PutUint32(raw[atPoints:], uint32(len(raw)))
	le.PutUint32(raw[atRecords:], uint32(n))
	raw[atFormat] = byte(l.Format)
	le.PutUint16(raw[atRecord:], uint16(l.record+size))
	for i := range 3 {
		le.PutUint64(raw[atScale+8*i:], math.Float64bits(l.Scale[i]))
		le.PutUint64(raw[atOffset+8*i:], math.Float64bits(l.Offset[i]))
	}
	setTally(raw, t)
	return raw, nil
}
