package vtk

import (
	"math"
	"slices"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// addPieces adds the points and cells of all pieces.
func (d *document) addPieces() error {
	if d.isStructured() {
		return d.addStructuredPieces()
	}
	if d.kind == unstructuredGrid {
		found, err := d.hasSolids()
		if err != nil {
			return err
		}
		if found {
			d.useSkin()
		}
	}
	for i := range d.pieces {
		p := &d.pieces[i]
		base := len(d.b.Vertices)
		if err := d.addPoints(p); err != nil {
			return err
		}
		var err error
		if d.kind == unstructuredGrid {
			err = d.addGrid(p, base)
		} else {
			err = d.addPolygons(p, base)
		}
		if err != nil {
			return err
		}
	}
	d.packed.release(d.b.Budget)
	return d.finish()
}

// hasSolids reports whether a piece has volume cells.
func (d *document) hasSolids() (bool, error) {
	var block [blockValues]float64
	for i := range d.pieces {
		p := &d.pieces[i]
		if p.cells[0] == 0 {
			continue
		}
		v, err := d.open(p, "Cells", types)
		if err != nil {
			return false, err
		}
		if _, err := room(v, p.cells[0], 1, "cell types"); err != nil {
			return false, err
		}
		for left := p.cells[0]; left > 0; {
			b := block[:min(left, int64(v.block()))]
			if err := v.read(b); err != nil {
				return false, err
			}
			if slices.ContainsFunc(b, func(x float64) bool { return cellTypes[int32(max(-1, min(x, math.MaxInt32)))].isSolid() }) {
				return true, nil
			}
			left -= int64(len(b))
			if err := d.s.Err(); err != nil {
				return false, err
			}
		}
		if err := d.charge(v); err != nil {
			return false, err
		}
	}
	return false, nil
}

// addPoints adds the points of a piece.
func (d *document) addPoints(p *piece) error {
	if p.points == 0 {
		return nil
	}
	v, err := d.open(p, "Points", "")
	if err != nil {
		return err
	}
	if err := d.points(v, p.points); err != nil {
		return err
	}
	return d.close(v)
}

// readCells reads the corners of n cells.
func (d *document) readCells(p *piece, section, ends, corners string, n int64) (c cellList, err error) {
	if err := d.integers(p, section, ends, &c.ends, n, 0); err != nil {
		return c, err
	}
	return c, d.readCorners(p, section, corners, &c)
}

// readCorners reads the corners of cells whose ends are known.
func (d *document) readCorners(p *piece, section, corners string, c *cellList) error {
	if len(c.ends) == 0 {
		return nil
	}
	return d.integers(p, section, corners, &c.corners, int64(c.ends[len(c.ends)-1]), 0)
}

// ghosts reads the flags of ghost cells of a piece with n cells.
func (d *document) readGhosts(p *piece, n int64) ([]int32, error) {
	var flags []int32
	if p.find("CellData", ghostTypes) != nil {
		return flags, d.integers(p, "CellData", ghostTypes, &flags, n, 0)
	}
	if p.find("CellData", ghostLevels) == nil {
		return nil, nil
	}
	// Before version 6, VTK numbered the layers of ghost cells. Layer 0 has the cells of the piece.
	err := d.integers(p, "CellData", ghostLevels, &flags, n, 0)
	for i, level := range flags {
		flags[i] = min(level, duplicateCell)
	}
	return flags, err
}

// addGrid adds the cells of a piece of an unstructured grid.
func (d *document) addGrid(p *piece, base int) error {
	n := p.cells[0]
	if n == 0 {
		return nil
	}
	c, err := d.readCells(p, "Cells", offsets, connectivity, n)
	if err != nil {
		return err
	}
	g := &grid{cellList: c, base: base, path: d.path(p, "cell")}
	if err := d.integers(p, "Cells", types, &g.types, n, 0); err != nil {
		return err
	}
	if g.ghosts, err = d.readGhosts(p, n); err != nil {
		return err
	}
	if slices.ContainsFunc(g.types, func(t int32) bool { return cellTypes[t].role == polyhedron }) {
		if g.polyhedra, err = d.readFaces(p, n); err != nil {
			return err
		}
	}
	if err := d.add(g); err != nil {
		return err
	}
	g.release(d.b.Budget)
	return nil
}

// readFaces reads the faces of polyhedra of a piece with n cells. Since version 2.3 of the format, a face
// can belong to several cells.
func (d *document) readFaces(p *piece, n int64) (*faceList, error) {
	if p.find("Cells", polyhedronEnds) == nil {
		return d.readFaceStreams(p, n)
	}
	var err error
	f := &faceList{faces: &cellList{}}
	if f.cells, err = d.readCells(p, "Cells", polyhedronEnds, polyhedronFaces, n); err != nil {
		return nil, err
	}
	if err := f.cells.check(d.path(p, "faces of cell")); err != nil {
		return nil, err
	}
	count := int64(0)
	for _, face := range f.cells.corners {
		count = max(count, int64(face)+1)
	}
	if *f.faces, err = d.readCells(p, "Cells", faceEnds, faceConnectivity, count); err != nil {
		return nil, err
	}
	if err := f.faces.check(d.path(p, "face")); err != nil {
		return nil, err
	}
	return f, f.checkShared(d.path(p, "faces"))
}

// readFaceStreams reads the faces of polyhedra as a stream, in which the faces of a cell have a beginning
// and an end. Cells that are not polyhedra have the end −1.
func (d *document) readFaceStreams(p *piece, n int64) (*faceList, error) {
	f := &faceList{}
	if err := d.integers(p, "Cells", faceOffsets, &f.cells.ends, n, -1); err != nil {
		return nil, err
	}
	last := int32(0)
	for i, end := range f.cells.ends {
		if end < 0 {
			f.cells.ends[i] = last
		}
		last = f.cells.ends[i]
	}
	if err := d.readCorners(p, "Cells", faces, &f.cells); err != nil {
		return nil, err
	}
	return f, f.cells.check(d.path(p, "faces of cell"))
}

// addPolygons adds the polygons and strips of a piece of polygonal data.
func (d *document) addPolygons(p *piece, base int) error {
	total := int64(0)
	for _, n := range p.cells {
		if total += min(n, math.MaxInt32+1); total > math.MaxInt32 {
			return d.x.text.Fail(p.at, soup.ErrTooLarge, "a piece has more than %d cells", math.MaxInt32)
		}
	}
	ghosts, err := d.readGhosts(p, total)
	if err != nil {
		return err
	}
	d.lines += int(p.cells[verts] + p.cells[lines])
	first := p.cells[verts] + p.cells[lines]
	for _, kind := range []struct {
		section int
		role    role
		name    string
	}{{polys, polygon, "polygon"}, {strips, strip, "strip"}} {
		n := p.cells[kind.section]
		c, err := d.readCells(p, polySections[kind.section], offsets, connectivity, n)
		if err != nil {
			return err
		}
		g := &grid{cellList: c, base: base, path: d.path(p, kind.name)}
		if len(ghosts) > 0 {
			g.ghosts = ghosts[first : first+n : first+n]
		}
		if err := d.polygons(g, cellType{role: kind.role}); err != nil {
			return err
		}
		c.release(d.b.Budget)
		first += n
	}
	d.b.Budget.Release(4 * int64(cap(ghosts)))
	return nil
}
