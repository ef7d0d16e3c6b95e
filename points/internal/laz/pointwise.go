package laz

import "encoding/binary"

// A pointwise is the model of the records of the point formats 0 to 5. Items that the records do not
// have are nil.
type pointwise struct {
	p      *point10
	p1     *point10v1
	time   *timeSequences
	time1  *timeSequence
	color  *colorModel
	color1 *colorModel1
	wave   *waveModel
	bytes  []model
	bytes1 *integer
	size   int
	// Places of the items in a record.
	timeAt, colorAt, waveAt, bytesAt int
}

func newPointwise(items []Item) *pointwise {
	p := &pointwise{}
	for _, it := range items {
		first := it.Version == 1
		switch it.Type {
		case Point10:
			if first {
				p.p1 = newPoint10v1()
			} else {
				p.p = newPoint10()
			}
		case GPSTime11:
			p.timeAt = p.size
			if first {
				p.time1 = newTimeSequence()
			} else {
				p.time = newTimeSequences(false)
			}
		case RGB12:
			p.colorAt = p.size
			if first {
				p.color1 = newColorModel1()
			} else {
				p.color = newColorModel()
			}
		case WavePacket13:
			p.waveAt, p.wave = p.size, newWaveModel()
		case Byte:
			p.bytesAt = p.size
			if first {
				p.bytes1 = newInteger(8, int(it.Size))
			} else {
				p.bytes = models(int(it.Size), 256)
			}
		}
		p.size += int(it.Size)
	}
	return p
}

// reset starts a chunk, whose first record is first.
func (p *pointwise) reset(first []byte) {
	if p.p != nil {
		p.p.reset()
	}
	if p.p1 != nil {
		p.p1.reset()
	}
	if p.time != nil {
		p.time.reset(binary.LittleEndian.Uint64(first[p.timeAt:]))
	}
	if p.time1 != nil {
		p.time1.reset(binary.LittleEndian.Uint64(first[p.timeAt:]))
	}
	if p.color != nil {
		p.color.reset()
	}
	if p.color1 != nil {
		p.color1.reset()
	}
	if p.wave != nil {
		p.wave.reset()
	}
	resetAll(p.bytes)
	if p.bytes1 != nil {
		p.bytes1.reset()
	}
}

// decode fills dst with records after the record last. dst has whole records.
func (p *pointwise) decode(d *arithmeticDecoder, dst, last []byte) {
	for ; len(dst) >= p.size; dst = dst[p.size:] {
		rec := dst[:p.size]
		copy(rec, last)
		last = rec
		if p.p != nil {
			p.p.decode(d, rec)
		} else {
			p.p1.decode(d, rec)
		}
		if p.time != nil {
			binary.LittleEndian.PutUint64(rec[p.timeAt:], p.time.decode(d))
		} else if p.time1 != nil {
			binary.LittleEndian.PutUint64(rec[p.timeAt:], p.time1.decode(d))
		}
		if p.color != nil {
			at := rec[p.colorAt:]
			p.color.decode(d, at, at)
		} else if p.color1 != nil {
			p.color1.decode(d, rec[p.colorAt:])
		}
		if p.wave != nil {
			p.wave.decode(d, rec[p.waveAt:])
		}
		if p.bytes != nil {
			extra := rec[p.bytesAt:]
			for i := range p.bytes {
				extra[i] += byte(d.symbol(&p.bytes[i]))
			}
		} else if p.bytes1 != nil {
			for i := range rec[p.bytesAt:] {
				diff, _ := p.bytes1.decode(d, uint32(i))
				rec[p.bytesAt+i] += byte(diff)
			}
		}
	}
}

// encode encodes the records after the first one of rows.
func (p *pointwise) encode(e *arithmeticEncoder, rows []byte) {
	for ; len(rows) > p.size; rows = rows[p.size:] {
		last, rec := rows[:p.size], rows[p.size:2*p.size]
		if p.p != nil {
			p.p.encode(e, rec, last)
		} else {
			p.p1.encode(e, rec, last)
		}
		if p.time != nil {
			p.time.encode(e, binary.LittleEndian.Uint64(rec[p.timeAt:]))
		} else if p.time1 != nil {
			p.time1.encode(e, binary.LittleEndian.Uint64(rec[p.timeAt:]))
		}
		if p.color != nil {
			p.color.encode(e, [6]byte(rec[p.colorAt:]), [6]byte(last[p.colorAt:]))
		} else if p.color1 != nil {
			p.color1.encode(e, [6]byte(rec[p.colorAt:]), [6]byte(last[p.colorAt:]))
		}
		if p.wave != nil {
			p.wave.encode(e, rec[p.waveAt:], last[p.waveAt:])
		}
		for i := range p.bytes {
			e.symbol(&p.bytes[i], uint32(rec[p.bytesAt+i]-last[p.bytesAt+i]))
		}
		if p.bytes1 != nil {
			for i := range rec[p.bytesAt:] {
				p.bytes1.encode(e, int32(int8(rec[p.bytesAt+i]-last[p.bytesAt+i])), uint32(i))
			}
		}
	}
}
