package loaders

import (
	"errors"

	"github.com/inpoly/inpoly/loaders/internal/soup"
	"github.com/inpoly/inpoly/mesh"
)

// The reasons for refusing a file. errors.Is finds a reason in the errors of Load and Read. Errors
// of the operating system and of the context are wrapped likewise. The reason for a coordinate
// beyond mesh.MaxCoordinate is mesh.ErrTooLarge.
var (
	// ErrEmpty: the file has no content.
	ErrEmpty = soup.ErrEmpty
	// ErrUnknownFormat: neither the content nor the suffix identifies the format.
	ErrUnknownFormat = soup.ErrUnknownFormat
	// ErrUnsupported: this package does not read a feature of the file.
	ErrUnsupported = soup.ErrUnsupported
	// ErrNoTriangles: the file is valid but has no faces.
	ErrNoTriangles = soup.ErrNoTriangles
	// ErrTooLarge: the file exceeds the memory limit or the range of int32 indices.
	ErrTooLarge = soup.ErrTooLarge
	// ErrTruncated: the file ends early.
	ErrTruncated = soup.ErrTruncated
	// ErrSyntax: the content breaks the rules of the format.
	ErrSyntax = soup.ErrSyntax
	// ErrIndexRange: a face refers to a vertex that does not exist.
	ErrIndexRange = soup.ErrIndexRange
	// ErrNotFinite: a coordinate is NaN, infinite or beyond float64.
	ErrNotFinite = soup.ErrNotFinite
)

// Error reports the refused file, the place, and the reason. Line, Offset and Path are the known
// parts of the place.
type Error struct {
	File   string // name as given to Load or Read
	Format Format // Auto if the format was not recognized
	Line   int    // line of the decompressed text, from 1; 0 if unknown
	Offset int64  // byte of the decompressed content, from 0; −1 if unknown
	Path   string // part, JSON pointer or external file, such as "/meshes/0/primitives/1"; "" if unknown
	Hint   string // advice to the user in one sentence, or ""
	Err    error  // reason
}

// Error returns file, place and reason on one line, without the hint.
func (e *Error) Error() string {
	place := soup.Error{Line: e.Line, Offset: e.Offset, Path: e.Path, Err: e.Err}
	if e.File == "" {
		return place.Error()
	}
	return e.File + ": " + place.Error()
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// placed returns err as an *Error with file and format. If err wraps a soup.Error, the result has
// the place of the soup.Error.
func placed(err error, file string, format Format) error {
	if err == nil {
		return nil
	}
	var e *soup.Error
	if !errors.As(err, &e) {
		return &Error{File: file, Format: format, Offset: -1, Err: err}
	}
	hint := e.Hint
	if hint == "" && errors.Is(err, mesh.ErrTooLarge) {
		hint = "scale the mesh down"
	}
	return &Error{file, format, e.Line, e.Offset, e.Path, hint, e.Err}
}
