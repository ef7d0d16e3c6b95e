package bem

import "math"

// windingGeneric is the scalar twin of the kernels. It multiplies the factors of
// the blocks of spans from the cursor on, callBlocks of them at most, lane by
// lane. With A = a−x, and b and c from their edges,
//
//	A·B = |A|² + A·e1             |B|² = A·B + (A·e1 + |e1|²)
//	A·C = |A|² + A·e2             |C|² = A·C + (A·e2 + |e2|²)
//	B·C = A·B + (A·e2 + e1·e2)    A·(B×C) = A·n
//
// and z/(|A||B||C|) = 1 + A·B/(|A||B|) + B·C/(|B||C|) + C·A/(|C||A|) + i·A·n/(|A||B||C|).
// A triangle that has a corner nearer to x than 1/√2 of its longest edge is left
// to the scalar path.
func windingGeneric(st *panelState, blocks []panelBlock, spans []Span) {
	st.count, st.used = 0, 0
	for i := range lanes {
		st.re[i], st.im[i], st.turns[i], st.sizes[i] = 1, 0, 0, 0
	}
	for ; st.span < int64(len(spans)); st.span++ {
		first, count := int64(spans[st.span].First), int64(spans[st.span].Count)
		if first < 0 || count < 0 || first+count > st.limit {
			st.done = -1
			return
		}
		for ; st.done < count; st.done++ {
			if st.count == callBlocks {
				return
			}
			st.count++
			b := first + st.done
			if missed := st.multiply(&blocks[b]); missed != 0 {
				st.list[st.used] = uint64(b)<<lanes | missed
				st.used++
			}
		}
		st.done = 0
	}
}

// multiply multiplies the factors of b into the lanes of st, and returns bits for
// the lanes that it left out.
func (st *panelState) multiply(b *panelBlock) (missed uint64) {
	dot := func(row int, d [3]float64, i int) float64 {
		return float64(d[0]*b[row][i]) + float64(d[1]*b[row+1][i]) + float64(d[2]*b[row+2][i])
	}
	for i := range lanes {
		d := [3]float64{st.x[0] - b[rowA][i], st.x[1] - b[rowA+1][i], st.x[2] - b[rowA+2][i]} // −A
		qa := float64(d[0]*d[0]) + float64(d[1]*d[1]) + float64(d[2]*d[2])
		p1, p2, det := dot(rowE1, d, i), dot(rowE2, d, i), dot(rowN, d, i)
		ab, ca := qa+p1, qa+p2
		bc := ab + (p2 + b[rowC12][i])
		qb, qc := ab+(p1+b[rowC1][i]), ca+(p2+b[rowC2][i])
		limit := b[rowLimit][i]
		if !(qa >= limit && qb >= limit && qc >= limit) {
			missed |= 1 << i
			continue
		}
		la, lb, lc := math.Sqrt(qa), math.Sqrt(qb), math.Sqrt(qc)
		y := 1 / float64(float64(la*lb)*lc)
		ybc := float64(la * y)
		st.sizes[i] += float64(limit * ybc)
		den := 1 + float64(ab*float64(lc*y)) + float64(ca*float64(lb*y)) + float64(bc*ybc)
		z := spin{st.re[i], st.im[i], st.turns[i]}.mul(den, float64(det*y))
		st.re[i], st.im[i], st.turns[i] = z.re, z.im, z.turns
	}
	return missed
}
