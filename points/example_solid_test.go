package points_test

import (
	"context"
	"log"
	"os"
	"path/filepath"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

// tetrahedron is the mesh of ExampleJob_solid as an OBJ file.
const tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

// A Job locates the points of a file in a mesh. It writes the sides, winding numbers and distances
// to a Parquet file.
func ExampleJob_solid() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	mesh, csv, out := filepath.Join(dir, "mesh.obj"), filepath.Join(dir, "points.csv"), filepath.Join(dir, "out.parquet")
	for path, text := range map[string]string{mesh: tetrahedron, csv: "x,y,z\n0.25,0.25,0.25\n2,0,0\n0,0,0\n,1,1\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
	if err := locate(context.Background(), mesh, csv, out); err != nil {
		log.Fatal(err)
	}

	// Print the Parquet file as CSV.
	in, err := points.Open(out, points.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	job := points.Job{Answer: func(context.Context, *table.Block) error { return nil }, Format: "csv"}
	if _, err := job.Run(context.Background(), in, os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// x,y,z,inside,winding,distance
	// 0.25,0.25,0.25,1,1,-0.14433756729740646
	// 2,0,0,0,0,1
	// 0,0,0,1,0.125,0
	// ,1,1,,,
}

// locate finds the points of a file that are inside a mesh, and writes them to a Parquet file.
func locate(ctx context.Context, mesh, in, path string) error {
	r, err := points.Open(in, points.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	// The number of points helps to choose a method. It is −1 if it is unknown, as in a CSV file.
	solid, err := inpoly.Open(ctx, mesh, inpoly.Options{ExpectedPoints: max(r.Rows(), 0)})
	if err != nil {
		return err
	}
	job := points.Job{
		Columns: []table.Column{
			{Name: "inside", Kind: table.Inside},
			{Name: "winding", Kind: table.Number}, // Block.Numbers[0]
			{Name: "distance", Kind: table.Number},
		},
		Format: "parquet",
		Answer: func(ctx context.Context, b *table.Block) error {
			n := len(b.Points)
			a := inpoly.Answers{Distance: b.Numbers[1], Face: make([]int32, n)}
			a.Sides, a.Winding, a.Bound = b.Sides, b.Numbers[0], make([]float64, n)
			_, err := solid.LocateTo(ctx, a, b.Points)
			return err
		},
	}
	out, err := points.Create(path)
	if err != nil {
		return err
	}
	defer out.Abort() // Abort does nothing after Commit
	if _, err := job.Run(ctx, r, out); err != nil {
		return err
	}
	return out.Commit()
}
