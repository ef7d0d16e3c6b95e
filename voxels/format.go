package voxels

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/vtkxml"
)

// Format is the file format of the array. In all formats the values are little-endian, x runs
// fastest and z slowest, and the two components of a voxel are adjacent. The zero value is NPY.
type Format uint8

const (
	// NPY is a NumPy array in C order with the shape (nz, ny, nx), or (nz, ny, nx, 2) with
	// Options.Error. NPY files do not contain the origin and the spacing.
	NPY Format = iota
	// VTI is a VTK ImageData file for ParaView. The values are raw appended cell data, which strict
	// XML parsers do not accept.
	VTI
	// NRRD is a cell-centered NRRD0005 file with an attached header.
	NRRD
	// Raw has no header.
	Raw
)

var formats = [...]struct {
	name   string
	header func(Grid, cell) []byte
	footer string
}{
	{"npy", npyHeader, ""},
	{"vti", vtiHeader, vtkxml.Footer},
	{"nrrd", nrrdHeader, ""},
	{"raw", func(Grid, cell) []byte { return nil }, ""},
}

// ParseFormat returns the format with the given name: npy, vti, nrrd or raw. Upper and lower case
// are equivalent.
func ParseFormat(name string) (Format, error) {
	for i, f := range formats {
		if strings.EqualFold(f.name, name) {
			return Format(i), nil
		}
	}
	return NPY, fmt.Errorf("unknown format %q: expected npy, vti, nrrd or raw", name)
}

// String returns the name that ParseFormat accepts.
func (f Format) String() string {
	if int(f) < len(formats) {
		return formats[f].name
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// maxHeader is an upper bound of the length of header plus footer. The header and the footer
// contain fewer than 100 numbers, each of at most 24 bytes.
const maxHeader = 1 << 16

// npyHeader returns a header of version 1.0 of "NEP 1, A simple file format for NumPy arrays". The
// length of the header is a multiple of 64.
func npyHeader(g Grid, c cell) []byte {
	dtype := map[int]string{1: "|u1", 4: "<f4", 8: "<f8"}[c.item]
	shape := fmt.Sprintf("%d, %d, %d", g.Counts[2], g.Counts[1], g.Counts[0])
	if n := len(c.names); n > 1 {
		shape += fmt.Sprintf(", %d", n)
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", dtype, shape)
	const fixed = 10 // bytes of the magic string, the version and the length
	length := (fixed + len(dict) + 1 + 63) / 64 * 64
	out := append([]byte("\x93NUMPY"), 1, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(length-fixed))
	out = append(out, dict...)
	out = append(out, strings.Repeat(" ", length-len(out)-1)...)
	return append(out, '\n')
}

// vtiHeader returns everything before the first value.
func vtiHeader(g Grid, c cell) []byte {
	kind := map[int]vtkxml.Type{1: vtkxml.UInt8, 4: vtkxml.Float32, 8: vtkxml.Float64}[c.item]
	f := vtkxml.Image(g.Counts, g.Origin, g.Spacing, nil)
	f.Cells = []vtkxml.Array{{Name: c.names[0], Type: kind, Components: c.names, Bytes: uint64(g.Len()) * uint64(c.bytes())}}
	return append(f.Header(), f.Cells[0].Length()...)
}

// nrrdHeader follows "Definition of NRRD File Format", teem.sourceforge.net. The space origin is
// the center of the first voxel.
func nrrdHeader(g Grid, c cell) []byte {
	kind := map[int]string{1: "uint8", 4: "float", 8: "double"}[c.item]
	dimension, first := 3, [4]string{}
	if n := len(c.names); n > 1 {
		dimension, first = 4, [4]string{strconv.Itoa(n) + " ", "vector ", "none ", "none "}
	}
	h, o := components(g.Spacing), components(g.Center(0, 0, 0))
	var s strings.Builder
	s.WriteString("NRRD0005\n# " + strings.Join(c.names, ", ") + "\n")
	fmt.Fprintf(&s, "type: %s\ndimension: %d\nspace dimension: 3\n", kind, dimension)
	fmt.Fprintf(&s, "sizes: %s%d %d %d\n", first[0], g.Counts[0], g.Counts[1], g.Counts[2])
	fmt.Fprintf(&s, "kinds: %sdomain domain domain\n", first[1])
	fmt.Fprintf(&s, "centers: %scell cell cell\n", first[2])
	fmt.Fprintf(&s, "space directions: %s(%s,0,0) (0,%s,0) (0,0,%s)\n", first[3], number(h[0]), number(h[1]), number(h[2]))
	fmt.Fprintf(&s, "space origin: (%s,%s,%s)\n", number(o[0]), number(o[1]), number(o[2]))
	if c.item > 1 {
		s.WriteString("endian: little\n")
	}
	s.WriteString("encoding: raw\n\n")
	return []byte(s.String())
}

// number returns the shortest decimal number that is parsed as x. For −0, it returns 0.
func number(x float64) string { return strconv.FormatFloat(x+0, 'g', -1, 64) }
