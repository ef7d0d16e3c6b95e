package jsonl_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/internal/jsonl"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// rows is a source of two rows with the columns x and name.
type rows struct{ table.Source }

func (rows) Fields() []table.Field {
	return []table.Field{{Name: "x", Type: table.Float64}, {Name: "name"}}
}

func (rows) Axes() [3]int { return [3]int{} }

func (rows) Values(_ *table.Block, field int, v *table.Values) error {
	v.Reset(rows{}.Fields()[field].Type)
	if field == 0 {
		v.Floats = append(v.Floats, 1.5, 2)
		return nil
	}
	for _, s := range strings.Fields("bolt nut") {
		v.Texts = append(v.Texts, []byte(s))
	}
	return nil
}

func ExampleConvert() {
	cols := []table.Column{{Name: "inside", Kind: table.Inside}}
	sink, err := jsonl.Convert(rows{}, cols)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := &table.Block{}
	b.Start()
	for i := range int64(2) {
		b.Add(r3.Vector{}, i)
	}
	b.Resize(cols)
	b.Sides[0] = side.Inside
	if err := sink.Format(b); err != nil {
		fmt.Println(err)
		return
	}
	if err := sink.Write(os.Stdout, b); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"x":1.5,"name":"bolt","inside":true}
	// {"x":2,"name":"nut","inside":null}
}
