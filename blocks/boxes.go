package blocks

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/vec"
)

// Around returns a row for Boxes: the block with the given center in the world, and the given lengths along
// the axes of the frame. The sides are rounded to float64 in local coordinates. If they are not exact, the
// bounds of the shares include this rounding.
//
// ok is false if a coordinate is not finite, if a length is not finite and positive, or if the block is too
// small or too far away for float64.
func (m *Model) Around(center, size r3.Vector) (row Row, ok bool) {
	if !vec.Finite(center) || !vec.Finite(size) || !(size.X > 0 && size.Y > 0 && size.Z > 0) {
		return row, false
	}
	radius := 0.0
	if m.place != nil {
		center, radius = m.place.Position(center)
	}
	c, h := components(center), components(size)
	var lo, hi, slack [3]float64
	for k := range c {
		var below, above float64
		lo[k], below = sum(c[k], -h[k]/2)
		hi[k], above = sum(c[k], h[k]/2)
		if !(lo[k] < c[k] && c[k] < hi[k]) || math.IsInf(lo[k], 0) || math.IsInf(hi[k], 0) {
			return row, false
		}
		if h[k] < 0x1p-1021 { // the half can be rounded
			below = max(below, math.SmallestNonzeroFloat64)
		}
		if slack[k] = max(math.Abs(below), math.Abs(above)); radius > 0 {
			slack[k] = math.Nextafter(slack[k]+radius, math.Inf(1))
		}
	}
	return Row{Box: bvh.Box{Min: vector(lo), Max: vector(hi)}, slack: vector(slack)}, true
}

// sum returns a+b, rounded, and the exact error (D. E. Knuth, The Art of Computer Programming 2, theorem B of
// section 4.2.2).
func sum(a, b float64) (s, e float64) {
	s = a + b
	x := s - a
	return s, (a - (s - x)) + (b - x)
}

// closed returns the smallest float64 box that contains the block.
func (r *Row) closed() bvh.Box {
	if r.slack == (r3.Vector{}) {
		return r.Box
	}
	inf := math.Inf(1)
	var lo, hi [3]float64
	a, b, s := components(r.Box.Min), components(r.Box.Max), components(r.slack)
	for k := range s {
		if lo[k], hi[k] = a[k], b[k]; s[k] > 0 {
			lo[k], hi[k] = math.Nextafter(a[k]-s[k], -inf), math.Nextafter(b[k]+s[k], inf)
		}
	}
	return bvh.Box{Min: vector(lo), Max: vector(hi)}
}

// widen adds the rounding of the sides of row r to the bounds of its contenders.
//
// Let t be slack/length along an axis. The exact block and Box differ in six thin layers. Their volume is at
// most 2Σt times the volume of the block, and the volume of the block changes by at most as much. So a share
// changes by at most 4Σt, up to terms in t².
func (r *Row) widen(rows *Rows, at int, c contenders) {
	t, size := 0.0, components(r.Box.Size())
	for k, s := range components(r.slack) {
		t += s / size[k]
	}
	e := 1.0
	if t < 1.0/64 {
		e = 5 * t
	}
	add := func(s int32) { rows.Bounds[s][at] = min(1, rows.Bounds[s][at]+e) }
	for _, s := range c.active {
		add(s)
	}
	if c.whole != None && !c.overlap {
		add(c.whole)
	}
}

// Boxes computes the shares of rows that Around has returned, or whose field Box is set. It sets Mixed and
// Single. Boxes is faster if blocks that are near each other in space are near each other in the list.
//
// Errors: the error of the context of w.
func (w *Worker) Boxes(rows *Rows) error {
	n := len(rows.Rows)
	cases := make([]contenders, n)
	open := make([]int32, n) // rows in which solids of lower priority can still have a part
	for i := range open {
		open[i] = int32(i)
		cases[i] = contenders{whole: None, overlap: w.opt.Overlap}
	}
	for s := range w.shapes {
		w.boxes = w.boxes[:0]
		for _, i := range open {
			w.boxes = append(w.boxes, rows.Rows[i].closed())
		}
		at, err := w.classify(s, w.boxes)
		if err != nil {
			return err
		}
		k := 0
		for j, i := range open {
			if cases[i].add(int32(s), at[j]) {
				open[k] = i
				k++
			}
		}
		open = open[:k]
	}
	mixed := make([]contenders, 0, n)
	for i := range rows.Rows {
		row, c := &rows.Rows[i], &cases[i]
		if row.Mixed, row.Single = len(c.active) > 0, c.whole; row.Mixed || c.several() {
			row.Mixed = true
			mixed = append(mixed, *c)
		}
	}
	return w.shareAll(rows, mixed)
}
