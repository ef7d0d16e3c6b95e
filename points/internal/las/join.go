package las

import (
	"bytes"
	"fmt"
	"math"
)

// Joiner joins the headers of LAS files. It implements table.Joiner.
type Joiner struct{}

// JoinHeads returns the first header with the sums of all counts and returns, and with the
// box around the boxes of the headers with points. The places of the waveforms and of the
// extended records move with the end of the points. Each header must have the number of
// rows that is given.
func (Joiner) JoinHeads(heads [][]byte, rows []int64) ([]byte, error) {
	var first *head
	sum := tally{}
	var box [6]float64 // max x, min x, max y, …
	for i := range heads {
		h, err := readHead(bytes.NewReader(heads[i]), -1)
		if err != nil {
			return nil, fmt.Errorf("las: %w", err)
		}
		if h.count != rows[i] {
			return nil, fmt.Errorf("las: a header counts %d points: want %d", h.count, rows[i])
		}
		if first == nil {
			first = h
		}
		if h.size != first.size || h.minor != first.minor || h.format != first.format || h.record != first.record {
			return nil, fmt.Errorf("las: headers of LAS 1.%d with points of %d bytes and of LAS 1.%d with points of %d bytes",
				first.minor, first.record, h.minor, h.record)
		}
		for k := range box {
			x := math.Float64frombits(le.Uint64(h.raw[atBox+8*k:]))
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
		if sum.Count > math.MaxInt64/int64(h.record)-h.count {
			return nil, fmt.Errorf("las: more points than any file has")
		}
		sum.Count += h.count
		sum.addReturns(h)
	}
	out := bytes.Clone(first.raw)
	setTally(out, &sum)
	for k, x := range box {
		le.PutUint64(out[atBox+8*k:], math.Float64bits(x))
	}
	shift := (sum.Count - first.count) * int64(first.record)
	for _, at := range first.places() {
		le.PutUint64(out[at:], uint64(int64(le.Uint64(out[at:]))+shift))
	}
	return out, nil
}

// addReturns adds the returns that h counts: 15 in LAS 1.4, 5 in earlier versions.
func (t *tally) addReturns(h *head) {
	if h.minor >= 4 {
		for i := range t.Returns {
			t.Returns[i] += int64(le.Uint64(h.raw[atReturns+8*i:]))
		}
		return
	}
	for i := range returns32 {
		t.Returns[i] += int64(le.Uint32(h.raw[atReturns32+4*i:]))
	}
}
