package term

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

// A line of counts fits into 80 columns for all numbers. It is exact as long as exact numbers fit.
func TestCountsLine(t *testing.T) {
	parts := func(n ...int64) (list []Counted) {
		for i, word := range []string{"inside", "outside", "on the surface", "uncertain"}[:len(n)] {
			list = append(list, Counted{n[i], word})
		}
		return list
	}
	for _, c := range []struct {
		total   int64
		parts   []Counted
		want    string
		rounded bool
	}{
		{0, parts(0, 0), "0 points: 0 inside, 0 outside", false},
		{1, parts(1, 0), "1 point: 1 inside, 0 outside", false},
		{4096, parts(356, 3645, 95), "4,096 points: 356 inside, 3,645 outside, 95 on the surface", false},
		{400_000, parts(100_000, 100_000, 100_000, 100_000), "400,000 points: 100,000 inside, 100,000 outside, 100,000 on, 100,000 uncertain", false},
		{4_000_000, parts(1_000_000, 1_000_000, 1_000_000, 1_000_000), "4000000 points: 1000000 inside, 1000000 outside, 1000000 on, 1000000 uncertain", false},
		{40_000_000, parts(10_000_000, 10_000_000, 10_000_000, 10_000_000), "about 40 M points: 10 M inside, 10 M outside, 10 M on, 10 M uncertain", true},
		{4e12, parts(1e12, 1e12, 1e12, 1e12), "about 4 T points: 1 T inside, 1 T outside, 1 T on, 1 T uncertain", true},
	} {
		line, rounded := CountsLine(c.total, "point", c.parts)
		if line != c.want || rounded != c.rounded {
			t.Errorf("%d: %q, %v, want %q, %v", c.total, line, rounded, c.want, c.rounded)
		}
		if utf8.RuneCountInString(line) > LineWidth {
			t.Errorf("%q is wider than %d columns", line, LineWidth)
		}
	}
	for n := int64(1); n > 0 && n < math.MaxInt64/4; n *= 3 {
		for _, k := range []int{2, 3, 4} {
			line, _ := CountsLine(int64(k)*n, "voxel", parts([]int64{n, n, n, n}[:k]...))
			if utf8.RuneCountInString(line) > LineWidth {
				t.Errorf("%q is wider than %d columns", line, LineWidth)
			}
		}
	}
	line, _ := CountsLine(math.MaxInt64, "voxel", parts(math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64))
	if utf8.RuneCountInString(line) > LineWidth {
		t.Errorf("%q is wider than %d columns", line, LineWidth)
	}
}

func TestCutMiddle(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 5, ""}, {"short", 5, "short"}, {"longer", 5, "lo…er"}, {"longest", 4, "lo…t"}, {"abc", 1, "…"}, {"网格模型", 8, "网格模型"}, {"网格模型", 7, "网格…型"}, {"a网格模b", 4, "a…b"},
	} {
		got := CutMiddle(c.text, c.width)
		if got != c.want || Width(got) > c.width {
			t.Errorf("CutMiddle(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
	for width := 1; width < 40; width++ {
		for _, text := range []string{strings.Repeat("网a", 20), strings.Repeat("é", 50), strings.Repeat("格", 30)} {
			if got := CutMiddle(text, width); Width(got) > width || Width(got) < width-2 {
				t.Errorf("CutMiddle(%q, %d) = %q, which is %d wide", text, width, got, Width(got))
			}
		}
	}
}

// WarnList prints at most ten warnings in a run, and leaves room for later lists.
func TestWarnList(t *testing.T) {
	list := func(n int) (texts []string) {
		for i := range n {
			texts = append(texts, fmt.Sprint("w", i))
		}
		return texts
	}
	for _, c := range []struct {
		reserved, n []int
		want        string
	}{
		{[]int{0}, []int{10}, "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9"},
		{[]int{0}, []int{11}, "w0 w1 w2 w3 w4 w5 w6 w7 w8 +2"},
		{[]int{7, 3, 0}, []int{9, 9, 9}, "w0 w1 +7 w0 w1 w2 +6 w0 w1 +7"},
		{[]int{7, 3, 0}, []int{0, 0, 10}, "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9"},
		{[]int{7, 3, 0}, []int{1, 2, 3}, "w0 w0 w1 w0 w1 w2"},
		{[]int{0}, []int{0}, ""},
	} {
		var errs bytes.Buffer
		terminal := &Terminal{Err: &errs}
		for i, n := range c.n {
			terminal.WarnList(list(n), c.reserved[i], "see")
		}
		var got []string
		for line := range strings.Lines(errs.String()) {
			line = strings.TrimPrefix(strings.TrimSpace(line), "warning: ")
			if more, ok := strings.CutPrefix(line, "… and "); ok {
				line = "+" + strings.TrimSuffix(more, " more kinds; see")
			}
			got = append(got, line)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%v of %v: %s, want %s", c.n, c.reserved, text, c.want)
		}
	}
}

func TestCommaHint(t *testing.T) {
	for _, c := range []struct {
		value string
		count int
		want  string
	}{
		{"0,5", 1, "0.5"}, {"-1,5e-3", 1, "-1.5e-3"}, {",5", 1, ".5"}, {"z=0,3", 1, "z=0.3"}, {"1,5,2", 3, ""}, {"1,5", 3, ""}, {"1,5,2,5,3,5", 3, "1.5,2.5,3.5"}, {"1,5,2,5", 3, ""},
		{"a,b", 1, ""}, {"1.5", 1, ""}, {"1,5,a,5,3,5", 3, ""}, {"", 1, ""}, {"0,5\x1b[2J", 1, ""},
	} {
		want := c.want
		if want != "" {
			want = "the decimal mark is a point: --x " + want
		}
		if got := CommaHint("--x", c.value, c.count); got != want {
			t.Errorf("CommaHint(%q, %d) = %q, want %q", c.value, c.count, got, want)
		}
	}
}

func TestShellLine(t *testing.T) {
	got := shellLine([]string{"inpoly", "a b.stl", "it's", "--keep=in,on", "", "$x"})
	want := `inpoly 'a b.stl' 'it'\''s' --keep=in,on '' '$x'`
	if runtime.GOOS == "windows" {
		want = `inpoly "a b.stl" "it's" --keep=in,on "" "$x"`
	}
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
