package laz

// A place says which context codes an item and from which item the item is predicted. In version 4,
// both are given by the scanner channel of the point: its context, and the last item of the channel.
//
// Version 3 differs, as LASzip 3 does, and files with several channels depend on it. If a point has
// the same channel as the point before, its context is 0, whatever the channel is. If an item enters
// a context that was used before, it is predicted from the last item of the previous context, and
// then replaces that last item.
type place struct {
	version uint16
	context uint32 // context of the models
	last    uint32 // context whose last item predicts the next item
	used    [4]bool
}

// begin starts a chunk, whose first record is first.
func (p *place) begin(first []byte) {
	c := uint32(first[15] >> 4 & 3)
	*p = place{version: p.version, context: c, last: c}
	p.used[c] = true
}

// next moves to the place of the next item. It returns true if the context is new. from is then the
// context whose last item initializes the new context.
func (p *place) next(f uint32) (isNew bool, from uint32) {
	c := f & factChannel
	if p.version < 4 && f&factSwitched == 0 {
		c = 0
	}
	p.last = p.context
	if c == p.context {
		return false, c
	}
	from, p.context = p.context, c
	if !p.used[c] {
		p.used[c], p.last = true, c
		return true, from
	}
	if p.version >= 4 {
		p.last = c
	}
	return false, from
}

// A colorLayer is the model of the color of RGB14 and RGBNIR14.
type colorLayer struct {
	at     int
	place  place
	models [4]*colorModel
	last   [4][6]byte
}

func (l *colorLayer) begin(c uint32, v [6]byte) {
	if l.models[c] == nil {
		l.models[c] = newColorModel()
	}
	l.models[c].reset()
	l.last[c] = v
}

func (l *colorLayer) decode(d *arithmeticDecoder, rows []byte, size int, facts []uint32) {
	l.place.begin(rows)
	l.begin(l.place.context, [6]byte(rows[l.at:]))
	for _, f := range facts {
		rows = rows[size:]
		if isNew, from := l.place.next(f); isNew {
			l.begin(l.place.context, l.last[from])
		}
		rec, last := rows[l.at:l.at+6], &l.last[l.place.last]
		l.models[l.place.context].decode(d, rec, last[:])
		*last = [6]byte(rec)
	}
}

func (l *colorLayer) encode(e *arithmeticEncoder, rows []byte, size int, facts []uint32) {
	l.place.begin(rows)
	l.begin(l.place.context, [6]byte(rows[l.at:]))
	for _, f := range facts {
		rows = rows[size:]
		if isNew, from := l.place.next(f); isNew {
			l.begin(l.place.context, l.last[from])
		}
		v, last := [6]byte(rows[l.at:]), &l.last[l.place.last]
		l.models[l.place.context].encode(e, v, *last)
		*last = v
	}
}

// An infraredLayer is the model of the near infrared of RGBNIR14.
type infraredLayer struct {
	at     int
	place  place
	models [4]*infraredModel
	last   [4][2]byte
}

func (l *infraredLayer) begin(c uint32, v [2]byte) {
	if l.models[c] == nil {
		l.models[c] = newInfraredModel()
	}
	l.models[c].reset()
	l.last[c] = v
}

func (l *infraredLayer) decode(d *arithmeticDecoder, rows []byte, size int, facts []uint32) {
	l.place.begin(rows)
	l.begin(l.place.context, [2]byte(rows[l.at:]))
	for _, f := range facts {
		rows = rows[size:]
		if isNew, from := l.place.next(f); isNew {
			l.begin(l.place.context, l.last[from])
		}
		last := &l.last[l.place.last]
		*last = l.models[l.place.context].decode(d, *last)
		copy(rows[l.at:], last[:])
	}
}

func (l *infraredLayer) encode(e *arithmeticEncoder, rows []byte, size int, facts []uint32) {
	l.place.begin(rows)
	l.begin(l.place.context, [2]byte(rows[l.at:]))
	for _, f := range facts {
		rows = rows[size:]
		if isNew, from := l.place.next(f); isNew {
			l.begin(l.place.context, l.last[from])
		}
		v, last := [2]byte(rows[l.at:]), &l.last[l.place.last]
		l.models[l.place.context].encode(e, v, *last)
		*last = v
	}
}

// A waveLayer is the model of WAVEPACKET14.
type waveLayer struct {
	at     int
	place  place
	models [4]*waveModel
	last   [4][waveSize]byte
}

func (l *waveLayer) begin(c uint32, v [waveSize]byte) {
	if l.models[c] == nil {
		l.models[c] = newWaveModel()
	}
	l.models[c].reset()
	l.last[c] = v
}

func (l *waveLayer) decode(d *arithmeticDecoder, rows []byte, size int, facts []uint32) {
	l.place.begin(rows)
	l.begin(l.place.context, [waveSize]byte(rows[l.at:]))
	for _, f := range facts {
		rows = rows[size:]
		if isNew, from := l.place.next(f); isNew {
			l.begin(l.place.context, l.last[from])
		}
		last := &l.last[l.place.last]
		l.models[l.place.context].decode(d, last[:])
		copy(rows[l.at:], last[:])
	}
}

func (l *waveLayer) encode(e *arithmeticEncoder, rows []byte, size int, facts []uint32) {
	l.place.begin(rows)
	l.begin(l.place.context, [waveSize]byte(rows[l.at:]))
	for _, f := range facts {
		rows = rows[size:]
		if isNew, from := l.place.next(f); isNew {
			l.begin(l.place.context, l.last[from])
		}
		last := &l.last[l.place.last]
		l.models[l.place.context].encode(e, rows[l.at:], last[:])
		copy(last[:], rows[l.at:])
	}
}

// An extraLayer is the model of a byte of BYTE14. All bytes of an item use one extraLayer, in turn.
type extraLayer struct {
	at     int
	place  place
	models [4]model
	last   [4]byte
}

func (l *extraLayer) begin(c uint32, v byte) {
	l.models[c].n = 256
	l.models[c].reset()
	l.last[c] = v
}

func (l *extraLayer) decode(d *arithmeticDecoder, rows []byte, size int, facts []uint32) {
	l.place.begin(rows)
	l.begin(l.place.context, rows[l.at])
	for _, f := range facts {
		rows = rows[size:]
		if isNew, from := l.place.next(f); isNew {
			l.begin(l.place.context, l.last[from])
		}
		last := &l.last[l.place.last&3]
		*last += byte(d.symbol(&l.models[l.place.context&3]))
		rows[l.at] = *last
	}
}

func (l *extraLayer) encode(e *arithmeticEncoder, rows []byte, size int, facts []uint32) {
	l.place.begin(rows)
	l.begin(l.place.context, rows[l.at])
	for _, f := range facts {
		rows = rows[size:]
		if isNew, from := l.place.next(f); isNew {
			l.begin(l.place.context, l.last[from])
		}
		last := &l.last[l.place.last&3]
		e.symbol(&l.models[l.place.context&3], uint32(rows[l.at]-*last))
		*last = rows[l.at]
	}
}
