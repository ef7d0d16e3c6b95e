//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package disk

import (
	"io/fs"
	"os"
)

func duplicate(_ int, path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
}

// IsReplaced returns false.
func IsReplaced(int) bool { return false }

func lock(*os.File) error { return nil }

// CloseFirst reports whether a file must be closed before it is renamed or removed. It is true,
// because closing first works on every system.
const CloseFirst = true

const noFollow = 0

func owner(fs.FileInfo) (uid, gid int, known bool) { return 0, 0, false }

func links(fs.FileInfo) int { return 0 }
