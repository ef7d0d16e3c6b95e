package nearest

import "math"

// nodeBounds writes to out, for each box of n, a lower bound of the squared distance
// from q. It returns in bits 0 to 7 the lanes where it is at most the limit of q, and in
// bits 8 to 10 the lane of the smallest but for the last three bits, of several the
// lowest.
func nodeBounds(n *wideNode, q *query, out *[lanes]float32) (near uint32) {
	if hasAVX2 {
		return nodeBoundsAVX2(n, q, out)
	}
	return nodeBoundsGeneric(n, q, out)
}

// blockBounds does for the triangles of b what nodeBounds does for boxes, but for
// the smallest.
func blockBounds(b *block, q *query, out *[lanes]float32) (near uint32) {
	if hasAVX2 {
		return blockBoundsAVX2(b, q, out)
	}
	return blockBoundsGeneric(b, q, out)
}

// nodeBoundsGeneric is nodeBounds without assembly.
func nodeBoundsGeneric(n *wideNode, q *query, out *[lanes]float32) (near uint32) {
	first := uint32(math.MaxUint32)
	for k := range lanes {
		x, y, z := q.p[0]-n.c[0][k], q.p[1]-n.c[1][k], q.p[2]-n.c[2][k]
		var sum float32
		for i := range n.a {
			v := float32(n.a[i][0][k]*x) + float32(n.a[i][1][k]*y) + float32(n.a[i][2][k]*z)
			v = max(abs(v)-n.e[i][k]-q.margin, 0)
			sum += float32(v * v)
		}
		out[k] = sum
		if sum <= q.limit {
			near |= 1 << k
		}
		first = min(first, math.Float32bits(sum)&^(lanes-1)|uint32(k))
	}
	return near | first&(lanes-1)<<lanes
}

// blockBoundsGeneric is blockBounds without assembly.
func blockBoundsGeneric(b *block, q *query, out *[lanes]float32) (near uint32) {
	for k := range lanes {
		height := max(abs(excess(&b.n, q, k))-q.margin, 0)
		side := max(excess(&b.m[0], q, k), excess(&b.m[1], q, k), excess(&b.m[2], q, k))
		side = max(side-q.margin, 0)
		sum := float32(height*height) + float32(side*side)
		out[k] = sum
		if sum <= q.limit {
			near |= 1 << k
		}
	}
	return near
}

// excess returns how far q is beyond a plane of lane k.
func excess(plane *[4][lanes]float32, q *query, k int) float32 {
	return float32(plane[0][k]*q.p[0]) + float32(plane[1][k]*q.p[1]) + float32(plane[2][k]*q.p[2]) - plane[3][k]
}

func abs(x float32) float32 { return max(x, -x) }
