package cells

import (
	"context"

	"github.com/inpoly/inpoly/internal/par"
)

// assignment lists the faces that each brick may meet.
type assignment struct {
	crossed []int32 // numbers of the bricks that have faces, ascending
	start   []int   // faces[start[n]:start[n+1]] belong to crossed[n]
	faces   []int32
	entries float64 // estimate of the lengths of all lists of cells, together
}

// checkFaces is how many faces are worked on between two looks at the context.
const checkFaces = 1 << 14

// partFaces is the least number of faces that is worth a goroutine.
const partFaces = 1 << 11

// assign finds the faces of the bricks. Faces of a brick are in ascending order.
func (x *Index) assign(ctx context.Context, workers int) (*assignment, error) {
	faces := x.mesh.NumFaces() + len(x.fans)
	bricks := int(x.dims[0]) * int(x.dims[1]) * int(x.dims[2])
	// Each part of the faces is counted apart, and so has its own places to write
	// to: a stable counting sort whose result does not depend on the parts.
	parts := max(1, min(par.Workers(workers), 8, faces/partFaces))
	pairs := make([][]pair, parts)
	entries := make([]float64, parts)
	counts := make([][]int32, parts)
	err := par.Blocks(ctx, parts, 1, parts, func(_, p, _ int) {
		lo, hi := faces*p/parts, faces*(p+1)/parts
		count := make([]int32, bricks)
		out := make([]pair, 0, (hi-lo)+(hi-lo)/2)
		var t facet
		for f := lo; f < hi; f++ {
			if f%checkFaces == 0 && ctx.Err() != nil {
				return
			}
			tri := x.triangle(int32(f))
			in := x.span(&tri, 1.0/brickSide)
			if in.lo == in.hi {
				b := (in.lo[2]*x.dims[1]+in.lo[1])*x.dims[0] + in.lo[0]
				out = append(out, pair{b, int32(f)})
				count[b]++
				continue
			}
			if in.cells() == 2 {
				// Both, as a triangle crosses all planes within its box.
				for _, at := range [2][3]int32{in.lo, in.hi} {
					b := (at[2]*x.dims[1]+at[1])*x.dims[0] + at[0]
					out = append(out, pair{b, int32(f)})
					count[b]++
				}
				continue
			}
			t.prepare(&x.frame, &tri, int32(f))
			// As in plan; triangles in one or two bricks are not worth counting.
			entries[p] += 1 + t.sum/2
			for a := range 3 {
				entries[p] += float64(in.hi[a]-in.lo[a]) * brickSide
			}
			t.cover(&x.frame, 1.0/brickSide, &in, func(i, j, k int32) {
				b := (k*x.dims[1]+j)*x.dims[0] + i
				out = append(out, pair{b, int32(f)})
				count[b]++
			})
		}
		pairs[p], counts[p] = out, count
	})
	if err != nil {
		return nil, err
	}
	a := &assignment{}
	for _, n := range entries {
		a.entries += n
	}
	total := 0
	for b := range bricks {
		n := 0
		for p := range counts {
			n += int(counts[p][b])
		}
		if n > 0 {
			a.crossed = append(a.crossed, int32(b))
			a.start = append(a.start, total)
			total += n
		}
	}
	a.start = append(a.start, total)
	a.faces = make([]int32, total)
	// counts become the places where each part writes next.
	at := make([][]int, parts)
	place := make([]int32, bricks) // number among the crossed
	for n, b := range a.crossed {
		place[b] = int32(n)
	}
	for p := range at {
		at[p] = make([]int, len(a.crossed))
	}
	for n, b := range a.crossed {
		next := a.start[n]
		for p := range at {
			at[p][n] = next
			next += int(counts[p][b])
		}
	}
	err = par.Blocks(ctx, parts, 1, parts, func(_, p, _ int) {
		for _, q := range pairs[p] {
			n := place[q.cell]
			a.faces[at[p][n]] = q.facet
			at[p][n]++
		}
	})
	return a, err
}
