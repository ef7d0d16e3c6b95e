package laz

import (
	"math"
	"math/bits"
)

// An integer is an adaptive model of differences between predicted and real values of 8, 16 or 32
// bits. For a difference d, let k be the smallest number with 1-2ᵏ ≤ d ≤ 2ᵏ. The coder first encodes
// k in a context, and then the place of d in this interval: the 8 most significant bits with a model
// for k, the other bits without a model. All sums are modulo 2⁸, 2¹⁶ or 2³²: the caller truncates
// them.
type integer struct {
	width  uint32
	kinds  []model // models of k, for each context
	places []model // models of the place, for each k ≥ 1
	first  bitModel
}

// highBits is the number of bits of a place that are coded with a model.
const highBits = 8

func newInteger(width uint32, contexts int) *integer {
	c := &integer{width: width, kinds: models(contexts, width+1), places: make([]model, width+1)}
	for k := range c.places {
		c.places[k].n = 1 << min(k, highBits)
	}
	return c
}

func (c *integer) reset() {
	resetAll(c.kinds)
	resetAll(c.places)
	c.first.reset()
}

// decode returns the next difference and its k.
func (c *integer) decode(d *arithmeticDecoder, context uint32) (int32, uint32) {
	k := d.symbol(&c.kinds[context])
	if k == 0 {
		return int32(d.bit(&c.first)), 0
	}
	if k == 32 {
		return math.MinInt32, 32
	}
	v := d.symbol(&c.places[k])
	if k > highBits {
		low := k - highBits
		v = v<<(low&31) | d.raw(low)
	}
	if v >= 1<<((k-1)&31) {
		return int32(v + 1), k
	}
	return int32(v - (1<<(k&31) - 1)), k
}

// encode encodes the difference diff and returns its k. diff is sign-extended from the width.
func (c *integer) encode(e *arithmeticEncoder, diff int32, context uint32) uint32 {
	size := uint32(-diff)
	if diff > 0 {
		size = uint32(diff - 1)
	}
	k := uint32(bits.Len32(size))
	e.symbol(&c.kinds[context], k)
	switch {
	case k == 0:
		e.bit(&c.first, uint32(diff))
		return 0
	case k == 32:
		return 32
	}
	v := uint32(diff - 1)
	if diff < 0 {
		v = uint32(diff) + 1<<k - 1
	}
	if k <= highBits {
		e.symbol(&c.places[k], v)
		return k
	}
	low := k - highBits
	e.symbol(&c.places[k], v>>low)
	e.raw(low, v&(1<<low-1))
	return k
}

// A median is the running median of about the last 5 values, as LASzip computes it: new values
// replace the largest and the smallest stored value by turns.
type median struct {
	v   [5]int32 // sorted
	low bool     // the next value replaces the smallest value
}

func (m *median) add(x int32) {
	a, b, c, d, e := m.v[0], m.v[1], m.v[2], m.v[3], m.v[4]
	if m.low {
		m.low = x > c
		m.v = [5]int32{min(b, x), max(b, min(c, x)), max(c, min(d, x)), max(d, min(e, x)), max(e, x)}
		return
	}
	m.low = x >= c
	m.v = [5]int32{min(a, x), max(a, min(b, x)), max(b, min(c, x)), max(c, min(d, x)), max(d, x)}
}
