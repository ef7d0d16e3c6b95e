package mesh

import (
	"context"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/internal/weld"
)

// Move describes the result of Mesh.Moved.
type Move struct {
	Vertices int     // number of vertices whose coordinates changed
	Faces    []int32 // faces with a vertex whose coordinates changed, in ascending order
	// Welded reports whether two vertices became equal. The new mesh then has fewer vertices, and
	// its vertices have other numbers.
	Welded bool
}

// Moved returns the mesh with the same faces, in which vertex v has the coordinates vertices[v]. The
// result equals the mesh that New makes of these vertices and faces. Moved is much faster than New,
// because it examines only the vertices that changed and their faces. The edges and the boundary chain
// do not depend on coordinates. If two vertices become equal, Moved calls New. Moved keeps no
// reference to the slice. workers ≤ 0 means one for each processor.
//
// Errors: ErrCount if len(vertices) is not the number of vertices of m; ErrNotFinite if a coordinate
// is not finite; ErrTooLarge if a coordinate is beyond MaxCoordinate; the error of ctx if ctx ends
// first.
func (m *Mesh) Moved(ctx context.Context, vertices []r3.Vector, workers int) (*Mesh, Move, error) {
	if len(vertices) != len(m.Vertices) {
		return nil, Move{}, plural.Errorf("%w: %d coordinates for %d vertices", ErrCount, len(vertices), len(m.Vertices))
	}
	out := *m
	v, err := m.findMoved(ctx, vertices, workers)
	if err != nil {
		return nil, Move{}, err
	}
	move := Move{Vertices: v.count}
	out.Vertices, out.box = v.vertices, v.box
	if v.count == 0 {
		return &out, move, nil
	}
	if move.Welded, err = v.meet(ctx, workers); err != nil {
		return nil, move, err
	}
	if move.Welded {
		welded, err := New(ctx, Soup{Vertices: v.vertices, Faces: m.Faces, Bodies: m.Bodies, Polygons: m.polygons}, Options{Workers: workers})
		return welded, move, err
	}
	if move.Faces, err = v.faces(ctx, m.Faces, workers); err != nil {
		return nil, move, err
	}
	out.degenerate = out.degenerateAfter(move.Faces)
	return &out, move, ctx.Err()
}

// movedVertices is the state of Moved.
type movedVertices struct {
	vertices []r3.Vector // new coordinates of all vertices
	changed  []uint64    // bit v%64 of word v/64 is set if vertex v has changed
	count    int         // number of changed vertices
	box      bvh.Box     // box of all vertices
	reach    bvh.Box     // box of the changed vertices
}

// findMoved copies the vertices and finds those that have changed.
func (m *Mesh) findMoved(ctx context.Context, vertices []r3.Vector, workers int) (*movedVertices, error) {
	type part struct {
		count      int
		box, reach bvh.Box
		bad        int // 1 + number of the first bad vertex
	}
	n := len(vertices)
	out := &movedVertices{vertices: make([]r3.Vector, n), changed: make([]uint64, (n+63)/64), box: bvh.EmptyBox(), reach: bvh.EmptyBox()}
	size := (blockFor(n, workers, blockSize) + 63) &^ 63 // two blocks share no word
	parts := make([]part, (n+size-1)/size)
	err := par.Blocks(ctx, n, size, workers, func(_, lo, hi int) {
		p := part{box: bvh.EmptyBox(), reach: bvh.EmptyBox()}
		for i := lo; i < hi; i++ {
			v := vertices[i]
			out.vertices[i] = v
			if v != m.Vertices[i] {
				if !(vec.MaxAbs(v) <= MaxCoordinate) { // true for NaN
					if p.bad == 0 {
						p.bad = i + 1
					}
					continue
				}
				out.changed[i/64] |= 1 << (i % 64)
				p.count++
				p.reach = p.reach.Add(v)
			}
			if b := &p.box; v.X <= b.Min.X || v.Y <= b.Min.Y || v.Z <= b.Min.Z || v.X >= b.Max.X || v.Y >= b.Max.Y || v.Z >= b.Max.Z {
				p.box = b.Add(v)
			}
		}
		parts[lo/size] = p
	})
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if p.bad > 0 {
			return nil, coordinateError(p.bad-1, vertices[p.bad-1])
		}
		out.count += p.count
		out.box, out.reach = out.box.Union(p.box), out.reach.Union(p.reach)
	}
	return out, nil
}

func (v *movedVertices) isChanged(i int32) bool { return v.changed[i/64]>>(i%64)&1 == 1 }

// meet reports whether a changed vertex is equal to another vertex. Only vertices in the box of the
// changed vertices can be equal to a changed vertex.
func (v *movedVertices) meet(ctx context.Context, workers int) (bool, error) {
	n := len(v.vertices)
	size := blockFor(n, workers, weldChunk)
	chunks := make([]weld.Chunk[r3.Vector], (n+size-1)/size)
	kept := make([]int, len(chunks)) // number of different points of a chunk
	near := make([]int, len(chunks)) // number of points of a chunk
	bits := weld.PartitionBits(v.count)
	filters := make([]weldFilter, par.Workers(workers))
	err := par.Blocks(ctx, n, size, workers, func(w, lo, hi int) {
		f, c := &filters[w], lo/size
		for next := lo; next < hi; {
			k := 0
			for ; next < hi && k < len(f.points); next++ {
				if v.isChanged(int32(next)) || v.reach.Contains(v.vertices[next]) {
					f.points[k] = v.vertices[next]
					k++
				}
			}
			f.filter.Add(f.points[:k], f.index[:k])
			near[c] += k
		}
		kept[c] = f.filter.Kept()
		chunks[c] = f.filter.Take(nil, bits)
	})
	if err != nil {
		return false, err
	}
	total := 0
	for c := range chunks {
		if kept[c] < near[c] {
			return true, nil
		}
		total += near[c]
	}
	merged, err := weld.Merge(ctx, chunks, bits, workers)
	if err != nil {
		return false, weldError(err)
	}
	return len(merged.Vertices) < total, nil
}

// faces returns the faces with a changed vertex.
func (v *movedVertices) faces(ctx context.Context, faces [][3]int32, workers int) ([]int32, error) {
	size := blockFor(len(faces), workers, blockSize)
	found := make([][]int32, (len(faces)+size-1)/size)
	err := par.Blocks(ctx, len(faces), size, workers, func(_, lo, hi int) {
		var list []int32
		for f := lo; f < hi; f++ {
			if t := &faces[f]; v.isChanged(t[0]) || v.isChanged(t[1]) || v.isChanged(t[2]) {
				list = append(list, int32(f))
			}
		}
		found[lo/size] = list
	})
	return slices.Concat(found...), err
}

// degenerateAfter returns the faces of zero area after the given faces have moved. m.degenerate has
// the faces that had zero area before the move.
func (m *Mesh) degenerateAfter(moved []int32) []int32 {
	var flat []int32
	for _, f := range moved {
		t := m.Faces[f]
		p, q, r := &m.Vertices[t[0]], &m.Vertices[t[1]], &m.Vertices[t[2]]
		if !surelyArea(p, q, r) && (collapsed(t) || predicates.ZeroArea(*p, *q, *r)) {
			flat = append(flat, f)
		}
	}
	if len(flat) == 0 && len(m.degenerate) == 0 {
		return m.degenerate
	}
	var all []int32
	for _, f := range m.degenerate {
		for len(moved) > 0 && moved[0] < f {
			moved = moved[1:]
		}
		if len(moved) == 0 || moved[0] != f {
			all = append(all, f)
		}
	}
	all = append(all, flat...)
	slices.Sort(all)
	return all
}
