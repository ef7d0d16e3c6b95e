package bem

// roundoff is half the distance from 1 to the next float64, the largest
// relative error u of one rounding.
const roundoff = 0x1p-53

// errorZ bounds the error of a computed z = den + i·det as a multiple of
// u·|A||B||C|, to first order in u:
//
//   - Differences A = a−x have relative errors u in each component. (A
//     difference of float64 numbers never underflows to a rounded result.)
//   - |A|: the sum of squares has 2u from the differences, u from the products,
//     2u from the sums; the root halves these and adds u: 3.5u.
//   - s = (|A||B|)|C|: 3·3.5u + 2u = 12.5u.
//   - (A·B)|C|: 2u + u + 2u relative to Σ|A_i B_i| ≤ |A||B|, then 3.5u + u:
//     9.5u·s. Three of them: 28.5u·s.
//   - The sums of den have magnitudes of at most 2s, 3s, 4s: 9u·s.
//   - den: 12.5 + 28.5 + 9 = 50.
//   - det = Σ A_i (B_j C_k − B_k C_j): 3u from the differences, u + u in the
//     minors, u for the products, 2u for the sums, relative to the permanent
//     Σ|A_i|(|B_j C_k| + |B_k C_j|) ≤ √2·s (Cauchy and Schwarz twice): 11.4.
//
// √(50² + 11.4²) < 51.3. What is left up to 52 pays for the terms of second
// order, for the error of s itself, and for underflow, which is below 2^−500·s
// because lengths are kept within [2^−256, 2^256).
const errorZ = 52

// errorZBig is errorZ in big.Float arithmetic, where a square root is only
// known to 2u: lengths have 4.5u, s has 15.5u, the products of den 31.5u, so
// √((15.5 + 31.5 + 9)² + 11.4²) < 57.2.
const errorZBig = 58

// Let δ = errorZ·u·s and |z|₁ = |den|+|det| ≤ √2·|z|. The disc of radius δ round
// z is seen from 0 under the half-angle asin(δ/|z|). asin is convex, so for
// δ/|z| ≤ 1/2 it is at most (π/3)·δ/|z|, which makes
//
//	(π/3)/(2π)·√2·δ/|z|₁ = (√2/6)·errorZ·u · s/|z|₁ turns.
//
// The error in turns is slantTurns·errorZ·u = errorTurns for each unit of
// s/|z|₁, provided that |z|₁ ≥ 2√2·δ; gate·s is that limit. Where den is beyond
// it, den is also certainly positive.
const (
	slantTurns = 0.2358 // > √2/6
	errorTurns = slantTurns * errorZ * roundoff
	gate       = 2.8285 * errorZ * roundoff // 2.8285 > 2√2
)

// errorFactor bounds what one factor adds in turns besides errorTurns: z is
// scaled to |z|₁ = 1, at most u radians (the two components by u each, in
// opposite directions, at 45°), and multiplied, at most √5·u (Brent, Percival,
// Zimmermann, "Error bounds on complex floating-point multiplication", 2007):
// 3.24/2π < 0.52.
const errorFactor = 0.52 * roundoff

// errorTotal bounds what turning a product into a number of turns adds, besides
// 2u relative to the result: math.Atan2, for whose core Cephes documents a
// relative error of 1.6u, with its division and its addition of π, has less
// than 8u of at most half a turn; 1/2π and its product have 2u of that.
const errorTotal = 5 * roundoff

// inflate covers the rounding of a bound itself: less than 2^31 positive terms
// were added, each with a relative error below 2^−50.
const inflate = 1 + 0x1p-20

// Lengths whose squares lie in [2^−512, 2^512) have products of three, and
// reciprocals of these, in the normal range. loSquare are the bits of 2^−512;
// the exponent field of q lies in the 1024 values from there on exactly if
// inRange of its bits is below 2^62. NaN and Inf are out of range.
const (
	loSquare  = (1023 - 512) << 52
	rangeBits = 62
)
