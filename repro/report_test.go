package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The page in the repository is short, begins with a summary of each paper, and links files that exist.
func TestDocument(t *testing.T) {
	folder := filepath.Join("..", "docs")
	data, err := os.ReadFile(filepath.Join(folder, "results.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	if n := len(strings.Fields(page)); n > 6100 {
		t.Errorf("the page has %d words", n)
	}
	top, _, _ := strings.Cut(page, "\n## ")
	for _, p := range papers {
		if strings.Count(top, "- [**"+p.source) != 1 || !strings.Contains(page, "\n## "+p.title+"\n") {
			t.Errorf("%s: no summary or no section", p.source)
		}
	}
	for _, part := range strings.Split(page, "](results/")[1:] {
		name, _, _ := strings.Cut(part, ")")
		files := []string{name}
		if base, ok := strings.CutSuffix(name, ".svg"); ok {
			files = append(files, base+".csv")
		}
		for _, file := range files {
			if _, err := os.Stat(filepath.Join(folder, "results", file)); err != nil {
				t.Error(err)
			}
		}
	}
}

// The origin with the most runs comes last, without their names.
func TestOrigins(t *testing.T) {
	run := func(name, commit string) found {
		return found{Experiment{Name: name}, saved{Origin: []string{name, "size", "machine", "go", commit}}}
	}
	all := []found{run("P1", "b"), run("P2", "a"), run("R1", "a"), run("S4", "c"), run("V1", "b"), run("V2", "a")}
	want := []origin{{"S4", "machine, go, c"}, {"P1 V1", "machine, go, b"}, {"All other runs", "machine, go, a"}}
	if got := origins(all); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := origins(all[1:3]); !slices.Equal(got, []origin{{"All runs", "machine, go, a"}}) {
		t.Errorf("one origin: %v", got)
	}
}

func TestReport(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "results"), filepath.Join(dir, "docs", "new.md")
	r := &Run{Size: Tiny, Threads: 1, Cache: dir}
	for _, name := range []string{"S1", "R2"} {
		e, err := find(name)
		if err != nil {
			t.Fatal(err)
		}
		res, err := e.Run(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if err := write(filepath.Join(from, e.Name), e, r, res, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if err := report(from, to, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing experiments: got %v, want an error", err)
	}
	var first string
	for k := range 2 { // a second report changes nothing
		if err := report(from, to, true); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			first = string(data)
		} else if first != string(data) {
			t.Error("the second page differs from the first")
		}
	}
	for _, want := range []string{"--size tiny", "|S1.flat|", "![One call", "\n## Polygons\n", "A call takes constant time: **yes**. ", "\nTables: [S1-calls](results/S1-calls.csv).\n", "not at this size"} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in\n%s", want, first)
		}
	}
	if strings.Contains(first, "Hierarchical") {
		t.Error("the page has a paper without results")
	}
	for _, name := range []string{"S1-fig11.svg", "S1-fig11.csv", "S1-calls.csv", "R2-tables.csv", statementsName} {
		if _, err := os.Stat(filepath.Join(dir, "docs", "results", name)); err != nil {
			t.Error(err)
		}
	}
	// Charts can be drawn again beside tables, but not from other files.
	results := filepath.Join(dir, "docs", "results")
	if err := execute("draw", filepath.Join(results, "S1-fig11.csv"), filepath.Join(results, "S1-calls.csv")); err != nil {
		t.Error(err)
	}
	if err := execute("draw", filepath.Join(results, statementsName)); err == nil {
		t.Error("drawing the statements: no error")
	}
	// Results of another size are not mixed silently.
	e, _ := find("R2")
	other := &Run{Size: Small, Threads: 1}
	if err := write(filepath.Join(from, "R2"), e, other, &Result{}, time.Second); err != nil {
		t.Fatal(err)
	}
	for _, e := range experiments { // fill the rest
		if e.Name != "R2" && e.Name != "S1" {
			if err := write(filepath.Join(from, e.Name), e, r, &Result{}, time.Second); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := report(from, to, false); err == nil || !strings.Contains(err.Error(), "R2") {
		t.Errorf("got %v, want an error that names R2", err)
	}
}
