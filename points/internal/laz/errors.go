package laz

import (
	"errors"
	"fmt"
)

var (
	// ErrDamaged is wrapped by errors for data that contradicts the format.
	ErrDamaged = errors.New("damaged LAZ data")
	// ErrUnsupported is wrapped by errors for compressors, coders, items or versions of items that
	// LASzip does not define.
	ErrUnsupported = errors.New("unsupported LAZ compression")
	// ErrNoTable is wrapped by ReadChunks if the file has no chunk table, because its writer stopped
	// early. FindChunks finds the chunks of such a file. Errors that wrap ErrNoTable also wrap
	// ErrDamaged.
	ErrNoTable = fmt.Errorf("%w: there is no chunk table", ErrDamaged)
)

// damaged returns an error that wraps ErrDamaged.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, args...))
}

// unsupported returns an error that wraps ErrUnsupported.
func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUnsupported, fmt.Errorf(format, args...))
}
