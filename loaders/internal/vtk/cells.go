package vtk

import (
	"fmt"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/loaders/internal/skin"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// cellList holds the corners of cells.
type cellList struct {
	corners []int32
	ends    []int32 // end of each cell in corners
}

// release releases the memory of the list.
func (c *cellList) release(b *soup.Budget) {
	b.Release(4 * int64(cap(c.corners)+cap(c.ends)))
	*c = cellList{}
}

// check refuses ends that decrease or lie beyond the corners.
func (c *cellList) check(path string) error {
	last := int32(0)
	for i, end := range c.ends {
		if end < last || int(end) > len(c.corners) {
			return soup.AtPath(fmt.Sprintf("%s %d", path, i), soup.ErrIndexRange, "the cell ends at %d, must end from %d to %d", end, last, len(c.corners))
		}
		last = end
	}
	return nil
}

// cell returns the corners of cell i.
func (c *cellList) cell(i int) []int32 {
	from := int32(0)
	if i > 0 {
		from = c.ends[i-1]
	}
	return c.corners[from:c.ends[i]]
}

// The roles of cells.
type role uint8

const (
	unknownCell role = iota
	skipped          // empty cells, vertices and lines
	polygon
	pixel // a quad with corners in the order of a grid
	strip
	solid
	voxel // a hexahedron with corners in the order of a grid
	polyhedron
)

// cellType describes a type of cell.
type cellType struct {
	role    role
	solid   skin.Kind
	corners int // number of corners; 0 means all nodes; −1 means the first half of the nodes
	curved  bool
}

// cellTypes lists the types of cells (vtkCellType.h). The corners of a cell of higher order are its
// first nodes.
var cellTypes = map[int32]cellType{
	0: {role: skipped}, 1: {role: skipped}, 2: {role: skipped}, 3: {role: skipped}, 4: {role: skipped},
	21: {role: skipped}, 35: {role: skipped}, 68: {role: skipped}, 75: {role: skipped}, // curves
	5: {role: polygon, corners: 3}, 6: {role: strip}, 7: {role: polygon}, 8: {role: pixel, corners: 4}, 9: {role: polygon, corners: 4},
	10: {role: solid, solid: skin.Tetrahedron, corners: 4}, 11: {role: voxel, solid: skin.Hexahedron, corners: 8},
	12: {role: solid, solid: skin.Hexahedron, corners: 8}, 13: {role: solid, solid: skin.Wedge, corners: 6},
	14: {role: solid, solid: skin.Pyramid, corners: 5}, 15: {role: solid, solid: skin.PentagonalPrism, corners: 10},
	16: {role: solid, solid: skin.HexagonalPrism, corners: 12}, 42: {role: polyhedron},
	22: {role: polygon, corners: 3, curved: true}, 34: {role: polygon, corners: 3, curved: true},
	69: {role: polygon, corners: 3, curved: true}, 76: {role: polygon, corners: 3, curved: true},
	23: {role: polygon, corners: 4, curved: true}, 28: {role: polygon, corners: 4, curved: true}, 30: {role: polygon, corners: 4, curved: true},
	70: {role: polygon, corners: 4, curved: true}, 77: {role: polygon, corners: 4, curved: true},
	36: {role: polygon, corners: -1, curved: true},
	24: curvedSolid(skin.Tetrahedron), 71: curvedSolid(skin.Tetrahedron), 78: curvedSolid(skin.Tetrahedron),
	25: curvedSolid(skin.Hexahedron), 29: curvedSolid(skin.Hexahedron), 33: curvedSolid(skin.Hexahedron),
	72: curvedSolid(skin.Hexahedron), 79: curvedSolid(skin.Hexahedron),
	26: curvedSolid(skin.Wedge), 31: curvedSolid(skin.Wedge), 32: curvedSolid(skin.Wedge), 73: curvedSolid(skin.Wedge), 80: curvedSolid(skin.Wedge),
	27: curvedSolid(skin.Pyramid), 37: curvedSolid(skin.Pyramid), 74: curvedSolid(skin.Pyramid), 81: curvedSolid(skin.Pyramid),
}

func curvedSolid(kind skin.Kind) cellType {
	return cellType{role: solid, solid: kind, corners: kind.Corners(), curved: true}
}

// isSolid reports whether cells of the type have a volume.
func (t cellType) isSolid() bool { return t.role >= solid }

// cellAdder adds cells to a Builder.
type cellAdder struct {
	skin    *skin.Skin // nil if the file has no volume cells
	same    map[r3.Vector]int32
	first   []int32 // for each vertex, the first vertex with the same coordinates; nil if the file has no volume cells
	corners []int32 // scratch
	sizes   []int32 // scratch
	stream  []int32 // scratch

	image bool // the cells belong to an image

	lines, surface, small, curved, ghosts, repeated int // numbers of cells for notes
}

// mapBytes bounds the memory of an entry of cellAdder.same: a key of 24 bytes and a value of 4 bytes in
// a map that is at least 7/16 full.
const mapBytes = 80

// mergePoints finds vertices with the same coordinates from vertex len(r.first) on. The cells of
// different pieces, and of discontinuous methods, share no vertices, although their faces coincide.
func (r *reader) mergePoints() error {
	n := len(r.b.Vertices) - len(r.first)
	if r.same == nil {
		r.same = map[r3.Vector]int32{}
	}
	if err := soup.Grow(r.b.Budget, &r.first, n, 4); err != nil {
		return err
	}
	if err := r.b.Budget.Reserve(mapBytes * int64(n)); err != nil {
		return err
	}
	for i := len(r.first); i < len(r.b.Vertices); i++ {
		v := r.b.Vertices[i]
		first, known := r.same[v]
		if !known {
			first = int32(i)
			r.same[v] = first
		}
		r.first = append(r.first, first)
		if err := r.s.Check(i); err != nil {
			return err
		}
	}
	return nil
}

// grid is an unstructured grid, or a piece of one. Its vertices begin at vertex base of the Builder.
type grid struct {
	cellList
	base      int
	types     []int32
	ghosts    []int32   // flags of ghost cells; empty if there are none
	path      string    // prefix of the path of errors, which ends with the word "cell"
	polyhedra *faceList // faces of polyhedra; if it is nil, the corners of a polyhedron are its faces
}

// release releases the memory of the grid.
func (g *grid) release(b *soup.Budget) {
	g.cellList.release(b)
	b.Release(4 * int64(cap(g.types)+cap(g.ghosts)))
	g.types, g.ghosts = nil, nil
	if g.polyhedra != nil {
		g.polyhedra.release(b)
	}
}

// Flags of ghost cells (vtkDataSetAttributes): another piece has the same cell, or the cell is hidden.
const (
	duplicateCell = 1
	hiddenCell    = 32
)

// isGhost reports whether cell i is not a part of the shape.
func (g *grid) isGhost(i int) bool {
	return len(g.ghosts) > 0 && g.ghosts[i]&(duplicateCell|hiddenCell) != 0
}

// hasSolids reports whether the grid has volume cells.
func (g *grid) hasSolids() bool {
	return slices.ContainsFunc(g.types, func(t int32) bool { return cellTypes[t].isSolid() })
}

// add adds the cells of a grid. If the file has volume cells, it skips surface cells, because they are
// usually a part of the surface of the volume cells.
func (r *reader) add(g *grid) error {
	if err := g.check(g.path); err != nil {
		return err
	}
	if r.skin != nil {
		if err := r.mergePoints(); err != nil {
			return err
		}
	}
	for i := range g.ends {
		if err := r.s.Check(i); err != nil {
			return err
		}
		if g.isGhost(i) {
			r.ghosts++
			continue
		}
		if err := r.addCell(g, i); err != nil {
			if soup.Placed(err) {
				return err
			}
			return soup.AtPath(fmt.Sprintf("%s %d", g.path, i), err, "")
		}
	}
	return nil
}

// addCell adds cell i of a grid. Its errors can lack a place.
func (r *reader) addCell(g *grid, i int) error {
	t, nodes := cellTypes[g.types[i]], g.cell(i)
	switch {
	case t.role == unknownCell:
		return soup.AtPath(fmt.Sprintf("%s %d", g.path, i), soup.ErrUnsupported, "cells of type %d", g.types[i]).WithHint(surfaceHint)
	case t.role == skipped:
		r.lines++
		return nil
	case !t.isSolid() && r.skin != nil:
		r.surface++
		return nil
	case t.role == polyhedron:
		if g.polyhedra != nil {
			var err error
			if nodes, err = r.faceStream(g.polyhedra, i); err != nil {
				return err
			}
		}
		return r.polyhedron(g, nodes)
	}
	n := t.corners
	switch {
	case n == 0:
		n = len(nodes)
	case n < 0:
		n = len(nodes) / 2
	case len(nodes) < n || len(nodes) > n && !t.curved:
		return soup.Reason(soup.ErrSyntax, "a cell of type %d has %d nodes, must have %d", g.types[i], len(nodes), n)
	}
	if t.curved {
		r.curved++
	}
	return r.addCorners(g, t, nodes[:n])
}

// addCorners adds a cell with the given corners.
func (r *reader) addCorners(g *grid, t cellType, nodes []int32) error {
	r.corners = r.corners[:0]
	if err := soup.Grow(r.b.Budget, &r.corners, len(nodes), 4); err != nil {
		return err
	}
	for _, c := range nodes {
		v, err := r.vertex(g, c)
		if err != nil {
			return err
		}
		r.corners = append(r.corners, v)
	}
	c := r.corners
	switch t.role {
	case pixel:
		c[2], c[3] = c[3], c[2]
	case voxel:
		c[2], c[3], c[6], c[7] = c[3], c[2], c[7], c[6]
	case strip:
		if len(c) < 3 {
			r.small++
			return nil
		}
		return r.b.AddStrip(c)
	}
	if t.isSolid() {
		return r.skin.AddCell(t.solid, c)
	}
	if len(c) < 3 {
		r.small++
		return nil
	}
	return r.b.AddPolygon(c)
}

// vertex returns the index in the Builder of a point of a grid.
func (r *reader) vertex(g *grid, c int32) (int32, error) {
	n := len(r.b.Vertices) - g.base
	if int(c) >= n || c < 0 {
		return 0, soup.Reason(soup.ErrIndexRange, "the cell refers to point %d, counted from 0, but there are %d points", c, n)
	}
	v := int32(g.base) + c
	if r.first != nil {
		v = r.first[v]
	}
	return v, nil
}

// polygons adds the polygons or strips of polygonal data. The path of errors ends with the word "polygon"
// or "strip".
func (r *reader) polygons(g *grid, kind cellType) error {
	if err := g.check(g.path); err != nil {
		return err
	}
	for i := range g.ends {
		if err := r.s.Check(i); err != nil {
			return err
		}
		if g.isGhost(i) {
			r.ghosts++
			continue
		}
		if err := r.addCorners(g, kind, g.cell(i)); err != nil {
			if soup.Placed(err) {
				return err
			}
			return soup.AtPath(fmt.Sprintf("%s %d", g.path, i), err, "")
		}
	}
	return nil
}

// useSkin prepares the reader for volume cells.
func (r *reader) useSkin() { r.skin = skin.New(r.b) }

// finish appends the surface of the volume cells.
func (r *reader) finish() error {
	if r.skin == nil {
		return nil
	}
	r.b.Budget.Release(mapBytes * int64(len(r.first)))
	r.same = nil
	return r.skin.Flush()
}

// notes adds notes about all cells.
func (r *reader) notes() {
	r.b.NoteCount("skipped %d vertices, lines and empty cells", r.lines)
	r.b.NoteCount("skipped %d cells with a ghost flag (duplicate or hidden)", r.ghosts)
	r.b.NoteCount("skipped %d cells that an earlier piece of the grid has", r.repeated)
	r.b.NoteCount("skipped %d surface cells, because the file has volume cells", r.surface)
	r.b.NoteCount("skipped %d polygons and strips of fewer than three corners", r.small)
	r.b.NoteCount("took only the corners of %d curved cells, so their faces are flat", r.curved)
	if r.image {
		r.b.Note("the mesh is the extent of the image, because its values are not read")
	}
	if r.skin != nil {
		r.skin.Note()
	}
}
