// Package pcd reads and writes point clouds of the Point Cloud Library (PCL), files with the suffix
// .pcd ("The PCD (Point Cloud Data) file format", pointclouds.org), VERSION .5 to .7 and DATA ascii,
// binary or binary_compressed.
//
// The FIELDS are the columns. A field with a COUNT n > 1 has the columns name_0 to name_(n−1). Fields
// with the name _ fill bytes and have no columns, and a field with the COUNT 0 has no bytes either. TYPE and
// DATA can have lower or upper case. Bytes after the points are not used; PCL fills the last page of a file with
// zeros. In binary data, a float32 field with the name rgb
// or rgba is an unsigned integer, because its bits are a color. Package axes finds the columns of the
// coordinates. A point with a coordinate NaN, as organized clouds have, is not finite. VIEWPOINT is
// not applied to the points: there is a warning if it is not the identity.
//
// Source.Passthrough copies all bytes of the points and adds a field for each answer:
//
//	Inside         U 1   1 inside or on the surface, 0 outside, 255 uncertain
//	State          U 1   0 out, 1 in, 2 on, 255 uncertain
//	Number, Bound  F 8
//	Integer, Label I 4   a label is its number, or −1 if there is none
//
// WIDTH and HEIGHT of an organized cloud stay if all its points are copied. Otherwise HEIGHT is 1. A
// cloud with compressed points is written as DATA binary, because the compressed columns cannot be
// written row by row.
//
// The columns of compressed points follow each other. New decodes them once to find the beginnings of
// the columns. The rows are then read with a decoder for each column, so the memory does not depend on
// the size of the file. If the input is a stream, its compressed bytes are kept in memory, up to 256
// MiB.
package pcd

import (
	"bufio"
	"bytes"
	stdbinary "encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/records"
	"github.com/inpoly/inpoly/points/table"
)

// Options select the rows, and the fields that hold the coordinates; see package axes. A range of
// bytes needs DATA binary.
type Options = pointio.Options

// Source is a PCD file.
type Source interface {
	table.Source
	// Warnings returns a warning for a VIEWPOINT that is not applied.
	Warnings() []string
	// ASCII reports whether the points are text.
	ASCII() bool
	// String describes the file in a few words.
	String() string
}

