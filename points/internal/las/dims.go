package las

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// pointSizes are the sizes of points of each format, without extra bytes.
var pointSizes = [...]int{20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67}

// dimension is a field of a point record.
type dimension struct {
	name   string
	typ    table.Type // of the values
	raw    table.Type // of the bytes
	offset int        // in the record

	shift, bits uint8   // if bits is not 0: a part of a byte
	scaled      bool    // value = raw·scale + offset
	scaling     scaling // if scaled
	hasNoData   bool    // noData stands for a missing value
	noData      uint64
}

// bitDim returns a dimension of some bits of a byte. A single bit is a Bool.
func bitDim(name string, at int, shift, bits uint8) dimension {
	t := table.Uint8
	if bits == 1 {
		t = table.Bool
	}
	return dimension{name: name, typ: t, raw: table.Uint8, offset: at, shift: shift, bits: bits}
}

// byteDim returns a dimension of whole bytes.
func byteDim(name string, t table.Type, at int) dimension {
	return dimension{name: name, typ: t, raw: t, offset: at}
}

// standardDims returns the dimensions of the point format, beginning with x, y and z (LAS 1.4 R15,
// tables 7 to 17).
func (h *header) standardDims() []dimension {
	var d []dimension
	for i := range 3 {
		d = append(d, dimension{name: "xyz"[i : i+1], typ: table.Float64, raw: table.Int32, offset: 4 * i, scaled: true, scaling: newScaling(h.scale[i], h.offset[i])})
	}
	d = append(d, byteDim("intensity", table.Uint16, 12))
	if h.format < 6 {
		d = append(d, bitDim("return_number", 14, 0, 3), bitDim("number_of_returns", 14, 3, 3),
			bitDim("scan_direction_flag", 14, 6, 1), bitDim("edge_of_flight_line", 14, 7, 1),
			bitDim("classification", 15, 0, 5), bitDim("synthetic", 15, 5, 1), bitDim("key_point", 15, 6, 1), bitDim("withheld", 15, 7, 1),
			byteDim("scan_angle_rank", table.Int8, 16), byteDim("user_data", table.Uint8, 17), byteDim("point_source_id", table.Uint16, 18))
	} else {
		d = append(d, bitDim("return_number", 14, 0, 4), bitDim("number_of_returns", 14, 4, 4),
			bitDim("synthetic", 15, 0, 1), bitDim("key_point", 15, 1, 1), bitDim("withheld", 15, 2, 1), bitDim("overlap", 15, 3, 1),
			bitDim("scanner_channel", 15, 4, 2), bitDim("scan_direction_flag", 15, 6, 1), bitDim("edge_of_flight_line", 15, 7, 1),
			byteDim("classification", table.Uint8, 16), byteDim("user_data", table.Uint8, 17),
			byteDim("scan_angle", table.Int16, 18), byteDim("point_source_id", table.Uint16, 20))
	}
	at := 20
	if h.format >= 6 {
		at = 22
	}
	add := func(names string, t table.Type) {
		for _, n := range strings.Fields(names) {
			d = append(d, byteDim(n, t, at))
			at += t.Size()
		}
	}
	if slices.Contains([]int{1, 3, 4, 5, 6, 7, 8, 9, 10}, h.format) {
		add("gps_time", table.Float64)
	}
	if slices.Contains([]int{2, 3, 5, 7, 8, 10}, h.format) {
		add("red green blue", table.Uint16)
	}
	if slices.Contains([]int{8, 10}, h.format) {
		add("nir", table.Uint16)
	}
	if slices.Contains([]int{4, 5, 9, 10}, h.format) {
		add("wavepacket_index", table.Uint8)
		add("wavepacket_offset", table.Uint64)
		add("wavepacket_size", table.Uint32)
		add("return_point_wave_location x_t y_t z_t", table.Float32)
	}
	return d
}

// Layout of the descriptors in the record of extra bytes (LAS 1.4 R15, table 24).
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

// extraTypes are the types 1 to 10 of extra bytes. Types 11 to 20 are pairs of them, 21 to 30
// triples.
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

// extraBytesRecord returns the record that describes the extra bytes, or nil.
func (h *header) extraBytesRecord() *vlr {
	for i := range h.vlrs {
		if r := &h.vlrs[i]; r.user == specUser && r.id == extraID {
			return r
		}
	}
	return nil
}

// extraDims returns the dimensions of the extra bytes. Each byte after the last described one is a
// dimension; rest is the number of these bytes.
func (h *header) extraDims() (d []dimension, rest int, err error) {
	at := pointSizes[h.format]
	if r := h.extraBytesRecord(); r != nil {
		body := h.body(*r)
		if len(body)%descriptorSize != 0 {
			return nil, 0, fmt.Errorf("byte %d: the record of extra bytes has %d bytes, no multiple of %d", r.offset, len(body), descriptorSize)
		}
		for ; len(body) > 0; body = body[descriptorSize:] {
			list, err := describe(body[:descriptorSize], at)
			if err != nil {
				return nil, 0, fmt.Errorf("byte %d: extra bytes %s: %w", r.offset, pointio.Quote([]byte(cString(body[atName:][:nameSize]))), err)
			}
			for _, e := range list {
				if at += e.raw.Size(); at > h.pointSize {
					return nil, 0, fmt.Errorf("byte %d: extra bytes %s end at byte %d of points that have %d", r.offset, pointio.Quote([]byte(e.name)), at, h.pointSize)
				}
			}
			d = append(d, list...)
		}
	}
	for rest = h.pointSize - at; at < h.pointSize; at++ {
		d = append(d, byteDim("undocumented", table.Uint8, at))
	}
	return d, rest, nil
}

// describe returns the dimensions of a descriptor, the first of them at an offset of the record.
func describe(b []byte, at int) (d []dimension, err error) {
	kind, options := int(b[atType]), b[atOptions]
	label := cString(b[atName:][:nameSize])
	if label == "" {
		label = "extra"
	}
	if kind == 0 { // undocumented bytes; options is their number
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
				e.scaling.scale = math.Float64frombits(le.Uint64(b[atXScale+8*i:]))
			}
			if options&offsetOption != 0 {
				e.scaling.offset = math.Float64frombits(le.Uint64(b[atXOffset+8*i:]))
			}
			if t.IsInt() && t.Size() <= 4 {
				e.scaling = newScaling(e.scaling.scale, e.scaling.offset)
			}
		}
		d = append(d, e)
	}
	return d, nil
}

// makeUnique appends numbers to repeated names.
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
