// Package decimal parses decimal numbers at the beginning of a byte slice and formats floats. The
// results are exact to the last bit, and parsing does not allocate.
//
// A number of at most 19 significant digits is m·10^e for an integer m. One of three methods
// converts the number to the nearest float64:
//
//   - If m < 10^15 < 2^53 and |e| ≤ 22, m and 10^|e| are float64. The result is their product or quotient,
//     which is rounded once (Clinger, "How to read floating point numbers accurately", 1990).
//   - If |e| ≤ 27, then 5^|e| < 2^64. m·5^e is an exact product of 128 bits, or a quotient of 64
//     bits with a remainder. The result is rounded once. A product with an inverse replaces the
//     quotient unless the quotient is close to a number between two float64.
//   - Otherwise strconv.ParseFloat parses the number.
//
// The parser converts eight digits at once, as the bytes of one uint64.
package decimal

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"unsafe"
)

// maxDigits is the largest number of decimal digits that always fit in a uint64, because
// 10^19 − 1 < 2^64 ≤ 10^20 − 1.
const maxDigits = 19

// Parse parses the longest prefix of b that is a decimal floating-point number. A number has an
// optional sign, digits with at most one decimal point before, between or after them, and an
// optional exponent (e or E, an optional sign, digits). An exponent without digits is not part of
// the number: from "1e+", Parse reads only "1". Parse also accepts "nan", "inf" and "infinity" in
// any letter case, with an optional sign.
//
// Parse returns the float64 v nearest to the number (ties to even), the number n of bytes read, and
// whether there was a number. If there is no number, v and n are 0. As in strconv.ParseFloat, the
// result for a number too large for float64 is ±Inf, and the result for a tiny number is subnormal
// or ±0. Parse does not skip white space. It allocates only if the number overflows.
func Parse(b []byte) (v float64, n int, ok bool) { return parse(b, '.') }

// ParseComma does the same as Parse for numbers with a decimal comma, such as 1,25 for five
// quarters. Unlike Parse, it also allocates for some numbers of more than 64 bytes.
func ParseComma(b []byte) (v float64, n int, ok bool) { return parse(b, ',') }

// parse does the same as Parse for numbers whose decimal sign is sep.
func parse(b []byte, sep byte) (float64, int, bool) {
	i := 0
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		i = 1
	}
	start := i
	m, i := appendDigits(b, i, 0)
	count := i - start
	exp := 0
	if i < len(b) && b[i] == sep {
		var j int
		m, j = appendDigits(b, i+1, m)
		exp = i + 1 - j
		count -= exp
		if count > 0 {
			i = j
		}
	}
	if count == 0 {
		return parseSpecial(b, start, neg)
	}
	if i+1 < len(b) && b[i]|0x20 == 'e' {
		e, j := parseExponent(b, i+1)
		exp += e
		i = j
	}
	if count > maxDigits && count-leadingZeros(b[start:i], sep) > maxDigits {
		return parseSlow(b[:i], sep), i, true
	}
	f, ok := scale(m, exp)
	if !ok {
		return parseSlow(b[:i], sep), i, true
	}
	if neg {
		f = -f
	}
	return f, i, true
}

// appendDigits appends the decimal digits at b[i:] to the decimal digits of m. It returns the new
// m, modulo 2^64, and the index of the first byte that is not a digit.
func appendDigits(b []byte, i int, m uint64) (uint64, int) {
	for i+8 <= len(b) {
		v := binary.LittleEndian.Uint64(b[i:]) ^ 0x3030303030303030
		// A byte of v is 0 … 9 if it was a digit. For a digit, the upper four bits are zero before
		// and after 6 is added. For any other byte, they are nonzero before or after the addition.
		// Only such bytes can carry. A carry changes only later bytes, so the code still finds the
		// first byte that is not a digit.
		other := (v | (v + 0x0606060606060606)) & 0xf0f0f0f0f0f0f0f0
		if other == 0 {
			m = m*100000000 + parseEight(v)
			i += 8
			continue
		}
		k := bits.TrailingZeros64(other) >> 3
		return m*pow10[k] + parseEight(v<<(64-8*k)), i + k
	}
	for i < len(b) && b[i]-'0' <= 9 {
		m = m*10 + uint64(b[i]-'0')
		i++
	}
	return m, i
}

