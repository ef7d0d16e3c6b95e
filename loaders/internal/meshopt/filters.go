package meshopt

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// apply applies the filter to the decoded elements (appendix B). The specification defines the
// results of the filters OCTAHEDRAL, QUATERNION and COLOR up to one unit in the last place. apply
// computes them in float64 and rounds once. The filter EXPONENTIAL is exact.
func (f Filter) apply(data []byte, stride int, done func() error) error {
	var each func(e []byte) bool
	size := stride // number of bytes that one call of each decodes
	switch {
	case f == None:
		return nil
	case f == Octahedral && stride == 4:
		each = octahedral8
	case f == Octahedral:
		each = octahedral16
	case f == Quaternion:
		each = quaternion
	case f == Exponential:
		each, size = exponential, 4
	case stride == 4:
		each = color8
	default:
		each = color16
	}
	for i := 0; i < len(data); i += size {
		if i%checkEvery == 0 {
			if err := done(); err != nil {
				return err
			}
		}
		if !each(data[i : i+size]) {
			return soup.Reason(soup.ErrSyntax, "element %d is not valid for the filter %s", i/stride, filterNames[f])
		}
	}
	return nil
}

// isOne reports whether one is 2^(k−1) − 1 for some k from least to 16. An element stores this
// integer, which represents 1.
func isOne(one int, least int) bool {
	return one >= 1<<(least-1)-1 && one&(one+1) == 0
}

// unit returns the unit vector with the octahedral coordinates x and y, scaled by largest. ok is false
// if x, y or one is out of range.
func unit(x, y, one int, largest float64) (v [3]int, ok bool) {
	if !isOne(one, 2) || max(x, -x, y, -y) > one {
		return v, false
	}
	u, w := float64(x)/float64(one), float64(y)/float64(one)
	z := 1 - math.Abs(u) - math.Abs(w)
	fold := min(z, 0)
	u -= math.Copysign(fold, u)
	w -= math.Copysign(fold, w)
	length := math.Sqrt(float64(u*u) + float64(w*w) + float64(z*z)) // at least 1/√3
	for k, c := range [3]float64{u, w, z} {
		v[k] = int(math.Round(c / length * largest))
	}
	return v, true
}

// octahedral8 decodes a vector of three signed bytes. The fourth byte does not change.
func octahedral8(e []byte) bool {
	v, ok := unit(int(int8(e[0])), int(int8(e[1])), int(int8(e[2])), math.MaxInt8)
	e[0], e[1], e[2] = byte(v[0]), byte(v[1]), byte(v[2])
	return ok
}

// octahedral16 decodes a vector of three signed integers of 16 bits. The fourth does not change.
func octahedral16(e []byte) bool {
	v, ok := unit(short(e, 0), short(e, 1), short(e, 2), math.MaxInt16)
	putShorts(e, v[:])
	return ok
}

// short returns the signed integer k of 16 bits.
func short(e []byte, k int) int { return int(int16(binary.LittleEndian.Uint16(e[2*k:]))) }

func putShorts(e []byte, values []int) {
	for k, v := range values {
		binary.LittleEndian.PutUint16(e[2*k:], uint16(v))
	}
}

// quaternion decodes a unit quaternion of four signed integers of 16 bits. The element stores all
// components except the largest one, in units of 1/√2. The lowest two bits of the fourth integer are
// the number of the largest component.
func quaternion(e []byte) bool {
	one, largest := short(e, 3)|3, short(e, 3)&3
	if !isOne(one, 4) {
		return false
	}
	var q [4]int
	rest := 1.0 // square of the largest component
	for k := range 3 {
		c := short(e, k)
		if max(c, -c) > one {
			return false
		}
		x := float64(c) / float64(one) * (1 / math.Sqrt2)
		rest -= float64(x * x)
		q[(largest+1+k)%4] = int(math.Round(x * math.MaxInt16))
	}
	q[largest] = int(math.Round(math.Sqrt(max(0, rest)) * math.MaxInt16))
	putShorts(e, q[:])
	return true
}

// leastExponent is the lowest exponent of a power of 2 that is a normal float32 number. The
// specification calls exponents beyond ±100 unspecified, but meshoptimizer writes exponents down to
// −123 for small numbers. Down to leastExponent, the product is exact, and decoders agree.
const leastExponent = -126

// exponential decodes the float32 number m·2^e. The element has e in its highest 8 bits and m in its
// lowest 24 bits, both signed. If the product is too large, the result is infinite.
func exponential(b []byte) bool {
	v := binary.LittleEndian.Uint32(b)
	e, m := int(int8(v>>24)), int32(v<<8)>>8
	binary.LittleEndian.PutUint32(b, math.Float32bits(float32(math.Ldexp(float64(m), e))))
	return e >= leastExponent
}

// rgba decodes a color from luma, two chroma values and alpha. The highest bit of alpha gives the
// number of bits. ok is false if a component of the color is out of range.
func rgba(y, co, cg, alpha int, largest float64) (v [4]int, ok bool) {
	most := 1<<bits.Len(uint(alpha)) - 1 // the integer that represents 1
	if most < 3 {
		return v, false
	}
	a := alpha & (most >> 1)
	for k, c := range [4]int{y + co - cg, y + cg, y - co - cg, a<<1 | a&1} {
		if c < 0 || c > most {
			return v, false
		}
		v[k] = int(math.Round(float64(c) / float64(most) * largest))
	}
	return v, true
}

// color8 decodes a color of four bytes.
func color8(e []byte) bool {
	v, ok := rgba(int(e[0]), int(int8(e[1])), int(int8(e[2])), int(e[3]), math.MaxUint8)
	e[0], e[1], e[2], e[3] = byte(v[0]), byte(v[1]), byte(v[2]), byte(v[3])
	return ok
}

// color16 decodes a color of four integers of 16 bits.
func color16(e []byte) bool {
	unsigned := func(k int) int { return int(binary.LittleEndian.Uint16(e[2*k:])) }
	v, ok := rgba(unsigned(0), short(e, 1), short(e, 2), unsigned(3), math.MaxUint16)
	putShorts(e, v[:])
	return ok
}
