package harmonics

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testinterval"
)

// The errors of the tables of M2L, in units of 2^−53, are at most 5n+2 for the spectral norm of a
// swap of degree n, and axialError for each element of the translation along z. The tables
// are constants that consist of correctly rounded operations. So this comparison with 300 bits is a
// proof for the degrees that it covers (docs/design/019-rounding.md).
func TestTableErrors(t *testing.T) {
	const (
		largest    = 20
		axialError = 8
	)
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	mul := func(a, b *big.Float) *big.Float { return num(0).Mul(a, b) }
	root := func(v float64) *big.Float { return num(0).Sqrt(num(v)) }
	off := func(got float64, want *big.Float) float64 {
		d, _ := num(0).Sub(num(got), want).Float64()
		return d / unit
	}
	worst := 0.0
	exact := [][]*big.Float{{num(1)}}
	swaps := newSwaps(largest)
	for j := 1; j <= 2*largest; j++ {
		next := make([][]*big.Float, j+1)
		at := func(i, k int) *big.Float {
			if i < 0 || k < 0 || i >= j || k >= j {
				return num(0)
			}
			return exact[i][k]
		}
		for i := range next {
			for k := range j + 1 {
				up := num(0).Add(mul(root(float64(j-k)), at(i, k)), mul(root(float64(k)), at(i, k-1)))
				down := num(0).Sub(mul(root(float64(j-k)), at(i-1, k)), mul(root(float64(k)), at(i-1, k-1)))
				v := num(0).Add(mul(root(float64(j-i)), up), mul(root(float64(i)), down))
				next[i] = append(next[i], v.Quo(v, mul(root(2), num(float64(j)))))
			}
		}
		if exact = next; j%2 != 0 {
			continue
		}
		n := j / 2
		for to, block := range swaps[n].blocks {
			from := swappedClass(n, to)
			cols := classLen(n, from)
			columns, most := make([]float64, cols), 0.0
			for i := range classLen(n, to) {
				row := 0.0
				for c := range cols {
					m, k := lowestOrder[to]+2*i, lowestOrder[from]+2*c
					want, mirror := num(0).Set(exact[n-m][n-k]), num(0).Set(exact[n-m][n+k])
					if k&1 != 0 {
						mirror.Neg(mirror)
					}
					switch {
					case to >= sinEven:
						want.Sub(want, mirror)
					case m == 0 && k == 0:
					case m == 0 || k == 0:
						want = mul(want, root(2))
					default:
						want.Add(want, mirror)
					}
					e := math.Abs(off(block[c*classLen(n, to)+i], want))
					row += e
					columns[c] += e
				}
				most = max(most, row)
			}
			// The spectral norm is at most the root of the product of the largest sums.
			e := math.Sqrt(most * slices.Max(append(columns, 0)))
			if worst = max(worst, e); !(e <= float64(5*n+2)) {
				t.Errorf("swap of degree %d: error %.3g, want at most %d", n, e, 5*n+2)
			}
		}
	}
	t.Logf("swaps: errors up to %.3g", worst)
	worst = 0
	for _, p := range []int{14, largest} {
		for m := range p + 1 {
			block := axialBlock(p, p, m)
			for n := m; n <= p; n++ {
				for s := m; s <= p; s++ {
					c := new(big.Int).Binomial(int64(n+s), int64(n-m))
					c.Mul(c, new(big.Int).Binomial(int64(n+s), int64(n+m)))
					want := num(0).SetInt(c)
					want.Sqrt(want)
					got := block[(s-m)*(p-m+1)+n-m]
					size, _ := want.Float64()
					e := math.Abs(off(math.Abs(got), want)) / size
					if worst = max(worst, e); !(e <= axialError) || got < 0 != ((n+m)&1 != 0) {
						t.Errorf("translation from degree %d to %d, order %d: %g, error %.3g, want at most %d", s, n, m, got, e, axialError)
					}
				}
			}
		}
	}
	t.Logf("translations: errors up to %.3g", worst)
}

