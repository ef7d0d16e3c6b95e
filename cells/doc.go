// Package cells makes ray crossing local: the exact side of a point in time that
// does not depend on the number of triangles.
//
// A sparse grid covers the box of the mesh. An empty cell carries the winding
// number of its points, one integer. A crossed cell carries its short list of
// triangles and reference points of exactly known winding number; a query there
// counts the signed crossings of the segment from the point to a reference,
// which stays in the convex cell, so the cell's own list is enough. Where the
// point lies on the same side of every listed plane as a reference, the segment
// crosses nothing, and no crossing has to be counted.
//
// The answers are those of package raycross: the same predicates decide every
// sign that a proved error bound does not. What cells cannot answer well (a
// vertex of very high valence, points near the holes of an open mesh) is handed
// to a raycross.Caster.
//
//	index, err := cells.New(ctx, m, cells.Options{Rays: rays})
//	if err != nil {
//		return err
//	}
//	sides := make([]side.Side, len(pts))
//	stats, err := index.SidesTo(ctx, sides, pts, 0)
//
// Winding numbers are those of Muth, Of, Eberhard, Steinbach 2006, §2; the local
// counting of crossings is their §2.2 on short segments.
package cells
