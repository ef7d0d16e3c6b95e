package bem

// farPoint limits the scaled coordinates of a point for the kernels, and
// leastSquare the squared distances. Those are then in [2^−120, 2^124), where
// float32 has reciprocal roots of them, no product of three of these leaves the
// normal range of float64, and what underflows is below 2^−500 of the rest.
const (
	farPoint    = 0x1p60
	leastSquare = 0x1p-120
)

// errorPanel bounds the error of a factor of the kernels, as a multiple of
// limit/(|B||C|). A, B, C are the corners seen from x, e1 = B−A, e2 = C−A, E the
// longest edge, e the length of any edge, u = roundoff. Triangles that are done have
// |A|, |B|, |C| ≥ E/√8 (limit is inflated by far more than the squares may be
// wrong), so
//
//	η = e/|B| ≤ √8,   ρ = |A|/|B| ≤ (|B|+E)/|B| ≤ 1+√8,   likewise for C;
//	|det| ≤ |A||n|/(|A||B||C|) ≤ g·√3/2 for g = E²/(|B||C|), as |n| is twice the area;
//	|z| ≥ den ≥ 1/2.
//
// Errors to first order in u, with and without fused multiply-add:
//
//   - A, e1, e2 have relative errors u in each component; products of two of them
//     2u, and 3u for the product and its sums.
//   - |A|²: 5u. 1/|A|: half of that, and c = 2.5u for the reciprocal root: 5u.
//     (c: 1/√q is y·(1−h)^(−1/2) for an approximation y and h = 1−qy². The series
//     ends before 35h⁴/128 < 0.55u for VRSQRT14PD, |h| < 2^−13+2^−28, and before
//     63h⁵/256 < 0.5u for VRSQRTPS, |h| < 3·2^−12+2^−22. The rounding of q·y adds
//     u/2, the last sum u. Without assembly 1/(|A||B|) is |C|·(1/(|A||B||C|)): 2u
//     for the roots, 4u for the rest, which is twice c, and the product below.)
//   - A·e1: 5u·|A|e. A·B = |A|²+A·e1: 5u(|A|²+|A|e) + u|A||B|, relative to |A||B|
//     5ρ+5η+1 < 34.3u.
//   - |e1|²: 5u·e²; A·e1+|e1|² = e1·B has a rounding of u·e|B|. |B|² has
//     5|A|² + 5|A|e + |A||B| + 5|A|e + 5e² + e|B| + |B|², relative to |B|²
//     5ρ² + 10ρη + ρ + 5η² + η + 1 < 229.4u. 1/|B|: half, and c: 117.2u.
//   - B·C likewise, relative to |B||C|: 229.4u.
//   - cos(A,B), cos(C,A), with two products: 34.3 + 5 + 117.2 + 2 = 158.5u.
//     cos(B,C): 229.4 + 2·117.2 + 2 = 465.8u. Their sums: 2u + 3u + 4u.
//     den: 792u.
//   - n = e1×e2: 4u·√2·E² in length (as in errorZ, Σ|A_i|(…) ≤ √2|A|E²); its
//     product with A: 4u·|A||n|. Together 9.2u·|A|E². The three reciprocals and
//     three products: (5 + 2·117.2 + 3)u·|det| < 210u·g.
//     det: 219.2u·g.
//
// The angle between den+i·det and the computed z has a sine of at most
// (den·δdet + |det|·δden)/(|z||z|) ≤ 2·δdet + 4·|det|·δden, that is
// (2·219.2 + 4·0.8661·792)u·g < 3183u·g. Terms of second order, and those of |z|
// itself, are paid for by 3250. g = 8·limit/(|B||C|), but for what limit is inflated,
// and a turn of W belongs to 2π: 3250·8/2π < 4139. The computed limit/(|B||C|) is
// wrong by less than inflate has. Where x is a few edges away, errors are 100 times
// smaller than that.
const errorPanel = 4139 * inflate * roundoff
