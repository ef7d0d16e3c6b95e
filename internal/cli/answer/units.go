package answer

import (
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/vec"
)

// unitRatios lists pairs of units that are often confused.
var unitRatios = []struct {
	ratio                    float64
	large, small             string
	largeSymbol, smallSymbol string
}{{25.4, "inches", "millimeters", "in", "mm"}, {1000, "meters", "millimeters", "m", "mm"}}

// fewPoints is the largest number of points whose box says little about the size of the part. The
// box of three points is often much smaller than the part. With more points, similar sizes of the
// boxes are a better sign.
const fewPoints = 100

// unitHint returns a hint if the mesh and the points seem to have different units, or "". It
// compares the longest sides of the boxes. For few points, it also tests whether their box fits
// into the box of the mesh after a change of units.
func unitHint(mesh, cloud bvh.Box, rows int64) string {
	m, c := vec.MaxAbs(mesh.Size()), vec.MaxAbs(cloud.Size())
	for _, u := range unitRatios {
		switch {
		case about(c, m*u.ratio):
			return fmt.Sprintf("; the points are about %g times as large: is the mesh in %s, the points in %s? Then use --units %s:%s", u.ratio, u.large, u.small, u.smallSymbol, u.largeSymbol)
		case about(m, c*u.ratio):
			return fmt.Sprintf("; the mesh is about %g times as large: is the mesh in %s, the points in %s? Then use --units %s:%s", u.ratio, u.small, u.large, u.largeSymbol, u.smallSymbol)
		}
	}
	if rows > fewPoints {
		return ""
	}
	for _, u := range unitRatios {
		switch {
		case fits(mesh, cloud, 1/u.ratio):
			return fmt.Sprintf("; is the mesh in %s, the points in %s? Then use --units %s:%s", u.large, u.small, u.smallSymbol, u.largeSymbol)
		case fits(mesh, cloud, u.ratio):
			return fmt.Sprintf("; is the mesh in %s, the points in %s? Then use --units %s:%s", u.small, u.large, u.largeSymbol, u.smallSymbol)
		}
	}
	return ""
}

// about(a, b) is true if a and b agree within 25 %. The box of the points is usually a little
// larger or smaller than the box of the mesh. The limit only affects a warning.
func about(a, b float64) bool { return a > 0 && a <= 1.25*b && b <= 1.25*a }

// fits reports whether the box of the points, scaled by a factor, is in the box of the mesh widened
// by a quarter of its size. The scaled box must also have at least a tenth of the size of the mesh,
// or a third if the boxes already overlap, because a few points can be close together by chance. A
// single point fits only if it is outside the box of the mesh. The limits only affect a warning.
func fits(mesh, cloud bvh.Box, factor float64) bool {
	size := vec.MaxAbs(mesh.Size())
	wide := r3.Vector{X: size / 4, Y: size / 4, Z: size / 4}
	room := bvh.Box{Min: mesh.Min.Sub(wide), Max: mesh.Max.Add(wide)}
	scaled := bvh.Box{Min: cloud.Min.Mul(factor), Max: cloud.Max.Mul(factor)}
	if room.Contains(cloud.Min) && room.Contains(cloud.Max) && factor < 1 {
		return false // the points fit without a change of units
	}
	least := size / 10
	if mesh.Overlaps(cloud) {
		least = size / 3
	}
	if single := cloud.Min == cloud.Max && !mesh.Overlaps(cloud); !single && vec.MaxAbs(scaled.Size()) < least {
		return false
	}
	return size > 0 && room.Contains(scaled.Min) && room.Contains(scaled.Max)
}
