package drillhole

import (
	"fmt"
	"strings"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/internal/tabular"
)

// lengthUnits has the units of lengths that the name of a column can state.
var lengthUnits = map[string]string{
	"mm": "mm", "millimeter": "mm", "millimeters": "mm",
	"cm": "cm", "centimeter": "cm", "centimeters": "cm",
	"m": "m", "meter": "m", "meters": "m",
	"km": "km", "kilometer": "km", "kilometers": "km",
	"in": "in", "inch": "in", "inches": "in", `"`: "in",
	"ft": "ft", "foot": "ft", "feet": "ft", "'": "ft", "ftus": "ftUS", "usft": "ftUS", "us ft": "ftUS",
}

// otherAngles has the units of angles, except degrees, that the name of a column can state.
var otherAngles = map[string]bool{
	"rad": true, "rads": true, "radian": true, "radians": true,
	"gon": true, "gons": true, "grad": true, "grads": true, "gradian": true, "gradians": true,
	"mil": true, "mils": true, "turn": true, "turns": true, "%": true, "percent": true,
}

// unit returns the unit in the name of a column, in lower case: "m" for "Depth [m]". It replaces the
// British ending tre by ter.
func unit(name string) string {
	name = strings.TrimSpace(name)
	u := strings.Trim(strings.TrimPrefix(strings.ToLower(name), axes.Plain(name)), " _[](){}/")
	return strings.Replace(u, "tre", "ter", 1)
}

// lengths remembers the first unit of lengths that a column states, and refuses columns with another unit.
type lengths struct{ unit, column string }

// check returns an error if a column states a unit of length that differs from the unit of an
// earlier column. It ignores columns −1.
func (l *lengths) check(names []string, columns ...int) error {
	for _, k := range columns {
		if k < 0 || lengthUnits[unit(names[k])] == "" {
			continue
		}
		switch u := lengthUnits[unit(names[k])]; l.unit {
		case "":
			l.unit, l.column = u, names[k]
		case u:
		default:
			return fmt.Errorf("column %d (%s) has the unit %s, but the column %s of the collars or surveys has the unit %s: convert one of them",
				k+1, quote.Line(names[k]), u, quote.Line(l.column), l.unit)
		}
	}
	return nil
}

// checkUnits returns an error if a column name states a unit that Read does not expect. at is the
// result of findCollars for the names in collars. surveyAt is the result of tabular.Find with
// surveyColumns for the names in surveys.
func (r *reader) checkUnits(collars []string, at []int, surveys []string, surveyAt []int) error {
	var l lengths
	if err := l.check(collars, at[1:]...); err != nil {
		return tabular.At(r.collarFile, 0, err)
	}
	if err := l.check(surveys, surveyAt[1]); err != nil {
		return tabular.At(r.surveyFile, 0, err)
	}
	for _, k := range surveyAt[2:4] {
		if u := unit(surveys[k]); otherAngles[u] {
			return tabular.At(r.surveyFile, 0, fmt.Errorf("column %d (%s) has the unit %s: convert it to degrees", k+1, quote.Line(surveys[k]), quote.Line(u)))
		}
	}
	return nil
}
