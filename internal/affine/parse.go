package affine

import (
	"bytes"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/quote"
)

// decimal matches a decimal number. The groups are the digits and the exponent.
var decimal = regexp.MustCompile(`^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?$`)

// longestNumber and largestExponent bound the memory of a number. They exceed the 767 digits and the
// exponent 324 of any float64.
const (
	longestNumber   = 1000
	largestExponent = 400
)

// parseNumber returns the exact value of a decimal number such as 0.1 or -2.5e-3.
func parseNumber(s string) (*big.Rat, error) {
	m := decimal.FindStringSubmatch(s)
	if m == nil {
		return nil, fmt.Errorf("%s is not a number", quote.Word(s))
	}
	if len(s) > longestNumber {
		return nil, fmt.Errorf("%s has more than %d digits", quote.Word(s), longestNumber)
	}
	if e, err := strconv.Atoi(m[1]); m[1] != "" && (err != nil || e < -largestExponent || e > largestExponent) {
		return nil, fmt.Errorf("%s: the exponent must be from %d to %d", quote.Word(s), -largestExponent, largestExponent)
	}
	x, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, fmt.Errorf("%s is not a number", quote.Word(s))
	}
	return x, nil
}

// ParseFactor parses a positive factor: a decimal number or a quotient of two, such as 0.1, 1/25.4 or
// 1200/3937. The result is exact.
func ParseFactor(s string) (*big.Rat, error) {
	above, below, isQuotient := strings.Cut(s, "/")
	x, err := parseNumber(strings.TrimSpace(above))
	if err != nil {
		return nil, err
	}
	if isQuotient {
		y, err := parseNumber(strings.TrimSpace(below))
		if err != nil {
			return nil, err
		}
		if y.Sign() == 0 {
			return nil, fmt.Errorf("%s divides by 0", quote.Word(s))
		}
		x.Quo(x, y)
	}
	if x.Sign() <= 0 {
		return nil, fmt.Errorf("%s: must be above 0", quote.Word(s))
	}
	return x, nil
}

// ParseMatrix parses an affine 4×4 matrix in row-major order: four lines of four numbers, separated
// by blanks, tabs, commas or semicolons. The last row must be 0 0 0 1. Empty lines and the rest of a
// line after # have no effect. The coefficients are exactly the decimal numbers of the text.
//
// Errors name the line. ErrSingular means that the map is not invertible.
func ParseMatrix(text []byte) (*Map, error) {
	var rows [][4]*big.Rat
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	number := 0
	for line := range bytes.Lines(text) {
		number++
		line, _, _ = bytes.Cut(line, []byte("#"))
		words := strings.FieldsFunc(string(line), func(r rune) bool { return strings.ContainsRune(" \t\r\n,;", r) })
		if len(words) == 0 {
			continue
		}
		if len(words) != 4 {
			return nil, fmt.Errorf("line %d: expected 4 numbers with decimal points, found %d", number, len(words))
		}
		if len(rows) == 4 {
			return nil, fmt.Errorf("line %d: expected 4 rows of numbers, found more", number)
		}
		var r [4]*big.Rat
		for j, w := range words {
			var err error
			if r[j], err = parseNumber(w); err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
		}
		rows = append(rows, r)
	}
	if len(rows) != 4 {
		return nil, fmt.Errorf("expected 4 rows of 4 numbers, found %d", len(rows))
	}
	if !isLast(rows[3]) {
		if isLast([4]*big.Rat{rows[0][3], rows[1][3], rows[2][3], rows[3][3]}) {
			return nil, fmt.Errorf("the last column is 0 0 0 1: the matrix must be transposed, so that the last row is 0 0 0 1 and the last column is the translation")
		}
		return nil, fmt.Errorf("the last row must be 0 0 0 1")
	}
	m, err := New(Coefficients(rows[:3]))
	if err != nil {
		return nil, err
	}
	return m, nil
}

// isLast reports whether r is 0 0 0 1.
func isLast(r [4]*big.Rat) bool {
	return r[0].Sign() == 0 && r[1].Sign() == 0 && r[2].Sign() == 0 && r[3].Cmp(big.NewRat(1, 1)) == 0
}
