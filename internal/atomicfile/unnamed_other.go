//go:build !linux

package atomicfile

import (
	"errors"
	"os"
)

func openUnnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// linkUnnamed is never called, because openUnnamed fails.
func linkUnnamed(*os.File, string) error { return errors.ErrUnsupported }
