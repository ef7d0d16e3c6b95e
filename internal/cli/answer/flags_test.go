package answer

import (
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

func TestParseSize(t *testing.T) {
	for _, c := range []struct {
		in   string
		want int64
		ok   bool
	}{
		{"", 0, true}, {"500", 500, true}, {"1k", 1024, true}, {"512M", 512 << 20, true}, {"4GiB", 4 << 30, true},
		{"2gb", 2 << 30, true}, {"1T", 1 << 40, true}, {"8B", 8, true},
		{"0", 0, false}, {"-1", 0, false}, {"M", 0, false}, {"1.5G", 0, false}, {"1X", 0, false}, {"1MM", 0, false}, {"9000000T", 0, false},
	} {
		if got, err := parseSize(c.in); got != c.want || (err == nil) != c.ok {
			t.Errorf("parseSize(%q) = %d, %v; want %d, %v", c.in, got, err, c.want, c.ok)
		}
	}
}

func TestUnitHint(t *testing.T) {
	cube := func(size float64) bvh.Box { return bvh.Box{Max: r3.Vector{X: size, Y: size / 2}} }
	for _, c := range []struct {
		mesh, points float64
		want         string
	}{
		{1, 1, ""}, {1, 10, ""}, {1, 100, ""}, {1, 25.4, "mesh in inches, the points in millimeters"}, {1, 30, "mesh in inches"},
		{1, 40, ""}, {1, 1000, "mesh in meters"}, {900, 1, "mesh in millimeters, the points in meters"}, {25.4, 1, "mesh in millimeters, the points in inches"},
		{0, 1, ""}, {1, 0, ""}, {1, 5000, ""},
	} {
		got := unitHint(cube(c.mesh), cube(c.points))
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("mesh %g, points %g: %q, want %q", c.mesh, c.points, got, c.want)
		}
	}
}

func TestTextRows(t *testing.T) {
	for _, c := range []struct {
		size    int64
		columns int
		packed  bool
		shards  int
		want    int64
	}{
		{0, 3, false, 0, 0}, {0, 3, true, 0, 0}, {1, 3, false, 0, 1}, {30_000, 3, false, 0, 1000}, {30_000, 3, false, 1, 1000},
		{30_000, 3, false, 10, 100}, {30_000, 6, false, 0, 500}, {30_000, 3, true, 0, 2409}, {1 << 62, 3, true, 0, 370_201_552_568_223_750},
	} {
		if got := textRows(c.size, c.columns, c.packed, c.shards); max(got-c.want, c.want-got) > c.want/1_000_000 {
			t.Errorf("textRows(%d, %d, %v, %d) = %d, want %d to a millionth", c.size, c.columns, c.packed, c.shards, got, c.want)
		}
	}
}
