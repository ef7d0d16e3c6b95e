package loaders

import (
	"errors"

	"github.com/inpoly/inpoly/loaders/internal/soup"
	"github.com/inpoly/inpoly/mesh"
)

// These errors are the reasons for refusing a file. Use errors.Is to find the reason in an error of
// Load or Read. Load and Read also wrap errors of the operating system and of the context. If a
// coordinate is beyond mesh.MaxCoordinate, the reason is mesh.ErrTooLarge.
var (
	// ErrEmpty: the file has no content.
	ErrEmpty = soup.ErrEmpty
	// ErrUnknownFormat: neither the content nor the suffix identifies the format.
	ErrUnknownFormat = soup.ErrUnknownFormat
	// ErrUnsupported: the file has a known format, or uses a feature, that this package does not read.
	ErrUnsupported = soup.ErrUnsupported
	// ErrNoTriangles: the file is valid but has no faces.
	ErrNoTriangles = soup.ErrNoTriangles
	// ErrTooLarge: the file exceeds the memory limit or the range of int32 indices.
	ErrTooLarge = soup.ErrTooLarge
	// ErrTruncated: the file ends before its content is complete.
	ErrTruncated = soup.ErrTruncated
	// ErrSyntax: the content breaks the rules of the format.
	ErrSyntax = soup.ErrSyntax
	// ErrIndexRange: a face refers to a vertex that does not exist.
	ErrIndexRange = soup.ErrIndexRange
	// ErrNotFinite: a coordinate is NaN, infinite or beyond the range of float64.
	ErrNotFinite = soup.ErrNotFinite
)

// Error reports the refused file, the place of the problem, and the reason. Line, Offset and Path
// hold the known parts of the place.
type Error struct {
	File   string // file name that was passed to Load or Read
	Format Format // format of the file; Auto if it was not recognized
	Line   int    // number of the line in the decompressed text, from 1; 0 if unknown
	Offset int64  // position of the byte in the decompressed content, from 0; −1 if unknown
	Path   string // part, JSON pointer or external file, such as "/meshes/0/primitives/1"; "" if unknown
	Hint   string // advice to the user in one sentence, or ""
	Err    error  // reason for the refusal
}

// Error returns the file, the place and the reason on one line, without the hint.
func (e *Error) Error() string {
	place := soup.Error{Line: e.Line, Offset: e.Offset, Path: e.Path, Err: e.Err}
	if e.File == "" {
		return place.Error()
	}
	return e.File + ": " + place.Error()
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// placed returns err as an *Error with the file and the format. If err wraps a soup.Error, the
// *Error gets the place of the soup.Error.
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
