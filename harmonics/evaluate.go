package harmonics

import (
	"math"

	"github.com/golang/geo/r3"
)

// EvaluateLocal returns Σ_{n≤p} Σ_m R_n^m(x) L_n^m for the local coefficients l, x
// relative to their centre. A double-layer potential is −1/4π times it.
//
// R_n^m(x) = (x+iy)^m Q_n^m with Q real, Q_m^m = 1/(2^m m!) and the recurrence of
// RegularTo; so each order is summed with Q alone, and a Horner scheme in x+iy
// joins the orders. The cost is O(p²), without allocation or memory. The rounding
// error is a small multiple of p²·2⁻⁵³ Σ_n |x|ⁿ √(Σ_m |L_n^m|²/((n−m)!(n+m)!)).
// It panics when l is shorter than Len(p).
func EvaluateLocal(l []float64, p int, x r3.Vector) float64 {
	need("l", l, p)
	r2 := float64(x.X*x.X) + float64(x.Y*x.Y) + float64(x.Z*x.Z)
	head := 1.0 // Q_m^m
	for m := 1; m <= p; m++ {
		head *= reciprocal[2*m]
	}
	re, im := 0.0, 0.0
	for m := p; m > 0; m-- {
		re, im = float64(re*x.X)-float64(im*x.Y), float64(re*x.Y)+float64(im*x.X)
		j := m*m + 2*m - 1
		re += float64(head * l[j])
		im += float64(head * l[j+1])
		two, one := 0.0, head
		for n := m + 1; n <= p; n++ {
			j += 2*n - 1
			next := float64(float64(float64(2*n-1)*x.Z)*one) - float64(r2*two)
			two, one = one, next*(reciprocal[n-m]*reciprocal[n+m])
			re += float64(one * l[j])
			im += float64(one * l[j+1])
		}
		head *= float64(2 * m)
	}
	sum := 2 * (float64(re*x.X) - float64(im*x.Y))
	two, one := 0.0, 1.0
	sum += l[0]
	for n := 1; n <= p; n++ {
		next := float64(float64(float64(2*n-1)*x.Z)*one) - float64(r2*two)
		two, one = one, next*(reciprocal[n]*reciprocal[n])
		sum += float64(one * l[n*n])
	}
	return sum
}

// EvaluateMultipole returns Σ_{n≤p} Σ_m conj(S_n^m(x)) M_n^m for the moments mo, x
// relative to their centre, by the scheme of EvaluateLocal at the inverted point
// x/r². The cost is O(p²), without allocation or memory. The rounding error is a
// small multiple of p²·2⁻⁵³ Σ_n P_n/|x|^{n+1}, P_n of NormsTo. At the origin the
// result is not finite. It panics when mo is shorter than Len(p).
func EvaluateMultipole(mo []float64, p int, x r3.Vector) float64 {
	need("mo", mo, p)
	r2 := float64(x.X*x.X) + float64(x.Y*x.Y) + float64(x.Z*x.Z)
	w := 1 / r2
	u := r3.Vector{X: x.X / r2, Y: x.Y / r2, Z: x.Z / r2}
	head := 1.0 // S_m^m = (2m−1)!! (u_x+iu_y)^m / r
	for m := 1; m <= p; m++ {
		head *= float64(2*m - 1)
	}
	re, im := 0.0, 0.0
	for m := p; m > 0; m-- {
		// conj(S) M: Horner in the conjugate u_x − iu_y.
		re, im = float64(re*u.X)+float64(im*u.Y), float64(im*u.X)-float64(re*u.Y)
		j := m*m + 2*m - 1
		re += float64(head * mo[j])
		im += float64(head * mo[j+1])
		two, one := 0.0, head
		for n := m + 1; n <= p; n++ {
			j += 2*n - 1
			b := float64((n-1-m)*(n-1+m)) * w
			two, one = one, float64(float64(float64(2*n-1)*u.Z)*one)-float64(b*two)
			re += float64(one * mo[j])
			im += float64(one * mo[j+1])
		}
		head /= float64(2*m - 1)
	}
	sum := 2 * (float64(re*u.X) + float64(im*u.Y))
	two, one := 0.0, 1.0
	sum += mo[0]
	for n := 1; n <= p; n++ {
		b := float64((n-1)*(n-1)) * w
		two, one = one, float64(float64(float64(2*n-1)*u.Z)*one)-float64(b*two)
		sum += float64(one * mo[n*n])
	}
	return sum / math.Sqrt(r2)
}

// EvaluateLocalGradient returns the value of EvaluateLocal and its gradient by x.
// work needs Len(p) elements. It does not allocate; it panics when a slice is too
// short.
func EvaluateLocalGradient(l []float64, p int, x r3.Vector, work []float64) (float64, r3.Vector) {
	need("l", l, p)
	RegularTo(work, p, x)
	value := l[0]
	var g r3.Vector
	for n := 1; n <= p; n++ {
		value += pair(work[n*n:], l[n*n:], n, 1)
		g = g.Add(gradientOfDegree(work[(n-1)*(n-1):n*n], n-1, l[n*n:(n+1)*(n+1)], n, 1))
	}
	return value, g
}

// EvaluateMultipoleGradient returns the value of EvaluateMultipole and its gradient
// by x. work needs Len(p+1) elements. It does not allocate; it panics when a slice
// is too short.
func EvaluateMultipoleGradient(mo []float64, p int, x r3.Vector, work []float64) (float64, r3.Vector) {
	need("mo", mo, p)
	SingularTo(work, p+1, x)
	value := 0.0
	var g r3.Vector
	for n := 0; n <= p; n++ {
		value += pair(work[n*n:], mo[n*n:], n, -1)
		d := gradientOfDegree(work[(n+1)*(n+1):(n+2)*(n+2)], n+1, mo[n*n:(n+1)*(n+1)], n, -1)
		g = g.Add(r3.Vector{X: d.X, Y: d.Y, Z: -d.Z}) // ∂S_n^m/∂z = −S_{n+1}^m
	}
	return value, g
}

// pair returns Σ_m A^m B^m of one degree n for sign 1, Σ_m conj(A^m) B^m for −1.
func pair(a, b []float64, n int, sign float64) float64 {
	sum := 0.0
	for j := 1; j < 2*n; j += 2 {
		sum += float64(a[j]*b[j]) - float64(sign*float64(a[j+1]*b[j+1]))
	}
	return float64(a[0]*b[0]) + float64(2*sum)
}

// gradientOfDegree pairs the coefficients c of degree n, as pair does, with
// ½(F^{m−1}−F^{m+1}), ½i(F^{m−1}+F^{m+1}) and F^m, where F is the packed degree
// from: the x, y and (but for a sign with S) z derivatives of R_n^m or S_n^m.
func gradientOfDegree(f []float64, from int, c []float64, n int, sign float64) (g r3.Vector) {
	for m := 0; m <= n; m++ {
		zr, zi := inDegree(f, from, m)
		ar, ai := inDegree(f, from, m-1)
		br, bi := inDegree(f, from, m+1)
		re, im := inDegree(c, n, m)
		w := 1.0
		if m == 0 {
			w = 0.5 // order 0 has no partner −0
		}
		im *= sign
		g.X += float64(w * (float64((ar-br)*re) - float64((ai-bi)*im)))
		g.Y -= float64(w * (float64((ai+bi)*re) + float64((ar+br)*im)))
		g.Z += float64(2 * w * (float64(zr*re) - float64(zi*im)))
	}
	return g
}
