package laz

import "encoding/binary"

// waveSize is the number of bytes of a wave packet: the index of the descriptor, the offset of the
// packet (uint64), its size, and the return point, x, y and z as the bits of float32 values.
const waveSize = 29

// A waveModel is the model of WAVEPACKET13 and WAVEPACKET14.
type waveModel struct {
	index   model
	offsets []model // models of the kind of offset, by the last kind
	offset  *integer
	sizes   *integer
	point   *integer
	xyz     *integer

	lastKind uint32
	lastDiff int32
}

// Kinds of offsets.
const (
	sameOffset = iota
	nextOffset // the end of the last packet
	nearOffset // the difference has 32 bits
	farOffset  // offset without prediction
	offsetKinds
)

func newWaveModel() *waveModel {
	return &waveModel{
		index: model{n: 256}, offsets: models(offsetKinds, offsetKinds),
		offset: newInteger(32, 1), sizes: newInteger(32, 1), point: newInteger(32, 1), xyz: newInteger(32, 3),
	}
}

func (w *waveModel) reset() {
	w.index.reset()
	resetAll(w.offsets)
	for _, c := range []*integer{w.offset, w.sizes, w.point, w.xyz} {
		c.reset()
	}
	w.lastKind, w.lastDiff = 0, 0
}

// decode replaces the last packet in rec with the next one.
func (w *waveModel) decode(d *arithmeticDecoder, rec []byte) {
	rec = rec[:waveSize]
	le := binary.LittleEndian
	rec[0] = byte(d.symbol(&w.index))
	w.lastKind = d.symbol(&w.offsets[w.lastKind])
	offset := le.Uint64(rec[1:])
	switch w.lastKind {
	case nextOffset:
		offset += uint64(le.Uint32(rec[9:]))
	case nearOffset:
		diff, _ := w.offset.decode(d, 0)
		w.lastDiff += diff
		offset += uint64(int64(w.lastDiff))
	case farOffset:
		offset = d.raw64()
	}
	le.PutUint64(rec[1:], offset)
	size, _ := w.sizes.decode(d, 0)
	le.PutUint32(rec[9:], le.Uint32(rec[9:])+uint32(size))
	point, _ := w.point.decode(d, 0)
	le.PutUint32(rec[13:], le.Uint32(rec[13:])+uint32(point))
	for i := range 3 {
		diff, _ := w.xyz.decode(d, uint32(i))
		at := rec[17+4*i:]
		le.PutUint32(at, le.Uint32(at)+uint32(diff))
	}
}

// encode encodes rec after the packet last.
func (w *waveModel) encode(e *arithmeticEncoder, rec, last []byte) {
	rec, last = rec[:waveSize], last[:waveSize]
	le := binary.LittleEndian
	e.symbol(&w.index, uint32(rec[0]))
	diff := int64(le.Uint64(rec[1:]) - le.Uint64(last[1:]))
	kind := uint32(farOffset)
	switch {
	case diff == 0:
		kind = sameOffset
	case diff == int64(le.Uint32(last[9:])):
		kind = nextOffset
	case diff == int64(int32(diff)):
		kind = nearOffset
	}
	e.symbol(&w.offsets[w.lastKind], kind)
	w.lastKind = kind
	switch kind {
	case nearOffset:
		w.offset.encode(e, int32(diff)-w.lastDiff, 0)
		w.lastDiff = int32(diff)
	case farOffset:
		e.raw64(le.Uint64(rec[1:]))
	}
	delta := func(at int) int32 { return int32(le.Uint32(rec[at:]) - le.Uint32(last[at:])) }
	w.sizes.encode(e, delta(9), 0)
	w.point.encode(e, delta(13), 0)
	for i := range 3 {
		w.xyz.encode(e, delta(17+4*i), uint32(i))
	}
}
