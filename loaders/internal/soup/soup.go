// Package soup is the code that the readers of mesh formats share. Source holds the content of a
// file. Builder and Part collect vertices, faces and bodies, and triangulate polygons exactly.
// Budget bounds the memory. Error is an error with its place in the file. Format describes a
// format.
package soup

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/mesh"
)

// Format describes a mesh format: its names, how to recognize it, and its reader.
type Format struct {
	// Name is the usual suffix without the dot, in lower case.
	Name string
	// Suffixes are the other suffixes.
	Suffixes []string
	// Signature reports whether data is certainly in this format, whatever the name of the file
	// is. data is the whole content, but Signature must look only at its beginning and its
	// length. nil means never.
	Signature func(data []byte) bool
	// Guess reports whether data is probably in this format. It is called if no signature and
	// no suffix is known. nil means never.
	Guess func(data []byte) bool
	// Read reads src into dst. Its errors have a place: AtLine, AtByte or AtPath.
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

// Error is the reason for refusing a file, with the place. Package loaders adds the file name.
type Error struct {
	Line   int    // line of the decompressed text, from 1; 0 if unknown
	Offset int64  // byte of the decompressed content, from 0; −1 if unknown
	Path   string // part, JSON pointer or external file; "" if unknown
	Hint   string // advice to the user in one sentence, or ""
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

// OnLine sets the line of e.
func (e *Error) OnLine(line int) *Error {
	e.Line = line
	return e
}

// Placed reports whether err has a place: it is or wraps an *Error.
func Placed(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

// AtLine returns an error at a line. Its reason is kind, such as ErrSyntax, and the formatted text.
func AtLine(line int, kind error, format string, args ...any) *Error {
	return &Error{Line: line, Offset: -1, Err: Reason(kind, format, args...)}
}

// Text is the text of a file, for errors with their line.
type Text []byte

// Fail returns an error at the line of byte i; see AtLine.
func (t Text) Fail(i int, kind error, format string, args ...any) *Error {
	return AtLine(scan.LineAt(t, i), kind, format, args...)
}

// Expected returns the error for a word, the end of a line or the end of the file at i. what was
// expected there.
func (t Text) Expected(i int, what string) *Error {
	word := t[i:scan.WordEnd(t, i)]
	switch {
	case i == len(t):
		return t.Fail(i, ErrTruncated, "the file ends where %s should follow", what)
	case len(word) == 0:
		return t.Fail(i, ErrSyntax, "the line ends where %s should follow", what)
	}
	return t.Fail(i, ErrSyntax, "%q instead of %s", scan.Excerpt(word), what)
}

// AtByte returns an error at a byte of the decompressed content; see AtLine.
func AtByte(offset int64, kind error, format string, args ...any) *Error {
	return &Error{Offset: offset, Err: Reason(kind, format, args...)}
}

// AtPath returns an error in a part of the file. The place is unknown if path is "". See AtLine.
func AtPath(path string, kind error, format string, args ...any) *Error {
	return &Error{Offset: -1, Path: path, Err: Reason(kind, format, args...)}
}

// Reason returns an error without a place: kind and the formatted text, or only kind if format is
// "".
func Reason(kind error, format string, args ...any) error {
	if format == "" {
		return kind
	}
	return fmt.Errorf("%w: "+format, append([]any{kind}, args...)...)
}

// Float32s returns the coordinates of v rounded to float32.
func Float32s(v r3.Vector) [3]float32 {
	return [3]float32{float32(v.X), float32(v.Y), float32(v.Z)}
}

// Float64s returns the vector with the coordinates p.
func Float64s(p [3]float32) r3.Vector {
	return r3.Vector{X: float64(p[0]), Y: float64(p[1]), Z: float64(p[2])}
}

// CheckFloat32 returns the error for writing vertex i at v as p, if p is not finite.
func CheckFloat32(i int, v r3.Vector, p [3]float32) error {
	if vec.Finite(Float64s(p)) {
		return nil
	}
	return fmt.Errorf("vertex %d (%v, %v, %v) as float32: %w", i, v.X, v.Y, v.Z, ErrNotFinite)
}

// InRange reports whether no coordinate of v is NaN or beyond mesh.MaxCoordinate.
func InRange(v r3.Vector) bool {
	const most = mesh.MaxCoordinate // comparisons with NaN are false
	return math.Abs(v.X) <= most && math.Abs(v.Y) <= most && math.Abs(v.Z) <= most
}

// RangeError returns the reason why InRange(v) is false: ErrNotFinite or mesh.ErrTooLarge.
func RangeError(v r3.Vector) error {
	if !vec.Finite(v) {
		return ErrNotFinite
	}
	return Reason(mesh.ErrTooLarge, "a coordinate beyond 2^1000")
}
