package affine

import (
	"math"
	"math/big"
)

// row computes one coordinate with float64 numbers, or reports that this is not possible. Each
// coefficient is approximated by the sum hi + lo. Let u = 2⁻⁵³. The relative error of this sum is at
// most u².
type row struct {
	hi, lo [4]float64
	exact  bool // hi alone is equal to each coefficient
	single int  // index of the only coefficient that is not 0, if that is no translation; else −1
	slow   bool // a coefficient is outside [smallest, largest]

	// The coefficients are integers[j] / denominator. If these numbers are very long, denominator is
	// nil.
	integers    [4]*big.Float
	denominator *big.Float
}

// The error bounds of apply assume that no product or coefficient is near the limits of float64.
// With these limits, the remainder of a product is at least 2⁻¹⁰⁰⁶, so all remainders are normal
// numbers, and no sum overflows.
const (
	smallest     = 0x1p-800
	largest      = 0x1p800
	smallestTerm = 0x1p-900
	largestSum   = 0x1p1000
)

func newRow(c *[4]*big.Rat) row {
	r := row{exact: true, single: -1}
	count := 0
	for j, x := range c {
		r.hi[j], _ = x.Float64()
		if x.Sign() == 0 {
			continue
		}
		count++
		if r.single = j; j == 3 {
			count = len(c)
		}
		if a := math.Abs(r.hi[j]); a < smallest || a > largest {
			r.slow = true
			continue
		}
		rest := new(big.Rat).SetFloat64(r.hi[j])
		rest.Sub(x, rest)
		r.lo[j], _ = rest.Float64()
		r.exact = r.exact && rest.Sign() == 0
	}
	if count != 1 {
		r.single = -1
	}
	r.setQuotient(c)
	return r
}

// setQuotient sets the fields integers and denominator.
func (r *row) setQuotient(c *[4]*big.Rat) {
	denominator := big.NewInt(1)
	for _, x := range c {
		common := new(big.Int).GCD(nil, nil, denominator, x.Denom())
		denominator.Mul(denominator, new(big.Int).Quo(x.Denom(), common))
	}
	longest := denominator.BitLen()
	for j, x := range c {
		n := new(big.Int).Mul(x.Num(), new(big.Int).Quo(denominator, x.Denom()))
		longest = max(longest, n.BitLen())
		r.integers[j] = newFloat().SetInt(n)
	}
	if longest <= longestInteger {
		r.denominator = newFloat().SetInt(denominator)
	}
}

// longestInteger is the largest number of bits of the numbers in row.integers, and precision is the
// number of bits of sums. The bits of a finite float64 are from 2⁻¹⁰⁷⁴ to 2¹⁰²³, so the bits of a
// product with such an integer span at most 2098 + 1024 bits. A sum of four products is exact.
const longestInteger, precision = 1024, 4096

func newFloat() *big.Float { return new(big.Float).SetPrec(precision) }

// quotient computes the sum as an exact numerator, which it divides by the denominator. It also
// decides results exactly in the middle between two float64 numbers. They are common if the
// coefficients are short decimals. If ok is false, the result is near the limits of float64, or the
// integers are very long.
func (r *row) quotient(v *[3]float64) (x float64, ok bool) {
	if r.denominator == nil {
		return 0, false
	}
	sum := newFloat().Set(r.integers[3])
	product, factor := newFloat(), newFloat()
	for j, p := range v {
		if p != 0 && r.integers[j].Sign() != 0 {
			sum.Add(sum, product.Mul(r.integers[j], factor.SetFloat64(p)))
		}
	}
	x, _ = new(big.Float).SetPrec(53).Quo(sum, r.denominator).Float64() // rounds once, to 53 bits
	size := math.Abs(x)
	return x, sum.Sign() == 0 || size >= smallestTerm && size <= largestSum
}

// apply returns the float64 nearest to the exact sum. If ok is false, rounding errors leave the
// result unclear. All coordinates of v must be finite.
func (r *row) apply(v *[3]float64) (x float64, ok bool) {
	switch {
	case r.slow:
		return 0, false
	case r.single >= 0:
		return r.scale(v[r.single])
	}
	// sum + rest + lost approximates the exact value. TwoSum and FMA are exact. So if the
	// coefficients are exact and lost is 0, the value equals sum + rest.
	sum, rest := r.hi[3], r.lo[3]
	size, lost := math.Abs(sum), 0.0
	for j, p := range v {
		if p == 0 || r.hi[j] == 0 {
			continue
		}
		product := float64(r.hi[j] * p)
		if math.Abs(product) < smallestTerm {
			return 0, false
		}
		size += math.Abs(product)
		var d, e1, e2 float64
		sum, d = twoSum(sum, product)
		rest, e1 = twoSum(rest, d)
		rest, e2 = twoSum(rest, math.FMA(r.hi[j], p, -product))
		lost += math.Abs(e1) + math.Abs(e2)
		rest += float64(r.lo[j] * p)
	}
	switch {
	case !(size <= largestSum):
		return 0, false
	case r.exact && lost == 0:
		return sum + rest + 0, true // adding 0 replaces −0 by 0
	}
	return settle(sum, rest, size)
}

// scale implements apply for a row with one coefficient and no translation.
func (r *row) scale(p float64) (x float64, ok bool) {
	hi := r.hi[r.single]
	product := float64(hi * p)
	size := math.Abs(product)
	switch {
	case p == 0:
		return 0, true
	case r.exact:
		return product, true
	case !(size >= smallestTerm && size <= largestSum):
		return 0, false
	}
	return settle(product, math.FMA(hi, p, -product)+float64(r.lo[r.single]*p), size)
}

// errorBound times the sum of the absolute values of all terms bounds the error of sum + rest.
//
// Let u = 2⁻⁵³, and let a be this sum of absolute values. Each of the three products contributes
// the error u² of its coefficient, the error u² of the product with lo, which is at most u·a, and
// three roundings of rest. The value rest is a sum of at most seven parts, each at most u·a: the
// remainders of three products, three sums and one translation; and three products with lo. So each
// rounding of rest is at most 10u²·a. The translation contributes u². The total is at most 3·32u²·a
// + u²·a < 128u²·a. The factor 256 also covers the rounding of two sums in settle, which is at most
// u²·a each, and of a itself.
const errorBound = 256 * 0x1p-106

// settle rounds sum + rest to x. If ok is true, x is also the float64 nearest to any number that
// differs from sum + rest by at most errorBound·size. Rounding is monotonic, so it suffices to round
// both ends of this interval.
func settle(sum, rest, size float64) (x float64, ok bool) {
	x, rest = twoSum(sum, rest)
	bound := errorBound * size
	return x, x+(rest-bound) == x && x+(rest+bound) == x
}

// twoSum returns the rounded sum of a and b, and its error (Knuth, TAOCP vol. 2, 4.2.2, theorem B).
func twoSum(a, b float64) (sum, err float64) {
	sum = a + b
	c := sum - a
	return sum, (a - (sum - c)) + (b - c)
}
