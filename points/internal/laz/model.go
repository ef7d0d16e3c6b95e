package laz

// These are the constants of the arithmetic coder (HPL-2004-76). The interval is renormalized below
// minLength. Probabilities of symbols have symbolBits bits, and probabilities of bits have bitBits
// bits.
const (
	minLength  = 1 << 24
	maxLength  = 1<<32 - 1
	symbolBits = 15
	bitBits    = 13
)

// A model is an adaptive distribution of n symbols. left = 0 means that the model must be initialized
// before the next symbol, so reset is cheap.
type model struct {
	// dist has n+1 entries. Symbol s has the interval from dist[s] to dist[s+1] of the
	// probabilities, in units of 2⁻¹⁵. dist[n] is larger than every value that a decoder computes.
	dist  []uint16
	count []uint16
	// table[v>>shift] is the first symbol that a decoder compares with the value v. Encoders have no
	// table.
	table []uint16
	n     uint32
	left  uint32 // symbols until the next update
	cycle uint32 // symbols between updates
	total uint32
	shift uint8
}

// reset forgets all symbols.
func (m *model) reset() { m.left = 0 }

// tableBits returns the binary logarithm of the size of the table of n symbols.
func tableBits(n uint32) uint8 {
	bits := uint8(3)
	for bits < 8 && 1<<bits < 2*n {
		bits++
	}
	return bits
}

// start prepares the model for the first symbol. All symbols have equal probabilities.
func (m *model) start(decoding bool) {
	if m.dist == nil {
		cells := make([]uint16, 2*m.n+1)
		m.dist, m.count = cells[:m.n+1], cells[m.n+1:]
		m.dist[m.n] = 1<<16 - 1
		if decoding {
			bits := tableBits(m.n)
			m.shift = symbolBits - bits
			// A value can exceed 2¹⁵ by less than 64, because the length of the interval is rounded
			// down to a multiple of 2¹⁵.
			m.table = make([]uint16, 1<<bits+1)
		}
	}
	for i := range m.count {
		m.count[i] = 1
	}
	m.total, m.cycle = 0, m.n
	m.update()
	m.cycle = (m.n + 6) >> 1
	m.left = m.cycle
}

// update computes the distribution from the counts. Counts are halved if their sum exceeds 2¹⁵.
func (m *model) update() {
	m.total += m.cycle
	if m.total > 1<<symbolBits {
		m.total = 0
		for i, c := range m.count {
			c = (c + 1) >> 1
			m.count[i] = c
			m.total += uint32(c)
		}
	}
	scale, sum := (1<<31)/m.total, uint32(0)
	dist := m.dist[:len(m.count)]
	for i, c := range m.count {
		dist[i] = uint16(scale * sum >> (31 - symbolBits))
		sum += uint32(c)
	}
	if m.table != nil {
		m.index()
	}
	m.cycle = min(5*m.cycle>>2, (m.n+6)<<3)
	m.left = m.cycle
}

// index fills the table.
func (m *model) index() {
	table, shift := m.table, m.shift&15
	t := 0
	for s, d := range m.dist[1:] {
		// For values below d, in the slots before ⌈d/2^shift⌉, the search starts at symbol s or
		// before.
		end := min((int(d)+1<<shift-1)>>shift, len(table))
		for ; t < end; t++ {
			table[t] = uint16(s)
		}
	}
}

// A bitModel is an adaptive probability of a bit. left = 0 means that the model must be initialized
// before the next bit.
type bitModel struct {
	zeros, total, prob uint32 // prob is the probability of 0, in units of 2⁻¹³
	left, cycle        uint32
}

func (m *bitModel) reset() { m.left = 0 }

func (m *bitModel) start() {
	*m = bitModel{zeros: 1, total: 2, prob: 1 << (bitBits - 1), left: 4, cycle: 4}
}

func (m *bitModel) update() {
	m.total += m.cycle
	if m.total > 1<<bitBits {
		m.total = (m.total + 1) >> 1
		m.zeros = (m.zeros + 1) >> 1
		if m.zeros == m.total {
			m.total++
		}
	}
	m.prob = m.zeros * ((1 << 31) / m.total) >> (31 - bitBits)
	m.cycle = min(5*m.cycle>>2, 64)
	m.left = m.cycle
}

// models returns count models of n symbols.
func models(count int, n uint32) []model {
	m := make([]model, count)
	for i := range m {
		m[i].n = n
	}
	return m
}

func resetAll(m []model) {
	for i := range m {
		m[i].left = 0
	}
}
