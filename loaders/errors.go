package loaders

import (
	"errors"
	"fmt"
	"strings"
)

// The reasons for which a file is refused; errors.Is finds them in what Load and
// Read return. Errors of the operating system (a missing file, a directory) and
// of the context are wrapped likewise.
var (
	// ErrEmpty: the file has no content.
	ErrEmpty = errors.New("the file is empty")
	// ErrUnknownFormat: neither content nor suffix tell the format.
	ErrUnknownFormat = errors.New("unknown format")
	// ErrUnsupported: a feature of the format that this package does not read.
	ErrUnsupported = errors.New("not supported")
	// ErrNoTriangles: the file is sound, but holds no faces.
	ErrNoTriangles = errors.New("no triangles")
	// ErrTooLarge: the memory budget or the range of int32 indices is exceeded.
	ErrTooLarge = errors.New("too large")
	// ErrTruncated: the file ends before what it announced.
	ErrTruncated = errors.New("truncated")
	// ErrSyntax: the content breaks the rules of the format.
	ErrSyntax = errors.New("syntax error")
	// ErrIndexRange: a face refers to a vertex that does not exist.
	ErrIndexRange = errors.New("index out of range")
	// ErrNotFinite: a coordinate is NaN, infinite or beyond float64.
	ErrNotFinite = errors.New("coordinate is not finite")
)

// Error says which file was refused, where and why. Place comes from Line, Path
// and Offset, whichever are known.
type Error struct {
	File   string // name as given to Load or Read
	Format Format // Auto if it was not recognised
	Line   int    // counted from 1 in the decompressed text; 0 if unknown
	Offset int64  // byte counted from 0 in the decompressed content; −1 if unknown
	Path   string // part, JSON pointer or external file, e.g. "/meshes/0/primitives/1"; "" if unknown
	Hint   string // what the user can do, one sentence; "" if nothing
	Err    error  // reason
}

// Error returns file, place and reason on one line, without the hint.
func (e *Error) Error() string {
	var s strings.Builder
	if e.File != "" {
		s.WriteString(e.File + ": ")
	}
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

// atLine returns an *Error at a line; the kind is one of the sentinels, format
// and args say the rest.
func atLine(line int, kind error, format string, args ...any) *Error {
	return &Error{Line: line, Offset: -1, Err: reason(kind, format, args...)}
}

// atByte returns an *Error at a byte of the decompressed content.
func atByte(offset int64, kind error, format string, args ...any) *Error {
	return &Error{Offset: offset, Err: reason(kind, format, args...)}
}

// atPath returns an *Error at a part of the file; path may be empty.
func atPath(path string, kind error, format string, args ...any) *Error {
	return &Error{Offset: -1, Path: path, Err: reason(kind, format, args...)}
}

// reason joins a sentinel and its details; without details it is the sentinel.
func reason(kind error, format string, args ...any) error {
	if format == "" {
		return kind
	}
	return fmt.Errorf("%w: "+format, append([]any{kind}, args...)...)
}

// withHint sets the hint of e.
func (e *Error) withHint(hint string) *Error {
	e.Hint = hint
	return e
}

// placed makes err an *Error with the file's name and format filled in; an
// *Error already inside err keeps its place.
func placed(err error, file string, format Format) error {
	if err == nil {
		return nil
	}
	var e *Error
	if !errors.As(err, &e) {
		return &Error{File: file, Format: format, Offset: -1, Err: err}
	}
	c := *e
	c.File, c.Format = file, format
	return &c
}