// parseEight returns the number whose eight decimal digits are the bytes of v. The lowest byte is
// the first digit. parseEight combines adjacent bytes into numbers of two, then four, then eight
// digits.
func parseEight(v uint64) uint64 {
	v = (v * (10<<8 + 1)) >> 8 & 0x00ff00ff00ff00ff
	v = (v * (100<<16 + 1)) >> 16 & 0x0000ffff0000ffff
	return v * (10000<<32 + 1) >> 32
}

var pow10 = [8]uint64{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000}

// exponentCap limits the result of parseExponent, to prevent an integer overflow. scale rejects
// such large exponents, and strconv then parses the number.
const exponentCap = 1 << 24

// parseExponent parses the exponent at b[i:], after its letter. It returns the exponent and the
// index after the exponent. If the exponent has no digits, it returns 0 and the index of the
// letter.
func parseExponent(b []byte, i int) (e, end int) {
	letter := i - 1
	neg := false
	if b[i] == '-' || b[i] == '+' {
		neg = b[i] == '-'
		i++
	}
	first := i
	for i < len(b) && b[i]-'0' <= 9 {
		if e < exponentCap {
			e = e*10 + int(b[i]-'0')
		}
		i++
	}
	if i == first {
		return 0, letter
	}
	if neg {
		e = -e
	}
	return e, i
}

// leadingZeros counts the zeros before the first nonzero digit of b.
func leadingZeros(b []byte, sep byte) int {
	n := 0
	for _, c := range b {
		switch c {
		case '0':
			n++
		case sep:
		default:
			return n
		}
	}
	return n
}

// parseSlow parses the number b with strconv. b is a valid number, so the only possible error is
// strconv.ErrRange. ParseFloat returns the right value with this error.
func parseSlow(b []byte, sep byte) float64 {
	var short [64]byte
	if sep != '.' {
		c := append(short[:0], b...)
		for i := range c {
			if c[i] == sep {
				c[i] = '.'
			}
		}
		b = c
	}
	f, _ := strconv.ParseFloat(unsafe.String(unsafe.SliceData(b), len(b)), 64)
	return f
}

// parseSpecial parses "nan", "inf" or "infinity" at b[i:]. neg reports whether b[0] is a minus
// sign.
func parseSpecial(b []byte, i int, neg bool) (float64, int, bool) {
	switch {
	case hasFold(b[i:], "nan"):
		return math.NaN(), i + 3, true
	case hasFold(b[i:], "infinity"):
		i += 8
	case hasFold(b[i:], "inf"):
		i += 3
	default:
		return 0, 0, false
	}
	if neg {
		return math.Inf(-1), i, true
	}
	return math.Inf(1), i, true
}

// hasFold reports whether b begins with word in any letter case. word is in lower case.
func hasFold(b []byte, word string) bool {
	if len(b) < len(word) {
		return false
	}
	for i := range len(word) {
		if b[i]|0x20 != word[i] {
			return false
		}
	}
	return true
}

// ParseInt parses the longest prefix of b that is a decimal integer: an optional sign and digits.
// It returns the value v, the number n of bytes read, and whether there was an integer that fits in
// an int64. If ok is false, v and n are 0. ParseInt does not skip white space and does not
// allocate.
func ParseInt(b []byte) (v int64, n int, ok bool) {
	i := 0
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		i = 1
	}
	first := i
	var m uint64
	for i < len(b) && b[i]-'0' <= 9 {
		// Another digit would make m exceed 2^63. The switch after the loop checks the limit of
		// int64.
		if m > math.MaxInt64/10 {
			return 0, 0, false
		}
		m = m*10 + uint64(b[i]-'0')
		i++
	}
	switch {
	case i == first:
		return 0, 0, false
	case neg && m <= 1<<63:
		return -int64(m), i, true
	case !neg && m <= math.MaxInt64:
		return int64(m), i, true
	}
	return 0, 0, false
}

// Append appends x to dst with the fewest digits that restore x exactly. The size of the float is
// 64 or 32 bits. Append uses an exponent if |x| < 10⁻⁴ or |x| ≥ 10²¹. It writes NaN and infinities
// in the same form as strconv.AppendFloat.
func Append(dst []byte, x float64, bits int) []byte {
	const least, most = 1e-4, 1e21
	format := byte('f')
	if a := math.Abs(x); a != 0 && (a < least || a >= most) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, x, format, -1, bits)
}

