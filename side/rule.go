package side

import (
	"fmt"
	"strings"
)

// Rule turns a winding number W into a side. The zero value is NonZero.
type Rule uint8

const (
	// NonZero calls a point inside where |W| > 1/2. It is right for closed,
	// open, nested, overlapping, duplicated and inverted meshes.
	NonZero Rule = iota
	// Positive calls a point inside where W > 1/2.
	Positive
	// Negative calls a point inside where W < -1/2.
	Negative
	// EvenOdd calls a point inside where a ray crosses an odd number of faces
	// (Muth, Of, Eberhard, Steinbach 2006, §2.2), if every edge of the mesh has
	// an even number of triangles; elsewhere where the integer nearest to W is
	// odd.
	EvenOdd
)

// ruleNames holds the names of the rules in the order of their constants.
var ruleNames = [...]string{"nonzero", "positive", "negative", "evenodd"}

// String returns the name that ParseRule accepts.
func (r Rule) String() string {
	if int(r) < len(ruleNames) {
		return ruleNames[r]
	}
	return fmt.Sprintf("Rule(%d)", uint8(r))
}

// ParseRule returns the rule of that name: nonzero, positive, negative or
// evenodd.
func ParseRule(name string) (Rule, error) {
	for i, n := range ruleNames {
		if strings.EqualFold(n, name) {
			return Rule(i), nil
		}
	}
	return NonZero, fmt.Errorf("unknown inside rule %q: want %s", name, strings.Join(ruleNames[:], ", "))
}

// Apply returns the side of an integer winding number under r. parity is the
// number of unsigned crossings; only EvenOdd looks at it.
func (r Rule) Apply(winding int64, parity uint64) Side {
	in := false
	switch r {
	case NonZero:
		in = winding != 0
	case Positive:
		in = winding > 0
	case Negative:
		in = winding < 0
	case EvenOdd:
		in = parity&1 == 1
	}
	if in {
		return Inside
	}
	return Outside
}
