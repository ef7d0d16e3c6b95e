package plural

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n    int64
		noun string
		want string
	}{
		{0, "row", "0 rows"}, {1, "row", "1 row"}, {2, "row", "2 rows"},
		{1, "body", "1 body"}, {2, "ray", "2 rays"}, {1234567, "body", "1234567 bodies"}, {-1, "comment line", "-1 comment lines"},
		{1, "mesh", "1 mesh"}, {3, "mesh", "3 meshes"}, {2, "vertex", "2 vertices"}, {1, "vertex", "1 vertex"}, {0, "box", "0 boxes"}, {2, "branch", "2 branches"},
	} {
		if got := Count(c.n, c.noun); got != c.want {
			t.Errorf("Count(%d, %q) = %q, want %q", c.n, c.noun, got, c.want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for _, c := range []struct {
		n    int64
		want string
	}{
		{0, "0 points"}, {1, "1 point"}, {999, "999 points"}, {1000, "1,000 points"}, {1234567, "1,234,567 points"}, {-1000, "-1,000 points"}, {-100, "-100 points"},
	} {
		if got := Grouped(c.n, "point"); got != c.want {
			t.Errorf("Grouped(%d) = %q, want %q", c.n, got, c.want)
		}
	}
}

func TestSprintf(t *testing.T) {
	for _, c := range []struct {
		format string
		args   []any
		want   string
	}{
		{"%d vertices, no faces", []any{1}, "1 vertex, no faces"},
		{"%d vertices, no faces", []any{2}, "2 vertices, no faces"},
		{"%d vertices, no faces", []any{11}, "11 vertices, no faces"},
		{"%d polygons have no area: they are fans", []any{int64(1)}, "1 polygon has no area: they are fans"},
		{"the page has %d rows, expected %d", []any{1, 1}, "the page has 1 row, expected 1"},
		{"%s of %d more open edges are left in %d pieces", []any{"rows", uint64(1), int32(1)}, "rows of 1 more open edge is left in 1 piece"},
		{"100 %% of %d faces", []any{1}, "100 % of 1 face"},
		{"a face of %d %s bytes", []any{1, "odd"}, "a face of 1 odd bytes"},
		{"face %d has %d corners", []any{1, 1}, "face 1 has 1 corner"},
		{"line %d: bytes follow", []any{1}, "line 1: bytes follow"},
		{"%d are vertices", []any{1}, "1 are vertices"},
		{"but there are %d faces", []any{1}, "but there is 1 face"},
		{"there are %d in %d faces", []any{1, 2}, "there are 1 in 2 faces"},
		{"version 1.%d with points", []any{1}, "version 1.1 with points"},
		{"%d of %d shards are left", []any{1, 1}, "1 of 1 shard is left"},
		{"%d of %d shards are left", []any{1, 2}, "1 of 2 shards are left"},
		{"%d of them have rows", []any{1}, "1 of them have rows"},
		{"%6d faces", []any{1}, "     1 face"},
		{"%d bytes", []any{-1}, "-1 byte"},
	} {
		if got := Sprintf(c.format, c.args...); got != c.want {
			t.Errorf("Sprintf(%q, %v) = %q, want %q", c.format, c.args, got, c.want)
		}
		if got := Errorf(c.format, c.args...); got.Error() != c.want {
			t.Errorf("Errorf(%q, %v) = %q, want %q", c.format, c.args, got, c.want)
		}
	}
	if err := Errorf("%d rows: %w", 1, io.EOF); !errors.Is(err, io.EOF) || err.Error() != "1 row: EOF" {
		t.Errorf("Errorf with %%w: %v", err)
	}
	if got, want := Sprintf("a %%"), fmt.Sprintf("a %%"); got != want {
		t.Errorf("Sprintf without arguments = %q, want %q", got, want)
	}
}
