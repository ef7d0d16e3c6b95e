package term

import (
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/inpoly/inpoly/internal/disk"
)

// Colors are the values of --color.
var Colors = []string{"auto", "always", "never"}

// ColorFlag adds the flag --color to the flag set.
func (t *Terminal) ColorFlag(set *pflag.FlagSet) { set.Var(&t.color, "color", "") }

// colorValue is the value of --color: an index of Colors. It is safe for concurrent use, because a
// signal can end the command while it parses flags.
type colorValue struct{ index atomic.Int32 }

func (c *colorValue) String() string { return Colors[c.index.Load()] }
func (c *colorValue) Type() string   { return "string" }

func (c *colorValue) Set(value string) error {
	if err := CheckValue("--color", value, Colors); err != nil {
		return err
	}
	c.index.Store(int32(slices.Index(Colors, value)))
	return nil
}

// FindColor sets the value of --color from the arguments of a command line. Errors in the arguments
// before --color then have the color that the user wants. FindColor ignores invalid values, which
// the flag parser reports.
func (t *Terminal) FindColor(args []string) {
	for i, a := range args {
		value, ok := strings.CutPrefix(a, "--color=")
		if a == "--color" && i+1 < len(args) {
			value, ok = args[i+1], true
		}
		if a == "--" {
			return
		}
		if ok {
			_ = t.color.Set(value) // an invalid value changes nothing
		}
	}
}

// These are control sequences of ECMA-48 (SGR).
const (
	bold    = "\x1b[1m"
	red     = "\x1b[1;31m"
	yellow  = "\x1b[1;33m"
	noStyle = "\x1b[0m"
)

// paint returns a text of the program in a style, if the stream shows colors. The text must not
// contain text from outside the program.
func (t *Terminal) paint(stream io.Writer, style, text string) string {
	if !t.hasColor(stream) {
		return text
	}
	return style + text + noStyle
}

// hasColor reports whether text on the stream has colors. By default, it has colors on a terminal
// that understands control sequences, unless the environment variable NO_COLOR is not empty
// (https://no-color.org).
func (t *Terminal) hasColor(stream io.Writer) bool {
	switch t.color.String() {
	case "always":
		return true
	case "never":
		return false
	}
	f, ok := stream.(*os.File)
	if !ok || !IsTerminal(stream) || os.Getenv("NO_COLOR") != "" {
		return false
	}
	return disk.HasControlSequences(f)
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// PrintHelp prints a help text on standard output. On a terminal, headings are bold. isHeading
// reports whether a line is a heading.
func (t *Terminal) PrintHelp(text string, isHeading func(line string) bool) error {
	if t.hasColor(t.Out) {
		var painted strings.Builder
		for line := range strings.Lines(text) {
			if body := strings.TrimRight(line, "\n"); isHeading(body) {
				line = bold + body + noStyle + line[len(body):]
			}
			painted.WriteString(line)
		}
		text = painted.String()
	}
	_, err := io.WriteString(t.Out, text)
	return err
}
