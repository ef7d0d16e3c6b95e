package laz

import (
	"encoding/binary"
	"math"
)

// Layers is a set of attributes of the point formats 6 to 10. Decoders always decode x, y, the return
// number, the number of returns and the scanner channel.
type Layers uint32

// The attributes of a Layers.
const (
	LayerZ Layers = 1 << iota
	LayerClass
	LayerFlags // classification flags, scan direction, edge of flight line
	LayerIntensity
	LayerAngle
	LayerUserData
	LayerSource
	LayerTime
	LayerColor // red, green and blue
	LayerInfrared
	LayerWavePacket
	LayerExtraBytes

	AllLayers = 1<<iota - 1
)

// A layer is one of the layers after the first. It codes one attribute of all points of a chunk.
// at, to and mask select the bits of the attribute in a record.
type layer struct {
	attribute
	name   string
	set    Layers
	at, to int
	mask   byte // bits of the bytes that belong to the layer
	extra  int  // number of layers with consecutive bytes: the bytes of BYTE14
}

// A layered is the model of the records of the point formats 6 to 10.
type layered struct {
	channels channels
	layers   []layer
	size     int
	sizes    int // number of layers
	facts    []uint32
}

func newLayered(items []Item) *layered {
	l := &layered{}
	add := func(name string, set Layers, at, size int, a attribute) {
		l.layers = append(l.layers, layer{attribute: a, name: name, set: set, at: at, to: at + size, mask: 0xFF, extra: 1})
	}
	for _, it := range items {
		at, p := l.size, place{version: it.Version}
		switch it.Type {
		case Point14:
			add("z", LayerZ, 8, 4, &heightLayer{})
			add("class", LayerClass, 16, 1, newClassLayer())
			add("flags", LayerFlags, 15, 1, newFlagLayer())
			l.layers[2].mask = 0xCF // the other bits are the scanner channel
			add("intensity", LayerIntensity, 12, 2, &intensityLayer{})
			add("scan angle", LayerAngle, 18, 2, &changeLayer{at: 18, change: factAngle, contexts: 2})
			add("user data", LayerUserData, 17, 1, newUserLayer())
			add("point source", LayerSource, 20, 2, &changeLayer{at: 20, change: factSource, contexts: 1})
			add("GPS time", LayerTime, 22, 8, &timeLayer{})
		case RGB14:
			add("color", LayerColor, at, 6, &colorLayer{at: at, place: p})
		case RGBNIR14:
			add("color", LayerColor, at, 6, &colorLayer{at: at, place: p})
			add("near infrared", LayerInfrared, at+6, 2, &infraredLayer{at: at + 6, place: p})
		case WavePacket14:
			add("wave packet", LayerWavePacket, at, waveSize, &waveLayer{at: at, place: p})
		case Byte14:
			add("extra bytes", LayerExtraBytes, at, 1, &extraLayer{at: at, place: p})
			l.layers[len(l.layers)-1].extra = int(it.Size)
		}
		l.size += int(it.Size)
	}
	l.sizes = 1
	for _, y := range l.layers {
		l.sizes += y.extra
	}
	return l
}

// header returns the number of bytes before the first layer of a chunk: the first record, the number
// of points, and the size of each layer.
func (l *layered) header() int { return l.size + 4 + 4*l.sizes }

// layout returns the number of points of the chunk that begins with head, and its size in bytes. head
// has l.header() bytes.
func (l *layered) layout(head []byte) (points, size int64) {
	points = int64(binary.LittleEndian.Uint32(head[l.size:]))
	size = int64(l.header())
	for b := head[l.size+4:]; len(b) >= 4; b = b[4:] {
		size += int64(binary.LittleEndian.Uint32(b))
	}
	return points, size
}

// newFacts returns the facts of n points. The caller sets them. newFacts reuses the memory of small
// chunks.
func (l *layered) newFacts(n int) []uint32 {
	const keep = 1 << 20 // tuning
	if n > keep {
		return make([]uint32, n)
	}
	if cap(l.facts) < n {
		l.facts = make([]uint32, n)
	}
	return l.facts[:n]
}

