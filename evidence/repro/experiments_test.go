package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// csvRows holds the number of rows in the CSV files of each experiment at size tiny.
var csvRows = map[string]map[string]int{
	"P1": {"P1-all": 3 * 2 * len(methods), "P1-fig10": 9, "P1-fig10-few": 9, "P1-times": 12, "P1-ranges": 8, "P1-ends": len(methods), "P1-costs": 8},
	"P2": {"P2-table1": 3, "P2-table2": 4},
	"P3": {"P3-all": 2 * 2 * len(methods), "P3-fig15": 6, "P3-fig15-few": 6, "P3-times": 8},
	"P4": {"P4-degree": 2 * 6, "P4-bounds": 3 * 6, "P4-degree-table": 2, "P4-plans": 3*3 + 3, "P4-plans-table": 3 * 3, "P4-misprints": 8},
	"R1": {"R1-fig2-2d": 8, "R1-fig2-3d": 8, "R1-tests": 8, "R1-contacts": 6, "R1-times": 32},
	"R2": {"R2-tables": 6 + 5 + 3},
	"V1": {"V1-fig12-work": 6, "V1-fig12": 8, "V1-steps": 2},
	"V2": {"V2-fig14-work": 6, "V2-fig14": 8, "V2-steps": 2, "V2-speeds": 4, "V2-sweep": 2},
	"V3": {"V3-fig16-work": 4, "V3-fig16": 6, "V3-steps": 2, "V3-speeds": 2},
	"V4": {"V4-tests": 4},
	"S1": {"S1-fig11": 6, "S1-calls": 2},
	"S2": {"S2-fig6": 6, "S2-steps": 2},
	"S3": {"S3-speedup": 4, "S3-threads": 3},
	"S4": {"S4-surface": 58, "S4-heaps": 4},
	"H1": {"H1-summary": 2, "H1-levels": 8, "H1-UV": 12, "H1-US": 12},
	"H2": {"H2-counts": 3, "H2-fig5": 2},
	"H3": {"H3-summary": 4, "H3-levels": 16, "H3-UV": 16, "H3-US": 16},
}

// Every experiment runs at size tiny and writes all of its files. An experiment fails if the answers of its
// methods differ. No verdict changes in a second run.
func TestExperiments(t *testing.T) {
	cache := t.TempDir()
	atCommit(t, "0123")
	var all []Statement
	ran := 0
	for _, e := range experiments {
		t.Run(e.Name, func(t *testing.T) {
			r := &Run{Size: Tiny, Threads: 1, Cache: cache, meter: newLoadMeter()}
			res, err := e.run(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			all, ran = append(all, res.Statements...), ran+1
			if e.Repeated || os.Getenv("INPOLY_FULL") != "" {
				// A second run, in which the machine is as busy as it likes, has the same verdicts.
				again, err := e.run(context.Background(), &Run{Size: Tiny, Threads: 1, Cache: cache, meter: newLoadMeter()})
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range res.Statements {
					if text := changes([][]Statement{res.Statements, again.Statements}, s.ID); text != "" {
						t.Error(text)
					}
				}
			}
			var f flags
			dir := filepath.Join(t.TempDir(), e.Name)
			if f.complete(dir, e, r) {
				t.Error("complete before anything was written")
			}
			if err := write(dir, e, r, res, time.Second); err != nil {
				t.Fatal(err)
			}
			if !f.complete(dir, e, r) {
				t.Error("not complete after it was written")
			}
			if f.complete(dir, e, &Run{Size: Paper, Threads: 1}) {
				t.Error("complete for another size")
			}
			if len(res.Statements) == 0 || len(res.Figures)+len(res.Tables) == 0 || len(csvRows[e.Name]) == 0 {
				t.Errorf("%d statements, %d figures, %d tables, %d expected files", len(res.Statements), len(res.Figures), len(res.Tables), len(csvRows[e.Name]))
			}
			for name, want := range csvRows[e.Name] {
				if got := csvLines(t, filepath.Join(dir, name+".csv")); got != want {
					t.Errorf("%s: %d rows, want %d", name, got, want)
				}
			}
			for _, f := range res.Figures {
				checkPictures(t, filepath.Join(dir, f.Name))
			}
		})
	}
	if ran == len(experiments) { // no filter of names
		checkMainClaims(t, all)
	}
	if len(rising) != len(experiments) {
		t.Errorf("all runs %d experiments of %d", len(rising), len(experiments))
	}
}

// checkMainClaims checks that statements which count as evidence decide all main claims of all papers, and that they
// have a number if the run is large enough.
func checkMainClaims(t *testing.T, all []Statement) {
	t.Helper()
	for _, p := range papers {
		for _, c := range append([]claim{p.headline}, p.main...) {
			for _, id := range c.ids {
				one := claim{ids: []string{id}}
				if len(one.rows(all)) == 0 {
					t.Errorf("%s: the main claim %q needs a counted statement %s", p.source, c.text, id)
				}
			}
			if holds, number := c.answer(all); number == "" && holds != string(Unchecked) && holds != string(Unmeasured) {
				t.Errorf("%s: the main claim %q has no number", p.source, c.text)
			}
		}
	}
}

// csvLines checks the head of a CSV file, and returns the number of rows after the column names.
func csvLines(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"# machine: ", "# go: go", "# commit: "} {
		if !strings.Contains(string(data), word) {
			t.Errorf("%s: no %q in its head", path, word)
		}
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return len(rows) - 1
}

// checkPictures checks that the PNG file can be decoded, and that the PNG and SVG files contain the
// head.
func checkPictures(t *testing.T, base string) {
	t.Helper()
	for _, suffix := range []string{".png", ".svg"} {
		data, err := os.ReadFile(base + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(data, []byte("machine: ")) {
			t.Errorf("%s%s: no head", base, suffix)
		}
		if suffix == ".png" {
			if _, err := png.Decode(bytes.NewReader(data)); err != nil {
				t.Errorf("%s%s: %v", base, suffix, err)
			}
		}
	}
}

// atCommit sets the commit of all results until the end of the test.
func atCommit(t *testing.T, id string) {
	t.Helper()
	before := commit
	commit = func() string { return id }
	t.Cleanup(func() { commit = before })
}
