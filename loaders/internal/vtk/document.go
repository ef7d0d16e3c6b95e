package vtk

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// document is an XML file.
type document struct {
	*reader
	x          xmlText
	kind       string // type of the data set, such as polyData
	order      binary.ByteOrder
	width      int    // size of the integers of headers in bytes
	compressor string // "" if arrays are not compressed
	pieces     []piece
	packed     blocks // reused for all arrays

	whole extent // extent of a structured grid
	image image  // frame of image data

	appended, appendedEnd int  // span of the appended arrays; −1 if there are none
	raw                   bool // the appended arrays are raw instead of base64

	repeated bool // the geometry has several time steps
	longer   int  // number of arrays with more values than necessary

	decoded int64 // number of bytes in the file of the arrays that were decoded
}

const (
	polyData         = "PolyData"
	unstructuredGrid = "UnstructuredGrid"
)

// readXML reads an XML file: the tags up to the appended arrays, then the arrays of each piece.
func readXML(r *reader) error {
	d := &document{reader: r, x: xmlText{src: r.s, text: r.s.Data}, appended: -1}
	if err := d.parse(); err != nil {
		return err
	}
	if err := d.addPieces(); err != nil {
		return err
	}
	if d.repeated {
		d.b.Note("took the first of several time steps")
	}
	d.b.NoteCount("ignored values at the end of %d arrays beyond the necessary number", d.longer)
	if tail := bytes.TrimRight(d.s.Data, " \t\r\n\x00"); d.appended >= 0 && !bytes.HasSuffix(tail, []byte("</VTKFile>")) {
		d.b.Note("the file does not end in </VTKFile>, so it can be truncated")
	}
	return nil
}

// parse reads all tags up to the appended arrays.
func (d *document) parse() error {
	root, err := d.x.next()
	if err != nil {
		return err
	}
	if string(root.name) != "VTKFile" {
		return d.x.text.Fail(root.at, soup.ErrSyntax, "the first element is %s, must be VTKFile", quote.Word(root.name))
	}
	if err := d.header(root); err != nil {
		return err
	}
	found := false
	for !root.empty {
		t, err := d.x.next()
		switch {
		case err != nil:
			return err
		case t.end:
			root.empty = true
		case string(t.name) == d.kind && !found:
			found = true
			if d.isStructured() {
				err = d.openStructured(t)
			}
			if err == nil {
				err = d.x.children(t, d.child)
			}
		case string(t.name) == d.kind:
			err = d.x.text.Fail(t.at, soup.ErrSyntax, "a second element %s", d.kind)
		case string(t.name) == "AppendedData" && !found:
			return d.x.text.Fail(t.at, soup.ErrSyntax, "no element %s comes before AppendedData", d.kind)
		case string(t.name) == "AppendedData":
			return d.openAppended(t)
		default:
			err = d.x.skip(t)
		}
		if err != nil {
			return err
		}
	}
	if !found {
		return d.x.text.Fail(root.at, soup.ErrSyntax, "the file has no element %s", d.kind)
	}
	return d.x.finish()
}

// lastVersion is the last known major version of the format. VTK reads files of later versions, and some
// programs write the version of VTK.
const lastVersion = 2

// header reads the attributes of the root element.
func (d *document) header(root tag) error {
	fail := func(kind error, name string) *soup.Error {
		return d.x.text.Fail(root.at, kind, "%s is %s", name, quote.Word(d.x.attr(name)))
	}
	d.kind = d.x.attr("type")
	if err := checkKind(d.kind); err != nil {
		return err.OnLine(scan.LineAt(d.x.text, root.at))
	}
	if version := d.x.attr("version"); version != "" {
		major, _, _ := strings.Cut(version, ".")
		if n, err := strconv.Atoi(major); err != nil || n > lastVersion {
			d.b.Note("the version %s of the format is unknown", quote.Word(version))
		}
	}
	switch d.x.attr("byte_order") {
	case "", "LittleEndian": // without this attribute, VTK uses the order of the machine
		d.order = binary.LittleEndian
	case "BigEndian":
		d.order = binary.BigEndian
	default:
		return fail(soup.ErrSyntax, "byte_order")
	}
	switch d.x.attr("header_type") {
	case "", "UInt32":
		d.width = 4
	case "UInt64":
		d.width = 8
	default:
		return fail(soup.ErrSyntax, "header_type")
	}
	d.compressor = d.x.attr("compressor")
	return nil
}

// checkKind refuses other types of data sets, with a hint.
func checkKind(kind string) *soup.Error {
	switch kind {
	case polyData, unstructuredGrid, structuredGrid, rectilinearGrid, imageData:
		return nil
	case "P" + polyData, "P" + unstructuredGrid, "P" + structuredGrid, "P" + rectilinearGrid, "P" + imageData:
		return soup.AtPath("", soup.ErrUnsupported, "the file only lists files with the pieces of a mesh").
			WithHint("read the files of its pieces, or save the mesh as one file without pieces, for example with ParaView")
	}
	if kind == "Collection" || strings.HasPrefix(kind, "vtk") { // vtkMultiBlockDataSet and others
		return soup.AtPath("", soup.ErrUnsupported, "the file only lists other files of data sets").
			WithHint("read the files that it lists")
	}
	return unsupportedData(kind)
}

