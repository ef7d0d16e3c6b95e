package affine

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/golang/geo/r3"
)

// reference computes one coordinate with rational numbers, without code of package affine.
func reference(c [4]*big.Rat, p r3.Vector) float64 {
	sum := new(big.Rat).Set(c[3])
	for j, x := range []float64{p.X, p.Y, p.Z} {
		sum.Add(sum, new(big.Rat).Mul(c[j], new(big.Rat).SetFloat64(x)))
	}
	x, _ := sum.Float64()
	return x
}

// check compares Apply with the reference. It returns the number of coordinates without a fast result.
func check(t *testing.T, c Coefficients, p r3.Vector) (slow int) {
	t.Helper()
	m, err := New(c)
	if errors.Is(err, ErrSingular) {
		return 0
	}
	got := m.Apply(p)
	for i, g := range []float64{got.X, got.Y, got.Z} {
		if want := reference(c[i], p); g != want {
			t.Fatalf("row %v, point %v: got %v, want %v", c[i], p, g, want)
		}
		v := [3]float64{p.X, p.Y, p.Z}
		if x, ok := m.rows[i].quotient(&v); ok && x != g {
			t.Fatalf("row %v, point %v: got %v, by division %v", c[i], p, g, x)
		}
		if x := m.applyExact(i, &v); x != g {
			t.Fatalf("row %v, point %v: got %v, by fractions %v", c[i], p, g, x)
		}
		if _, ok := m.rows[i].apply(&v); !ok {
			slow++
		}
	}
	return slow
}

