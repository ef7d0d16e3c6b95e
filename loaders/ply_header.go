package loaders

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/inpoly/inpoly/internal/plyfile"
)

// plyHeader is the header of a PLY file with the meaning of its elements.
type plyHeader struct {
	*plyfile.Header
	elements []plyElement
	vertices int64
}

// plyElement is an element and its use.
type plyElement struct {
	*plyfile.Element
	use   plyUse
	roles []plyRole // of the properties
}

// plyUse says what the rows of an element are.
type plyUse uint8

const (
	plyOther plyUse = iota
	plyVertices
	plyFaces
	plyStrips
)

// plyRole says what a property is used for.
type plyRole uint8

const (
	plySkip plyRole = iota
	plyX
	plyY
	plyZ
	plyFace
	plyStrip
)

// readPLYHeader reads the header and checks it against the size of data.
func readPLYHeader(data []byte) (*plyHeader, error) {
	head, err := plyfile.ReadHeader(bufio.NewReader(bytes.NewReader(data)), 0)
	if err != nil {
		return nil, plyHeaderError(err)
	}
	h := &plyHeader{Header: head, elements: make([]plyElement, len(head.Elements))}
	for i := range head.Elements {
		h.elements[i] = newPLYElement(&head.Elements[i])
	}
	if at, err := head.Vertex(); err != nil {
		return nil, plyHeaderError(err)
	} else if at >= 0 {
		h.vertices = head.Elements[at].Count
	}
	for i := range h.elements {
		if err := h.elements[i].check(); err != nil {
			return nil, err
		}
	}
	return h, plyHeaderError(head.Fits(int64(len(data) - h.body())))
}

// body returns the place of the first byte after the header.
func (h *plyHeader) body() int { return len(h.Text) }

// plyHeaderError makes an error of package plyfile an *soupError.
func plyHeaderError(err error) error {
	var e *plyfile.Error
	if !errors.As(err, &e) {
		return err
	}
	kind := ErrSyntax
	switch e.Kind {
	case plyfile.ErrUnsupported:
		kind = ErrUnsupported
	case io.ErrUnexpectedEOF:
		kind = ErrTruncated
	}
	return atLine(e.Line, kind, "%s", e.Detail)
}

func newPLYElement(e *plyfile.Element) plyElement {
	u := plyElement{Element: e, roles: make([]plyRole, len(e.Properties))}
	switch e.Name {
	case "vertex":
		u.use = plyVertices
	case "face":
		u.use = plyFaces
	case "tristrips":
		u.use = plyStrips
	}
	for i := range e.Properties {
		u.roles[i] = plyRoleOf(u.use, &e.Properties[i])
	}
	return u
}

// plyRoleOf returns what a property is used for.
func plyRoleOf(use plyUse, p *plyfile.Property) plyRole {
	indices := p.List && (p.Name == "vertex_indices" || p.Name == "vertex_index")
	switch {
	case use == plyVertices && !p.List && p.Name == "x":
		return plyX
	case use == plyVertices && !p.List && p.Name == "y":
		return plyY
	case use == plyVertices && !p.List && p.Name == "z":
		return plyZ
	case use == plyFaces && indices:
		return plyFace
	case use == plyStrips && indices:
		return plyStrip
	}
	return plySkip
}

// check refuses an element that lacks the properties it needs.
func (e *plyElement) check() error {
	switch e.use {
	case plyVertices:
		if e.count(plyX) != 1 || e.count(plyY) != 1 || e.count(plyZ) != 1 {
			return atLine(e.Line, ErrUnsupported, "vertices want one property x, one y and one z")
		}
	case plyFaces, plyStrips:
		if n := e.count(plyFace) + e.count(plyStrip); n != 1 && e.Count > 0 {
			return atLine(e.Line, ErrUnsupported, "element %q has %d lists of vertex indices, want one", e.Name, n)
		}
	}
	return nil
}

// count counts the properties with a role.
func (e *plyElement) count(role plyRole) (n int) {
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
func (h *plyHeader) skippedFaces(b *builder) error {
	faces := false
	for i := range h.elements {
		e := &h.elements[i]
		faces = faces || (e.use == plyFaces || e.use == plyStrips) && e.Count > 0
	}
	for i := range h.elements {
		e := &h.elements[i]
		if e.use != plyOther || e.Count == 0 || !e.hasIndices() {
			continue
		}
		if !faces {
			return atLine(e.Line, ErrUnsupported, "element %q with vertex indices, and no element \"face\" or \"tristrips\"", e.Name)
		}
		b.note("element %q with vertex indices ignored: %d rows", e.Name, e.Count)
	}
	return nil
}

// hasIndices reports whether a property of e looks like a list of vertex indices.
func (e *plyElement) hasIndices() bool {
	for i := range e.Properties {
		if p := &e.Properties[i]; p.List && strings.HasPrefix(strings.ToLower(p.Name), "vertex_ind") {
			return true
		}
	}
	return false
}
