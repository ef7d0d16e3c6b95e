package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// exact is a cell for a CSV file: all digits.
func exact(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// readable is a cell for a page: three digits.
func readable(v any) string {
	f, ok := v.(float64)
	switch {
	case !ok:
		return strings.ReplaceAll(fmt.Sprint(v), "|", `\|`)
	case math.IsNaN(f):
		return "–"
	}
	return short(f)
}

// short returns three digits of f, without an exponent where that is readable.
func short(f float64) string {
	a := math.Abs(f)
	switch {
	case f == 0:
		return "0"
	case a >= 99.95 && a < 1e7:
		return strconv.FormatFloat(f, 'f', 0, 64)
	case a >= 1e-4 && a < 1e7:
		// three significant digits: 2 − ⌊log₁₀ a⌋ behind the point
		return strconv.FormatFloat(f, 'f', max(0, 2-int(math.Floor(math.Log10(a)))), 64)
	}
	return strconv.FormatFloat(f, 'g', 3, 64)
}
