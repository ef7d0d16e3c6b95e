package decimal

import (
	"math"
	"strconv"
)

// Append appends the shortest digits that give x back as a float of that many bits, 64
// or 32: plain where people expect it, with an exponent below 10^−6 and from 10^21 on, as
// ECMAScript and encoding/json draw the line. NaN and infinities are as strconv has them.
func Append(dst []byte, x float64, bits int) []byte {
	const least, most = 1e-4, 1e21
	format := byte('f')
	if a := math.Abs(x); a != 0 && (a < least || a >= most) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, x, format, -1, bits)
}
