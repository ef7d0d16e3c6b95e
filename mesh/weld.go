package mesh

import (
	"context"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/weld"
)

// weldVertices returns the welded vertices in the order of first occurrence. Vertices that no face
// uses are dropped. Vertices with equal coordinates (−0 = +0) become one vertex. Each face gets the
// numbers of its welded vertices. weldVertices overwrites the given vertices. The result is the same
// for any number of workers.
func weldVertices(ctx context.Context, vertices []r3.Vector, used []bool, faces [][3]int32, workers int) ([]r3.Vector, error) {
	// 1. In each chunk, find most of the vertices that are equal to an earlier vertex.
	size := blockFor(len(vertices), workers, weldChunk)
	chunks := make([]weld.Chunk[r3.Vector], (len(vertices)+size-1)/size)
	bits := weld.PartitionBits(len(vertices))
	ids := make([]int32, len(vertices)) // index in the chunk, later the number
	filters := make([]weldFilter, par.Workers(workers))
	err := par.Blocks(ctx, len(vertices), size, workers, func(w, lo, hi int) {
		filters[w].add(vertices[lo:hi], used[lo:hi], ids[lo:hi])
		chunks[lo/size] = filters[w].filter.Take(vertices[lo:hi], bits)
	})
	if err != nil {
		return nil, err
	}

	// 2. Merge the rest, and number the vertices.
	merged, err := weld.Merge(ctx, chunks, bits, workers)
	if err != nil {
		return nil, err
	}
	buffers := make([][]int32, par.Workers(workers))
	err = par.Blocks(ctx, len(vertices), size, workers, func(w, lo, hi int) {
		buffers[w] = merged.Numbers(lo/size, buffers[w])
		for v := lo; v < hi; v++ {
			if used[v] {
				ids[v] = buffers[w][ids[v]]
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return merged.Vertices, par.Blocks(ctx, len(faces), blockFor(len(faces), workers, blockSize), workers, func(_, lo, hi int) {
		for f := lo; f < hi; f++ {
			t := &faces[f]
			t[0], t[1], t[2] = ids[t[0]], ids[t[1]], ids[t[2]]
		}
	})
}

// weldChunk is the largest number of vertices that a worker filters at a time.
const weldChunk = 1 << 16 // tuning

// weldFilter has the memory of one worker.
type weldFilter struct {
	filter weld.Filter[r3.Vector]
	points [512]r3.Vector
	index  [512]int32
}

// add adds the used vertices of a chunk to the filter. It sets ids[i] to the index of vertex i among
// the kept vertices.
func (f *weldFilter) add(vertices []r3.Vector, used []bool, ids []int32) {
	for next := 0; next < len(vertices); {
		from, n := next, 0
		for ; next < len(vertices) && n < len(f.points); next++ {
			if used[next] {
				f.points[n] = vertices[next]
				n++
			}
		}
		f.filter.Add(f.points[:n], f.index[:n])
		n = 0
		for v := from; v < next; v++ {
			if used[v] {
				ids[v] = f.index[n]
				n++
			}
		}
	}
}
