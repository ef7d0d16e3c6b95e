package cli

import (
	"bytes"
	"encoding/csv"
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/inpoly/inpoly/internal/cli/term"
)

// The holes of testdata/tasks have known lengths in three ore bodies. DH3 is a quarter of a circle of
// the radius 600/π: at the angle a, it is at x = 3140 + r(1−cos a) and z = 500 − r·sin a. The dike has
// the points with 3600 ≤ x+z ≤ 3630, and the seam those with 380 ≤ z ≤ 392.
func TestDrillHoles(t *testing.T) {
	const r, root2 = 600 / math.Pi, math.Sqrt2
	dike := func(sum float64) float64 { return r * (math.Asin((1+(3640-sum)/r)/root2) - math.Pi/4) }
	type part struct {
		hole, body string
		from, to   float64
		cos        float64 // smallest cosine of the angle between the hole and the normal of the surface
	}
	want := []part{
		{"DH1", "lens", 45, 75, 1}, {"DH1", "dike", 75, 100, 1}, {"DH1", "seam", 108, 120, 1},
		{"DH2", "dike", 170 / root2, 200 / root2, 1}, {"DH2", "seam", 108 * root2, 120 * root2, 1},
		{"DH3", "dike", dike(3630), dike(3600), 0.5}, {"DH3", "seam", r * math.Asin(108/r), r * math.Asin(120/r), 0.7},
	}
	folder := filepath.Join("..", "..", "testdata", "tasks")
	args := []string{"segments"}
	for _, body := range []string{"lens", "dike", "seam"} {
		args = append(args, filepath.Join(folder, body+".obj"))
	}
	for _, chord := range []float64{1, 0.01, 1e-6} {
		var out, stderr bytes.Buffer
		code := Run(t.Context(), &term.Terminal{Out: &out, Err: &stderr}, append(args, "--collar", filepath.Join(folder, "collars.csv"),
			"--survey", filepath.Join(folder, "surveys.csv"), "--body", "first", "--keep", "inside", "--chord", strconv.FormatFloat(chord, 'g', -1, 64)))
		if code != term.ExitDone {
			t.Fatal(stderr.String())
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(rows) != 1+len(want) {
			t.Fatalf("%d rows, error %v", len(rows), err)
		}
		for i, row := range rows[1:] {
			w := want[i]
			var v [4]float64 // from, to, length and bound
			for k, column := range []int{1, 2, 5, 6} {
				if v[k], err = strconv.ParseFloat(row[column], 64); err != nil {
					t.Fatal(err)
				}
			}
			allowed := v[3] + 1e-12 // the bound, and the rounding of the expected numbers
			if w.hole == "DH3" {
				allowed += chord / w.cos
			}
			if row[0] != w.hole || row[3] != "in" || row[4] != w.body || math.Abs(v[0]-w.from) > allowed || math.Abs(v[1]-w.to) > allowed ||
				math.Abs(v[2]-(w.to-w.from)) > 2*allowed || v[3] > 1e-11 {
				t.Errorf("chord %g: row %q, want %+v", chord, row, w)
			}
		}
	}
}
