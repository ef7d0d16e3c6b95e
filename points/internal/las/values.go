package las

import (
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/table"
)

// Parse implements table.Source.
func (s *Source) Parse(b *table.Block) error {
	size := s.head.record
	n := len(b.Raw) / size
	b.Reserve(n)
	b.Points = b.Points[:n]
	if s.axes == [3]int{0, 1, 2} {
		x, y, z := &s.dims[0].grid, &s.dims[1].grid, &s.dims[2].grid
		for k := range b.Points {
			row := b.Raw[k*size:][:12]
			b.Points[k] = r3.Vector{
				X: x.at(float64(int32(le.Uint32(row)))),
				Y: y.at(float64(int32(le.Uint32(row[4:])))),
				Z: z.at(float64(int32(le.Uint32(row[8:])))),
			}
		}
	} else {
		var v [3]table.Values
		for i, a := range s.axes {
			s.read(b, n, &s.dims[a], &v[i])
		}
		for k := range b.Points {
			b.Points[k] = r3.Vector{X: number(&v[0], k), Y: number(&v[1], k), Z: number(&v[2], k)}
		}
	}
	b.CountPoints()
	return nil
}

// Values implements table.Source.
func (s *Source) Values(b *table.Block, field int, v *table.Values) error {
	s.read(b, len(b.Points), &s.dims[field], v)
	return nil
}

// read reads a dim of n points.
func (s *Source) read(b *table.Block, n int, d *dim, v *table.Values) {
	v.Reset(d.typ)
	if n == 0 || s.readPlain(b, n, d, v) {
		return
	}
	size := s.head.record
	for k := range n {
		at := b.Raw[k*size+d.at:]
		missing := d.hasNone && d.isNone(at)
		if missing || len(v.Missing) > 0 {
			for len(v.Missing) < k {
				v.Missing = append(v.Missing, false)
			}
			v.Missing = append(v.Missing, missing)
		}
		if !d.typ.IsFloat() {
			n := load(d.raw, at)
			if d.bits > 0 {
				n = n >> d.shift & (1<<d.bits - 1)
			}
			v.Ints = append(v.Ints, n)
			continue
		}
		x := loadFloat(d.raw, at)
		if d.scaled {
			x = d.grid.at(x)
		}
		if missing {
			x = math.NaN()
		}
		v.Floats = append(v.Floats, x)
	}
}

// readPlain is read for the most usual dims; it reports whether d is one of them.
func (s *Source) readPlain(b *table.Block, n int, d *dim, v *table.Values) bool {
	if d.hasNone || d.scaled && d.raw != table.Int32 {
		return false
	}
	size, raw := s.head.record, b.Raw[d.at:]
	if d.typ.IsFloat() {
		v.Floats = slices.Grow(v.Floats, n)[:n]
	} else {
		v.Ints = slices.Grow(v.Ints, n)[:n]
	}
	switch {
	case d.scaled:
		for k := range v.Floats {
			v.Floats[k] = d.grid.at(float64(int32(le.Uint32(raw[k*size:]))))
		}
	case d.raw == table.Float64:
		for k := range v.Floats {
			v.Floats[k] = math.Float64frombits(le.Uint64(raw[k*size:]))
		}
	case d.bits > 0:
		mask := byte(1<<d.bits - 1)
		for k := range v.Ints {
			v.Ints[k] = int64(raw[k*size] >> d.shift & mask)
		}
	case d.raw == table.Uint8:
		for k := range v.Ints {
			v.Ints[k] = int64(raw[k*size])
		}
	case d.raw == table.Uint16:
		for k := range v.Ints {
			v.Ints[k] = int64(le.Uint16(raw[k*size:]))
		}
	default:
		v.Reset(d.typ)
		return false
	}
	return true
}

// number returns the value of row k as a float, NaN if it is missing.
func number(v *table.Values, k int) float64 {
	switch {
	case len(v.Missing) > 0 && v.Missing[k]:
		return math.NaN()
	case v.Type.IsFloat():
		return v.Floats[k]
	case v.Type == table.Uint64:
		return float64(uint64(v.Ints[k]))
	}
	return float64(v.Ints[k])
}

// isNone reports whether the value at the front of b says that there is none; that value
// is given as a number of 64 bits of the same sort.
func (d *dim) isNone(b []byte) bool {
	if d.raw.IsFloat() {
		x, none := loadFloat(d.raw, b), math.Float64frombits(d.none)
		return x == none || math.IsNaN(x) && math.IsNaN(none)
	}
	return uint64(load(d.raw, b)) == d.none
}

// load returns the integer at the front of b, Uint64 as its bits.
func load(t table.Type, b []byte) int64 {
	switch t {
	case table.Int8:
		return int64(int8(b[0]))
	case table.Uint8, table.Bool:
		return int64(b[0])
	case table.Int16:
		return int64(int16(le.Uint16(b)))
	case table.Uint16:
		return int64(le.Uint16(b))
	case table.Int32:
		return int64(int32(le.Uint32(b)))
	case table.Uint32:
		return int64(le.Uint32(b))
	}
	return int64(le.Uint64(b))
}

// loadFloat returns the number at the front of b, integers of 64 bits rounded.
func loadFloat(t table.Type, b []byte) float64 {
	switch t {
	case table.Float32:
		return float64(math.Float32frombits(le.Uint32(b)))
	case table.Float64:
		return math.Float64frombits(le.Uint64(b))
	case table.Uint64:
		return float64(le.Uint64(b))
	}
	return float64(load(t, b))
}
