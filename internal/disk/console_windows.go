package disk

import (
	"os"

	"golang.org/x/sys/windows"
)

// HasControlSequences reports whether the console f understands control sequences. Since Windows
// 10, a console does after a call of SetConsoleMode.
func HasControlSequences(f *os.File) bool {
	if os.Getenv("TERM") == "dumb" {
		return false
	}
	var mode uint32
	if windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) != nil {
		return false
	}
	if mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 {
		return true
	}
	return windows.SetConsoleMode(windows.Handle(f.Fd()), mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
