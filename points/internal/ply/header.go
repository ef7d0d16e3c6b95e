package ply

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/plyfile"
	"github.com/inpoly/inpoly/internal/records"
	"github.com/inpoly/inpoly/points/table"
)

// maxHeader is the maximum number of bytes of a header. This limit bounds the memory.
const maxHeader = 1 << 20 // tuning

// tableTypes maps each PLY kind to the table.Type of its values.
var tableTypes = [...]table.Type{
	plyfile.Int8: table.Int8, plyfile.Uint8: table.Uint8,
	plyfile.Int16: table.Int16, plyfile.Uint16: table.Uint16,
	plyfile.Int32: table.Int32, plyfile.Uint32: table.Uint32,
	plyfile.Float32: table.Float32, plyfile.Float64: table.Float64,
}

// kindFor returns the kind of a property that stores values of type t. ok is false if PLY has no such
// kind.
func kindFor(t table.Type) (kind plyfile.Kind, ok bool) {
	k := slices.Index(tableTypes[:], t)
	return plyfile.Kind(k), k >= 0
}

// readHeader reads the header of a file. It also returns the index of the element named vertex.
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

// headerError converts an error of package plyfile. If the file is not a supported PLY file, the
// result wraps table.ErrFormat. If the file is truncated, the result wraps io.ErrUnexpectedEOF.
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

// refers reports whether rows of e refer to vertices by number, as faces and edges do.
func refers(e *plyfile.Element) bool {
	if e.Count == 0 {
		return false
	}
	switch strings.ToLower(e.Name) {
	case "face", "tristrips", "trifans", "edge":
		return true
	}
	return slices.ContainsFunc(e.Properties, func(p plyfile.Property) bool {
		name := strings.ToLower(p.Name)
		return strings.HasPrefix(name, "vertex_ind") || name == "vertex1"
	})
}

// Joiner joins the headers of PLY files. It implements table.Joiner.
type Joiner struct{}

// JoinHeads returns heads[0] with the total number of vertices. The bytes of elements after the
// header stay unchanged. Additional digits replace spaces of the padding comment. JoinHeads fails
// if they need more room than the comment has.
func (Joiner) JoinHeads(heads [][]byte, rows []int64) ([]byte, error) {
	h, vertex, err := readHeader(bufio.NewReader(bytes.NewReader(heads[0])))
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for _, n := range rows {
		if n > math.MaxInt64-total {
			return nil, errors.New("ply: the number of vertices exceeds int64")
		}
		total += n
	}
	out := h.WithVertices(vertex, strconv.FormatInt(total, 10), nil, nil)
	grown := len(out) - len(h.Text)
	const comment = "comment " + records.Padding
	start := bytes.LastIndex(out, []byte(comment)) + len(comment)
	end := start
	for end < len(out) && out[end] == ' ' {
		end++
	}
	switch {
	case start < len(comment) || grown > end-start:
		return nil, errors.New("ply: the header has no room for the number of vertices")
	case grown > 0:
		out = slices.Delete(out, end-grown, end)
	default:
		out = slices.Insert(out, end, bytes.Repeat([]byte(" "), -grown)...)
	}
	return append(out, heads[0][len(h.Text):]...), nil
}
