package main

// libcRandom is rand() of the GNU C library: an additive feedback generator over 31
// words, seeded by a linear one, whose first 310 numbers are thrown away.
type libcRandom struct {
	state [31]uint32
	at    int
}

// libcMax is RAND_MAX.
const libcMax = 1<<31 - 1

func newLibcRandom(seed int64) *libcRandom {
	r := &libcRandom{at: 3}
	r.state[0] = uint32(seed)
	for i := 1; i < len(r.state); i++ {
		seed = seed * 16807 % libcMax
		r.state[i] = uint32(seed)
	}
	for range 310 {
		r.next()
	}
	return r
}

func (r *libcRandom) next() uint32 {
	i := r.at
	r.at = (i + 1) % 31
	// The word of 31 steps ago is here, that of 3 steps ago lies 28 further on.
	r.state[i] += r.state[(i+28)%31]
	return r.state[i] >> 1
}
