//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package points

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// errReadOnly says that a file is not open for writing.
var errReadOnly = errors.New("it is open for reading only")

// duplicate returns a second descriptor of the open file d of this process, which shares
// its place in the file.
func duplicate(d descriptor) (*os.File, error) {
	flags, err := unix.FcntlInt(uintptr(d.fd), unix.F_GETFL, 0)
	if err != nil {
		return nil, err
	}
	if flags&unix.O_ACCMODE == unix.O_RDONLY {
		return nil, errReadOnly
	}
	fd, err := unix.FcntlInt(uintptr(d.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), d.path), nil
}
