//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func duplicate(fd int, path string) (*os.File, error) {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return nil, err
	}
	if flags&unix.O_ACCMODE == unix.O_RDONLY {
		return nil, errors.New("the file is open only for reading")
	}
	if fd <= unix.Stderr && IsReplaced(fd) {
		return nil, fs.ErrClosed
	}
	second, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(second), path), nil
}

// IsReplaced reports whether the Go runtime has replaced the standard stream fd because the process
// was started without the stream. The runtime opens /dev/null for reading and writing
// (runtime/fds_unix.go). Shells open /dev/null for writing only. IsReplaced is also true if the
// parent process opened /dev/null for reading and writing.
func IsReplaced(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR {
		return false
	}
	var stream, null unix.Stat_t
	err = errors.Join(unix.Fstat(fd, &stream), unix.Stat(os.DevNull, &null))
	return err == nil && stream.Dev == null.Dev && stream.Ino == null.Ino
}

func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// CloseFirst reports whether a file must be closed before it is renamed or removed.
const CloseFirst = false

// noFollow makes OpenFile fail for a symbolic link. Opening a pipe does not block.
const noFollow = unix.O_NOFOLLOW | unix.O_NONBLOCK

// owner returns the user and the group of a file.
func owner(fi fs.FileInfo) (uid, gid int, known bool) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return int(st.Uid), int(st.Gid), true
}

// links returns the number of names of a file, or 0 if it is unknown.
func links(fi fs.FileInfo) int {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return int(st.Nlink)
}