// A rounding error of degree k and order m in the recurrences of R, S and T grows to degree n by the
// factor G, the solution of the recurrence that is 0 at k−1 and 1 at k. This test bounds the sums
//
//	g_j(n) = Σ_k max √(Σ_m |G·c_j|²)
//
// where c_0, c_1 and c_2 are the three terms of the recurrence for degree k in the orthonormal
// basis. The maximum is over the unit sphere. It is near the values on the z axis,
//
//	g_0 = n(n+3)/4,  g_1 = n(n+1)/2,  g_2 = n(n−1)/4
//
// Σ_m |G·c_j|² is a trigonometric polynomial of degree 2n in the angle from the z axis. So by the
// lemma of M. Riesz, the maximum is at most the largest value at angles of distance h, divided by
// cos(n·h). All numbers are intervals, so rounding hides nothing. docs/design/019-rounding.md derives the
// errors of R, S and T from these sums.
func TestRecurrenceErrors(t *testing.T) {
	const (
		top    = 40
		angles = 16 * top
		step   = math.Pi / 2 / angles
	)
	type number = testinterval.Interval
	of := testinterval.Of
	var largest [3][top + 1][top + 1]float64
	every := 80 // a sample; all angles make the proof
	if testcorpus.Full() {
		every = 1
	}
	for i := 0; i <= angles; i += every {
		z := of(max(0, math.Cos(step*float64(i))))
		across := of(1).Minus(z.Square()).Sqrt()
		var sum [3][top + 1][top + 1]number
		for j := range sum {
			for n := range sum[j] {
				for k := range sum[j][n] {
					sum[j][n][k] = of(0)
				}
			}
		}
		sectoral := of(1) // |R_m^m| in the orthonormal basis
		for m := range top + 1 {
			times := of(2) // for the orders m and −m
			if m == 0 {
				times = of(1)
			} else {
				sectoral = sectoral.Times(across).Times(of(float64(2*m - 1)).Over(of(float64(2 * m))).Sqrt())
			}
			w := func(n int) number { return of(float64(n*n - m*m)).Sqrt() }
			two, one := of(0), sectoral
			for k := m + 1; k <= top; k++ {
				c := [3]number{of(0), of(float64(2*k - 1)).Times(z).Times(one).Over(w(k)), w(k - 1).Times(two).Over(w(k))}
				c[0] = c[1].Minus(c[2])
				two, one = one, c[0]
				before, g := of(0), of(1)
				for n := k; n <= top; n++ {
					if n > k {
						before, g = g, of(float64(2*n-1)).Times(z).Times(g).Minus(w(n-1).Times(before)).Over(w(n))
					}
					for j := range c {
						sum[j][n][k] = sum[j][n][k].Plus(times.Times(g.Times(c[j]).Square()))
					}
				}
			}
		}
		for j := range sum {
			for n := range sum[j] {
				for k := range sum[j][n] {
					largest[j][n][k] = max(largest[j][n][k], sum[j][n][k].High())
				}
			}
		}
	}
	for n := 1; n <= top; n++ {
		var g [3]float64
		for j := range g {
			total := of(0)
			for _, v := range largest[j][n] {
				// The angles are rounded, so their distance can be larger than step.
				total = total.Plus(of(v).Over(of(math.Cos(1.001 * step * float64(n)))).Sqrt())
			}
			g[j] = total.High()
		}
		f := float64(n)
		if !(g[0] <= 1.01*f*(f+3)/4 && g[1] <= 1.01*f*(f+1)/2 && g[2] <= 1.01*f*(f-1)/4+1e-9) {
			t.Errorf("degree %d: the sums are %.4g, want at most %.4g, %.4g and %.4g", n, g, f*(f+3)/4, f*(f+1)/2, f*(f-1)/4)
		}
		regular, singular := 5*g[0]+2*g[1]+4*g[2]+5*f, g[0]+6*g[1]+6*g[2]+8*f+4
		if limit := 5*f*f + 11*f + 4; !(regular <= limit && singular <= limit) {
			t.Errorf("degree %d: the errors of R and S are at most %.4g and %.4g, want at most %.4g", n, regular, singular, limit)
		}
	}
}
