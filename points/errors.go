package points

import (
	"errors"
	"fmt"
	"strings"
)

// ErrFormat is wrapped by every error about an input that is not a point file
// that this package reads.
var ErrFormat = errors.New("unsupported point format")

// RowError is a row that could not be read.
type RowError struct {
	File   string // name of the input
	Line   int64  // physical line, from 1
	Reason string
}

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
