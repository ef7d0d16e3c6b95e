package laz

import "encoding/binary"

// An attribute is a layer of POINT14 after the first one. decode and encode process all records of
// the chunk except the first; rows includes the first.
type attribute interface {
	decode(d *arithmeticDecoder, rows []byte, size int, facts []uint32)
	encode(e *arithmeticEncoder, rows []byte, size int, facts []uint32)
}

// A heightLayer is the model of z.
type heightLayer [4]struct {
	z    *integer
	last [8]int32
}

func (h *heightLayer) begin(c uint32, z int32) {
	if h[c].z == nil {
		h[c].z = newInteger(32, 20)
	}
	h[c].z.reset()
	for i := range h[c].last {
		h[c].last[i] = z
	}
}

func (h *heightLayer) decode(d *arithmeticDecoder, rows []byte, size int, facts []uint32) {
	le := binary.LittleEndian
	h.begin(uint32(rows[15]>>4&3), int32(le.Uint32(rows[8:])))
	for _, f := range facts {
		c := f & factChannel
		if f&factNew != 0 {
			h.begin(c, int32(le.Uint32(rows[8:])))
		}
		rows = rows[size:]
		last := &h[c].last[f>>factLevel&7]
		diff, _ := h[c].z.decode(d, f>>factZ&31)
		*last += diff
		le.PutUint32(rows[8:], uint32(*last))
	}
}

func (h *heightLayer) encode(e *arithmeticEncoder, rows []byte, size int, facts []uint32) {
	le := binary.LittleEndian
	h.begin(uint32(rows[15]>>4&3), int32(le.Uint32(rows[8:])))
	for _, f := range facts {
		c := f & factChannel
		if f&factNew != 0 {
			h.begin(c, int32(le.Uint32(rows[8:])))
		}
		rows = rows[size:]
		last := &h[c].last[f>>factLevel&7]
		z := int32(le.Uint32(rows[8:]))
		h[c].z.encode(e, z-*last, f>>factZ&31)
		*last = z
	}
}

// A byteLayer is the model of the class, the flags or the user data.
type byteLayer struct {
	read    func(rec []byte) byte
	write   func(rec []byte, v byte)
	context func(last byte, f uint32) uint32 // at most 63
	n       uint32                           // number of symbols
	models  [4][]model                       // models by channel, then by context
	last    [4]byte
}

func (b *byteLayer) begin(c uint32, v byte) {
	if b.models[c] == nil {
		b.models[c] = models(64, b.n)
	}
	resetAll(b.models[c])
	b.last[c] = v
}

func (b *byteLayer) decode(d *arithmeticDecoder, rows []byte, size int, facts []uint32) {
	b.begin(uint32(rows[15]>>4&3), b.read(rows))
	for _, f := range facts {
		c := f & factChannel
		if f&factNew != 0 {
			b.begin(c, b.read(rows))
		}
		rows = rows[size:]
		v := byte(d.symbol(&b.models[c][b.context(b.last[c], f)]))
		b.last[c] = v
		b.write(rows, v)
	}
}

func (b *byteLayer) encode(e *arithmeticEncoder, rows []byte, size int, facts []uint32) {
	b.begin(uint32(rows[15]>>4&3), b.read(rows))
	for _, f := range facts {
		c := f & factChannel
		if f&factNew != 0 {
			b.begin(c, b.read(rows))
		}
		rows = rows[size:]
		v := b.read(rows)
		e.symbol(&b.models[c][b.context(b.last[c], f)], uint32(v))
		b.last[c] = v
	}
}

func newClassLayer() *byteLayer {
	return &byteLayer{
		n:     256,
		read:  func(rec []byte) byte { return rec[16] },
		write: func(rec []byte, v byte) { rec[16] = v },
		context: func(last byte, f uint32) uint32 {
			return uint32(last&31)<<1 | flag(f>>factReturn&3 == 3, 1)
		},
	}
}

func newFlagLayer() *byteLayer {
	return &byteLayer{
		n:       64,
		read:    func(rec []byte) byte { return rec[15]&15 | rec[15]>>6<<4 },
		write:   func(rec []byte, v byte) { rec[15] = rec[15]&0x30 | v&15 | v>>4<<6 },
		context: func(last byte, _ uint32) uint32 { return uint32(last) },
	}
}

func newUserLayer() *byteLayer {
	return &byteLayer{
		n:       256,
		read:    func(rec []byte) byte { return rec[17] },
		write:   func(rec []byte, v byte) { rec[17] = v },
		context: func(last byte, _ uint32) uint32 { return uint32(last >> 2) },
	}
}

// An intensityLayer is the model of the intensity.
type intensityLayer [4]struct {
	value *integer
	last  [8]uint16
}

