package decimal

import "math"

// ParseInt reads the longest prefix of b that is a decimal integer: an optional
// sign and digits. It returns the value, the number n of bytes read, and whether
// there was an integer that an int64 holds; otherwise v and n are 0. No white
// space is skipped and nothing is allocated.
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
		// The largest m that may take another digit: 10·m + 9 must not wrap, and
		// anything beyond 2^63 is refused below.
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
