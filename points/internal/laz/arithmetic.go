package laz

import (
	"encoding/binary"
	"math/bits"
)

// An arithmeticDecoder restores symbols from bytes. After the last byte it reads zeros.
type arithmeticDecoder struct {
	src           []byte
	pos           int // can exceed len(src)
	value, length uint32
	bad           bool // no encoder produces these bytes
}

// start prepares the decoder to read src.
func (d *arithmeticDecoder) start(src []byte) {
	*d = arithmeticDecoder{src: src, length: maxLength}
	for range 4 {
		d.value = d.value<<8 | d.next()
	}
	// In the output of an encoder, the value is less than the length. The other methods rely on
	// this.
	if d.value == maxLength {
		d.bad, d.value = true, 0
	}
}

func (d *arithmeticDecoder) next() (b uint32) {
	if d.pos < len(d.src) {
		b = uint32(d.src[d.pos])
	}
	d.pos++
	return b
}

// check returns an error if the bytes are not the output of an encoder, or if they have not been
// read exactly to their end.
func (d *arithmeticDecoder) check(name string) error {
	switch {
	case d.bad:
		return damaged("%s: the compressed data contradict themselves", name)
	case d.pos > len(d.src):
		return damaged("%s: the compressed data are cut off after %d bytes", name, len(d.src))
	case d.pos < len(d.src):
		return damaged("%s: %d bytes are compressed, but the points end after %d", name, len(d.src), d.pos)
	}
	return nil
}

// renormalize multiplies the length of the interval by 256 until it is at least minLength.
func (d *arithmeticDecoder) renormalize() {
	// The length has n = 1 to 3 leading zero bytes.
	n := uint(bits.LeadingZeros32(d.length)) >> 3
	d.length <<= 8 * n
	if p := d.pos; p+4 <= len(d.src) {
		w := binary.BigEndian.Uint32(d.src[p:])
		d.value = d.value<<(8*n) | w>>(32-8*n)
		d.pos = p + int(n)
		return
	}
	for ; n > 0; n-- {
		d.value = d.value<<8 | d.next()
	}
}

// symbol decodes a symbol.
func (d *arithmeticDecoder) symbol(m *model) uint32 {
	if m.left == 0 {
		m.start(true)
	}
	q := d.length >> symbolBits
	dv := d.value / q
	s := uint(m.table[dv>>(m.shift&15)])
	dist := m.dist
	low, high := uint32(dist[s]), uint32(dist[s+1])
	for high <= dv {
		s++
		low, high = high, uint32(dist[s+1])
	}
	x := low * q
	end := d.length
	if high != 1<<16-1 {
		end = high * q
	}
	d.value -= x
	d.length = end - x
	if d.length < minLength {
		d.renormalize()
	}
	m.count[s]++
	m.left--
	if m.left == 0 {
		m.update()
	}
	return uint32(s)
}

// bit decodes a bit.
func (d *arithmeticDecoder) bit(m *bitModel) uint32 {
	if m.left == 0 {
		m.start()
	}
	x := m.prob * (d.length >> bitBits)
	b := uint32(0)
	if d.value >= x {
		b = 1
		d.value -= x
		d.length -= x
	} else {
		d.length = x
		m.zeros++
	}
	if d.length < minLength {
		d.renormalize()
	}
	m.left--
	if m.left == 0 {
		m.update()
	}
	return b
}

// raw decodes n ≤ 32 bits without a model.
func (d *arithmeticDecoder) raw(n uint32) uint32 {
	if n > 19 {
		low := d.raw(16)
		return d.raw(n-16)<<16 | low
	}
	d.length >>= n & 31
	s := d.value / d.length
	d.value -= s * d.length
	if d.length < minLength {
		d.renormalize()
	}
	if s>>n != 0 {
		d.bad = true
		s = 0
	}
	return s
}

// raw64 decodes 64 bits without a model.
func (d *arithmeticDecoder) raw64() uint64 {
	low := uint64(d.raw(32))
	return uint64(d.raw(32))<<32 | low
}

// An arithmeticEncoder appends the encoded symbols to out.
type arithmeticEncoder struct {
	out          []byte
	base, length uint32
}

// start makes the encoder append to out.
func (e *arithmeticEncoder) start(out []byte) { *e = arithmeticEncoder{out: out, length: maxLength} }

// add adds x to the base of the interval. A carry propagates into earlier bytes of out.
func (e *arithmeticEncoder) add(x uint32) {
	e.base += x
	if e.base < x {
		i := len(e.out) - 1
		for ; e.out[i] == 0xFF; i-- {
			e.out[i] = 0
		}
		e.out[i]++
	}
}

func (e *arithmeticEncoder) renormalize() {
	for {
		e.out = append(e.out, byte(e.base>>24))
		e.base <<= 8
		e.length <<= 8
		if e.length >= minLength {
			return
		}
	}
}

// finish appends the last bytes. A decoder that has decoded all symbols has then read exactly all
// bytes.
func (e *arithmeticEncoder) finish() {
	zeros := 2
	if e.length > 2*minLength {
		e.add(minLength)
		e.length = minLength >> 1
		zeros = 3
	} else {
		e.add(minLength >> 1)
		e.length = minLength >> 9
	}
	e.renormalize()
	for range zeros {
		e.out = append(e.out, 0)
	}
}

// symbol encodes the symbol s.
func (e *arithmeticEncoder) symbol(m *model, s uint32) {
	if m.left == 0 {
		m.start(false)
	}
	q := e.length >> symbolBits
	x := uint32(m.dist[s]) * q
	if s == m.n-1 {
		e.length -= x
	} else {
		e.length = uint32(m.dist[s+1])*q - x
	}
	e.add(x)
	if e.length < minLength {
		e.renormalize()
	}
	m.count[s]++
	m.left--
	if m.left == 0 {
		m.update()
	}
}

// bit encodes the bit b.
func (e *arithmeticEncoder) bit(m *bitModel, b uint32) {
	if m.left == 0 {
		m.start()
	}
	x := m.prob * (e.length >> bitBits)
	if b == 0 {
		e.length = x
		m.zeros++
	} else {
		e.length -= x
		e.add(x)
	}
	if e.length < minLength {
		e.renormalize()
	}
	m.left--
	if m.left == 0 {
		m.update()
	}
}

// raw encodes the n ≤ 32 bits of b without a model.
func (e *arithmeticEncoder) raw(n, b uint32) {
	if n > 19 {
		e.raw(16, b&0xFFFF)
		n, b = n-16, b>>16
	}
	e.length >>= n
	e.add(b * e.length)
	if e.length < minLength {
		e.renormalize()
	}
}

// raw64 encodes 64 bits without a model.
func (e *arithmeticEncoder) raw64(b uint64) {
	e.raw(32, uint32(b))
	e.raw(32, uint32(b>>32))
}
