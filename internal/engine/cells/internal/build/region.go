package build

import (
	"context"
	"iter"
	"math/bits"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// region is the set of bricks that Refit replaces. Winding numbers do not change outside of the
// region.
type region struct {
	active    []bool  // active[b] is set if brick position b is in the region
	positions []int32 // brick positions of the region, in ascending order
	crossed   int     // number of these positions that are crossed in the old grid
	faces     []int32 // faces near the region, in ascending order
}

// newRegion returns the region for the given faces, which have moved from the mesh of g to m. The
// result is nil if the region has too many of the crossed bricks; see maxShare.
//
// The moved faces at their old places with sign −1, and at their new places with sign +1, together
// have no boundary. So the change of the winding number is constant in each connected set of bricks
// that no moved face meets, neither before nor after the move. The change is 0 in the set that
// reaches the border of the grid. The region has all other bricks.
func newRegion(ctx context.Context, g *layout.Grid, m *mesh.Mesh, moved []int32, workers int) (*region, error) {
	r := &region{active: make([]bool, g.Bricks())}
	box := r.markMoved(g, m, moved)
	r.close(g, box)
	for b, a := range r.active {
		if a {
			r.positions = append(r.positions, int32(b))
			if int(g.Top[b]>>3) < len(g.Positions) {
				r.crossed++
			}
		}
	}
	if r.crossed > len(g.Positions)/maxShare {
		return nil, ctx.Err()
	}
	return r, r.findFaces(ctx, g, m, box, workers)
}

// markMoved marks the bricks that a moved face meets, before or after the move. It returns a span of
// bricks that contains them.
func (r *region) markMoved(g *layout.Grid, m *mesh.Mesh, moved []int32) span {
	const scale = 1.0 / layout.BrickSide
	all := span{lo: g.Dims}
	var t gridTriangle
	mark := func(i, j, k int32) { r.active[g.Position([3]int32{i, j, k})] = true }
	for _, f := range moved {
		for _, tri := range [2]mesh.Triangle{g.Mesh.Triangle(f), m.Triangle(f)} {
			in := spanOf(&g.Frame, &tri, scale)
			for a := range 3 {
				all.lo[a], all.hi[a] = min(all.lo[a], in.lo[a]), max(all.hi[a], in.hi[a])
			}
			if in.cells() <= 2 {
				mark(in.lo[0], in.lo[1], in.lo[2])
				mark(in.hi[0], in.hi[1], in.hi[2])
				continue
			}
			t.prepare(&g.Frame, &tri, f)
			t.cover(&g.Frame, scale, &in, mark)
		}
	}
	return all
}

// close adds the bricks that marked bricks separate from the border of the grid. All marked bricks are
// in the given span.
func (r *region) close(g *layout.Grid, in span) {
	// The array has the bricks of the span and one layer around them.
	size := [3]int{int(in.hi[0]-in.lo[0]) + 3, int(in.hi[1]-in.lo[1]) + 3, int(in.hi[2]-in.lo[2]) + 3}
	reached := make([]bool, size[0]*size[1]*size[2])
	position := func(x, y, z int) int32 {
		return g.Position([3]int32{in.lo[0] + int32(x) - 1, in.lo[1] + int32(y) - 1, in.lo[2] + int32(z) - 1})
	}
	inside := func(x, y, z int) bool {
		return x > 0 && y > 0 && z > 0 && x < size[0]-1 && y < size[1]-1 && z < size[2]-1
	}
	stack := [][3]int{{}}
	reached[0] = true
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for axis := range 3 {
			for _, step := range [2]int{-1, 1} {
				to := at
				if to[axis] += step; to[axis] < 0 || to[axis] >= size[axis] {
					continue
				}
				i := (to[2]*size[1]+to[1])*size[0] + to[0]
				if reached[i] || inside(to[0], to[1], to[2]) && r.active[position(to[0], to[1], to[2])] {
					continue
				}
				reached[i] = true
				stack = append(stack, to)
			}
		}
	}
	for z := 1; z < size[2]-1; z++ {
		for y := 1; y < size[1]-1; y++ {
			for x := 1; x < size[0]-1; x++ {
				if !reached[(z*size[1]+y)*size[0]+x] {
					r.active[position(x, y, z)] = true
				}
			}
		}
	}
}

