package nearest

// part is a range of triangles.
type part struct{ lo, hi int }

func (p part) len() int { return p.hi - p.lo }

// bound is an upright box in single precision: the minima, and the maxima with
// opposite sign. It guides the division of ranges, and decides nothing.
type bound [6]float32

func (b *bound) cover(o *bound) {
	for i := range b {
		if o[i] < b[i] {
			b[i] = o[i]
		}
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

// coarse is how many chunks of a long range are looked at before the place of its
// division is refined. A range is refined where it is at most that long.
const coarse = 64

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
		at := b.cut(q, capacity)
		copy(parts[largest+2:], parts[largest+1:n])
		parts[largest], parts[largest+1] = part{q.lo, at}, part{at, q.hi}
		n++
	}
	return parts, n
}

// cut returns where to divide p, by the surface area heuristic with children of the
// given capacity: the sum, over both sides, of their area times the number of
// children they fill. Neither side is smaller than an eighth, which bounds the depth.
func (b *wideBuilder) cut(p part, capacity int) int {
	least := (p.len() + 7) / 8
	first, last := p.lo+least, p.hi-least
	if p.len() <= coarse {
		return b.cutFine(p, first, last, capacity, 1)
	}
	step := (p.len() + coarse - 1) / coarse
	at := b.cutFine(p, first, last, capacity, step)
	// The range between the neighbours of that place is looked at again.
	lo, hi := max(first, at-step), min(last, at+step)
	return b.cutWithin(p, lo, hi, capacity)
}

// cutFine looks at every step-th place, at most coarse of them, from first to last.
func (b *wideBuilder) cutFine(p part, first, last, capacity, step int) int {
	var places [coarse + 2]int
	n := 0
	for i := first; i <= last && n < len(places); i += step {
		places[n] = i
		n++
	}
	var right [coarse + 2]float32
	box, from := b.bounds[p.hi-1], p.hi-1
	for k := n - 1; k >= 0; k-- {
		for ; from > places[k]; from-- {
			box.cover(&b.bounds[from-1])
		}
		right[k] = box.area()
	}
	best, cost := places[0], float32(0)
	box, from = b.bounds[p.lo], p.lo+1
	for k := range n {
		for ; from < places[k]; from++ {
			box.cover(&b.bounds[from])
		}
		c := box.area()*children(places[k]-p.lo, capacity) + right[k]*children(p.hi-places[k], capacity)
		if k == 0 || c < cost {
			best, cost = places[k], c
		}
	}
	return best
}

// cutWithin looks at all places from lo to hi, thinned to coarse of them.
func (b *wideBuilder) cutWithin(p part, lo, hi, capacity int) int {
	return b.cutFine(p, lo, hi, capacity, max(1, (hi-lo+coarse-1)/coarse))
}

// children returns how many children of a capacity n triangles fill.
func children(n, capacity int) float32 { return float32((n + capacity - 1) / capacity) }
