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
			if c.Name() == "proof-checker" { // its example has other commands
				known = slices.Contains([]string{"--proof", "--out", "--source", "--seconds", "--orient"}, name)
			}
			if !known && !slices.Contains([]string{"--version", "--verify"}, name) {
				t.Errorf("help %s names %s, which it does not have", c.Name(), name)
			}
		}
	}
}

// "inpoly help SECTION" prints a section of the main help text.
func TestHelpSections(t *testing.T) {
	all := ""
	for _, name := range sections() {
		var out, stderr bytes.Buffer
		code := Run(t.Context(), &term.Terminal{Out: &out, Err: &stderr}, append([]string{"help"}, strings.Fields(name)...))
		heading, _, _ := strings.Cut(out.String(), ":\n")
		if code != term.ExitDone || !strings.EqualFold(heading, name) || strings.Count(out.String(), "\n") < 2 || stderr.Len() > 0 {
			t.Errorf("help %s: exit code %d, standard error %q, standard output %q", name, code, stderr.String(), out.String())
		}
		all += out.String()
	}
	if !strings.Contains(all, "\nPoints:\n") {
		t.Errorf("the sections are %q", all)
	}
	var stderr bytes.Buffer
	code := Run(t.Context(), &term.Terminal{Out: &bytes.Buffer{}, Err: &stderr}, []string{"help", "ponts"})
	if want := "hint: did you mean inpoly help points?\n"; code != term.ExitUsage || !strings.HasSuffix(stderr.String(), want) {
		t.Errorf("help ponts: exit code %d, standard error %q, want the end %q", code, stderr.String(), want)
	}
}
