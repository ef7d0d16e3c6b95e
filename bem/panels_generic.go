package bem

import "math"

// windingGeneric is the scalar twin of the kernels. It multiplies the factors of
// the blocks of spans from the cursor on, callBlocks of them at most. With A = a−x, and b and c from their edges,
//
//	A·B = |A|² + A·e1             |B|² = A·B + (A·e1 + |e1|²)
//	A·C = |A|² + A·e2             |C|² = A·C + (A·e2 + |e2|²)
//	B·C = A·B + (A·e2 + e1·e2)    A·(B×C) = A·n
//
// and z/(|A||B||C|) = 1 + A·B/(|A||B|) + B·C/(|B||C|) + C·A/(|C||A|) + i·A·n/(|A||B||C|).
// The real part is den. A triangle is left to the scalar path if a corner is nearer
// to x than 1/√8 of its longest edge, or if den < ½.
func windingGeneric(st *panelState, blocks []panelBlock, spans []Span) {
	st.count, st.used, st.sizes = 0, 0, 0
	p := identity
	for ; st.span < int64(len(spans)); st.span++ {
		first, count := int64(spans[st.span].First), int64(spans[st.span].Count)
		if first < 0 || count < 0 || first+count > st.limit {
			st.done = -1
			return
		}
		for ; st.done < count && st.count < callBlocks; st.done++ {
			st.count++
			b := first + st.done
			if missed := st.multiply(&p, &blocks[b]); missed != 0 {
				st.list[st.used] = uint64(b)<<lanes | missed
				st.used++
			}
		}
		if st.done < count {
			break
		}
		st.done = 0
	}
	st.re, st.im, st.turns = p.re, p.im, p.turns
}

// multiply multiplies the factors of b into p, and returns bits for the lanes that
// it left out.
func (st *panelState) multiply(p *spin, b *panelBlock) (missed uint64) {
	z := *p
	for i := range lanes {
		dx, dy, dz := st.x[0]-b[rowA][i], st.x[1]-b[rowA+1][i], st.x[2]-b[rowA+2][i] // −A
		qa := float64(dx*dx) + float64(dy*dy) + float64(dz*dz)
		p1 := float64(dx*b[rowE1][i]) + float64(dy*b[rowE1+1][i]) + float64(dz*b[rowE1+2][i])
		p2 := float64(dx*b[rowE2][i]) + float64(dy*b[rowE2+1][i]) + float64(dz*b[rowE2+2][i])
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
		den := 1 + float64(ab*float64(lc*y)) + float64(ca*float64(lb*y)) + float64(bc*ybc)
		if !(den >= 0.5) {
			missed |= 1 << i
			continue
		}
		st.sizes += float64(limit * ybc)
		det := float64(dx*b[rowN][i]) + float64(dy*b[rowN+1][i]) + float64(dz*b[rowN+2][i])
		z = z.mul(den, float64(det*y))
	}
	*p = z
	return missed
}