// findFaces sets r.faces to the faces whose boxes meet the box of the given span of bricks.
func (r *region) findFaces(ctx context.Context, g *layout.Grid, m *mesh.Mesh, in span, workers int) error {
	var lo, hi layout.CellAddr
	for a := range 3 {
		lo.At[a], hi.At[a] = in.lo[a]*layout.BrickSide, (in.hi[a]+1)*layout.BrickSide
	}
	// A brick needs the faces within the slack of its cells. A pad of four times the slack also
	// covers the rounding of the corners. findFaces of builder also finds faces a little farther
	// away, but no cell lists them.
	pad := r3.Vector{X: 1, Y: 1, Z: 1}.Mul(4 * g.Cell * layout.Slack)
	box := bvh.Box{Min: g.Corner(lo, 0).Sub(pad), Max: g.Corner(hi, 0).Add(pad)}
	found := make([][]int32, (len(m.Faces)+checkFaces-1)/checkFaces)
	err := par.Blocks(ctx, len(m.Faces), checkFaces, workers, func(_, from, to int) {
		var list []int32
		for f, v := range m.Faces[from:to] {
			p, q, r := &m.Vertices[v[0]], &m.Vertices[v[1]], &m.Vertices[v[2]]
			if p.X > box.Max.X && q.X > box.Max.X && r.X > box.Max.X || p.X < box.Min.X && q.X < box.Min.X && r.X < box.Min.X ||
				p.Y > box.Max.Y && q.Y > box.Max.Y && r.Y > box.Max.Y || p.Y < box.Min.Y && q.Y < box.Min.Y && r.Y < box.Min.Y ||
				p.Z > box.Max.Z && q.Z > box.Max.Z && r.Z > box.Max.Z || p.Z < box.Min.Z && q.Z < box.Min.Z && r.Z < box.Min.Z {
				continue
			}
			list = append(list, int32(from+f))
		}
		found[from/checkFaces] = list
	})
	r.faces = slices.Concat(found...)
	return err
}

// positions yields the brick positions to build: those of the region, or all positions without a
// region.
func (l *labeler) positions() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if l.region != nil {
			for _, b := range l.region.positions {
				if !yield(b) {
					return
				}
			}
			return
		}
		for b := range int32(len(l.crossedAt)) {
			if !yield(b) {
				return
			}
		}
	}
}

// border describes the bricks around a region: bricks outside of the region that touch a brick of
// the region. It holds their components, whose winding numbers are known.
type border struct {
	known []knownComponent
	// In refined cells of the border, all cells of one winding number form one component. values
	// lists these winding numbers. Component first + i has the winding number values[i], and index
	// maps a winding number to i.
	values []int32
	index  map[int32]int32
	first  int32
}

// knownComponent is a component with winding number w.
type knownComponent struct{ component, w int32 }

// component returns the component of the border for winding number w.
func (b *border) component(w int32) int32 { return b.first + b.index[w] }

func (b *border) addValue(w int32) {
	if _, ok := b.index[w]; !ok {
		b.index[w] = int32(len(b.values))
		b.values = append(b.values, w)
	}
}

// addBorder adds the bricks of the border to l, after the crossed bricks of the region. Each of these
// bricks has up to two components, one for each of its winding numbers. addBorder must run after
// makeBricks.
func (l *labeler) addBorder(old *layout.Grid) {
	l.border.index = map[int32]int32{}
	for _, b := range l.region.positions {
		at := l.BrickAt(b)
		for i := range int32(27) {
			next := [3]int32{at[0] + i%3 - 1, at[1] + i/3%3 - 1, at[2] + i/9 - 1}
			if min(next[0], next[1], next[2]) < 0 || next[0] >= l.Dims[0] || next[1] >= l.Dims[1] || next[2] >= l.Dims[2] {
				continue
			}
			if p := l.Position(next); !l.region.active[p] && l.crossedAt[p] < 0 {
				l.addBorderBrick(old, p)
			}
		}
	}
}

func (l *labeler) addBorderBrick(old *layout.Grid, position int32) {
	entry := old.Top[position]
	stored := int(entry >> 3)
	words, first := old.Words[stored*layout.BrickSide:][:layout.BrickSide], make([]uint32, layout.BrickSide)
	if stored < len(old.Positions) {
		first = old.First[stored*layout.BrickSide:][:layout.BrickSide]
	}
	l.crossedAt[position] = int32(len(l.start) - 1)
	l.Words, l.First = append(l.Words, words...), append(l.First, first...)
	var cells [2]brickMask
	for z, w := range words {
		cells[0][z], cells[1][z] = ^(w.Crossed | w.Value), w.Value
		id := first[z]
		for range bits.OnesCount64(w.Crossed) {
			l.addBorderCell(id)
			id++
		}
	}
	for v := range cells {
		if cells[v] != (brickMask{}) && entry&layout.TopRayOnly == 0 {
			l.border.known = append(l.border.known, knownComponent{l.offset + int32(len(l.components)), old.W[stored][v]})
			l.components = append(l.components, cells[v])
		}
	}
	l.start = append(l.start, int32(len(l.components)))
}

// addBorderCell adds the winding numbers in the cell of a record to l.border.values.
func (l *labeler) addBorderCell(id uint32) {
	switch r := l.Record(id); r.Kind() {
	case layout.KindUniform:
		l.border.addValue(int32(int64(r[1])))
	case layout.KindRefined:
		c := r.Children()
		l.border.addValue(c.W[0])
		l.border.addValue(c.W[1])
		for i := range bits.OnesCount64(c.Crossed) {
			l.addBorderCell(c.First + uint32(i))
		}
	}
}

// joinBorder sets the winding numbers of the components of the border. Without a region there is
// none.
func (l *labeler) joinBorder() {
	for _, k := range l.border.known {
		l.sets.Union(k.component, 0, k.w)
	}
	for i, w := range l.border.values {
		l.sets.Union(l.border.first+int32(i), 0, w)
	}
}
