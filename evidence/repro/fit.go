package main

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// Power is a fit y = Factor·x^Exponent.
type Power struct {
	Exponent, Error float64 // Error is the standard error of the exponent
	Factor          float64
	Points          int
}

// fitPower fits a power by linear regression of the logarithms. It skips points with x ≤ 0 or y ≤
// 0. The standard error is √(Σ residual²/(n−2) / Σ(ln x − mean)²), or NaN for two points. With
// fewer than two points, Exponent, Error and Factor are NaN.
func fitPower(x, y []float64) Power {
	var lx, ly []float64
	for i := range x {
		if x[i] > 0 && y[i] > 0 {
			lx, ly = append(lx, math.Log(x[i])), append(ly, math.Log(y[i]))
		}
	}
	p := Power{math.NaN(), math.NaN(), math.NaN(), len(lx)}
	if len(lx) < 2 {
		return p
	}
	intercept, slope := stat.LinearRegression(lx, ly, nil, false)
	p.Exponent, p.Factor = slope, math.Exp(intercept)
	if len(lx) > 2 {
		mean, residual, spread := stat.Mean(lx, nil), 0.0, 0.0
		for i := range lx {
			d := ly[i] - intercept - slope*lx[i]
			residual += d * d
			spread += (lx[i] - mean) * (lx[i] - mean)
		}
		p.Error = math.Sqrt(residual / float64(len(lx)-2) / spread)
	}
	return p
}

// fitTail fits a power to the points with large x.
func fitTail(s Series, least float64) Power {
	var x, y []float64
	for i := range s.X {
		if s.X[i] >= least {
			x, y = append(x, s.X[i]), append(y, s.Y[i])
		}
	}
	return fitPower(x, y)
}

func (p Power) String() string {
	if math.IsNaN(p.Error) {
		return fmt.Sprintf("%.2f", p.Exponent)
	}
	return fmt.Sprintf("%.2f ± %.2f", p.Exponent, p.Error)
}

// crossings returns the values of x at which two curves cross. Both curves must have the same
// ascending x. Between points, ln y is interpolated as a linear function of ln x.
func crossings(a, b Series) []float64 {
	var at []float64
	for i := 1; i < len(a.X) && i < len(b.X); i++ {
		before, after := math.Log(a.Y[i-1]/b.Y[i-1]), math.Log(a.Y[i]/b.Y[i])
		if before == 0 || before*after >= 0 && after != 0 {
			continue
		}
		t := before / (before - after)
		at = append(at, math.Exp(math.Log(a.X[i-1])*(1-t)+math.Log(a.X[i])*t))
	}
	return at
}

// crossingText describes the ranges in which a is faster than b.
func crossingText(a, b Series) string {
	at := crossings(a, b)
	n := min(len(a.X), len(b.X))
	switch {
	case n == 0:
		return "not measured"
	case len(at) == 0 && a.Y[0] < b.Y[0]:
		return "everywhere"
	case len(at) == 0:
		return "nowhere"
	}
	var ranges []string
	if a.Y[0] < b.Y[0] {
		ranges, at = append(ranges, "below "+short(at[0])), at[1:]
	}
	for ; len(at) > 1; at = at[2:] {
		ranges = append(ranges, "from "+short(at[0])+" to "+short(at[1]))
	}
	if len(at) == 1 {
		ranges = append(ranges, "from "+short(at[0]))
	}
	return strings.Join(ranges, ", ")
}
