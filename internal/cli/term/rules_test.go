package term

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestRules checks the message about the first rule that a command line breaks.
func TestRules(t *testing.T) {
	rules := []Rule{
		{Flags: "all", Excludes: "any"},
		{Flags: "step", Finite: "length"},
		{Flags: "step", Excludes: "name any", Because: "it has steps"},
		{Flags: "count", Range: [2]int64{1, 5}},
		{Flags: "count name", Requires: "all step", Because: "so it is", Hint: "add --all"},
		{Flags: "kind", OneOf: []string{"light", "dark"}, When: "all absent"},
		{Flags: "chord", Positive: "number", Text: "must be positive"},
		{Flags: "absent", Excludes: "all"},
	}
	for _, c := range []struct{ line, want string }{
		{"", ""},
		{"--all --any", "--all and --any cannot be combined"},
		{"--all --any=false", ""},
		{"--all=false --any", ""},
		{"--all --any --step -1", "--all and --any cannot be combined"},
		{"--step -1", "--step -1: must be a finite length ≥ 0"},
		{"--step NaN", "--step NaN: must be a finite length ≥ 0"},
		{"--step Inf", "--step +Inf: must be a finite length ≥ 0"},
		{"--step 0 --any", ""},
		{"--step 1 --any", "--step cannot be combined with --name or --any: it has steps"},
		{"--step 1 --name=", ""},
		{"--count 6 --all", "--count 6: must be from 1 to 5"},
		{"--count 0", "--count 0: must be from 1 to 5"},
		{"--count 5", "--count: requires --all or --step, because so it is; add --all"},
		{"--count 5 --all", ""},
		{"--name 0", "--name: requires --all or --step, because so it is; add --all"},
		{"--kind darc", ""},
		{"--kind darc --all", `--kind "darc": expected light or dark; did you mean --kind dark?`},
		{"--kind dark --all", ""},
		{"--chord 0", "--chord 0: must be positive"},
		{"--chord 1e-9", ""},
	} {
		set := pflag.NewFlagSet("", pflag.ContinueOnError)
		set.Bool("all", false, "")
		set.Bool("any", false, "")
		set.Float64("step", 0, "")
		set.Float64("chord", 1, "")
		set.Int("count", 3, "")
		set.String("name", "", "")
		set.String("kind", "light", "")
		got := ""
		err := set.Parse(strings.Fields(c.line))
		if err == nil {
			err = CheckRules(set, rules)
		}
		if err != nil {
			if got = err.Error(); Hint(err) != "" {
				got += "; " + Hint(err)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}
