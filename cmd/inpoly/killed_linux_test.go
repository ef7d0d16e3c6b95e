package main

import (
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestKilled ends the command in a way that it cannot see: the file system keeps nothing
// that never had a name.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	fd, err := unix.Open(dir, unix.O_WRONLY|unix.O_TMPFILE, 0o666)
	if err != nil {
		t.Skipf("%s has no files without a name: %v", dir, err)
	}
	unix.Close(fd)
	if code, said := interrupt(t, dir, syscall.SIGKILL); code != -1 {
		t.Errorf("exit code %d, standard error %q", code, said)
	}
}
