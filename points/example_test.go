package points_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// inBall is the Answer function of the examples. It decides which points are in the unit ball. A
// real program calls inpoly.Solid.SidesTo in its Answer function.
func inBall(_ context.Context, b *table.Block) error {
	for i, p := range b.Points {
		switch d := p.Norm2(); {
		case d < 1:
			b.Sides[i] = side.Inside
		case d > 1:
			b.Sides[i] = side.Outside
		default: // the point is on the sphere or is NaN
			b.Sides[i] = side.OnSurface
		}
	}
	return nil
}

// inside is the answer column in these examples.
var inside = []table.Column{{Name: "inside", Kind: table.Inside}}

// convert writes the rows of a CSV text and their answers to a file in another format.
func convert(csv, path, format string) {
	r, err := points.NewReader("points.csv", strings.NewReader(csv), points.Options{})
	if err != nil {
		log.Fatal(err)
	}
	out, err := points.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	defer out.Abort() // Abort does nothing after Commit
	job := points.Job{Columns: inside, Answer: inBall, Format: format}
	if _, err := job.Run(context.Background(), r, out); err != nil {
		log.Fatal(err)
	}
	if err := out.Commit(); err != nil {
		log.Fatal(err)
	}
}

// A Job appends the answers to the rows of a file. Comments, delimiters and decimal commas are
// copied.
func ExampleJob() {
	in := "name;x;y;z\nA;0,5;0;0\n# far away\nB;7;0;0\n"
	r, err := points.NewReader("points.csv", strings.NewReader(in), points.Options{})
	if err != nil {
		log.Fatal(err)
	}
	job := points.Job{Columns: inside, Answer: inBall}
	if _, err := job.Run(context.Background(), r, os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// name;x;y;z;inside
	// A;0,5;0;0;1
	// # far away
	// B;7;0;0;0
}

// In a PLY file, the answers become a property of the vertices. Other properties, comments and
// elements are copied.
func ExampleJob_ply() {
	in := `ply
format ascii 1.0
comment made by a scanner
element vertex 2
property float x
property float y
property float z
property uchar red
end_header
0.5 0 0 255
7 0 0 128
`
	r, err := points.NewReader("scan.ply", strings.NewReader(in), points.Options{})
	if err != nil {
		log.Fatal(err)
	}
	job := points.Job{Columns: inside, Answer: inBall}
	if _, err := job.Run(context.Background(), r, os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// ply
	// format ascii 1.0
	// comment made by a scanner
	// comment inside: 1 inside or on the surface, 0 outside, 255 uncertain
	// element vertex 2
	// property float x
	// property float y
	// property float z
	// property uchar red
	// property uchar inside
	// end_header
	// 0.5 0 0 255 1
	// 7 0 0 128 0
}

// A Job converts CSV to LAS. If a column has the name of a LAS dimension, it becomes this
// dimension. Other columns become extra bytes. Reader.Next reads the points of the LAS file.
func ExampleJob_las() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "points.las")
	convert("x,y,z,intensity\n0.5,0,0,17\n7,0.25,0,4\n", path, "las")

	r, err := points.Open(path, points.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	fmt.Println(r, "with", r.Rows(), "points")
	for _, f := range r.Fields() {
		if f.Name == "intensity" || f.Name == "inside" {
			fmt.Println(f.Name, f.Type)
		}
	}
	var b table.Block
	for err = r.Next(&b); err == nil; err = r.Next(&b) {
		for i, p := range b.Points {
			fmt.Println(b.First+int64(i), p.X, p.Y, p.Z)
		}
	}
	if !errors.Is(err, io.EOF) {
		log.Fatal(err)
	}
	// Output:
	// las with 2 points
	// intensity uint16
	// inside uint8
	// 0 0.5 0 0
	// 1 7 0.25 0
}

// A Job converts CSV to Parquet. The columns of a Parquet file have types. Another Job converts
// this file to CSV.
func ExampleJob_parquet() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "points.parquet")
	convert("name,x,y,z\nbolt,0.5,0,0\nnut,7,0.25,0\n", path, "parquet")

	r, err := points.Open(path, points.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	fmt.Println(r.Format(), "with", r.Rows(), "rows")
	for _, f := range r.Fields() {
		fmt.Println(f.Name, f.Type)
	}
	job := points.Job{Answer: inBall, Format: "csv"}
	if _, err := job.Run(context.Background(), r, os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// parquet with 2 rows
	// name text
	// x float64
	// y float64
	// z float64
	// inside bool
	// name,x,y,z,inside
	// bolt,0.5,0,0,1
	// nut,7,0.25,0,0
}

// Reader.Next reads points without a Job.
func ExampleReader_Next() {
	r, err := points.NewReader("points.xyz", strings.NewReader("1 2 3\n4 5 6\n"), points.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var b table.Block
	for r.Next(&b) == nil {
		fmt.Println(b.First, len(b.Points), b.Points[1].X)
	}
	fmt.Println(r)
	// Output:
	// 1 2 4
	// text, blank, x y z in columns 1 2 3
}

// If a run is interrupted, its output stays. The next run with the same key continues this output.
func ExampleCreateResumable() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	r, err := points.NewReader("points.csv", strings.NewReader("x,y,z\n1,2,3\n"), points.Options{})
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "out.jsonl")
	out, err := points.CreateResumable(path, "hash of the mesh, the points and the options")
	if err != nil {
		log.Fatal(err)
	}
	defer out.Abort() // if the run fails, the written rows stay
	job := points.Job{Columns: inside, Answer: inBall, Format: "jsonl"}
	sum, err := job.Run(context.Background(), r, out)
	if err == nil {
		err = out.Commit()
	}
	if err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(path)
	fmt.Print(sum.Rows, " row, ", sum.Resumed, " resumed: ", string(text), err)
	// Output:
	// 1 row, 0 resumed: {"x":1,"y":2,"z":3,"inside":false}
	// <nil>
}
