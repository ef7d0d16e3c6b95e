package las

import (
	"fmt"
	"math"
	"strings"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// recordSizes are the bytes of a point of each format, without extra bytes.
var recordSizes = [...]int{20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67}

// dim is a field of a record.
type dim struct {
	name string
	typ  table.Type // of the field
	raw  table.Type // of the bytes
	at   int        // place in the record

	shift, bits uint8 // part of a byte, if bits is not 0
	scaled      bool  // value = raw·scale + offset
	grid        grid  // of these
	hasNone     bool  // none means that there is no value
	none        uint64
}

// bit returns a dim of some bits of a byte, Bool if it is one.
func bit(name string, at int, shift, bits uint8) dim {
	t := table.Uint8
	if bits == 1 {
		t = table.Bool
	}
	return dim{name: name, typ: t, raw: table.Uint8, at: at, shift: shift, bits: bits}
}

// plain returns a dim of whole bytes.
func plain(name string, t table.Type, at int) dim { return dim{name: name, typ: t, raw: t, at: at} }

// standard returns the dims of a point format, x, y and z first (LAS 1.4 R15, tables 7 to
// 17).
func (h *head) standard() []dim {
	var d []dim
	for i := range 3 {
		d = append(d, dim{name: "xyz"[i : i+1], typ: table.Float64, raw: table.Int32, at: 4 * i, scaled: true, grid: newGrid(h.scale[i], h.offset[i])})
	}
	d = append(d, plain("intensity", table.Uint16, 12))
	if h.format < 6 {
		d = append(d, bit("return_number", 14, 0, 3), bit("number_of_returns", 14, 3, 3),
			bit("scan_direction_flag", 14, 6, 1), bit("edge_of_flight_line", 14, 7, 1),
			bit("classification", 15, 0, 5), bit("synthetic", 15, 5, 1), bit("key_point", 15, 6, 1), bit("withheld", 15, 7, 1),
			plain("scan_angle_rank", table.Int8, 16), plain("user_data", table.Uint8, 17), plain("point_source_id", table.Uint16, 18))
	} else {
		d = append(d, bit("return_number", 14, 0, 4), bit("number_of_returns", 14, 4, 4),
			bit("synthetic", 15, 0, 1), bit("key_point", 15, 1, 1), bit("withheld", 15, 2, 1), bit("overlap", 15, 3, 1),
			bit("scanner_channel", 15, 4, 2), bit("scan_direction_flag", 15, 6, 1), bit("edge_of_flight_line", 15, 7, 1),
			plain("classification", table.Uint8, 16), plain("user_data", table.Uint8, 17),
			plain("scan_angle", table.Int16, 18), plain("point_source_id", table.Uint16, 20))
	}
	at := 20
	if h.format >= 6 {
		at = 22
	}
	add := func(names string, t table.Type) {
		for _, n := range strings.Fields(names) {
			d = append(d, plain(n, t, at))
			at += t.Size()
		}
	}
	if has(h.format, 1, 3, 4, 5, 6, 7, 8, 9, 10) {
		add("gps_time", table.Float64)
	}
	if has(h.format, 2, 3, 5, 7, 8, 10) {
		add("red green blue", table.Uint16)
	}
	if has(h.format, 8, 10) {
		add("nir", table.Uint16)
	}
	if has(h.format, 4, 5, 9, 10) {
		add("wavepacket_index", table.Uint8)
		add("wavepacket_offset", table.Uint64)
		add("wavepacket_size", table.Uint32)
		add("return_point_wave_location x_t y_t z_t", table.Float32)
	}
	return d
}

// has reports whether list has n.
func has(n int, list ...int) bool {
	for _, k := range list {
		if k == n {
			return true
		}
	}
	return false
}

// Extra bytes are described by a record of its own (LAS 1.4 R15, table 24).
const (
	specUser   = "LASF_Spec"
	extraID    = 4
	descriptor = 192
	atType     = 2
	atOptions  = 3
	atName     = 4
	atNone     = 40
	atXScale   = 112
	atXOffset  = 136
	atText     = 160
	nameSize   = 32

	noneOption, scaleOption, offsetOption = 1, 8, 16
)

// extraTypes are the types of extra bytes, by their numbers 1 to 10; 11 to 20 are two, 21
// to 30 three of a kind.
var extraTypes = [...]table.Type{table.Uint8, table.Int8, table.Uint16, table.Int16, table.Uint32, table.Int32, table.Uint64, table.Int64, table.Float32, table.Float64}

// extraNumber returns the number of a type.
func extraNumber(t table.Type) byte {
	for i, e := range extraTypes {
		if e == t {
			return byte(i + 1)
		}
	}
	return 0
}

// described returns the record that describes the extra bytes, nil if there is none.
func (h *head) described() *record {
	for i := range h.records {
		if r := &h.records[i]; r.user == specUser && r.id == extraID {
			return r
		}
	}
	return nil
}

// extra returns the dims of the extra bytes; those that are not described are bytes. rest
// is how many of them are behind the last description.
func (h *head) extra() (d []dim, rest int, err error) {
	at := recordSizes[h.format]
	if r := h.described(); r != nil {
		body := h.body(*r)
		if len(body)%descriptor != 0 {
			return nil, 0, fmt.Errorf("byte %d: the record of extra bytes has %d bytes, no multiple of %d", r.at, len(body), descriptor)
		}
		for ; len(body) > 0; body = body[descriptor:] {
			list, err := describe(body[:descriptor], at)
			if err != nil {
				return nil, 0, fmt.Errorf("byte %d: extra bytes %s: %w", r.at, pointio.Quote([]byte(name(body[atName:][:nameSize]))), err)
			}
			for _, e := range list {
				if at += e.raw.Size(); at > h.record {
					return nil, 0, fmt.Errorf("byte %d: extra bytes %s end at byte %d of points that have %d", r.at, pointio.Quote([]byte(e.name)), at, h.record)
				}
			}
			d = append(d, list...)
		}
	}
	for rest = h.record - at; at < h.record; at++ {
		d = append(d, plain("undocumented", table.Uint8, at))
	}
	return d, rest, nil
}

// describe returns the dims of a descriptor, the first of them at a place of the record.
func describe(b []byte, at int) (d []dim, err error) {
	kind, options := int(b[atType]), b[atOptions]
	label := name(b[atName:][:nameSize])
	if label == "" {
		label = "extra"
	}
	if kind == 0 { // options are a number of bytes of any meaning
		for i := range int(options) {
			d = append(d, plain(label, table.Uint8, at+i))
		}
		return d, nil
	}
	if kind > 3*len(extraTypes) {
		return nil, fmt.Errorf("type %d is not known", kind)
	}
	t, n := extraTypes[(kind-1)%len(extraTypes)], (kind-1)/len(extraTypes)+1
	for i := range n {
		e := plain(label, t, at+i*t.Size())
		if n > 1 {
			e.name = fmt.Sprintf("%s_%d", label, i)
		}
		if options&noneOption != 0 {
			e.hasNone, e.none = true, le.Uint64(b[atNone+8*i:])
		}
		if options&(scaleOption|offsetOption) != 0 {
			e.typ, e.scaled, e.grid.scale = table.Float64, true, 1
			if options&scaleOption != 0 {
				e.grid.scale = math.Float64frombits(le.Uint64(b[atXScale+8*i:]))
			}
			if options&offsetOption != 0 {
				e.grid.offset = math.Float64frombits(le.Uint64(b[atXOffset+8*i:]))
			}
			if t.IsInt() && t.Size() <= 4 {
				e.grid = newGrid(e.grid.scale, e.grid.offset)
			}
		}
		d = append(d, e)
	}
	return d, nil
}

// distinct makes the names of dims differ, by numbers.
func distinct(dims []dim) {
	taken := map[string]bool{}
	next := map[string]int{}
	for i := range dims {
		name := dims[i].name
		for taken[dims[i].name] {
			next[name] = max(2, next[name]+1)
			dims[i].name = fmt.Sprintf("%s_%d", name, next[name])
		}
		taken[dims[i].name] = true
	}
}
