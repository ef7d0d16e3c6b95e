package ply

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/inpoly/inpoly/internal/plyfile"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// header is the header of a PLY file with the meaning of the elements.
type header struct {
	*plyfile.Header
	elements []element // elements with properties; other elements have empty rows
	vertices int64     // number of vertices
}

// element is an element of a PLY file with the meaning of its rows and properties.
type element struct {
	*plyfile.Element
	use   rowUse
	roles []role // roles of the properties
}

// rowUse is the kind of object that a row of an element represents.
type rowUse uint8

const (
	otherRows rowUse = iota
	vertexRows
	faceRows
	stripRows
)

// uses maps the name of an element to the use of its rows.
var uses = map[string]rowUse{"vertex": vertexRows, "face": faceRows, "tristrips": stripRows}

// role is the meaning of a property.
type role uint8

const (
	skipped     role = iota
	coordinateX      // role minus coordinateX is the index in chunk.xyz
	coordinateY
	coordinateZ
	faceIndex
	stripIndex
)

// readHeader reads the header. It compares the numbers of elements in the header with the size of
// data.
func readHeader(data []byte) (*header, error) {
	head, err := plyfile.ReadHeader(bufio.NewReader(bytes.NewReader(data)), 0)
	if err != nil {
		return nil, headerError(err)
	}
	h := &header{Header: head}
	if at, err := head.Vertex(); err != nil {
		return nil, headerError(err)
	} else if at >= 0 {
		h.vertices = head.Elements[at].Count
	}
	for i := range head.Elements {
		e := &head.Elements[i]
		u := element{Element: e, use: uses[e.Name], roles: make([]role, len(e.Properties))}
		for k := range e.Properties {
			u.roles[k] = roleOf(u.use, &e.Properties[k])
		}
		if err := u.check(); err != nil {
			return nil, err
		}
		if len(e.Properties) > 0 {
			h.elements = append(h.elements, u)
		}
	}
	return h, headerError(head.Fits(int64(len(data) - h.body())))
}

func (h *header) body() int { return len(h.Text) }

// headerError converts an error of package plyfile to an *Error.
func headerError(err error) error {
	var e *plyfile.Error
	if !errors.As(err, &e) {
		return err
	}
	kind := soup.ErrSyntax
	switch {
	case errors.Is(e.Kind, plyfile.ErrUnsupported):
		kind = soup.ErrUnsupported
	case errors.Is(e.Kind, io.ErrUnexpectedEOF):
		kind = soup.ErrTruncated
	}
	return soup.AtLine(e.Line, kind, "%s", e.Detail)
}

// roleOf returns the role of property p of an element with the given use.
func roleOf(use rowUse, p *plyfile.Property) role {
	switch {
	case use == vertexRows && !p.List:
		return map[string]role{"x": coordinateX, "y": coordinateY, "z": coordinateZ}[p.Name]
	case !p.List || p.Name != "vertex_indices" && p.Name != "vertex_index":
		return skipped
	case use == faceRows:
		return faceIndex
	case use == stripRows:
		return stripIndex
	}
	return skipped
}

// check refuses e if it lacks properties that its rows need.
func (e *element) check() error {
	switch e.use {
	case vertexRows:
		if e.count(coordinateX) != 1 || e.count(coordinateY) != 1 || e.count(coordinateZ) != 1 {
			return soup.AtLine(e.Line, soup.ErrUnsupported, "vertices must have exactly one property x, one y and one z")
		}
	case faceRows, stripRows:
		if n := e.count(faceIndex) + e.count(stripIndex); n != 1 && e.Count > 0 {
			return soup.AtLine(e.Line, soup.ErrUnsupported, "element %s has %d lists of vertex indices, must have one", quote.Word(e.Name), n)
		}
	}
	return nil
}

// count returns the number of properties with the given role.
func (e *element) count(role role) (n int) {
	for _, r := range e.roles {
		if r == role {
			n++
		}
	}
	return n
}

// skippedFaces looks for unknown elements with lists of vertex indices, such as the elements
// "triangles" and "trifans" of some writers. If the known elements "face" or "tristrips" have rows,
// skippedFaces adds a note about each unknown element. Otherwise it refuses the file.
func (h *header) skippedFaces(b *soup.Builder) error {
	faces := false
	for i := range h.elements {
		e := &h.elements[i]
		faces = faces || (e.use == faceRows || e.use == stripRows) && e.Count > 0
	}
	for i := range h.elements {
		e := &h.elements[i]
		if e.use != otherRows || e.Count == 0 || !e.hasIndices() {
			continue
		}
		if !faces {
			return soup.AtLine(e.Line, soup.ErrUnsupported, "the element %s has vertex indices, but there is no element \"face\" or \"tristrips\"", quote.Word(e.Name))
		}
		b.Note("ignored element %s, although it has vertex indices: %d rows", quote.Word(e.Name), e.Count)
	}
	return nil
}

// hasIndices reports whether a property of e looks like a list of vertex indices.
func (e *element) hasIndices() bool {
	for i := range e.Properties {
		if p := &e.Properties[i]; p.List && strings.HasPrefix(strings.ToLower(p.Name), "vertex_ind") {
			return true
		}
	}
	return false
}
