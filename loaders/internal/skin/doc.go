// Package skin computes the outer surface of volume cells, such as tetrahedra and hexahedra. The
// surface is the boundary of the sum of all cells: the faces of the cells, oriented outward, without
// pairs of faces that have the same corners and opposite orientations. Such a pair separates two
// neighbor cells.
//
//	s := skin.New(b) // b.Vertices must have all vertices of the cells
//	for _, cell := range cells {
//		if err := s.AddCell(skin.Tetrahedron, cell.corners); err != nil {
//			return err // without a place: the caller adds the place
//		}
//	}
//	if err := s.Flush(); err != nil { // appends the surface to b with b.AddPolygon
//		return err
//	}
//	s.Note() // adds notes about reversed, flat and overlapping cells to b
//
// Flush can be called several times. Each call appends the surface of the cells since the previous
// call. A reader of bodies calls b.BeginBody before each call of AddCell for the first cell of a body,
// or before Flush.
//
// # Orientation
//
// A cell whose corners are in the reverse order has a negative volume. Its faces are reversed, so that
// they are oriented outward. A cell without volume has the orientation of the previous cell of its
// kind. Therefore the winding number of the surface around a point is the number of cells that contain
// the point, whatever the order of their corners is. If cells overlap, or if they contradict each
// other, the surface is still closed.
//
// # Faces
//
// Two faces cancel if the cycles of their corners are equal in opposite directions. The triangles of a
// face play no role. Corners that repeat their neighbor are removed first. Thus the faces of a
// hexahedron that is collapsed to a wedge cancel with the faces of a real wedge. A quad does not cancel
// with two triangles; then all three faces remain, and the winding number is still correct if the quad
// is planar.
//
// The remaining faces have the order in which they first occurred. Each face begins at the corner of
// the lowest index, so its triangulation does not depend on the cell. The result does not depend on the
// hash function, which has a random seed.
//
// # Cost
//
// The expected time is O(n) for n faces. The memory is 32 to 56 bytes for each face that has no partner
// yet. A Skin reserves this memory in the budget of the Builder before it allocates the memory. If
// neighbor cells are close to each other in the file, most faces find their partner soon, and the
// memory is small.
package skin
