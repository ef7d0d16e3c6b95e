package segments

import (
	"cmp"
	"slices"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/cli/answer"
)

// part is a part of a line with one side and one set of solids.
type part struct {
	side             inpoly.Side
	solids           string  // names of the solids that contain the part, with --body all
	body             int64   // number in the column body
	from, to, length float64 // positions along the line, and the length
	fromBound        float64 // bounds of the errors
	toBound          float64
	lengthBound      float64
	count            int64 // number of parts that a summary adds up
}

// bound returns a bound of the errors of from, to and length.
func (p *part) bound() float64 { return max(p.fromBound, p.toBound, p.lengthBound) }

// combiner combines the parts of one line relative to several solids.
type combiner struct {
	choice assembly.Choice
	all    bool    // --body all
	bodies bool    // whether parts with different solids are different
	order  []int32 // solids in the order in which they are chosen
	names  []string

	cuts  []cut
	sides []inpoly.Side // side of the current part relative to each solid
	next  []int         // for each solid, the index of its next part
}

// cut is the end of a part relative to one solid.
type cut struct {
	at, bound float64
	solid     int
}

// combine appends the parts of a line to dst. parts[k] has the parts relative to solid k. The parts of
// each solid cover the whole line.
//
// The order of two cuts of different solids is unknown if the intervals of their errors overlap. Such
// cuts become one cut, and the bound of this cut covers both. So no part is shorter than the bounds of
// its ends because of two solids that touch. Two cuts of the same solid stay different.
func (c *combiner) combine(dst []part, parts [][]part) []part {
	c.cuts, c.sides, c.next = c.cuts[:0], c.sides[:0], c.next[:0]
	for k, list := range parts {
		for _, p := range list[:len(list)-1] {
			c.cuts = append(c.cuts, cut{p.to, p.toBound, k})
		}
		c.sides, c.next = append(c.sides, list[0].side), append(c.next, 1)
	}
	slices.SortStableFunc(c.cuts, func(a, b cut) int { return cmp.Compare(a.at, b.at) })
	first := len(dst)
	from := part{from: parts[0][0].from, fromBound: parts[0][0].fromBound}
	for i := 0; i < len(c.cuts); {
		end, bound := c.group(i)
		dst = c.add(dst, first, from, c.cuts[i].at, bound)
		from.from, from.fromBound = c.cuts[i].at, bound
		for ; i < end; i++ {
			k := c.cuts[i].solid
			c.sides[k] = parts[k][c.next[k]].side
			c.next[k]++
		}
	}
	last := &parts[0][len(parts[0])-1]
	return c.add(dst, first, from, last.to, last.toBound)
}

// group returns the end of the cuts that become one cut with cut i, and the bound of this cut.
func (c *combiner) group(i int) (end int, bound float64) {
	at := c.cuts[i].at
	reach := at + c.cuts[i].bound
	bound = c.cuts[i].bound
	for end = i + 1; end < len(c.cuts) && c.cuts[end].at-c.cuts[end].bound <= reach; end++ {
		next := c.cuts[end]
		if slices.ContainsFunc(c.cuts[i:end], func(other cut) bool { return other.solid == next.solid }) {
			break
		}
		reach = max(reach, next.at+next.bound)
		bound = max(bound, next.at+next.bound-at, at-(next.at-next.bound))
	}
	return end, bound
}

// add appends the part from p.from to the given end, or extends the last part if it has the same side
// and the same solids.
func (c *combiner) add(dst []part, first int, p part, to, bound float64) []part {
	p.side, p.solids, p.body = c.place()
	p.to, p.toBound = to, bound
	if n := len(dst); n > first && dst[n-1].side == p.side && dst[n-1].body == p.body && dst[n-1].solids == p.solids {
		p.from, p.fromBound = dst[n-1].from, dst[n-1].fromBound
		dst = dst[:n-1]
	}
	p.length = p.to - p.from
	p.lengthBound = p.fromBound + p.toBound + epsilon*p.length
	return append(dst, p)
}

// place returns the side of the union of the solids, and the solids that contain the current part, in
// the form that --body requests.
func (c *combiner) place() (union inpoly.Side, solids string, body int64) {
	union = inpoly.Outside
	for _, s := range c.sides {
		switch {
		case s == inpoly.Inside || union == inpoly.Inside:
			union = inpoly.Inside
		case s == inpoly.Unknown || union == inpoly.Unknown:
			union = inpoly.Unknown
		case s == inpoly.OnSurface:
			union = inpoly.OnSurface
		}
	}
	if !c.bodies {
		return union, "", 0
	}
	var found []string
	count := int64(0)
	uncertain := false
	chosen := int64(inpoly.NoBody)
	for _, k := range c.order {
		switch s := c.sides[k]; {
		case s == inpoly.Unknown:
			uncertain = true
			if chosen == int64(inpoly.NoBody) {
				chosen = int64(len(c.sides)) // the name after the names of the solids
			}
		case s.Contains():
			if c.all {
				found = append(found, c.names[k])
			}
			count++
			if chosen == int64(inpoly.NoBody) {
				chosen = int64(k)
			}
		}
	}
	if uncertain {
		found = append(found, answer.UncertainName)
	}
	switch {
	case c.all:
		return union, strings.Join(found, answer.NameSeparator), 0
	case c.choice == assembly.Count:
		if uncertain {
			count = -1
		}
		return union, "", count
	}
	return union, "", chosen
}
