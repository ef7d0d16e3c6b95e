package locate

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/caps"
	"github.com/inpoly/inpoly/internal/engine/columns"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// lessCapTree estimates the winding numbers of an open mesh; see newCapped. It computes the potential of the caps only as
// accurately as a side needs, which is much faster than multipoles if the caps are few or far away.
type lessCapTree struct {
	closed   closedWinding
	caps     *caps.Tree
	memories sync.Pool // holds values of type *memory
}

func newLessCapTree(list []mesh.Triangle, closed closedWinding) *lessCapTree {
	// Boundary edges of a multiplicity get as many copies of all caps.
	times := 1
	if len(list) > 0 {
		if k := 1 + slices.Index(list[1:], list[0]); k > 0 && len(list)%k == 0 && slices.Equal(list[k:], list[:len(list)-k]) {
			list, times = list[:k], len(list)/k
		}
	}
	l := &lessCapTree{closed: closed, caps: caps.New(list, float64(times))}
	l.memories.New = func() any { return new(memory) }
	return l
}

func (l *lessCapTree) Estimate(p r3.Vector) Estimate {
	m := l.memories.Get().(*memory)
	defer l.memories.Put(m)
	return l.estimate(p, m)
}

func (l *lessCapTree) estimate(p r3.Vector, m *memory) Estimate {
	n, ok := l.closed(p, m)
	if !ok {
		return Estimate{}
	}
	j, bound, ok := l.caps.Settle(p, &m.caps)
	if !ok {
		return Estimate{}
	}
	w := n - j
	return Estimate{W: w, Bound: (bound + 0x1p-53*math.Abs(w)) * (1 + 0x1p-50), OK: true}
}

func (l *lessCapTree) Prepare(context.Context, []r3.Vector, int) (BatchEstimator, int) {
	return l, crossingsBlock
}

func (l *lessCapTree) EstimateTo(ctx context.Context, dst []Estimate, pts []r3.Vector) (side.Stats, error) {
	m := l.memories.Get().(*memory)
	defer l.memories.Put(m)
	m.columns = columns.Scratch{}
	for i, p := range pts {
		if i%checkCrossings == 0 && ctx.Err() != nil {
			return side.Stats{}, ctx.Err()
		}
		if vec.Finite(p) {
			dst[i] = l.estimate(p, m)
		}
	}
	stats := m.columns.Stats()
	stats.Points = 0 // the caller counts the points
	return stats, ctx.Err()
}

func (l *lessCapTree) Bytes() int64 { return l.caps.Bytes() }
