package table

import (
	"errors"
	"fmt"
)

// The kinds of errors. The first is about the file, the next three about its meaning, which
// the user can settle, the last about the output.
var (
	// ErrFormat is wrapped by every error of an input that is not in a supported format.
	ErrFormat = errors.New("unsupported point format")
	// ErrColumns is wrapped if it is unclear which columns hold x, y and z. The option
	// Columns settles it.
	ErrColumns = errors.New("columns of x, y and z not clear")
	// ErrPreamble is wrapped if the first row of a text is neither a header nor data. A
	// comment mark before it settles it.
	ErrPreamble = errors.New("first row is neither header nor data")
	// ErrTransposed is wrapped if an array has three rows and more columns than points
	// have. The option Columns settles it.
	ErrTransposed = errors.New("three rows of points, or points in columns? want N×3")
	// ErrCannotHold is wrapped if the output format has no place for a column or a value.
	ErrCannotHold = errors.New("the format cannot hold it")
)

// RowError is the error of a row of a text.
type RowError struct {
	File   string // name of the input
	Line   int64  // physical line, from 1
	Reason string
	Err    error // ErrColumns, ErrCannotHold, ErrPreamble or nil
}

// Unwrap returns e.Err.
func (e *RowError) Unwrap() error { return e.Err }

// Error returns "file: line 7: reason".
func (e *RowError) Error() string {
	return fmt.Sprintf("%s: line %d: %s", e.File, e.Line, e.Reason)
}
