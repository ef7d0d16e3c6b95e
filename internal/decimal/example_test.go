package decimal_test

import (
	"fmt"

	"github.com/inpoly/inpoly/internal/decimal"
)

func ExampleParse() {
	line := []byte("0.1;-25e-1 rest")
	x, n, _ := decimal.Parse(line)
	y, m, _ := decimal.Parse(line[n+1:])
	fmt.Println(x, y, string(line[n+1+m:]))
	// Output: 0.1 -2.5  rest
}

func ExampleParseComma() {
	x, n, ok := decimal.ParseComma([]byte("3,25;"))
	fmt.Println(x, n, ok)
	// Output: 3.25 4 true
}
