package las_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/las"
	"github.com/inpoly/inpoly/points/internal/text"
	"github.com/inpoly/inpoly/points/table"
)

// TestTextAndBack converts decimals to LAS and back. The points and the cells must not change.
func TestTextAndBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, c := range []struct {
		digits int
		at     int64 // center of the coordinates
		size   int64 // extent of the coordinates, in units of the last digit
	}{{6, 0, 1e6}, {3, 500000, 2e6}, {3, 5e6, 9e8}, {2, -4e6, 1e5}, {9, 7, 5e8}, {0, 12, 4e8}, {1, 0, 5e8}} {
		var in strings.Builder
		in.WriteString("x,y,z\n")
		unit := int64(1)
		for range c.digits {
			unit *= 10
		}
		for range 500 {
			var row [3]string
			for i := range row {
				n := c.at*unit + rng.Int64N(c.size) - c.size/2
				sign := ""
				if n < 0 {
					n, sign = -n, "-"
				}
				row[i] = fmt.Sprintf("%s%d", sign, n/unit)
				if c.digits > 0 {
					fraction := strings.TrimRight(fmt.Sprintf("%0*d", c.digits, n%unit), "0")
					row[i] = strings.TrimSuffix(row[i]+"."+fraction, ".")
				}
				if row[i] == "-0" {
					row[i] = "0"
				}
			}
			in.WriteString(strings.Join(row[:], ",") + "\n")
		}
		src, err := text.New("a.csv", strings.NewReader(in.String()), nil, -1, text.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sink, err := las.Convert(src, nil)
		if err != nil {
			t.Fatal(err)
		}
		cloud, err := testcloud.Pass(src, sink, nil, -1, nil)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		back, err := files.Open(cloud, false, las.Options{})
		if err != nil {
			t.Fatal(err)
		}
		words, err := text.Convert(back, nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := testcloud.Pass(back, words, nil, -1, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(in.String(), "\n")
		for k, line := range strings.Split(out, "\n") {
			for i, cell := range strings.Split(want[k], ",") {
				got := strings.Split(line, ",")[i]
				if x, err := strconv.ParseFloat(cell, 64); err == nil && strings.Contains(got, "e") {
					cell = strconv.FormatFloat(x, 'g', -1, 64)
				}
				if got != cell {
					t.Fatalf("%+v: line %d: %q became %q", c, k+1, cell, got)
				}
			}
		}
		again, err := files.Open(cloud, false, las.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mustEqualPoints(t, again, in.String())
	}
}

// mustEqualPoints fails the test unless src has the points of csvText.
func mustEqualPoints(t *testing.T, src table.Source, csvText string) {
	t.Helper()
	want, err := text.New("a.csv", strings.NewReader(csvText), nil, -1, text.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var a, b table.Block
	for range 2 { // each source has one block; the second call of want.Fill returns io.EOF
		if err := want.Fill(&a); err != nil {
			return
		}
		if err := src.Fill(&b); err != nil {
			t.Fatal(err)
		}
		if err := want.Parse(&a); err != nil {
			t.Fatal(err)
		}
		if err := src.Parse(&b); err != nil {
			t.Fatal(err)
		}
		for k, p := range a.Points {
			if b.Points[k] != p {
				t.Fatalf("row %d: %v is classified, want %v", k, b.Points[k], p)
			}
		}
	}
}

// utm returns n rows of coordinates in meters with three decimal places.
func utm(n int) string {
	rng := rand.New(rand.NewPCG(51, 52))
	var out strings.Builder
	for range n {
		fmt.Fprintf(&out, "%.3f,%.3f,%.3f\n", 500000+1000*rng.Float64(), 5400000+1000*rng.Float64(), 300+20*rng.Float64())
	}
	return out.String()
}

// geographic returns n rows of longitude, latitude and height. Longitudes and latitudes have the
// given number of decimal places.
func geographic(n, digits int) string {
	rng := rand.New(rand.NewPCG(53, 54))
	var out strings.Builder
	for range n {
		fmt.Fprintf(&out, "%.*f,%.*f,%.2f\n", digits, 7+.02*rng.Float64(), digits, 48+.02*rng.Float64(), 900*rng.Float64())
	}
	return out.String()
}

// TestFarRows converts blocks in which one row is far from the other rows. The conversion must fail
// unless LAS can hold all digits of all rows, or the far row is dropped.
func TestFarRows(t *testing.T) {
	for _, c := range []struct {
		name, in string
		drop     int64  // line of the row to drop, 0 for none
		refused  string // "" if the coordinates are exact
	}{
		{"largest float32", "0.5,0.5,0.5\n5,5,5\n-3.4028235e38,0,0\n", 0, "line 4: x is -3.4028235e+38: with this row, LAS would round x to steps of 1e+29, but other rows have"},
		{"dropped", "0.5,0.5,0.5\n5,5,5\n-3.4028235e38,0,0\n", 4, ""},
		{"first and dropped", "-3.4028235e38,0,0\n0.5,0.5,0.5\n5,5,5\n", 2, ""},
		{"utm", utm(1000) + "-1,-1,-1\n", 0, "line 1002: y is -1: with this row, LAS would round y to steps of 0.01, but other rows have last digits of 0.001: las: the format cannot hold this column or value: drop this row"},
		{"utm, dropped", utm(1000) + "-1,-1,-1\n", 1002, ""},
		{"utm, in reach", utm(1000) + "-1,1500000,-1\n", 0, ""},
		{"no data", utm(1000) + "501000,5400000,-9999\n", 0, ""},
		{"far in z", utm(1000) + "501000,5400000,-99999999\n", 0, "line 1002: z is -9.9999999e+07: with this row"},
		{"geographic", geographic(1000, 7), 0, ""},
		{"more digits", geographic(1000, 10), 0, ""},
		{"0, 0", geographic(1000, 7) + "0,0,0\n", 0, ""},
		{"more digits and 0, 0", geographic(1000, 9) + "0,0,0\n", 0, "line 1002: x is 0: with this row, LAS would round x to steps of 1e-08, but other rows have last digits of 1e-09"},
	} {
		src, err := text.New("a.csv", strings.NewReader("x,y,z\n"+c.in), nil, -1, text.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sink, err := las.Convert(src, nil)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(c.in, "\n")
		out, err := testcloud.Pass(src, sink, nil, -1, func(at int64) bool { return at+1 == c.drop })
		if c.drop > 0 {
			lines = append(lines[:c.drop-2], lines[c.drop-1:]...)
		}
		if c.refused != "" {
			if !errors.Is(err, table.ErrCannotHold) || !strings.Contains(fmt.Sprint(err), c.refused) {
				t.Errorf("%s: %v, want %s", c.name, err, c.refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if w := sink.(table.Lossy).Warnings(); len(w) > 0 {
			t.Errorf("%s: %v", c.name, w)
		}
		cloud, err := files.Open(out, false, las.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mustEqualPoints(t, cloud, "x,y,z\n"+strings.Join(lines, ""))
	}
}

// TestRounded converts floats to LAS and back. The warning must contain the number of rows that
// changed. Resume must keep this number.
func TestRounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 56))
	for _, c := range []struct {
		far  float64 // y of row 9
		fits bool
	}{{.5, true}, {3000, true}, {-9999, false}, {math.MaxFloat32, false}} {
		m := &memory{block: 20, axes: [3]int{0, 1, 2}}
		for _, name := range []string{"x", "y", "z"} {
			v := make([]float64, 50)
			for k := range v {
				if v[k] = rng.Float64(); k%7 == 5 {
					v[k] = .25
				}
			}
			m.add(name, table.Float64, nil, v)
		}
		m.columns[1].Floats[9] = c.far
		sink, err := las.Convert(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := testcloud.Pass(m, sink, nil, -1, nil)
		if !c.fits {
			if want := fmt.Sprintf("row 9: y is %v", c.far); !errors.Is(err, table.ErrCannotHold) || !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("%v: %v, want %s", c.far, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", c.far, err)
			continue
		}
		cloud, err := files.Open(out, false, las.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, changed := collect(t, cloud), 0
		for k := range 50 {
			same := true
			for i, name := range []string{"x", "y", "z"} {
				same = same && got[name][k] == m.columns[i].Floats[k]
			}
			if !same {
				changed++
			}
		}
		want := fmt.Sprintf("las: coordinates of %d of 50 rows are rounded, to steps of ", changed)
		w := sink.(table.Lossy).Warnings()
		if len(w) != 1 || !strings.HasPrefix(w[0], want) || !strings.HasSuffix(w[0], "the first is row 0") {
			t.Errorf("%v: %q, want %s", c.far, w, want)
		}
		state, err := sink.(table.Resumer).State()
		if err != nil {
			t.Fatal(err)
		}
		again, err := las.Convert(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.(table.Resumer).Resume(-1, state); err != nil {
			t.Fatal(err)
		}
		if r := again.(table.Lossy).Warnings(); fmt.Sprint(r) != fmt.Sprint(w) {
			t.Errorf("%v: resumed: %q, want %q", c.far, r, w)
		}
	}
}

// TestAllDropped drops all rows of the first blocks. The layout must depend on the first kept row.
func TestAllDropped(t *testing.T) {
	m := &memory{block: 5, axes: [3]int{0, 1, 2}}
	for _, name := range []string{"x", "y", "z"} {
		v := make([]float64, 20)
		for k := range v {
			if v[k] = float64(k) / 8; k < 12 {
				v[k] = 1e30
			}
		}
		m.add(name, table.Float64, nil, v)
	}
	sink, err := las.Convert(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := testcloud.Pass(m, sink, nil, -1, func(k int64) bool { return k < 12 })
	if err != nil {
		t.Fatal(err)
	}
	cloud, err := files.Open(out, false, las.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(collect(t, cloud)["z"]); got != "[1.5 1.625 1.75 1.875 2 2.125 2.25 2.375]" {
		t.Error(got)
	}
}
