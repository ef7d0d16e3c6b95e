package term

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inpoly/inpoly/internal/suggest"
)

// CheckValue returns a UsageError if the value of a flag is not one of the names. The error has a
// hint if the value looks like a misspelled name.
func CheckValue(flag, value string, names []string) error {
	if slices.Contains(names, value) {
		return nil
	}
	return DidYouMean(Usagef("%s %q: expected %s", flag, value, Either(names)), flag, value, names)
}

// DidYouMean adds a hint to err if the value of a flag looks like a misspelled name.
func DidYouMean(err error, flag, value string, names []string) error {
	if name, ok := suggest.Closest(strings.TrimSpace(value), names); ok {
		between := " "
		if flag == "--strict" || flag == "--orient" { // flags whose value is optional need =
			between = "="
		}
		return WithHint(err, "did you mean "+flag+between+name+"?")
	}
	return err
}

// Either returns "a, b or c".
func Either(names []string) string { return Join(names, "or") }

// Join returns "a, b and c" if the conjunction is "and".
func Join(names []string, conjunction string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + conjunction + " " + names[len(names)-1]
}

// SuggestFlag returns a hint for an unknown flag, or "". The argument is the flag as the user has
// written it, with its minus signs.
func SuggestFlag(set *pflag.FlagSet, argument string) string {
	var names []string
	set.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name, _, _ := strings.Cut(strings.TrimLeft(argument, "-"), "=")
	closest := suggest.AllClosest(name, names)
	if len(closest) == 0 {
		return ""
	}
	for i, c := range closest {
		closest[i] = "--" + c
	}
	return "did you mean " + Either(closest) + "?"
}

// UnitHint returns a hint for a number that is followed by a unit, such as 1mm, or "".
func UnitHint(flag, value string) string {
	if m := withUnit.FindStringSubmatch(value); m != nil {
		return "the value is a number without a unit: " + flag + " " + m[1]
	}
	return ""
}

// withUnit matches a number and a unit.
var withUnit = regexp.MustCompile(`^\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*(?:[a-zA-Zµμ"']+)\s*$`)

// decimalComma matches a number with a decimal comma.
var decimalComma = regexp.MustCompile(`^([A-Za-z]=)?[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?$`)

// CommaHint returns a hint for a value of a flag that has decimal commas instead of decimal points, or
// "". count is the expected count of numbers. In a list of numbers, every second comma can be a
// decimal comma; the list then has twice the expected count of parts.
func CommaHint(flag, value string, count int) string {
	value = strings.TrimSpace(value)
	if count == 1 && decimalComma.MatchString(value) {
		return "the decimal mark is a point: " + strings.TrimSpace(flag+" "+strings.Replace(value, ",", ".", 1))
	}
	parts := strings.Split(value, ",")
	if count < 2 || len(parts) != 2*count {
		return ""
	}
	numbers := make([]string, count)
	for i := range numbers {
		numbers[i] = strings.TrimSpace(parts[2*i]) + "." + strings.TrimSpace(parts[2*i+1])
		if !decimalComma.MatchString(strings.Replace(numbers[i], ".", ",", 1)) {
			return ""
		}
	}
	return "the decimal mark is a point: " + strings.TrimSpace(flag+" "+strings.Join(numbers, ","))
}

// WithComma adds a hint to err if the value of a flag is a number with a decimal comma.
func WithComma(err error, flag, value string) error {
	if hint := CommaHint(flag, value, 1); hint != "" {
		return WithHint(err, hint)
	}
	return err
}

// JSONFlag adds the flag --json, which sets *format to "json".
func JSONFlag(set *pflag.FlagSet, format *string) {
	set.BoolFunc("json", "", func(value string) error {
		switch value {
		case "true":
			*format = "json"
		case "false":
			*format = ""
		default:
			return Usagef("--json %q: expected true or false", value)
		}
		return nil
	})
}

// OnceVar adds a flag with a text as value. If the flag occurs twice with different values, it is an
// error, because the second value would silently replace the first.
func OnceVar(set *pflag.FlagSet, p *string, name string) {
	set.Var(&once{name: name, value: p}, name, "")
}

// once is the value of a flag that OnceVar adds.
type once struct {
	name  string
	value *string
	given bool
}

func (o *once) String() string {
	if o.value == nil { // the zero value, which pflag compares with defaults
		return ""
	}
	return *o.value
}

func (o *once) Type() string { return "string" }

func (o *once) Set(s string) error {
	if o.given && s != *o.value {
		return WithHint(Usagef("--%s %q and --%s %q: expected one of them", o.name, *o.value, o.name, s), "run the command once for each of them")
	}
	*o.value, o.given = s, true
	return nil
}
