package raster

import (
	"cmp"
	"math"
	"slices"
)

// Triangles are drawn from near to far. If the stacks of all samples in a block would drop a
// triangle, the block skips the triangle without visiting the samples. So if many faces are in front
// of each other, the work grows with the lengths of their outlines on the screen, not with their
// areas.

// blockSize is the number of pixels along each side of a block, which divides tileSize (tuning).
const blockSize = 8

// sameDepth is the relative difference of reciprocal depths that count as equal: some units in the last
// place of the float32 numbers in the stacks.
const sameDepth = 0x1p-21

// cover holds planes of triangles that cover samples of a block or of a pixel.
type cover struct {
	opaque sheet
	glass  [layers]sheet // sheets of translucent triangles
	count  int           // number of elements of glass in use
}

// sheet is the reciprocal depth of a triangle and the set of the samples that it covers. The set of a block
// is all or nothing.
type sheet struct {
	depth affine
	mask  uint32
}

// all is the set of all samples of a block or of a pixel.
const all = 1<<samples - 1

func (c *cover) reset() { c.opaque.mask, c.count = 0, 0 }

// corners holds the screen coordinates of the first and the last samples of a block or of a pixel.
type corners [2][2]int64

// values returns the values of a function at the corners.
func (c *corners) values(f *affine) (v [4]float64) {
	for i := range v {
		v[i] = f.value(c[i&1][0], c[i>>1][1])
	}
	return v
}

// inFront reports whether a is at least b at all corners, up to sameDepth. Both are linear, so this is
// then true for all samples.
func inFront(a, b *[4]float64) bool {
	for i := range a {
		if !(b[i] <= a[i]+sameDepth*math.Abs(a[i])) {
			return false
		}
	}
	return true
}

// hides reports whether no stack would keep a fragment with the given reciprocal depths at the samples of
// the mask. Such a fragment is behind an opaque fragment, or it is translucent and behind a full stack.
func (c *cover) hides(depth *[4]float64, mask uint32, at *corners, p *paint) bool {
	if p.hidden > 0 { // visible behind opaque objects
		return false
	}
	if c.opaque.hides(depth, mask, at) {
		return true
	}
	if c.count < layers || p.isOpaque() {
		return false
	}
	for i := range c.glass {
		if !c.glass[i].hides(depth, mask, at) {
			return false
		}
	}
	return true
}

func (s *sheet) hides(depth *[4]float64, mask uint32, at *corners) bool {
	if mask&^s.mask != 0 {
		return false
	}
	v := at.values(&s.depth)
	return inFront(&v, depth)
}

// add adds a triangle that covers the samples of the mask.
func (c *cover) add(f *affine, depth *[4]float64, mask uint32, at *corners, p *paint) {
	switch {
	case p.isOpaque():
		if v := at.values(&c.opaque.depth); c.opaque.mask&^mask == 0 && (c.opaque.mask == 0 || inFront(depth, &v)) {
			c.opaque = sheet{*f, mask}
		}
	case c.count < layers:
		c.glass[c.count] = sheet{*f, mask}
		c.count++
	default:
		farthest, least := 0, math.Inf(1)
		for i := range c.glass {
			v := at.values(&c.glass[i].depth)
			if sum := v[0] + v[1] + v[2] + v[3]; sum < least {
				farthest, least = i, sum
			}
		}
		if old := c.glass[farthest].mask; old&^mask == 0 && (old != mask || depth[0]+depth[1]+depth[2]+depth[3] > least) {
			c.glass[farthest] = sheet{*f, mask}
		}
	}
}

// isOpaque reports whether all fragments of p are opaque.
func (p *paint) isOpaque() bool { return p.opacity == 1 && p.texture == nil }

// covers reports whether p has a fragment at each sample of a triangle. A texture can be transparent.
func (p *paint) covers() bool { return p.texture == nil && p.opacity > 0 }

// copies is the number of equal triangles that can be visible. Of equal opaque triangles, only the
// first is visible. Fragments of one line that are near each other are drawn once.
func (p *paint) copies() int {
	if p.isOpaque() || p.line != 0 {
		return 1
	}
	return layers
}

// fromNear returns the visible triangles by their nearest corners, from near to far. Triangles whose
// nearest corners have equal depths stay in the order of the list. fromNear omits copies that cannot
// be visible.
func (d *drawing) fromNear() []int32 {
	keys := make([]uint64, 0, len(d.triangles))
	for i := range d.triangles {
		if t := &d.triangles[i]; t.paint >= 0 {
			keys = append(keys, uint64(^math.Float32bits(max(t.near[0], t.near[1], t.near[2])))<<32|uint64(i))
		}
	}
	slices.Sort(keys)
	order := make([]int32, 0, len(keys))
	for len(keys) > 0 {
		n := 1
		for n < len(keys) && keys[n]>>32 == keys[0]>>32 {
			n++
		}
		run := len(order)
		for _, key := range keys[:n] {
			order = append(order, int32(key&math.MaxUint32))
		}
		if n > 1 {
			order = order[:run+len(d.withoutCopies(order[run:]))]
		}
		keys = keys[n:]
	}
	return order
}

// withoutCopies removes a triangle if enough copies of it come before it in the run.
func (d *drawing) withoutCopies(run []int32) []int32 {
	sorted := slices.Clone(run)
	slices.SortFunc(sorted, func(i, j int32) int { return cmp.Or(d.compare(i, j), cmp.Compare(i, j)) })
	kept, same := sorted[:0], 0
	for k, i := range sorted {
		if same++; k == 0 || d.compare(sorted[k-1], i) != 0 {
			same = 1
		}
		if same <= d.paints[d.triangles[i].paint].copies() {
			kept = append(kept, i)
		}
	}
	slices.Sort(kept)
	return run[:copy(run, kept)]
}

// compare compares the paints and the projected corners of two triangles. It returns 0 for copies,
// whichever corner comes first in each.
func (d *drawing) compare(i, j int32) int {
	t, u := &d.triangles[i], &d.triangles[j]
	if c := cmp.Compare(t.paint, u.paint); c != 0 {
		return c
	}
	a, b := t.firstCorner(), u.firstCorner()
	for k := range 3 {
		p, q := (a+k)%3, (b+k)%3
		if c := cmp.Or(cmp.Compare(t.x[p], u.x[q]), cmp.Compare(t.y[p], u.y[q]), cmp.Compare(t.near[p], u.near[q]), cmp.Compare(t.height[p], u.height[q])); c != 0 {
			return c
		}
	}
	return 0
}

// firstCorner returns the corner with the smallest screen coordinates.
func (t *triangle) firstCorner() int {
	first := 0
	for k := 1; k < 3; k++ {
		if t.x[k] < t.x[first] || t.x[k] == t.x[first] && t.y[k] < t.y[first] {
			first = k
		}
	}
	return first
}
