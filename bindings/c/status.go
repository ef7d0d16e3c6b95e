package main

// #include "export.h"
import "C"

import (
	"fmt"
	"runtime/debug"
	"unsafe"

	"github.com/inpoly/inpoly/internal/binding"
	"github.com/inpoly/inpoly/internal/quote"
)

// solids holds the open solids of the process.
var solids handles[binding.Solid]

func find(solid C.inpoly_solid) (*binding.Solid, error) {
	if s := solids.get(uint64(solid)); s != nil {
		return s, nil
	}
	return nil, binding.ErrHandle
}

// status calls f and returns the status of its error. A panic becomes INPOLY_INTERNAL.
func status(f func() error) C.inpoly_status {
	err := protect(f)
	if err == nil {
		return C.INPOLY_OK
	}
	text := quote.Line(err.Error())
	C.inpolySetMessage((*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.size_t(len(text)))
	return C.inpoly_status(binding.CodeOf(err))
}

// protect calls f and returns its error. A panic becomes an error with the stack.
func protect(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = binding.Panicked{Value: fmt.Sprintf("%v\n%s", r, debug.Stack())}
		}
	}()
	return f()
}

// argument returns an error that wraps binding.ErrArgument.
func argument(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{binding.ErrArgument}, args...)...)
}
