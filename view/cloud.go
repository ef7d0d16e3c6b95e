package view

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/vec"
)

// MaxPoints is the default limit of the points in a picture. A browser on a small computer rotates
// this number of points smoothly.
const MaxPoints = 1_000_000 // tuning

// Cloud collects points and their sides. It counts all points and stores a uniform random sample to
// draw. It is safe for concurrent use.
//
// Each point has a priority, which is a hash of its number. The sample consists of the points with
// the highest priorities. All subsets of the same size are therefore equally likely, and the sample
// depends only on the numbers of the points.
type Cloud struct {
	limit int

	mu        sync.Mutex
	counts    [4]int64
	nonFinite int64
	kept      []samplePoint
	floor     uint64 // points of lower priority cannot be in the sample
	box       bvh.Box
}

type samplePoint struct {
	priority uint64
	row      int64
	p        r3.Vector
	side     inpoly.Side
}

// NewCloud returns an empty Cloud that draws at most limit points. A negative limit means 0.
func NewCloud(limit int) *Cloud {
	return &Cloud{limit: max(0, limit), box: bvh.EmptyBox()}
}

// Add adds pts with their sides. The number of pts[i] is first+i. No two points can have the same
// number. Points that are not finite are counted, but not drawn. The Cloud stores at most 2·limit
// points of 48 bytes each. Add panics if the lengths of pts and sides differ.
func (c *Cloud) Add(first int64, pts []r3.Vector, sides []inpoly.Side) {
	if len(pts) != len(sides) {
		panic("view: points and sides differ in length")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, p := range pts {
		c.counts[sides[i]&3]++
		if !vec.Finite(p) {
			c.nonFinite++
			continue
		}
		c.box = c.box.Add(p)
		row := first + int64(i)
		if h := priority(row); h >= c.floor {
			c.kept = append(c.kept, samplePoint{h, row, p, sides[i]})
			if len(c.kept) >= 2*c.limit+1 {
				c.prune()
			}
		}
	}
}

func (c *Cloud) prune() {
	if len(c.kept) <= c.limit {
		return
	}
	slices.SortFunc(c.kept, func(a, b samplePoint) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.row, b.row))
	})
	c.kept = c.kept[:c.limit]
	c.floor = math.MaxUint64
	if c.limit > 0 {
		c.floor = c.kept[c.limit-1].priority
	}
}

// Counts returns the number of points added, indexed by side. It includes points that are not
// drawn.
func (c *Cloud) Counts() (counts [4]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

// sample returns the points of the sample in the order of their numbers.
func (c *Cloud) sample() []samplePoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prune()
	out := slices.Clone(c.kept)
	slices.SortFunc(out, func(a, b samplePoint) int { return cmp.Compare(a.row, b.row) })
	return out
}

// priority returns a hash of a row number: SplitMix64 (Steele, Lea, Flood 2014). It is a bijection,
// so no two rows have the same priority.
func priority(row int64) uint64 {
	x := uint64(row) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