// decode decodes the n records of the chunk src.
func (l *layered) decode(dst, src []byte, n int, set Layers) error {
	if len(src) < l.header() {
		return damaged("the chunk has %d bytes: expected at least %d", len(src), l.header())
	}
	points, size := l.layout(src[:l.header()])
	if points != int64(n) {
		return damaged("the chunk has %d points: expected %d", points, n)
	}
	if size > int64(len(src)) {
		return damaged("the layers of the chunk end at byte %d, but the chunk has %d bytes", size, len(src))
	}
	sizes, data := src[l.size+4:l.header()], src[l.header():]
	take := func() (b []byte) {
		k := binary.LittleEndian.Uint32(sizes)
		b, data, sizes = data[:k], data[k:], sizes[4:]
		return b
	}
	copy(dst, src[:l.size])
	repeat(dst, l.size)
	facts := l.newFacts(n - 1)
	var d arithmeticDecoder
	l.channels.reset(dst)
	d.start(take())
	l.channels.decode(&d, dst, l.size, facts)
	if err := d.check("returns, x and y"); err != nil {
		return err
	}
	for _, y := range l.layers {
		for i := range y.extra {
			b := take()
			// A layer without bytes means that all points have the value of the first point.
			if len(b) == 0 || set&y.set == 0 {
				continue
			}
			if e, ok := y.attribute.(*extraLayer); ok {
				e.at = y.at + i
			}
			d.start(b)
			y.decode(&d, dst, l.size, facts)
			if err := d.check(y.name); err != nil {
				return err
			}
		}
	}
	return nil
}

// repeat copies the first record of dst to all other records of dst.
func repeat(dst []byte, size int) {
	for n := size; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// constant reports whether all records have the same bytes at a place.
func constant(rows []byte, size, at, to int, mask byte) bool {
	for k := at; k < to; k++ {
		for i := k + size; i < len(rows); i += size {
			if (rows[i]^rows[k])&mask != 0 {
				return false
			}
		}
	}
	return true
}

// append appends the chunk with the records of rows.
func (l *layered) append(dst, rows []byte) ([]byte, error) {
	n := len(rows) / l.size
	if int64(n) > math.MaxUint32 {
		return nil, unsupported("%d points in a chunk: expected at most %d", n, uint32(math.MaxUint32))
	}
	facts := l.newFacts(n - 1)
	le := binary.LittleEndian
	dst = append(dst, rows[:l.size]...)
	dst = le.AppendUint32(dst, uint32(n))
	at := len(dst)
	dst = append(dst, make([]byte, 4*l.sizes)...)
	var e arithmeticEncoder
	var tooLong error
	finish := func() {
		e.finish()
		k := int64(len(e.out) - len(dst))
		if k > math.MaxUint32 {
			tooLong = unsupported("a layer of %d bytes: expected at most %d", k, uint32(math.MaxUint32))
		}
		dst = e.out
		le.PutUint32(dst[at:], uint32(k))
	}
	l.channels.reset(rows)
	e.start(dst)
	l.channels.encode(&e, rows, l.size, facts)
	finish()
	at += 4
	for _, y := range l.layers {
		for i := range y.extra {
			if extra, ok := y.attribute.(*extraLayer); ok {
				extra.at = y.at + i
			}
			if y.needed(rows, l.size, i) {
				e.start(dst)
				y.encode(&e, rows, l.size, facts)
				finish()
			}
			at += 4
		}
	}
	return dst, tooLong
}

// needed reports whether byte i of a layer must be written. LASzip writes z always, and colors if
// they change or are not gray.
func (y *layer) needed(rows []byte, size, i int) bool {
	if y.set == LayerZ {
		return true
	}
	if y.set == LayerColor && len(rows) > size {
		c := [6]byte(rows[y.at:])
		if c[0] != c[2] || c[0] != c[4] || c[1] != c[3] || c[1] != c[5] {
			return true
		}
	}
	return !constant(rows, size, y.at+i, y.to+i, y.mask)
}
