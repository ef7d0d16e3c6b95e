//go:build unix

package loaders

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// TestExternalPipe checks that a pipe beside the mesh, whose opening would wait for
// a writer, is refused.
func TestExternalPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &source{ctx: context.Background(), mem: &budget{}, folder: folder(dir)}
	if _, err := s.external("pipe"); !errors.Is(err, ErrUnsupported) {
		t.Errorf("got %v, want ErrUnsupported", err)
	}
}
