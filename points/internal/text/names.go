package text

import "strings"

// families lists coordinate names, in lower case and without units. Only names of one family
// match: "x" and "easting" do not. Any other names that differ in one letter x, y, z are
// coordinates too: see matchPattern.
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

// vectors are the parts, other than x, y, z, of names of vectors that are not positions:
// normals, velocities, forces, accelerations.
var vectors = map[string]bool{"n": true, "normal": true, "v": true, "vel": true, "velocity": true,
	"f": true, "force": true, "a": true, "acc": true}

// nameMatch holds the columns that a header names as coordinates.
type nameMatch struct {
	at            [3]int // columns of x, y and z, −1 if missing
	n             int    // number of columns found
	ambiguous     bool   // several columns or triples match
	have, missing string // if n < 3: names that the header has, and axes that it lacks
}

// plainName returns a header field in lower case without its unit: "X [mm]", "x (m)",
// "X / m", "x_mm" and "x_m" all become "x".
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

// matchNames finds coordinate columns by their names: names of one family, or else names
// with a pattern around x, y, z. If no match is complete, it returns the one with more
// axes.
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
			if m.at[axis], ambiguous = column(header, plain, names); m.at[axis] >= 0 {
				m.n++
			}
			m.ambiguous = m.ambiguous || ambiguous
		}
		// A single name says little, unless it is x, y or z.
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

// column returns the first column whose plain name is one of names, or −1. Of several with
// the same plain name it returns the one without a unit. ambiguous means that this does not
// decide.
func column(header [][]byte, plain, names []string) (at int, ambiguous bool) {
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
			ambiguous = ambiguous || exact == 0
		default:
			if exact++; exact == 1 {
				at, ambiguous = i, false
			}
		}
	}
	return at, ambiguous || exact > 1
}

// isExact reports whether a field is a plain name in any case of letters.
func isExact(f []byte, plain string) bool { return strings.EqualFold(string(f), plain) }

// longestName bounds the names that matchPattern examines. Its work grows with the square of
// their lengths, and a wrong delimiter can make a name of a whole row.
const longestName = 100 // tuning

// matchPattern finds three names that differ only in one letter x, y, z: x_pos, y_pos, z_pos;
// cx, cy, cz; x1, y1, z1.
func matchPattern(plain []string) nameMatch {
	where, repeated := map[string]int{}, map[string]bool{} // first column of each name
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
			first := true // name is the first of its triple
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

// describe sets have and missing.
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
