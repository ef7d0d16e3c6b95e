package side

import (
	"fmt"
	"strings"
)

// Side is the position of a point relative to a solid. The zero value is Unknown.
type Side uint8

const (
	// Unknown means that the side is not decided: the point is not finite, or 256-bit
	// arithmetic cannot separate the winding number of an open mesh from the threshold of
	// the rule. It is printed as "uncertain".
	Unknown Side = iota
	// Outside means that the point is not in the solid.
	Outside
	// OnSurface means that the point lies exactly on a closed triangle (its
	// edges and vertices included), or within the tolerance that the user set.
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

// UnmarshalText sets s to the side called text, in any case.
func (s *Side) UnmarshalText(text []byte) error {
	for i, n := range sideNames {
		if strings.EqualFold(n, string(text)) {
			*s = Side(i)
			return nil
		}
	}
	return fmt.Errorf("unknown side %q: want %s", text, strings.Join(sideNames[:], ", "))
}
