// Package rays finds where rays, segments and polylines meet the surface of a solid, and which
// parts of them lie inside. All hits and their order are exact.
//
//	caster, err := rays.New(ctx, solid)
//	if err != nil {
//		return err
//	}
//	hits := make([]rays.Hit, len(lines))
//	err = rays.FirstTo(ctx, caster, hits, lines) // lines is a []rays.Ray or a []rays.Segment
//
// # Hits
//
// A Ray has an origin o and a direction d, which are exact float64 numbers. Its points are o + t·d
// for t ≥ 0. A Segment has the points A + t·(B−A) for 0 ≤ t ≤ 1. Neither o + d nor B − A is
// rounded.
//
// Rays, segments and faces are closed. So a face is hit if a ray only touches an edge or a vertex
// of the face, or if the ray starts or a segment ends on the face. A face of zero area is a segment
// or a point, and it can be hit too. If a line lies in the plane of a face, the parameter of the
// hit is where the line enters the face.
//
// Whether a face is hit follows from exact signs (package predicates). The order of the hits is
// exact too: it compares the exact parameters, which are rational numbers. The field T is the
// parameter in float64, with a certified Bound. The fields T of ordered hits ascend, and hits with
// equal parameters have equal fields T.
//
// A line is not valid if a coordinate is not finite or exceeds mesh.MaxCoordinate in magnitude. A
// ray is also not valid if its direction is zero. See Ray.Check and Segment.Check. The answers for
// such a line are NaN and Unknown. The other lines of its batch are not affected.
//
// # Winding numbers
//
// The winding number W changes where a line crosses the surface. To avoid special cases at edges
// and vertices, each line is displaced by the infinitesimal vector (ε, ε², ε³), as in the
// simulation of simplicity (Edelsbrunner, Mücke 1990). The displaced line crosses only the interior
// of faces. The displacement is the same for all faces, so opposite faces in the same place still
// cancel. Jump is the change of W at the crossings of the displaced line. W of the line itself
// changes by the sum of the jumps between two points of the line that are not on the surface.
//
// # Options of the solid
//
// The mesh is Solid.Mesh, after the changes of inpoly.Options.Orient. Options.Tolerance has no
// effect: only points exactly on a face are on the surface. Options.Workers is the number of
// goroutines.
package rays
