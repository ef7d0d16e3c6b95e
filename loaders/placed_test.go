package loaders

import (
	"errors"
	"fmt"
	"testing"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// TestErrorText checks the text of errors.
func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{soup.AtLine(17, ErrSyntax, "%d", 3), "f: line 17: syntax error: 3"},
		{soup.AtByte(0, ErrTruncated, ""), "f: byte 0: truncated"},
		{soup.AtPath("/meshes/0", ErrUnsupported, "x"), "f: /meshes/0: not supported: x"},
		{fmt.Errorf("reading: %w", soup.AtLine(17, ErrSyntax, "")), "f: line 17: syntax error"},
		{fmt.Errorf("reading: %w", ErrSyntax), "f: reading: syntax error"},
	} {
		err := placed(c.err, "f", OBJ)
		if err.Error() != c.want {
			t.Errorf("got %q, want %q", err, c.want)
		}
		if kind := errors.Unwrap(c.err); !errors.Is(err, kind) && !errors.Is(kind, err) && !errors.Is(err, errors.Unwrap(kind)) {
			t.Errorf("%v does not wrap its reason", err)
		}
	}
}
