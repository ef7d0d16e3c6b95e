package ply

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/inpoly/inpoly/internal/plyfile"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points/table"
)

// maxHeader bounds the bytes of a header, and so the memory. // tuning
const maxHeader = 1 << 20

// types holds the type of the values of each kind.
var types = [...]table.Type{
	plyfile.Int8: table.Int8, plyfile.Uint8: table.Uint8,
	plyfile.Int16: table.Int16, plyfile.Uint16: table.Uint16,
	plyfile.Int32: table.Int32, plyfile.Uint32: table.Uint32,
	plyfile.Float32: table.Float32, plyfile.Float64: table.Float64,
}

// kindFor returns the kind of property that stores values of type t.
func kindFor(t table.Type) (plyfile.Kind, bool) {
	switch t {
	case table.Text:
		return 0, false
	case table.Bool:
		return plyfile.Uint8, true
	case table.Int64, table.Uint64:
		return plyfile.Float64, true
	}
	for k := range types {
		if types[k] == t {
			return plyfile.Kind(k), true
		}
	}
	return 0, false
}

// readHeader reads the header and returns it with the index of the element vertex.
func readHeader(r *bufio.Reader) (h *plyfile.Header, vertex int, err error) {
	if h, err = plyfile.ReadHeader(r, maxHeader); err != nil {
		return nil, 0, headerError(err)
	}
	if vertex, err = h.Vertex(); err != nil {
		return nil, 0, err
	}
	if vertex < 0 {
		return nil, 0, errors.New("no element vertex: the file has no points")
	}
	if e := &h.Elements[vertex]; len(e.Properties) == 0 {
		return nil, 0, fmt.Errorf("line %d: element vertex has no properties", e.Line)
	}
	return h, vertex, nil
}

// headerError turns an error of package plyfile into an error of package points. A header
// that is not PLY, or that this package does not read, wraps table.ErrFormat. A truncated
// file wraps io.ErrUnexpectedEOF.
func headerError(err error) error {
	var e *plyfile.Error
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case errors.Is(e.Kind, plyfile.ErrNotPLY):
		return fmt.Errorf("%w: %s", table.ErrFormat, e.Detail)
	case errors.Is(e.Kind, plyfile.ErrUnsupported):
		return fmt.Errorf("line %d: %w: %s", e.Line, table.ErrFormat, e.Detail)
	case errors.Is(e.Kind, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", e, io.ErrUnexpectedEOF)
	}
	return e
}

// refers reports whether rows of e refer to vertices by number: by lists of vertex indices
// or by the ends of edges.
func refers(e *plyfile.Element) bool {
	if e.Count == 0 {
		return false
	}
	switch strings.ToLower(e.Name) {
	case "face", "tristrips", "trifans", "edge":
		return true
	}
	for i := range e.Properties {
		if name := strings.ToLower(e.Properties[i].Name); strings.HasPrefix(name, "vertex_ind") || name == "vertex1" {
			return true
		}
	}
	return false
}

// quote returns s in quotes for a message, shortened.
func quote(s string) string { return pointio.Quote([]byte(s)) }
