package disk

import "golang.org/x/sys/unix"

// Limits returns how many files the process can open, and the number of bytes of its address space.
// A value is 0 if it is unknown.
func Limits() (files, space uint64) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err == nil {
		files = limit.Cur
	}
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err == nil {
		space = limit.Cur
	}
	return files, space
}
