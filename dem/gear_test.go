package dem

import (
	"math"
	"testing"
)

// TestGearOrder integrates oscillators with and without damping. The initial derivatives are exact.
// The error must be proportional to the fifth power of the step length.
func TestGearOrder(t *testing.T) {
	for _, row := range []struct {
		name string
		rate float64 // rate of damping; the equation is x″ = −x − 2·rate·x′
	}{{"conservative", 0}, {"damped", .3}} {
		var errs []float64
		for _, steps := range []int{30, 60, 120, 240} {
			const end = 5.
			h := end / float64(steps)
			omega := math.Sqrt(1 - row.rate*row.rate)
			// The solution is x = Re exp(λt), where λ = −rate + i·omega. Its n-th derivative at t = 0
			// is Re λⁿ.
			lambda := complex(-row.rate, omega)
			var g gearState
			power, scale := complex(1, 0), 1.
			for n := range g {
				for d := range coordinates {
					g[n][d] = real(power) * scale
				}
				power *= lambda
				scale *= h / float64(n+1)
			}
			for range steps {
				g.predict()
				a := (-g[0][1] - 2*row.rate*g[1][1]/h) * h * h / 2
				g.correct([coordinates]float64{a, a, a})
			}
			decay := math.Exp(-row.rate * end)
			x := decay * math.Cos(omega*end)
			v := -decay*omega*math.Sin(omega*end) - row.rate*x
			errs = append(errs, math.Hypot(g[0][2]-x, g[1][2]/h-v))
		}
		if got := slope(errs); math.Abs(got-5) > .2 {
			t.Errorf("%s: order %.2f, want 5; errors %v", row.name, got, errs)
		}
	}
}

// TestGearPredictsPolynomials checks that the prediction is exact for polynomials up to the fifth
// degree.
func TestGearPredictsPolynomials(t *testing.T) {
	c := [gearOrder + 1]float64{3, -2, 5, .5, -4, 7}
	derivative := func(n int, x float64) float64 { // the n-th derivative at x, divided by n!
		sum := 0.
		for m := gearOrder; m >= n; m-- {
			b := 1.
			for k := range n {
				b = b * float64(m-k) / float64(k+1)
			}
			sum = sum*x + b*c[m]
		}
		return sum
	}
	const h = .25 // a binary fraction, so products with h are exact
	var g gearState
	for n := range g {
		g[n][1] = derivative(n, 0) * math.Pow(h, float64(n))
	}
	for step := 1; step <= 3; step++ {
		g.predict()
		for n := range g {
			want := derivative(n, h*float64(step)) * math.Pow(h, float64(n))
			if math.Abs(g[n][1]-want) > 1e-12*math.Abs(want) {
				t.Errorf("step %d, derivative %d: %v, want %v", step, n, g[n][1], want)
			}
		}
	}
}
