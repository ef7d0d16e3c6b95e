//go:build !windows

package disk

import "os"

// HasControlSequences reports whether the terminal f understands control sequences. Terminals of
// the type "dumb" do not, and neither do terminals without a type.
func HasControlSequences(*os.File) bool {
	kind := os.Getenv("TERM")
	return kind != "" && kind != "dumb"
}
