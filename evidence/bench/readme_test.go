package main

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tableIn returns the cells of the first table of a document whose header starts with head.
func tableIn(t *testing.T, file, head string) (header []string, rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cells := func(line string) (out []string) {
		line = strings.ReplaceAll(strings.TrimSpace(line), "\\|", "\x00")
		for c := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			out = append(out, strings.TrimSpace(strings.ReplaceAll(c, "\x00", "|")))
		}
		return out
	}
	for line := range strings.Lines(string(text)) {
		switch {
		case header == nil && strings.HasPrefix(line, head):
			header = cells(line)
		case header != nil && !strings.HasPrefix(line, "|"):
			return header, rows[1:] // without the line of dashes
		case header != nil:
			rows = append(rows, cells(line))
		}
	}
	if rows == nil {
		t.Fatalf("%s has no table %s", file, head)
	}
	return header, rows[1:]
}

// number reads a number of the README, such as 5,800 or 2.9 M, without its unit and mark of a footnote. It also
// returns the unit of its last digit.
func number(t *testing.T, cell string) (x, unit float64) {
	t.Helper()
	fields := strings.Fields(strings.NewReplacer("*", "", ",", "").Replace(cell))
	x, err := strconv.ParseFloat(fields[0], 64)
	if err != nil {
		t.Fatalf("no number: %q", cell)
	}
	_, decimals, _ := strings.Cut(fields[0], ".")
	unit = math.Pow10(-len(decimals))
	if decimals == "" && x >= 1000 { // two digits count
		unit = math.Pow10(len(fields[0]) - 2)
	}
	if slices.Contains(fields, "M") {
		x, unit = 1e6*x, 1e6*unit
	}
	return x, unit
}

// The function of each tool whose counts and times the README shows.
var readmeFunctions = map[string]string{
	"inpoly": "Side", "CGAL": "Side_of_triangle_mesh", "libigl": "winding_number", "VTK": "vtkSelectEnclosedPoints",
	"three-mesh-bvh": "parity of hits", "trimesh": "contains", "Embree": "parity of hits", "Open3D": "compute_occupancy",
	"Warp": "mesh_query_point_sign_winding_number", "cuBQL": "pointIsInsideSurface",
}

// The comparison in the README has the numbers that evidence/bench/broken.sh has printed. The time of Embree is that
// of its packets, in evidence/bench/RESULTS.md.
func TestReadmeComparison(t *testing.T) {
	_, readme := tableIn(t, "../../README.md", "| | wrong on<br>solids")
	_, wrong := tableIn(t, "results/broken.md", "| tool | function | version | inside means |")
	_, differ := tableIn(t, "results/broken.md", "| tool | function | differs on defects |")
	_, speed := tableIn(t, "results/broken.md", "| tool | function | version | build CPU s |")
	_, holes := tableIn(t, "RESULTS.md", "| missing faces |")
	find := func(rows [][]string, tool string) []string {
		for _, r := range rows {
			if r[0] == tool && (r[1] == readmeFunctions[tool] || tool == "inpoly") {
				return r
			}
		}
		t.Fatalf("no row for %s %s", tool, readmeFunctions[tool])
		return nil
	}
	seen := map[string]bool{}
	for _, row := range readme {
		tool := strings.Trim(row[0], "* ⁷")
		seen[tool] = true
		w, d, s := find(wrong, tool), find(differ, tool), find(speed, tool)
		ratio := s[6]
		if tool == "Embree" {
			ratio = holes[0][12]
		}
		for i, want := range []string{w[4], w[6], d[2], ratio} {
			if want == "–" || row[i+1] == "–" {
				t.Errorf("%s: %q, measured %q", tool, row[i+1], want)
				continue
			}
			got, unit := number(t, row[i+1])
			if i < 3 {
				unit = 0 // counts
			}
			if measured, _ := number(t, want); math.Abs(got-measured) > unit/2 {
				t.Errorf("%s, column %d: %s, measured %s", tool, i+1, row[i+1], want)
			}
		}
	}
	if len(seen) != len(readmeFunctions) {
		t.Errorf("%d tools, want %d", len(seen), len(readmeFunctions))
	}
}

// The times against Embree in the README are those of evidence/bench/RESULTS.md.
func TestReadmeMeasured(t *testing.T) {
	_, readme := tableIn(t, "../../README.md", "| points | geometric mean | least |")
	_, results := tableIn(t, "RESULTS.md", "| meshes | points | number | geometric mean |")
	power := map[string]string{"10⁴": "10000", "10⁶": "1000000", "10⁷": "10000000"}
	least := func(cell string) string { // of “name 0.15, name 0.18, …”
		first, _, _ := strings.Cut(cell, ",")
		return first[strings.LastIndex(first, " ")+1:]
	}
	rows := 0
	for _, row := range readme {
		for _, r := range results {
			if r[0] != "closed" || r[1] != power[row[0]] {
				continue
			}
			rows++
			for i, want := range []string{r[3], least(r[8]), r[5], least(r[9])} {
				got, unit := number(t, row[i+1])
				if measured, _ := number(t, want); math.Abs(got-measured) > unit/2+1e-9 {
					t.Errorf("%s points, column %d: %s, measured %s", row[0], i+1, row[i+1], want)
				}
			}
		}
	}
	if rows != len(power) {
		t.Errorf("%d rows, want %d", rows, len(power))
	}
}
