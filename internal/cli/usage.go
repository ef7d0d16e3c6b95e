package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/check"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/suggest"
)

// flagError makes a UsageError from an error of the flag parser, with a hint for unknown flags and
// for decimal commas.
func flagError(c *cobra.Command, err error) error {
	var usage term.UsageError
	var unknown *pflag.NotExistError
	var alone *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &usage): // an error of a value of this program, such as --color
		if hint := term.Hint(err); hint != "" {
			return term.WithHint(usage, hint)
		}
		return usage
	case errors.As(err, &unknown):
		name := "--" + unknown.GetSpecifiedName()
		if letters := unknown.GetSpecifiedShortnames(); letters != "" {
			name = "-" + letters // a word after one minus sign, such as -keep, is a list of short flags
		}
		return withHint(term.Usage(err), term.SuggestFlag(c.Flags(), name))
	case errors.As(err, &alone) && alone.GetFlag() != nil && alone.GetFlag().Name == "stats":
		return term.WithHint(term.Usage(err), "did you mean --json or --stats json?")
	case errors.As(err, &invalid):
		flag := "--" + invalid.GetFlag().Name
		expected, ok := map[string]string{"bool": "true or false", "int": "an integer", "uint64": "an integer ≥ 0", "float64": "a number"}[invalid.GetFlag().Value.Type()]
		if !ok {
			return term.Usage(err)
		}
		err := term.Usagef("%s %q: expected %s", flag, invalid.GetValue(), expected)
		return withHint(err, cmp.Or(term.CommaHint(flag, invalid.GetValue(), 1), term.UnitHint(flag, invalid.GetValue())))
	}
	return term.Usage(err)
}

// withHint adds a hint to err, unless the hint is "".
func withHint(err error, hint string) error {
	if hint == "" {
		return err
	}
	return term.WithHint(err, hint)
}

// optionalValueHint returns a hint for a common mistake: writing "--orient never" instead of
// "--orient=never". The value of such a flag is optional, so it must follow an equals sign. After a
// space, the word is taken for the name of a file. optionalValueHint returns "" if the command line
// does not have this mistake.
func optionalValueHint(c *cobra.Command, args []string, err error) string {
	var usage term.UsageError
	if !errors.As(err, &usage) && !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	values := map[string][]string{"--orient": answer.OrientNames, "--strict": check.StrictNames}
	for i := 1; i < len(args); i++ {
		flag, value := args[i-1], args[i]
		f := c.Flags().Lookup(strings.TrimPrefix(flag, "--"))
		if f != nil && slices.Contains(values[flag], f.NoOptDefVal) && slices.Contains(values[flag], value) {
			return "did you mean " + flag + "=" + value + "?"
		}
	}
	return ""
}

// checkCommand returns an error if the first argument of the main command looks like a misspelled
// subcommand. A mesh file with this name is no mistake.
func (l *commandLine) checkCommand(args []string) error {
	if len(args) == 0 || filepath.Base(args[0]) != args[0] || filepath.Ext(args[0]) != "" {
		return nil
	}
	name, ok := suggest.Closest(args[0], l.names())
	if !ok {
		return nil
	}
	if _, err := disk.Stat(args[0]); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return term.WithHint(term.Usagef("%s: unknown command, and no file has this name", args[0]), "did you mean inpoly "+name+"?")
}

// names returns the names of all subcommands.
func (l *commandLine) names() []string {
	names := []string{"help"}
	for _, c := range l.commands[1:] {
		names = append(names, c.Name())
	}
	return names
}

// printText prints a help text or a section of it.
func (l *commandLine) printText(text string) error {
	return l.PrintHelp(text, func(line string) bool {
		heading, ok := strings.CutSuffix(line, ":")
		return ok && isHeading(heading)
	})
}

// section returns the section of the main help text with the given heading in any letter case, or "".
func section(name string) string {
	var s strings.Builder
	for line := range strings.Lines(help) {
		heading, ok := strings.CutSuffix(line, ":\n")
		switch {
		case !ok || !isHeading(heading):
			if s.Len() > 0 {
				s.WriteString(line)
			}
		case s.Len() > 0:
			return strings.TrimRight(s.String(), "\n") + "\n"
		case strings.EqualFold(heading, name):
			s.WriteString(line)
		}
	}
	return s.String()
}

// sections returns the headings of the main help text in lower case.
func sections() (names []string) {
	for line := range strings.Lines(help) {
		if heading, ok := strings.CutSuffix(line, ":\n"); ok && isHeading(heading) {
			names = append(names, strings.ToLower(heading))
		}
	}
	return names
}
