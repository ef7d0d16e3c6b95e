package points

import "strings"

// Families of coordinate names, lower case and without units. Names of one
// family go together: "x" beside "easting" is no pair.
var families = [...][3][]string{
	{{"x"}, {"y"}, {"z"}},
	{{"lon", "long", "lng", "longitude"}, {"lat", "latitude"}, heights},
	{{"easting", "east", "e"}, {"northing", "north", "n"}, heights},
	{{"points:0", "points_0"}, {"points:1", "points_1"}, {"points:2", "points_2"}},
	{{"coordinates:0", "coords:0"}, {"coordinates:1", "coords:1"}, {"coordinates:2", "coords:2"}},
	{{"px", "pos_x", "position_x"}, {"py", "pos_y", "position_y"}, {"pz", "pos_z", "position_z"}},
}

// heights are the names of the third axis of map coordinates.
var heights = []string{"alt", "altitude", "elevation", "elev", "height", "h", "z"}

// plainName returns a header field in lower case without its unit: "X [mm]",
// "x (m)" and "X / m" are all "x", and so are "x_mm" and "x_m".
func plainName(f []byte) string {
	s := strings.ToLower(string(f))
	if i := strings.IndexAny(s, "[(/{"); i > 0 {
		s = s[:i]
	}
	s = strings.TrimSpace(s)
	for _, unit := range []string{"_mm", "_cm", "_m", "_in", "_ft", "_deg"} {
		if rest, ok := strings.CutSuffix(s, unit); ok && rest != "" {
			return rest
		}
	}
	return s
}

// named finds coordinate columns by name. It returns how many axes of the best
// family were found, and their columns (−1 where missing).
func named(header [][]byte) (columns [3]int, found int) {
	plain := make([]string, len(header))
	for i, f := range header {
		plain[i] = plainName(f)
	}
	for _, family := range families {
		at := [3]int{-1, -1, -1}
		n := 0
		for axis, names := range family {
			if at[axis] = firstOf(plain, names); at[axis] >= 0 {
				n++
			}
		}
		if n > found && at[0] >= 0 && at[1] >= 0 {
			columns, found = at, n
		}
	}
	return columns, found
}

// firstOf returns the first index of header whose name is one of names, or −1.
func firstOf(header, names []string) int {
	for i, h := range header {
		for _, n := range names {
			if h == n {
				return i
			}
		}
	}
	return -1
}