func (l *intensityLayer) begin(c uint32, v uint16) {
	if l[c].value == nil {
		l[c].value = newInteger(16, 4)
	}
	l[c].value.reset()
	for i := range l[c].last {
		l[c].last[i] = v
	}
}

func (l *intensityLayer) decode(d *arithmeticDecoder, rows []byte, size int, facts []uint32) {
	le := binary.LittleEndian
	l.begin(uint32(rows[15]>>4&3), le.Uint16(rows[12:]))
	for _, f := range facts {
		c := f & factChannel
		if f&factNew != 0 {
			l.begin(c, le.Uint16(rows[12:]))
		}
		rows = rows[size:]
		kind := f >> factReturn & 3
		last := &l[c].last[kind<<1|f/factTime&1]
		diff, _ := l[c].value.decode(d, kind)
		*last += uint16(diff)
		le.PutUint16(rows[12:], *last)
	}
}

func (l *intensityLayer) encode(e *arithmeticEncoder, rows []byte, size int, facts []uint32) {
	le := binary.LittleEndian
	l.begin(uint32(rows[15]>>4&3), le.Uint16(rows[12:]))
	for _, f := range facts {
		c := f & factChannel
		if f&factNew != 0 {
			l.begin(c, le.Uint16(rows[12:]))
		}
		rows = rows[size:]
		kind := f >> factReturn & 3
		last := &l[c].last[kind<<1|f/factTime&1]
		v := le.Uint16(rows[12:])
		l[c].value.encode(e, int32(int16(v-*last)), kind)
		*last = v
	}
}

// A changeLayer is the model of the scan angle or of the point source. If the facts of a point lack
// the bit change, the point has the last value of its channel.
type changeLayer struct {
	at       int // place in a record
	change   uint32
	contexts int // 2 if there is a context for points with a new time
	value    [4]*integer
	last     [4]uint16
}

func (l *changeLayer) begin(c uint32, v uint16) {
	if l.value[c] == nil {
		l.value[c] = newInteger(16, l.contexts)
	}
	l.value[c].reset()
	l.last[c] = v
}

func (l *changeLayer) context(f uint32) uint32 { return f / factTime & uint32(l.contexts-1) }

func (l *changeLayer) decode(d *arithmeticDecoder, rows []byte, size int, facts []uint32) {
	le := binary.LittleEndian
	l.begin(uint32(rows[15]>>4&3), le.Uint16(rows[l.at:]))
	for _, f := range facts {
		c := f & factChannel
		if f&factNew != 0 {
			l.begin(c, le.Uint16(rows[l.at:]))
		}
		rows = rows[size:]
		if f&l.change != 0 {
			diff, _ := l.value[c].decode(d, l.context(f))
			l.last[c] += uint16(diff)
		}
		le.PutUint16(rows[l.at:], l.last[c])
	}
}

func (l *changeLayer) encode(e *arithmeticEncoder, rows []byte, size int, facts []uint32) {
	le := binary.LittleEndian
	l.begin(uint32(rows[15]>>4&3), le.Uint16(rows[l.at:]))
	for _, f := range facts {
		c := f & factChannel
		if f&factNew != 0 {
			l.begin(c, le.Uint16(rows[l.at:]))
		}
		rows = rows[size:]
		if f&l.change != 0 {
			v := le.Uint16(rows[l.at:])
			l.value[c].encode(e, int32(int16(v-l.last[c])), l.context(f))
			l.last[c] = v
		}
	}
}

// A timeLayer is the model of the GPS time.
type timeLayer struct {
	sequences [4]*timeSequences
	last      [4]uint64
}

func (l *timeLayer) begin(c uint32, t uint64) {
	if l.sequences[c] == nil {
		l.sequences[c] = newTimeSequences(true)
	}
	l.sequences[c].reset(t)
	l.last[c] = t
}

func (l *timeLayer) decode(d *arithmeticDecoder, rows []byte, size int, facts []uint32) {
	le := binary.LittleEndian
	l.begin(uint32(rows[15]>>4&3), le.Uint64(rows[22:]))
	for _, f := range facts {
		c := f & factChannel
		if f&factNew != 0 {
			l.begin(c, le.Uint64(rows[22:]))
		}
		rows = rows[size:]
		if f&factTime != 0 {
			l.last[c] = l.sequences[c].decode(d)
		}
		le.PutUint64(rows[22:], l.last[c])
	}
}

func (l *timeLayer) encode(e *arithmeticEncoder, rows []byte, size int, facts []uint32) {
	le := binary.LittleEndian
	l.begin(uint32(rows[15]>>4&3), le.Uint64(rows[22:]))
	for _, f := range facts {
		c := f & factChannel
		if f&factNew != 0 {
			l.begin(c, le.Uint64(rows[22:]))
		}
		rows = rows[size:]
		if f&factTime != 0 {
			l.sequences[c].encode(e, le.Uint64(rows[22:]))
		}
	}
}
