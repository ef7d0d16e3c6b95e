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
			p.feature = f.parallel(next)
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
	for k := range v {
		i := int(v[k].Index)
		from, to := f.corner(k, i), f.corner(1-k, int(v[1-k].Index))
		next := f.corner(k, f.next(k, i))
		if f.dotSign(&from, &to, &from, &next) > 0 {
			v[k] = edgeFeature(i)
			return v, farther
		}
		i = f.previous(k, i)
		previous := f.corner(k, i)
		if f.dotSign(&from, &to, &from, &previous) > 0 {
			v[k] = edgeFeature(i)
			return v, farther
		}
	}
	a, b := f.corner(0, int(v[0].Index)), f.corner(1, int(v[1].Index))
	if f.dotSign(&a, &b, &a, &b) == 0 {
		return v, inside // one point
	}
	return v, closest
}

// stepEdgeCorner: the edge is that of body k. The corner must be between the normals through
// the ends of the edge, on the outer side, and its own edges must not come closer.
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
	if f.crossSign(&p, &q, &c, &next) > 0 {
		v[1-k] = edgeFeature(j)
		return v, farther
	}
	j = f.previous(1-k, j)
	previous := f.corner(1-k, j)
	if f.crossSign(&p, &q, &c, &previous) > 0 {
		v[1-k] = edgeFeature(j)
		return v, farther
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

// parallel returns closest features by the convention of walk: where they lie on two edges
// that are parallel and face each other along some length, these edges.
func (f *frame) parallel(v [2]Feature) [2]Feature {
	for k := range v {
		if !v[k].Edge || v[1-k].Edge {
			continue
		}
		// The corner is inside the region of the edge, so any parallel edge faces it.
		i, j := int(v[k].Index), int(v[1-k].Index)
		p, q, c := f.corner(k, i), f.corner(k, f.next(k, i)), f.corner(1-k, j)
		for _, e := range [2]struct{ edge, end int }{{j, f.next(1-k, j)}, {f.previous(1-k, j), f.previous(1-k, j)}} {
			end := f.corner(1-k, e.end)
			if f.crossSign(&p, &q, &c, &end) == 0 {
				v[1-k] = edgeFeature(e.edge)
				break
			}
		}
		return v
	}
	if v[0].Edge {
		return v
	}
	// Two corners: the edge after one and the edge before the other, if both are at a right
	// angle to the line between the corners. Corners at one point need parallel edges only.
	i, j := int(v[0].Index), int(v[1].Index)
	a, b := f.corner(0, i), f.corner(1, j)
	for _, e := range [2]struct{ edge0, end0, edge1, end1 int }{
		{i, f.next(0, i), f.previous(1, j), f.previous(1, j)},
		{f.previous(0, i), f.previous(0, i), j, f.next(1, j)},
	} {
		p, q := f.corner(0, e.end0), f.corner(1, e.end1)
		if f.dotSign(&a, &b, &a, &p) == 0 && f.crossSign(&a, &p, &b, &q) == 0 && f.dotSign(&a, &p, &b, &q) > 0 {
			return [2]Feature{edgeFeature(e.edge0), edgeFeature(e.edge1)}
		}
	}
	return v
}
