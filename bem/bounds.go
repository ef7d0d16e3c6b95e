package bem

// roundoff is half the distance from 1 to the next float64, the largest relative error u of one
// rounding.
const roundoff = 0x1p-53

// errorZ bounds the error of a computed z = den + i·det as a multiple of u·|A||B||C|, to first
// order in u:
//
//   - Differences A = a−x have relative errors u in each component. (A difference of float64
//     numbers never underflows to a rounded result.)
//   - |A|: the sum of squares has 2u from the differences, u from the products, 2u from the sums;
//     the root halves these and adds u: 3.5u.
//   - s = (|A||B|)|C|: 3·3.5u + 2u = 12.5u.
//   - (A·B)|C|: 2u + u + 2u relative to Σ|A_i B_i| ≤ |A||B|, then 3.5u + u: 9.5u·s. Three of them:
//     28.5u·s.
//   - The sums of den have magnitudes of at most 2s, 3s, 4s: 9u·s.
//   - den: 12.5 + 28.5 + 9 = 50.
//   - det = Σ A_i (B_j C_k − B_k C_j): 3u from the differences, u + u in the minors, u for the
//     products, 2u for the sums, relative to the permanent Σ|A_i|(|B_j C_k| + |B_k C_j|) ≤ √2·s
//     (Cauchy and Schwarz twice): 11.4.
//
// √(50² + 11.4²) < 51.3. The rest up to 52 covers the terms of second order, the error of s itself,
// and underflow, which is below 2^−500·s because lengths are kept within [2^−256, 2^256).
const errorZ = 52

// errorZBig is errorZ in big.Float arithmetic, where a square root has an error of 2u: lengths have
// 4.5u, s has 15.5u, the products of den have 31.5u, so √((15.5 + 31.5 + 9)² + 11.4²) < 57.2.
const errorZBig = 58

// Let δ = errorZ·u·s and |z|₁ = |den|+|det| ≤ √2·|z|. The disc of radius δ about z is seen from 0
// under the half-angle asin(δ/|z|). asin is convex, so for δ/|z| ≤ 1/2 it is at most (π/3)·δ/|z|,
// which makes
//
//	(π/3)/(2π)·√2·δ/|z|₁ = (√2/6)·errorZ·u · s/|z|₁ turns.
//
// The error in turns is turnsPerCond·errorZ·u = errorTurns for each unit of s/|z|₁, provided that
// |z|₁ ≥ 2√2·δ, for which minNorm·s is the limit. A den beyond this limit is certainly positive.
const (
	turnsPerCond = 0.2358 // > √2/6
	errorTurns   = turnsPerCond * errorZ * roundoff
	minNorm      = 2.8285 * errorZ * roundoff // 2.8285 > 2√2
)

// errorFactor bounds the error in turns that one factor adds to errorTurns. Scaling z to
// |z|₁ = 1 adds at most u radians (the two components by u each, in opposite directions, at 45°).
// The multiplication adds at most √5·u (Brent, Percival, Zimmermann, "Error bounds on complex
// floating-point multiplication", 2007). 3.24/2π < 0.52.
const errorFactor = 0.52 * roundoff

// errorTotal bounds the error of converting a product to a number of turns, besides 2u relative to
// the result. math.Atan2, with its division and its addition of π, has less than 8u of at most half
// a turn; Cephes documents a relative error of 1.6u for its core. 1/2π and its product have 2u of
// that.
const errorTotal = 5 * roundoff

// inflate covers the rounding of a bound itself, a sum of less than 2^31 positive terms, each with
// a relative error below 2^−50.
const inflate = 1 + 0x1p-20

// Lengths whose squares lie in [2^−512, 2^512) have products of three, and reciprocals of these
// products, in the normal range. loSquare is the bit pattern of 2^−512. The bits of q minus
// loSquare are below 2^62 exactly if the exponent of q is one of the 1024 values from there on. NaN
// and Inf are out of range.
const (
	loSquare  = (1023 - 512) << 52
	rangeBits = 62
)

