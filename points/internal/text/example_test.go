package text_test

import (
	"fmt"
	"strings"

	"github.com/inpoly/inpoly/points/internal/text"
	"github.com/inpoly/inpoly/points/table"
)

// A Source reads the points and fields of a text.
func ExampleNew() {
	in := "name;x;y;z\nbolt;0,5;0;0\nnut;7;NA;1\n"
	src, err := text.New("parts.csv", strings.NewReader(in), nil, -1, text.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(&src.Layout)
	var b table.Block
	var v table.Values
	for err = src.Fill(&b); err == nil; err = src.Fill(&b) {
		if err = src.Parse(&b); err != nil {
			break
		}
		fmt.Println(b.First, b.Points[0].X, b.Points[1].Y)
		for i, f := range src.Fields() {
			if err = src.Values(&b, i, &v); err != nil {
				break
			}
			fmt.Printf("%s %v %s %v\n", f.Name, f.Type, v.Texts, v.Floats)
		}
	}
	fmt.Println(err)
	// Output:
	// text, semicolon, decimal comma, header, x y z in columns 2 3 4
	// 1 0.5 NaN
	// name text [bolt nut] []
	// x float64 [0,5 7] [0.5 7]
	// y float64 [0 NA] [0 NaN]
	// z float64 [0 1] [0 1]
	// EOF
}
