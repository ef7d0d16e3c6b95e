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

// The pages in the repository are short. The first has one row a paper and one picture before its first section,
// each other begins with the main claims and a picture, and all link files that exist.
func TestDocument(t *testing.T) {
	folder := filepath.Join("..", "..", "docs")
	first := readPage(t, filepath.Join(folder, "results.md"))
	if n := len(strings.Fields(first)); n > 700 {
		t.Errorf("the first page has %d words", n)
	}
	top, _, _ := strings.Cut(first, "\n## ")
	if strings.Count(top, "\n|[") != len(papers) || strings.Count(top, "![") != 1 {
		t.Errorf("the first page begins with\n%s", top)
	}
	checkLinks(t, folder, first)
	for _, p := range papers {
		page := readPage(t, filepath.Join(folder, "results", p.file+".md"))
		if n := len(strings.Fields(page)); n > 3500 {
			t.Errorf("%s: %d words", p.file, n)
		}
		if !strings.Contains(top, "(results/"+p.file+".md)") {
			t.Errorf("%s: no row on the first page", p.source)
		}
		top, _, _ := strings.Cut(page, "\n## ")
		if !strings.HasPrefix(page, "# "+p.title+"\n\n"+p.source+".") || strings.Count(top, "\n|") != 2+len(p.main) || strings.Count(top, "![") != 1 {
			t.Errorf("%s begins with\n%s", p.file, top)
		}
		checkLinks(t, filepath.Join(folder, "results"), page)
	}
	known, err := filepath.Glob(filepath.Join(folder, "results", "*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range known {
		name, shown := filepath.Base(path), false
		for _, p := range papers {
			shown = shown || strings.Contains(readPage(t, filepath.Join(folder, "results", p.file+".md")), "]("+name+")")
		}
		if !shown {
			t.Errorf("no page shows %s", name)
		}
	}
}

func readPage(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// checkLinks checks that the files exist to which a page in a folder has links, and the data of pictures.
func checkLinks(t *testing.T, folder, page string) {
	t.Helper()
	for _, part := range strings.Split(page, "](")[1:] {
		name, _, _ := strings.Cut(part, ")")
		name, _, _ = strings.Cut(name, "#")
		files := []string{name}
		if base, ok := strings.CutSuffix(name, ".svg"); ok {
			files = append(files, base+".csv")
		}
		for _, file := range files {
			if _, err := os.Stat(filepath.Join(folder, file)); err != nil {
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
	own := filepath.Join(dir, "docs", "results", "schinner-1999.md")
	var before [2]string
	for k := range 2 { // a second report changes nothing
		if err := report(from, to, true); err != nil {
			t.Fatal(err)
		}
		now := [2]string{readPage(t, to), readPage(t, own)}
		if k > 0 && now != before {
			t.Error("the second pages differ from the first")
		}
		before = now
	}
	for k, list := range [][]string{
		{"--size tiny", "|[Schinner 1999](results/schinner-1999.md)|The distance of two polygons takes constant time|yes|exponent ", "\n## Undecided\n\nNothing.\n"},
		{"# Polygons\n\nSchinner 1999. [All papers](../new.md)\n", "\n|A call takes constant time for polygons apart|yes|exponent ", "|S1.flat|", "![One call", "\nTables: [S1-calls](S1-calls.csv).\n"},
	} {
		for _, want := range list {
			if !strings.Contains(before[k], want) {
				t.Errorf("no %q in\n%s", want, before[k])
			}
		}
	}
	if strings.Contains(before[0], "Ogarko") {
		t.Error("the first page has a paper without results")
	}
	checkLinks(t, filepath.Dir(to), before[0])
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
