package loaders

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// The reasons for refusing a file. Package loaders documents and exports them.
var (
	ErrEmpty         = errors.New("the file is empty")
	ErrUnknownFormat = errors.New("unknown format")
	ErrUnsupported   = errors.New("not supported")
	ErrNoTriangles   = errors.New("no triangles")
	ErrTooLarge      = errors.New("too large")
	ErrTruncated     = errors.New("truncated")
	ErrSyntax        = errors.New("syntax error")
	ErrIndexRange    = errors.New("index out of range")
	ErrNotFinite     = errors.New("coordinate is not finite")
)

// soupError is a reason and its place in the file. Package loaders adds the file.
type soupError struct {
	Line   int    // from 1, in the decompressed text; 0 if unknown
	Offset int64  // from 0, in the decompressed content; −1 if unknown
	Path   string // part, JSON pointer or external file; "" if unknown
	Hint   string // what the user can do, one sentence; "" if nothing
	Err    error  // reason
}

// Error returns place and reason on one line, without the hint.
func (e *soupError) Error() string {
	var s strings.Builder
	if e.Path != "" {
		s.WriteString(e.Path + ": ")
	}
	if e.Line > 0 {
		fmt.Fprintf(&s, "line %d: ", e.Line)
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&s, "byte %d: ", e.Offset)
	}
	s.WriteString(e.Err.Error())
	return s.String()
}

// Unwrap returns the reason.
func (e *soupError) Unwrap() error { return e.Err }

// withHint sets the hint of e.
func (e *soupError) withHint(hint string) *soupError {
	e.Hint = hint
	return e
}

// atLine returns an error at a line. Its reason is kind, one of the variables above,
// followed by the formatted text.
func atLine(line int, kind error, format string, args ...any) *soupError {
	return &soupError{Line: line, Offset: -1, Err: reason(kind, format, args...)}
}

// atByte returns an error at a byte of the decompressed content; see atLine.
func atByte(offset int64, kind error, format string, args ...any) *soupError {
	return &soupError{Offset: offset, Err: reason(kind, format, args...)}
}

// atPath returns an error in a part of the file, or in an unknown place if path is "";
// see atLine.
func atPath(path string, kind error, format string, args ...any) *soupError {
	return &soupError{Offset: -1, Path: path, Err: reason(kind, format, args...)}
}

// reason returns an error without a place: kind followed by the formatted text, or kind
// alone if format is "".
func reason(kind error, format string, args ...any) error {
	if format == "" {
		return kind
	}
	return fmt.Errorf("%w: "+format, append([]any{kind}, args...)...)
}

// checkCoordinate returns nil, ErrNotFinite, or mesh.ErrTooLarge if x is beyond
// mesh.MaxCoordinate.
func checkCoordinate(x float64) error {
	if math.Abs(x) <= mesh.MaxCoordinate { // false for NaN
		return nil
	}
	return coordinateError(x)
}

func coordinateError(x float64) error {
	if x-x != 0 { // NaN or infinite
		return ErrNotFinite
	}
	return reason(mesh.ErrTooLarge, "a coordinate beyond 2^1000")
}

// checkVertex is checkCoordinate for all coordinates of v.
func checkVertex(v r3.Vector) error {
	if math.Abs(v.X) <= mesh.MaxCoordinate && math.Abs(v.Y) <= mesh.MaxCoordinate && math.Abs(v.Z) <= mesh.MaxCoordinate {
		return nil
	}
	if !vec.Finite(v) {
		return ErrNotFinite
	}
	return coordinateError(2 * mesh.MaxCoordinate)
}
