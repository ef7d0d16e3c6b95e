package side

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Rule turns a winding number W into a side. The zero value is NonZero.
//
// If W is equal to a threshold of the rule, the point is neither inside nor outside, and its side is
// Unknown. This happens in an open mesh, for example to the points of a planar hole. There W is
// exactly 1/2.
type Rule uint8

const (
	// NonZero means that a point is inside if |W| > 1/2. It is correct for closed, open, nested,
	// overlapping, duplicated and inverted meshes.
	NonZero Rule = iota
	// Positive means that a point is inside if W > 1/2.
	Positive
	// Negative means that a point is inside if W < -1/2.
	Negative
	// EvenOdd means that a point is inside if a ray from the point crosses an odd number of faces
	// (Muth, Of, Eberhard, Steinbach 2006, §2.2). If some edge has an odd number of faces, the parity
	// depends on the ray. The point is then inside if the integer nearest to W is odd.
	EvenOdd
)

var ruleNames = [...]string{"nonzero", "positive", "negative", "evenodd"}

// RuleNames returns the names of all rules, in the order of their values.
func RuleNames() []string { return slices.Clone(ruleNames[:]) }

// String returns the name that ParseRule accepts.
func (r Rule) String() string {
	if int(r) < len(ruleNames) {
		return ruleNames[r]
	}
	return fmt.Sprintf("Rule(%d)", uint8(r))
}

// ParseRule returns the rule with the given name: nonzero, positive, negative or evenodd. Upper and
// lower case are equivalent.
func ParseRule(name string) (Rule, error) {
	for i, n := range ruleNames {
		if strings.EqualFold(n, name) {
			return Rule(i), nil
		}
	}
	return NonZero, fmt.Errorf("unknown rule %q: expected one of %s", name, strings.Join(ruleNames[:], ", "))
}

// MarshalText returns the name of r. It fails if r is not one of the constants.
func (r Rule) MarshalText() ([]byte, error) {
	if int(r) >= len(ruleNames) {
		return nil, fmt.Errorf("unknown rule %d", uint8(r))
	}
	return []byte(ruleNames[r]), nil
}

// UnmarshalText sets r to the rule with the given name. ParseRule lists the names.
func (r *Rule) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRule(string(text))
	return err
}

// Apply returns the side of a point from its integer winding number and its number of crossings.
// Crossings are the faces that a ray from the point crosses. Only EvenOdd uses them.
func (r Rule) Apply(winding int64, crossings uint64) Side {
	in := false
	switch r {
	case NonZero:
		in = winding != 0
	case Positive:
		in = winding > 0
	case Negative:
		in = winding < 0
	case EvenOdd:
		in = crossings&1 == 1
	}
	if in {
		return Inside
	}
	return Outside
}

// Margin returns the signed distance of a winding number w from the nearest threshold of r. It is positive
// if a point with this winding number is inside, and negative if the point is outside.
func (r Rule) Margin(w float64) float64 {
	switch r {
	case Positive:
		return w - 0.5
	case Negative:
		return -0.5 - w
	case EvenOdd:
		k := math.RoundToEven(w)
		if math.Mod(k, 2) == 0 {
			return math.Abs(w-k) - 0.5
		}
		return 0.5 - math.Abs(w-k)
	}
	return math.Abs(w) - 0.5
}

// Decide applies r to a point whose winding number is between w−bound and w+bound. It returns false
// if this interval contains a threshold of r, or if w or bound is NaN.
func (r Rule) Decide(w, bound float64) (s Side, ok bool) {
	margin := r.Margin(w)
	s = Outside
	if margin > 0 {
		s = Inside
	}
	return s, math.Abs(margin) > bound
}
