package las

import "math"

// tally is what a header says about its points.
type tally struct {
	Count    int64              `json:"count"`
	Returns  [returnsMost]int64 `json:"returns"` // by return number, from 1
	Min, Max [3]int32           // of X, Y and Z; Min > Max if there are none
}

// noTally returns the tally of no points.
func noTally() tally {
	t := tally{}
	for i := range t.Min {
		t.Min[i], t.Max[i] = math.MaxInt32, math.MinInt32
	}
	return t
}

// add adds the points of other.
func (t *tally) add(other *tally) {
	t.Count += other.Count
	for i, n := range other.Returns {
		t.Returns[i] += n
	}
	for i := range t.Min {
		t.Min[i], t.Max[i] = min(t.Min[i], other.Min[i]), max(t.Max[i], other.Max[i])
	}
}

// points counts whole records of that size; mask has the bits of the return number.
func (t *tally) points(b []byte, size int, mask byte) {
	lo, hi := t.Min, t.Max
	var returns [returnsMost + 1]int64 // 0 is no return
	for at := 0; at < len(b); at += size {
		row := b[at:][:15]
		x, y, z := int32(le.Uint32(row)), int32(le.Uint32(row[4:])), int32(le.Uint32(row[8:]))
		lo[0], lo[1], lo[2] = min(lo[0], x), min(lo[1], y), min(lo[2], z)
		hi[0], hi[1], hi[2] = max(hi[0], x), max(hi[1], y), max(hi[2], z)
		returns[row[14]&mask&15]++
	}
	t.Count += int64(len(b) / size)
	t.Min, t.Max = lo, hi
	for i, n := range returns[1:] {
		t.Returns[i] += n
	}
}

// returnMask returns the bits of the return number in byte 14 of a record.
func returnMask(format int) byte {
	if format < 6 {
		return 7
	}
	return 15
}

// setCount writes the number of points to the header raw, in all its fields.
func setCount(raw []byte, n int64) {
	minor, format := raw[atMinor], raw[atFormat]
	old := uint32(0)
	if minor < 4 || format < 6 && n <= math.MaxUint32 {
		old = uint32(n)
	}
	le.PutUint32(raw[atCount32:], old)
	if minor >= 4 {
		le.PutUint64(raw[atCount:], uint64(n))
	}
}

// setTally writes t to the header raw: counts, returns and the box, which is all zero
// without points.
func setTally(raw []byte, t *tally) {
	setCount(raw, t.Count)
	minor, format := raw[atMinor], raw[atFormat]
	for i := range returns32 {
		old := uint32(0)
		if minor < 4 || format < 6 && t.Count <= math.MaxUint32 {
			old = uint32(t.Returns[i])
		}
		le.PutUint32(raw[atReturns32+4*i:], old)
	}
	if minor >= 4 {
		for i, n := range t.Returns {
			le.PutUint64(raw[atReturns+8*i:], uint64(n))
		}
	}
	for i := range 3 {
		var lo, hi float64
		if t.Count > 0 {
			scale := math.Float64frombits(le.Uint64(raw[atScale+8*i:]))
			offset := math.Float64frombits(le.Uint64(raw[atOffset+8*i:]))
			lo, hi = float64(float64(t.Min[i])*scale)+offset, float64(float64(t.Max[i])*scale)+offset
			lo, hi = min(lo, hi), max(lo, hi) // a scale may be negative
		}
		le.PutUint64(raw[atBox+16*i:], math.Float64bits(hi))
		le.PutUint64(raw[atBox+16*i+8:], math.Float64bits(lo))
	}
}
