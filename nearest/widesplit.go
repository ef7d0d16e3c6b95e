package nearest

import "math"

// part is a range of triangles.
type part struct{ lo, hi int }

func (p part) len() int { return p.hi - p.lo }

// bound is an upright box in single precision: the minima, and the maxima with
// opposite sign. It guides the division of ranges, and decides nothing.
type bound [6]float32

func (b *bound) cover(o *bound) {
	for i := range b {
		b[i] = min(b[i], o[i])
	}
}

// area returns half the area of the box.
func (b *bound) area() float32 {
	x, y, z := -b[3]-b[0], -b[4]-b[1], -b[5]-b[2]
	return x*y + y*z + z*x
}

// boundOf returns the box of triangle i.
func (b *wideBuilder) boundOf(i int) (r bound) {
	for k, v := range b.tris[i] {
		v = v.Sub(b.center).Mul(b.scale)
		x := bound{float32(v.X), float32(v.Y), float32(v.Z), float32(-v.X), float32(-v.Y), float32(-v.Z)}
		if k == 0 {
			r = x
		} else {
			r.cover(&x)
		}
	}
	return r
}

// runLength is the length of the runs of triangles whose boxes are known beforehand.
// Ranges longer than longRange are first divided between runs, then looked at again
// about that place: they are cut within a run of the best place at least.
const (
	runLength = 16
	longRange = 512
)

// divide cuts p, which has more triangles than a block, into two to eight parts. It
// goes on to cut the largest until all fit into children of the lowest height that
// can hold p, or there are eight.
func (b *wideBuilder) divide(p part) (parts [lanes]part, n int) {
	capacity := lanes
	for capacity*lanes < p.len() {
		capacity *= lanes
	}
	parts[0], n = p, 1
	for n < lanes {
		largest := 0
		for k, q := range parts[:n] {
			if q.len() > parts[largest].len() {
				largest = k
			}
		}
		q := parts[largest]
		if q.len() <= capacity {
			break
		}
		at := b.cut(q)
		copy(parts[largest+2:], parts[largest+1:n])
		parts[largest], parts[largest+1] = part{q.lo, at}, part{at, q.hi}
		n++
	}
	return parts, n
}

// cut returns where to divide p, by the surface area heuristic: where the sum, over
// both sides, of area times number of blocks is smallest. Neither side is smaller than
// an eighth, which bounds the depth.
func (b *wideBuilder) cut(p part) int {
	least := (p.len() + 7) / 8
	first, last := p.lo+least, p.hi-least
	if p.len() <= longRange {
		return b.cutBetween(p, first, last, b.boundOver(p.lo, first), b.boundOver(last, p.hi))
	}
	at := b.cutRuns(p, (first+runLength-1)/runLength, last/runLength) * runLength
	first, last = max(first, at-runLength), min(last, at+runLength)
	return b.cutBetween(p, first, last, b.boundOver(p.lo, first), b.boundOver(last, p.hi))
}

// cutBetween returns the best place from first to last, at most longRange on; left and
// right are the boxes of what is before and beyond.
func (b *wideBuilder) cutBetween(p part, first, last int, left, right bound) int {
	var areas [longRange]float32
	for i := last; i > first; i-- {
		areas[i-first] = right.area()
		right.cover(&b.bounds[i-1])
	}
	areas[0] = right.area()
	best, cost := first, float32(math.Inf(1))
	for i := first; i <= last; i++ {
		if c := left.area()*filled(i-p.lo) + areas[i-first]*filled(p.hi-i); c < cost {
			best, cost = i, c
		}
		if i < last {
			left.cover(&b.bounds[i])
		}
	}
	return best
}

// cutRuns does what cutBetween does for runs, from first to last.
func (b *wideBuilder) cutRuns(p part, first, last int) int {
	areas := make([]float32, last-first+1)
	right := b.boundOver(last*runLength, p.hi)
	for i := last; i > first; i-- {
		areas[i-first] = right.area()
		right.cover(&b.runs[i-1])
	}
	areas[0] = right.area()
	left := b.boundOver(p.lo, first*runLength)
	best, cost := first, float32(math.Inf(1))
	for i := first; i <= last; i++ {
		if c := left.area()*filled(i*runLength-p.lo) + areas[i-first]*filled(p.hi-i*runLength); c < cost {
			best, cost = i, c
		}
		if i < last {
			left.cover(&b.runs[i])
		}
	}
	return best
}

// boundOver returns the box of a range that is not empty.
func (b *wideBuilder) boundOver(lo, hi int) bound {
	r := b.bounds[lo]
	for i := lo + 1; i < hi; {
		if i%runLength == 0 && i+runLength <= hi {
			r.cover(&b.runs[i/runLength])
			i += runLength
			continue
		}
		r.cover(&b.bounds[i])
		i++
	}
	return r
}

// filled returns how many blocks n triangles fill.
func filled(n int) float32 { return float32((n + lanes - 1) / lanes) }
