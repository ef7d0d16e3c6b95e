package npy_test

import (
	"bytes"
	"fmt"

	"github.com/inpoly/inpoly/points/internal/npy"
	"github.com/inpoly/inpoly/points/internal/text"
	"github.com/inpoly/inpoly/points/table"
)

// The example converts text to an array and reads the array.
func ExampleConvert() {
	var out bytes.Buffer
	src, err := text.New("in.csv", bytes.NewReader([]byte("1,2,3\n4,5,6\n")), nil, -1, text.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	sink, err := npy.Convert(src, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var b table.Block
	err = sink.Begin(&out, src.Rows())
	for err == nil {
		if err = src.Fill(&b); err == nil {
			err = src.Parse(&b)
		}
		if err == nil {
			err = sink.Format(&b)
		}
		if err == nil {
			err = sink.Write(&out, &b)
		}
	}
	// The number of rows was unknown, so the final header replaces the first one.
	copy(out.Bytes(), sink.(table.HeaderPatcher).FinalHeader())
	array, again := npy.New("out.npy", &out, nil, -1, npy.Options{})
	fmt.Println(err, again)
	fmt.Println(array, array.Rows())
	// Output:
	// EOF <nil>
	// npy, <f8, x y z in columns 1 2 3 2
}
