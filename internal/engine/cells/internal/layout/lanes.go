package layout

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// LaneCount is the number of lanes of Lanes: the number of float64 in a vector register.
const LaneCount = 4

// Lanes holds LaneCount triangles and one segment for each triangle. In each array, the last index
// is the lane.
type Lanes struct {
	corners      [3][3][LaneCount]float64 // by corner and axis
	point, other [3][LaneCount]float64    // the ends of the segment
}

// SetPlane sets a triangle and the first end of its segment.
func (l *Lanes) SetPlane(lane int, a, b, c, p *r3.Vector) {
	lane &= LaneCount - 1
	for i, v := range [3]*r3.Vector{a, b, c} {
		l.corners[i][0][lane], l.corners[i][1][lane], l.corners[i][2][lane] = v.X, v.Y, v.Z
	}
	l.point[0][lane], l.point[1][lane], l.point[2][lane] = p.X, p.Y, p.Z
}

// SetEnd sets the second end of a segment.
func (l *Lanes) SetEnd(lane int, r *r3.Vector) {
	lane &= LaneCount - 1
	l.other[0][lane], l.other[1][lane], l.other[2][lane] = r.X, r.Y, r.Z
}

func (l *Lanes) get(lane int) (t mesh.Triangle, p, r r3.Vector) {
	at := func(v *[3][LaneCount]float64) r3.Vector {
		return r3.Vector{X: v[0][lane], Y: v[1][lane], Z: v[2][lane]}
	}
	return mesh.Triangle{at(&l.corners[0]), at(&l.corners[1]), at(&l.corners[2])}, at(&l.point), at(&l.other)
}

// PlaneLanes finds the signs of predicates.Orient3D for the triangles of l and the first ends of
// the segments. If the filter proves that the sign of lane i of l[k] is positive, PlaneLanes sets
// bit i of signs[k]. If the filter proves that the sign is negative, PlaneLanes sets bit LaneCount
// + i.
func PlaneLanes(l []Lanes, signs []uint8) {
	n := len(l)
	_ = signs[:n]
	if hasAVX2 && n > 0 {
		planeLanesAVX2(&l[0], n, &signs[0])
		return
	}
	planeLanesGeneric(l, signs)
}

func planeLanesGeneric(l []Lanes, signs []uint8) {
	for k := range l {
		signs[k] = 0
		for i := range LaneCount {
			t, p, _ := l[k].get(i)
			pos, neg := filter(t[0], t[1], t[2], p)
			signs[k] |= (pos | neg<<LaneCount) << i
		}
	}
}

// SegmentLanes compares the segments of l with the edges of the triangles. The ends of a segment
// must be on different sides of the plane of the triangle. If the filter proves that the segment
// crosses the interior of the triangle in lane i of l[k], SegmentLanes sets bit i of signs[k]. If
// the filter proves that the segment misses this triangle, SegmentLanes sets bit LaneCount + i.
func SegmentLanes(l []Lanes, signs []uint8) {
	n := len(l)
	_ = signs[:n]
	if hasAVX2 && n > 0 {
		segmentLanesAVX2(&l[0], n, &signs[0])
		return
	}
	segmentLanesGeneric(l, signs)
}

func segmentLanesGeneric(l []Lanes, signs []uint8) {
	for k := range l {
		signs[k] = 0
		for i := range LaneCount {
			t, p, r := l[k].get(i)
			pos0, neg0 := filter(r, t[0], t[1], p)
			pos1, neg1 := filter(r, t[1], t[2], p)
			pos2, neg2 := filter(r, t[2], t[0], p)
			hit := pos0&pos1&pos2 | neg0&neg1&neg2
			miss := (pos0 | pos1 | pos2) & (neg0 | neg1 | neg2)
			signs[k] |= (hit | miss<<LaneCount) << i
		}
	}
}

// These constants are those of predicates.Orient3D, where the bound is proved.
const (
	boundDet3  = 0x1p-50
	underflow3 = 0x1p-970
)

// filter applies the filter of predicates.Orient3D(a, b, c, d), with the same operations in the
// same order. pos is 1 if the sign is certainly positive. neg is 1 if the sign is certainly
// negative.
func filter(a, b, c, d r3.Vector) (pos, neg uint8) {
	a, b, c = a.Sub(d), b.Sub(d), c.Sub(d)
	bc, cb := float64(b.X*c.Y), float64(c.X*b.Y)
	ca, ac := float64(c.X*a.Y), float64(a.X*c.Y)
	ab, ba := float64(a.X*b.Y), float64(b.X*a.Y)
	det := float64(a.Z*(bc-cb)) + float64(b.Z*(ca-ac)) + float64(c.Z*(ab-ba))
	az, bz, cz := math.Abs(a.Z), math.Abs(b.Z), math.Abs(c.Z)
	permanent := float64((math.Abs(bc)+math.Abs(cb))*az) +
		float64((math.Abs(ca)+math.Abs(ac))*bz) +
		float64((math.Abs(ab)+math.Abs(ba))*cz)
	bound := float64(boundDet3*permanent) + float64(underflow3*(az+bz+cz+1))
	if det > bound {
		pos = 1
	}
	if -det > bound {
		neg = 1
	}
	return pos, neg
}
