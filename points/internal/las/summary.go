package las

import (
	"bytes"
	"fmt"
	"math"

	"github.com/inpoly/inpoly/internal/plural"
)

// summary is the part of a header that depends on the points.
type summary struct {
	Count    int64             `json:"count"`
	Returns  [maxReturns]int64 `json:"returns"` // Returns[i] counts the points with return number i+1
	Min, Max [3]int32          // bounds of the integers X, Y and Z; Min > Max without points
}

// emptySummary returns the summary of a file without points.
func emptySummary() summary {
	const lo, hi = math.MinInt32, math.MaxInt32
	return summary{Min: [3]int32{hi, hi, hi}, Max: [3]int32{lo, lo, lo}}
}

// add merges another summary into t.
func (t *summary) add(other *summary) {
	t.Count += other.Count
	for i, n := range other.Returns {
		t.Returns[i] += n
	}
	for i := range t.Min {
		t.Min[i], t.Max[i] = min(t.Min[i], other.Min[i]), max(t.Max[i], other.Max[i])
	}
}

// addRecords adds the records in b to t. The mask selects the return number in byte 14.
func (t *summary) addRecords(b []byte, size int, mask byte) {
	lo, hi := t.Min, t.Max
	var returns [maxReturns + 1]int64 // returns[0] counts the invalid return number 0
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

// returnMask returns the mask of the return number in byte 14 of a record.
func returnMask(format int) byte {
	if format < 6 {
		return 7
	}
	return 15
}

// putCounts writes the number of points, in total and for each return number, into a header. In LAS
// 1.4, the legacy counts become 0 if older versions lack the point format or cannot hold the count.
func (t *summary) putCounts(raw []byte) {
	minor, format := raw[atMinor], raw[atFormat]
	legacy := minor < 4 || format < 6 && t.Count <= math.MaxUint32
	put := func(at int, n int64) {
		if !legacy {
			n = 0
		}
		le.PutUint32(raw[at:], uint32(n))
	}
	put(atLegacyCount, t.Count)
	for i := range legacyReturns {
		put(atLegacyReturns+4*i, t.Returns[i])
	}
	if minor < 4 {
		return
	}
	le.PutUint64(raw[atCount:], uint64(t.Count))
	for i, n := range t.Returns {
		le.PutUint64(raw[atReturns+8*i:], uint64(n))
	}
}

// putBox writes the box into a header, which must have its scales and offsets. Without points, the
// bounds of the box are 0.
func (t *summary) putBox(raw []byte) {
	for i := range 3 {
		var lo, hi float64
		if t.Count > 0 {
			scale, offset := getFloat(raw, atScale+8*i), getFloat(raw, atOffset+8*i)
			lo, hi = float64(float64(t.Min[i])*scale)+offset, float64(float64(t.Max[i])*scale)+offset
			lo, hi = min(lo, hi), max(lo, hi) // a scale may be negative
		}
		putFloat(raw, atBox+16*i, hi)
		putFloat(raw, atBox+16*i+8, lo)
	}
}

// trailingFields lists the fields of a header that are offsets of data after the points, and for
// each field the first minor version that has it.
var trailingFields = []struct {
	at    int
	minor byte
}{{atWaves, 3}, {atEVLRs, 4}}

// moveTrailing adds shift to all offsets in raw that refer to data after the points of h.
func (h *header) moveTrailing(raw []byte, shift int64) {
	if h.evlrOffset == 0 {
		return
	}
	for _, field := range trailingFields {
		if h.minor < int(field.minor) {
			continue
		}
		if old := int64(le.Uint64(h.raw[field.at:])); old >= h.pointsEnd() {
			le.PutUint64(raw[field.at:], uint64(old+shift))
		}
	}
}

// Joiner joins the headers of LAS files. It implements table.Joiner.
type Joiner struct{}

// JoinHeads returns the first header, with the sums of all counts. Its box contains the boxes of all headers that have
// points. In LAS 1.5, its range of GPS times contains the ranges of all headers. The offsets of waveform data and
// extended records move to the end of all points. Header i must count rows[i] points.
func (Joiner) JoinHeads(heads [][]byte, rows []int64) ([]byte, error) {
	var first *header
	var sum summary
	var box [6]float64 // max x, min x, max y, …
	times := [2]float64{math.Inf(-1), math.Inf(1)}
	for i := range heads {
		h, err := readHeader(bytes.NewReader(heads[i]), -1)
		if err != nil {
			return nil, fmt.Errorf("las: %w", err)
		}
		if len(h.raw) != len(heads[i]) {
			return nil, plural.Errorf("las: the part before the points has %d bytes, but its header declares %d", len(heads[i]), len(h.raw))
		}
		if h.count != rows[i] {
			return nil, plural.Errorf("las: a header counts %d points: expected %d", h.count, rows[i])
		}
		if first == nil {
			first = h
		}
		if h.size != first.size || h.minor != first.minor || h.format != first.format || h.pointSize != first.pointSize {
			return nil, plural.Errorf("las: the headers differ: LAS 1.%d with points of %d bytes, and LAS 1.%d with points of %d bytes",
				first.minor, first.pointSize, h.minor, h.pointSize)
		}
		if h.minor >= 5 {
			if le.Uint16(h.raw[atTimeOffset:]) != le.Uint16(first.raw[atTimeOffset:]) {
				return nil, fmt.Errorf("las: the headers differ: the offsets of GPS times are %d·10⁶ s and %d·10⁶ s",
					le.Uint16(first.raw[atTimeOffset:]), le.Uint16(h.raw[atTimeOffset:]))
			}
			times[0] = max(times[0], getFloat(h.raw, atMaxTime))
			times[1] = min(times[1], getFloat(h.raw, atMinTime))
		}
		for k := range box {
			x := getFloat(h.raw, atBox+8*k)
			switch {
			case h.count == 0:
			case sum.Count == 0:
				box[k] = x
			case k%2 == 0:
				box[k] = max(box[k], x)
			default:
				box[k] = min(box[k], x)
			}
		}
		if sum.Count > math.MaxInt64/int64(h.pointSize)-h.count {
			return nil, fmt.Errorf("las: the files have more points in total than any file can hold")
		}
		sum.Count += h.count
		for i := range sum.Returns {
			if h.minor >= 4 {
				sum.Returns[i] += int64(le.Uint64(h.raw[atReturns+8*i:]))
			} else if i < legacyReturns {
				sum.Returns[i] += int64(le.Uint32(h.raw[atLegacyReturns+4*i:]))
			}
		}
	}
	out := bytes.Clone(first.raw)
	sum.putCounts(out)
	for k, x := range box {
		putFloat(out, atBox+8*k, x)
	}
	if first.minor >= 5 {
		putFloat(out, atMaxTime, times[0])
		putFloat(out, atMinTime, times[1])
	}
	first.moveTrailing(out, (sum.Count-first.count)*int64(first.pointSize))
	return out, nil
}
