package cli

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/inpoly/inpoly/internal/cli/term"
)

// Each help text fits into 80 columns and names exactly the flags of its command. Both "inpoly help
// X" and "inpoly X --help" print the help text of X.
func TestHelp(t *testing.T) {
	flag := regexp.MustCompile(`--[a-z][a-z0-9-]*`)
	for _, c := range newCommandLine(&term.Terminal{}).commands {
		for i, line := range strings.Split(c.Long, "\n") {
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Errorf("help %s: line %d has %d columns: %s", c.Name(), i+1, n, line)
			}
		}
		calls := [][]string{{"help", c.Name()}, {c.Name(), "--help"}}
		if c.Parent() == nil {
			calls = [][]string{{"help"}, {"help", "inpoly"}, {"--help"}, {"-h"}}
		}
		for _, args := range calls {
			var out, stderr bytes.Buffer
			code := Run(t.Context(), &term.Terminal{Out: &out, Err: &stderr}, args)
			if code != term.ExitDone || out.String() != c.Long || stderr.Len() > 0 {
				t.Errorf("%q: exit code %d, standard error %q, standard output %q", args, code, stderr.String(), out.String())
			}
		}
		named := flag.FindAllString(c.Long, -1)
		if c.Flags().Lookup("quiet") != nil && !slices.Contains(named, "--color") {
			t.Errorf("help %s does not name --color", c.Name())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(named, "--"+f.Name) && f.Name != "help" && f.Name != "version" {
				t.Errorf("help %s does not name --%s", c.Name(), f.Name)
			}
		})
		for _, name := range named {
			known := c.Flags().Lookup(name[2:]) != nil || c.InheritedFlags().Lookup(name[2:]) != nil
			if !known && !slices.Contains([]string{"--version", "--verify"}, name) {
				t.Errorf("help %s names %s, which it does not have", c.Name(), name)
			}
		}
	}
}
