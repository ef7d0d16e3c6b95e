package segments

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
)

// randomParts divides the line from 0 to 1000 at random integers.
func randomParts(r *rand.Rand) (parts []part) {
	cuts := []float64{0, 1000}
	for range r.IntN(5) {
		if x := float64(1 + r.IntN(999)); !slices.Contains(cuts, x) {
			cuts = append(cuts, x)
		}
	}
	slices.Sort(cuts)
	last := inpoly.Side(9)
	for i := range len(cuts) - 1 {
		side := inpoly.Side(r.IntN(4))
		for side == last {
			side = inpoly.Side(r.IntN(4))
		}
		last = side
		parts = append(parts, part{side: side, from: cuts[i], to: cuts[i+1], length: cuts[i+1] - cuts[i]})
	}
	return parts
}

// sidesAt returns the side of a position relative to each solid.
func sidesAt(relative [][]part, x float64) (sides []inpoly.Side) {
	for _, list := range relative {
		k := slices.IndexFunc(list, func(p part) bool { return x < p.to })
		sides = append(sides, list[k].side)
	}
	return sides
}

// expect returns the side of the union and the column of --body, by the definitions of package assembly.
func expect(sides []inpoly.Side, how string, order []int32) string {
	has := func(s inpoly.Side) bool { return slices.Contains(sides, s) }
	union := inpoly.Outside
	switch {
	case has(inpoly.Inside):
		union = inpoly.Inside
	case has(inpoly.Unknown):
		union = inpoly.Unknown
	case has(inpoly.OnSurface):
		union = inpoly.OnSurface
	}
	body := ""
	switch how {
	case "first", "innermost":
		body = "-1"
		for _, k := range order {
			if sides[k] == inpoly.Unknown {
				body = fmt.Sprint(len(sides))
				break
			}
			if sides[k].Contains() {
				body = fmt.Sprint(k)
				break
			}
		}
	case "count":
		n := 0
		for _, s := range sides {
			if s.Contains() {
				n++
			}
		}
		if body = fmt.Sprint(n); has(inpoly.Unknown) {
			body = "-1"
		}
	case "all":
		var names []string
		for k, s := range sides {
			if s.Contains() {
				names = append(names, fmt.Sprint("s", k))
			}
		}
		if has(inpoly.Unknown) {
			names = append(names, "uncertain")
		}
		body = strings.Join(names, "|")
	}
	return fmt.Sprint(union, " ", body)
}

// TestCombine compares the combined parts with the sides at every half-integer of the line.
func TestCombine(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 2))
	for round := range 400 {
		how := []string{"", "first", "innermost", "count", "all"}[round%5]
		n := 1 + r.IntN(4)
		c := combiner{all: how == "all", bodies: how != ""}
		for k := range n {
			c.order = append(c.order, int32(k))
			c.names = append(c.names, fmt.Sprint("s", k))
		}
		switch how {
		case "innermost":
			c.choice = assembly.Innermost
			r.Shuffle(n, func(i, j int) { c.order[i], c.order[j] = c.order[j], c.order[i] })
		case "count":
			c.choice = assembly.Count
		}
		var relative [][]part
		for range n {
			relative = append(relative, randomParts(r))
		}
		earlier := []part{{side: inpoly.Inside}}
		got := c.combine(earlier, relative)[1:]
		at := 0.0
		for i, p := range got {
			if p.from != at || p.to <= p.from || p.length != p.to-p.from {
				t.Fatalf("part %d of %+v", i, got)
			}
			value := fmt.Sprint(p.body)
			switch {
			case how == "":
				value = ""
			case how == "all":
				value = p.solids
			}
			if i > 0 && p.side == got[i-1].side && p.body == got[i-1].body && p.solids == got[i-1].solids {
				t.Fatalf("equal neighbors %d in %+v", i, got)
			}
			for x := p.from + 0.5; x < p.to; x++ {
				if have, want := fmt.Sprint(p.side, " ", value), expect(sidesAt(relative, x), how, c.order); have != want {
					t.Fatalf("--body %q at %v: %s, want %s\n%+v\n%+v", how, x, have, want, got, relative)
				}
			}
			at = p.to
		}
		if at != 1000 {
			t.Fatalf("the parts end at %v", at)
		}
	}
}

// Two solids that touch have one common end if their bounds overlap. Two ends of one solid stay two.
func TestCombineBounds(t *testing.T) {
	const e = 1e-9
	left := []part{{side: inpoly.Inside, to: 5, toBound: e}, {side: inpoly.Outside, from: 5, fromBound: e, to: 9}}
	right := []part{{side: inpoly.Outside, to: 5 + e, toBound: e}, {side: inpoly.Inside, from: 5 + e, fromBound: e, to: 9}}
	c := combiner{bodies: true, order: []int32{0, 1}}
	got := c.combine(nil, [][]part{left, right})
	if len(got) != 2 || got[0].body != 0 || got[1].body != 1 || got[0].to != got[1].from || got[0].toBound < 2*e || got[0].toBound > 2.1*e {
		t.Errorf("touching: %+v", got)
	}
	c.bodies = false
	if got := c.combine(nil, [][]part{left, right}); len(got) != 1 || got[0].length != 9 || got[0].lengthBound > 1e-14 {
		t.Errorf("union: %+v", got)
	}
	thin := []part{{side: inpoly.Outside, to: 5, toBound: e}, {side: inpoly.Inside, from: 5, fromBound: e, to: 5 + e/2, toBound: e}, {side: inpoly.Outside, from: 5 + e/2, fromBound: e, to: 9}}
	far := []part{{side: inpoly.Outside, to: 9}}
	if got := c.combine(nil, [][]part{thin, far}); len(got) != 3 || got[1].side != inpoly.Inside || got[1].lengthBound < 2*e {
		t.Errorf("thin: %+v", got)
	}
}

// TestSumParts adds parts of a line.
func TestSumParts(t *testing.T) {
	got := sumParts([]part{
		{side: inpoly.Outside, length: 1, lengthBound: 0.5}, {side: inpoly.Inside, body: 1, length: 2}, {side: inpoly.Outside, length: 4, lengthBound: 0.25},
		{side: inpoly.Inside, body: 2, length: 8}, {side: inpoly.OnSurface, length: 16},
	})
	var list []string
	for _, p := range got {
		list = append(list, fmt.Sprint(p.side, p.body, p.count, p.length))
	}
	if want := "[in 1 1 2 in 2 1 8 on 0 1 16 out 0 2 5]"; fmt.Sprint(list) != want {
		t.Errorf("%v, want %s", list, want)
	}
	if b := got[3].lengthBound; b < 0.75 || b > 0.7500001 || got[0].lengthBound != 0 {
		t.Errorf("bounds %g and %g", b, got[0].lengthBound)
	}
}
