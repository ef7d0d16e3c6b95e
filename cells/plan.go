package cells

import (
	"math"
)

// plan is what the cost model chooses.
type plan struct {
	edge float64 // of a cell of the first level
	long int     // longer lists are refined
}

// sampled is how many triangles stand for all in the cost model.
const sampled = 4096

// plan chooses the cells for a number of points.
func (x *Index) plan(points int64) plan {
	n := x.mesh.NumFaces() + len(x.fans)
	box := x.mesh.Box()
	size := box.Size()
	unit := max(size.X, size.Y, size.Z)
	if unit == 0 {
		return plan{edge: 0, long: planLong} // one point
	}
	// In the unit of the box nothing leaves the range of float64.
	scale := 1 / unit
	if math.IsInf(scale, 0) {
		return plan{edge: unit, long: planLong}
	}
	var extents, shadows float64 // means over the triangles
	count := 0.0
	for f := 0; f < n; f += max(1, n/sampled) {
		t := x.triangle(int32(f))
		a, b := t[1].Sub(t[0]).Mul(scale), t[2].Sub(t[0]).Mul(scale)
		c := a.Cross(b)
		shadows += (math.Abs(c.X) + math.Abs(c.Y) + math.Abs(c.Z)) / 2
		extents += max(0, a.X, b.X) - min(0, a.X, b.X) + max(0, a.Y, b.Y) - min(0, a.Y, b.Y) + max(0, a.Z, b.Z) - min(0, a.Z, b.Z)
		count++
	}
	shadows, extents = shadows/count, extents/count
	// The top of the grid must not outgrow the mesh, nor the lists: on average a
	// triangle meets 1 + extents/edge + shadows/edge² cells.
	most := float64(max(512, n/4))
	edge := max(math.Sqrt(planAlpha*shadows), 0x1p-20)
	for ; ; edge *= 1.05 {
		b := edge * brickSide
		bricks := (size.X*scale/b + 1) * (size.Y*scale/b + 1) * (size.Z*scale/b + 1)
		if bricks <= most && 1+extents/edge+shadows/edge/edge <= planLists {
			break
		}
	}
	return plan{edge: edge * unit, long: planLong}
}

var (
	planAlpha = 1.7
	planLong  = 20
	planLists = 6.0
)
