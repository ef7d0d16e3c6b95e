// Package soup holds the shared code of the readers of mesh formats: the source of a file's content
// (Source), the collector of vertices, faces and bodies (Builder, FaceList) with exact
// triangulation of polygons, the memory limit (Budget), errors with their place (Error), and
// the description of a format (Format).
package soup

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Format is a mesh format: its names, how to recognize it, and its reader. Each package
// beside this one returns one; package loaders lists them.
type Format struct {
	// Name is the usual suffix without the dot, in lower case.
	Name string
	// Suffixes are the other suffixes.
	Suffixes []string
	// Signature reports whether data is certainly in this format, whatever the file is
	// called. It gets the whole content and must look at no more than its beginning and
	// its length. nil: never.
	Signature func(data []byte) bool
	// Guess reports whether data is probably in this format. It is asked if no signature
	// and no suffix is known. nil: never.
	Guess func(data []byte) bool
	// Read reads src into dst. Its errors have a place (AtLine, AtByte, AtPath).
	Read func(src *Source, dst *Builder) error
}

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

// Error is a reason and its place in the file. Package loaders adds the file.
type Error struct {
	Line   int    // from 1, in the decompressed text; 0 if unknown
	Offset int64  // from 0, in the decompressed content; −1 if unknown
	Path   string // part, JSON pointer or external file; "" if unknown
	Hint   string // advice to the user, one sentence; may be empty
	Err    error  // reason
}

// Error returns place and reason on one line, without the hint.
func (e *Error) Error() string {
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
func (e *Error) Unwrap() error { return e.Err }

// WithHint sets the hint of e.
func (e *Error) WithHint(hint string) *Error {
	e.Hint = hint
	return e
}

// AtLine returns an error at a line. Its reason is kind, one of the variables above,
// followed by the formatted text.
func AtLine(line int, kind error, format string, args ...any) *Error {
	return &Error{Line: line, Offset: -1, Err: Reason(kind, format, args...)}
}

// AtByte returns an error at a byte of the decompressed content; see AtLine.
func AtByte(offset int64, kind error, format string, args ...any) *Error {
	return &Error{Offset: offset, Err: Reason(kind, format, args...)}
}

// AtPath returns an error in a part of the file, or in an unknown place if path is "";
// see AtLine.
func AtPath(path string, kind error, format string, args ...any) *Error {
	return &Error{Offset: -1, Path: path, Err: Reason(kind, format, args...)}
}

// Reason returns an error without a place: kind followed by the formatted text, or kind
// alone if format is "".
func Reason(kind error, format string, args ...any) error {
	if format == "" {
		return kind
	}
	return fmt.Errorf("%w: "+format, append([]any{kind}, args...)...)
}

// InRange reports whether all coordinates of v are numbers up to mesh.MaxCoordinate. It is
// inlined; RangeError returns the reason.
func InRange(v r3.Vector) bool {
	const most = mesh.MaxCoordinate // a NaN is not below it
	return math.Abs(v.X) <= most && math.Abs(v.Y) <= most && math.Abs(v.Z) <= most
}

// RangeError returns the reason that v is not InRange: ErrNotFinite or mesh.ErrTooLarge.
func RangeError(v r3.Vector) error {
	if !vec.Finite(v) {
		return ErrNotFinite
	}
	return Reason(mesh.ErrTooLarge, "a coordinate beyond 2^1000")
}
