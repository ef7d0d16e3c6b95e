package build

import (
	"math"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/side"
)

// If a mesh has many copies of a face, its winding numbers can be far from all thresholds. Then a cell
// has one side although J differs from every integer by more than ½.

// sideRoom finds a side for a single cell in which an approximation of J is between least and most.
// If the error of the approximation is less than room, all points off the faces have one side. It
// is the side of k − j, for every winding number k that the mesh and its caps have in the cell. If
// there is no such side, room is NaN or at most 0.
func (l *labeler) sideRoom(b *openBox, least, most float64) (room, j float64) {
	if l.Rule == side.EvenOdd { // integers next to each other have different sides
		return 0, 0
	}
	low, high, ok := l.windingRange(b)
	if !ok || !(math.Abs(least) < 1<<20 && math.Abs(most) < 1<<20) {
		return 0, 0
	}
	choose := func(r, at float64) {
		if r > room {
			room, j = r, at
		}
	}
	// All winding numbers of the mesh are between low − most and high − least.
	above, below := low-most, high-least
	if l.Rule != side.Negative {
		choose(above-0.5, low-1)
	}
	if l.Rule != side.Positive {
		choose(-0.5-below, high+1)
	}
	switch l.Rule {
	case side.Positive:
		choose(0.5-below, high)
	case side.Negative:
		choose(above+0.5, low)
	}
	// The last term covers the points of the enlarged cell beyond its corners.
	return room - 2*capEpsilon - 0x1p-15*(math.Abs(least)+math.Abs(most)), j
}

// windingRange returns bounds of the winding numbers of the mesh and its caps in a single cell. ok is
// false if they are not known.
func (l *labeler) windingRange(b *openBox) (low, high float64, ok bool) {
	top := l.Top[b.brick.position]
	if top&layout.TopRayOnly != 0 {
		return 0, 0, false
	}
	word, bit := top>>3*layout.BrickSide+uint32(b.at[2]), uint(b.at[0]|b.at[1]<<layout.BrickBits)
	if w := &l.Words[word]; w.Crossed>>bit&1 == 0 {
		k := float64(l.W[top>>3][w.Value>>bit&1])
		return k, k, math.Abs(k) < 1<<20
	}
	id := l.RecordOf(word, bit)
	first := l.Record(id)
	if !first.HasPlanes() {
		return 0, 0, false
	}
	// A segment from a point to a reference crosses each face at most once.
	crossings := 0.0
	for r := first; ; id, r = r.Next(), l.Record(r.Next()) {
		for _, f := range l.Faces(id)[:r.Planes()] {
			if f >= 0 {
				crossings += math.Abs(float64(l.CopiesOf(f).All))
			}
		}
		if r.Kind() != layout.KindMore {
			break
		}
	}
	_, _, w := first.Reference(0)
	return float64(w) - crossings, float64(w) + crossings, crossings < 1<<15
}