// maxPoint limits the scaled coordinates of a point for the kernels, and minSquare the squared
// distances. Squared distances are then in [2^−120, 2^124): float32 holds their reciprocal roots,
// no product of three of these leaves the normal range of float64, and terms that underflow are
// below 2^−500 of the rest.
const (
	maxPoint  = 0x1p60
	minSquare = 0x1p-120
)

// errorPanel bounds the error of a factor of the kernels, as a multiple of limit/(|B||C|). A, B, C
// are the corners seen from x, e1 = B−A, e2 = C−A, E is the longest edge, e the length of any edge,
// u = roundoff. The kernels only do triangles with |A|, |B|, |C| ≥ E/√8 (limit is inflated by far
// more than the error of the squares), so
//
//	η = e/|B| ≤ √8,   ρ = |A|/|B| ≤ (|B|+E)/|B| ≤ 1+√8,   likewise for C;
//	|det| ≤ |A||n|/(|A||B||C|) ≤ g·√3/2 for g = E²/(|B||C|), since |n| is twice the area;
//	|z| ≥ den ≥ 1/2.
//
// Errors to first order in u, with and without fused multiply-add:
//
//   - A, e1, e2 have relative errors u in each component; products of two of them 2u, and 3u for
//     the product and its sums.
//   - |A|²: 5u. 1/|A|: half of that, and c = 2.5u for the reciprocal root: 5u. (c: 1/√q is
//     y·(1−h)^(−1/2) for an approximation y and h = 1−qy². The series stops before the term
//     35h⁴/128 < 0.55u for VRSQRT14PD, |h| < 2^−13+2^−28, and before the term 63h⁵/256 < 0.5u for
//     VRSQRTPS, |h| < 3·2^−12+2^−22. The rounding of q·y adds u/2, the last sum u. In Go 1/(|A||B|)
//     is |C|·(1/(|A||B||C|)): 2u for the roots, 4u for the rest, which is twice c, and the product
//     below.)
//   - A·e1: 5u·|A|e. A·B = |A|²+A·e1: 5u(|A|²+|A|e) + u|A||B|, relative to |A||B| 5ρ+5η+1 < 34.3u.
//   - |e1|²: 5u·e²; A·e1+|e1|² = e1·B has a rounding of u·e|B|. |B|² has
//     5|A|² + 5|A|e + |A||B| + 5|A|e + 5e² + e|B| + |B|², relative to |B|²
//     5ρ² + 10ρη + ρ + 5η² + η + 1 < 229.4u. 1/|B|: half, and c: 117.2u.
//   - B·C likewise, relative to |B||C|: 229.4u.
//   - cos(A,B), cos(C,A), with two products: 34.3 + 5 + 117.2 + 2 = 158.5u. cos(B,C):
//     229.4 + 2·117.2 + 2 = 465.8u. Their sums: 2u + 3u + 4u. den: 792u.
//   - n = e1×e2: 4u·√2·E² in length (as in errorZ, Σ|A_i|(…) ≤ √2|A|E²); its product with A:
//     4u·|A||n|. Together 9.2u·|A|E². The three reciprocals and three products:
//     (5 + 2·117.2 + 3)u·|det| < 210u·g. det: 219.2u·g.
//
// The angle between den+i·det and the computed z has a sine of at most
// (den·δdet + |det|·δden)/(|z||z|) ≤ 2·δdet + 4·|det|·δden, that is
// (2·219.2 + 4·0.8661·792)u·g < 3183u·g. Taking 3250 covers the terms of second order and those of
// |z| itself. g ≤ 8·limit/(|B||C|), and a turn of W is 2π: 3250·8/2π < 4139. inflate covers the
// error of the computed limit/(|B||C|). If x is a few edges away, actual errors are 100 times
// smaller than this bound.
const errorPanel = 4139 * inflate * roundoff
