package laz

import "math"

// A timeSequences is the model of GPS times of version 2 and later. It predicts a time from the last
// times of up to 4 interleaved sequences. Times are the bits of float64 values.
type timeSequences struct {
	last, next uint32
	time       [4]uint64
	diff       [4]int32 // usual difference of each sequence
	extremes   [4]int32 // number of consecutive unusual differences of each sequence

	flat, multi model // models of the symbols: flat after a difference of 0, multi after other differences
	value       *integer
	layered     bool
}

// Symbols of the model multi in version 3. A number less than multiMax is the rounded quotient of the
// difference and the usual difference. Numbers from multiMax+1 to multiFull-1 are negative quotients.
// multiFull means a time without prediction, and multiFull+i the sequence i after the last one.
// Version 2 has one symbol before multiFull, for an unchanged time.
const (
	multiMax  = 500
	multiMin  = -10
	multiFull = multiMax - multiMin + 1
)

// newTimeSequences returns the model of version 2, or of version 3 and 4 if layered.
func newTimeSequences(layered bool) *timeSequences {
	s := &timeSequences{layered: layered, value: newInteger(32, 9)}
	s.flat.n, s.multi.n = 6, multiFull+5
	if layered {
		s.flat.n, s.multi.n = 5, multiFull+4
	}
	return s
}

// reset begins with the first time.
func (s *timeSequences) reset(first uint64) {
	s.flat.reset()
	s.multi.reset()
	s.value.reset()
	s.last, s.next = 0, 0
	s.time, s.diff, s.extremes = [4]uint64{first}, [4]int32{}, [4]int32{}
}

// decode returns the next time.
func (s *timeSequences) decode(d *arithmeticDecoder) uint64 {
	// An encoder switches the sequence at most once for a time.
	for range 4 {
		l := s.last & 3
		var sym uint32
		if s.diff[l] == 0 {
			sym = d.symbol(&s.flat)
			if !s.layered {
				if sym == 0 {
					return s.time[l]
				}
				sym--
			}
			if sym == 0 {
				s.diff[l], _ = s.value.decode(d, 0)
				s.time[l] += uint64(int64(s.diff[l]))
				s.extremes[l] = 0
				return s.time[l]
			}
			sym += multiFull - 1
		} else {
			sym = d.symbol(&s.multi)
			if !s.layered && sym >= multiFull {
				if sym == multiFull {
					return s.time[l]
				}
				sym--
			}
			if sym < multiFull {
				return s.decodeMultiple(d, sym)
			}
		}
		if sym == multiFull {
			high, _ := s.value.decode(d, 8)
			high += int32(s.time[l] >> 32)
			return s.begin(uint64(uint32(high))<<32 | uint64(d.raw(32)))
		}
		s.last = (s.last + sym - multiFull) & 3
	}
	d.bad = true
	return 0
}

// begin starts a new sequence in place of the oldest one.
func (s *timeSequences) begin(t uint64) uint64 {
	s.next = (s.next + 1) & 3
	s.last = s.next
	s.time[s.last], s.diff[s.last], s.extremes[s.last] = t, 0, 0
	return t
}

// multiple returns the quotient of a symbol less than multiFull, and its context.
func multiple(sym uint32) (quotient int32, context uint32) {
	switch {
	case sym == 0:
		return 0, 7
	case sym == 1:
		return 1, 1
	case sym < 10:
		return int32(sym), 2
	case sym < multiMax:
		return int32(sym), 3
	case sym == multiMax:
		return multiMax, 4
	case sym < multiFull-1:
		return multiMax - int32(sym), 5
	}
	return multiMin, 6
}

func (s *timeSequences) decodeMultiple(d *arithmeticDecoder, sym uint32) uint64 {
	l := s.last & 3
	quotient, context := multiple(sym)
	diff, _ := s.value.decode(d, context)
	diff += quotient * s.diff[l]
	s.record(diff, context)
	s.time[l] += uint64(int64(diff))
	return s.time[l]
}

// record changes the usual difference after 4 unusual differences in a row.
func (s *timeSequences) record(diff int32, context uint32) {
	l := s.last & 3
	switch context {
	case 1:
		s.extremes[l] = 0
	case 4, 6, 7:
		s.extremes[l]++
		if s.extremes[l] > 3 {
			s.diff[l], s.extremes[l] = diff, 0
		}
	}
}

