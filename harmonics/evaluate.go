package harmonics

import (
	"math"

	"github.com/golang/geo/r3"
)

// EvaluateLocal returns Σ_{n≤p} Σ_m R_n^m(x) L_n^m for the local coefficients l. x is relative to
// the center of the expansion. A double-layer potential is −1/4π times this sum.
//
// R_n^m(x) = (x+iy)^m Q_n^m, where Q is real and satisfies the recurrence of RegularTo with Q_m^m =
// 1/(2^m m!). So the sum of each order uses only Q, and a Horner scheme in x+iy combines the
// orders. The cost is O(p²), without allocation. EvaluateLocal panics if l is too short. The
// rounding error is a small multiple of
//
//	p²·2⁻⁵³ Σ_n |x|ⁿ √(Σ_m |L_n^m|²/((n−m)!(n+m)!))
func EvaluateLocal(l []float64, p int, x r3.Vector) float64 {
	checkLen("l", l, p)
	r2 := float64(x.X*x.X) + float64(x.Y*x.Y) + float64(x.Z*x.Z)
	head := 1.0 // value Q_m^m
	for m := 1; m <= p; m++ {
		head *= reciprocal[2*m]
	}
	re, im := 0.0, 0.0
	for m := p; m > 0; m-- {
		re, im = float64(re*x.X)-float64(im*x.Y), float64(re*x.Y)+float64(im*x.X)
		j := m*m + 2*m - 1
		re += float64(head * l[j])
		im += float64(head * l[j+1])
		prev2, prev := 0.0, head
		for n := m + 1; n <= p; n++ {
			j += 2*n - 1
			next := float64(float64(float64(2*n-1)*x.Z)*prev) - float64(r2*prev2)
			prev2, prev = prev, next*(reciprocal[n-m]*reciprocal[n+m])
			re += float64(prev * l[j])
			im += float64(prev * l[j+1])
		}
		head *= float64(2 * m)
	}
	sum := 2 * (float64(re*x.X) - float64(im*x.Y))
	prev2, prev := 0.0, 1.0
	sum += l[0]
	for n := 1; n <= p; n++ {
		next := float64(float64(float64(2*n-1)*x.Z)*prev) - float64(r2*prev2)
		prev2, prev = prev, next*(reciprocal[n]*reciprocal[n])
		sum += float64(prev * l[n*n])
	}
	return sum
}

// EvaluateMultipole returns Σ_{n≤p} Σ_m conj(S_n^m(x)) M_n^m for the moments mo. x is relative to
// the center of the expansion, and r = |x|. EvaluateMultipole uses the scheme of EvaluateLocal at
// the inverted point u = x/r². The cost is O(p²), without allocation. The rounding error is a small
// multiple of p²·2⁻⁵³ Σ_n P_n/|x|^{n+1}, with P_n from NormsTo. At the origin the result is not
// finite. EvaluateMultipole panics if mo is too short.
func EvaluateMultipole(mo []float64, p int, x r3.Vector) float64 {
	checkLen("mo", mo, p)
	r2 := float64(x.X*x.X) + float64(x.Y*x.Y) + float64(x.Z*x.Z)
	w := 1 / r2
	u := r3.Vector{X: x.X / r2, Y: x.Y / r2, Z: x.Z / r2}
	head := 1.0 // factor (2m−1)!! of S_m^m = (2m−1)!! (u_x+iu_y)^m / r
	for m := 1; m <= p; m++ {
		head *= float64(2*m - 1)
	}
	re, im := 0.0, 0.0
	for m := p; m > 0; m-- {
		// A term is conj(S) M, so the Horner scheme uses the conjugate u_x − iu_y.
		re, im = float64(re*u.X)+float64(im*u.Y), float64(im*u.X)-float64(re*u.Y)
		j := m*m + 2*m - 1
		re += float64(head * mo[j])
		im += float64(head * mo[j+1])
		prev2, prev := 0.0, head
		for n := m + 1; n <= p; n++ {
			j += 2*n - 1
			b := float64((n-1-m)*(n-1+m)) * w
			prev2, prev = prev, float64(float64(float64(2*n-1)*u.Z)*prev)-float64(b*prev2)
			re += float64(prev * mo[j])
			im += float64(prev * mo[j+1])
		}
		head /= float64(2*m - 1)
	}
	sum := 2 * (float64(re*u.X) + float64(im*u.Y))
	prev2, prev := 0.0, 1.0
	sum += mo[0]
	for n := 1; n <= p; n++ {
		b := float64((n-1)*(n-1)) * w
		prev2, prev = prev, float64(float64(float64(2*n-1)*u.Z)*prev)-float64(b*prev2)
		sum += float64(prev * mo[n*n])
	}
	return sum / math.Sqrt(r2)
}
