//go:build !windows

package disk

import "os"

// HasControlSequences reports whether the terminal f understands control sequences. It returns
// false for a terminal of the type "dumb" or without a type.
func HasControlSequences(*os.File) bool {
	kind := os.Getenv("TERM")
	return kind != "" && kind != "dumb"
}
