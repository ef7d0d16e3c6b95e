package cells

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"
)

// ValidateAll is Validate without leaving anything out but rays beyond a
// thousand.
func (x *Index) ValidateAll(ctx context.Context) error {
	return x.validate(ctx, effort{lists: math.MaxInt32, rays: 1000})
}

// CellCorners returns corners of n crossed cells of all levels, drawn by seed;
// none if there are no such cells.
func (x *Index) CellCorners(n int, seed uint64) []r3.Vector {
	v := &validator{x: x, random: rand.New(rand.NewPCG(seed, 2)), seen: map[uint32]bool{}, lists: map[uint32][]int32{}}
	if len(x.top) == 0 || v.bricks() != nil || len(v.leaves) == 0 {
		return nil
	}
	out := make([]r3.Vector, n)
	for i := range out {
		leaf := v.leaves[v.random.IntN(len(v.leaves))]
		out[i] = x.corner(leaf.place, uint8(v.random.IntN(8)))
	}
	return out
}

// References returns the reference points of the crossed cell that holds p; none
// if it is another cell.
func (x *Index) References(p r3.Vector) (out []r3.Vector) {
	tx, ty, tz := x.at(p)
	if len(x.top) == 0 || !x.holds(tx, ty, tz) {
		return nil
	}
	c := place{0, [3]int32{int32(tx), int32(ty), int32(tz)}}
	_, word, bit := x.find(c.at[0], c.at[1], c.at[2])
	if x.words[word].crossed>>bit&1 == 0 {
		return nil
	}
	id, _, ok := x.leaf(tx, ty, tz, x.lineOf(word, bit), &c)
	if !ok || !x.line(id).listed() {
		return nil
	}
	for r := range 2 {
		corner, _, _ := x.line(id).reference(r)
		out = append(out, x.corner(c, corner))
	}
	return out
}

// Apexes returns the common vertices of the fans that close the boundary.
func (x *Index) Apexes() (out []r3.Vector) {
	for _, t := range x.fans {
		if n := len(out); n == 0 || out[n-1] != t[2] {
			out = append(out, t[2])
		}
	}
	return out
}

// Planned calls f while every index gets cells of the given edge, refines lists
// longer than long, and has the box of its mesh start at the given share of its
// first cell. No index may be built elsewhere meanwhile.
func Planned(edge float64, long int, start [3]float64, f func()) {
	defer func() { forced = nil }()
	forced = &plan{edge: edge, offset: start, long: long}
	f()
}
