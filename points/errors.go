package points

import (
	"errors"
	"fmt"
	"strings"
)

// ErrFormat is wrapped by every error about an input that is not a point file
// that this package reads.
var ErrFormat = errors.New("unsupported point format")

// The kinds of doubt about a file that a user can settle.
var (
	// ErrColumns: it is not clear which columns hold x, y and z. Options.Columns says.
	ErrColumns = errors.New("columns of x, y and z not clear")
	// ErrPreamble: the first row is neither a header nor data. A comment mark
	// before it says that it can be passed over.
	ErrPreamble = errors.New("first row is neither header nor data")
	// ErrTransposed: an array has three rows and more columns.
	ErrTransposed = errors.New("three rows of points, or points in columns? want N×3")
)

// RowError is a row that could not be read.
type RowError struct {
	File   string // name of the input
	Line   int64  // physical line, from 1
	Reason string
	Err    error // ErrColumns, ErrPreamble or nil
}

// Unwrap returns e.Err.
func (e *RowError) Unwrap() error { return e.Err }

// Error returns "file: line 7: reason".
func (e *RowError) Error() string {
	return fmt.Sprintf("%s: line %d: %s", e.File, e.Line, e.Reason)
}

// quote returns s in quotes, shortened to forty bytes, for messages.
func quote(s []byte) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%q…", strings.ToValidUTF8(string(s[:most]), "?"))
	}
	return fmt.Sprintf("%q", s)
}
