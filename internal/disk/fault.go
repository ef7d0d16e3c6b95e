package disk

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"sync/atomic"
	"syscall"
)

// Fault is the failure of one call. The zero value means that the call does not fail.
type Fault struct {
	Err   error // error of the call; with an error, the call has no effect, but Close still closes the file
	Short bool  // a read or write transfers only the first half of its bytes, and then returns the error
}

// Hook decides before each call whether the call fails. op is the name of a system call, such as
// "open", "write" or "pread"; "stat" includes all calls that look up names. Several goroutines can
// call a Hook at the same time.
type Hook func(op, path string) Fault

var hook atomic.Pointer[Hook]

// Inject passes all later calls of the process to h until restore is called. Only tests call Inject
// (internal/arch tests it).
func Inject(h Hook) (restore func()) {
	hook.Store(&h)
	return func() { hook.Store(nil) }
}

// injected returns the fault of a call.
func injected(op, path string) Fault {
	h := hook.Load()
	if h == nil {
		return Fault{}
	}
	fault := (*h)(op, path)
	if fault.Err != nil {
		fault.Err = &fs.PathError{Op: op, Path: path, Err: fault.Err}
	}
	return fault
}

// transfer calls f, which reads or writes the bytes p of the file.
func transfer(op string, file *File, p []byte, f func([]byte) (int, error)) (int, error) {
	if hook.Load() == nil {
		return f(p) // os.File repeats interrupted calls
	}
	fault := injected(op, file.path)
	switch {
	case errors.Is(fault.Err, syscall.EINTR):
		return f(p)
	case !fault.Short || len(p) < 2:
		if fault.Err != nil {
			return 0, fault.Err
		}
		return f(p)
	}
	n, err := f(p[:len(p)/2])
	if op == "read" {
		return n, err // the caller must call again for the rest of the bytes
	}
	return n, cmp.Or(err, fault.Err, io.ErrShortWrite)
}
