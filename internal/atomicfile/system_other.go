//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

import "os"

// duplicate opens the path of d for appending.
func duplicate(d descriptor) (*os.File, error) {
	return os.OpenFile(d.path, os.O_WRONLY|os.O_APPEND, 0)
}

// tryLock does nothing, because this system has no locks for whole files.
func tryLock(*os.File) error { return nil }

// closeFirst reports whether a file must be closed before it is renamed or removed, as on Windows.
const closeFirst = true
