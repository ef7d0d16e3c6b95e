package mesh

import (
	"math"

	"github.com/golang/geo/r3"
)

// lattice is a cubic lattice of unit cells with a random centre in each, around
// the cube from 0 to cells.
type lattice struct {
	width   int // cells along an edge, with rings more on each side
	centres []r3.Vector
}

const (
	// jitter is how far a centre may be from the middle of its cell, along each axis.
	jitter = 0.4
	// rings is how many cells around that of a point distances looks at.
	rings = 2
	// margin is how many cells lie around the cube: points up to one cell outside
	// see all their rings.
	margin = rings + 1
)

// newLattice places the centres.
func newLattice(cells int, seed uint64) *lattice {
	l := &lattice{width: cells + 2*margin}
	for z := range l.width {
		for y := range l.width {
			for x := range l.width {
				at := func(c, axis int) float64 {
					return float64(c-margin) + 0.5 + jitter*(2*uniform(seed, axis, x, y, z)-1)
				}
				l.centres = append(l.centres, r3.Vector{X: at(x, 0), Y: at(y, 1), Z: at(z, 2)})
			}
		}
	}
	return l
}

// distances returns the distance of p, at most one cell outside the cube, to the
// nearest and to the third-nearest centre.
//
// A centre beyond ring r is at least r+½−jitter from p. Ring 2 is always enough:
// the centre of p's own cell and those of the two nearest neighbours across its
// sides are within √(0.9²+0.9²+1.4²) < 1.9 < 2.1.
func (l *lattice) distances(p r3.Vector) (d1, d3 float64) {
	cx, cy, cz := int(math.Floor(p.X))+margin, int(math.Floor(p.Y))+margin, int(math.Floor(p.Z))+margin
	for r := 1; ; r++ {
		a, b, c := math.Inf(1), math.Inf(1), math.Inf(1) // the three smallest squares
		for z := cz - r; z <= cz+r; z++ {
			for y := cy - r; y <= cy+r; y++ {
				row := (z*l.width + y) * l.width
				for _, q := range l.centres[row+cx-r : row+cx+r+1] {
					switch d := q.Sub(p).Norm2(); {
					case d < a:
						a, b, c = d, a, b
					case d < b:
						b, c = d, b
					case d < c:
						c = d
					}
				}
			}
		}
		if d3 = math.Sqrt(c); r == rings || d3 <= float64(r)+0.5-jitter {
			return math.Sqrt(a), d3
		}
	}
}

// uniform returns a number in [0, 1) that looks random: the finalizer of
// SplitMix64 (Steele, Lea, Flood 2014) after each argument.
func uniform(seed uint64, salt, x, y, z int) float64 {
	h := seed
	for _, k := range [4]int{salt, x, y, z} {
		h += 0x9e3779b97f4a7c15 + uint64(k)
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return float64(h>>11) * 0x1p-53
}
