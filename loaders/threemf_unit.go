package loaders

import "encoding/xml"

// defaultUnit is the unit of a model that names none (3MF core §3.4).
const defaultUnit = "millimeter"

// units3MF holds the length of each unit of 3MF in tenths of a micron, the largest
// length of which all of them are multiples (an inch is 25.4 mm, a foot 12 inches).
var units3MF = map[string]int64{
	"micron":     10,
	"millimeter": 10_000,
	"centimeter": 100_000,
	"inch":       254_000,
	"foot":       3_048_000,
	"meter":      10_000_000,
}

// unit3MF is the unit of a part in that of the root model, num/den, in lowest terms.
type unit3MF struct{ num, den float64 }

// convert returns x·num/den. The product is exact, and the result the float64 nearest
// to the true one, for x of up to 33 significant bits (no numerator is above 10⁶ < 2²⁰);
// float32 has 24; otherwise the relative error is at most 2⁻⁵² (1+2⁻⁵³).
func (u unit3MF) convert(x float64) float64 { return float64(x*u.num) / u.den }

// readUnit reads the unit of m from its root element. The first model that is read is
// the root model, whose unit the whole package is given in.
func (p *threeMF) readUnit(x *xmlPart, m *model3MF, root xml.StartElement) error {
	name := attr(root, "unit")
	if name == "" {
		name = defaultUnit
	}
	length, ok := units3MF[name]
	if !ok {
		return x.fail(ErrSyntax, "unit %q does not exist", excerpt([]byte(name)))
	}
	if m.part == p.root {
		p.unit = name
	} else if name != p.unit {
		p.b.note("%s is in unit %s: converted to %s", m.part, name, p.unit)
	}
	whole := units3MF[p.unit]
	d := gcd(length, whole)
	m.unit = unit3MF{float64(length / d), float64(whole / d)}
	return nil
}

// gcd returns the greatest common divisor of two positive numbers.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
