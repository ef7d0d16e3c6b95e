// Package section intersects solids with planes. A section has the contours of the mesh in a plane,
// the polygons that the rule of the solid fills, and their areas.
//
// The plane is a point and a normal with float64 coordinates. The side of each vertex is exact. A
// vertex exactly on the plane counts as a vertex below it, on the side opposite to the normal. This is
// the section with the plane moved by an infinitesimal distance along the normal, in the limit
// (Edelsbrunner, Mücke, "Simulation of Simplicity", 1990). So a face in the plane makes no segments.
// Along the normal, a body from height a to height b is cut at heights in [a, b): the section through
// the bottom of a cube is the whole square, and the section through its top is empty. With the opposite
// normal, the body is cut at heights in (a, b].
//
// Segments run in the direction normal×n, where n is the normal of the face. So the inside of an
// outward-facing mesh is on the left when seen against the normal of the plane, and outer contours
// run counterclockwise. Contours have no node twice: a walk that returns to a node becomes two
// contours that touch. The contours of a closed mesh are all closed, also at edges of more than two
// faces. Contours of different parts of a mesh can cross each other.
//
// For a closed mesh, the package builds the arrangement of the segments: where segments cross or
// overlap, they are divided at exact rational points. Each piece has the winding numbers of its two
// sides. A piece belongs to the boundary of the filled region if the rule fills exactly one of them.
// So the polygons of overlapping bodies are the polygons of their union, and all decisions (which
// segments cross, in which order, which ring contains which) are exact. Only the coordinates of the
// results are rounded. Bound bounds their errors.
//
// On an open mesh, winding numbers are not integers, so a section has only contours: closed and open
// polylines.
//
//	s, err := section.Cut(ctx, solid, section.Plane{Origin: r3.Vector{Z: 1.5}, Normal: r3.Vector{Z: 1}})
//	if err != nil {
//		return err
//	}
//	for _, p := range s.Polygons {
//		fmt.Println(len(p.Outer.Points), "points,", len(p.Holes), "holes")
//	}
//	fmt.Println(s.Area, "±", s.AreaBound)
package section
