//go:build unix

package soup

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// TestExternalPipe checks that External refuses a pipe in the folder of the mesh. Opening the pipe
// would wait for a writer.
func TestExternalPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Source{ctx: context.Background(), Budget: &Budget{}, folder: openRoot(t, dir).FS()}
	if _, err := s.External("pipe"); !errors.Is(err, ErrUnsupported) {
		t.Errorf("got %v, want ErrUnsupported", err)
	}
}
