package columns

import "math"

// crossBeyond is the number of elements after the last point that crossAVX2 can read and write.
const crossBeyond = 3

// These are the filter bounds of package predicates, where they are proved.
const (
	cross2    = 0x1p-51
	cross3    = 0x1p-50
	underflow = 0x1p-970
)

// crossGeneric adds the signs of the crossings of the triangle t with the rays from at most 64
// points to their windings. t holds the coordinates of the three corners, one corner after another.
// If a sign is uncertain, the windings of the point do not change, and crossGeneric sets the bit of
// the point in the result.
//
// The minors u, v and w are twice the signed areas of the triangles that the point and an edge form
// in the projection along z. If all three are certainly positive, or certainly negative, then the
// line through the point along z meets the triangle, and the sign of the volume tells whether the
// ray meets it. If one minor is certainly positive and another certainly negative, the line misses
// the triangle. predicates.Around and predicates.Orient3D have the same operations and bounds.
// After an overflow, a bound is infinite or NaN, so the sign is uncertain.
func crossGeneric(t *[9]float64, x, y, z []float64, windings []int64) (doubt uint64) {
	for i := range windings {
		ax, ay, az := t[0]-x[i], t[1]-y[i], t[2]-z[i]
		bx, by, bz := t[3]-x[i], t[4]-y[i], t[5]-z[i]
		cx, cy, cz := t[6]-x[i], t[7]-y[i], t[8]-z[i]
		bc, cb := float64(bx*cy), float64(by*cx)
		ca, ac := float64(cx*ay), float64(cy*ax)
		ab, ba := float64(ax*by), float64(ay*bx)
		u, v, w := bc-cb, ca-ac, ab-ba
		us, vs, ws := math.Abs(bc)+math.Abs(cb), math.Abs(ca)+math.Abs(ac), math.Abs(ab)+math.Abs(ba)
		bound := float64(cross2*(us+vs+ws)) + underflow
		least, most := min(u, v, w), max(u, v, w)
		if least < -bound && most > bound {
			continue
		}
		det := float64(az*u) + float64(bz*v) + float64(cz*w)
		az, bz, cz = math.Abs(az), math.Abs(bz), math.Abs(cz)
		bound3 := float64(cross3*(float64(us*az)+float64(vs*bz)+float64(ws*cz))) + float64(underflow*(az+1+bz+cz))
		left, right, up, down := least > bound, most < -bound, det > bound3, det < -bound3
		switch {
		case left && up:
			windings[i]++
		case right && down:
			windings[i]--
		case !(left || right) || !(up || down):
			doubt |= 1 << i
		}
	}
	return doubt
}
