//go:build !windows

package term

import "os"

// hasControlSequences reports whether the terminal f understands control sequences. Terminals of
// the type "dumb" do not, and neither do terminals without a type.
func hasControlSequences(*os.File) bool {
	kind := os.Getenv("TERM")
	return kind != "" && kind != "dumb"
}
