// Package msh reads meshes of Gmsh: MSH 2.2 and MSH 4.1, as text and binary (reference manual of Gmsh
// 4.13, chapter "MSH file format").
//
// If the file has volume elements, the reader returns the outer surface of the volume elements of each
// physical volume. The reader then ignores surface elements, because each of them repeats a face of a
// volume element. If the file has no volume elements, the reader returns the surface elements of each
// physical surface. A body is a physical volume or surface. Elements without a physical group come
// first, as one body without a name.
//
// The elements of a physical volume form a closed surface, so a face between two physical volumes
// is in both bodies, in opposite directions. An element of several groups belongs to the first one.
package msh

import (
	"encoding/binary"
	"strings"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Format describes MSH.
func Format() soup.Format {
	signature := func(data []byte) bool {
		word := scan.FirstWord(data)
		return word == "$MeshFormat" || word == "$NOD" || word == "$Comments"
	}
	return soup.Format{Name: "msh", Signature: signature, Read: read}
}

const hintConvert = "convert the file with Gmsh: gmsh -save -format msh41 OLD.msh -o NEW.msh"

// reader holds the content of the file that was read so far.
type reader struct {
	cursor
	src      *soup.Source
	b        *soup.Builder
	version4 bool // MSH 4.1
	nodes    nodes
	groups   groups
	elements elements
	seen     map[string]bool // sections that were read
}

func read(src *soup.Source, b *soup.Builder) error {
	r := &reader{src: src, b: b, seen: map[string]bool{}}
	r.data = src.Data
	if err := r.header(); err != nil {
		return err
	}
	for {
		word, at := r.word()
		if word == "" {
			break
		}
		section, ok := strings.CutPrefix(word, "$")
		if !ok || strings.HasPrefix(section, "End") || at+len(word) < r.i {
			return r.fail(at, soup.ErrSyntax, "found %s instead of a section", quote.Word(word))
		}
		if err := r.section(section, at); err != nil {
			return err
		}
		if err := src.Step(int64(r.i - at)); err != nil {
			return err
		}
	}
	switch {
	case !r.seen["Nodes"]:
		return r.fail(len(r.data), soup.ErrTruncated, "the file has no section $Nodes")
	case !r.seen["Elements"]:
		return r.fail(len(r.data), soup.ErrTruncated, "the file has no section $Elements")
	}
	return r.build()
}

// header reads the section $MeshFormat. It converts the text of a file that is not binary.
func (r *reader) header() error {
	if scan.UTF16Order(r.data) != nil || len(r.data) > 0 && r.data[0] == 0xef {
		if err := r.src.PlainText(); err != nil {
			return err
		}
		r.data = r.src.Data
	}
	word, at := r.word()
	for word == "$Comments" {
		if err := r.skipSection("Comments"); err != nil {
			return err
		}
		word, at = r.word()
	}
	switch word {
	case "$MeshFormat":
	case "$NOD":
		return r.fail(at, soup.ErrUnsupported, "the file has version 1 of MSH, must have 2.2 or 4.1").WithHint(hintConvert)
	default:
		return r.fail(at, soup.ErrSyntax, "a file of Gmsh must begin with $MeshFormat, or with $Comments before it").
			WithHint("if the file is a case of Ansys Fluent, export its surface as STL")
	}
	version, at := r.word()
	kind, kindAt := r.word()
	size, sizeAt := r.word()
	switch {
	case size == "":
		return r.fail(sizeAt, soup.ErrTruncated, "the file ends inside the section $MeshFormat")
	case version == "4.1":
		r.version4 = true
	case version != "2.2" && version != "2" && version != "2.0" && version != "2.1":
		return r.fail(at, soup.ErrUnsupported, "the file has version %s of MSH, must have 2.2 or 4.1", quote.Word(version)).WithHint(hintConvert)
	}
	if size != "8" {
		return r.fail(sizeAt, soup.ErrUnsupported, "numbers have %s bytes, must have 8", quote.Word(size)).WithHint(hintConvert)
	}
	switch kind {
	case "0":
		place := r.i
		if err := r.src.PlainText(); err != nil {
			return err
		}
		r.data, r.i = r.src.Data, place
	case "1":
		return r.byteOrder()
	default:
		return r.fail(kindAt, soup.ErrSyntax, "the file type is %s, must be 0 or 1", quote.Word(kind))
	}
	return r.end("MeshFormat")
}

// byteOrder reads the integer 1 and finds the byte order of the file from its bytes.
func (r *reader) byteOrder() error {
	r.order = binary.LittleEndian
	if line := scan.LineEnd(r.data, r.i); line < len(r.data) {
		r.i = line + 1
	}
	at := r.i
	one, err := r.next(4, "the number 1")
	if err != nil {
		return err
	}
	switch {
	case binary.LittleEndian.Uint32(one) == 1:
	case binary.BigEndian.Uint32(one) == 1:
		r.order = binary.BigEndian
	default:
		return r.fail(at, soup.ErrSyntax, "found the bytes % x instead of the number 1, which shows the byte order", one)
	}
	return r.end("MeshFormat")
}

// section reads or skips a section.
func (r *reader) section(name string, at int) error {
	var read func() error
	switch name {
	case "PhysicalNames":
		read = r.physicalNames
	case "Entities":
		read = r.entities
	case "PartitionedEntities":
		read = r.partitionedEntities
	case "Nodes", "ParametricNodes":
		parametric := name == "ParametricNodes"
		read = func() error { return r.readNodes(parametric) }
		name = "Nodes"
	case "Elements":
		read = r.readElements
		if !r.seen["Nodes"] {
			return r.fail(at, soup.ErrUnsupported, "the section $Elements comes before the section $Nodes").WithHint(hintConvert)
		}
	default:
		return r.skipSection(name)
	}
	if r.seen[name] {
		return r.fail(at, soup.ErrSyntax, "the section $%s occurs twice", name)
	}
	r.seen[name] = true
	if r.order != nil && r.version4 && name != "PhysicalNames" {
		// One newline separates the name of the section from the binary numbers.
		if r.i < len(r.data) && r.data[r.i] == '\r' {
			r.i++
		}
		r.i = min(r.i+1, len(r.data))
	}
	return read()
}
