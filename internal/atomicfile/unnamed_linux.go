package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// openUnnamed creates an unnamed file in the folder of path. The file disappears with the process
// unless linkUnnamed gives it a name. openUnnamed first tests both steps with another file, because
// some file systems have no unnamed files and linkUnnamed needs /proc.
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

// tmpfile creates an unnamed file in the folder of path (O_TMPFILE, see open(2)). Error messages
// contain path, because the file has no name.
func tmpfile(path string) (*os.File, error) {
	fd, err := unix.Open(filepath.Dir(path), unix.O_WRONLY|unix.O_TMPFILE|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

// linkUnnamed gives the unnamed file f a name. It fails if the name exists.
func linkUnnamed(f *os.File, name string) error {
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
}
