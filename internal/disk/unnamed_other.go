//go:build !linux

package disk

import (
	"errors"
	"os"
)

func unnamed(string, string) (*os.File, error) { return nil, errors.ErrUnsupported }

// link is never called, because unnamed fails.
func link(*os.File, string) error { return errors.ErrUnsupported }
