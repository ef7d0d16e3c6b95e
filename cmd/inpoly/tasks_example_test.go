package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/rays"
	"github.com/inpoly/inpoly/voxels"
)

// The functions below are the programs of the pages in docs/tasks.

func cmmPoints(ctx context.Context) error {
	part, err := inpoly.Open(ctx, "part.stl", inpoly.Options{Tolerance: 0.05})
	if err != nil {
		return err
	}
	const inch = 25.4 // mm
	machine := r3.Vector{X: 8.166723, Y: 12.449031, Z: -4.740157}.Mul(inch)
	p := r3.Vector{X: 350 - machine.Y, Y: machine.X - 200, Z: machine.Z + 120}
	deviation, triangle := part.Distance(p)
	fmt.Printf("%s: %.4f mm from triangle %d\n", part.Side(p), deviation, triangle)
	return nil
}

func cropPointCloud(ctx context.Context) error {
	hall, err := inpoly.Open(ctx, "hall.obj", inpoly.Options{})
	if err != nil {
		return err
	}
	cloud, err := points.Open("scan.las", points.Options{})
	if err != nil {
		return err
	}
	defer cloud.Close()
	inside := 0
	var block table.Block
	for {
		if err := cloud.Next(&block); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		sides := make([]inpoly.Side, len(block.Points))
		if err := hall.SidesTo(ctx, sides, block.Points); err != nil {
			return err
		}
		for _, s := range sides {
			if s.Contains() {
				inside++
			}
		}
	}
	fmt.Println(inside, "points inside")
	return nil
}

func blockModel(ctx context.Context) error {
	bodies, err := assembly.Open(ctx, []string{"north.obj", "south.obj"}, assembly.Options{})
	if err != nil {
		return err
	}
	center := r3.Vector{X: 1190, Y: 2010, Z: -105}
	if i := bodies.Body(center, assembly.First); i >= 0 {
		fmt.Println(bodies.Name(int(i)))
	}
	return nil
}

func voxelArray(ctx context.Context, file io.Writer) error {
	knot, err := inpoly.Open(ctx, "../knot.stl", inpoly.Options{})
	if err != nil {
		return err
	}
	grid, err := voxels.FitSpacing(knot.Mesh().Box(), r3.Vector{X: 0.5, Y: 0.5, Z: 0.5})
	if err != nil {
		return err
	}
	sum, err := voxels.Write(ctx, file, knot, grid, voxels.Options{})
	if err != nil {
		return err
	}
	fmt.Println(sum.Inside, "voxels inside")
	return nil
}

func drillHole(ctx context.Context) error {
	seam, err := inpoly.Open(ctx, "seam.obj", inpoly.Options{})
	if err != nil {
		return err
	}
	caster, err := rays.New(ctx, seam)
	if err != nil {
		return err
	}
	collar := r3.Vector{X: 3200, Y: 5100, Z: 500}
	hole := []r3.Vector{collar, {X: 3200, Y: 5100, Z: 350}}
	var parts rays.Intervals
	if err := rays.PolylinesTo(ctx, caster, &parts, [][]r3.Vector{hole}, 0); err != nil {
		return err
	}
	for _, p := range parts.Of(0) {
		fmt.Printf("%v %.2f m\n", p.Side, p.Length)
	}
	return nil
}

func checkMesh(ctx context.Context) error {
	part, err := inpoly.Open(ctx, "open.stl", inpoly.Options{})
	if err != nil {
		return err
	}
	for _, warning := range part.Report().Warnings() {
		fmt.Println(warning)
	}
	return nil
}

// inTasks runs a program in testdata/tasks.
func inTasks(program func(ctx context.Context) error) {
	back, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	if err := os.Chdir(filepath.Join("..", "..", "testdata", "tasks")); err != nil {
		panic(err)
	}
	defer os.Chdir(back)
	if err := program(context.Background()); err != nil {
		fmt.Println(err)
	}
}

func Example_cmmPoints() {
	inTasks(cmmPoints)
	// Output: out: 0.4000 mm from triangle 9
}

func Example_cropPointCloud() {
	inTasks(cropPointCloud)
	// Output: 106 points inside
}

func Example_blockModel() {
	inTasks(blockModel)
	// Output: south
}

func Example_voxels() {
	inTasks(func(ctx context.Context) error { return voxelArray(ctx, io.Discard) })
	// Output: 113339 voxels inside
}

func Example_drillHole() {
	inTasks(drillHole)
	// Output:
	// out 108.00 m
	// in 12.00 m
	// out 30.00 m
}

func Example_checkMesh() {
	inTasks(checkMesh)
	// Output: the mesh is not closed: 3 open edges, 1 boundary piece; under the rule nonzero, a point with the winding number W is inside if |W| > 1/2 and uncertain if |W| = 1/2
}

// The Go code of the pages in docs/tasks is the code of the functions above.
func TestTaskPrograms(t *testing.T) {
	code, err := os.ReadFile("tasks_example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "tasks", "*.md"))
	if err != nil || len(pages) < 5 {
		t.Fatalf("pages %v, error %v", pages, err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		_, block, found := strings.Cut(string(text), "\n```go\n")
		block, _, _ = strings.Cut(block, "\n```\n")
		if !found {
			t.Errorf("%s has no Go code", page)
			continue
		}
		var indented strings.Builder
		for line := range strings.Lines(block + "\n") {
			indented.WriteString("\t" + line)
		}
		if !strings.Contains(string(code), indented.String()) {
			t.Errorf("the code of %s differs from tasks_example_test.go", page)
		}
	}
}
