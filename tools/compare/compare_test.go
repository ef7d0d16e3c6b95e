package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestCompareCells(t *testing.T) {
	for _, c := range []struct {
		name, a, b    string
		cells, differ int64
	}{
		{"equal", "a,b\n1,2\n", "a,b\n1,2\n", 4, 0},
		{"one cell", "a,b\n1,2\n", "a,b\n1,3\n", 4, 1},
		{"one digit", "0.1\n0.2\n", "0.1\n0.20\n", 2, 1},
		{"a missing row", "a,b\n1,2\n", "a,b\n", 4, 4},
		{"separators", "a,b\n", "a\nb\n", 2, 1},
		{"nothing", "", "", 0, 0},
	} {
		cells, differ, first := compareCells([]byte(c.a), []byte(c.b))
		if cells != c.cells || differ != c.differ {
			t.Errorf("%s: %d cells, %d differ (%s); want %d, %d", c.name, cells, differ, first, c.cells, c.differ)
		}
	}
}

func TestAgree(t *testing.T) {
	const old = "id,winding,bound,face\n1,0.5,1e-6,3\n2,1,0,\n"
	for _, c := range []struct {
		name, next string
		want       bool
	}{
		{"equal", old, true},
		{"within the bounds", "id,winding,bound,face\n1,0.5000015,1e-6,3\n2,1,1e-9,\n", true},
		{"beyond the bounds", "id,winding,bound,face\n1,0.500003,1e-6,3\n2,1,0,\n", false},
		{"a large bound", "id,winding,bound,face\n1,0.5,0.5,3\n2,1,0,\n", false},
		{"no bound", "id,winding,bound,face\n1,0.5,inf,3\n2,1,0,\n", false},
		{"no number", "id,winding,bound,face\n1,nan,1e-6,3\n2,1,0,\n", false},
		{"another column", "id,winding,bound,face\n1,0.5,1e-6,4\n2,1,0,\n", false},
		{"another header", "id,winding,bound,body\n1,0.5,1e-6,3\n2,1,0,\n", false},
		{"a missing row", "id,winding,bound,face\n1,0.5,1e-6,3\n", false},
	} {
		if got := agree([]byte(old), []byte(c.next), maxBound); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if !agree([]byte("winding\n0.5\n"), []byte("winding\n0.500001\n"), maxBound) || agree([]byte("winding\n0.5\n"), []byte("winding\n0.50001\n"), maxBound) {
		t.Error("without a column of bounds, the limit is not used")
	}
	if agree([]byte("winding,bound\n0.5,1e-6\n"), []byte("winding,bound\n0.5,2e-6\n"), 0) {
		t.Error("a bound has increased")
	}
	if agree([]byte("side\n1\n"), []byte("side\n0\n"), maxBound) {
		t.Error("sides agree within bounds")
	}
}

// In this test, the programs are shell scripts that print their arguments.
func TestRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	knot, err := filepath.Abs("../../testdata/knot.stl")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(knot)
	if err != nil {
		t.Fatal(err)
	}
	write("knot.stl", string(data))
	write("broken.stl", "no mesh")
	write("MANIFEST.tsv", "path\nknot.stl\nbroken.stl\n")
	old := write("old", "#!/bin/sh\necho $@\n")
	for _, c := range []struct {
		name, script, intended string
		ok                     bool
	}{
		{"the same", "echo $@", "", true},
		{"another output", "echo $@ | sed 's/cells/c/'", "", false},
		{"another output, intended", "echo $@ | sed 's/cells/c/'", "cells.*standard output\tshorter", true},
		{"another exit code", "echo $@; exit 1", "", false},
		{"another file", "echo $@; echo > more.csv", "", false},
	} {
		var out strings.Builder
		args := []string{"-corpus", dir, "-old", old, "-new", write("new", "#!/bin/sh\n"+c.script+"\n"), "-intended", write("intended", c.intended)}
		if err := run(t.Context(), args, &out); (err == nil) != c.ok {
			t.Errorf("%s: %v\n%.2000s", c.name, err, out.String())
		}
	}
}

// Each combination of method, rule and number of workers is tested with all points of a mesh.
func TestPrepare(t *testing.T) {
	u := unit{name: "knot", paths: []string{"../../testdata/knot.stl"}}
	dir := t.TempDir()
	commands, err := u.prepare(t.Context(), dir, pointCount)
	if err != nil {
		t.Fatal(err)
	}
	points, err := os.ReadFile(filepath.Join(dir, "all.csv"))
	if err != nil || strings.Count(string(points), "\n") < 2000 {
		t.Errorf("%d lines of points, %v", strings.Count(string(points), "\n"), err)
	}
	pattern := regexp.MustCompile(`knot\.stl all\.csv .* --method (\w+) --rule (\w+) --workers (\d)$`)
	found := map[string]bool{}
	for _, args := range commands {
		if m := pattern.FindStringSubmatch(strings.Join(args, " ")); m != nil {
			found[m[1]+m[2]+m[3]] = true
		}
	}
	if len(found) != 6*4*2 {
		t.Errorf("%d combinations", len(found))
	}
	for _, name := range []string{"check", "voxels", "view", "rays", "segments", "section", "measure", "blocks"} {
		if !slices.ContainsFunc(commands, func(args []string) bool { return args[0] == name }) {
			t.Errorf("no command %s", name)
		}
	}
}

// A large sample contains every smaller sample.
func TestDraw(t *testing.T) {
	var all []unit
	for i := range 100 {
		all = append(all, unit{name: fmt.Sprintf("%04d mesh", i)})
	}
	large := draw(all, 40)
	if len(large) != 40 {
		t.Fatalf("%d units", len(large))
	}
	for _, u := range draw(all, 10) {
		if !slices.ContainsFunc(large, func(v unit) bool { return v.name == u.name }) {
			t.Errorf("%s is in the sample of 10 and not in that of 40", u.name)
		}
	}
}

func TestTexts(t *testing.T) {
	in := "{\n  \"closed\": false,\n  \"warnings\": [\n    \"a \\\"b\\\", c\",\n    \"d\"\n  ],\n  \"edges\": [\n    [\n      1,\n      2\n    ]\n  ]\n}\n"
	want := strings.Replace(in, "    \"a \\\"b\\\", c\",\n    \"d\"\n", "", 1)
	if got := string(texts.ReplaceAll([]byte(in), nil)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
