package laz

import "encoding/binary"

// returnContexts[n][r] is the context of return r of n returns in POINT10 version 2. LASzip also
// defines it for invalid pairs.
var returnContexts = [8][8]uint8{
	{15, 14, 13, 12, 11, 10, 9, 8},
	{14, 0, 1, 3, 6, 10, 10, 9},
	{13, 1, 2, 4, 7, 11, 11, 10},
	{12, 3, 4, 5, 8, 12, 12, 11},
	{11, 6, 7, 8, 9, 13, 13, 12},
	{10, 10, 11, 12, 13, 14, 14, 13},
	{9, 10, 11, 12, 13, 14, 15, 14},
	{8, 9, 10, 11, 12, 13, 14, 15},
}

// These are the bits of the symbol of POINT10 that encodes which attributes change.
const (
	sourceChanges = 1 << iota
	userChanges
	angleChanges
	classChanges
	intensityChanges // version 1: bit 5
	returnsChange    // version 1: bit 4
)

// A point10 is the model of POINT10, version 2. A record has x, y and z (int32), the intensity at
// byte 12, the returns and flags at 14, the class at 15, the scan angle at 16, the user data at 17 and
// the source at 18.
type point10 struct {
	changes                      model
	dx, dy, z, intensity, source *integer
	angles                       []model // models by scan direction
	returns, classes, users      []model // models by the last value
	xs, ys                       [16]median
	lastIntensity                [16]uint16
	lastZ                        [8]int32
}

func newPoint10() *point10 {
	return &point10{
		changes: model{n: 64},
		dx:      newInteger(32, 2), dy: newInteger(32, 22), z: newInteger(32, 20),
		intensity: newInteger(16, 4), source: newInteger(16, 1),
		angles: models(2, 256), returns: models(256, 256), classes: models(256, 256), users: models(256, 256),
	}
}

func (p *point10) reset() {
	p.changes.reset()
	for _, c := range []*integer{p.dx, p.dy, p.z, p.intensity, p.source} {
		c.reset()
	}
	for _, m := range [][]model{p.angles, p.returns, p.classes, p.users} {
		resetAll(m)
	}
	p.xs, p.ys = [16]median{}, [16]median{}
	p.lastIntensity, p.lastZ = [16]uint16{}, [8]int32{}
}

// single returns 1 if a pulse has n = 1 returns, and 0 otherwise.
func single(n uint8) uint32 {
	if n == 1 {
		return 1
	}
	return 0
}

// yContext and zContext return the contexts of y and z. kx and ky are the kinds of the differences of
// x and y.
func yContext(one, kx uint32) uint32 { return one + min(kx, 20)&^1 }

func zContext(one, kx, ky uint32) uint32 { return one + min((kx+ky)>>1, 18)&^1 }

func difference(a, b uint8) uint8 { return max(a, b) - min(a, b) }

// decode replaces the last record in rec with the next one.
func (p *point10) decode(d *arithmeticDecoder, rec []byte) {
	rec = rec[:20]
	le := binary.LittleEndian
	changes := d.symbol(&p.changes)
	if changes&returnsChange != 0 {
		rec[14] = byte(d.symbol(&p.returns[rec[14]]))
	}
	r, n := rec[14]&7, rec[14]>>3&7
	m := returnContexts[n][r] & 15
	if changes&intensityChanges != 0 {
		c, _ := p.intensity.decode(d, uint32(min(m, 3)))
		p.lastIntensity[m] += uint16(c)
	}
	le.PutUint16(rec[12:], p.lastIntensity[m])
	if changes&(classChanges|angleChanges|userChanges|sourceChanges) != 0 {
		if changes&classChanges != 0 {
			rec[15] = byte(d.symbol(&p.classes[rec[15]]))
		}
		if changes&angleChanges != 0 {
			rec[16] += byte(d.symbol(&p.angles[rec[14]>>6&1]))
		}
		if changes&userChanges != 0 {
			rec[17] = byte(d.symbol(&p.users[rec[17]]))
		}
		if changes&sourceChanges != 0 {
			c, _ := p.source.decode(d, 0)
			le.PutUint16(rec[18:], le.Uint16(rec[18:])+uint16(c))
		}
	}
	one := single(n)
	x, kx := p.dx.decode(d, one)
	x += p.xs[m].v[2]
	p.xs[m].add(x)
	le.PutUint32(rec, le.Uint32(rec)+uint32(x))
	y, ky := p.dy.decode(d, yContext(one, kx))
	y += p.ys[m].v[2]
	p.ys[m].add(y)
	le.PutUint32(rec[4:], le.Uint32(rec[4:])+uint32(y))
	l := difference(n, r) & 7
	z, _ := p.z.decode(d, zContext(one, kx, ky))
	p.lastZ[l] += z
	le.PutUint32(rec[8:], uint32(p.lastZ[l]))
}

// encode encodes rec after the record last.
func (p *point10) encode(e *arithmeticEncoder, rec, last []byte) {
	rec, last = rec[:20], last[:20]
	le := binary.LittleEndian
	r, n := rec[14]&7, rec[14]>>3&7
	m := returnContexts[n][r] & 15
	intensity := le.Uint16(rec[12:])
	source, lastSource := le.Uint16(rec[18:]), le.Uint16(last[18:])
	changes := flag(rec[14] != last[14], returnsChange) | flag(intensity != p.lastIntensity[m], intensityChanges) |
		flag(rec[15] != last[15], classChanges) | flag(rec[16] != last[16], angleChanges) |
		flag(rec[17] != last[17], userChanges) | flag(source != lastSource, sourceChanges)
	e.symbol(&p.changes, changes)
	if changes&returnsChange != 0 {
		e.symbol(&p.returns[last[14]], uint32(rec[14]))
	}
	if changes&intensityChanges != 0 {
		p.intensity.encode(e, int32(int16(intensity-p.lastIntensity[m])), uint32(min(m, 3)))
		p.lastIntensity[m] = intensity
	}
	if changes&classChanges != 0 {
		e.symbol(&p.classes[last[15]], uint32(rec[15]))
	}
	if changes&angleChanges != 0 {
		e.symbol(&p.angles[rec[14]>>6&1], uint32(rec[16]-last[16]))
	}
	if changes&userChanges != 0 {
		e.symbol(&p.users[last[17]], uint32(rec[17]))
	}
	if changes&sourceChanges != 0 {
		p.source.encode(e, int32(int16(source-lastSource)), 0)
	}
	one := single(n)
	x := int32(le.Uint32(rec) - le.Uint32(last))
	kx := p.dx.encode(e, x-p.xs[m].v[2], one)
	p.xs[m].add(x)
	y := int32(le.Uint32(rec[4:]) - le.Uint32(last[4:]))
	ky := p.dy.encode(e, y-p.ys[m].v[2], yContext(one, kx))
	p.ys[m].add(y)
	l := difference(n, r) & 7
	z := int32(le.Uint32(rec[8:]))
	p.z.encode(e, z-p.lastZ[l], zContext(one, kx, ky))
	p.lastZ[l] = z
}

// flag returns bit if b is true, and 0 otherwise.
func flag(b bool, bit uint32) uint32 {
	if b {
		return bit
	}
	return 0
}
