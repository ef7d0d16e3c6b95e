package cli

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// manCommand returns the command that prints the manual page.
func (l *commandLine) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man", Args: noArgs,
		Long: `Usage:
  inpoly man

Prints the help texts of all commands as a manual page.

Example:
  inpoly man > /usr/local/share/man/man1/inpoly.1
`,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(l.Out, manPage(l.commands))
			return err
		},
	}
}

// manPage returns the help texts of commands as a manual page. Headings become sections. The text
// below a heading keeps its layout.
func manPage(commands []*cobra.Command) string {
	var s strings.Builder
	s.WriteString(".TH INPOLY 1\n.SH NAME\ninpoly \\- decides exactly which points are inside a triangle mesh\n")
	for _, c := range commands {
		if c.Name() != "inpoly" {
			fmt.Fprintf(&s, ".SH INPOLY %s\n", strings.ToUpper(c.Name()))
		}
		open := false
		end := func() {
			if open {
				s.WriteString(".fi\n")
			}
			open = false
		}
		for line := range strings.Lines(c.Long) {
			line = strings.TrimRight(line, "\n")
			if heading, ok := strings.CutSuffix(line, ":"); ok && isHeading(heading) {
				end()
				if c.Name() == "inpoly" {
					fmt.Fprintf(&s, ".SH %s\n", strings.ToUpper(heading))
				} else {
					fmt.Fprintf(&s, ".SS %s\n", heading)
				}
				continue
			}
			if !open && line == "" {
				continue
			}
			if !open {
				s.WriteString(".nf\n")
				open = true
			}
			s.WriteString(roff(line) + "\n")
		}
		end()
	}
	return s.String()
}

// isHeading reports whether a line of a help text is a heading. s is the line without its colon. A
// heading begins with a capital letter in the first column and has at most three words.
func isHeading(s string) bool {
	return s != "" && s[0] >= 'A' && s[0] <= 'Z' && !strings.ContainsAny(s, ".,;:") && strings.Count(s, " ") < 3
}

// roff escapes a line for the manual page: backslashes, minus signs and characters outside ASCII.
// It also escapes a leading dot or quote, which would begin a roff request.
func roff(line string) string {
	var s strings.Builder
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		s.WriteString(`\&`)
	}
	for _, r := range line {
		switch {
		case r == '\\':
			s.WriteString(`\e`)
		case r == '-':
			s.WriteString(`\-`)
		case r > unicode.MaxASCII:
			fmt.Fprintf(&s, `\[u%04X]`, r)
		default:
			s.WriteRune(r)
		}
	}
	return s.String()
}
