package main

import (
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestKilled sends a signal that the command cannot handle. The command must leave no file, because
// the output has no name yet.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	fd, err := unix.Open(dir, unix.O_WRONLY|unix.O_TMPFILE, 0o666)
	if err != nil {
		t.Skipf("%s has no files without a name: %v", dir, err)
	}
	unix.Close(fd)
	if code, stderr := interrupt(t, dir, syscall.SIGKILL); code != -1 {
		t.Errorf("exit code %d, standard error %q", code, stderr)
	}
}
