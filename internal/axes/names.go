package axes

import (
	"fmt"
	"strings"
)

// families lists coordinate names in lower case and without units. All three names must be from the
// same family. For example, "x" and "northing" do not match. findPattern finds further names, such
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
// RL and mRL (reduced level) are heights in the coordinates of mines.
var heights = []string{"alt", "altitude", "elevation", "elev", "height", "h", "rl", "mrl", "z"}

// vectors has names of vectors that are not positions: normals, velocities, forces, accelerations,
// and the sizes and the origin of the blocks of a block model. A name in this map omits the letter
// x, y or z: "n" stands for nx, ny and nz.
var vectors = map[string]bool{
	"n": true, "normal": true, "normals": true, "v": true, "vel": true, "velocity": true,
	"f": true, "force": true, "a": true, "acc": true,
	"d": true, "inc": true, "dim": true, "size": true, "length": true, "len": true, "morig": true, "origin": true,
}

// Match is the result of a search for coordinate columns.
type Match struct {
	At            [3]int // columns of x, y and z; −1 for a missing column
	N             int    // number of columns found
	Ambiguous     bool   // several columns match the same axis
	Rival         [3]int // other columns of x, y and z that match, or zeros
	Have, Missing string // names that were found and axes that are missing, if N < 3
}

// Plain returns a column name in lower case without its unit. It returns "x" for "X [mm]", "x (m)",
// "X / m", "x_mm", "x_m" and "X_[mm]".
func Plain(name string) string {
	s := strings.ToLower(name)
	if i := strings.IndexAny(s, "[(/{"); i > 0 {
		s = strings.TrimRight(s[:i], "_")
	}
	s = strings.TrimSpace(s)
	for _, unit := range []string{"_mm", "_cm", "_m", "_in", "_ft", "_deg"} {
		if rest, ok := strings.CutSuffix(s, unit); ok && rest != "" {
			return rest
		}
	}
	return s
}

// Find finds coordinate columns by their names. It first tries the names of each family, and then
// three names that differ only in a letter x, y or z. If no match has three axes, it returns the
// match with the most axes.
func Find[T string | []byte](header []T) Match {
	names, plain := make([]string, len(header)), make([]string, len(header))
	for i, f := range header {
		names[i] = strings.TrimSpace(string(f))
		plain[i] = Plain(names[i])
	}
	best := Match{}
	for k := range families {
		m := findFamily(names, plain, &families[k])
		// A match needs names for the first two axes. For family 0, whose names are x, y and z, a
		// single name is enough.
		if m.N > best.N && (k == 0 || m.At[0] >= 0 && m.At[1] >= 0) {
			best = m
		}
	}
	if best.N < 3 {
		if m := findPattern(plain); m.N > best.N {
			best = m
		}
	}
	if best.N < 3 {
		best.describe(names)
		best.Ambiguous = false
	}
	return best
}

// findFamily finds the columns of a family. It tries these kinds of columns in order: names in lower
// case without units; names in other letter cases without units; any names without units; names with
// units; any names. It returns the first kind with three columns, or else the match with the most
// axes. The match is ambiguous if both of the first two kinds have three columns.
func findFamily(names, plain []string, family *[3][]string) (m Match) {
	hasUnit := func(k int) bool { return !strings.EqualFold(names[k], plain[k]) }
	isLower := func(k int) bool { return names[k] == plain[k] }
	for i, accept := range []func(k int) bool{
		isLower,
		func(k int) bool { return !isLower(k) && !hasUnit(k) },
		func(k int) bool { return !hasUnit(k) },
		hasUnit,
		func(int) bool { return true },
	} {
		next := matchFamily(plain, family, accept)
		switch {
		case i == 1 && m.N == 3:
			m.Ambiguous = m.Ambiguous || next.N == 3
		case m.N < 3 && next.N > m.N:
			m = next
		}
	}
	return m
}

// matchFamily finds the columns of a family among the accepted columns. The match is ambiguous if an
// axis has several columns.
func matchFamily(plain []string, family *[3][]string, accept func(k int) bool) Match {
	m := Match{At: [3]int{-1, -1, -1}}
	for axis, list := range family {
		for _, name := range list {
			for k := range plain {
				switch {
				case plain[k] != name || !accept(k):
				case m.At[axis] < 0:
					m.At[axis] = k
					m.N++
				default:
					m.Ambiguous = true
				}
			}
			if m.At[axis] >= 0 {
				break
			}
		}
	}
	return m
}

// longestName is the length of the longest name that findPattern examines. The work grows with the
// square of this length. If the delimiter of a text is wrong, a whole row can become one name.
const longestName = 100 // tuning

// findPattern finds three names that differ only in one letter x, y or z, such as x_pos, y_pos and
// z_pos, or cx, cy and cz.
func findPattern(plain []string) Match {
	where, repeated := map[string]int{}, map[string]bool{} // first column of each name; names that occur more than once
	for i, name := range plain {
		if _, ok := where[name]; ok {
			repeated[name] = true
			continue
		}
		where[name] = i
	}
	var best Match
	for i, name := range plain {
		if len(name) > longestName {
			continue
		}
		for k := range len(name) {
			axis := strings.IndexByte("xyz", name[k])
			if axis < 0 || isVector(name[:k]+name[k+1:]) {
				continue
			}
			m := Match{}
			first := true // whether name is the leftmost of the three names
			for a := range m.At {
				m.At[a] = -1
				twin := name[:k] + "xyz"[a:a+1] + name[k+1:]
				if j, ok := where[twin]; ok {
					m.At[a] = j
					first = first && j >= i
					m.Ambiguous = m.Ambiguous || repeated[twin]
					m.N++
				}
			}
			switch {
			case !first || m.N < 2 || m.N < best.N:
			case m.N > best.N:
				best = m
			default:
				if best.N == 3 && !best.Ambiguous {
					best.Rival = m.At
				}
				best.Ambiguous = true
			}
		}
	}
	return best
}

// isVector reports whether a name without its letter x, y or z is the name of a vector that is not
// a position. In a nested name such as hit.normal.x, only the last parts matter.
func isVector(name string) bool {
	name = strings.Trim(name, "_.:- ")
	if vectors[name] {
		return true
	}
	return vectors[name[strings.LastIndexByte(name, '.')+1:]]
}

// Rivals returns the two sets of columns that match, counted from 1, with a comma in front. It returns
// "" if the match has no Rival.
func (m *Match) Rivals() string {
	if !m.Ambiguous || m.Rival == [3]int{} {
		return ""
	}
	return fmt.Sprintf(", in columns %d, %d, %d and in columns %d, %d, %d",
		m.At[0]+1, m.At[1]+1, m.At[2]+1, m.Rival[0]+1, m.Rival[1]+1, m.Rival[2]+1)
}

// describe sets m.Have and m.Missing.
func (m *Match) describe(names []string) {
	var have, missing []string
	for axis, c := range m.At {
		if m.N > 0 && c >= 0 {
			have = append(have, names[c])
		} else {
			missing = append(missing, "xyz"[axis:axis+1])
		}
	}
	m.Have, m.Missing = strings.Join(have, " and "), strings.Join(missing, " and ")
}
