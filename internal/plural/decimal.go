package plural

import (
	"math"
	"strconv"
	"strings"
)

// Decimal formats x with the given number of significant digits, but never drops digits in front of
// the decimal point. A negative number of digits means the shortest text that parses as x. Decimal
// uses an exponent below 10⁻⁴, and from 10¹⁵ on, because a float64 has only about 16 digits.
// Decimal returns NaN and ±Inf for values that are not finite.
func Decimal(x float64, digits int) string {
	size := math.Abs(x)
	if size >= 1e15 || size < 1e-4 || math.IsNaN(x) {
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	if digits < 0 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	s := strconv.FormatFloat(x, 'f', max(0, digits-1-exponent(x, digits)), 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// exponent returns the decimal exponent of x, rounded to the given number of digits. x must not be 0.
func exponent(x float64, digits int) int {
	s := strconv.FormatFloat(x, 'e', max(0, digits-1), 64)
	n, err := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	if err != nil {
		panic("plural: " + s + " has no exponent")
	}
	return n
}

// GroupedDecimal is like Decimal, with commas between groups of three digits in front of the decimal
// point.
func GroupedDecimal(x float64, digits int) string {
	s := Decimal(x, digits)
	if strings.ContainsAny(s, "eIN") {
		return s
	}
	end := strings.IndexByte(s, '.')
	if end < 0 {
		end = len(s)
	}
	for i := end - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