// openAppended finds the appended arrays. They begin after an underscore.
func (d *document) openAppended(t tag) error {
	switch d.x.attr("encoding") {
	case "raw":
		d.raw = true
	case "base64", "":
	default:
		return d.x.text.Fail(t.at, soup.ErrUnsupported, "appended arrays in the encoding %s", quote.Word(d.x.attr("encoding")))
	}
	i := scan.SkipSpace(d.x.text, d.x.at)
	if i == len(d.x.text) || d.x.text[i] != '_' || t.empty {
		return d.x.text.Fail(t.at, soup.ErrSyntax, "no underscore follows the tag of AppendedData")
	}
	d.appended, d.appendedEnd = i+1, len(d.x.text)
	rest := d.x.text[d.appended:]
	n := bytes.IndexByte(rest, '<')
	if d.raw { // raw bytes can contain the tag, so the last one counts
		n = bytes.LastIndex(rest, []byte("</AppendedData"))
	}
	if n >= 0 {
		d.appendedEnd = d.appended + n
	}
	return nil
}

// child reads a child of the data set.
func (d *document) child(t tag) error {
	if string(t.name) == "Piece" {
		return d.piece(t)
	}
	return d.x.skip(t)
}

// piece is a part of the data set with its own points.
type piece struct {
	index  int
	at     int    // position of its tag
	points int64  // number of points
	extent extent // extent of a piece of a structured grid
	cells  [len(polySections)]int64
	arrays []array
}

// polySections lists the elements of the cells of polygonal data, in the order in which the arrays of
// cell data list these cells.
var polySections = [...]string{"Verts", "Lines", "Polys", "Strips"}

// Indices in polySections.
const (
	verts = iota
	lines
	polys
	strips
)

// Names of arrays.
const (
	connectivity     = "connectivity"
	offsets          = "offsets"
	types            = "types"
	faces            = "faces"
	faceOffsets      = "faceoffsets"
	faceConnectivity = "face_connectivity"
	faceEnds         = "face_offsets"
	polyhedronFaces  = "polyhedron_to_faces"
	polyhedronEnds   = "polyhedron_offsets"
	ghostTypes       = "vtkGhostType"
	ghostLevels      = "vtkGhostLevels"
)

// wanted lists the arrays of each element. The element Points has one array of any name.
var wanted = map[string][]string{
	"CellData": {ghostTypes, ghostLevels}, "PointData": {ghostTypes},
	"Cells": {connectivity, offsets, types, faces, faceOffsets, faceConnectivity, faceEnds, polyhedronFaces, polyhedronEnds},
	"Verts": {}, "Lines": {}, "Polys": {connectivity, offsets}, "Strips": {connectivity, offsets}, "Points": {},
}

// pieceBytes and arrayBytes are sizes for the budget.
const (
	pieceBytes = 128
	arrayBytes = 224 // size of an array, with the room that append leaves
)

// piece reads a piece.
func (d *document) piece(t tag) error {
	p := piece{index: len(d.pieces), at: t.at}
	if err := d.counts(&p, t); err != nil {
		return err
	}
	if err := d.x.children(t, func(t tag) error { return d.section(&p, t) }); err != nil {
		return err
	}
	if p.points < 0 || d.kind == unstructuredGrid && p.cells[0] < 0 {
		return d.x.text.Fail(t.at, soup.ErrSyntax, "a piece lacks NumberOfPoints or NumberOfCells")
	}
	for i := range p.cells { // older files lack the numbers of elements that they do not have
		p.cells[i] = max(p.cells[i], 0)
	}
	if err := soup.Grow(d.b.Budget, &d.pieces, 1, pieceBytes); err != nil {
		return err
	}
	d.pieces = append(d.pieces, p)
	return nil
}

// counts reads the attributes of a piece.
func (d *document) counts(p *piece, t tag) error {
	if d.isStructured() {
		return d.extentOf(t, "Extent", &p.extent)
	}
	err := d.count(t, "NumberOfPoints", &p.points)
	if d.kind == unstructuredGrid {
		err = cmp.Or(err, d.count(t, "NumberOfCells", &p.cells[0]))
	} else {
		for i, name := range polySections {
			err = cmp.Or(err, d.count(t, "NumberOf"+name, &p.cells[i]))
		}
	}
	return err
}

// count reads an attribute with a number of elements. The number is −1 if there is no such attribute.
func (d *document) count(t tag, name string, n *int64) error {
	*n = -1
	text := d.x.attr(name)
	if text == "" {
		return nil
	}
	v, length, ok := decimal.ParseInt([]byte(text))
	if !ok || length < len(text) || v < 0 {
		return d.x.text.Fail(t.at, soup.ErrSyntax, "%s is %s", name, quote.Word(text))
	}
	*n = v
	return nil
}

// section reads a child of a piece, such as the cells.
func (d *document) section(p *piece, t tag) error {
	section := string(t.name)
	if !d.uses(section) {
		return d.x.skip(t)
	}
	if section == "Coordinates" {
		return d.coordinates(p, t)
	}
	names, poly := wanted[section], slices.Index(polySections[:], section)
	if poly >= 0 && p.cells[poly] < 0 && !t.empty {
		return d.x.text.Fail(t.at, soup.ErrSyntax, "a piece has the element %s, but lacks NumberOf%s", quote.Word(t.name), t.name)
	}
	return d.x.children(t, func(t tag) error {
		name := d.x.attr("Name")
		if string(t.name) != "DataArray" || section != "Points" && !slices.Contains(names, name) {
			return d.x.skip(t)
		}
		if section == "Points" {
			name = ""
		}
		return d.array(p, section, name, t)
	})
}

// uses reports whether an element of a piece can have arrays of the shape.
func (d *document) uses(section string) bool {
	switch section {
	case "CellData":
		return true
	case "PointData":
		return d.isStructured()
	case "Points":
		return d.kind == polyData || d.kind == unstructuredGrid || d.kind == structuredGrid
	case "Coordinates":
		return d.kind == rectilinearGrid
	case "Cells":
		return d.kind == unstructuredGrid
	}
	return d.kind == polyData && slices.Contains(polySections[:], section)
}
