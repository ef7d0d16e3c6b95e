package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeBoth records groups in the folders old and new, and returns the folder of both.
func writeBoth(t *testing.T, before, after func(r *record)) string {
	t.Helper()
	dir := t.TempDir()
	for name, fill := range map[string]func(r *record){"old": before, "new": after} {
		r := &record{values: filepath.Join(dir, name), wanted: map[string]bool{"fmm|few|winding": true, "fmm|few|bound": true}}
		if err := os.Mkdir(r.values, 0o755); err != nil {
			t.Fatal(err)
		}
		if fill(r); r.err != nil {
			t.Fatal(r.err)
		}
	}
	return dir
}

func TestCompareValues(t *testing.T) {
	bound := []float64{1e-9, 1e-9, 1e-9}
	numbers := func(w ...float64) func(r *record) {
		return func(r *record) {
			r.floats("fmm|few|winding", w)
			r.floats("fmm|few|bound", bound)
		}
	}
	for _, c := range []struct {
		name           string
		after          []float64
		differ, within int64
	}{
		{"a difference within the bounds", []float64{1, 2 + 1e-9, 3}, 1, 1},
		{"and one beyond them", []float64{1 + 1e-8, 2 + 1e-9, 3}, 2, 1},
		{"one unit in the last place", []float64{1, 2, math.Nextafter(3, 4)}, 1, 1},
		{"no number", []float64{math.NaN(), 2, 3}, 1, 0},
	} {
		dir := writeBoth(t, numbers(1, 2, 3), numbers(c.after...))
		text, differ, within, err := compareValues(dir, "fmm|few|winding", kindFloat)
		if err != nil || differ != c.differ || within != c.within {
			t.Errorf("%s: %d differ, %d within bounds, %v: want %d, %d (%s)", c.name, differ, within, err, c.differ, c.within, text)
		}
	}
}

// Every bit of every kind of value changes the line of its group.
func TestRecordBits(t *testing.T) {
	lines := map[string]bool{}
	for _, fill := range []func(r *record){
		func(r *record) { r.floats("g", []float64{0, 1}) },
		func(r *record) { r.floats("g", []float64{math.Copysign(0, -1), 1}) },
		func(r *record) { r.floats("g", []float64{0, math.Nextafter(1, 2)}) },
		func(r *record) { r.ints("g", []int32{1, 2}) },
		func(r *record) { r.ints("g", []int32{2, 1}) },
		func(r *record) { r.bytes("g", []uint8{1}) },
		func(r *record) { r.counts("g", []uint64{1}) },
		func(r *record) { r.text("g", "a") },
	} {
		var r record
		fill(&r)
		lines[r.lines[0]] = true
	}
	if len(lines) != 8 {
		t.Errorf("%d different lines of 8", len(lines))
	}
	var a, b record
	a.floats("g", []float64{math.NaN()})
	b.floats("g", []float64{math.Float64frombits(0xfff8000000000001)})
	if a.lines[0] != b.lines[0] {
		t.Error("two NaNs differ")
	}
}

func TestReadRecord(t *testing.T) {
	var r record
	r.floats("a|winding", []float64{1, 2})
	r.failed("b", os.ErrNotExist)
	path := filepath.Join(t.TempDir(), "unit.tsv")
	if err := writeWhole(path, strings.Join(r.lines, "\n")+"\n"); err != nil {
		t.Fatal(err)
	}
	groups, order, err := readRecord(path)
	if err != nil || !slices.Equal(order, []string{"a|winding", "b|error"}) || groups["a|winding"].count != "2" {
		t.Errorf("%v, %v, %v", groups, order, err)
	}
}

func TestMayUpgrade(t *testing.T) {
	for name, want := range map[string]bool{
		"auto|nonzero|1|winding": true, "fmm|nonzero|1|winding": false, "fmm|nonzero|3|few|winding": true,
		"cells|nonzero|3|few|winding": false, "raycross|positive|1|bound": false,
	} {
		if got := mayUpgrade(name); got != want {
			t.Errorf("mayUpgrade(%q) = %v", name, got)
		}
	}
}

// A larger sample contains a smaller one.
func TestDraw(t *testing.T) {
	var all []unit
	for i := range 100 {
		all = append(all, unit{name: fmt.Sprintf("%04d mesh", i)})
	}
	large := draw(all, 40)
	if len(large) != 40 {
		t.Fatalf("%d units", len(large))
	}
	for _, u := range draw(all, 10) {
		if !slices.ContainsFunc(large, func(v unit) bool { return v.name == u.name }) {
			t.Errorf("%s is in the sample of 10 and not in that of 40", u.name)
		}
	}
}

func TestSplitWords(t *testing.T) {
	got := splitWords("exec inpoly explain 'a b' -q # why\n")
	if want := []string{"exec", "inpoly", "explain", "a b", "-q"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
