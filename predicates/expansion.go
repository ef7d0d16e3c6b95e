package predicates

import "math"

// An expansion is an exact sum of nonoverlapping float64 components in order of
// increasing magnitude (Shewchuk 1997, §2). The routines below drop zero
// components; an empty expansion is zero. Outputs must not overlap inputs.

// twoSum returns a+b rounded, and the error: their sum is a+b exactly (Knuth;
// Shewchuk 1997, theorem 7).
func twoSum(a, b float64) (sum, err float64) {
	sum = a + b
	bv := sum - a
	av := sum - bv
	return sum, (a - av) + (b - bv)
}

// fastTwoSum is twoSum for |a| ≥ |b| or a = 0 (Dekker; theorem 6).
func fastTwoSum(a, b float64) (sum, err float64) {
	sum = a + b
	return sum, b - (sum - a)
}

// twoDiff returns a−b rounded, and the error.
func twoDiff(a, b float64) (diff, err float64) {
	diff = a - b
	bv := a - diff
	av := diff + bv
	return diff, (a - av) + (bv - b)
}

// twoProduct returns a·b rounded, and the error, exact while neither leaves the
// range of float64. The fused multiply-add is wanted here: it has no rounding
// of its own before the subtraction.
func twoProduct(a, b float64) (prod, err float64) {
	prod = float64(a * b)
	return prod, math.FMA(a, b, -prod)
}

// sumExpansions sets h to e+f and returns its length: theorem 13,
// FAST-EXPANSION-SUM with zero elimination. len(h) ≥ len(e)+len(f).
func sumExpansions(e, f, h []float64) int {
	i, j, n := 0, 0, 0
	next := func() float64 {
		// Merge by magnitude.
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
		q, err = twoSum(q, next())
		if err != 0 {
			h[n] = err
			n++
		}
	}
	if q != 0 {
		h[n] = q
		n++
	}
	return n
}

// scaleExpansion sets h to e·b and returns its length: theorem 19,
// SCALE-EXPANSION with zero elimination. len(h) ≥ 2·len(e).
func scaleExpansion(e []float64, b float64, h []float64) int {
	if len(e) == 0 || b == 0 {
		return 0
	}
	n := 0
	q, err := twoProduct(e[0], b)
	if err != 0 {
		h[n] = err
		n++
	}
	for _, x := range e[1:] {
		hi, lo := twoProduct(x, b)
		q, err = twoSum(q, lo)
		if err != 0 {
			h[n] = err
			n++
		}
		q, err = fastTwoSum(hi, q)
		if err != 0 {
			h[n] = err
			n++
		}
	}
	if q != 0 {
		h[n] = q
		n++
	}
	return n
}

// signExpansion returns the sign of the largest component, which is the sign of
// the sum.
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

// estimateExpansion returns the sum of the components, added in order of
// magnitude: relative error at most 2ε (Shewchuk 1997, §2.8).
func estimateExpansion(e []float64) float64 {
	s := 0.0
	for _, x := range e {
		s += x
	}
	return s
}
