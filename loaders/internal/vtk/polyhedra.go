package vtk

import (
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// faceList holds the faces of polyhedra.
type faceList struct {
	cells cellList  // for each cell of the grid, its faces as in a legacy file, or the indices of its faces
	faces *cellList // the corners of the faces; nil if cells holds the faces as in a legacy file
}

// release releases the memory of the list.
func (f *faceList) release(b *soup.Budget) {
	f.cells.release(b)
	if f.faces != nil {
		f.faces.release(b)
	}
}

// checkShared refuses faces that belong to too many cells. In a mesh, a face belongs to at most two cells.
// The time for a cell grows with the corners of all its faces, so a small file could take much time.
func (f *faceList) checkShared(path string) error {
	total, most := int64(0), overlap*int64(len(f.faces.corners))
	for _, k := range f.cells.corners {
		if total += int64(len(f.faces.cell(int(k)))); total > most {
			return soup.AtPath(path, soup.ErrTooLarge, "the cells share their faces, and have more than %d times as many corners of faces together as the file", overlap)
		}
	}
	return nil
}

// faceStream returns the faces of cell i as in a legacy file: their number, and for each face the number
// of its corners and the corners.
func (r *reader) faceStream(f *faceList, i int) ([]int32, error) {
	cell := f.cells.cell(i)
	if f.faces == nil {
		return cell, nil
	}
	r.stream = append(r.stream[:0], int32(len(cell)))
	for _, k := range cell {
		if int(k) >= len(f.faces.ends) || k < 0 {
			return nil, soup.Reason(soup.ErrIndexRange, "the cell refers to face %d, counted from 0, but there are %d faces", k, len(f.faces.ends))
		}
		corners := f.faces.cell(int(k))
		if err := soup.Grow(r.b.Budget, &r.stream, len(corners)+1, 4); err != nil {
			return nil, err
		}
		r.stream = append(append(r.stream, int32(len(corners))), corners...)
	}
	return r.stream, nil
}

// polyhedron adds a cell with the given faces: their number, and for each face the number of its corners
// and the corners.
func (r *reader) polyhedron(g *grid, faces []int32) error {
	cut := soup.Reason(soup.ErrSyntax, "the list of faces of a polyhedron ends too early or too late")
	if len(faces) == 0 {
		return cut
	}
	n, faces := faces[0], faces[1:]
	r.corners, r.sizes = r.corners[:0], r.sizes[:0]
	if int64(n) > int64(len(faces)) {
		return cut
	}
	if err := soup.Grow(r.b.Budget, &r.corners, len(faces), 4); err != nil {
		return err
	}
	if err := soup.Grow(r.b.Budget, &r.sizes, int(n), 4); err != nil {
		return err
	}
	for range n {
		if len(faces) == 0 || int64(faces[0]) > int64(len(faces)-1) {
			return cut
		}
		size := faces[0]
		for _, c := range faces[1 : 1+size] {
			v, err := r.vertex(g, c)
			if err != nil {
				return err
			}
			r.corners = append(r.corners, v)
		}
		r.sizes = append(r.sizes, size)
		faces = faces[1+size:]
	}
	if len(faces) > 0 {
		return cut
	}
	return r.skin.AddPolyhedron(r.sizes, r.corners)
}