// New reads the header of a PCD file from r. The given name is the name of the file in error
// messages. The io.ReaderAt is the same file, or nil for a stream and for compressed input. The size
// in bytes is −1 if it is unknown.
func New(name string, r io.Reader, at io.ReaderAt, size int64, opt Options) (Source, error) {
	if size < 0 {
		at = nil
	}
	s, err := open(name, bufio.NewReaderSize(r, 1<<16), at, size, opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func open(name string, br *bufio.Reader, at io.ReaderAt, size int64, opt Options) (Source, error) {
	h, err := readHeader(br)
	if err != nil {
		return nil, err
	}
	columns := h.columns()
	fields := make([]table.Field, len(columns))
	for i, c := range columns {
		fields[i] = c.Field
	}
	xyz, err := axes.Choose(fields, opt.Columns, opt.Find, func(k int) bool { return axes.IsNumber(fields[k]) })
	if err != nil {
		return nil, err
	}
	if h.data == ascii {
		return newText(name, h, columns, fields, xyz, br, at, opt)
	}
	l := records.Layout{Name: name, Fields: fields, Axes: xyz, Total: h.points, Start: int64(len(h.text))}
	if h.data == binary {
		err = h.layBinary(&l, columns, br, at, size)
	} else {
		err = h.layCompressed(&l, columns, br, at, size)
	}
	if err != nil {
		return nil, err
	}
	rows, err := records.New(l, opt, at != nil)
	if err != nil {
		return nil, err
	}
	return &binarySource{rows, h}, nil
}

// column is a column of the table: one element of a field.
type column struct {
	table.Field
	typ    table.Type // type of the element
	entry  int        // index into header.fields
	offset int        // index of the first byte in the field
	word   int        // number of words before the element in a line of text
}

// columns returns the columns. Their names are unique.
func (h *header) columns() (list []column) {
	total := 0
	for i := range h.fields {
		if f := &h.fields[i]; !f.padding() {
			total += f.count
		}
	}
	word := 0
	for i := range h.fields {
		f := &h.fields[i]
		c := column{typ: f.element(), entry: i, word: word, Field: table.Field{Name: f.name, Type: f.element()}}
		word += f.count
		switch {
		case f.padding():
			continue
		case f.count > 1 && total > maxNames:
			c.Type, c.Opaque = table.Text, plural.Sprintf("a list of %d numbers", f.count)
			list = append(list, c)
			continue
		case h.data == ascii && c.Type.IsFloat():
			c.Type = table.Float64
		case h.data != ascii && c.Type == table.Float32 && f.count == 1 && (f.name == "rgb" || f.name == "rgba"):
			c.Type, c.typ = table.Uint32, table.Uint32
		}
		for k := range f.count {
			if c.Name = f.name; f.count > 1 {
				c.Name = fmt.Sprintf("%s_%d", f.name, k)
			}
			list = append(list, c)
			c.offset += f.size
			c.word++
		}
	}
	names := make([]table.Column, len(list))
	for i := range list {
		names[i].Name = list[i].Name
	}
	for i, name := range table.Names(nil, names) {
		list[i].Name = name
	}
	return list
}

// binarySource reads binary points, compressed or not.
type binarySource struct {
	*records.Source
	head *header
}

func (s *binarySource) Format() string     { return "pcd" }
func (s *binarySource) Warnings() []string { return s.head.warnings }
func (s *binarySource) ASCII() bool        { return false }

// String describes the file in a few words.
func (s *binarySource) String() string { return "pcd, " + strings.ReplaceAll(s.head.data, "_", " ") }

// layBinary sets the layout of points whose bytes are contiguous.
func (h *header) layBinary(l *records.Layout, columns []column, br *bufio.Reader, at io.ReaderAt, size int64) error {
	row := h.rowBytes()
	if size >= 0 && (h.points > size/row || l.Start+h.points*row > size) {
		need := "more"
		if h.points <= size/row {
			need = fmt.Sprint(l.Start + h.points*row)
		}
		return plural.Errorf("%d points of %d bytes need %s bytes with the header, but the file has %d", h.points, row, need, size)
	}
	l.Strips = []records.Strip{records.Contiguous(br, at, l.Start, row, h.points)}
	offsets, n := make([]int, len(h.fields)), 0
	for i := range h.fields {
		offsets[i] = n
		n += int(h.fields[i].bytes())
	}
	for _, c := range columns {
		l.Cells = append(l.Cells, records.Cell{Offset: offsets[c.entry] + c.offset, Type: c.typ})
	}
	l.AtEnd = records.Rest(br)
	if at != nil {
		l.AtEnd = func() (int64, error) { return size - l.Start - h.points*row, nil }
	}
	return nil
}

// layCompressed sets the layout of compressed points. All values of one field come before all
// values of the next field.
func (h *header) layCompressed(l *records.Layout, columns []column, br *bufio.Reader, at io.ReaderAt, size int64) error {
	var sizes [8]byte
	if _, err := io.ReadFull(br, sizes[:]); err != nil {
		return fmt.Errorf("the sizes of the compressed points are cut off: %w", io.ErrUnexpectedEOF)
	}
	packed, plain := int64(stdbinary.LittleEndian.Uint32(sizes[:])), int64(stdbinary.LittleEndian.Uint32(sizes[4:]))
	row := h.rowBytes()
	if h.points > plain/row || h.points*row != plain {
		return plural.Errorf("the compressed points have %d bytes, but the header has %d points of %d bytes", plain, h.points, row)
	}
	start := l.Start + int64(len(sizes))
	if at == nil {
		data, err := records.Hold(br, "the cloud with compressed points")
		if err != nil {
			return err
		}
		at, size, start = bytes.NewReader(data), int64(len(data)), 0
	}
	if start+packed > size {
		return fmt.Errorf("the compressed points are cut off: %w", io.ErrUnexpectedEOF)
	}
	l.AtEnd = func() (int64, error) { return size - start - packed, nil }
	lengths := make([]int64, len(h.fields))
	for i := range lengths {
		lengths[i] = h.points * h.fields[i].bytes()
	}
	starts, err := lzfStarts(at, start, start+packed, lengths)
	if err != nil {
		return err
	}
	for i := range h.fields {
		n := h.fields[i].bytes()
		l.Strips = append(l.Strips, records.Strip{Size: n, Open: func(row int64) (io.Reader, error) {
			return starts[i], starts[i].skip(row * n)
		}})
	}
	for _, c := range columns {
		l.Cells = append(l.Cells, records.Cell{Strip: c.entry, Offset: c.offset, Type: c.typ})
	}
	l.Scattered = "the columns of compressed points follow each other"
	return nil
}
