// Package side defines the types that all packages share. A Side is the position of a point, a Rule
// turns a winding number into a Side, Answers and Stats are the results of a batch, and a Grid
// holds regularly spaced points.
//
// The winding number W of a point counts how often the oriented surface goes around the point. For
// a closed surface, W is an integer and equals the double-layer potential of the constant 1 (Muth,
// Of, Eberhard, Steinbach 2006, eq. 6).
//
//	rule, err := side.ParseRule("evenodd")
//	if err != nil {
//		return err
//	}
//	fmt.Println(rule.Apply(winding, crossings)) // in or out
package side

import (
	"fmt"
	"strings"
)

// Side is the position of a point relative to a solid. The zero value is Unknown.
type Side uint8

const (
	// Unknown means that the side is not decided. Either the point is not finite, or the mesh is
	// open and the winding number of the point is equal to a threshold of the rule, or too close to a
	// threshold for 256-bit arithmetic. Its text form is "uncertain".
	Unknown Side = iota
	// Outside means that the point is not in the solid.
	Outside
	// OnSurface means that the point lies on a triangle or on its edges and vertices. If the user
	// sets a tolerance, points within the tolerance of the surface are also OnSurface.
	OnSurface
	// Inside means that the point is in the solid.
	Inside
)

var sideNames = [...]string{"uncertain", "out", "on", "in"}

// String returns "uncertain", "out", "on" or "in".
func (s Side) String() string {
	if int(s) < len(sideNames) {
		return sideNames[s]
	}
	return fmt.Sprintf("Side(%d)", uint8(s))
}

// Contains reports whether s is Inside or OnSurface.
func (s Side) Contains() bool { return s == Inside || s == OnSurface }

// MarshalText returns the name of s. It fails if s is not one of the constants.
func (s Side) MarshalText() ([]byte, error) {
	if int(s) >= len(sideNames) {
		return nil, fmt.Errorf("unknown side %d", uint8(s))
	}
	return []byte(sideNames[s]), nil
}

// UnmarshalText sets s to the side with the given name. Upper and lower case are equivalent.
func (s *Side) UnmarshalText(text []byte) error {
	for i, n := range sideNames {
		if strings.EqualFold(n, string(text)) {
			*s = Side(i)
			return nil
		}
	}
	return fmt.Errorf("unknown side %q: expected one of %s", text, strings.Join(sideNames[:], ", "))
}
