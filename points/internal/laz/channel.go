package laz

import "encoding/binary"

// returnKinds[n][r] is the context of return r of n returns in POINT14, the kind of return. The
// specification also defines it for invalid pairs.
var returnKinds = [16][16]uint8{
	{0, 1, 2, 3, 4, 5, 3, 4, 4, 5, 5, 5, 5, 5, 5, 5},
	{1, 0, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3},
	{2, 1, 2, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3},
	{3, 3, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
	{4, 3, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
	{5, 3, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
	{3, 3, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4},
	{4, 3, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4},
	{4, 3, 4, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4, 4},
	{5, 3, 4, 4, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4, 4},
	{5, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 4, 4, 4, 4, 4},
	{5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 4, 4, 4},
	{5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 4, 4},
	{5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 4},
	{5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5},
	{5, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5},
}

// Facts of a point: bits that the decoder of the first layer sets and the decoders of the other
// layers read.
const (
	factChannel  = 3      // scanner channel
	factSwitched = 1 << 2 // the previous point has another channel
	factNew      = 1 << 3 // the first point of its channel
	factTime     = 1 << 4 // the GPS time changes
	factAngle    = 1 << 5 // the scan angle changes
	factSource   = 1 << 6 // the point source changes

	factReturn = 7  // first bit of 2 bits: 2 for the first return, plus 1 for the last return
	factLevel  = 9  // first bit of 3 bits: the difference of return number and number of returns, at most 7
	factZ      = 12 // first bit of 5 bits: the context of z
)

// These are the bits of the symbol of POINT14 that encodes which attributes change. Bits 0 and 1 are
// the change of the return number: 0 none, 1 plus 1, 2 minus 1, 3 another number.
const (
	countChanges   = 1 << 2
	angleChanges4  = 1 << 3
	timeChanges    = 1 << 4
	sourceChanges4 = 1 << 5
	channelChanges = 1 << 6
)

// A channel is the model of the first layer for a scanner channel: the returns, x and y.
type channel struct {
	changes         [8]model // models of the changes, by the state of the last point; see changesModel
	channels        model
	counts, returns []model // models of the numbers, by the numbers of the channel's last point
	sameTime        model   // model of return numbers, if the time does not change
	dx, dy          *integer
	xs, ys          [12]median

	// The last point of the channel.
	x, y   int32
	number uint8 // the return number, and the number of returns times 16
	time   bool  // the GPS time of this point differed from the point before
}

func newChannel() *channel {
	c := &channel{
		channels: model{n: 3}, counts: models(16, 16), returns: models(16, 16), sameTime: model{n: 13},
		dx: newInteger(32, 2), dy: newInteger(32, 22),
	}
	for i := range c.changes {
		c.changes[i].n = 128
	}
	return c
}

// reset starts the model from the last point of another channel.
func (c *channel) reset(x, y int32, number uint8) {
	resetAll(c.changes[:])
	c.channels.reset()
	resetAll(c.counts)
	resetAll(c.returns)
	c.sameTime.reset()
	c.dx.reset()
	c.dy.reset()
	c.xs, c.ys = [12]median{}, [12]median{}
	c.x, c.y, c.number, c.time = x, y, number, false
}

// changesModel returns the model of the changes after the last point of the channel.
func (c *channel) changesModel() *model {
	r, n := c.number&15, c.number>>4
	return &c.changes[flag(r == 1, 1)|flag(r >= n, 2)|flag(c.time, 4)]
}

// A channels is the model of the first layer.
type channels struct {
	all  [4]*channel
	used [4]bool
	now  uint32 // the channel of the last point
}

// reset starts a chunk, whose first record is first.
func (s *channels) reset(first []byte) {
	s.used = [4]bool{}
	s.now = uint32(first[15] >> 4 & 3)
	le := binary.LittleEndian
	s.begin(s.now, int32(le.Uint32(first)), int32(le.Uint32(first[4:])), first[14])
}

func (s *channels) begin(c uint32, x, y int32, number uint8) *channel {
	if s.all[c] == nil {
		s.all[c] = newChannel()
	}
	s.all[c].reset(x, y, number)
	s.used[c] = true
	return s.all[c]
}

// enter makes channel to the current channel. It returns this channel and the facts that the switch
// implies.
func (s *channels) enter(to uint32) (*channel, uint32) {
	from := s.all[s.now]
	s.now = to
	if s.used[to] {
		return s.all[to], factSwitched
	}
	return s.begin(to, from.x, from.y, from.number), factSwitched | factNew
}

// decode decodes the first layer into the records after the first one, and stores the facts.
func (s *channels) decode(d *arithmeticDecoder, dst []byte, size int, facts []uint32) {
	le := binary.LittleEndian
	c := s.all[s.now]
	for i := range facts {
		changes := d.symbol(c.changesModel())
		fact := uint32(0)
		if changes&channelChanges != 0 {
			c, fact = s.enter((s.now + d.symbol(&c.channels) + 1) & 3)
		}
		fact |= s.now
		r, n := c.number&15, c.number>>4
		if changes&countChanges != 0 {
			n = uint8(d.symbol(&c.counts[n]))
		}
		timeBit := changes / timeChanges & 1
		switch changes & 3 {
		case 1:
			r = (r + 1) & 15
		case 2:
			r = (r - 1) & 15
		case 3:
			if timeBit != 0 {
				r = uint8(d.symbol(&c.returns[r]))
			} else {
				r = (r + 2 + uint8(d.symbol(&c.sameTime))) & 15
			}
		}
		c.number, c.time = r|n<<4, timeBit != 0
		one := single(n)
		m := uint32(returnKinds[n&15][r&15])<<1 | timeBit
		x, kx := c.dx.decode(d, one)
		mx := &c.xs[m]
		x += mx.v[2]
		mx.add(x)
		c.x += x
		y, ky := c.dy.decode(d, yContext(one, kx))
		my := &c.ys[m]
		y += my.v[2]
		my.add(y)
		c.y += y
		facts[i] = fact | pointFacts(r, n, one, kx, ky) | flag(timeBit != 0, factTime) |
			flag(changes&angleChanges4 != 0, factAngle) | flag(changes&sourceChanges4 != 0, factSource)

		dst = dst[size:]
		rec := dst[:16]
		le.PutUint32(rec, uint32(c.x))
		le.PutUint32(rec[4:], uint32(c.y))
		rec[14] = c.number
		rec[15] = rec[15]&^0x30 | byte(s.now<<4)
	}
}

// pointFacts returns the facts that depend only on the point itself.
func pointFacts(r, n uint8, one, kx, ky uint32) uint32 {
	return (flag(r == 1, 2)|flag(r >= n, 1))<<factReturn | uint32(min(difference(r, n), 7))<<factLevel |
		zContext(one, kx, ky)<<factZ
}

// encode encodes the first layer of the records after the first one, and stores the facts.
func (s *channels) encode(e *arithmeticEncoder, rows []byte, size int, facts []uint32) {
	le := binary.LittleEndian
	// The last record of each channel.
	var lasts [4][]byte
	lasts[s.now] = rows[:size]
	for i := range facts {
		last, rec := rows[:size], rows[size:2*size]
		rows = rows[size:]
		c := s.all[s.now]
		to := uint32(rec[15] >> 4 & 3)
		if s.used[to] {
			last = lasts[to]
		}
		lasts[to] = rec
		r, n := rec[14]&15, rec[14]>>4
		lastR, lastN := last[14]&15, last[14]>>4
		fact := flag(le.Uint64(rec[22:]) != le.Uint64(last[22:]), factTime) |
			flag(le.Uint16(rec[18:]) != le.Uint16(last[18:]), factAngle) |
			flag(le.Uint16(rec[20:]) != le.Uint16(last[20:]), factSource)
		changes := flag(to != s.now, channelChanges) | flag(fact&factSource != 0, sourceChanges4) |
			flag(fact&factTime != 0, timeChanges) | flag(fact&factAngle != 0, angleChanges4) |
			flag(n != lastN, countChanges)
		step := (r - lastR) & 15
		switch step {
		case 0:
		case 1:
			changes |= 1
		case 15:
			changes |= 2
		default:
			changes |= 3
		}
		e.symbol(c.changesModel(), changes)
		if to != s.now {
			e.symbol(&c.channels, (to-s.now-1)&3)
			var change uint32
			c, change = s.enter(to)
			fact |= change
		}
		fact |= to
		if n != lastN {
			e.symbol(&c.counts[lastN], uint32(n))
		}
		timeBit := fact / factTime & 1
		if changes&3 == 3 {
			if timeBit != 0 {
				e.symbol(&c.returns[lastR], uint32(r))
			} else {
				e.symbol(&c.sameTime, uint32(step-2))
			}
		}
		x, y := int32(le.Uint32(rec)), int32(le.Uint32(rec[4:]))
		one := single(n)
		m := uint32(returnKinds[n][r])<<1 | timeBit
		dx, dy := x-c.x, y-c.y
		kx := c.dx.encode(e, dx-c.xs[m].v[2], one)
		c.xs[m].add(dx)
		ky := c.dy.encode(e, dy-c.ys[m].v[2], yContext(one, kx))
		c.ys[m].add(dy)
		c.x, c.y, c.number, c.time = x, y, rec[14], timeBit != 0
		facts[i] = fact | pointFacts(r, n, one, kx, ky)
	}
}
