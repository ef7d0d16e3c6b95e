package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/suggest"
	"github.com/inpoly/inpoly/points/table"
)

// SideSet is a set of sides. Element s is true if the set has the side s.
type SideSet [4]bool

// sidesByName has the sides that each name in a list of sides stands for.
var sidesByName = map[string][]inpoly.Side{
	"inside":    {inpoly.Inside, inpoly.OnSurface},
	"outside":   {inpoly.Outside},
	"on":        {inpoly.OnSurface},
	"off":       {inpoly.Inside, inpoly.Outside},
	"uncertain": {inpoly.Unknown},
}

// ParseSides parses the value of a flag such as --keep: names of sides separated by commas. For the
// empty string it returns nil. Errors are of type term.UsageError. They have a hint if each name is
// the name of a side or a misspelled name.
func ParseSides(flag, list string) (*SideSet, error) { return parseSides(flag, list, SideNames) }

// parseSides is ParseSides with the names that the message and the hint can propose.
func parseSides(flag, list string, names []string) (*SideSet, error) {
	if list == "" {
		return nil, nil
	}
	var set SideSet
	for name := range strings.SplitSeq(list, ",") {
		sides, ok := sidesByName[strings.TrimSpace(name)]
		if !ok {
			others := strings.Join(names[slices.Index(names, "uncertain"):], ", ")
			return nil, sidesHint(term.Usagef("%s %q: expected inside (which includes the surface), outside, on, off (which is not on), %s, or a list of these names separated by commas",
				flag, list, others), flag, list, names)
		}
		for _, side := range sides {
			set[side] = true
		}
	}
	return &set, nil
}

// sidesHint adds a hint to err if each side of a list is the name of a side or a misspelled name.
func sidesHint(err error, flag, list string, names []string) error {
	var meant []string
	for name := range strings.SplitSeq(list, ",") {
		side, ok := suggest.Closest(strings.TrimSpace(name), names)
		if !ok {
			return err
		}
		meant = append(meant, side)
	}
	return term.WithHint(err, "did you mean "+flag+" "+strings.Join(meant, ",")+"?")
}

// parseKeep parses the value of --keep: sides as in ParseSides, and doubtful.
func (f *Flags) parseKeep() (err error) {
	var sides []string
	f.doubtful = false
	for name := range strings.SplitSeq(f.Keep, ",") {
		if strings.TrimSpace(name) == DoubtfulName {
			f.doubtful = true
		} else {
			sides = append(sides, name)
		}
	}
	f.filter, err = parseSides("--keep", strings.Join(sides, ","), KeepNames)
	return err
}

// drop marks the rows of b that --keep does not list. doubtful marks the doubtful points, or is nil if there are
// none.
func (f *Flags) drop(b *table.Block, doubtful []bool) {
	if f.filter == nil && !f.doubtful {
		return
	}
	keeps := func(i int) bool {
		return f.filter != nil && f.filter[b.Sides[i]] || f.doubtful && doubtful != nil && doubtful[i]
	}
	for i := range b.Sides {
		if !keeps(i) {
			dropped := b.EnableDrop()
			for k := range dropped {
				dropped[k] = !keeps(k)
			}
			return
		}
	}
}

// Without returns the numbers of points whose side is not in the set, by side, and their sum.
func (s *SideSet) Without(counts [4]int64) (others [4]int64, sum int64) {
	for side, n := range counts {
		if !s[side] {
			others[side] = n
			sum += n
		}
	}
	return others, sum
}

// OtherSides describes the numbers of points with each side, such as "1 inside and 2 uncertain". It
// omits sides without points.
func OtherSides(n [4]int64) string {
	var parts []string
	for _, side := range []inpoly.Side{inpoly.Inside, inpoly.Outside, inpoly.OnSurface, inpoly.Unknown} {
		if n[side] > 0 {
			word := [4]string{inpoly.Inside: "inside", inpoly.Outside: "outside", inpoly.OnSurface: "on", inpoly.Unknown: "uncertain"}[side]
			parts = append(parts, fmt.Sprintf("%d %s", n[side], word))
		}
	}
	return term.Join(parts, "and")
}
