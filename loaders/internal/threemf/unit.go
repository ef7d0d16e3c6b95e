package threemf

import (
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

import "encoding/xml"

// defaultUnit is the unit of a model that names none (3MF core §3.4).
const defaultUnit = "millimeter"

// units holds the length of each unit of 3MF in tenths of a micron, the largest
// length of which all of them are multiples (an inch is 25.4 mm, a foot 12 inches).
var units = map[string]int64{
	"micron":     10,
	"millimeter": 10_000,
	"centimeter": 100_000,
	"inch":       254_000,
	"foot":       3_048_000,
	"meter":      10_000_000,
}

// unit is the unit of a part in that of the root model, num/den, in lowest terms.
type unit struct{ num, den float64 }

// convert returns x·num/den. The product is exact, and the result the float64 nearest
// to the true one, for x of up to 33 significant bits (no numerator is above 10⁶ < 2²⁰);
// float32 has 24; otherwise the relative error is at most 2⁻⁵² (1+2⁻⁵³).
func (u unit) convert(x float64) float64 { return float64(x*u.num) / u.den }

// readUnit reads the unit of m from its root element. The first model that is read is
// the root model, whose unit the whole package is given in.
func (p *archive) readUnit(x *xmlPart, m *modelPart, root xml.StartElement) error {
	name := attr(root, "unit")
	if name == "" {
		name = defaultUnit
	}
	length, ok := units[name]
	if !ok {
		return x.fail(soup.ErrSyntax, "unit %q does not exist", scan.Excerpt([]byte(name)))
	}
	if m.part == p.root {
		p.unit = name
	} else if name != p.unit {
		p.b.Note("%s is in unit %s: converted to %s", m.part, name, p.unit)
	}
	whole := units[p.unit]
	d := gcd(length, whole)
	m.unit = unit{float64(length / d), float64(whole / d)}
	return nil
}

// gcd returns the greatest common divisor of two positive numbers.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
