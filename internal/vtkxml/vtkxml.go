// Package vtkxml writes the headers of XML files of the Visualization Toolkit (VTK) whose arrays are
// appended as raw bytes, which strict XML parsers do not accept. ParaView reads such files.
//
// The format is described in "VTK File Formats" of the VTK User's Guide. All values are little-endian.
//
//	f := vtkxml.Image(grid.Counts, grid.Origin, grid.Spacing, nil)
//	f.Cells = []vtkxml.Array{{Name: "grade", Type: vtkxml.Float64, Bytes: 8 * n}}
//	w.Write(f.Header())
//	for each array a of f.Arrays(): w.Write(a.Length()), and then the values
//	io.WriteString(w, vtkxml.Footer)
package vtkxml

import (
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/golang/geo/r3"
)

// Type is the type of the values of an Array.
type Type string

// The types of values.
const (
	UInt8   Type = "UInt8"
	Int32   Type = "Int32"
	Int64   Type = "Int64"
	Float32 Type = "Float32"
	Float64 Type = "Float64"
)

// Size returns the number of bytes of a value.
func (t Type) Size() int {
	return map[Type]int{UInt8: 1, Int32: 4, Int64: 8, Float32: 4, Float64: 8}[t]
}

// Array describes an array of appended data.
type Array struct {
	Name       string
	Type       Type
	Components []string // names of the components if there are several
	Vectors    bool     // the values are vectors of three components without names
	Bytes      uint64   // length of the data
}

// Texts is a list of texts that belongs to the whole file.
type Texts struct {
	Name string
	List []string
}

// File describes a file. The data of its arrays follow the header in the order of Arrays.
type File struct {
	kind, whole, piece string // the type of the data set, and the attributes of its elements

	Texts []Texts
	Cells []Array // values of cells

	points, topology []Array
}

// Image returns an ImageData file: a regular grid of cells, x fastest. rotation has the rows of the matrix
// that turns the axes of the grid about the origin, or is nil. VTK reads the rotation since version 9.
func Image(counts [3]int, origin, spacing r3.Vector, rotation *[3]r3.Vector) *File {
	extent := fmt.Sprintf("0 %d 0 %d 0 %d", counts[0], counts[1], counts[2])
	f := &File{kind: "ImageData", piece: fmt.Sprintf(`Extent="%s"`, extent)}
	f.whole = fmt.Sprintf(` WholeExtent="%s" Origin="%s" Spacing="%s"`, extent, numbers(origin), numbers(spacing))
	if r := rotation; r != nil {
		f.whole += fmt.Sprintf(` Direction="%s %s %s"`, numbers(r[0]), numbers(r[1]), numbers(r[2]))
	}
	return f
}

// Hexahedra returns an UnstructuredGrid file of hexahedra. These arrays follow the values of the cells:
// the coordinates of the points (float64), the indices of the eight corners of each cell (int64), the
// end of each cell in this list (int64), and the types of the cells (uint8).
func Hexahedra(points, cells uint64) *File {
	return &File{
		kind: "UnstructuredGrid", piece: fmt.Sprintf(`NumberOfPoints="%d" NumberOfCells="%d"`, points, cells),
		points: []Array{{Name: "Points", Type: Float64, Vectors: true, Bytes: 24 * points}},
		topology: []Array{
			{Name: "connectivity", Type: Int64, Bytes: 64 * cells}, {Name: "offsets", Type: Int64, Bytes: 8 * cells}, {Name: "types", Type: UInt8, Bytes: cells},
		},
	}
}

// Hexahedron is the type of a hexahedron. Its corners are the four corners of the lower side, around the
// upward axis, and then the corners above them.
const Hexahedron = 12

// Arrays returns all arrays in the order of the data.
func (f *File) Arrays() []Array {
	return append(append(append([]Array{}, f.Cells...), f.points...), f.topology...)
}

// Header returns the bytes before the first array.
func (f *File) Header() []byte {
	var s strings.Builder
	s.WriteString("<?xml version=\"1.0\"?>\n")
	fmt.Fprintf(&s, "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n", f.kind)
	fmt.Fprintf(&s, "  <%s%s>\n", f.kind, f.whole)
	f.writeTexts(&s)
	fmt.Fprintf(&s, "    <Piece %s>\n", f.piece)
	offset := uint64(0)
	offset = writeArrays(&s, "CellData", f.Cells, offset)
	offset = writeArrays(&s, "Points", f.points, offset)
	writeArrays(&s, "Cells", f.topology, offset)
	fmt.Fprintf(&s, "    </Piece>\n  </%s>\n  <AppendedData encoding=\"raw\">\n   _", f.kind)
	return []byte(s.String())
}

// Footer has the bytes after the last array.
const Footer = "\n  </AppendedData>\n</VTKFile>\n"

// Length returns the bytes that precede the data of an array.
func (a *Array) Length() []byte { return binary.LittleEndian.AppendUint64(nil, a.Bytes) }

// writeTexts writes the lists of texts. VTK reads a text as the bytes of UTF-8 and a zero.
func (f *File) writeTexts(s *strings.Builder) {
	if len(f.Texts) == 0 {
		return
	}
	s.WriteString("    <FieldData>\n")
	for _, t := range f.Texts {
		fmt.Fprintf(s, "      <Array type=\"String\" Name=\"%s\" NumberOfTuples=\"%d\" format=\"ascii\">\n       ", escaped(t.Name), len(t.List))
		for _, text := range t.List {
			for _, c := range []byte(strings.ReplaceAll(text, "\x00", "\ufffd") + "\x00") {
				fmt.Fprintf(s, " %d", c)
			}
		}
		s.WriteString("\n      </Array>\n")
	}
	s.WriteString("    </FieldData>\n")
}

// writeArrays writes an element with the descriptions of arrays. It returns the offset after them.
func writeArrays(s *strings.Builder, element string, list []Array, offset uint64) uint64 {
	if len(list) == 0 {
		return offset
	}
	scalars := ""
	if element == "CellData" {
		scalars = fmt.Sprintf(" Scalars=\"%s\"", escaped(list[0].Name))
	}
	fmt.Fprintf(s, "      <%s%s>\n", element, scalars)
	for _, a := range list {
		attributes := ""
		if n := len(a.Components); n > 1 {
			attributes = fmt.Sprintf(` NumberOfComponents="%d"`, n)
			for i, name := range a.Components {
				attributes += fmt.Sprintf(` ComponentName%d="%s"`, i, escaped(name))
			}
		}
		if a.Vectors {
			attributes = ` NumberOfComponents="3"`
		}
		fmt.Fprintf(s, "        <DataArray type=\"%s\" Name=\"%s\"%s format=\"appended\" offset=\"%d\"/>\n", a.Type, escaped(a.Name), attributes, offset)
		offset += 8 + a.Bytes
	}
	fmt.Fprintf(s, "      </%s>\n", element)
	return offset
}

// escaped returns the text of an attribute. Characters that XML cannot hold become U+FFFD.
func escaped(text string) string {
	var s strings.Builder
	_ = xml.EscapeText(&s, []byte(text)) // a Builder returns no error
	return s.String()
}

// number returns the shortest decimal number that is parsed as x. For −0, it returns 0.
func number(x float64) string { return strconv.FormatFloat(x+0, 'g', -1, 64) }

func numbers(v r3.Vector) string { return number(v.X) + " " + number(v.Y) + " " + number(v.Z) }
