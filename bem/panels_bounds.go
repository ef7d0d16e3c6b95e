package bem

// leastSquare is 2^−512, see rangeBits: a squared distance that is at least that
// large, or a product of three distances, has a reciprocal in the normal range,
// and what underflows is below 2^−300 of the rest.
const leastSquare = 0x1p-512

// farPoint limits the scaled coordinates of a point for the kernels: squared
// distances are then below 2^132, so that no product of their reciprocals
// underflows.
const farPoint = 0x1p64

// errorPanel bounds the error of a factor of the kernels, as a multiple of
// limit/(|B||C|). A, B, C are the corners seen from x, e1 = B−A, e2 = C−A, E the
// longest edge, u = roundoff, e the length of any edge. Only triangles are done
// for which |A|, |B|, |C| ≥ E/√2 (limit is inflated by far more than the
// squares may be wrong), so
//
//	ρ = |A|/|B| ≤ (|B|+E)/|B| ≤ 1+√2,   η = e/|B| ≤ √2,   likewise for C;
//	cos(A,B) = (|A|²+|B|²−e²)/(2|A||B|) ≥ 0, so 1 ≤ den ≤ 4;
//	|det| ≤ |A||n|/(|A||B||C|) ≤ g·√3/2 for g = E²/(|B||C|), as |n| is twice the area.
//
// Errors to first order in u, with and without fused multiply-add:
//
//   - A, e1, e2 have relative errors u in each component; products of two of them
//     2u, and 3u for the product and its sums.
//   - |A|²: 5u. 1/|A|: half of that, and c = 2.5u for the reciprocal root: 5u.
//     (c: the approximation y of 1/√q has |1−qy²| ≤ 2^−13+2^−28 =: h, what its
//     series leaves out is (35/128)h⁴ < 0.55u, the rounding of q·y adds u/2, the
//     last sum u. Without assembly 1/(|A||B|) is |C|·(1/(|A||B||C|)): 2u for the
//     roots, 4u for the rest, half of which makes 3u, with the product below.)
//   - A·e1: 5u·|A|e. A·B = |A|²+A·e1: 5u(|A|²+|A|e) + u|A||B|, relative to |A||B|
//     5ρ+5η+1 < 20.2u.
//   - |e1|²: 5u·e²; A·e1+|e1|² = e1·B has a rounding of u·e|B|. |B|² has
//     5|A|² + 5|A|e + |A||B| + 5|A|e + 5e² + e|B| + |B|², relative to |B|²
//     5ρ² + 10ρη + ρ + 5η² + η + 1 < 78.2u. 1/|B|: 39.1 + 2.5 = 41.6u.
//   - B·C likewise, relative to |B||C|: 78.2u.
//   - cos(A,B), cos(C,A): 20.2 + 5 + 41.6 + 1 (a product) = 67.8u each.
//     cos(B,C): 78.2 + 2·41.6 + 1 = 162.4u. Their sums: 2u + 3u + 4u.
//     den: 307u.
//   - n = e1×e2: 4u·√2·E² in length (as in errorZ, Σ|A_i|(…) ≤ √2|A|E²); its
//     product with A: 4u·|A||n|. Together 9.2u·|A|E². The three reciprocals and
//     three products: (5 + 2·41.6 + 3)u·|det| < 79u·g.
//     det: 88.2u·g.
//
// The angle between den+i·det and the computed z has a sine of at most
// (den·δdet + |det|·δden)/(|z||z|) ≤ δdet + |det|·δden < (88.2 + 0.8661·307)u·g
// < 354.1u·g, as |z| ≥ 1. Terms of second order, and |z| itself, are paid for by
// 358. g = 2·limit/(|B||C|), but for what limit is inflated, and a turn of W
// belongs to 2π: 358/π < 114. The computed limit/(|B||C|) is wrong by less than
// inflate has.
const errorPanel = 114 * inflate * roundoff