func number(t *testing.T, s string) *big.Rat {
	t.Helper()
	x, err := parseNumber(s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestApply compares random maps of several kinds with rational numbers. For usual coefficients and
// points, nearly all results must come from float64 arithmetic.
func TestApply(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	wide := func() float64 { return math.Ldexp(2*rng.Float64()-1, rng.IntN(2070)-1050) }
	any := func() float64 {
		for {
			if x := math.Float64frombits(rng.Uint64()); x-x == 0 {
				return x
			}
		}
	}
	usual := func() float64 { return (2*rng.Float64() - 1) * 1000 }
	integer := func() float64 { return float64(rng.IntN(2001) - 1000) }
	short := func() *big.Rat { return number(t, fmt.Sprintf("%.1f", usual())) }
	decimals := func() *big.Rat { return number(t, fmt.Sprintf("%.6f", usual())) }
	double := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	for _, c := range []struct {
		name        string
		coefficient func() *big.Rat
		point       func() float64
		most        float64 // largest share of slow results
	}{
		{"decimals", decimals, usual, 1e-3},
		{"short decimals", short, usual, 0.1},
		{"doubles", func() *big.Rat { return double(usual()) }, usual, 1e-3},
		{"integers", func() *big.Rat { return double(integer()) }, integer, 0},
		{"integers and doubles", func() *big.Rat { return double(integer()) }, usual, 1e-3},
		{"quotients", func() *big.Rat { return big.NewRat(rng.Int64N(2000)-1000, 1+rng.Int64N(1000)) }, usual, 1e-3},
		{"wide", func() *big.Rat { return double(wide()) }, wide, 1},
		{"any", func() *big.Rat { return double(any()) }, any, 1},
		{"tiny points", decimals, func() float64 { return math.Ldexp(rng.Float64(), -1060) }, 1},
		{"large points", decimals, func() float64 { return math.Ldexp(rng.Float64(), 1024) }, 1},
	} {
		slow, count := 0, 0
		for range 700 {
			var k Coefficients
			for i := range k {
				for j := range k[i] {
					k[i][j] = c.coefficient()
					if rng.IntN(4) == 0 {
						k[i][j] = new(big.Rat)
					}
				}
			}
			slow += check(t, k, r3.Vector{X: c.point(), Y: c.point(), Z: c.point()})
			count += 3
		}
		if float64(slow) > c.most*float64(count) {
			t.Errorf("%s: %d of %d results are slow", c.name, slow, count)
		}
	}
}

// TestApplyAdversary computes sums that cancel, exact ties, and results near the limits of float64.
func TestApplyAdversary(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	double := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	unit := func(row [4]*big.Rat) Coefficients {
		one, zero := big.NewRat(1, 1), new(big.Rat)
		if row[0].Sign() == 0 { // the rows below make any row with an x coefficient invertible
			row[0] = one
		}
		return Coefficients{row, {zero, one, zero, zero}, {zero, zero, one, zero}}
	}
	for range 1000 {
		a, b, x, y := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		// The translation cancels a·x + b·y up to the rounding of the sum, or up to a tiny rest.
		rest := double(math.Ldexp(rng.NormFloat64(), -rng.IntN(300)))
		sum := new(big.Rat).Add(new(big.Rat).Mul(double(a), double(x)), new(big.Rat).Mul(double(b), double(y)))
		rounded, _ := sum.Float64()
		for _, shift := range []*big.Rat{double(-rounded), new(big.Rat).Neg(sum), new(big.Rat).Sub(rest, sum)} {
			check(t, unit([4]*big.Rat{double(a), double(b), new(big.Rat), shift}), r3.Vector{X: x, Y: y, Z: 1})
		}
		// A result that is exactly between two float64 numbers, or a tiny bit beside the middle.
		ulp := math.Nextafter(math.Abs(x), math.Inf(1)) - math.Abs(x)
		for _, off := range []*big.Rat{new(big.Rat), rest, new(big.Rat).Neg(rest), double(math.Ldexp(1, -900)), double(-math.Ldexp(1, -1070))} {
			half := new(big.Rat).Mul(double(ulp), big.NewRat(1, 2))
			check(t, unit([4]*big.Rat{big.NewRat(1, 1), new(big.Rat), new(big.Rat), half.Add(half, off)}), r3.Vector{X: math.Abs(x)})
		}
		// A quotient whose product with x is nearly a float64, and subnormal results.
		n := int64(1 + rng.IntN(1<<30))
		check(t, unit([4]*big.Rat{big.NewRat(1, n), new(big.Rat), new(big.Rat), new(big.Rat)}), r3.Vector{X: float64(n) * math.Trunc(1e6*x)})
		check(t, unit([4]*big.Rat{big.NewRat(1, n), new(big.Rat), new(big.Rat), new(big.Rat)}), r3.Vector{X: math.Ldexp(x, -1040)})
		check(t, unit([4]*big.Rat{big.NewRat(n, 7), new(big.Rat), new(big.Rat), new(big.Rat)}), r3.Vector{X: math.Ldexp(x, 1000)})
	}
	for _, p := range []r3.Vector{{X: math.NaN()}, {Y: math.Inf(1)}, {Z: math.Inf(-1)}, {X: 1, Y: 2, Z: math.NaN()}} {
		if q := Scaling(big.NewRat(1, 2)).Apply(p); q.X == q.X || q.Y == q.Y || q.Z == q.Z {
			t.Errorf("%v becomes %v", p, q)
		}
	}
	if q := Scaling(big.NewRat(3, 1)).Apply(r3.Vector{X: math.MaxFloat64, Y: -math.MaxFloat64, Z: math.Copysign(0, -1)}); !math.IsInf(q.X, 1) || !math.IsInf(q.Y, -1) || math.Signbit(q.Z) {
		t.Errorf("overflow: %v", q)
	}
}

func TestUnits(t *testing.T) {
	for s, want := range map[string]string{
		"mm:in": "5/127", "in:mm": "127/5", "m:mm": "1000", "mm:m": "1/1000", "us-ft:m": "1200/3937", "ft:us-ft": "999998/1000000",
		"ft:in": "12", "yd:ft": "3", "mi:ft": "5280", "km:mi": "15625/25146", "um:nm": "1000", "µm:mm": "1/1000", "MM:In": "5/127", "dm:cm": "10", "m:m": "1",
	} {
		w, _ := new(big.Rat).SetString(want)
		if got, err := ParseUnits(s); err != nil || got.Cmp(w) != 0 {
			t.Errorf("%s: %v, %v, want %s", s, got, err, want)
		}
	}
	for s, want := range map[string]string{"mm": "such as mm:in", "mm:": `"" is not a unit`, "parsec:m": `"parsec" is not a unit: expected one of nm, um, mm,`, "mm:in:m": `"in:m" is not a unit`} {
		if _, err := ParseUnits(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", s, err, want)
		}
	}
}

func TestParseFactor(t *testing.T) {
	for s, want := range map[string]string{
		"0.1": "1/10", "1/25.4": "5/127", "1200/3937": "1200/3937", "2.5e-3": "1/400", "+3.": "3", ".5": "1/2", "1e3": "1000", " 1 / 3 ": "1/3",
	} {
		w, _ := new(big.Rat).SetString(want)
		if got, err := ParseFactor(s); err != nil || got.Cmp(w) != 0 {
			t.Errorf("%q: %v, %v, want %s", s, got, err, want)
		}
	}
	for s, want := range map[string]string{
		"": `"" is not a number`, "x": "not a number", "1/0": "divides by 0", "0": "must be above 0", "-1": "must be above 0", "1,5": "not a number",
		"1e500": "the exponent must be from -400 to 400", "1e99999999999999999999": "the exponent", "0x10": "not a number", "1_000": "not a number",
		"inf": "not a number", "1/2/3": "not a number", strings.Repeat("1", 1001): "more than 1000 digits",
	} {
		if _, err := ParseFactor(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", s, err, want)
		}
	}
}

func TestParseMatrix(t *testing.T) {
	m, err := ParseMatrix([]byte("\xef\xbb\xbf# from the scanner\n0, -1, 0, 10.1 # x\r\n\n1;0;0;-2e1\n0\t0\t0.5\t0\n0 0 0 1.0\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Apply(r3.Vector{X: 1, Y: 2, Z: 3}), (r3.Vector{X: 8.1, Y: -19, Z: 1.5}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if again, err := Parse(m.String()); err != nil || again.String() != m.String() || m.String() != "0 -1 0 101/10 1 0 0 -20 0 0 1/2 0" {
		t.Errorf("%q becomes %v, %v", m, again, err)
	}
	both := m.After(Scaling(big.NewRat(5, 127)))
	if got, want := both.Apply(r3.Vector{X: 25.4, Y: 50.8, Z: 76.2}), (r3.Vector{X: 8.1, Y: -19, Z: 1.5}); got != want {
		t.Errorf("millimeters: got %v, want %v", got, want)
	}
	const last = "0 0 0 1\n"
	for text, want := range map[string]string{
		"": "expected 4 rows of 4 numbers, found 0", "1 0 0 0\n": "found 1", "1 0 0\n": "line 1: expected 4 numbers with decimal points, found 3",
		"\n1,5 0 0 0\n": "line 2: expected 4 numbers with decimal points, found 5", "1 0 0 a\n": `line 1: "a" is not a number`,
		"1 0 0 0\n0 1 0 0\n0 0 1 0\n" + last + last:       "line 5: expected 4 rows of numbers, found more",
		"1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 2\n":            "the last row must be 0 0 0 1",
		"1 0 0 0\n0 1 0 0\n0 0 1 0\n5 6 7 1\n":            "the matrix must be transposed",
		"1 0 0 0\n0 1 0 0\n0 0 0 7\n" + last:              ErrSingular.Error(),
		"1 2 3 0\n4 5 6 0\n7 8 9 0\n" + last:              ErrSingular.Error(),
		"1 0 0 nan\n0 1 0 0\n0 0 1 0\n" + last:            `"nan" is not a number`,
		"1 0 0 1e9999999999\n0 1 0 0\n0 0 1 0\n" + last:   "the exponent must be",
		"[[1 0 0 0]\n [0 1 0 0]\n [0 0 1 0]\n [0 0 0 1]]": `"[[1" is not a number`,
	} {
		if _, err := ParseMatrix([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"", "1 2 3", "0 0 0 0 0 0 0 0 0 0 0 0", "1 0 0 0 0 1 0 0 0 0 1 x"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func FuzzParseMatrix(f *testing.F) {
	f.Add([]byte("1 0 0 5\n0 1 0 6\n0 0 1 7\n0 0 0 1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ParseMatrix(text)
		if err != nil {
			return
		}
		p := r3.Vector{X: 1, Y: -2, Z: 1e10}
		if got := m.Apply(p).X; got != reference(m.exact[0], p) {
			t.Errorf("%q: %v", text, got)
		}
	})
}

func TestApplyAllocates(t *testing.T) {
	m := Scaling(big.NewRat(5, 127))
	p := r3.Vector{X: 1.1, Y: 2.2, Z: 3.3}
	if n := testing.AllocsPerRun(100, func() { p = m.Apply(p) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkApply(b *testing.B) {
	rotation, err := ParseMatrix([]byte("0.8 -0.6 0 10.1\n0.6 0.8 0 -3.3\n0 0 1 0.7\n0 0 0 1\n"))
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		m    *Map
	}{{"units", Scaling(big.NewRat(5, 127))}, {"matrix", rotation}} {
		b.Run(c.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(5, 6))
			pts := make([]r3.Vector, 1<<10)
			for i := range pts {
				pts[i] = r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
			}
			var sum float64
			for b.Loop() {
				for _, p := range pts {
					sum += c.m.Apply(p).X
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(pts)), "ns/point")
		})
	}
}
