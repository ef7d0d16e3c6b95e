package points

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/table"
)

// TestFloat32 writes float32 coordinates in every format, and each output in every format again.
// LAS is excluded, because it rounds coordinates to its scale. All points must keep their exact
// coordinates, so their sides do not change. Most of these coordinates have a shortest decimal form
// that another float64 is nearest to.
func TestFloat32(t *testing.T) {
	a := array{rows: 500, columns: 4}
	var want []r3.Vector
	for i := range a.rows {
		k := float64(i - a.rows/2)
		p := r3.Vector{X: float64(float32(k / 10)), Y: float64(float32(k / 3 * 1e-20)), Z: float64(float32(k * 1e35 / 7))}
		want = append(want, p)
		a.v = append(a.v, p.X, p.Y, p.Z, float64(float32(k/10)))
	}
	if p := want[1]; p.X == -24.9 || float32(p.X) != -24.9 {
		t.Fatalf("%v is no suitable point", p)
	}
	dir := t.TempDir()
	npy := filepath.Join(dir, "in.npy")
	if err := os.WriteFile(npy, a.file("<f4", false), 0o666); err != nil {
		t.Fatal(err)
	}
	formats := []string{"csv", "npy", "ply", "parquet", "jsonl"}
	for _, first := range formats {
		once, _ := convertFile(t, npy, Options{}, Job{Answer: answerHalf, Columns: insideColumn, Format: first})
		if got := pointsOf(t, once, Options{}); !sameBits(got, want) {
			t.Errorf("npy to %s: points moved", first)
		}
		for _, second := range formats {
			twice, _ := convertFile(t, once, Options{}, Job{Answer: answerHalf, Format: second})
			if got := pointsOf(t, twice, Options{}); !sameBits(got, want) {
				t.Errorf("npy to %s to %s: points moved", first, second)
			}
		}
	}
}

// sameBits reports whether got and want are the same points. A zero must have the same sign.
func sameBits(got, want []r3.Vector) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		for _, x := range [][2]float64{{got[i].X, want[i].X}, {got[i].Y, want[i].Y}, {got[i].Z, want[i].Z}} {
			if math.Float64bits(x[0]) != math.Float64bits(x[1]) {
				return false
			}
		}
	}
	return true
}

// TestFloat32Digits checks that only the coordinates of a float32 array have the digits of float64.
func TestFloat32Digits(t *testing.T) {
	in := array{1, 4, []float64{0.1, 0.5, -0.1, 0.1}}.file("<f4", false)
	for format, want := range map[string]string{
		"csv":   "x,y,z,column_4,inside\n0.10000000149011612,0.5,-0.10000000149011612,0.1,%s\n",
		"jsonl": `{"x":0.10000000149011612,"y":0.5,"z":-0.10000000149011612,"column_4":0.1,"inside":%s}` + "\n",
	} {
		job := Job{Columns: []table.Column{{Name: "inside", Kind: table.Inside}}, Answer: answerHalf, Format: format}
		got, sum, err := runJob(in, Options{}, job)
		inside := map[string]string{"csv": "1", "jsonl": "true"}[format]
		if want = fmt.Sprintf(want, inside); err != nil || got != want || sum.Rows != 1 {
			t.Errorf("%s: got %q, %v, want %q", format, got, err, want)
		}
	}
}

// TestDecimalCoordinates converts decimals of Parquet, which are texts, to CSV and JSON Lines. A
// coordinate must remain a number.
func TestDecimalCoordinates(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.parquet")
	file := parquetOf(t, struct {
		X     int64 `parquet:"x,decimal(2:18)"`
		Y, Z  int64
		Price int64 `parquet:"price,decimal(2:18)"`
	}{X: -125, Y: 3, Z: 4, Price: 250})
	if err := os.WriteFile(in, file, 0o666); err != nil {
		t.Fatal(err)
	}
	want := []r3.Vector{{X: -1.25, Y: 3, Z: 4}}
	if got := pointsOf(t, in, Options{}); !sameBits(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for _, format := range []string{"csv", "jsonl"} {
		out, _ := convertFile(t, in, Options{}, Job{Answer: answerHalf, Format: format})
		if got := pointsOf(t, out, Options{}); !sameBits(got, want) {
			t.Errorf("%s: got %v, want %v", format, got, want)
		}
	}
}
