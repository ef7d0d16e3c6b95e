package points

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// openUnnamed makes a file in the folder of path that has no name until linkUnnamed
// gives it one, and that is gone with its process. Not all file systems have such files
// or let them be linked, which takes /proc: that is tried with another one first, as it
// is too late when the output is there.
func openUnnamed(path string) (*os.File, error) {
	trial, err := tmpfile(path)
	if err != nil {
		return nil, err
	}
	defer trial.Close()
	temp, err := inventName(path, func(temp string) error { return linkUnnamed(trial, temp) })
	if err == nil {
		err = os.Remove(temp)
	}
	if err != nil {
		return nil, err
	}
	return tmpfile(path)
}

// tmpfile makes a file without a name, which messages call path (open(2), O_TMPFILE).
func tmpfile(path string) (*os.File, error) {
	fd, err := unix.Open(filepath.Dir(path), unix.O_WRONLY|unix.O_TMPFILE|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

// linkUnnamed gives f a name, at which nothing may be yet.
func linkUnnamed(f *os.File, name string) error {
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
}
