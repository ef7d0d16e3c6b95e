package dem

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/neighbor"
)

func checkError(t *testing.T, name string, err, want error, text string) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: error %q, want %q about %q", name, err, want, text)
	}
}

// doneAfter is a context that is canceled after its method Err has been called a number of times.
type doneAfter struct {
	context.Context
	calls int
}

func (d *doneAfter) Err() error {
	if d.calls--; d.calls < 0 {
		return context.Canceled
	}
	return nil
}

func (w *Spheres) touching() []neighbor.Pair {
	pairs, _ := w.Contacts()
	return pairs
}
