package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// The table counts each answer of a door that differs from Go, and each answer that is missing.
func TestDoorDifferences(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("skipped: sh is missing")
	}
	dir := t.TempDir()
	table := &doorTable{bench: &bench{tmp: t.TempDir(), bin: dir, threads: 2, quick: true, ctx: t.Context()}}
	goDoor := table.peerPath("door_go")
	if out, err := exec.Command("go", "build", "-o", goDoor, "./door_go").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, change := range map[string]string{
		"door_c":      "printf '\\0' | dd of=\"$3\" bs=1 seek=7 conv=notrunc 2>/dev/null",
		"door_python": "dd if=\"$3\" of=\"$3.cut\" bs=1 count=35 2>/dev/null && mv \"$3.cut\" \"$3\"",
	} {
		script := fmt.Sprintf("#!/bin/sh\n%q \"$@\" && %s\n", goDoor, change)
		if err := os.WriteFile(table.peerPath(name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	m, err := table.doorMesh(doorMeshes[0])
	if err != nil {
		t.Fatal(err)
	}
	ply, f64 := filepath.Join(table.tmp, "a.ply"), filepath.Join(table.tmp, "a.f64")
	const n = 40
	if err := writePLY(ply, m); err != nil {
		t.Fatal(err)
	}
	if err := writePoints(f64, inBox(m, n)); err != nil {
		t.Fatal(err)
	}
	rows, sides, err := table.askDoors(doorMeshes[0], ply, f64, n)
	if err != nil {
		t.Fatal(err)
	}
	if len(sides) != n || slices.Contains(sides, 0) {
		t.Errorf("the sides from Go are %v", sides)
	}
	for i, want := range []int{0, 1, 5} {
		if got := rows[i].differ; got != want || !rows[i].measured {
			t.Errorf("%s: %d differences, expected %d", doorDrivers[i].name, got, want)
		}
	}
}

// The referee knows the sides of points of a sphere in a sphere.
func TestDoorJudgments(t *testing.T) {
	sphere := testmesh.Soup(testmesh.Sphere(2))
	m, err := mesh.New(t.Context(), testmesh.Union(sphere, testmesh.Scale(sphere, 0.5)), mesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var j judgments
	for i, c := range []struct {
		p    r3.Vector
		want byte
	}{{r3.Vector{}, 1}, {r3.Vector{X: 0.75}, 1}, {r3.Vector{X: 2}, 0}, {r3.Vector{X: 1}, 2}} {
		for range 2 { // computed, then remembered
			if got, ok := j.truth(m, c.p, i); !ok || got != c.want {
				t.Errorf("%v: %d, expected %d", c.p, got, c.want)
			}
		}
	}
	j.spent = judgePatience + 1
	if _, ok := j.truth(m, r3.Vector{Y: 3}, 9); ok {
		t.Error("a point is judged although the time is over")
	}
}