// encode encodes the time t.
func (s *timeSequences) encode(e *arithmeticEncoder, t uint64) {
	m, offset := &s.multi, uint32(0)
	l := s.last & 3
	if s.diff[l] == 0 {
		m, offset = &s.flat, multiFull-1
	}
	after := uint32(0) // version 2 has one symbol more, for an unchanged time
	if !s.layered {
		after = 1
		if t == s.time[l] {
			if offset > 0 {
				e.symbol(m, 0)
			} else {
				e.symbol(m, multiFull)
			}
			return
		}
	}
	diff64 := int64(t - s.time[l])
	if diff := int32(diff64); int64(diff) == diff64 {
		s.time[l] = t
		if offset > 0 {
			e.symbol(m, after)
			s.value.encode(e, diff, 0)
			s.diff[l], s.extremes[l] = diff, 0
			return
		}
		s.encodeMultiple(e, diff)
		return
	}
	for i := uint32(1); i < 4; i++ {
		other := int64(t - s.time[(l+i)&3])
		if int64(int32(other)) == other {
			e.symbol(m, multiFull+i-offset+after)
			s.last = (l + i) & 3
			s.encode(e, t)
			return
		}
	}
	e.symbol(m, multiFull-offset+after)
	s.value.encode(e, int32(t>>32)-int32(s.time[l]>>32), 8)
	e.raw(32, uint32(t))
	s.begin(t)
}

func (s *timeSequences) encodeMultiple(e *arithmeticEncoder, diff int32) {
	usual := s.diff[s.last&3]
	q := math.Round(float64(float32(diff) / float32(usual)))
	var sym uint32
	switch {
	case q >= multiMax:
		sym = multiMax
	case q >= 0:
		sym = uint32(q)
	case q > multiMin:
		sym = uint32(multiMax - int32(q))
	default:
		sym = multiFull - 1
	}
	e.symbol(&s.multi, sym)
	quotient, context := multiple(sym)
	s.value.encode(e, diff-quotient*usual, context)
	s.record(diff, context)
}

// A timeSequence is the model of GPS times of version 1.
type timeSequence struct {
	time        uint64
	diff        int32
	extremes    int32
	flat, multi model
	value       *integer
}

// singleMax is the number of symbols of timeSequence.multi: quotients up to singleMax-3, then a time
// without prediction, then an unchanged time.
const singleMax = 512

func newTimeSequence() *timeSequence {
	s := &timeSequence{value: newInteger(32, 6)}
	s.flat.n, s.multi.n = 3, singleMax
	return s
}

func (s *timeSequence) reset(first uint64) {
	s.flat.reset()
	s.multi.reset()
	s.value.reset()
	s.time, s.diff, s.extremes = first, 0, 0
}

func (s *timeSequence) decode(d *arithmeticDecoder) uint64 {
	if s.diff == 0 {
		switch d.symbol(&s.flat) {
		case 1:
			s.diff, _ = s.value.decode(d, 0)
			s.time += uint64(int64(s.diff))
		case 2:
			s.time = d.raw64()
		}
		return s.time
	}
	sym := d.symbol(&s.multi)
	switch sym {
	case singleMax - 2:
		s.time = d.raw64()
	case singleMax - 1:
	default:
		prediction, context := s.predict(sym)
		diff, _ := s.value.decode(d, context)
		diff += prediction
		s.record(diff, sym)
		s.time += uint64(int64(diff))
	}
	return s.time
}

// predict returns the difference that the quotient sym predicts, and its context.
func (s *timeSequence) predict(sym uint32) (int32, uint32) {
	switch {
	case sym == 0:
		return s.diff / 4, 2
	case sym == 1:
		return s.diff, 1
	case sym < 10:
		return int32(sym) * s.diff, 3
	case sym < 50:
		return int32(sym) * s.diff, 4
	}
	return int32(sym) * s.diff, 5
}

func (s *timeSequence) record(diff int32, sym uint32) {
	switch sym {
	case 1:
		s.diff, s.extremes = diff, 0
	case 0, singleMax - 3:
		s.extremes++
		if s.extremes > 3 {
			s.diff, s.extremes = diff, 0
		}
	}
}

func (s *timeSequence) encode(e *arithmeticEncoder, t uint64) {
	diff64 := int64(t - s.time)
	diff := int32(diff64)
	m, unchanged, full := &s.multi, uint32(singleMax-1), uint32(singleMax-2)
	if s.diff == 0 {
		m, unchanged, full = &s.flat, 0, 2
	}
	s.time = t
	switch {
	case diff64 == 0:
		e.symbol(m, unchanged)
	case int64(diff) != diff64:
		e.symbol(m, full)
		e.raw64(t)
	case s.diff == 0:
		e.symbol(m, 1)
		s.value.encode(e, diff, 0)
		s.diff = diff
	default:
		q := float64(float32(diff)/float32(s.diff)) + 0.5
		sym := uint32(max(0, min(q, singleMax-3)))
		e.symbol(m, sym)
		prediction, context := s.predict(sym)
		s.value.encode(e, diff-prediction, context)
		s.record(diff, sym)
	}
}
