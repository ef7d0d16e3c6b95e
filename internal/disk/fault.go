package disk

import (
	"errors"
	"io"
	"io/fs"
	"sync/atomic"
	"syscall"
)

// Op is a kind of call to the file system.
type Op string

// These are the kinds of calls. OpStat includes all calls that only look up names.
const (
	OpOpen     Op = "open"
	OpRead     Op = "read"
	OpReadAt   Op = "pread"
	OpWrite    Op = "write"
	OpSeek     Op = "seek"
	OpStat     Op = "stat"
	OpSync     Op = "sync"
	OpTruncate Op = "truncate"
	OpChmod    Op = "chmod"
	OpLink     Op = "link"
	OpLock     Op = "lock"
	OpRename   Op = "rename"
	OpRemove   Op = "remove"
	OpMkdir    Op = "mkdir"
	OpClose    Op = "close"
)

// Fault is the failure of one call. The zero value means that the call does not fail.
type Fault struct {
	// Err is the error of the call. The call does nothing except for closing and for Short.
	Err error
	// Short makes a read or write transfer only the first half of its bytes. A write then fails
	// with Err, or with io.ErrShortWrite if Err is nil. A read succeeds with the bytes that it has
	// transferred, or fails with Err if there are none. A read at an offset fails like a write, with
	// io.ErrUnexpectedEOF.
	Short bool
}

// Hook decides before each call whether the call fails. Several goroutines can call a Hook at the
// same time.
type Hook func(op Op, path string) Fault

var hook atomic.Pointer[Hook]

// Inject passes all later calls of the process to h until restore is called. Only tests call Inject
// (internal/arch tests it).
func Inject(h Hook) (restore func()) {
	hook.Store(&h)
	return func() { hook.Store(nil) }
}

// injected returns the fault of a call.
func injected(op Op, path string) Fault {
	h := hook.Load()
	if h == nil {
		return Fault{}
	}
	fault := (*h)(op, path)
	if fault.Err != nil {
		fault.Err = &fs.PathError{Op: string(op), Path: path, Err: fault.Err}
	}
	return fault
}

// transfer calls f, which reads or writes the bytes p of the file. It repeats f if a signal
// interrupts f before the first byte.
func transfer(op Op, file *File, p []byte, f func([]byte) (int, error)) (int, error) {
	if hook.Load() == nil {
		return f(p) // os.File repeats interrupted calls
	}
	fault := injected(op, file.path)
	switch {
	case fault.Short && len(p) > 1:
		n, err := f(p[:len(p)/2])
		switch {
		case err != nil || op == OpRead:
			return n, err
		case fault.Err != nil:
			return n, fault.Err
		case op == OpWrite:
			return n, io.ErrShortWrite
		}
		return n, io.ErrUnexpectedEOF
	case fault.Err != nil && !errors.Is(fault.Err, syscall.EINTR):
		return 0, fault.Err
	}
	return f(p)
}
