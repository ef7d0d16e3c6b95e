package ask

import "testing"

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
