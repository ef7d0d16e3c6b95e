package section

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
)

// Section is the intersection of a solid with a plane.
type Section struct {
	Plane Plane
	Frame Frame
	// Closed reports whether the mesh is closed. Otherwise the winding numbers, the polygons and the
	// areas are not determined.
	Closed bool
	// Rule is the rule of the solid, which selects the filled region.
	Rule inpoly.Rule
	// Bound bounds the error of each coordinate of the points in space. Coordinates in the frame have
	// up to three times this error, and the rounding errors of the frame.
	Bound float64
	// Contours are the contours of the mesh. Each segment in which a face crosses the plane is in
	// exactly one contour. Closed contours of only two points are left out.
	Contours []Contour
	// Polygons are the parts of the filled region. They do not overlap. Polygons, and the rings of a
	// polygon, can touch at single points.
	Polygons []Polygon
	// Area is the area of the polygons, and AreaBound bounds its error. If the mesh is open or a
	// computed number overflows, Area is NaN and AreaBound is +Inf. The same holds for all other
	// areas.
	Area, AreaBound float64
	// WindingArea is the integral of the winding number over the plane. It equals Area if the winding
	// number is 0 or 1 everywhere. Bodies that overlap count several times.
	WindingArea, WindingAreaBound float64
	// Crossings is the number of points in the interior of segments where other segments cross them
	// or end. If it is 0, contours meet at most at their points.
	Crossings int
}

// Contour is a polyline in which faces of the mesh cross the plane. Seen against the normal of the
// plane, the inside of an outward-facing mesh is on its left.
type Contour struct {
	Points []r3.Vector
	// Closed reports whether the last point is connected with the first one.
	Closed bool
	// Left and Right are the winding numbers on the two sides of the contour: the least and the
	// greatest on each side. The two are equal unless another contour crosses the contour or touches
	// it along a segment. If the mesh is open, all are 0.
	Left, Right [2]int
}

// Ring is a closed ring without repeated points: the last point is connected with the first one.
type Ring struct {
	Points []r3.Vector
	// Area is the area inside the ring in the plane. It is positive for outer rings and negative for
	// holes. AreaBound bounds its error.
	Area, AreaBound float64
}

// Polygon is a connected part of the filled region. Seen against the normal of the plane, the outer
// ring runs counterclockwise and the holes run clockwise. No hole contains another hole.
type Polygon struct {
	Outer Ring
	Holes []Ring
}
