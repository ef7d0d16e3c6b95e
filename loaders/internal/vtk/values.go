package vtk

import (
	"cmp"
	"encoding/binary"
	"io"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// values is a sequence of numbers. A float64 represents all indices below 2^53 exactly.
type values interface {
	// read fills dst. Its errors have a place.
	read(dst []float64) error
	// most returns an upper bound of the number of values that are left. It returns −1 for
	// compressed values, because their number is unknown.
	most() int64
	// fail returns an error at the values that were read last.
	fail(kind error, format string, args ...any) *soup.Error
	// block is the largest useful length of dst. It is 1 if fail knows the place of a single value.
	block() int
	// position returns the number of bytes before the next value: the bytes of the file plus the
	// decompressed bytes.
	position() int64
	// rest reports whether more values follow in the same array.
	rest() bool
}

// textValues are numbers in text[at:end].
type textValues struct {
	text     soup.Text
	at, end  int
	previous int // position of the last value
}

func (v *textValues) read(dst []float64) error {
	for k := range dst {
		i := scan.SkipSpace(v.text[:v.end], v.at)
		v.previous = i
		if i == v.end {
			return v.fail(soup.ErrTruncated, "the numbers end too early")
		}
		x, next, ok := scan.Number(v.text[:v.end], i)
		if !ok {
			return v.text.Expected(i, "a number")
		}
		dst[k], v.at = x, next
	}
	return nil
}

// most returns an upper bound, because each number has a digit and a separator.
func (v *textValues) most() int64 { return int64(v.end-v.at+1) / 2 }

func (v *textValues) fail(kind error, format string, args ...any) *soup.Error {
	return v.text.Fail(v.previous, kind, format, args...)
}

func (v *textValues) block() int { return 1 }

func (v *textValues) position() int64 { return int64(v.at) }

func (v *textValues) rest() bool { return scan.SkipSpace(v.text[:v.end], v.at) < v.end }

// binaryValues are binary numbers.
type binaryValues struct {
	place
	in     *stream
	packed *blocks // if it is not nil, the numbers are compressed
	left   int64   // number of bytes of numbers that are left if they are not compressed
	kind   number
	order  binary.ByteOrder
	buf    []byte
}

// blockValues is the number of values that are read at a time (tuning).
const blockValues = 1 << 10

func (v *binaryValues) read(dst []float64) error {
	var r io.Reader = v.in
	if v.packed != nil {
		r = v.packed
	}
	for len(dst) > 0 {
		n := min(len(dst), blockValues)
		if v.buf == nil {
			v.buf = make([]byte, 8*blockValues)
		}
		bytes := v.buf[:n*v.kind.size]
		if v.packed == nil {
			if int64(len(bytes)) > v.left {
				return v.fail(soup.ErrTruncated, "the numbers end too early")
			}
			v.left -= int64(len(bytes))
		}
		if err := readFull(r, bytes, v.place); err != nil {
			return err
		}
		for k := range n {
			dst[k] = v.kind.value(bytes[k*v.kind.size:], v.order)
		}
		dst = dst[n:]
	}
	return nil
}

func (v *binaryValues) most() int64 {
	if v.packed != nil {
		return -1
	}
	return v.left / int64(v.kind.size)
}

func (v *binaryValues) block() int { return blockValues }

func (v *binaryValues) position() int64 {
	if v.packed != nil {
		return int64(v.in.at) + v.packed.done
	}
	return int64(v.in.at)
}

func (v *binaryValues) rest() bool {
	if v.packed != nil {
		return v.packed.left > 0 || v.packed.next < len(v.packed.sizes)
	}
	return v.left > 0
}

// meter reports the progress of a reader in an array of values.
type meter struct {
	s      *soup.Source
	v      values
	at     int64 // position that was reported
	values int   // number of values since then
}

func newMeter(s *soup.Source, v values) *meter { return &meter{s: s, v: v, at: v.position()} }

// meterEvery is the number of values between two reports (tuning).
const meterEvery = 1 << 14

// add counts n values. It returns the error of the context from time to time.
func (m *meter) add(n int) error {
	if m.values += n; m.values < meterEvery {
		return nil
	}
	return m.report()
}

// report reports the progress.
func (m *meter) report() error {
	n := m.v.position() - m.at
	m.at, m.values = m.at+n, 0
	return m.s.Step(n)
}

// room returns the number of elements for which memory can be allocated in advance. It refuses a count
// that does not fit in the file. If the values are compressed, memory is allocated step by step.
func room(v values, n int64, valuesEach int64, what string) (int, error) {
	most := v.most()
	if n < 0 || n > math.MaxInt32 {
		return 0, v.fail(soup.ErrTooLarge, "%d %s", n, what)
	}
	if most < 0 {
		return 0, nil
	}
	if n > most/valuesEach {
		return 0, v.fail(soup.ErrTruncated, "%d %s do not fit in the bytes that follow", n, what)
	}
	return int(n), nil
}

// points appends n vertices.
func (r *reader) points(v values, n int64) error {
	first, err := room(v, n, 3, "points")
	if err != nil {
		return err
	}
	if int64(len(r.b.Vertices))+n > math.MaxInt32 {
		return v.fail(soup.ErrTooLarge, "more than %d points", math.MaxInt32)
	}
	if err := r.b.GrowVertices(first); err != nil {
		return err
	}
	var buf [blockValues / 3 * 3]float64
	m := newMeter(r.s, v)
	for done := int64(0); done < n; {
		block := buf[:3*min(n-done, max(1, int64(v.block())/3))]
		if err := v.read(block); err != nil {
			return err
		}
		for ; len(block) > 0; block = block[3:] {
			if _, err := r.b.AddVertex(r3.Vector{X: block[0], Y: block[1], Z: block[2]}); err != nil {
				if soup.Placed(err) {
					return err
				}
				return v.fail(err, "point %d (%v, %v, %v)", done, block[0], block[1], block[2])
			}
			done++
			if err := m.add(3); err != nil {
				return err
			}
		}
	}
	return m.report()
}

// integers appends n integers to dst. Each integer must be from least to 2^31 − 1.
func (r *reader) integers(v values, dst *[]int32, n int64, least float64, what string) error {
	first, err := room(v, n, 1, what)
	if err != nil {
		return err
	}
	if err := soup.Grow(r.b.Budget, dst, first, 4); err != nil {
		return err
	}
	var buf [blockValues]float64
	m := newMeter(r.s, v)
	for done := int64(0); done < n; {
		block := buf[:min(n-done, int64(v.block()))]
		if err := cmp.Or(v.read(block), soup.Grow(r.b.Budget, dst, len(block), 4)); err != nil {
			return err
		}
		for _, x := range block {
			if x != math.Trunc(x) || !(x >= least && x <= math.MaxInt32) {
				return v.fail(soup.ErrIndexRange, "the value %v in the %s must be an integer from %v to %d", x, what, least, math.MaxInt32)
			}
			*dst = append(*dst, int32(x))
		}
		done += int64(len(block))
		if err := m.add(len(block)); err != nil {
			return err
		}
	}
	return m.report()
}
