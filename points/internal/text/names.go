package text

import (
	"slices"
	"strings"
)

// families lists coordinate names in lower case and without units. All three names must be from the
// same family. For example, "x" and "northing" do not match. matchPattern finds further names, such
// as cx, cy and cz.
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

// vectors has names of vectors that are not positions: normals, velocities, forces and
// accelerations. The names lack their letter x, y or z: n stands for nx, ny and nz.
var vectors = map[string]bool{"n": true, "normal": true, "v": true, "vel": true, "velocity": true,
	"f": true, "force": true, "a": true, "acc": true}

// nameMatch is the result of a search for coordinate columns in a header.
type nameMatch struct {
	at            [3]int // columns of x, y and z; −1 for a missing column
	n             int    // number of columns found
	ambiguous     bool   // several columns match the same axis
	have, missing string // names that were found and axes that are missing, if n < 3
}

// plainName returns a header field in lower case without its unit. It returns "x" for "X [mm]",
// "x (m)", "X / m", "x_mm" and "x_m".
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

// matchNames finds coordinate columns by their names. It first tries the names of each family, and
// then calls matchPattern. If no match has three axes, it returns the match with the most axes.
func matchNames(header [][]byte) nameMatch {
	plain := make([]string, len(header))
	for i, f := range header {
		plain[i] = plainName(f)
	}
	best := nameMatch{}
	for k, family := range families {
		m := nameMatch{}
		for axis, names := range family {
			var ambiguous bool
			if m.at[axis], ambiguous = findColumn(header, plain, names); m.at[axis] >= 0 {
				m.n++
			}
			m.ambiguous = m.ambiguous || ambiguous
		}
		// A match needs names for the first two axes. For family 0, whose names are x, y and z, a
		// single name is enough.
		if m.n > best.n && (k == 0 || m.at[0] >= 0 && m.at[1] >= 0) {
			best = m
		}
	}
	if best.n < 3 {
		if m := matchPattern(plain); m.n > best.n {
			best = m
		}
	}
	if best.n < 3 {
		best.describe(header)
		best.ambiguous = false
	}
	return best
}

// findColumn returns the first column whose plain name is one of the given names, or −1. Among
// columns of the same plain name, it prefers those without a unit. If several remain, ambiguous is
// true.
func findColumn(header [][]byte, plain, names []string) (at int, ambiguous bool) {
	at = slices.IndexFunc(plain, func(name string) bool { return slices.Contains(names, name) })
	if at < 0 {
		return at, false
	}
	var all, exact []int // all has the columns with this plain name; exact has only columns without a unit
	for i, name := range plain {
		if name != plain[at] {
			continue
		}
		all = append(all, i)
		if strings.EqualFold(string(header[i]), name) {
			exact = append(exact, i)
		}
	}
	if len(exact) > 0 {
		all = exact
	}
	return all[0], len(all) > 1
}

// longestName is the length of the longest name that matchPattern examines. The work grows with the
// square of this length. If the delimiter is wrong, a whole row can become one name.
const longestName = 100 // tuning

// matchPattern finds three names that differ only in one letter x, y or z, such as x_pos, y_pos and
// z_pos, or cx, cy and cz.
func matchPattern(plain []string) nameMatch {
	where, repeated := map[string]int{}, map[string]bool{} // first column of each name; names that occur more than once
	for i, name := range plain {
		if _, ok := where[name]; ok {
			repeated[name] = true
			continue
		}
		where[name] = i
	}
	var best nameMatch
	for i, name := range plain {
		if len(name) > longestName {
			continue
		}
		for k := range len(name) {
			axis := strings.IndexByte("xyz", name[k])
			if axis < 0 || vectors[strings.Trim(name[:k]+name[k+1:], "_.:- ")] {
				continue
			}
			m := nameMatch{}
			first := true // whether name is the leftmost of the three names
			for a := range m.at {
				m.at[a] = -1
				twin := name[:k] + "xyz"[a:a+1] + name[k+1:]
				if j, ok := where[twin]; ok {
					m.at[a] = j
					first = first && j >= i
					m.ambiguous = m.ambiguous || repeated[twin]
					m.n++
				}
			}
			switch {
			case !first || m.n < 2 || m.n < best.n:
			case m.n > best.n:
				best = m
			default:
				best.ambiguous = true
			}
		}
	}
	return best
}

// describe sets m.have and m.missing.
func (m *nameMatch) describe(header [][]byte) {
	var have, missing []string
	for axis, c := range m.at {
		if m.n > 0 && c >= 0 {
			have = append(have, string(header[c]))
		} else {
			missing = append(missing, "xyz"[axis:axis+1])
		}
	}
	m.have, m.missing = strings.Join(have, " and "), strings.Join(missing, " and ")
}
