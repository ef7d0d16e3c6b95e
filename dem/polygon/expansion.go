package polygon

// expansion is an exact sum of nonoverlapping float64 components in order of increasing
// magnitude (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust
// Geometric Predicates", 1997, §2), without zero components; empty is zero.
type expansion struct {
	n int
	c [maxComponents]float64
}

// Each component that is added makes an expansion longer by one at most. A coordinate of
// the difference of two corners takes 4 for the first body and 6 for the second, a product of
// two such twice their product, and a determinant two products.
const (
	maxShort      = 4 + 6
	maxComponents = 2 * 2 * maxShort * maxShort
)

// grow adds v to the expansion of the first n components of c and returns its length:
// GROW-EXPANSION (theorem 10), which keeps the components nonoverlapping, with zero
// elimination.
func grow(c []float64, n int, v float64) int {
	m := 0
	for _, e := range c[:n] {
		var err float64
		v, err = twoSum(v, e)
		if err != 0 {
			c[m] = err
			m++
		}
	}
	if v != 0 {
		c[m] = v
		m++
	}
	return m
}

// addProduct adds sign·a·b.
func (x *short) addProduct(sign, a, b float64) {
	hi, lo := twoProduct(a, b)
	x.add(sign * lo)
	x.add(sign * hi)
}

// addShort adds sign·a·b.
func (x *expansion) addShort(sign float64, a, b *short) {
	for _, p := range a.c[:a.n] {
		for _, q := range b.c[:b.n] {
			hi, lo := twoProduct(p, q)
			x.n = grow(x.c[:], x.n, sign*lo)
			x.n = grow(x.c[:], x.n, sign*hi)
		}
	}
}

// short is an expansion of a coordinate of a difference of two corners.
type short struct {
	n int
	c [maxShort]float64
}

func (x *short) add(v float64) { x.n = grow(x.c[:], x.n, v) }

// sum returns the value of an expansion, rounded: the components are added in order of
// magnitude, which gives the exact sign and a relative error of at most 2ε (§2.8).
func sum(c []float64) float64 {
	s := 0.0
	for _, e := range c {
		s += e
	}
	return s
}

// twoSum returns a+b rounded, and the error (Knuth; theorem 7).
func twoSum(a, b float64) (sum, err float64) {
	sum = a + b
	bv := sum - a
	av := sum - bv
	return sum, (a - av) + (b - bv)
}

// twoDiff returns a−b rounded, and the error.
func twoDiff(a, b float64) (diff, err float64) { return twoSum(a, -b) }
