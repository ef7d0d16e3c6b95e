//go:build cgo

package main

import (
	"context"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/binding"
	"github.com/inpoly/inpoly/internal/lazy"
	"github.com/inpoly/inpoly/internal/par"
)

// A panic of a call, also on another goroutine, becomes an error that names its place.
func TestPanics(t *testing.T) {
	bug := func() { panic("a bug") }
	for name, call := range map[string]func() error{
		"caller": func() error { bug(); return nil },
		"worker": func() error {
			return par.Blocks(context.Background(), 100, 1, 4, func(_, lo, _ int) {
				if lo == 50 {
					bug()
				}
			})
		},
		"detached": func() error {
			_, err := lazy.Detach(context.Background(), nil, func(lazy.Progress) (*int, error) { bug(); return nil, nil })
			return err
		},
	} {
		if got := status(call); binding.Code(got) != binding.Internal {
			t.Errorf("%s: status %d", name, got)
		}
		if err := protect(call); err == nil || !strings.Contains(err.Error(), "a bug") || !strings.Contains(err.Error(), "goroutine") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
