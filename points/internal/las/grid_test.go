package las_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/las"
	"github.com/inpoly/inpoly/points/internal/text"
	"github.com/inpoly/inpoly/points/table"
)

// TestTextAndBack converts decimals to LAS and back: the points and the cells are those of
// the text.
func TestTextAndBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, c := range []struct {
		digits int
		at     int64 // whole part
		size   int64 // in last digits
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
		words, err := text.Convert(back, nil, text.ConvertOptions{})
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

// mustEqualPoints fails unless src has the points of a text.
func mustEqualPoints(t *testing.T, src table.Source, in string) {
	t.Helper()
	want, err := text.New("a.csv", strings.NewReader(in), nil, -1, text.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var a, b table.Block
	for range 2 { // the text is one block, and so is the file
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
