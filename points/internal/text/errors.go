package text

import (
	"errors"
	"fmt"
)

// ErrPreamble says that the first row is neither a header nor data. A comment mark
// before it says that it can be passed over.
var ErrPreamble = errors.New("first row is neither header nor data")

// RowError is a row that could not be read.
type RowError struct {
	File   string // name of the input
	Line   int64  // physical line, from 1
	Reason string
	Err    error // table.ErrColumns, table.ErrCannotHold, ErrPreamble or nil
}

// Unwrap returns e.Err.
func (e *RowError) Unwrap() error { return e.Err }

// Error returns "file: line 7: reason".
func (e *RowError) Error() string {
	return fmt.Sprintf("%s: line %d: %s", e.File, e.Line, e.Reason)
}
