package decimal

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"unsafe"
)

// maxDigits is the number of significant digits that always fit a uint64:
// 10^19 − 1 < 2^64 ≤ 10^20 − 1.
const maxDigits = 19

// Parse reads the longest prefix of b that is a decimal floating-point number:
// an optional sign, digits with at most one point among, before or after them,
// and an optional exponent (e or E, optional sign, digits). An exponent without
// digits is not part of the number: of "1e+" Parse reads "1". It also accepts,
// in any case of letters and with an optional sign, "nan", "inf" and "infinity".
//
// It returns the float64 nearest to the number (ties to even), the number n of
// bytes read, and whether there was a number; without one v and n are 0. A number
// too large for float64 gives ±Inf, one too small a subnormal or ±0, all with ok
// true, as strconv.ParseFloat rounds them. No white space is skipped. Parse allocates
// nothing unless the number overflows.
func Parse(b []byte) (v float64, n int, ok bool) { return parse(b, '.') }

// ParseComma is Parse for numbers written with a decimal comma: 1,25 is five
// quarters. A point ends the number. It may also allocate for a number of more
// than 64 bytes.
func ParseComma(b []byte) (v float64, n int, ok bool) { return parse(b, ',') }

// parse reads a number whose fraction begins with sep.
func parse(b []byte, sep byte) (float64, int, bool) {
	i := 0
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		i = 1
	}
	start := i
	m, i := digits(b, i, 0)
	count := i - start
	exp := 0
	if i < len(b) && b[i] == sep {
		var j int
		m, j = digits(b, i+1, m)
		exp = i + 1 - j
		count -= exp
		if count > 0 {
			i = j
		}
	}
	if count == 0 {
		return special(b, start, neg)
	}
	if i+1 < len(b) && b[i]|0x20 == 'e' {
		e, j := exponent(b, i+1)
		exp += e
		i = j
	}
	if count > maxDigits && count-leadingZeros(b[start:i], sep) > maxDigits {
		return slow(b[:i], sep), i, true
	}
	f, ok := scale(m, exp)
	if !ok {
		return slow(b[:i], sep), i, true
	}
	if neg {
		f = -f
	}
	return f, i, true
}

// digits appends the decimal digits at b[i:] to m and returns the place of the
// first byte that is none. m wraps after maxDigits significant digits.
func digits(b []byte, i int, m uint64) (uint64, int) {
	for i+8 <= len(b) {
		v := binary.LittleEndian.Uint64(b[i:]) ^ 0x3030303030303030
		// A byte 0…9 keeps its upper half zero when 6 is added; any other has it
		// set before or after. A carry can only spoil bytes after the first other.
		other := (v | (v + 0x0606060606060606)) & 0xf0f0f0f0f0f0f0f0
		if other == 0 {
			m = m*100000000 + eight(v)
			i += 8
			continue
		}
		k := bits.TrailingZeros64(other) >> 3
		return m*pow10[k] + eight(v<<(64-8*k)), i + k
	}
	for i < len(b) && b[i]-'0' <= 9 {
		m = m*10 + uint64(b[i]-'0')
		i++
	}
	return m, i
}

// eight returns the number whose eight decimal digits are the bytes of v, the
// most significant in the lowest byte: neighbours are joined to numbers of two,
// four and eight digits.
func eight(v uint64) uint64 {
	v = (v * (10<<8 + 1)) >> 8 & 0x00ff00ff00ff00ff
	v = (v * (100<<16 + 1)) >> 16 & 0x0000ffff0000ffff
	return v * (10000<<32 + 1) >> 32
}

// pow10 holds 10^0 … 10^7.
var pow10 = [8]uint64{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000}

// exponentCap bounds an exponent while it is read: with at most maxDigits
// digits before it anything beyond ±400 is an overflow or a zero, and with more
// digits strconv reads the text itself.
const exponentCap = 1 << 24

// exponent reads the exponent at b[i:], after its letter, and returns it with
// the place after it; without digits it returns 0 and the place of the letter.
func exponent(b []byte, i int) (e, end int) {
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

// leadingZeros counts the zeros before the first other digit of b.
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

// slow reads the number b with strconv. b is a valid number, so that the only
// error left is a range error, which comes with the right value.
func slow(b []byte, sep byte) float64 {
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
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(b), len(b)), 64)
	_ = err // overflow: f is ±Inf
	return f
}

// special reads "nan", "inf" or "infinity" at b[i:], i ≤ 1 being the place
// after the sign.
func special(b []byte, i int, neg bool) (float64, int, bool) {
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

// hasFold reports whether b begins with the lower-case letters of word, in any
// case.
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
