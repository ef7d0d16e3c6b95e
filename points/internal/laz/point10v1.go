package laz

import "encoding/binary"

// Bits of the changes in POINT10 version 1 that differ from version 2.
const (
	intensityChanges1 = 32
	returnsChange1    = 16
)

// A point10v1 is the model of POINT10, version 1. It predicts differences of x and y by the median of
// the last 3 differences.
type point10v1 struct {
	changes                             model
	dx, dy, z, intensity, angle, source *integer
	returns, classes, users             []model // models by the last value
	xs, ys                              [3]int32
	next                                int // place of the next difference in xs and ys
}

func newPoint10v1() *point10v1 {
	return &point10v1{
		changes: model{n: 64},
		dx:      newInteger(32, 1), dy: newInteger(32, 20), z: newInteger(32, 20),
		intensity: newInteger(16, 1), angle: newInteger(8, 2), source: newInteger(16, 1),
		returns: models(256, 256), classes: models(256, 256), users: models(256, 256),
	}
}

func (p *point10v1) reset() {
	p.changes.reset()
	for _, c := range []*integer{p.dx, p.dy, p.z, p.intensity, p.angle, p.source} {
		c.reset()
	}
	for _, m := range [][]model{p.returns, p.classes, p.users} {
		resetAll(m)
	}
	p.xs, p.ys, p.next = [3]int32{}, [3]int32{}, 0
}

func median3(v [3]int32) int32 {
	return max(min(v[0], v[1]), min(max(v[0], v[1]), v[2]))
}

func (p *point10v1) record(x, y int32) {
	p.xs[p.next], p.ys[p.next] = x, y
	p.next = (p.next + 1) % 3
}

// decode replaces the last record in rec with the next one.
func (p *point10v1) decode(d *arithmeticDecoder, rec []byte) {
	rec = rec[:20]
	le := binary.LittleEndian
	x, k := p.dx.decode(d, 0)
	x += median3(p.xs)
	le.PutUint32(rec, le.Uint32(rec)+uint32(x))
	y, ky := p.dy.decode(d, min(k, 19))
	y += median3(p.ys)
	le.PutUint32(rec[4:], le.Uint32(rec[4:])+uint32(y))
	k = (k + ky) / 2
	z, _ := p.z.decode(d, min(k, 19))
	le.PutUint32(rec[8:], le.Uint32(rec[8:])+uint32(z))
	p.record(x, y)

	changes := d.symbol(&p.changes)
	if changes&intensityChanges1 != 0 {
		c, _ := p.intensity.decode(d, 0)
		le.PutUint16(rec[12:], le.Uint16(rec[12:])+uint16(c))
	}
	if changes&returnsChange1 != 0 {
		rec[14] = byte(d.symbol(&p.returns[rec[14]]))
	}
	if changes&classChanges != 0 {
		rec[15] = byte(d.symbol(&p.classes[rec[15]]))
	}
	if changes&angleChanges != 0 {
		c, _ := p.angle.decode(d, flag(k < 3, 1))
		rec[16] += byte(c)
	}
	if changes&userChanges != 0 {
		rec[17] = byte(d.symbol(&p.users[rec[17]]))
	}
	if changes&sourceChanges != 0 {
		c, _ := p.source.decode(d, 0)
		le.PutUint16(rec[18:], le.Uint16(rec[18:])+uint16(c))
	}
}

// encode encodes rec after the record last.
func (p *point10v1) encode(e *arithmeticEncoder, rec, last []byte) {
	rec, last = rec[:20], last[:20]
	le := binary.LittleEndian
	x := int32(le.Uint32(rec) - le.Uint32(last))
	y := int32(le.Uint32(rec[4:]) - le.Uint32(last[4:]))
	k := p.dx.encode(e, x-median3(p.xs), 0)
	ky := p.dy.encode(e, y-median3(p.ys), min(k, 19))
	k = (k + ky) / 2
	p.z.encode(e, int32(le.Uint32(rec[8:])-le.Uint32(last[8:])), min(k, 19))
	p.record(x, y)

	intensity := le.Uint16(rec[12:]) - le.Uint16(last[12:])
	source := le.Uint16(rec[18:]) - le.Uint16(last[18:])
	changes := flag(intensity != 0, intensityChanges1) | flag(rec[14] != last[14], returnsChange1) |
		flag(rec[15] != last[15], classChanges) | flag(rec[16] != last[16], angleChanges) |
		flag(rec[17] != last[17], userChanges) | flag(source != 0, sourceChanges)
	e.symbol(&p.changes, changes)
	if changes&intensityChanges1 != 0 {
		p.intensity.encode(e, int32(int16(intensity)), 0)
	}
	if changes&returnsChange1 != 0 {
		e.symbol(&p.returns[last[14]], uint32(rec[14]))
	}
	if changes&classChanges != 0 {
		e.symbol(&p.classes[last[15]], uint32(rec[15]))
	}
	if changes&angleChanges != 0 {
		p.angle.encode(e, int32(int8(rec[16]-last[16])), flag(k < 3, 1))
	}
	if changes&userChanges != 0 {
		e.symbol(&p.users[last[17]], uint32(rec[17]))
	}
	if changes&sourceChanges != 0 {
		p.source.encode(e, int32(int16(source)), 0)
	}
}
