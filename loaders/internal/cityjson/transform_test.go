package cityjson

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestTransform compares coordinates with rational numbers.
func TestTransform(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 11))
	digits := func(n int) string {
		s := ""
		for range n {
			s += strconv.Itoa(r.IntN(10))
		}
		return s
	}
	word := func() string {
		s := strconv.Itoa(r.IntN(10))
		if s != "0" {
			s += digits(r.IntN(18))
		}
		if r.IntN(2) == 0 {
			s = "-" + s
		}
		if r.IntN(3) > 0 {
			s += "." + digits(1+r.IntN(20))
		}
		if r.IntN(4) == 0 {
			s += fmt.Sprintf("e%+d", r.IntN(40)-20)
		}
		return s
	}
	small := 0
	for n := range 50_000 {
		scale, translate := "0.001", word()
		switch n % 4 {
		case 0:
			scale = word()
		case 1:
			scale, translate = "0.00020859820573744", "84616.46800000001"
		case 2:
			translate = fmt.Sprintf("%d.%s", r.IntN(1e7)-5e6, digits(3))
		}
		s, ok1 := parseNumber([]byte(scale))
		d, ok2 := parseNumber([]byte(translate))
		if !ok1 || !ok2 {
			t.Fatal(scale, translate)
		}
		a := newAxis(s, d)
		if a.small {
			small++
		}
		v := int64(r.Uint64()) >> r.IntN(64)
		switch r.IntN(20) {
		case 0:
			v = math.MinInt64
		case 1:
			v = math.MaxInt64
		case 2:
			v = 0
		}
		want, ok := new(big.Rat).SetString(scale)
		if !ok {
			t.Fatal(scale)
		}
		add, _ := new(big.Rat).SetString(translate)
		want.Add(want.Mul(want, new(big.Rat).SetInt64(v)), add)
		x, _ := want.Float64()
		if got := a.apply(v); got != x {
			t.Fatalf("%d·%s + %s: got %v, want %v", v, scale, translate, got, x)
		}
		if got := a.exact(big.NewInt(v)); got != x {
			t.Fatalf("%d·%s + %s: exact: got %v, want %v", v, scale, translate, got, x)
		}
	}
	if small < 30_000 {
		t.Errorf("only %d maps are small", small)
	}
}

func TestParseNumber(t *testing.T) {
	for word, want := range map[string]string{
		"0": "0", "-0.0": "0", "12.50": "25/2", "1e3": "1000", "1.5E-2": "3/200", "-1.25e1": "-25/2", "0e400": "0", "1e-400": "",
		"1e401": "", "NaN": "", "Infinity": "", "-Infinity": "", "1e99999999999999999999": "",
	} {
		n, ok := parseNumber([]byte(word))
		switch {
		case word == "1e-400":
			if !ok || n.places != 400 {
				t.Errorf("%s: %v, %d places", word, ok, n.places)
			}
		case ok != (want != ""):
			t.Errorf("%s: %v", word, ok)
		case ok && n.rational().RatString() != want:
			t.Errorf("%s: %s, want %s", word, n.rational().RatString(), want)
		}
	}
}
