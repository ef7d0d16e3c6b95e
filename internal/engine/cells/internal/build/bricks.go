package build

import (
	"context"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/par"
)

// brickFaces lists, for each brick, the faces that can meet the brick, in ascending order.
type brickFaces struct {
	crossed []int32 // positions of the bricks that have faces, in ascending order
	start   []int   // faces[start[n]:start[n+1]] are the faces of brick position crossed[n]
	faces   []int32
	entries float64 // estimated total length of the lists of all cells
}

// pair is a triangle together with a cell or brick that the triangle can meet.
type pair struct{ cell, triangle int32 }

const (
	checkFaces = 1 << 14 // number of faces between two checks of the context
	partFaces  = 1 << 11 // smallest number of faces for which another goroutine is worth its cost // tuning
)

func (b *builder) findFaces(ctx context.Context) (*brickFaces, error) {
	g := b.Grid
	faces := g.Mesh.NumFaces() + len(g.Caps)
	if b.region != nil {
		faces = len(b.region.faces)
	}
	bricks := g.Bricks()
	// This is a stable counting sort. The faces are divided into parts. One goroutine counts the
	// pairs of a part, and writes them to the places that the counts reserve. So the result does
	// not depend on the number of parts.
	parts := max(1, min(b.workers, 8, faces/partFaces))
	pairs := make([][]pair, parts)
	entries := make([]float64, parts)
	counts := make([][]int32, parts)
	err := par.Blocks(ctx, parts, 1, parts, func(_, p, _ int) {
		lo, hi := faces*p/parts, faces*(p+1)/parts
		count := make([]int32, bricks)
		out := make([]pair, 0, (hi-lo)+(hi-lo)/2)
		add := func(f int, brick [3]int32) {
			at := g.Position(brick)
			if b.region != nil && !b.region.active[at] {
				return
			}
			out = append(out, pair{at, int32(f)})
			count[at]++
		}
		var t gridTriangle
		for i := lo; i < hi; i++ {
			if i%checkFaces == 0 && ctx.Err() != nil {
				return
			}
			f := i
			if b.region != nil {
				f = int(b.region.faces[i])
			}
			if b.isUnlisted(int32(f)) {
				continue
			}
			tri := g.Triangle(int32(f))
			in := spanOf(&g.Frame, &tri, 1.0/layout.BrickSide)
			if in.lo == in.hi {
				add(f, in.lo)
				continue
			}
			if in.cells() == 2 {
				// The box of the triangle meets exactly two bricks. The triangle touches all sides
				// of its box, so the triangle meets both bricks.
				add(f, in.lo)
				add(f, in.hi)
				continue
			}
			t.prepare(&g.Frame, &tri, int32(f))
			// This is the estimate of builder.plan for the list entries of a triangle. It leaves
			// out triangles in one or two bricks, which are so small that they do not change the
			// sum much.
			entries[p] += 1 + t.sum/2
			for a := range 3 {
				entries[p] += float64(in.hi[a]-in.lo[a]) * layout.BrickSide
			}
			t.cover(&g.Frame, 1.0/layout.BrickSide, &in, func(i, j, k int32) { add(f, [3]int32{i, j, k}) })
		}
		pairs[p], counts[p] = out, count
	})
	if err != nil {
		return nil, err
	}
	found := &brickFaces{}
	for _, n := range entries {
		found.entries += n
	}
	total := 0
	number := make([]int32, bricks) // if a face meets brick position p, number[p] is the index of p in found.crossed
	for at := range bricks {
		n := 0
		for p := range counts {
			n += int(counts[p][at])
		}
		if n > 0 {
			number[at] = int32(len(found.crossed))
			found.crossed = append(found.crossed, int32(at))
			found.start = append(found.start, total)
			total += n
		}
	}
	found.start = append(found.start, total)
	found.faces = make([]int32, total)
	next := make([][]int, parts) // next[p][n] is the index in found.faces of the next face that part p writes for brick crossed[n]
	for p := range next {
		next[p] = make([]int, len(found.crossed))
	}
	for n, at := range found.crossed {
		to := found.start[n]
		for p := range next {
			next[p][n] = to
			to += int(counts[p][at])
		}
	}
	err = par.Blocks(ctx, parts, 1, parts, func(_, p, _ int) {
		for _, q := range pairs[p] {
			n := number[q.cell]
			found.faces[next[p][n]] = q.triangle
			next[p][n]++
		}
	})
	return found, err
}
