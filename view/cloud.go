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

// MaxPoints is how many points a picture shows as a rule: what a browser on a small
// machine still turns smoothly. A choice.
const MaxPoints = 1_000_000

// Cloud collects points and their sides: counts of all, and a fair sample to draw.
// It is safe for concurrent use.
//
// Each point has a priority, a hash of its number, and those of the highest
// priorities are kept: every subset of that size is equally likely, and which one it
// is depends on nothing but the numbers.
type Cloud struct {
	most int

	mu        sync.Mutex
	counts    [4]int64
	nonFinite int64
	kept      []sampled
	floor     uint64 // no lower priority is kept
	box       bvh.Box
}

// sampled is a point that may be drawn.
type sampled struct {
	priority uint64
	row      int64
	p        r3.Vector
	side     inpoly.Side
}

// NewCloud returns an empty Cloud that keeps up to most points, at least 0, to draw.
func NewCloud(most int) *Cloud {
	return &Cloud{most: max(0, most), box: bvh.EmptyBox()}
}

// Add counts pts with their sides; pts[i] has the number first+i, which no other point
// may have. Points that are not finite are counted and not drawn. It panics if the
// lengths differ. Memory is that of 2·most points, 48 bytes each.
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
			c.kept = append(c.kept, sampled{h, row, p, sides[i]})
			if len(c.kept) >= 2*c.most+1 {
				c.prune()
			}
		}
	}
}

// prune drops all but the most highest priorities.
func (c *Cloud) prune() {
	if len(c.kept) <= c.most {
		return
	}
	slices.SortFunc(c.kept, func(a, b sampled) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.row, b.row))
	})
	c.kept = c.kept[:c.most]
	c.floor = math.MaxUint64
	if c.most > 0 {
		c.floor = c.kept[c.most-1].priority
	}
}

// Counts returns how many points were added on each side, those that are not drawn
// included.
func (c *Cloud) Counts() (counts [4]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

// sample returns the points to draw in the order of their numbers.
func (c *Cloud) sample() []sampled {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prune()
	out := slices.Clone(c.kept)
	slices.SortFunc(out, func(a, b sampled) int { return cmp.Compare(a.row, b.row) })
	return out
}

// priority is a hash of a row number: the finalizer of SplitMix64 (Steele, Lea, Flood
// 2014), a bijection, so that no two rows have the same.
func priority(row int64) uint64 {
	x := uint64(row) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
