package decimal

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// full reports whether the environment enables the long checks.
func full() bool { return os.Getenv("INPOLY_FULL") == "1" }

// same reports whether a and b have the same bits. It treats all NaN values as the same.
func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// anyTail lists texts that can follow a number but are not part of it.
var anyTail = []string{"", ";", " 12345678901234567890", "\r\n", "e", "-1"}

// checkWhole appends each of the tails to s. It checks that Parse and ParseComma return the value
// that strconv returns for s.
func checkWhole(t *testing.T, s string, tails ...string) {
	t.Helper()
	want, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(want, 0) {
		t.Fatalf("strconv refuses %q: %v", s, err)
	}
	comma := strings.Replace(s, ".", ",", 1)
	for _, tail := range tails {
		v, n, ok := Parse([]byte(s + tail))
		if !ok || n != len(s) || !same(v, want) {
			t.Fatalf("Parse(%q) = %v (%x), %d, %v; want %v (%x), %d", s+tail, v, math.Float64bits(v), n, ok, want, math.Float64bits(want), len(s))
		}
		v, n, ok = ParseComma([]byte(comma + tail))
		if !ok || n != len(s) || !same(v, want) {
			t.Fatalf("ParseComma(%q) = %v, %d, %v; want %v, %d", comma+tail, v, n, ok, want, len(s))
		}
	}
}

func TestParseTable(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		in string
		v  float64
		n  int
		ok bool
	}{
		{"", 0, 0, false},
		{"-", 0, 0, false},
		{"+", 0, 0, false},
		{".", 0, 0, false},
		{"-.", 0, 0, false},
		{".e5", 0, 0, false},
		{"e5", 0, 0, false},
		{" 1", 0, 0, false},
		{"x", 0, 0, false},
		{"--1", 0, 0, false},
		{"0", 0, 1, true},
		{"-0", math.Copysign(0, -1), 2, true},
		{"-0e99999999999999999999", math.Copysign(0, -1), 23, true},
		{"+7", 7, 2, true},
		{"1.", 1, 2, true},
		{".5", .5, 2, true},
		{"-.5e1x", -5, 5, true},
		{"1e", 1, 1, true},
		{"1e+", 1, 1, true},
		{"1e-;", 1, 1, true},
		{"1e5e5", 1e5, 3, true},
		{"1.5.5", 1.5, 3, true},
		{"1_000", 1, 1, true},
		{"0x10", 0, 1, true},
		{"1,5", 1, 1, true},
		{"12345678", 12345678, 8, true},
		{"123456789012345678901234567890", 123456789012345678901234567890, 30, true},
		{"00000000000000000000000000001.5", 1.5, 31, true},
		{"0.00000000000000000000000000015", 1.5e-28, 31, true},
		{"1e400", inf, 5, true},
		{"-1e400", -inf, 6, true},
		{"1e999999999999999999999", inf, 23, true},
		{"1e-999999999999999999999", 0, 24, true},
		{"1.7976931348623159e308", inf, 22, true},
		{"1.7976931348623158e308", math.MaxFloat64, 22, true},
		{"4.9e-324", math.SmallestNonzeroFloat64, 8, true},
		{"2e-324", 0, 6, true},
		{"nan", math.NaN(), 3, true},
		{"-NaN,", math.NaN(), 4, true},
		{"Inf", inf, 3, true},
		{"-inf", -inf, 4, true},
		{"+INFINITY", inf, 9, true},
		{"infinit", inf, 3, true},
		{"in", 0, 0, false},
		{"na", 0, 0, false},
	} {
		v, n, ok := Parse([]byte(c.in))
		if !same(v, c.v) || n != c.n || ok != c.ok {
			t.Errorf("Parse(%q) = %v, %d, %v; want %v, %d, %v", c.in, v, n, ok, c.v, c.n, c.ok)
		}
	}
	if v, n, ok := ParseComma([]byte("1.5")); v != 1 || n != 1 || !ok {
		t.Errorf("ParseComma(1.5) = %v, %d, %v; want the 1 alone", v, n, ok)
	}
}

// writers lists functions that write random numbers. Each function writes one kind of numbers.
var writers = []struct {
	name  string
	write func(r *rand.Rand) string
}{
	{"shortest", func(r *rand.Rand) string { return strconv.FormatFloat(anyFloat(r), 'g', -1, 64) }},
	{"unit", func(r *rand.Rand) string { return strconv.FormatFloat(r.Float64()*2-1, 'f', -1, 64) }},
	{"coordinate", func(r *rand.Rand) string {
		return strconv.FormatFloat((r.Float64()-.5)*2000, 'f', r.IntN(8), 64)
	}},
	{"seventeen", func(r *rand.Rand) string {
		return strconv.FormatFloat(math.Exp(80*(r.Float64()-.5)), 'e', 12+r.IntN(8), 64)
	}},
	{"float32", func(r *rand.Rand) string { return strconv.FormatFloat(float64(r.Float32()), 'e', 6, 32) }},
	{"denormal", func(r *rand.Rand) string {
		return strconv.FormatFloat(math.Float64frombits(r.Uint64()>>(12+r.IntN(52))), 'g', -1, 64)
	}},
	{"halfway", halfway},
	{"integer", func(r *rand.Rand) string { return strconv.FormatUint(r.Uint64()>>r.IntN(64), 10) }},
	{"digits", randomDigits},
}

