//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package disk

import "os"

func duplicate(_ int, path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
}

func lock(*os.File) error { return nil }

// CloseFirst reports whether a file must be closed before it is renamed or removed, as on Windows.
const CloseFirst = true
