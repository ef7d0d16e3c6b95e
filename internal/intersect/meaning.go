package intersect

import (
	"fmt"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/side"
)

// Warnings returns a sentence for the crossing faces and one for the overlapping faces, if there
// are any. Each sentence states the effect under the rule. Touching faces have no effect on points
// off the surface, and mesh.Diagnosis counts duplicate faces.
func (r *Report) Warnings(rule side.Rule) []string {
	var out []string
	if n := r.Crossing; n > 0 {
		out = append(out, fmt.Sprintf("%s: the surface passes through itself; %s", sentence(n, "pair of faces crosses", "pairs of faces cross"), meaning(rule)))
	}
	if n := r.Overlapping; n > 0 {
		out = append(out, fmt.Sprintf("%s in a plane: points on a common area are on the surface; %s",
			sentence(n, "pair of faces overlaps", "pairs of faces overlap"), "the sides of other points are not affected"))
	}
	return out
}

func sentence(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// meaning describes the sides of points in a part of space that two closed parts of a mesh share.
func meaning(rule side.Rule) string {
	switch rule {
	case side.EvenOdd:
		return "under the rule evenodd, parts that overlap cancel, so a point in two parts is outside"
	case side.Positive:
		return "under the rule positive, parts that face outward form their union, and a part that faces inward is subtracted"
	case side.Negative:
		return "under the rule negative, parts that face inward form their union, and a part that faces outward is subtracted"
	}
	return "under the rule nonzero, parts that overlap form their union, but a part that faces inward cancels a part that faces outward"
}

// Counts returns the counts of all kinds in one phrase.
func (r *Report) Counts() string {
	least := ""
	if r.Incomplete {
		least = "at least "
	}
	return least + fmt.Sprintf("%s, %d overlapping, %d duplicate, %d touching",
		plural.Count(r.Crossing, "crossing pair"), r.Overlapping, r.Duplicate, r.Touching)
}
