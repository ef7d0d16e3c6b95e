package disk

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

func duplicate(_ int, path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
}

// IsReplaced returns false.
func IsReplaced(int) bool { return false }

// lock locks one byte far beyond the end of the file. It does not lock the content, because Windows
// refuses to read and write locked bytes, even through other descriptors of the same process.
func lock(f *os.File) error {
	behind := windows.Overlapped{Offset: 0xfffffffe, OffsetHigh: 0x7fffffff} // the last byte that a signed offset can name
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &behind)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

// CloseFirst reports whether a file must be closed before it is renamed or removed.
const CloseFirst = true

const noFollow = 0

func owner(fs.FileInfo) (uid, gid int, known bool) { return 0, 0, false }

func links(fs.FileInfo) int { return 0 }
