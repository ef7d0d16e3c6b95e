package harmonics

// Rescale multiplies degree n of the packed expansion dst of degree p by fⁿ.
//
// R_n(λx) = λⁿ R_n(x) and S_n(λx) = λ^{−n−1} S_n(x). So when all coordinates are
// divided by a cell size h, charges giving moments M_n ∝ hⁿ, the scaled moments
// are Rescale(M, 1/h) and the scaled local coefficients are h·Rescale(L, h);
// values of the potential 1/|x−y| come out multiplied by h. For a dipole moment
// Σ n·∇R_n(y) the gradient takes one more factor: with n unscaled the scaled
// moments are h·Rescale(M, 1/h), and the potential n·∇(1/|x−y|) is multiplied by
// h²; a double layer integrates over an area, scaled by h⁻², and is unchanged.
// Powers of two make all of this exact. It panics when dst is too short.
func Rescale(dst []float64, p int, f float64) {
	need("dst", dst, p)
	g := 1.0
	for n := 1; n <= p; n++ {
		g *= f
		row := dst[n*n : (n+1)*(n+1)]
		for j := range row {
			row[j] *= g
		}
	}
}
