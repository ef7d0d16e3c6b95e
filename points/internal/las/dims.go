package las

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// pointSizes has the size of a point in each format, without extra bytes.
var pointSizes = [...]int{20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67}

// dimension describes a field of a point record.
type dimension struct {
	name   string
	typ    table.Type // type of the values
	raw    table.Type // type of the stored bytes
	offset int        // position in the point record

	formats     uint16  // bit set of the point formats with this dimension; 0 for extra bytes
	shift, bits uint8   // position and number of bits in a byte; bits is 0 for whole bytes
	scaled      bool    // true if the value is raw·scale + offset
	scaling     scaling // scale and offset if scaled is true
	hasNoData   bool    // true if the stored value noData represents a missing value
	noData      uint64
}

// byteDim returns a dimension that consists of whole bytes.
func byteDim(name string, t table.Type, at int) dimension {
	return dimension{name: name, typ: t, raw: t, offset: at}
}

// Each constant is a set of point formats, with bit k for format k.
const (
	allFormats  = 1<<11 - 1
	newFormats  = allFormats &^ oldFormats
	oldFormats  = 1<<6 - 1
	timeFormats = allFormats &^ (1<<0 | 1<<2)
	rgbFormats  = 1<<2 | 1<<3 | 1<<5 | 1<<7 | 1<<8 | 1<<10
	nirFormats  = 1<<8 | 1<<10
	waveFormats = 1<<4 | 1<<5 | 1<<9 | 1<<10
)

// standardTable lists all dimensions except x, y and z, in the order of the file (LAS 1.4 R15,
// tables 7 to 17).
var standardTable = []struct {
	names   string // names of one or more dimensions, separated by spaces
	typ     table.Type
	bits    uint8 // bits of each dimension in a shared byte, low bits first; 0 for whole bytes
	formats uint16
}{
	{"intensity", table.Uint16, 0, allFormats},
	{"return_number number_of_returns", table.Uint8, 3, oldFormats},
	{"scan_direction_flag edge_of_flight_line", table.Bool, 1, oldFormats},
	{"classification", table.Uint8, 5, oldFormats},
	{"synthetic key_point withheld", table.Bool, 1, oldFormats},
	{"scan_angle_rank", table.Int8, 0, oldFormats},
	{"return_number number_of_returns", table.Uint8, 4, newFormats},
	{"synthetic key_point withheld overlap", table.Bool, 1, newFormats},
	{"scanner_channel", table.Uint8, 2, newFormats},
	{"scan_direction_flag edge_of_flight_line", table.Bool, 1, newFormats},
	{"classification", table.Uint8, 0, newFormats},
	{"user_data", table.Uint8, 0, allFormats},
	{"scan_angle", table.Int16, 0, newFormats},
	{"point_source_id", table.Uint16, 0, allFormats},
	{"gps_time", table.Float64, 0, timeFormats},
	{"red green blue", table.Uint16, 0, rgbFormats},
	{"nir", table.Uint16, 0, nirFormats},
	{"wavepacket_index", table.Uint8, 0, waveFormats},
	{"wavepacket_offset", table.Uint64, 0, waveFormats},
	{"wavepacket_size", table.Uint32, 0, waveFormats},
	{"return_point_wave_location x_t y_t z_t", table.Float32, 0, waveFormats},
}

// standardDims returns the dimensions of a point format, beginning with x, y and z. It does not set
// the scaling of x, y and z.
func standardDims(format int) []dimension {
	var dims []dimension
	for i := range 3 {
		dims = append(dims, dimension{name: "xyz"[i : i+1], typ: table.Float64, raw: table.Int32, offset: 4 * i, scaled: true})
	}
	bit := 8 * 12
	for _, s := range standardTable {
		if s.formats>>format&1 == 0 {
			continue
		}
		for _, name := range strings.Fields(s.names) {
			d := byteDim(name, s.typ, bit/8)
			d.formats = s.formats
			if s.bits > 0 {
				d.raw, d.shift, d.bits = table.Uint8, uint8(bit%8), s.bits
				bit += int(s.bits)
			} else {
				bit += 8 * s.typ.Size()
			}
			dims = append(dims, d)
		}
	}
	return dims
}

