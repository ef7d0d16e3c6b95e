package predicates

import "math"

// An expansion is an exact sum of nonoverlapping float64 components in order of increasing
// magnitude (Shewchuk 1997, §2). The functions in this file omit zero components, so the expansion
// of zero is empty. Output slices must not overlap input slices.

// TwoSum returns the rounded sum of a and b, and the rounding error. If the sum does not overflow,
// sum+err is exactly a+b (Knuth; Shewchuk 1997, theorem 7).
func TwoSum(a, b float64) (sum, err float64) {
	sum = a + b
	bv := sum - a
	av := sum - bv
	return sum, (a - av) + (b - bv)
}

// fastTwoSum returns the same result as TwoSum if |a| ≥ |b| or a = 0 (Dekker; Shewchuk 1997,
// theorem 6).
func fastTwoSum(a, b float64) (sum, err float64) {
	sum = a + b
	return sum, b - (sum - a)
}

// TwoDiff returns the rounded difference of a and b, and the rounding error. If the difference does
// not overflow, diff+err is exactly a−b.
func TwoDiff(a, b float64) (diff, err float64) {
	diff = a - b
	bv := a - diff
	av := diff + bv
	return diff, (a - av) + (bv - b)
}

// TwoProduct returns the rounded product of a and b, and the rounding error. The error is exact if
// neither the product nor the error leaves the range of float64. math.FMA computes a·b − prod with
// a single rounding.
func TwoProduct(a, b float64) (prod, err float64) {
	prod = float64(a * b)
	return prod, math.FMA(a, b, -prod)
}

// sumExpansions sets h to e+f and returns the length of h. len(h) must be at least len(e)+len(f).
// The algorithm is FAST-EXPANSION-SUM with zero elimination (Shewchuk 1997, theorem 13).
func sumExpansions(e, f, h []float64) int {
	i, j, n := 0, 0, 0
	next := func() float64 {
		// Merge e and f by magnitude.
		if j == len(f) || (i < len(e) && math.Abs(e[i]) < math.Abs(f[j])) {
			i++
			return e[i-1]
		}
		j++
		return f[j-1]
	}
	if len(e)+len(f) == 0 {
		return 0
	}
	q := next()
	for i < len(e) || j < len(f) {
		var err float64
		q, err = TwoSum(q, next())
		n = appendNonzero(h, n, err)
	}
	return appendNonzero(h, n, q)
}

// appendNonzero stores x in h[n] unless x is 0. It returns the new number of components.
func appendNonzero(h []float64, n int, x float64) int {
	if x != 0 {
		h[n] = x
		n++
	}
	return n
}

// scaleExpansion sets h to e·b and returns the length of h. len(h) must be at least 2·len(e). The
// algorithm is SCALE-EXPANSION with zero elimination (Shewchuk 1997, theorem 19).
func scaleExpansion(e []float64, b float64, h []float64) int {
	if len(e) == 0 || b == 0 {
		return 0
	}
	n := 0
	q, err := TwoProduct(e[0], b)
	n = appendNonzero(h, n, err)
	for _, x := range e[1:] {
		hi, lo := TwoProduct(x, b)
		q, err = TwoSum(q, lo)
		n = appendNonzero(h, n, err)
		q, err = fastTwoSum(hi, q)
		n = appendNonzero(h, n, err)
	}
	return appendNonzero(h, n, q)
}

// signExpansion returns the sign of e. It is the sign of the component of largest magnitude.
func signExpansion(e []float64) int {
	if len(e) == 0 {
		return 0
	}
	switch x := e[len(e)-1]; {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// estimateExpansion returns the rounded sum of the components of e. The relative error of the
// result is at most 2·epsilon (Shewchuk 1997, §2.8).
func estimateExpansion(e []float64) float64 {
	s := 0.0
	for _, x := range e {
		s += x
	}
	return s
}
