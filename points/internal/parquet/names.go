package parquet

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/points/table"
)

// heights are the names of the third axis of map coordinates.
var heights = []string{"alt", "altitude", "elevation", "elev", "height", "h", "z"}

// families are names of coordinates in lower case; those of one family go together.
var families = [...][3][]string{
	{{"x"}, {"y"}, {"z"}},
	{{"lon", "long", "lng", "longitude"}, {"lat", "latitude"}, heights},
	{{"easting", "east", "e"}, {"northing", "north", "n"}, heights},
	{{"px", "pos_x", "position_x"}, {"py", "pos_y", "position_y"}, {"pz", "pos_z", "position_z"}},
}

// axesOf returns the leaves of x, y and z: those that the user names, else those of
// the first family that is complete.
func axesOf(leaves []leaf, columns [3]string) (axes [3]int, err error) {
	if columns != [3]string{} {
		for a, c := range columns {
			if axes[a], err = lookUp(leaves, c); err != nil {
				return axes, err
			}
		}
	} else if axes, err = named(leaves); err != nil {
		return axes, err
	}
	for a, k := range axes {
		l := &leaves[k]
		if !l.isCoordinate() {
			why := l.opaque
			if why == "" {
				why = "of the type " + l.typ.String()
			}
			return axes, fmt.Errorf("%w: column %q, which is %s, cannot be a coordinate", table.ErrColumns, l.name, why)
		}
		for _, other := range axes[:a] {
			if other == k {
				return axes, fmt.Errorf("%w: column %q is taken for two coordinates", table.ErrColumns, l.name)
			}
		}
	}
	return axes, nil
}

// lookUp returns the leaf of a name, as it stands or but for the case of letters, or
// of a number from 1 on.
func lookUp(leaves []leaf, name string) (int, error) {
	found := -1
	for i := range leaves {
		if leaves[i].name == name {
			return i, nil
		}
		if strings.EqualFold(leaves[i].name, name) {
			if found >= 0 {
				return 0, fmt.Errorf("%w: columns %q and %q differ from %q in the case of letters only", table.ErrColumns, leaves[found].name, leaves[i].name, name)
			}
			found = i
		}
	}
	if found >= 0 {
		return found, nil
	}
	if k, err := strconv.Atoi(name); err == nil {
		if k < 1 || k > len(leaves) {
			return 0, fmt.Errorf("%w: no column %d: the file has %d", table.ErrColumns, k, len(leaves))
		}
		return k - 1, nil
	}
	return 0, fmt.Errorf("%w: no column %q: the file has %s", table.ErrColumns, name, list(leaves))
}

// named finds the coordinates by their names.
func named(leaves []leaf) (axes [3]int, err error) {
	for _, family := range families {
		found := 0
		for a, names := range family {
			k, twice := oneOf(leaves, names)
			if twice != "" {
				return axes, fmt.Errorf("%w: two columns %q", table.ErrColumns, twice)
			}
			if k >= 0 {
				axes[a] = k
				found++
			}
		}
		if found == 3 {
			return axes, nil
		}
	}
	return axes, fmt.Errorf("%w: want columns x, y and z, or lon, lat and alt, or easting, northing and height; the file has %s", table.ErrColumns, list(leaves))
}

// oneOf returns the leaf whose name is one of names but for the case of letters, −1 if
// none is. Of several with one name that which stands exactly so is taken; if none or
// two do, twice is the name. Names that come first go before.
func oneOf(leaves []leaf, names []string) (k int, twice string) {
	for _, name := range names {
		k, count, exact := -1, 0, 0
		for i := range leaves {
			switch n := leaves[i].name; {
			case n == name:
				k = i
				exact++
			case strings.EqualFold(n, name):
				if count++; exact == 0 {
					k = i
				}
			}
		}
		if exact > 1 || exact == 0 && count > 1 {
			return -1, name
		}
		if k >= 0 {
			return k, ""
		}
	}
	return -1, ""
}

// list names the columns, no more than a dozen.
func list(leaves []leaf) string {
	const most = 12
	var b strings.Builder
	for i := range leaves {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(leaves)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(leaves[i].name)
	}
	if b.Len() == 0 {
		return "no columns"
	}
	return b.String()
}
