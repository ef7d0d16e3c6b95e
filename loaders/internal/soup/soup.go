// Package soup is the code that the readers of mesh formats share. A Source holds the content of a
// file. A Builder and its Parts collect vertices, faces and bodies, and triangulate polygons
// exactly. A Budget bounds the memory. An Error has a place in the file. A Format describes a mesh
// format.
package soup

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/mesh"
)

// Format describes a mesh format: its names, functions that recognize it, and its reader.
type Format struct {
	// Name is the usual suffix without the dot, in lower case.
	Name string
	// Suffixes are the suffixes of files in this format. A suffix can have a dot inside. Package loaders sets them.
	Suffixes []string
	// Signature reports whether the content is certainly in this format, whatever the suffix of the
	// file is. It gets the whole content, but must use only the length and the first bytes.
	// Signature can be nil.
	Signature func(data []byte) bool
	// Guess reports whether data is probably in this format. It is called only if no signature
	// matches the content and no format has the suffix of the file. Guess can be nil.
	Guess func(data []byte) bool
	// Read reads src into dst. Each of its errors has a place from AtLine, AtByte or AtPath.
	Read func(src *Source, dst *Builder) error
}

// Reasons for refusing a file. Package loaders exports and documents them.
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

// Error is the reason for refusing a file, with the place of the problem. Package loaders adds the
// name of the file.
type Error struct {
	Line   int    // number of the line in the decompressed text, from 1; 0 if unknown
	Offset int64  // position of the byte in the decompressed content, from 0; −1 if unknown
	Path   string // part, JSON pointer or external file; "" if unknown
	Hint   string // advice to the user in one sentence, or ""
	Err    error  // reason for the refusal
}

// Error returns the place and the reason on one line, without the hint.
func (e *Error) Error() string {
	var s strings.Builder
	if e.Path != "" {
		s.WriteString(quote.Line(e.Path) + ": ")
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

// Placed reports whether err is an *Error or wraps an *Error. Every *Error has a place.
func Placed(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

// AtLine returns an error at a line. The reason is the error kind, such as ErrSyntax, followed by
// the formatted text.
func AtLine(line int, kind error, format string, args ...any) *Error {
	return &Error{Line: line, Offset: -1, Err: Reason(kind, format, args...)}
}

// Text is the text of a file. Its methods return errors at a line of this text.
type Text []byte

// Fail returns an error at the line of byte i. AtLine documents the other arguments.
func (t Text) Fail(i int, kind error, format string, args ...any) *Error {
	return AtLine(scan.LineAt(t, i), kind, format, args...)
}

// Expected returns an error about an unexpected word at i, or about an unexpected end of the line
// or file. what names the expected word.
func (t Text) Expected(i int, what string) *Error {
	word := t[i:scan.WordEnd(t, i)]
	switch {
	case i == len(t):
		return t.Fail(i, ErrTruncated, "the file ends where %s should follow", what)
	case len(word) == 0:
		return t.Fail(i, ErrSyntax, "the line ends where %s should follow", what)
	}
	return t.Fail(i, ErrSyntax, "found %s instead of %s", quote.Word(word), what)
}

// AtByte returns an error at a byte of the decompressed content. AtLine documents the other
// arguments.
func AtByte(offset int64, kind error, format string, args ...any) *Error {
	return &Error{Offset: offset, Err: Reason(kind, format, args...)}
}

// AtPath returns an error in a part of the file. If path is "", the place is unknown. AtLine
// documents the other arguments.
func AtPath(path string, kind error, format string, args ...any) *Error {
	return &Error{Offset: -1, Path: path, Err: Reason(kind, format, args...)}
}

// Reason returns an error without a position in the file: the error kind, followed by the formatted
// text. If the format is empty, Reason returns the error kind itself.
func Reason(kind error, format string, args ...any) error {
	if format == "" {
		return kind
	}
	return plural.Errorf("%w: "+format, append([]any{kind}, args...)...)
}

// Float32s returns the coordinates of v rounded to float32.
func Float32s(v r3.Vector) [3]float32 {
	return [3]float32{float32(v.X), float32(v.Y), float32(v.Z)}
}

// Float64s returns the vector whose coordinates are the elements of p.
func Float64s(p [3]float32) r3.Vector {
	return r3.Vector{X: float64(p[0]), Y: float64(p[1]), Z: float64(p[2])}
}

// CheckFloat32 returns an error if p is not finite. The array p must be the position v of vertex i,
// rounded to float32.
func CheckFloat32(i int, v r3.Vector, p [3]float32) error {
	if vec.Finite(Float64s(p)) {
		return nil
	}
	return fmt.Errorf("vertex %d (%v, %v, %v) cannot be stored as float32: %w", i, v.X, v.Y, v.Z, ErrNotFinite)
}

// InRange reports whether all coordinates of v are numbers of at most mesh.MaxCoordinate in
// magnitude.
func InRange(v r3.Vector) bool {
	const most = mesh.MaxCoordinate // a comparison with NaN is false, so NaN is not in range
	return math.Abs(v.X) <= most && math.Abs(v.Y) <= most && math.Abs(v.Z) <= most
}

// RangeError returns the reason why v is not in range: ErrNotFinite or mesh.ErrTooLarge.
func RangeError(v r3.Vector) error {
	if !vec.Finite(v) {
		return ErrNotFinite
	}
	return Reason(mesh.ErrTooLarge, "a coordinate is beyond 2^1000")
}
