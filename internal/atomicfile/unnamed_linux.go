package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// openUnnamed creates an unnamed file in the folder of path. It disappears with the
// process unless linkUnnamed names it. Some file systems lack unnamed files, and linking
// one needs /proc. A trial file finds that out now: after the output is written it would be
// too late.
func openUnnamed(path string) (*os.File, error) {
	trial, err := tmpfile(path)
	if err != nil {
		return nil, err
	}
	defer trial.Close()
	temp, err := tryNames(path, func(temp string) error { return linkUnnamed(trial, temp) })
	if err == nil {
		err = os.Remove(temp)
	}
	if err != nil {
		return nil, err
	}
	return tmpfile(path)
}

// tmpfile creates an unnamed file (open(2), O_TMPFILE), which messages call path.
func tmpfile(path string) (*os.File, error) {
	fd, err := unix.Open(filepath.Dir(path), unix.O_WRONLY|unix.O_TMPFILE|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

// linkUnnamed names f. It fails if name exists.
func linkUnnamed(f *os.File, name string) error {
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
}
