package view

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/golang/geo/r3"
)

// Direction is the direction from a mesh toward the viewer, in degrees. An azimuth of 0 is the
// front, and 90 is the right side. If z points up, the front faces −y and the right side faces x. If
// y points up, the front faces z and the right side faces x. If x points up, the front faces −z and
// the right side faces y. The elevation is 0 at the horizon and 90 at the top.
type Direction struct {
	Azimuth, Elevation float64
}

// defaultDirection shows the front, the right side and the top.
var defaultDirection = Direction{35, 22}

var directions = []struct {
	name string
	d    Direction
}{
	{"front", Direction{0, 0}}, {"right", Direction{90, 0}}, {"back", Direction{180, 0}}, {"left", Direction{-90, 0}},
	{"top", Direction{0, 90}}, {"bottom", Direction{0, -90}},
}

// ParseDirection parses one of the names front, back, left, right, top and bottom, or the azimuth and
// the elevation in degrees with a comma between them, such as 35,22. The elevation must be from −90
// to 90.
func ParseDirection(s string) (Direction, error) {
	word := strings.ToLower(strings.TrimSpace(s))
	for _, n := range directions {
		if n.name == word {
			return n.d, nil
		}
	}
	a, e, ok := strings.Cut(word, ",")
	azimuth, err1 := strconv.ParseFloat(strings.TrimSpace(a), 64)
	elevation, err2 := strconv.ParseFloat(strings.TrimSpace(e), 64)
	d := Direction{azimuth, elevation}
	if !ok || err1 != nil || err2 != nil || !d.valid() {
		return d, fmt.Errorf("direction %q: expected front, back, left, right, top, bottom, or an azimuth and an elevation from -90 to 90 in degrees, such as 35,22", s)
	}
	return d, nil
}

// valid reports whether the angles are finite and the elevation is from −90 to 90.
func (d Direction) valid() bool {
	return !math.IsNaN(d.Azimuth) && !math.IsInf(d.Azimuth, 0) && math.Abs(d.Elevation) <= 90
}

// axes returns the directions to the right, up and toward the viewer. They are orthonormal.
func (d Direction) axes(upAxis int) (right, up, back r3.Vector) {
	unit := [3]r3.Vector{{X: 1}, {Y: 1}, {Z: 1}}
	front, side := unit[1].Mul(-1), unit[0]
	switch upAxis {
	case 0:
		front, side = unit[2].Mul(-1), unit[1]
	case 1:
		front, side = unit[2], unit[0]
	}
	sin, cos := degrees(d.Azimuth)
	level := front.Mul(cos).Add(side.Mul(sin))
	right = side.Mul(cos).Sub(front.Mul(sin))
	sin, cos = degrees(d.Elevation)
	return right, unit[upAxis].Mul(cos).Sub(level.Mul(sin)), level.Mul(cos).Add(unit[upAxis].Mul(sin))
}

// degrees returns the sine and the cosine of an angle. They are exact for multiples of 90°.
func degrees(a float64) (sin, cos float64) {
	a = math.Mod(a, 360)
	if q := a / 90; q == math.Trunc(q) {
		k := (int(q) + 4) % 4
		return [4]float64{0, 1, 0, -1}[k], [4]float64{1, 0, -1, 0}[k]
	}
	return math.Sincos(a * math.Pi / 180)
}
