package points

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/table"
)

// halve is a transform for tests. The image of a point with x ≥ 50 is infinite.
func halve(p r3.Vector) r3.Vector {
	if p.X >= 50 {
		return r3.Vector{X: math.Inf(1)}
	}
	return p.Mul(0.5)
}

// TestTransform checks that Answer and the box see the images of the points, and that outputs of
// all formats hold the coordinates of the input.
func TestTransform(t *testing.T) {
	csv := filepath.Join(t.TempDir(), "in.csv")
	text := append(cloudCSV(120), "nan,1,2,3\n50,1,2,3\n51,1,2,3\n"...)
	if err := os.WriteFile(csv, text, 0o666); err != nil {
		t.Fatal(err)
	}
	want := pointsOf(t, csv, Options{})
	answer := func(_ context.Context, b *table.Block) error {
		for k, p := range b.Points {
			b.Numbers[0][k] = p.Y
		}
		return nil
	}
	for _, format := range []string{"", "npy", "ply", "parquet", "jsonl"} {
		job := Job{Columns: []table.Column{{Name: "half", Kind: table.Number}}, Answer: answer, Format: format}
		out, sum := convertFile(t, csv, Options{Transform: halve, block: 500}, job)
		if sum.NonFinite != (table.Tally{Count: 3, First: 122}) {
			t.Errorf("%s: rows that are not finite: %+v", format, sum.NonFinite)
		}
		if sum.Min != (r3.Vector{X: -12.5}) || sum.Max != (r3.Vector{X: 19.0 / 8, Y: 119.0 / 16, Z: 14.25}) {
			t.Errorf("%s: box %v to %v", format, sum.Min, sum.Max)
		}
		if format == "jsonl" {
			continue
		}
		r, err := Open(out, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b table.Block
		var v table.Values
		row := 0
		for err = r.Next(&b); err == nil; err = r.Next(&b) {
			if err := r.src.Values(&b, 4, &v); err != nil {
				t.Fatal(err)
			}
			for k, p := range b.Points {
				if p != want[row] && row != 120 {
					t.Errorf("%s: point %d is %v, want %v", format, row, p, want[row])
				}
				if half := v.Floats[k]; row < 120 && half != p.Y/2 {
					t.Errorf("%s: answer %d is %v, want %v", format, row, half, p.Y/2)
				}
				row++
			}
		}
		r.Close()
		if row != len(want) {
			t.Errorf("%s: %d rows, want %d: %v", format, row, len(want), err)
		}
	}
	r, err := Open(csv, Options{Transform: halve})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b table.Block
	if err := r.Next(&b); err != nil || b.Points[1] != want[1].Mul(0.5) || b.NonFinite != (table.Tally{Count: 3, First: 122}) {
		t.Errorf("Next: %v, %v", b.NonFinite, err)
	}
}
