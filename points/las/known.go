package las

import (
	"fmt"
	"math"
	"strings"

	"github.com/inpoly/inpoly/points/table"
)

// slot is a dimension of point formats 6 to 8.
type slot struct {
	dim
	min, max int64 // of integers
	needs    int   // point format that has it
}

// slots are the dimensions that fields of other formats go to, by their names.
var slots = makeSlots()

func makeSlots() []slot {
	h := &head{format: 8}
	var list []slot
	for _, d := range h.standard()[3:] {
		s := slot{dim: d, needs: 6}
		switch d.name {
		case "red", "green", "blue":
			s.needs = 7
		case "nir":
			s.needs = 8
		}
		switch {
		case d.bits > 0:
			s.max = 1<<d.bits - 1
		case d.raw == table.Uint8:
			s.max = math.MaxUint8
		case d.raw == table.Uint16:
			s.max = math.MaxUint16
		case d.raw == table.Int16:
			s.min, s.max = math.MinInt16, math.MaxInt16
		}
		list = append(list, s)
	}
	return list
}

// slotOf returns the place in slots of a name, in any case of letters, or −1.
func slotOf(name string) int {
	for i := range slots {
		if strings.EqualFold(slots[i].name, name) {
			return i
		}
	}
	return -1
}

// fit returns the value of row k as s holds it: a float64 as its bits.
func (s *slot) fit(v *table.Values, k int) (int64, error) {
	if s.raw == table.Float64 {
		x := number(v, k)
		if !v.Type.IsFloat() && math.Abs(x) > 1<<53 {
			return 0, fmt.Errorf("%v is rounded as a float64", x)
		}
		return int64(math.Float64bits(x)), nil
	}
	var n int64
	switch {
	case len(v.Missing) > 0 && v.Missing[k]:
		return 0, fmt.Errorf("no value")
	case v.Type.IsFloat():
		x := v.Floats[k]
		if n = int64(x); float64(n) != x { // NaN differs from anything
			return 0, fmt.Errorf("%v does not fit: want a whole number", x)
		}
	default:
		n = v.Ints[k]
	}
	if n < s.min || n > s.max {
		return 0, fmt.Errorf("%d does not fit: want %d to %d", n, s.min, s.max)
	}
	return n, nil
}

// put adds n, which fits, to a record whose bytes were zero.
func (s *slot) put(row []byte, n int64) {
	at := row[s.at:]
	switch {
	case s.bits > 0:
		at[0] |= byte(n) << s.shift
	case s.raw == table.Uint8:
		at[0] = byte(n)
	case s.raw == table.Float64:
		le.PutUint64(at, uint64(n))
	default:
		le.PutUint16(at, uint16(n))
	}
}
