package decimal

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestAppend(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 5400281.039: "5400281.039", 1e20: "100000000000000000000", 1e21: "1e+21", 1e-4: "0.0001", 9.5e-5: "9.5e-05",
		-0.25: "-0.25", math.Copysign(0, -1): "-0", math.Inf(1): "+Inf",
	} {
		if got := string(Append(nil, x, 64)); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
	if got := string(Append([]byte("a"), float64(float32(0.1)), 32)); got != "a0.1" {
		t.Errorf("float32 0.1: %s", got)
	}
	r := rand.New(rand.NewPCG(5, 5))
	for range 100_000 {
		x := math.Float64frombits(r.Uint64())
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		s := string(Append(nil, x, 64))
		if back, err := strconv.ParseFloat(s, 64); err != nil || back != x {
			t.Fatalf("%v: %s gives %v, %v", x, s, back, err)
		}
		if exponent := math.Abs(x) < 1e-4 || math.Abs(x) >= 1e21; exponent != strings.Contains(s, "e") {
			t.Fatalf("%v: %s", x, s)
		}
	}
}