// These constants describe a descriptor of extra bytes (LAS 1.4 R15, table 24).
const (
	specUser       = "LASF_Spec"
	extraID        = 4
	descriptorSize = 192
	atType         = 2
	atOptions      = 3
	atName         = 4
	atNoData       = 40
	atXScale       = 112
	atXOffset      = 136
	atText         = 160
	nameSize       = 32

	noDataOption, scaleOption, offsetOption = 1, 8, 16
)

// extraTypes has the types 1 to 10 of extra bytes. The types 11 to 20 are pairs of these types, and
// the types 21 to 30 are triples.
var extraTypes = [...]table.Type{table.Uint8, table.Int8, table.Uint16, table.Int16, table.Uint32, table.Int32, table.Uint64, table.Int64, table.Float32, table.Float64}

// extraNumber returns the LAS number of a type.
func extraNumber(t table.Type) byte { return byte(slices.Index(extraTypes[:], t) + 1) }

// extraBytesRecord returns the record that describes the extra bytes, or nil if there is none.
func (h *header) extraBytesRecord() *vlr {
	if i := slices.IndexFunc(h.vlrs, func(r vlr) bool { return r.user == specUser && r.id == extraID }); i >= 0 {
		return &h.vlrs[i]
	}
	return nil
}

// extraDims returns the dimensions of the extra bytes. The last dimension can be bytes without a
// description. undocumented is the number of these bytes.
func (h *header) extraDims() (d []dimension, undocumented int, err error) {
	at := pointSizes[h.format]
	if r := h.extraBytesRecord(); r != nil {
		body := h.body(*r)
		if len(body)%descriptorSize != 0 {
			return nil, 0, plural.Errorf("byte %d: the record of extra bytes has %d bytes, expected a multiple of %d", r.offset, len(body), descriptorSize)
		}
		for ; len(body) > 0; body = body[descriptorSize:] {
			list, err := describe(body[:descriptorSize], at)
			if err != nil {
				return nil, 0, fmt.Errorf("byte %d: extra bytes %s: %w", r.offset, quote.Word(cString(body[atName:][:nameSize])), err)
			}
			for _, e := range list {
				if at += e.raw.Size(); at > h.pointSize {
					return nil, 0, plural.Errorf("byte %d: extra bytes %s end at byte %d of a point, but each point has %d bytes", r.offset, quote.Word(e.name), at, h.pointSize)
				}
			}
			d = append(d, list...)
		}
	}
	for undocumented = h.pointSize - at; at < h.pointSize; at++ {
		d = append(d, byteDim("undocumented", table.Uint8, at))
	}
	return d, undocumented, nil
}

// describe returns the dimensions that a descriptor describes. The first dimension has the given
// offset in a point.
func describe(b []byte, at int) (d []dimension, err error) {
	kind, options := int(b[atType]), b[atOptions]
	label := cString(b[atName:][:nameSize])
	if label == "" {
		label = "extra"
	}
	if kind == 0 { // undocumented bytes; the options byte is their number
		for i := range int(options) {
			d = append(d, byteDim(label, table.Uint8, at+i))
		}
		return d, nil
	}
	if kind > 3*len(extraTypes) {
		return nil, fmt.Errorf("type %d is not known", kind)
	}
	t, n := extraTypes[(kind-1)%len(extraTypes)], (kind-1)/len(extraTypes)+1
	for i := range n {
		e := byteDim(label, t, at+i*t.Size())
		if n > 1 {
			e.name = fmt.Sprintf("%s_%d", label, i)
		}
		if options&noDataOption != 0 {
			e.hasNoData, e.noData = true, le.Uint64(b[atNoData+8*i:])
		}
		if options&(scaleOption|offsetOption) != 0 {
			e.typ, e.scaled, e.scaling.scale = table.Float64, true, 1
			if options&scaleOption != 0 {
				e.scaling.scale = getFloat(b, atXScale+8*i)
			}
			if options&offsetOption != 0 {
				e.scaling.offset = getFloat(b, atXOffset+8*i)
			}
			if t.IsInt() && t.Size() <= 4 {
				e.scaling = newScaling(e.scaling.scale, e.scaling.offset)
			}
		}
		d = append(d, e)
	}
	return d, nil
}

// makeUnique appends numbers to repeated names. The cost is linear, because a damaged file can have
// thousands of equal names.
func makeUnique(dims []dimension) {
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
