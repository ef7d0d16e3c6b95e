package table_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

// A Source reads the fields of a block column by column.
func ExampleSource() {
	r, err := points.NewReader("parts.csv", strings.NewReader("name,x,y,z\nbolt,0.5,0,1\nnut,7,NA,1\n"), points.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var b table.Block
	if err := r.Next(&b); err != nil {
		log.Fatal(err)
	}
	src := r.Source()
	var v table.Values
	for i, f := range src.Fields() {
		if err := src.Values(&b, i, &v); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %v %s %v %v\n", f.Name, f.Type, v.Texts, v.Floats, v.Missing)
	}
	// Output:
	// name text [bolt nut] [] []
	// x float64 [0.5 7] [0.5 7] []
	// y float64 [0 NA] [0 NaN] [false true]
	// z float64 [1 1] [1 1] []
}

// If a field and two answers have the same name, the names of the answers get numbered suffixes.
func ExampleNames() {
	fields := []table.Field{{Name: "x"}, {Name: "inside"}}
	cols := []table.Column{{Name: "inside"}, {Name: "inside"}}
	fmt.Println(table.Names(fields, cols))
	// Output: [inside_2 inside_3]
}
