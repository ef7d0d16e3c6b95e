package cli

import "testing"

func TestParseShard(t *testing.T) {
	for _, c := range []struct {
		in   string
		i, n int
		ok   bool
	}{
		{"", 0, 0, true}, {"1/1", 1, 1, true}, {"3/8", 3, 8, true},
		{"0/8", 0, 0, false}, {"9/8", 0, 0, false}, {"3", 0, 0, false}, {"a/b", 0, 0, false}, {"1/0", 0, 0, false}, {"1/2/3", 0, 0, false},
	} {
		if i, n, err := parseShard(c.in); i != c.i || n != c.n || (err == nil) != c.ok {
			t.Errorf("parseShard(%q) = %d, %d, %v; want %d, %d, %v", c.in, i, n, err, c.i, c.n, c.ok)
		}
	}
}
