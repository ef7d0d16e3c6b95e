package view

import (
	"cmp"
	"context"
	"slices"

	"github.com/inpoly/inpoly/mesh"
)

// flawedEdges are the edges that are not between two faces running opposite ways, as
// vertices in ascending order.
type flawedEdges struct {
	open        [][2]int32 // of one triangle
	misoriented [][2]int32 // of two that run the same way
	nonManifold [][2]int32 // of three or more
}

// findEdges looks at every edge of m, linear in its size. Faces that lost a corner to
// welding have none. The error is that of ctx.
func findEdges(ctx context.Context, m *mesh.Mesh) (f flawedEdges, err error) {
	// half is an edge of a face, kept with its smaller vertex.
	type half struct {
		hi   int32
		back int32 // 1 if the face runs from hi to the smaller vertex
	}
	first := make([]int32, len(m.Vertices)+1)
	each := func(visit func(lo int32, h half)) {
		for _, t := range m.Faces {
			if t[0] == t[1] || t[1] == t[2] || t[2] == t[0] {
				continue
			}
			for k, a := range t {
				b := t[(k+1)%3]
				if a < b {
					visit(a, half{b, 0})
				} else {
					visit(b, half{a, 1})
				}
			}
		}
	}
	each(func(lo int32, _ half) { first[lo+1]++ })
	for v := range m.Vertices {
		first[v+1] += first[v]
	}
	if err := ctx.Err(); err != nil {
		return f, err
	}
	halves := make([]half, first[len(m.Vertices)])
	next := slices.Clone(first)
	each(func(lo int32, h half) {
		halves[next[lo]] = h
		next[lo]++
	})
	for v := range m.Vertices {
		if v%(1<<16) == 0 && ctx.Err() != nil {
			return f, ctx.Err()
		}
		fan := halves[first[v]:first[v+1]]
		slices.SortFunc(fan, func(a, b half) int { return cmp.Compare(a.hi, b.hi) })
		for len(fan) > 0 {
			n, back := 0, int32(0)
			for n < len(fan) && fan[n].hi == fan[0].hi {
				back += fan[n].back
				n++
			}
			edge := [2]int32{int32(v), fan[0].hi}
			switch {
			case n == 1:
				f.open = append(f.open, edge)
			case n > 2:
				f.nonManifold = append(f.nonManifold, edge)
			case back != 1:
				f.misoriented = append(f.misoriented, edge)
			}
			fan = fan[n:]
		}
	}
	return f, nil
}

// duplicateFaces returns the triangles on the same three vertices as an earlier one,
// either way round, in ascending order.
func duplicateFaces(m *mesh.Mesh) []int32 {
	type corners struct {
		v    [3]int32 // ascending
		face int32
	}
	list := make([]corners, 0, len(m.Faces))
	for f, t := range m.Faces {
		slices.Sort(t[:])
		if t[0] != t[1] && t[1] != t[2] {
			list = append(list, corners{t, int32(f)})
		}
	}
	slices.SortFunc(list, func(a, b corners) int {
		return cmp.Or(slices.Compare(a.v[:], b.v[:]), cmp.Compare(a.face, b.face))
	})
	var out []int32
	for i := 1; i < len(list); i++ {
		if list[i].v == list[i-1].v {
			out = append(out, list[i].face)
		}
	}
	slices.Sort(out)
	return out
}
