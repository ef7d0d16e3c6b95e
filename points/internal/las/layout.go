package las

import (
	"fmt"
	"math"
	"slices"

	"github.com/inpoly/inpoly/points/table"
)

// layout is what the first block of rows decides about a file.
type layout struct {
	Format        int
	Scale, Offset [3]float64
	Slots         []int // of each field: place in slots, or −1 for extra bytes

	grids  [3]grid // of Scale and Offset
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

// decide makes a layout from the rows of b, the first of src, that are kept. It fails where steps
// does.
func decide(src table.Source, b *table.Block, vals []table.Values) (l *layout, err error) {
	fields, axes := src.Fields(), src.Axes()
	l = &layout{Format: 6, Slots: make([]int, len(fields))}
	if l.Scale, l.Offset, err = steps(src, b); err != nil {
		return nil, err
	}
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
		for k := range b.Points {
			if _, err := slots[at].fit(&vals[i], k); err != nil && !b.Dropped(k) {
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
	return l, nil
}

// place lays out the record, and fails if it gets too long. size is that of the answers.
func (l *layout) place(fields []table.Field, axes [3]int, size int) error {
	names := newNames(nil)
	for _, n := range (&head{format: l.Format}).standard() {
		names[n.name] = true
	}
	for i := range l.grids {
		l.grids[i] = newGrid(l.Scale[i], l.Offset[i])
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
	list, err := answers(l.fields(), cols)
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
	le.PutUint16(raw[atRecord:], uint16(l.record+list.Size()))
	for i := range 3 {
		le.PutUint64(raw[atScale+8*i:], math.Float64bits(l.Scale[i]))
		le.PutUint64(raw[atOffset+8*i:], math.Float64bits(l.Offset[i]))
	}
	setTally(raw, t)
	return raw, nil
}
