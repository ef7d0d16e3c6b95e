package laz

// A colorModel is the model of red, green and blue of version 2 and later. The symbol changes has bit
// i if byte i of the color changes, and bit 6 if the color is not gray. Bytes 0, 2 and 4 are the low
// bytes of red, green and blue, and bytes 1, 3 and 5 the high bytes.
type colorModel struct {
	changes model
	bytes   [6]model
}

const notGray = 1 << 6

func newColorModel() *colorModel {
	c := &colorModel{changes: model{n: 128}}
	for i := range c.bytes {
		c.bytes[i].n = 256
	}
	return c
}

func (c *colorModel) reset() {
	c.changes.reset()
	resetAll(c.bytes[:])
}

func clamp(x int32) byte { return byte(min(max(x, 0), 255)) }

// predictBlue returns the predicted byte of blue: the last byte plus the mean difference of red and
// green, rounded toward 0.
func predictBlue(red, green int32, last byte) byte { return clamp((red+green)/2 + int32(last)) }

// decode writes the color that follows the color last. rec and last can overlap completely.
func (c *colorModel) decode(d *arithmeticDecoder, rec, last []byte) {
	rec, last = rec[:6], last[:6]
	l := [6]byte(last)
	v := l
	changes := d.symbol(&c.changes)
	if changes&1 != 0 {
		v[0] += byte(d.symbol(&c.bytes[0]))
	}
	if changes&2 != 0 {
		v[1] += byte(d.symbol(&c.bytes[1]))
	}
	if changes&notGray == 0 {
		v[2], v[4] = v[0], v[0]
		v[3], v[5] = v[1], v[1]
		copy(rec, v[:])
		return
	}
	if changes&(4|8|16|32) == 0 {
		copy(rec, v[:])
		return
	}
	// The differences of red are 0 if its bytes do not change.
	low, high := int32(v[0])-int32(l[0]), int32(v[1])-int32(l[1])
	if changes&4 != 0 {
		v[2] = byte(d.symbol(&c.bytes[2])) + clamp(low+int32(l[2]))
	}
	if changes&16 != 0 {
		v[4] = byte(d.symbol(&c.bytes[4])) + predictBlue(low, int32(v[2])-int32(l[2]), l[4])
	}
	if changes&8 != 0 {
		v[3] = byte(d.symbol(&c.bytes[3])) + clamp(high+int32(l[3]))
	}
	if changes&32 != 0 {
		v[5] = byte(d.symbol(&c.bytes[5])) + predictBlue(high, int32(v[3])-int32(l[3]), l[5])
	}
	copy(rec, v[:])
}

// encode encodes the color v that follows the color l. It returns the symbol of the changes.
func (c *colorModel) encode(e *arithmeticEncoder, v, l [6]byte) uint32 {
	changes := uint32(0)
	for i := range v {
		changes |= flag(v[i] != l[i], 1<<i)
	}
	changes |= flag(v[0] != v[2] || v[0] != v[4] || v[1] != v[3] || v[1] != v[5], notGray)
	e.symbol(&c.changes, changes)
	if changes&1 != 0 {
		e.symbol(&c.bytes[0], uint32(v[0]-l[0]))
	}
	if changes&2 != 0 {
		e.symbol(&c.bytes[1], uint32(v[1]-l[1]))
	}
	if changes&notGray == 0 {
		return changes
	}
	low, high := int32(v[0])-int32(l[0]), int32(v[1])-int32(l[1])
	if changes&4 != 0 {
		e.symbol(&c.bytes[2], uint32(v[2]-clamp(low+int32(l[2]))))
	}
	if changes&16 != 0 {
		e.symbol(&c.bytes[4], uint32(v[4]-predictBlue(low, int32(v[2])-int32(l[2]), l[4])))
	}
	if changes&8 != 0 {
		e.symbol(&c.bytes[3], uint32(v[3]-clamp(high+int32(l[3]))))
	}
	if changes&32 != 0 {
		e.symbol(&c.bytes[5], uint32(v[5]-predictBlue(high, int32(v[3])-int32(l[3]), l[5])))
	}
	return changes
}

// A colorModel1 is the model of RGB12 of version 1.
type colorModel1 struct {
	changes model
	bytes   *integer
}

func newColorModel1() *colorModel1 {
	return &colorModel1{changes: model{n: 64}, bytes: newInteger(8, 6)}
}

func (c *colorModel1) reset() {
	c.changes.reset()
	c.bytes.reset()
}

// decode replaces the last color in rec with the next one.
func (c *colorModel1) decode(d *arithmeticDecoder, rec []byte) {
	changes := d.symbol(&c.changes)
	for i := range rec[:6] {
		if changes>>i&1 != 0 {
			diff, _ := c.bytes.decode(d, uint32(i))
			rec[i] += byte(diff)
		}
	}
}

func (c *colorModel1) encode(e *arithmeticEncoder, v, l [6]byte) {
	changes := uint32(0)
	for i := range v {
		changes |= flag(v[i] != l[i], 1<<i)
	}
	e.symbol(&c.changes, changes)
	for i := range v {
		if v[i] != l[i] {
			c.bytes.encode(e, int32(int8(v[i]-l[i])), uint32(i))
		}
	}
}

// An infraredModel is the model of the near infrared of RGBNIR14.
type infraredModel struct {
	changes model
	bytes   [2]model
}

func newInfraredModel() *infraredModel {
	return &infraredModel{changes: model{n: 4}, bytes: [2]model{{n: 256}, {n: 256}}}
}

func (c *infraredModel) decode(d *arithmeticDecoder, v [2]byte) [2]byte {
	changes := d.symbol(&c.changes)
	if changes&1 != 0 {
		v[0] += byte(d.symbol(&c.bytes[0]))
	}
	if changes&2 != 0 {
		v[1] += byte(d.symbol(&c.bytes[1]))
	}
	return v
}

func (c *infraredModel) encode(e *arithmeticEncoder, v, l [2]byte) {
	e.symbol(&c.changes, flag(v[0] != l[0], 1)|flag(v[1] != l[1], 2))
	for i := range v {
		if v[i] != l[i] {
			e.symbol(&c.bytes[i], uint32(v[i]-l[i]))
		}
	}
}

func (c *infraredModel) reset() {
	c.changes.reset()
	resetAll(c.bytes[:])
}
