package main

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/spf13/cobra"
)

// topic is the help of a command.
type topic struct{ name, text string }

// topics are the helps of all commands, in the order of the manual page.
func topics() []topic {
	return []topic{
		{"inpoly", rootUsage}, {"check", checkUsage}, {"explain", explainUsage}, {"voxels", voxelsUsage}, {"view", viewUsage}, {"collide", collideUsage}, {"merge", mergeUsage},
		{"completion", completionUsage}, {"man", manUsage}, {"version", versionUsage},
	}
}

// helpOf returns the help of a command.
func helpOf(name string) (text string, ok bool) {
	for _, t := range topics() {
		if t.name == name {
			return t.text, true
		}
	}
	return "", false
}

const completionUsage = `Usage:
  inpoly completion SHELL

Prints a script that completes commands and flags, for bash, zsh, fish or powershell.

Example:
  source <(inpoly completion bash)
  inpoly completion fish > ~/.config/fish/completions/inpoly.fish
`

const manUsage = `Usage:
  inpoly man

Prints the help of all commands as a manual page.

Example:
  inpoly man > /usr/local/share/man/man1/inpoly.1
`

// completionCommand prints a script for a shell.
func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "completion SHELL",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("%s given: completion wants bash, zsh, fish or powershell", plural.Count(int64(len(args)), "argument"))}
			}
			return nil
		},
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(c *cobra.Command, args []string) error {
			switch root := c.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, false)
			case "zsh":
				return root.GenZshCompletionNoDesc(a.out)
			case "fish":
				return root.GenFishCompletion(a.out, false)
			case "powershell":
				return root.GenPowerShellCompletion(a.out)
			}
			return usageError{fmt.Errorf("no completion for %q: want bash, zsh, fish or powershell", args[0])}
		},
	}
}

// manCommand prints the manual page.
func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("man takes no arguments, got %q", args[0])}
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(a.out, manPage(topics()))
			return err
		},
	}
}

// manPage writes helps as a manual page: headings become sections, what is below them
// stays as it is laid out.
func manPage(topics []topic) string {
	var s strings.Builder
	s.WriteString(".TH INPOLY 1\n.SH NAME\ninpoly \\- tells which points are inside a triangle mesh, exactly\n")
	for _, t := range topics {
		if t.name != "inpoly" {
			fmt.Fprintf(&s, ".SH INPOLY %s\n", strings.ToUpper(t.name))
		}
		open := false
		end := func() {
			if open {
				s.WriteString(".fi\n")
			}
			open = false
		}
		for line := range strings.Lines(t.text) {
			line = strings.TrimRight(line, "\n")
			if heading, ok := strings.CutSuffix(line, ":"); ok && isHeading(heading) {
				end()
				if t.name == "inpoly" {
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

// isHeading reports whether a line of a help, without its colon, is a heading: words
// from the first column on, with a capital.
func isHeading(s string) bool {
	return s != "" && s[0] >= 'A' && s[0] <= 'Z' && !strings.ContainsAny(s, ".,;:") && strings.Count(s, " ") < 3
}

// roff escapes a line: backslashes, minus signs, what is no ASCII, and a dot or quote
// that would begin a request.
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
