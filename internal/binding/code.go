package binding

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// Code is the kind of an error, as a number and a name that do not change.
type Code int

// These are the codes. Their numbers are part of the C interface, and their names of the JavaScript
// interface.
const (
	OK          Code = iota
	Argument         // an argument is out of range or has the wrong type
	Handle           // the handle of a solid is not, or no longer, valid
	Option           // an option is out of range
	File             // the operating system cannot open or read a file
	Format           // a file is not a mesh file, or has bad data
	MeshInvalid      // arrays do not form a mesh
	TooLarge         // a mesh exceeds a limit of size or of memory
	Canceled         // the caller has interrupted the call
	Internal         // a defect of inpoly
)

var codeNames = [...]string{"ok", "argument", "handle", "option", "file", "format", "mesh", "too-large", "canceled", "internal"}

// String returns the name of c.
func (c Code) String() string {
	if c < 0 || int(c) >= len(codeNames) {
		return fmt.Sprintf("code %d", int(c))
	}
	return codeNames[c]
}

// These errors are for the callers of a binding.
var (
	ErrArgument = errors.New("invalid argument")
	ErrHandle   = errors.New("the solid is not open")
	ErrCanceled = errors.New("canceled by progress")
)

// Panicked is the error of a call that panicked.
type Panicked struct{ Value any }

func (p Panicked) Error() string { return fmt.Sprintf("internal error: %v", p.Value) }

// CodeOf returns the code of err, and OK for nil.
func CodeOf(err error) Code {
	var panicked Panicked
	var bad *loaders.Error
	var path *fs.PathError
	var system syscall.Errno
	is := func(targets ...error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
	switch {
	case err == nil:
		return OK
	case errors.As(err, &panicked):
		return Internal
	case is(ErrCanceled, context.Canceled, context.DeadlineExceeded):
		return Canceled
	case is(ErrArgument):
		return Argument
	case is(ErrHandle):
		return Handle
	case is(inpoly.ErrOption, fmm.ErrEpsilon):
		return Option
	case is(mesh.ErrTooLarge, loaders.ErrTooLarge):
		return TooLarge
	case errors.As(err, &path), errors.As(err, &system), is(fs.ErrNotExist, fs.ErrPermission, disk.ErrChanged):
		return File
	case errors.As(err, &bad), is(inpoly.ErrNegative):
		return Format
	case is(mesh.ErrIndex, mesh.ErrLength, mesh.ErrNotFinite, mesh.ErrNil):
		return MeshInvalid
	}
	return Internal
}
