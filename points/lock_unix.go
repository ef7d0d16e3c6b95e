//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package points

import (
	"errors"
	"os"
	"syscall"
)

// lock keeps f for this process until it is closed. It fails with errLocked if another
// one has it.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// closeFirst says that an open file can be neither renamed nor removed.
const closeFirst = false
