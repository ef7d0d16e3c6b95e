package view

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/bvh"
)

// Plane is an axis-parallel plane: coordinate Axis (0 x, 1 y, 2 z) is Value.
type Plane struct {
	Axis  int
	Value float64
}

// axisNames are the names of the axes.
const axisNames = "xyz"

// ParsePlane reads x=1.5, y=0 or z=-2.
func ParsePlane(s string) (Plane, error) {
	name, text, ok := strings.Cut(s, "=")
	name = strings.ToLower(strings.TrimSpace(name))
	k := -1
	if len(name) == 1 {
		k = strings.Index(axisNames, name)
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if !ok || k < 0 || err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
		return Plane{}, fmt.Errorf("plane %q: want an axis and a finite value, such as z=0.3", s)
	}
	return Plane{k, value}, nil
}

// String returns what ParsePlane reads.
func (p Plane) String() string {
	return fmt.Sprintf("%c=%s", axisNames[p.Axis], strconv.FormatFloat(p.Value, 'g', -1, 64))
}

// Label is String with six digits, for people.
func (p Plane) Label() string { return fmt.Sprintf("%c=%.6g", axisNames[p.Axis], p.Value) }

// axes returns the axes that run right and up in a picture of the plane: x and y, x and
// z, or y and z; z and y in the last case where y is the axis that points up.
func (p Plane) axes(upright int) (right, up int) {
	if p.Axis == 0 && upright == 1 {
		return 2, 1
	}
	return [3]int{1, 0, 0}[p.Axis], [3]int{2, 2, 1}[p.Axis]
}

// middlePlane returns the plane through the middle of b across its shortest side that
// is not 0, where the cut is as large as can be; of equal sides the last. b is not
// empty.
func middlePlane(b bvh.Box) Plane {
	lo, hi := b.Min.Mul(0.5), b.Max.Mul(0.5)
	half, middle := hi.Sub(lo), lo.Add(hi)
	best := 2
	for k := 1; k >= 0; k-- {
		if a := axis(half, k); a > 0 && (a < axis(half, best) || axis(half, best) == 0) {
			best = k
		}
	}
	return Plane{best, axis(middle, best)}
}
