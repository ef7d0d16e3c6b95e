package polygon

import (
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r2"
)

// ErrShape is the error for corners that are not those of a convex polygon,
// counterclockwise.
var ErrShape = errors.New("not a convex polygon, counterclockwise")

func shapeError(corners []r2.Point, i int, format string, args ...any) error {
	return fmt.Errorf("corner %d (%g, %g): %s: %w", i, corners[i].X, corners[i].Y, fmt.Sprintf(format, args...), ErrShape)
}

// check returns the corners at which the boundary turns, or says why it is not that of a
// convex polygon.
func check(corners []r2.Point) ([]r2.Point, error) {
	if len(corners) < 3 {
		return nil, fmt.Errorf("%d corners, needs 3: %w", len(corners), ErrShape)
	}
	if len(corners) > math.MaxInt32 {
		return nil, fmt.Errorf("%d corners, indices have 32 bits: %w", len(corners), ErrShape)
	}
	size := 0.0
	seen := make(map[r2.Point]int, len(corners))
	for i, c := range corners {
		// The negation catches NaN.
		if !(math.Abs(c.X) <= MaxCoordinate && math.Abs(c.Y) <= MaxCoordinate) {
			return nil, shapeError(corners, i, "coordinates must be numbers up to %g", float64(MaxCoordinate))
		}
		// Keys of a map are equal as numbers are: −0 is 0.
		if first, ok := seen[c]; ok {
			return nil, shapeError(corners, i, "repeats corner %d", first)
		}
		seen[c] = i
		size = max(size, math.Abs(c.X), math.Abs(c.Y))
	}
	if size < MinSize {
		return nil, fmt.Errorf("size %g is below %g: %w", size, float64(MinSize), ErrShape)
	}
	return checkTurns(corners)
}

// checkTurns decides by the turns, which are exact. Left turns at all corners, and once
// around: a convex polygon.
func checkTurns(corners []r2.Point) ([]r2.Point, error) {
	n := len(corners)
	firstLeft, firstRight := -1, -1
	kept := make([]r2.Point, 0, n)
	f := plainFrame(&Shape{corners: corners})
	var which []int
	for i, c := range corners {
		before, after := corners[(i+n-1)%n], corners[(i+1)%n]
		switch turn := sign(f.twiceArea((i+n-1)%n, i, (i+1)%n)); {
		case turn > 0:
			if firstLeft < 0 {
				firstLeft = i
			}
		case turn < 0:
			if firstRight < 0 {
				firstRight = i
			}
		case !between(before, c, after):
			return nil, shapeError(corners, i, "the boundary reverses")
		default:
			continue
		}
		kept, which = append(kept, c), append(which, i)
	}
	switch {
	case firstLeft >= 0 && firstRight >= 0:
		return nil, shapeError(corners, firstRight, "the boundary turns right, at corner %d left", firstLeft)
	case firstRight >= 0:
		return nil, shapeError(corners, firstRight, "the boundary turns right, as everywhere: corners are clockwise")
	case firstLeft < 0:
		return nil, shapeError(corners, 0, "all corners are in one line")
	}
	// All turns are left by less than half a turn. The direction passes from the lower to the
	// upper half of the circle as often as the boundary goes around.
	laps := 0
	for i := range kept {
		before, at, after := kept[(i+len(kept)-1)%len(kept)], kept[i], kept[(i+1)%len(kept)]
		if after.Sub(at).Norm() < MinEdge {
			return nil, shapeError(corners, which[i], "the edge to the next corner is shorter than %g", float64(MinEdge))
		}
		if !upper(before, at) && upper(at, after) {
			if laps++; laps > 1 {
				return nil, shapeError(corners, which[i], "the boundary goes around more than once")
			}
		}
	}
	return kept, nil
}

// upper reports whether the direction from p to q is at an angle from 0 up to, and
// without, π.
func upper(p, q r2.Point) bool { return q.Y > p.Y || (q.Y == p.Y && q.X > p.X) }

// between reports whether c, which is in one line with a and b, is between them.
func between(a, c, b r2.Point) bool {
	if a.X != b.X {
		return (a.X < c.X) == (c.X < b.X)
	}
	return (a.Y < c.Y) == (c.Y < b.Y)
}
