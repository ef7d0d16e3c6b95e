package table

import (
	"errors"
	"fmt"
	"strings"
)

// ErrFormat is wrapped by every error about an input that is not a point file that is
// read.
var ErrFormat = errors.New("unsupported point format")

// ErrColumns is wrapped where it is not clear which columns hold x, y and z. The user
// can say so.
var ErrColumns = errors.New("columns of x, y and z not clear")

// Quote returns s in quotes, shortened to forty bytes, for messages.
func Quote(s []byte) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%q…", strings.ToValidUTF8(string(s[:most]), "?"))
	}
	return fmt.Sprintf("%q", s)
}
