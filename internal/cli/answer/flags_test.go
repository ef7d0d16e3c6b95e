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
		got := unitHint(cube(c.mesh), cube(c.points), 1000)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("mesh %g, points %g: %q, want %q", c.mesh, c.points, got, c.want)
		}
	}
}

// A few points need not be at the ends of the mesh.
func TestUnitHintFewPoints(t *testing.T) {
	box := func(x0, y0, z0, x1, y1, z1 float64) bvh.Box {
		return bvh.Box{Min: r3.Vector{X: x0, Y: y0, Z: z0}, Max: r3.Vector{X: x1, Y: y1, Z: z1}}
	}
	part := box(0, 0, 0, 100, 60, 40)     // a part in millimeters
	far := box(500, 500, 0, 600, 560, 40) // the same part, far from the origin
	for _, c := range []struct {
		name         string
		mesh, points bvh.Box
		rows         int64
		want         string
	}{
		{"in the part", part, box(20, 20, 10, 60, 40, 30), 3, ""},
		{"close together", part, box(50, 20, 10, 51, 20.5, 10.2), 3, ""},
		{"in inches", part, box(0.5, 0.4, 0.2, 2.5, 1.5, 1.1), 3, "mesh in millimeters, the points in inches? Then use --units in:mm"},
		{"in inches, many points", part, box(0.5, 0.4, 0.2, 2.5, 1.5, 1.1), 3000, ""},
		{"in meters", part, box(0.01, 0.02, 0.01, 0.06, 0.05, 0.03), 3, "mesh in millimeters, the points in meters? Then use --units m:mm"},
		{"mesh in inches", box(0, 0, 0, 4, 2.4, 1.6), box(30, 20, 10, 70, 40, 30), 3, "mesh in inches, the points in millimeters? Then use --units mm:in"},
		{"mesh in meters", box(0, 0, 0, .1, .06, .04), box(30, 20, 10, 70, 40, 30), 3, "mesh in meters, the points in millimeters? Then use --units mm:m"},
		{"far, in inches", far, box(20.5, 20.1, 0.5, 22, 21, 1), 3, "--units in:mm"},
		{"one point in inches", far, box(21, 21, 1, 21, 21, 1), 1, "--units in:mm"},
		{"one point in the part", part, box(21, 21, 1, 21, 21, 1), 1, ""},
		{"elsewhere", part, box(-300, 0, 0, -200, 50, 50), 3, ""},
	} {
		got := unitHint(c.mesh, c.points, c.rows)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
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
