package bem

// docs/design/016-error-bounds.md and docs/design/019-rounding.md derive the constants of this file.

// roundoff, also called u, is the largest relative error of one rounding. It is half the distance
// from 1 to the next float64.
const roundoff = 0x1p-53

// errorZ bounds the error of a computed z = den + i·det in units of roundoff·s, where s is the
// product of the three corner distances. Distances must be in [2^−256, 2^256).
const errorZ = 52

// errorZBig is errorZ for big.Float arithmetic, where a square root has an error of two roundoffs.
const errorZBig = 58

// errorTurns·s/|z|₁ bounds the error of the argument of z = den + i·det in turns. s is the product
// of the three corner distances, and |z|₁ = |den| + |det|. The bound requires |z|₁ > minNorm·s. If
// den > minNorm·s, the true den is certainly positive.
const (
	turnsPerCond = 0.2358 // > √2/6
	errorTurns   = turnsPerCond * errorZ * roundoff
	minNorm      = 2.8285 * errorZ * roundoff // 2.8285 > 2√2
)

// errorFactor bounds the error, in turns, of scaling one factor and multiplying the product by it.
// It uses the bound of Brent, Percival, Zimmermann, "Error bounds on complex floating-point
// multiplication", 2007.
const errorFactor = 0.52 * roundoff

// errorTotal bounds the error, in turns, of converting a product to turns. The result itself has an
// error of two roundoffs, which accumulator.total adds (019-rounding.md, section 9).
const errorTotal = 5 * roundoff

// inflate covers the rounding errors in the computation of a bound. A bound is a sum of less than
// 2^31 positive terms, each with a relative error below 2^−50.
const inflate = 1 + 0x1p-20

// The fast kernels accept corners whose squared distances q are in [2^−512, 2^512). Products of
// three such distances, and the reciprocals of these products, are normal numbers.
//
// loSquare is the bit pattern of 2^−512. The range has 1024 exponents. So q is in the range exactly
// if its bit pattern minus loSquare is below 2^rangeBits. NaN and Inf are outside the range.
const (
	loSquare  = (1023 - 512) << 52
	rangeBits = 62
)

// maxPoint limits the scaled coordinates of a point in the kernels. minSquare is the lower limit of
// the squared distances. So squared distances are in [2^−120, 2^124), and float32 represents their
// reciprocal square roots. A product of three of these roots is a normal float64. In a sum, a term
// that underflows is less than 2^−500 times the sum.
const (
	maxPoint  = 0x1p60
	minSquare = 0x1p-120
)

// errorPanel·limit/(|B||C|) bounds the error of a factor in the kernels, in turns. |B| and |C| are
// the distances of two corners from the point. limit is in the row rowLimit of a block. The bound
// holds under two conditions, which the kernels check: den ≥ ½, and no corner is nearer to the
// point than 1/√8 of the longest edge.
const errorPanel = 4139 * inflate * roundoff
