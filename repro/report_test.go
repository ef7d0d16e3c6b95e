package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// docs/results.md must have a section with marks for every experiment.
func TestDocumentHasPlaces(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "docs", "results.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range experiments {
		if _, err := replaced(string(data), e.Name, ""); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		if !strings.Contains(string(data), "\n## "+e.Name+"\n") {
			t.Errorf("no section %s", e.Name)
		}
	}
}

func TestReport(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "results"), filepath.Join(dir, "docs", "results.md")
	e, err := find("s1")
	if err != nil {
		t.Fatal(err)
	}
	r := &Run{Size: Tiny, Threads: 1}
	res, err := e.Run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(filepath.Join(from, e.Name), e, r, res, time.Second); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	text := "before\n<!-- summary -->\n<!-- end summary -->\n## S1\n<!-- S1 -->\nstale\n<!-- end S1 -->\nafter\n"
	if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a second report changes nothing
		if err := report(from, to); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		got := string(data)
		for _, want := range []string{"before\n<!-- summary -->\n", "| [S1](#s1) | ", "![One call", "\n<!-- end S1 -->\nafter\n"} {
			if strings.Count(got, want) == 0 {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
		if strings.Contains(got, "stale") {
			t.Error("the old page is still there")
		}
		if strings.Count(got, "![One call") != 1 {
			t.Error("the page is there twice")
		}
	}
	for _, name := range []string{"S1-fig11.svg", "S1-fig11.csv"} {
		if _, err := os.Stat(filepath.Join(dir, "docs", "results", name)); err != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(to, []byte("no place\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := report(from, to); err == nil || !strings.Contains(err.Error(), "<!-- S1 -->") {
		t.Errorf("got %v, want an error that names the missing line", err)
	}
}
