//go:build !linux

package points

import (
	"errors"
	"os"
)

// openUnnamed fails: this system has no files without a name.
func openUnnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// linkUnnamed is not called.
func linkUnnamed(*os.File, string) error { return errors.ErrUnsupported }
