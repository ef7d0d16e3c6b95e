//go:build darwin || dragonfly || freebsd || linux || netbsd

package term

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// isReplaced reports whether the Go runtime has replaced a closed standard stream. The runtime
// opens /dev/null for reading and writing (runtime/fds_unix.go). Shells open /dev/null for writing
// only. If a program opens /dev/null for reading and writing and passes it to the command, the
// stream also counts as closed.
func isReplaced(stream *os.File) bool {
	flags, err := unix.FcntlInt(stream.Fd(), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR {
		return false
	}
	fi, err := stream.Stat()
	null, nullErr := os.Stat(os.DevNull)
	return err == nil && nullErr == nil && os.SameFile(fi, null)
}

// CheckLimits returns an error if the limits of the process are too small for the Go runtime, which
// would end the process with a dump of its state. If the address space is limited to less than
// about 700 MB, the runtime ends the process before CheckLimits can be called.
func CheckLimits() error {
	const (
		leastFiles = 16 // tuning: a run opens at most 13 files
		// A run has reserved 1.9 GB with 2 threads and 2.6 GB with 64 threads (tuning).
		leastSpace, spacePerThread = 2 << 30, 16 << 20
	)
	var files, space unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err == nil && uint64(files.Cur) < leastFiles {
		return WithHint(fmt.Errorf("the process can open only %d files, expected at least %d", files.Cur, leastFiles), "raise the limit with ulimit -n")
	}
	least := uint64(leastSpace + spacePerThread*runtime.GOMAXPROCS(0))
	if err := unix.Getrlimit(unix.RLIMIT_AS, &space); err == nil && uint64(space.Cur) < least {
		return WithHint(fmt.Errorf("the address space of the process is limited to %sB, expected at least %sB", Short(float64(space.Cur)), Short(float64(least))),
			"raise the limit with ulimit -v; --max-memory limits the memory for loading a mesh")
	}
	return nil
}
