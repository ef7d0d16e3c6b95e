package affine

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/internal/quote"
)

// units lists the units of length in meters, with their English names. A foot is 12 inches of 25.4
// mm (Federal Register Doc. 59-5442, 1959). A U.S. survey foot is 1200/3937 m (Mendenhall Order,
// 1893).
var units = []struct {
	name, meters string
	words        []string
}{
	{"nm", "1e-9", []string{"nanometer"}},
	{"um", "1e-6", []string{"micrometer", "micron"}},
	{"mm", "1e-3", []string{"millimeter"}},
	{"cm", "1e-2", []string{"centimeter"}},
	{"dm", "1e-1", []string{"decimeter"}},
	{"m", "1", []string{"meter"}},
	{"km", "1e3", []string{"kilometer"}},
	{"in", "0.0254", []string{"inch", "inches"}},
	{"ft", "0.3048", []string{"foot", "feet"}},
	{"us-ft", "1200/3937", []string{"us-foot", "us-feet"}},
	{"yd", "0.9144", []string{"yard"}},
	{"mi", "1609.344", []string{"mile"}},
}

// Units returns the names of the units that ParseUnits accepts, without their English names.
func Units() []string {
	names := make([]string, len(units))
	for i, u := range units {
		names[i] = u.name
	}
	return names
}

// UnitWords returns the names of the units and their English names.
func UnitWords() (words []string) {
	for _, u := range units {
		words = append(append(words, u.name), u.words...)
	}
	return words
}

// UnitName returns the name in Units of a unit that is given by its name, or by its English name in
// American or British spelling. It ignores letter case. ok is false for an unknown unit.
func UnitName(unit string) (name string, ok bool) {
	unit = strings.ToLower(strings.TrimSpace(unit))
	unit = strings.ReplaceAll(strings.ReplaceAll(unit, "µ", "u"), "μ", "u") // U+00B5, and the Greek letter U+03BC
	singular := strings.TrimSuffix(unit, "s")
	if stem, british := strings.CutSuffix(singular, "re"); british {
		singular = stem + "er"
	}
	for _, u := range units {
		if unit == u.name || slices.Contains(u.words, unit) || slices.Contains(u.words, singular) {
			return u.name, true
		}
	}
	return "", false
}

// ParseUnits parses two units such as mm:in or millimeters:inches. It returns the length of the
// first unit divided by the length of the second, which converts lengths from the first unit to the
// second.
func ParseUnits(s string) (*big.Rat, error) {
	from, to, ok := strings.Cut(s, ":")
	if !ok {
		return nil, fmt.Errorf("%s: expected the unit of the points and the unit of the mesh, such as mm:in", quote.Word(s))
	}
	factor := new(big.Rat)
	for i, unit := range []string{from, to} {
		name, ok := UnitName(unit)
		if !ok {
			return nil, fmt.Errorf("%s: %s is not a unit: expected one of %s", quote.Word(s), quote.Word(strings.TrimSpace(unit)), strings.Join(Units(), ", "))
		}
		meters, err := ParseFactor(units[slices.Index(Units(), name)].meters)
		switch {
		case err != nil:
			return nil, err
		case i == 0:
			factor = meters
		default:
			factor.Quo(factor, meters)
		}
	}
	return factor, nil
}
