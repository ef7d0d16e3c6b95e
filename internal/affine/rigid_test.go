package affine

import (
	"math"
	"strings"
	"testing"

	"github.com/golang/geo/r3"
)

func matrix(t *testing.T, text string) *Map {
	t.Helper()
	m, err := ParseMatrix([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A rotation with all digits is a rotation, also with a factor and a reflection. A rotation with
// few digits deforms by about half a unit of the last digit.
func TestDeformation(t *testing.T) {
	const (
		digits = "0.8660254037844387 -0.5 0 350\n0.5 0.8660254037844387 0 -200\n0 0 1 7\n0 0 0 1\n"
		huge   = "1e300 0 0 0\n0 1e300 1 0\n0 0 1e300 0\n0 0 0 1\n"
	)
	for _, c := range []struct {
		name, text string
		low, high  float64
		mirrors    bool
	}{
		{"rotation", digits, 0, 1e-15, false},
		{"quarter turn", "0 -1 0 350\n1 0 0 -200\n0 0 1 120\n0 0 0 1\n", 0, 0, false},
		{"factor", "0 -25.4 0 350\n25.4 0 0 -200\n0 0 25.4 120\n0 0 0 1\n", 0, 1e-15, false},
		{"mirror", "-1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n", 0, 0, true},
		{"five decimals", strings.ReplaceAll(digits, "0.8660254037844387", "0.86603"), 1e-6, 5e-6, false},
		{"three decimals", strings.ReplaceAll(digits, "0.8660254037844387", "0.866"), 5e-6, 5e-4, false},
		{"shear", "1 1 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n", 0.1, 1, false},
		{"stretch", "4 0 0 0\n0 1 0 0\n0 0 2 0\n0 0 0 1\n", 0.9, 1, false},
		{"too large", huge, math.Inf(1), math.Inf(1), false},
	} {
		m := matrix(t, c.text)
		if d := m.Deformation(); !(d.Share >= c.low && d.Share <= c.high) {
			t.Errorf("%s: deformation %v, want from %v to %v", c.name, d.Share, c.low, c.high)
		}
		if m.Mirrors() != c.mirrors {
			t.Errorf("%s: Mirrors() = %v", c.name, m.Mirrors())
		}
	}
	// The nearest rotation of diag(1+e, 1, 1)/∛(1+e) is the identity.
	d := matrix(t, "1.001 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n").Deformation()
	s := math.Cbrt(1.001)
	if got, want := d.Shift(r3.Vector{X: 300}), 300*(1.001-s); math.Abs(got-want) > 1e-12 {
		t.Errorf("shift %v, want %v", got, want)
	}
}

func TestInverse(t *testing.T) {
	m := matrix(t, "0 -2 0 350\n1 0 3 -200\n0 0 -5 120\n0 0 0 1\n")
	for _, p := range []r3.Vector{{}, {X: 1}, {X: -3, Y: 40, Z: 500}} {
		if got := m.Inverse(m.Apply(p)); got.Sub(p).Norm() > 1e-12 {
			t.Errorf("the inverse of the image of %v is %v", p, got)
		}
	}
	if got, want := m.Translation(), (r3.Vector{X: 350, Y: -200, Z: 120}); got != want {
		t.Errorf("translation %v, want %v", got, want)
	}
}

// Units have English names, in American and British spelling.
func TestUnitName(t *testing.T) {
	for unit, want := range map[string]string{
		"inch": "in", "Inches": "in", " IN ": "in", "feet": "ft", "foot": "ft", "us-feet": "us-ft", "met" + "re": "m", "milli" + "met" + "res": "mm",
		"meters": "m", "Kilometers": "km", "microns": "um", "µm": "um", "yards": "yd", "miles": "mi", "μm": "um",
	} {
		if got, ok := UnitName(unit); !ok || got != want {
			t.Errorf("%q: %q, %v, want %q", unit, got, ok, want)
		}
	}
	for _, unit := range []string{"", "s", "ms", "mms", "re", "parsec", "incher"} {
		if got, ok := UnitName(unit); ok {
			t.Errorf("%q: %q, want no unit", unit, got)
		}
	}
	for _, word := range UnitWords() {
		if _, ok := UnitName(word); !ok {
			t.Errorf("%q is not a unit", word)
		}
	}
	inch, err := ParseUnits("inches:millimeters")
	if err != nil || inch.RatString() != "127/5" {
		t.Errorf("inches:millimeters: %v, error %v", inch, err)
	}
}
