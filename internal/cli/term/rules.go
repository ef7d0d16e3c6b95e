package term

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Rule is a condition on flags. The fields of flags have names that blanks separate. A flag is given if the command
// line sets it to a value other than "", false or 0, so a script can pass an empty variable.
type Rule struct {
	Flags string // the rule is about each of these flags that the command line sets
	When  string // unless it is "", the rule holds only if one of these flags is given

	// A rule has one of these conditions. The first two hold only if the flag is given.
	Excludes string   // none of these flags is given
	Requires string   // one of these flags is given
	OneOf    []string // the value is "" or one of these
	Range    [2]int64 // the value is an integer from the first to the second number
	Finite   string   // the value is a finite number ≥ 0; the text says what it is, such as a length
	Positive string   // the value is a finite number > 0
	Proposed []string // no condition: a shell proposes these values, as it proposes those of OneOf

	Because string // the reason in a message about other flags
	Text    string // replaces the usual message, or the part of it that follows the flag and its value
	Hint    string
}

// SetRules makes c check the rules of all lists, in their order, before it runs. c has all its flags.
func SetRules(c *cobra.Command, lists ...[]Rule) {
	rules := slices.Concat(lists...)
	c.PreRunE = func(c *cobra.Command, _ []string) error { return CheckRules(c.Flags(), rules) }
	for _, r := range rules {
		values := slices.Concat(r.OneOf, r.Proposed)
		if len(values) == 0 || c.Flags().Lookup(r.Flags) == nil {
			continue
		}
		if err := c.RegisterFlagCompletionFunc(r.Flags, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // two rules have values for one flag
		}
	}
}

// CheckRules returns a UsageError about the first rule that the flags break. It skips flags that the set does not have.
func CheckRules(set *pflag.FlagSet, rules []Rule) error {
	for _, r := range rules {
		if r.When != "" && !anyGiven(set, r.When) {
			continue
		}
		for name := range strings.FieldsSeq(r.Flags) {
			f := set.Lookup(name)
			if f == nil || !f.Changed {
				continue
			}
			if err := r.check(set, f); err != nil && r.Hint != "" {
				return WithHint(err, r.Hint)
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// check returns an error if f breaks the rule.
func (r *Rule) check(set *pflag.FlagSet, f *pflag.Flag) error {
	flag, value := "--"+f.Name, f.Value.String()
	text, broken := "", false
	switch number, _ := strconv.ParseFloat(value, 64); { // pflag has checked that it is a number
	case r.Excludes != "":
		broken = isGiven(f) && anyGiven(set, r.Excludes)
		if text = fmt.Sprintf("%s and --%s cannot be combined", flag, r.Excludes); strings.Contains(r.Excludes, " ") {
			text = flag + " cannot be combined with " + eitherFlag(r.Excludes)
		}
		if r.Because != "" {
			text += ": " + r.Because
		}
	case r.Requires != "":
		broken = isGiven(f) && !anyGiven(set, r.Requires)
		if text = flag + ": requires " + eitherFlag(r.Requires); r.Because != "" {
			text += ", because " + r.Because
		}
	case r.OneOf != nil:
		if value == "" || slices.Contains(r.OneOf, value) {
			return nil
		}
		err := Usagef("%s %q: %s", flag, value, cmp.Or(r.Text, "expected "+Either(r.OneOf)))
		return DidYouMean(err, flag, value, r.OneOf)
	case r.Proposed != nil:
	case r.Finite != "":
		broken = !(number >= 0) || math.IsInf(number, 0)
		text = "must be a finite " + r.Finite + " ≥ 0"
	case r.Positive != "":
		broken = !(number > 0) || math.IsInf(number, 0)
		text = "must be a finite " + r.Positive + " > 0"
	default:
		n, _ := strconv.ParseInt(value, 10, 64)
		broken = n < r.Range[0] || n > r.Range[1]
		text = fmt.Sprintf("must be from %d to %d", r.Range[0], r.Range[1])
	}
	if text = cmp.Or(r.Text, text); r.Excludes == "" && r.Requires == "" {
		text = flag + " " + value + ": " + text
	}
	if !broken {
		return nil
	}
	return Usagef("%s", text)
}

// eitherFlag returns "--a, --b or --c" for the names "a b c".
func eitherFlag(names string) string {
	return Either(strings.Fields("--" + strings.ReplaceAll(names, " ", " --")))
}

// anyGiven reports whether one of the flags is given.
func anyGiven(set *pflag.FlagSet, names string) bool {
	return slices.ContainsFunc(strings.Fields(names), func(name string) bool { return isGiven(set.Lookup(name)) })
}

// isGiven reports whether a flag, which can be nil, is given.
func isGiven(f *pflag.Flag) bool {
	zero := map[string]string{"bool": "false", "int": "0", "int64": "0", "uint64": "0", "float64": "0"}
	return f != nil && f.Changed && f.Value.String() != zero[f.Value.Type()]
}