// maxFive is the largest k with 5^k < 2^64.
const maxFive = 27

// pow5 has the powers 5^0 … 5^27. exactTen has the powers of ten that are float64: 10^0 … 10^22,
// because 10^22 = 2^22·5^22 and 5^22 < 2^53 < 5^23.
var (
	pow5     [maxFive + 1]uint64
	fives    [maxFive + 1]five
	exactTen = [...]float64{
		1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
	}
)

// five holds a power of 5 that is shifted until its top bit is set, and the number of places. inverse is
// 2^127 − 1 divided by the shifted power, rounded down.
type five struct {
	shifted, inverse uint64
	shift            int
}

func init() {
	p := uint64(1)
	for k := range pow5 {
		pow5[k] = p
		s := bits.LeadingZeros64(p)
		inverse, _ := bits.Div64(math.MaxInt64, math.MaxUint64, p<<s)
		fives[k] = five{p << s, inverse, s}
		p *= 5
	}
}

// The first method converts integers below shortNumber. Numbers that restore a float64 have 15 to 17 digits.
// If the limit were 2^53, the processor would often predict the wrong method for them. // tuning
const shortNumber = 1e15

// scale returns the float64 nearest to m·10^e. If e is outside the range that scale can handle
// exactly, scale returns false and strconv must parse the number.
func scale(m uint64, e int) (float64, bool) {
	if m < shortNumber {
		switch {
		case e < 0 && e >= -22:
			return float64(m) / exactTen[-e], true
		case e >= 0 && e <= 22:
			return float64(m) * exactTen[e], true
		case m == 0:
			return 0, true
		}
	}
	switch {
	case e < 0 && e >= -maxFive:
		return quotient(m, -e), true
	case e >= 0 && e <= maxFive:
		return product(m, e), true
	}
	return 0, false
}

// quotient returns m/10^k, rounded once, for m > 0 and 0 ≤ k ≤ maxFive. It shifts m and 5^k until
// their top bits are set. Let q be the shifted m times 2^63, divided by the shifted 5^k, which has 63
// or 64 bits. The upper 64 bits of the product with the inverse of 5^k are at most q, and greater than
// q − 3. This usually decides how q is rounded, and takes less time than a division.
func quotient(m uint64, k int) float64 {
	p := &fives[k]
	sm := bits.LeadingZeros64(m)
	m <<= sm & 63
	low, _ := bits.Mul64(m, p.inverse)
	short := int(low>>63 ^ 1) // 1 if low has 63 bits
	low <<= short & 1
	e := p.shift - sm - 63 - k
	const drop, half = 11, 1 << 10
	if rest := low & (1<<drop - 1); uint64(half)-rest > 6 {
		// low>>drop has 53 bits. Its top bit increases the exponent by 1, as does a carry.
		return math.Float64frombits(uint64(e-short+drop+1022+52)<<52 + low>>drop + rest/half)
	}
	q, r := bits.Div64(m>>1, m<<63, p.shifted)
	return round(q, r != 0, e)
}

// product returns m·10^k, rounded once, for m > 0 and 0 ≤ k ≤ maxFive. It shifts the product m·5^k
// of 128 bits until the top bit is set, and rounds the upper 64 bits.
func product(m uint64, k int) float64 {
	hi, lo := bits.Mul64(m, pow5[k])
	e := k
	if hi != 0 {
		s := bits.LeadingZeros64(hi)
		hi = hi<<s | lo>>(64-s)
		lo <<= s
		e += 64 - s
	} else {
		s := bits.LeadingZeros64(lo)
		hi, lo = lo<<s, 0
		e -= s
	}
	return round(hi, lo != 0, e)
}

// round rounds a number to the nearest float64, ties to even. If sticky is false, the number is
// q·2^e. If sticky is true, it lies strictly between q·2^e and (q+1)·2^e. q must have at least 54
// bits. The result is a normal number, because 10^−27 ≤ q·2^e < 2^64·10^27.
func round(q uint64, sticky bool, e int) float64 {
	drop := bits.Len64(q) - 53
	m := q >> drop
	rest, half := q&(1<<drop-1), uint64(1)<<(drop-1)
	if rest > half || rest == half && (sticky || m&1 == 1) {
		m++
	}
	return float64(m) * math.Float64frombits(uint64(e+drop+1023)<<52)
}
