package blocks

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/voxels"
)

// contenders are the solids that can have a part of a box. The active solids can have faces in the box;
// they are in the order of priority. The solid whole has a lower priority and contains the whole box, or
// is None.
type contenders struct {
	active  []int32
	whole   int32
	overlap bool    // all solids count, whatever their priority; see Options.Overlap
	also    []int32 // with overlap: all solids that contain the whole box
}

// several reports whether several solids contain the whole box, which happens only with overlap.
func (c *contenders) several() bool { return len(c.also) > 1 }

// contest returns the contenders for a box among the solids of c.
func (w *Worker) contest(b bvh.Box, c contenders) (contenders, error) {
	next := contenders{whole: c.whole, overlap: c.overlap, also: c.also[:len(c.also):len(c.also)]}
	for _, s := range c.active {
		w.boxes = append(w.boxes[:0], b)
		at, err := w.classify(int(s), w.boxes)
		if err != nil {
			return next, err
		}
		if !next.add(s, at[0]) {
			break
		}
	}
	return next, nil
}

// add adds a solid with the given position. It returns false if no space is left for solids of
// lower priority.
func (c *contenders) add(s int32, p voxels.Position) bool {
	switch p {
	case voxels.Inside:
		if !c.overlap {
			c.whole = s
			return false
		}
		if c.also = append(c.also, s); c.whole == None {
			c.whole = s
		}
	case voxels.Outside:
	default:
		c.active = append(c.active, s)
	}
	return true
}

// good is the width of bounds below which no block is divided further (tuning).
const good = 0x1p-20

// divide adds the shares of the box b among the contenders, times weight, to w.shares and w.bounds.
func (w *Worker) divide(b bvh.Box, c contenders, weight float64, level int) error {
	if len(c.active) == 0 {
		if c.whole != None {
			w.shares[c.whole] += weight
		}
		return nil
	}
	p := w.partitions[c.active[0]]
	if p != nil && (len(c.active) > 1 || !w.shapes[c.active[0]].known) && (w.exact(p, b, c, weight) || w.planar(p, b, c, weight)) {
		return nil
	}
	list := make([]share, 0, 8)
	known := true
	for _, s := range c.active {
		x, ok := w.integral.share(w.shapes[s], b)
		if !ok {
			x, known = share{0.5, 0, 1}, false
		}
		list = append(list, x)
	}
	parts := w.rank(list, c.whole != None)
	if width(parts) < good || level == 0 || len(c.active) == 1 && known {
		return w.leaf(b, c, list, parts, weight)
	}
	octants, ok := split(b)
	if !ok {
		return w.leaf(b, c, list, parts, weight)
	}
	size := b.Size()
	for _, o := range octants {
		next, err := w.contest(o, c)
		if err != nil {
			return err
		}
		// The volumes of octants differ by the rounding of the planes between them.
		if err := w.divide(o, next, weight*ratio(o.Size(), size), level-1); err != nil {
			return err
		}
	}
	return nil
}

// rank converts the shares of the contenders to shares of the space that solids of higher priority leave.
// It assumes nothing about how the solids overlap. If rest is true, it appends the share of the remaining
// space, which belongs to the solid whole.
func (w *Worker) rank(list []share, rest bool) []share {
	lo, hi := 0.0, 0.0 // bounds of the share of the union
	out := make([]share, 0, len(list)+1)
	for _, s := range list {
		p := share{s.x, max(0, s.lo-hi), min(s.hi, 1-lo)}
		p.x = min(max(p.x, p.lo), p.hi)
		out = append(out, p)
		lo, hi = max(lo+p.lo, s.lo), min(1, hi+min(p.hi, s.hi))
	}
	if rest {
		out = append(out, share{1 - (lo+hi)/2, 1 - hi, 1 - lo})
	}
	return out
}

// width returns the largest difference of the bounds of shares.
func width(list []share) (most float64) {
	for _, s := range list {
		most = max(most, s.hi-s.lo)
	}
	return most
}

