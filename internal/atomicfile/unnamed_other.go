//go:build !linux

package atomicfile

import (
	"errors"
	"os"
)

// openUnnamed fails: this system has no unnamed files.
func openUnnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// linkUnnamed is never called.
func linkUnnamed(*os.File, string) error { return errors.ErrUnsupported }