func anyFloat(r *rand.Rand) float64 {
	for {
		if f := math.Float64frombits(r.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	}
}

// halfway returns a number that is hard to round: a midpoint of two adjacent floats, a midpoint
// times a power of ten, or a number slightly above a midpoint. Some results have more than 19
// digits.
func halfway(r *rand.Rand) string {
	m := (1<<53|r.Uint64N(1<<53))<<1 | 1
	m >>= 1
	m |= 1                         // m is an odd number of 54 bits, which lies midway between two floats
	s := strconv.FormatUint(m, 10) // s has at most 19 digits
	switch r.IntN(4) {
	case 0:
		return s
	case 1: // the midpoint m/2, which ends in .5
		return strconv.FormatUint(m/2, 10) + ".5"
	case 2: // slightly above the midpoint
		return s + "." + strings.Repeat("0", r.IntN(30)) + "1"
	}
	return s + "e" + strconv.Itoa(r.IntN(60)-30)
}

// randomDigits returns a number with up to forty digits, a point at any place, and an exponent.
func randomDigits(r *rand.Rand) string {
	var s []byte
	if r.IntN(2) == 0 {
		s = append(s, '-')
	}
	n := 1 + r.IntN(40)
	point := r.IntN(2 * n)
	for i := range n {
		if i == point {
			s = append(s, '.')
		}
		if i < n/2 && r.IntN(4) == 0 {
			s = append(s, '0')
		} else {
			s = append(s, byte('0'+r.IntN(10)))
		}
	}
	if r.IntN(2) == 0 {
		s = strconv.AppendInt(append(s, 'e'), int64(r.IntN(80)-50), 10)
	}
	return string(s)
}

func TestParseAgreesWithStrconv(t *testing.T) {
	count := 300_000
	if full() {
		count = 10_000_000
	}
	for i, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			const seed = 20060315
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			for range count / len(writers) {
				checkWhole(t, w.write(r), anyTail[r.IntN(len(anyTail))])
			}
		})
	}
}

// TestRoundTies parses exact ties between an even and an odd float, and numbers next to ties.
func TestRoundTies(t *testing.T) {
	for _, s := range []string{
		"9007199254740993", "9007199254740994", "9007199254740995", // the numbers 2^53 + 1, 2^53 + 2 and 2^53 + 3
		"9007199254740993.0", "90071992547409930e-1", "9007199254740995000e-3",
		"18014398509481986", "18014398509481990", // the ties 2^54 + 2 and 2^54 + 6
		"9999999999999999999", "9999999999999999999e27", "9999999999999999999e-27",
		"18446744073709551615", "9223372036854775807", "9223372036854775808e1",
		"9007199254740993e23", "9007199254740993e-23", "1e23", "8.5e23", "1e-27", "3e27",
	} {
		checkWhole(t, s, anyTail...)
	}
}

func TestParseInt(t *testing.T) {
	for _, c := range []struct {
		in string
		v  int64
		n  int
		ok bool
	}{
		{"", 0, 0, false},
		{"-", 0, 0, false},
		{"x1", 0, 0, false},
		{"0", 0, 1, true},
		{"-12/3", -12, 3, true},
		{"+5 6", 5, 2, true},
		{"9223372036854775807", math.MaxInt64, 19, true},
		{"9223372036854775808", 0, 0, false},
		{"-9223372036854775808", math.MinInt64, 20, true},
		{"-9223372036854775809", 0, 0, false},
		{"99999999999999999999999999", 0, 0, false},
		{"18446744073709551617", 0, 0, false},
		{"0000000000000000000000000000012", 12, 31, true},
	} {
		v, n, ok := ParseInt([]byte(c.in))
		if v != c.v || n != c.n || ok != c.ok {
			t.Errorf("ParseInt(%q) = %d, %d, %v; want %d, %d, %v", c.in, v, n, ok, c.v, c.n, c.ok)
		}
	}
}

func TestParseAllocatesNothing(t *testing.T) {
	in := [][]byte{[]byte("1.25,"), []byte("0.48392019384758391"), []byte("-1.2345678901234567e-200"), []byte("nan"), []byte("x")}
	if n := testing.AllocsPerRun(100, func() {
		for _, b := range in {
			Parse(b)
			ParseComma(b)
			ParseInt(b)
		}
	}); n != 0 {
		t.Errorf("%v allocations a run, want 0", n)
	}
}

// longest computes the results of Parse with strconv. It tries all prefixes of b, and returns the
// value and the length of the longest prefix that strconv accepts as a decimal number.
func longest(b []byte) (v float64, n int, ok bool) {
	for n = len(b); n > 0; n-- {
		s := string(b[:n])
		if strings.ContainsAny(s, "_xXpP") {
			continue
		}
		v, err := strconv.ParseFloat(s, 64)
		if err == nil || math.IsInf(v, 0) {
			return v, n, true
		}
		if sign := s[0]; (sign == '-' || sign == '+') && strings.EqualFold(s[1:], "nan") {
			return math.NaN(), n, true
		}
	}
	return 0, 0, false
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1.5e3,", "-0.1", "1e400", "nan", "-infinity", "12345678.87654321e-7 ", "9007199254740993.", "1e+"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 200 {
			return
		}
		v, n, ok := Parse(b)
		wv, wn, wok := longest(b)
		if !same(v, wv) || n != wn || ok != wok {
			t.Errorf("Parse(%q) = %v, %d, %v; want %v, %d, %v", b, v, n, ok, wv, wn, wok)
		}
		ParseComma(b)
		if v, n, ok := ParseInt(b); ok {
			if w, err := strconv.ParseInt(string(b[:n]), 10, 64); err != nil || v != w {
				t.Errorf("ParseInt(%q) = %d; strconv %d, %v", b[:n], v, w, err)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for i, w := range writers {
		b.Run("numbers="+w.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			var text []byte
			for range 10000 {
				text = append(append(text, w.write(r)...), ' ')
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for rest := text; len(rest) > 0; {
					_, n, _ := Parse(rest)
					rest = rest[n+1:]
				}
			}
		})
	}
}
