package plural

import "testing"

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n    int64
		noun string
		want string
	}{
		{0, "row", "0 rows"}, {1, "row", "1 row"}, {2, "row", "2 rows"},
		{1, "body", "1 body"}, {1, "vertex", "1 vertex"}, {2, "vertex", "2 vertices"}, {1234567, "body", "1234567 bodies"}, {-1, "comment line", "-1 comment lines"},
	} {
		if got := Count(c.n, c.noun); got != c.want {
			t.Errorf("Count(%d, %q) = %q, want %q", c.n, c.noun, got, c.want)
		}
	}
}
