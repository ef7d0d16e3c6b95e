package loaders_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

const square = `o floor
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
f 1 2 3 4
l 1 3
`

func ExampleLoad() {
	soup, info, err := loaders.Load(context.Background(), "../testdata/knot.stl", loaders.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.Format, len(soup.Faces), "triangles")
	// Output: stl 5184 triangles
}

func ExampleRead() {
	soup, info, err := loaders.Read(context.Background(), "floor.obj", strings.NewReader(square), loaders.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.Format, soup.Faces, soup.Bodies[0].Name)
	for _, note := range info.Notes {
		fmt.Println(note)
	}
	// Output:
	// obj [[0 1 2] [0 2 3]] floor
	// number of ignored line elements: 1
}

func ExampleError() {
	broken := strings.Replace(square, "f 1 2 3 4", "f 1 2 3 5", 1)
	_, _, err := loaders.Read(context.Background(), "floor.obj", strings.NewReader(broken), loaders.Options{})
	var place *loaders.Error
	if errors.As(err, &place) && errors.Is(err, loaders.ErrIndexRange) {
		fmt.Println("line", place.Line)
	}
	fmt.Println(err)
	// Output:
	// line 6
	// floor.obj: line 6: index out of range: a face refers to vertex 5, but the file has 4
}

func ExampleWritePLY() {
	soup, _, err := loaders.Read(context.Background(), "floor.obj", strings.NewReader(square), loaders.Options{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := mesh.New(context.Background(), *soup, mesh.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := loaders.WritePLY(&file, m); err != nil {
		log.Fatal(err)
	}
	header, _, _ := strings.Cut(file.String(), "end_header")
	fmt.Print(header)
	// Output:
	// ply
	// format binary_little_endian 1.0
	// element vertex 4
	// property float x
	// property float y
	// property float z
	// element face 2
	// property list uchar int vertex_indices
}