// leaf adds the shares of a box that is not divided further.
func (w *Worker) leaf(b bvh.Box, c contenders, list, parts []share, weight float64) error {
	const fine = 0x1p-30 // tuning: below this width, samples cannot improve an estimate
	if width(parts) > fine {
		w.sample(b, c, list, parts)
	}
	left := 1.0
	for i, p := range parts {
		s := c.whole
		if i < len(c.active) {
			s = c.active[i]
		}
		if p.x = min(p.x, left); i == len(c.active) {
			p.x = min(left, min(max(left, p.lo), p.hi))
		}
		left -= p.x
		w.shares[s] += weight * p.x
		w.bounds[s] += weight * max(p.hi-p.x, p.x-p.lo)
	}
	return nil
}

// sample estimates the overlap of the contenders from eight points of the box. The bounds stay certain.
func (w *Worker) sample(b bvh.Box, c contenders, list, parts []share) {
	const n = 8
	octants, ok := split(b)
	if !ok {
		return
	}
	own, alone := make([]float64, len(c.active)), make([]float64, len(c.active))
	for _, o := range octants {
		p, taken := center(&o), false
		for i, s := range c.active {
			if w.shapes[s].set.Exact.Side(p).Contains() {
				own[i]++
				if !taken {
					alone[i]++
				}
				taken = true
			}
		}
	}
	for i := range c.active {
		x := alone[i] / n
		if s := &list[i]; s.hi-s.lo < 1 { // the integral is better than the samples
			x = s.x - (own[i]-alone[i])/n
		}
		parts[i].x = min(max(x, parts[i].lo), parts[i].hi)
	}
}

// split returns the eight octants of a box, or false if the box is too small to be halved.
func split(b bvh.Box) (octants [8]bvh.Box, ok bool) {
	c := center(&b)
	if !(b.Min.X < c.X && c.X < b.Max.X && b.Min.Y < c.Y && c.Y < b.Max.Y && b.Min.Z < c.Z && c.Z < b.Max.Z) {
		return octants, false
	}
	for i := range octants {
		o := bvh.Box{Min: b.Min, Max: c}
		if i&1 != 0 {
			o.Min.X, o.Max.X = c.X, b.Max.X
		}
		if i&2 != 0 {
			o.Min.Y, o.Max.Y = c.Y, b.Max.Y
		}
		if i&4 != 0 {
			o.Min.Z, o.Max.Z = c.Z, b.Max.Z
		}
		octants[i] = o
	}
	return octants, true
}

// fill computes the shares of row r among the contenders.
func (w *Worker) fill(rows *Rows, r int, c contenders) error {
	if w.opt.Overlap {
		for _, s := range c.also {
			rows.Shares[s][r] = 1
		}
		for _, s := range c.active {
			if err := w.one(rows, r, contenders{active: []int32{s}, whole: None}); err != nil {
				return err
			}
		}
		return nil
	}
	return w.one(rows, r, c)
}

func (w *Worker) one(rows *Rows, r int, c contenders) error {
	clear(w.shares)
	clear(w.bounds)
	if err := w.divide(rows.Rows[r].Box, c, 1, w.opt.Levels); err != nil {
		return err
	}
	left := 1.0
	for s, x := range w.shares {
		if x != 0 || w.bounds[s] != 0 {
			e := w.bounds[s]
			if e > 0 || x != 1 { // the rounding of weights, of at most 8⁸ sums of parts, and of the next line
				e = min(1, e*(1+0x1p-20)+256*u)
			}
			x = min(x, left)
			left -= x
			rows.Shares[s][r], rows.Bounds[s][r] = x, e
		}
	}
	return nil
}

// ratio returns the volume of a box of size v, relative to a box of size w.
func ratio(v, w r3.Vector) float64 { return v.X / w.X * (v.Y / w.Y) * (v.Z / w.Z) }
