//go:build !linux

package atomicfile

import (
	"errors"
	"os"
)

// openUnnamed fails, because this system has no unnamed files.
func openUnnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// linkUnnamed is never called, because openUnnamed fails.
func linkUnnamed(*os.File, string) error { return errors.ErrUnsupported }
