package ply

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/inpoly/inpoly/internal/plyfile"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// header is the header of a PLY file with the meaning of its elements.
type header struct {
	*plyfile.Header
	elements []element
	vertices int64
}

// element is an element and its use.
type element struct {
	*plyfile.Element
	use   rowUse
	roles []role // of the properties
}

// rowUse is the meaning of the rows of an element.
type rowUse uint8

const (
	otherRows rowUse = iota
	vertexRows
	faceRows
	stripRows
)

// role is the use of a property.
type role uint8

const (
	skipped role = iota
	coordinateX
	coordinateY
	coordinateZ
	faceIndex
	stripIndex
)

// readHeader reads the header and checks it against the size of data.
func readHeader(data []byte) (*header, error) {
	head, err := plyfile.ReadHeader(bufio.NewReader(bytes.NewReader(data)), 0)
	if err != nil {
		return nil, headerError(err)
	}
	h := &header{Header: head, elements: make([]element, len(head.Elements))}
	for i := range head.Elements {
		h.elements[i] = newElement(&head.Elements[i])
	}
	if at, err := head.Vertex(); err != nil {
		return nil, headerError(err)
	} else if at >= 0 {
		h.vertices = head.Elements[at].Count
	}
	for i := range h.elements {
		if err := h.elements[i].check(); err != nil {
			return nil, err
		}
	}
	return h, headerError(head.Fits(int64(len(data) - h.body())))
}

// body returns the place of the first byte after the header.
func (h *header) body() int { return len(h.Text) }

// headerError makes an error of package plyfile an *Error.
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

func newElement(e *plyfile.Element) element {
	u := element{Element: e, roles: make([]role, len(e.Properties))}
	switch e.Name {
	case "vertex":
		u.use = vertexRows
	case "face":
		u.use = faceRows
	case "tristrips":
		u.use = stripRows
	}
	for i := range e.Properties {
		u.roles[i] = roleOf(u.use, &e.Properties[i])
	}
	return u
}

// roleOf returns the role of a property.
func roleOf(use rowUse, p *plyfile.Property) role {
	indices := p.List && (p.Name == "vertex_indices" || p.Name == "vertex_index")
	switch {
	case use == vertexRows && !p.List && p.Name == "x":
		return coordinateX
	case use == vertexRows && !p.List && p.Name == "y":
		return coordinateY
	case use == vertexRows && !p.List && p.Name == "z":
		return coordinateZ
	case use == faceRows && indices:
		return faceIndex
	case use == stripRows && indices:
		return stripIndex
	}
	return skipped
}

// check refuses an element that lacks the properties it needs.
func (e *element) check() error {
	switch e.use {
	case vertexRows:
		if e.count(coordinateX) != 1 || e.count(coordinateY) != 1 || e.count(coordinateZ) != 1 {
			return soup.AtLine(e.Line, soup.ErrUnsupported, "vertices need one property x, one y and one z")
		}
	case faceRows, stripRows:
		if n := e.count(faceIndex) + e.count(stripIndex); n != 1 && e.Count > 0 {
			return soup.AtLine(e.Line, soup.ErrUnsupported, "element %q has %d lists of vertex indices, want one", e.Name, n)
		}
	}
	return nil
}

// count counts the properties with a role.
func (e *element) count(role role) (n int) {
	for _, r := range e.roles {
		if r == role {
			n++
		}
	}
	return n
}

// skippedFaces looks for elements that are not read but have lists of vertex indices, such
// as the "triangles" and "trifans" of other writers. They are noted if the file also has
// faces that are read, and refused if not.
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
			return soup.AtLine(e.Line, soup.ErrUnsupported, "element %q with vertex indices, and no element \"face\" or \"tristrips\"", e.Name)
		}
		b.Note("element %q with vertex indices ignored: %d rows", e.Name, e.Count)
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
