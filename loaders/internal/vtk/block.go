package vtk

import (
	"math"

	"github.com/inpoly/inpoly/loaders/internal/skin"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// block is a rectilinear grid whose coordinates strictly increase or strictly decrease in each of three
// directions. Its surface is the surface of a box, so memory and time are O(n²) for n³ points. The
// vertices are the points on the surface, in the order of all points.
type block struct {
	extent
	axes *axes
	base int32 // first vertex in the Builder
}

// addBlock adds the points and the surface of a block, and counts its cells. The surface has the vertices,
// faces and order that skin.Skin would give it.
func (r *reader) addBlock(e extent, a *axes, path string) error {
	b := &block{extent: e, axes: a, base: int32(len(r.b.Vertices))}
	n, err := b.surfacePoints()
	if err != nil {
		return err
	}
	if err := r.b.GrowVertices(n); err != nil {
		return err
	}
	done := 0
	err = eachOuter(b.sizes(), func(i, j, k int64) error {
		done++
		if err := r.s.Check(done); err != nil {
			return err
		}
		return r.gridPoint(e, path, i, j, k, a.at(i, j, k))
	})
	if err != nil {
		return err
	}
	if err := r.addSides(b); err != nil {
		return err
	}
	r.b.StoredVertices = int(min(b.points(), math.MaxInt))
	r.skin.CountCells(int(min(b.cells(), math.MaxInt)), b.reversed())
	return nil
}

// surfacePoints returns the number of points on the surface.
func (b *block) surfacePoints() (int, error) {
	n := b.sizes()
	if b.hasLargeLayer() { // otherwise, the sum below does not overflow
		return 0, tooManyPoints(n)
	}
	total := 2*n[0]*n[1] + (n[2]-2)*b.ring()
	if total > math.MaxInt32 {
		return 0, tooManyPoints(n)
	}
	return int(total), nil
}

// ring returns the number of points on the surface in a layer that is neither the first nor the last one.
func (b *block) ring() int64 {
	n := b.sizes()
	return 2*n[0] + 2*n[1] - 4
}

// vertex returns the vertex of a point on the surface.
func (b *block) vertex(i, j, k int64) int32 {
	n := b.sizes()
	v := int64(b.base)
	if k > 0 {
		v += n[0]*n[1] + (k-1)*b.ring()
	}
	switch {
	case k == 0 || k == n[2]-1:
		v += i + n[0]*j
	case j == 0:
		v += i
	case j == n[1]-1:
		v += n[0] + 2*(n[1]-2) + i
	default:
		v += n[0] + 2*(j-1) + min(i, 1) // i is 0 or n[0] − 1
	}
	return int32(v)
}

// reversed reports whether the order of the corners gives the cells a negative volume.
func (b *block) reversed() bool {
	reversed := false
	for _, x := range b.axes {
		reversed = reversed != (x[1] < x[0])
	}
	return reversed
}

// eachOuter calls a function for each position 0 ≤ i, j, k < n of a grid on its surface. The first index
// varies fastest.
func eachOuter(n [3]int64, do func(i, j, k int64) error) error {
	for k := range n[2] {
		for j := range n[1] {
			step := int64(1)
			if k > 0 && k < n[2]-1 && j > 0 && j < n[1]-1 {
				step = max(1, n[0]-1)
			}
			for i := int64(0); i < n[0]; i += step {
				if err := do(i, j, k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// hexahedronCorners lists the corners of a hexahedron relative to its first corner.
var hexahedronCorners = [8][3]int64{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}

// side is a face of a hexahedron: the plane index = at in a direction.
type side struct {
	corners   [4]uint8
	direction int
	at        int64 // 0 or 1
}

// hexahedronSides returns the faces of a hexahedron in the order of package skin.
func hexahedronSides() (sides []side) {
	for _, f := range skin.Hexahedron.Faces() {
		s := side{corners: [4]uint8(f)}
		for a := range 3 {
			at, flat := hexahedronCorners[f[0]][a], true
			for _, c := range f {
				flat = flat && hexahedronCorners[c][a] == at
			}
			if flat {
				s.direction, s.at = a, at
			}
		}
		sides = append(sides, s)
	}
	return sides
}

// addSides adds the sides of the cells that lie on the surface of the block. Each face begins at its
// lowest vertex.
func (r *reader) addSides(b *block) error {
	sides, cells, reversed := hexahedronSides(), b.cellSizes(), b.reversed()
	done := 0
	return eachOuter(cells, func(i, j, k int64) error {
		done++
		if err := r.s.Check(done); err != nil {
			return err
		}
		cell := [3]int64{i, j, k}
		for _, s := range sides {
			if cell[s.direction] != s.at*(cells[s.direction]-1) {
				continue
			}
			var face [4]int32
			for c, corner := range s.corners {
				at := hexahedronCorners[corner]
				face[c] = b.vertex(i+at[0], j+at[1], k+at[2])
			}
			if reversed {
				face[1], face[3] = face[3], face[1]
			}
			for face[0] > min(face[1], face[2], face[3]) {
				face = [4]int32{face[1], face[2], face[3], face[0]}
			}
			if err := r.b.AddPolygon(face[:]); err != nil {
				return err
			}
		}
		return nil
	})
}

// tooManyPoints returns the error for a grid with too many points.
func tooManyPoints(n [3]int64) *soup.Error {
	return soup.AtPath("", soup.ErrTooLarge, "a grid of %d × %d × %d points", n[0], n[1], n[2])
}
