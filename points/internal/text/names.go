package text

import "strings"

// Families of coordinate names, lower case and without units. Names of one
// family go together: "x" beside "easting" is no pair. Beyond them, any names
// that differ in one letter x, y, z are coordinates: see affixed.
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

// vectors are what stands beside x, y, z in the names of vectors that are no
// positions: normals, velocities, forces, accelerations.
var vectors = map[string]bool{"n": true, "normal": true, "v": true, "vel": true, "velocity": true,
	"f": true, "force": true, "a": true, "acc": true}

// match is what a header says of the coordinates.
type match struct {
	at            [3]int // columns of x, y and z, −1 where missing
	n             int    // how many were found
	twice         bool   // several columns or triples could be meant
	have, missing string // found below three: what the header has and lacks
}

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

// named finds coordinate columns by name: those of a family, then those with one
// pattern around x, y, z, then what is left of either where an axis is missing.
func named(header [][]byte) match {
	plain := make([]string, len(header))
	for i, f := range header {
		plain[i] = plainName(f)
	}
	best := match{}
	for k, family := range families {
		m := match{}
		for axis, names := range family {
			var twice bool
			if m.at[axis], twice = column(header, plain, names); m.at[axis] >= 0 {
				m.n++
			}
			m.twice = m.twice || twice
		}
		// One name alone says little, but for x, y and z themselves.
		if m.n > best.n && (k == 0 || m.at[0] >= 0 && m.at[1] >= 0) {
			best = m
		}
	}
	if best.n < 3 {
		if m := affixed(plain); m.n > best.n {
			best = m
		}
	}
	if best.n < 3 {
		best.describe(header)
		best.twice = false
	}
	return best
}

// column returns the column whose plain name is the first in the header of
// names, or −1. Of several with that plain name the one without a unit is
// taken; twice says that this does not decide.
func column(header [][]byte, plain, names []string) (at int, twice bool) {
	at = -1
	exact := 0
	for i, h := range plain {
		switch {
		case at < 0:
			for _, n := range names {
				if h == n {
					at = i
				}
			}
			if at == i && isExact(header[i], h) {
				exact = 1
			}
		case h != plain[at]:
		case !isExact(header[i], h):
			twice = twice || exact == 0
		default:
			if exact++; exact == 1 {
				at, twice = i, false
			}
		}
	}
	return at, twice || exact > 1
}

// isExact reports whether a field is a plain name but for the case of letters.
func isExact(f []byte, plain string) bool { return strings.EqualFold(string(f), plain) }

// longestName bounds the names that affixed looks into, as its work grows with the square
// of their lengths, and a whole row may be taken for a name. A choice.
const longestName = 100

// affixed finds three names that are one but for a letter x, y or z: x_pos,
// y_pos, z_pos; cx, cy, cz; x1, y1, z1.
func affixed(plain []string) match {
	where, again := map[string]int{}, map[string]bool{} // first columns; names that are there twice
	for i, name := range plain {
		if _, ok := where[name]; ok {
			again[name] = true
			continue
		}
		where[name] = i
	}
	var best match
	for i, name := range plain {
		if len(name) > longestName {
			continue
		}
		for k := range len(name) {
			axis := strings.IndexByte("xyz", name[k])
			if axis < 0 || vectors[strings.Trim(name[:k]+name[k+1:], "_.:- ")] {
				continue
			}
			m := match{}
			first := true // name is the first of its triple
			for a := range m.at {
				m.at[a] = -1
				twin := name[:k] + "xyz"[a:a+1] + name[k+1:]
				if j, ok := where[twin]; ok {
					m.at[a] = j
					first = first && j >= i
					m.twice = m.twice || again[twin]
					m.n++
				}
			}
			switch {
			case !first || m.n < 2 || m.n < best.n:
			case m.n > best.n:
				best = m
			default:
				best.twice = true
			}
		}
	}
	return best
}

// describe words what is there and what is missing.
func (m *match) describe(header [][]byte) {
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
