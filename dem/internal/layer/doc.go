// Package layer computes the forces between two bodies that overlap, as if each surface were
// covered by a layer of springs. It knows only shapes and places. Package rigid turns its results
// into contacts.
//
// # The law
//
// Let φ(x) be the depth of a point x in a convex body: the least distance from x to a plane of a
// face, or 0 outside. Two convex bodies A and B have the energy
//
//	E = ¼∫φ_B² over the surface of A + ¼∫φ_A² over the surface of B
//
// for a stiffness of 1. If two flat faces of area S overlap by the depth d, then E is ½·S·d². If
// only B is convex, E is ½∫φ_B² over the surface of A.
//
// The surface of a body consists of tiles. A tile moves with its body, and φ is 0 at the border of
// the other body. So the force on a tile is the integral of 2w·φ·n over the tile, where w is ¼ or ½
// and n is the outward normal of the nearest plane. Therefore the forces are the gradient of the
// energy, exactly. The forces are continuous, except where a part of a tile lies in a plane at
// equal distances from two faces of the other body.
//
// # The computation
//
// Only planes that are nearest somewhere in the overlap matter. The overlap lies in a slab between
// two planes perpendicular to some direction. No point of the overlap is deeper than the thickness
// of the slab. The overlap also lies in the zone: the intersection of the boxes around the tiles of
// A and of B that reach into the slab. A plane that is farther from the zone than the thickness of
// the slab does not matter. Leaving it out enlarges the body, but not in the zone. So tiles are cut
// by the zone too.
//
// The depth is the least of several linear functions, so it is concave. If the same plane is
// nearest at all corners of a convex polygon, then it is nearest in the whole polygon. Otherwise
// the polygon is cut where two planes have the same distance. So each part of a tile has one
// nearest plane, and no part counts twice.
//
// Tiles are the flat faces of the convex body, not the triangles of its mesh. Large faces are
// divided into several tiles.
package layer
