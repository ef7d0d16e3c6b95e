// Package affine maps points into another frame: p ↦ A·p + t. The coefficients are rational numbers,
// so a factor such as 0.1, or the 25.4 millimeters of an inch, is exact. Each coordinate of the
// result is the float64 nearest to its exact value.
package affine

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/golang/geo/r3"
)

// Coefficients are the first three rows of an affine 4×4 matrix. A row has the coefficients of x, y
// and z, and the translation.
type Coefficients [3][4]*big.Rat

// Map is an affine map that is invertible. It is immutable and safe for concurrent use.
type Map struct {
	exact Coefficients
	rows  [3]row
}

// ErrSingular means that a matrix maps all points into a plane, a line or a point.
var ErrSingular = errors.New("the matrix is singular: it maps different points to the same point")

// New returns the map with the given coefficients. The caller must not modify them later. New
// returns ErrSingular if the map is not invertible.
func New(c Coefficients) (*Map, error) {
	if determinant(&c).Sign() == 0 {
		return nil, ErrSingular
	}
	m := &Map{exact: c}
	for i := range c {
		m.rows[i] = newRow(&c[i])
	}
	return m, nil
}

// Scaling returns the map p ↦ factor·p. It panics if the factor is 0.
func Scaling(factor *big.Rat) *Map {
	var c Coefficients
	for i := range c {
		for j := range c[i] {
			c[i][j] = new(big.Rat)
		}
		c[i][i] = factor
	}
	m, err := New(c)
	if err != nil {
		panic("affine: the factor is 0")
	}
	return m
}

// Linear returns the map p ↦ A·p, which maps directions.
func (m *Map) Linear() *Map {
	c := m.exact
	for i := range c {
		c[i][3] = new(big.Rat)
	}
	linear, err := New(c)
	if err != nil {
		panic("affine: the linear part of an invertible map is singular")
	}
	return linear
}

// After returns the map that first applies the map first and then m. It rounds nothing.
func (m *Map) After(first *Map) *Map {
	var c Coefficients
	for i := range c {
		for j := range c[i] {
			sum := new(big.Rat)
			for k := range 3 {
				sum.Add(sum, new(big.Rat).Mul(m.exact[i][k], first.exact[k][j]))
			}
			if j == 3 {
				sum.Add(sum, m.exact[i][3])
			}
			c[i][j] = sum
		}
	}
	both, err := New(c)
	if err != nil {
		panic("affine: a product of invertible maps is singular")
	}
	return both
}

// String returns the twelve coefficients, row by row, as fractions. Parse reads them.
func (m *Map) String() string {
	var words []string
	for i := range m.exact {
		for _, x := range m.exact[i] {
			words = append(words, x.RatString())
		}
	}
	return strings.Join(words, " ")
}

// Parse parses the result of String.
func Parse(s string) (*Map, error) {
	words := strings.Fields(s)
	if len(words) != 12 {
		return nil, fmt.Errorf("affine: expected 12 coefficients, found %d", len(words))
	}
	var c Coefficients
	for i, w := range words {
		x, ok := new(big.Rat).SetString(w)
		if !ok {
			return nil, fmt.Errorf("affine: %q is not a fraction", w)
		}
		c[i/4][i%4] = x
	}
	return New(c)
}

// Apply returns the image of p. Each coordinate is the float64 nearest to its exact value, or ±Inf
// if the exact value exceeds float64. If a coordinate of p is NaN or infinite, all coordinates of
// the result are NaN.
func (m *Map) Apply(p r3.Vector) r3.Vector {
	if d := (p.X - p.X) + (p.Y - p.Y) + (p.Z - p.Z); d != 0 { // a coordinate is NaN or infinite
		return r3.Vector{X: math.NaN(), Y: math.NaN(), Z: math.NaN()}
	}
	v := [3]float64{p.X, p.Y, p.Z}
	return r3.Vector{X: m.apply(0, &v), Y: m.apply(1, &v), Z: m.apply(2, &v)}
}

func (m *Map) apply(i int, v *[3]float64) float64 {
	r := &m.rows[i]
	x, ok := r.apply(v)
	if !ok {
		x, ok = r.quotient(v)
	}
	if !ok {
		x = m.applyExact(i, v)
	}
	return x
}

// applyExact computes coordinate i of the image with rational numbers.
func (m *Map) applyExact(i int, v *[3]float64) float64 {
	sum := new(big.Rat).Set(m.exact[i][3])
	for j, x := range v {
		var term big.Rat
		term.SetFloat64(x)
		sum.Add(sum, term.Mul(&term, m.exact[i][j]))
	}
	x, _ := sum.Float64()
	return x
}

// determinant returns the determinant of the three columns of coefficients.
func determinant(c *Coefficients) *big.Rat {
	sum := new(big.Rat)
	for k := range 3 {
		i, j := (k+1)%3, (k+2)%3
		minor := new(big.Rat).Mul(c[1][i], c[2][j])
		minor.Sub(minor, new(big.Rat).Mul(c[1][j], c[2][i]))
		sum.Add(sum, minor.Mul(minor, c[0][k]))
	}
	return sum
}
