package polygon

// walk follows pairs of features to the closest ones, from those remembered (Schinner
// 1999, §4.2): while the closest point of one feature is outside the Voronoi region of the
// other, it replaces that feature by the one that shares the boundary which is violated.
// All conditions are exact signs. It returns false if it met a corner on the inner side of an
// edge or on it, where the features may lead nowhere, or if it took more steps than there
// are features; only features whose points are in each other's regions, and apart, are
// closest, so what it accepts proves that the bodies are separated.
//
// The closest features are unique by convention: a point at the end of an edge belongs to the
// corner; two parallel edges that face each other along some length are both closest.
func (p *Pair) walk(f *frame) bool {
	n := [2]int{f.body[0].shape.Len(), f.body[1].shape.Len()}
	v := p.feature
	for k := range v {
		if int(v[k].Index) >= n[k] {
			v[k] = Feature{}
		}
	}
	for limit := 2 * (n[0] + n[1]); limit > 0; limit-- {
		p.stats.Steps++
		switch next, verdict := f.step(v); verdict {
		case closest:
			p.feature = next
			return true
		case inside:
			p.feature = next
			return false
		default:
			v = next
		}
	}
	p.feature = v
	return false
}

// verdict is what is known of a pair of features.
type verdict int8

const (
	farther verdict = iota // others are closer
	closest                // closest and apart
	inside                 // a corner is on the inner side of an edge, or on it
)

// step looks at one pair of features, and returns a closer one unless the verdict says
// otherwise.
func (f *frame) step(v [2]Feature) ([2]Feature, verdict) {
	switch {
	case v[0].Edge && v[1].Edge:
		return f.stepEdges(v)
	case v[0].Edge:
		return f.stepEdgeCorner(v, 0)
	case v[1].Edge:
		return f.stepEdgeCorner(v, 1)
	}
	return f.stepCorners(v)
}

// stepCorners: each corner must be in the region of the other, which its two edges bound by
// the normals through the corner.
func (f *frame) stepCorners(v [2]Feature) ([2]Feature, verdict) {
	a, b := f.corner(0, int(v[0].Index)), f.corner(1, int(v[1].Index))
	// Edges at a right angle to the line between the corners.
	var after, before [2]bool
	for k := range v {
		from, to := &a, &b
		if k == 1 {
			from, to = to, from
		}
		i := int(v[k].Index)
		next := f.corner(k, f.next(k, i))
		switch f.dotSign(from, to, from, &next) {
		case +1:
			v[k] = edgeFeature(i)
			return v, farther
		case 0:
			after[k] = true
		}
		i = f.previous(k, i)
		previous := f.corner(k, i)
		switch f.dotSign(from, to, from, &previous) {
		case +1:
			v[k] = edgeFeature(i)
			return v, farther
		case 0:
			before[k] = true
		}
	}
	if f.dotSign(&a, &b, &a, &b) == 0 {
		return v, inside // one point
	}
	// The edge after one corner goes the same way as that before the other.
	for k := range v {
		if after[k] && before[1-k] {
			v[k], v[1-k] = edgeFeature(int(v[k].Index)), edgeFeature(f.previous(1-k, int(v[1-k].Index)))
			break
		}
	}
	return v, closest
}

// stepEdgeCorner: the edge is that of body k. The corner must be between the normals through
// the ends of the edge, on the outer side, and its own edges must not come closer; at most
// one of them is parallel.
func (f *frame) stepEdgeCorner(v [2]Feature, k int) ([2]Feature, verdict) {
	i, j := int(v[k].Index), int(v[1-k].Index)
	p, q := f.corner(k, i), f.corner(k, f.next(k, i))
	c := f.corner(1-k, j)
	if f.dotSign(&p, &q, &p, &c) <= 0 {
		v[k] = cornerFeature(i)
		return v, farther
	}
	if f.dotSign(&p, &q, &q, &c) >= 0 {
		v[k] = cornerFeature(f.next(k, i))
		return v, farther
	}
	if f.crossSign(&p, &q, &p, &c) >= 0 {
		return v, inside
	}
	next := f.corner(1-k, f.next(1-k, j))
	after := f.crossSign(&p, &q, &c, &next)
	if after > 0 {
		v[1-k] = edgeFeature(j)
		return v, farther
	}
	last := f.previous(1-k, j)
	previous := f.corner(1-k, last)
	before := f.crossSign(&p, &q, &c, &previous)
	if before > 0 {
		v[1-k] = edgeFeature(last)
		return v, farther
	}
	switch {
	case after == 0:
		v[1-k] = edgeFeature(j)
	case before == 0:
		v[1-k] = edgeFeature(last)
	}
	return v, closest
}

// stepEdges: one of the closest points of two edges is an end. The end of the second edge
// that is nearer to the line of the first one is that, if it is in the region of the first
// edge; otherwise the second edge leaves that region on the way to it, at an end of the first
// edge.
func (f *frame) stepEdges(v [2]Feature) ([2]Feature, verdict) {
	i, j := int(v[0].Index), int(v[1].Index)
	p, q := f.corner(0, i), f.corner(0, f.next(0, i))
	r, s := f.corner(1, j), f.corner(1, f.next(1, j))
	if f.crossSign(&p, &q, &r, &s) > 0 {
		r, j = s, f.next(1, j)
	}
	switch {
	case f.dotSign(&p, &q, &p, &r) <= 0:
		v[0] = cornerFeature(i)
	case f.dotSign(&p, &q, &q, &r) >= 0:
		v[0] = cornerFeature(f.next(0, i))
	default:
		v[1] = cornerFeature(j)
	}
	return v, farther
}
