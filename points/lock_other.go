//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package points

import "os"

// lock does nothing where the system has no locks of whole files.
func lock(*os.File) error { return nil }

// closeFirst says that an open file can be neither renamed nor removed, as on Windows.
const closeFirst = true
