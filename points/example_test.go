package points_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// A Job appends its answers to the rows of a file.
func ExampleJob() {
	r, err := points.NewReader("points.csv", strings.NewReader("name;x;y;z\nA;0,5;0;0\n# far away\nB;7;0;0\n"), points.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	job := points.Job{
		Columns: []table.Column{{Name: "inside", Kind: table.Inside}},
		Answer: func(_ context.Context, b *table.Block) error {
			for i, p := range b.Points {
				b.Sides[i] = side.Outside
				if p.Norm() < 1 {
					b.Sides[i] = side.Inside
				}
			}
			return nil
		},
	}
	if _, err := job.Run(context.Background(), r, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// name;x;y;z;inside
	// A;0,5;0;0;1
	// # far away
	// B;7;0;0;0
}

// Next reads points alone.
func ExampleReader_Next() {
	r, err := points.NewReader("points.xyz", strings.NewReader("1 2 3\n4 5 6\n"), points.Options{})
	if err != nil {
		fmt.Println(err)
		return
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

// An output that an interrupted run leaves is gone on with by the next one.
func ExampleCreateResumable() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	r, err := points.NewReader("points.csv", strings.NewReader("x,y,z\n1,2,3\n"), points.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := points.CreateResumable(dir+"/out.jsonl", "hash of the mesh, the points and the options")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer out.Abort() // keeps what is there
	job := points.Job{
		Columns: []table.Column{{Name: "inside", Kind: table.Inside}},
		Answer:  func(context.Context, *table.Block) error { return nil },
		Format:  "jsonl",
	}
	sum, err := job.Run(context.Background(), r, out)
	if err == nil {
		err = out.Commit()
	}
	text, _ := os.ReadFile(dir + "/out.jsonl")
	fmt.Print(sum.Rows, " row, ", sum.Resumed, " before: ", string(text), err)
	// Output:
	// 1 row, 0 before: {"x":1,"y":2,"z":3,"inside":null}
	// <nil>
}
