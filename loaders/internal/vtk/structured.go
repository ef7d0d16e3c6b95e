package vtk

import (
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// structured is a structured grid, or a piece of one. The index of the first direction varies fastest in
// its points and cells.
type structured struct {
	extent
	base       int     // first vertex in the Builder
	cellFlags  []int32 // flags of ghost cells; empty if there are none
	pointFlags []int32 // flags of points; empty if there are none
	distinct   bool    // points with different indices have different coordinates, so they need no merging
}

// Flag of points (vtkDataSetAttributes): the cells around the point are hidden.
const hiddenPoint = 2

// Types of the cells of structured grids (vtkCellType.h).
const (
	quadCell       = 9
	hexahedronCell = 12
)

// addStructured adds the cells of a structured grid. Like VTK, it takes quads in the order of the
// directions, and hexahedra whose base is in the first two directions. seen is the set of the cells of
// earlier pieces; it can be nil.
func (r *reader) addStructured(g *structured, seen *cellSet) error {
	d := g.dimension()
	switch {
	case d < 0:
		return nil
	case d < 2:
		r.lines += int(min(g.cells(), math.MaxInt32))
		return nil
	case d == 2 && r.skin != nil:
		r.surface += int(min(g.cells(), math.MaxInt32))
		return nil
	case d == 3 && !g.distinct:
		if err := r.mergePoints(); err != nil {
			return err
		}
	}
	kind := cellTypes[quadCell]
	if d == 3 {
		kind = cellTypes[hexahedronCell]
	}
	nodes := g.corners()
	corners := make([]int32, len(nodes))
	points := &grid{base: g.base}
	size, n := g.sizes(), g.cellSizes()
	cell := 0
	for k := range n[2] {
		for j := range n[1] {
			first := int32(size[0] * (j + size[1]*k))
			for i := range n[0] {
				for c, step := range nodes {
					corners[c] = first + int32(i) + step
				}
				if !r.skipStructured(g, cell, corners, seen, [3]int64{i, j, k}) {
					if err := r.addCorners(points, kind, corners); err != nil {
						return err
					}
				}
				if err := r.s.Check(cell); err != nil {
					return err
				}
				cell++
			}
		}
	}
	return nil
}

// corners returns the positions of the corners of the first cell among the points.
func (g *structured) corners() []int32 {
	n := g.sizes()
	steps := [3]int32{1, int32(n[0]), int32(n[0] * n[1])}
	var base []int32 // steps of the directions with at least two points
	for a, step := range steps {
		if n[a] > 1 {
			base = append(base, step)
		}
	}
	u, v := base[0], base[1]
	quad := []int32{0, u, u + v, v}
	if len(base) == 2 {
		return quad
	}
	for _, c := range quad {
		quad = append(quad, c+base[2])
	}
	return quad
}

// skipStructured reports whether a cell is not part of the shape. It counts such cells. The position is
// relative to the extent of the grid.
func (r *reader) skipStructured(g *structured, cell int, corners []int32, seen *cellSet, position [3]int64) bool {
	flags := int32(0)
	if len(g.cellFlags) > 0 {
		flags = g.cellFlags[cell]
	}
	if flags&duplicateCell != 0 {
		r.ghosts++
		return true
	}
	if !seen.add(g.extent, position) {
		r.repeated++
		return true
	}
	hidden := flags&hiddenCell != 0
	if len(g.pointFlags) > 0 {
		for _, c := range corners {
			hidden = hidden || g.pointFlags[c]&hiddenPoint != 0
		}
	}
	if hidden {
		r.ghosts++
	}
	return hidden
}

// structuredPoints appends the points of an extent. The function at computes the coordinates from the
// indices relative to the extent. path is the prefix of the path of errors.
func (r *reader) structuredPoints(e extent, path string, at func(i, j, k int64) r3.Vector) error {
	size := e.sizes()
	n := e.points()
	if n > int64(math.MaxInt32-len(r.b.Vertices)) {
		return tooManyPoints(size)
	}
	if err := r.b.GrowVertices(int(n)); err != nil {
		return err
	}
	done := 0
	for k := range size[2] {
		for j := range size[1] {
			for i := range size[0] {
				if err := r.gridPoint(e, path, i, j, k, at(i, j, k)); err != nil {
					return err
				}
				if err := r.s.Check(done); err != nil {
					return err
				}
				done++
			}
		}
	}
	return nil
}

// gridPoint appends the point with the given indices relative to an extent.
func (r *reader) gridPoint(e extent, path string, i, j, k int64, v r3.Vector) error {
	_, err := r.b.AddVertex(v)
	if err == nil || soup.Placed(err) {
		return err
	}
	return soup.AtPath(fmt.Sprintf("%s (%d, %d, %d)", path, i+e.from[0], j+e.from[1], k+e.from[2]), err, "(%v, %v, %v)", v.X, v.Y, v.Z)
}

// addRectilinear adds the points and cells of a piece with the given coordinates. single means that there
// is no other piece.
func (r *reader) addRectilinear(g *structured, a *axes, path string, seen *cellSet, single bool) error {
	g.distinct = single && a.monotone()
	if g.distinct && g.dimension() == 3 && len(g.cellFlags) == 0 && len(g.pointFlags) == 0 {
		return r.addBlock(g.extent, a, path)
	}
	if err := r.structuredPoints(g.extent, path, a.at); err != nil {
		return err
	}
	return r.addStructured(g, seen)
}

// addImage adds the points and cells of a piece of image data. single means that there is no other piece.
func (r *reader) addImage(g *structured, m image, path string, seen *cellSet, single bool) error {
	m.from, r.image = g.from, true
	if !m.straight() {
		g.distinct = single && m.distinct()
		if err := r.structuredPoints(g.extent, path, m.at); err != nil {
			return err
		}
		return r.addStructured(g, seen)
	}
	if g.hasLargeLayer() {
		return tooManyPoints(g.sizes())
	}
	var a axes
	for k, n := range g.sizes() {
		if err := soup.Grow(r.b.Budget, &a[k], int(n), 8); err != nil {
			return err
		}
		for i := range n {
			var index [3]int64
			index[k] = i
			p := m.at(index[0], index[1], index[2])
			a[k] = append(a[k], [3]float64{p.X, p.Y, p.Z}[k])
			if err := r.s.Check(int(i)); err != nil {
				return err
			}
		}
	}
	err := r.addRectilinear(g, &a, path, seen, single)
	a.release(r.b.Budget)
	return err
}

// axis appends the n coordinates of a rectilinear grid in a direction.
func (r *reader) axis(v values, dst *[]float64, n int64) error {
	first, err := room(v, n, 1, "coordinates")
	if err != nil {
		return err
	}
	if err := soup.Grow(r.b.Budget, dst, first, 8); err != nil {
		return err
	}
	var buf [blockValues]float64
	m := newMeter(r.s, v)
	for int64(len(*dst)) < n {
		block := buf[:min(n-int64(len(*dst)), int64(v.block()))]
		if err := v.read(block); err != nil {
			return err
		}
		for k, x := range block {
			if err := checkRange(x); err != nil {
				return v.fail(err, "coordinate %d (%v)", len(*dst)+k, x)
			}
		}
		if err := soup.Grow(r.b.Budget, dst, len(block), 8); err != nil {
			return err
		}
		*dst = append(*dst, block...)
		if err := m.add(len(block)); err != nil {
			return err
		}
	}
	return m.report()
}

// axes holds the coordinates of a rectilinear grid.
type axes [3][]float64

// at returns the point with the given indices.
func (a *axes) at(i, j, k int64) r3.Vector { return r3.Vector{X: a[0][i], Y: a[1][j], Z: a[2][k]} }

// monotone reports whether the coordinates strictly increase or strictly decrease in each direction.
func (a *axes) monotone() bool {
	for _, x := range a {
		for i := range x {
			if i > 0 && (x[i] == x[i-1] || (x[i] > x[i-1]) != (x[1] > x[0])) {
				return false
			}
		}
	}
	return true
}

// release releases the memory of the coordinates.
func (a *axes) release(b *soup.Budget) {
	for i := range a {
		b.Release(8 * int64(cap(a[i])))
		a[i] = nil
	}
}

// image is the frame of image data, which is also called structured points. With from = 0, the point
// with the indices i, j and k is origin + i·steps[0] + j·steps[1] + k·steps[2].
type image struct {
	origin r3.Vector
	steps  [3]r3.Vector
	from   [3]int64 // indices of the first point of a piece
}

// newImage returns the frame with the given origin and spacing. The rows of the direction matrix have
// the components x, y and z of the three directions.
func newImage(origin, spacing [3]float64, direction [9]float64) image {
	m := image{origin: r3.Vector{X: origin[0], Y: origin[1], Z: origin[2]}}
	for a := range m.steps {
		m.steps[a] = r3.Vector{X: direction[a], Y: direction[3+a], Z: direction[6+a]}.Mul(spacing[a])
	}
	return m
}

// identity is the direction matrix of image data that is not rotated.
var identity = [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}

// at returns the point with the given indices relative to the first point. The conversions force rounding of each product before the
// sum, so that all platforms compute the same point.
func (m *image) at(i, j, k int64) r3.Vector {
	a, b, c := float64(m.from[0]+i), float64(m.from[1]+j), float64(m.from[2]+k)
	component := func(o, x, y, z float64) float64 { return float64(a*x) + float64(b*y) + float64(c*z) + o }
	x, y, z := m.steps[0], m.steps[1], m.steps[2]
	return r3.Vector{
		X: component(m.origin.X, x.X, y.X, z.X),
		Y: component(m.origin.Y, x.Y, y.Y, z.Y),
		Z: component(m.origin.Z, x.Z, y.Z, z.Z),
	}
}

// straight reports whether each step is along its axis.
func (m *image) straight() bool {
	x, y, z := m.steps[0], m.steps[1], m.steps[2]
	return x == r3.Vector{X: x.X} && y == r3.Vector{Y: y.Y} && z == r3.Vector{Z: z.Z}
}

// distinct reports whether the steps are linearly independent: their triple product is nonzero.
func (m *image) distinct() bool {
	u, v, w := m.steps[0], m.steps[1], m.steps[2]
	return soup.Mirrors(u, v, w) || soup.Mirrors(v, u, w)
}

// numbersOf parses n numbers that are separated by white space. Each must be finite and within range.
func numbersOf(text string, dst []float64) error {
	v := &textValues{text: soup.Text(text), end: len(text)}
	if err := v.read(dst); err != nil || v.rest() {
		return soup.Reason(soup.ErrSyntax, "found %s instead of %d numbers", quote.Word(text), len(dst))
	}
	for _, x := range dst {
		if err := checkRange(x); err != nil {
			return err
		}
	}
	return nil
}

// checkRange refuses a coordinate that is not finite or too large.
func checkRange(x float64) error {
	if v := (r3.Vector{X: x}); !soup.InRange(v) {
		return soup.RangeError(v)
	}
	return nil
}
