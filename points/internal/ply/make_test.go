package ply_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/ply"
)

var files = testcloud.Format[*ply.Source, ply.Options]{File: "a.ply", New: ply.New}

// column declares a property. A list also has a type for its length.
type column struct{ typ, length, name string }

func (c column) String() string {
	if c.length != "" {
		return fmt.Sprintf("property list %s %s %s", c.length, c.typ, c.name)
	}
	return fmt.Sprintf("property %s %s", c.typ, c.name)
}

// cell holds the value of a scalar property, or all values of a list.
type cell []float64

// typed returns x as a Go value of the PLY type typ.
func typed(typ string, x float64) any {
	switch typ {
	case "char", "int8":
		return int8(x)
	case "uchar", "uint8":
		return uint8(x)
	case "short", "int16":
		return int16(x)
	case "ushort", "uint16":
		return uint16(x)
	case "int", "int32":
		return int32(x)
	case "uint", "uint32":
		return uint32(x)
	case "float", "float32":
		return float32(x)
	}
	return x
}

// file describes a PLY file that the tests write without package ply.
type file struct {
	format  string
	eol     string
	comment string
	before  string // header lines for the elements before the vertices
	beforeB string
	columns []column
	rows    [][]cell
	after   string
	afterB  string
}

// order returns the byte order of a binary file, or nil for an ASCII file.
func (f *file) order() binary.ByteOrder {
	switch f.format {
	case "binary_little_endian":
		return binary.LittleEndian
	case "binary_big_endian":
		return binary.BigEndian
	}
	return nil
}

func (f *file) body() string {
	var out bytes.Buffer
	order := f.order()
	first := true
	put := func(typ string, x float64) {
		if order != nil {
			_ = binary.Write(&out, order, typed(typ, x))
			return
		}
		if !first {
			out.WriteByte(' ')
		}
		first = false
		word := fmt.Sprint(typed(typ, x))
		if strings.HasPrefix(typ, "float") {
			word = fmt.Sprint(x) // prints all digits of x
		}
		switch {
		case x != x:
			word = "nan"
		case x > math.MaxFloat64:
			word = "inf"
		}
		out.WriteString(word)
	}
	for _, row := range f.rows {
		for i, c := range f.columns {
			if c.length != "" {
				put(c.length, float64(len(row[i])))
			}
			for _, x := range row[i] {
				put(c.typ, x)
			}
		}
		if order == nil {
			out.WriteString(f.eol)
			first = true
		}
	}
	return out.String()
}

func (f *file) String() string {
	lines := []string{"ply", "format " + f.format + " 1.0", "comment " + f.comment, "obj_info made by a test"}
	if f.before != "" {
		lines = append(lines, f.before)
	}
	lines = append(lines, fmt.Sprintf("element vertex %d", len(f.rows)))
	for _, c := range f.columns {
		lines = append(lines, c.String())
	}
	if f.after != "" {
		lines = append(lines, f.after)
	}
	lines = append(lines, "end_header")
	return strings.Join(lines, f.eol) + f.eol + f.beforeB + f.body() + f.afterB
}

var formats = []string{"ascii", "binary_little_endian", "binary_big_endian"}

var scalarTypes = []string{"char", "uchar", "short", "ushort", "int", "uint", "float", "double",
	"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"}

// randomFile returns a file of n rows. The coordinates have random types and random places among
// other columns. Some of the other columns can be lists.
func randomFile(rng *rand.Rand, format string, n int, lists bool) *file {
	f := &file{format: format, eol: "\n", comment: fmt.Sprint("seed ", rng.Uint32())}
	for _, name := range []string{"x", "Y", "z"} {
		f.columns = append(f.columns, column{typ: scalarTypes[rng.IntN(len(scalarTypes))], name: name})
	}
	for i, typ := range scalarTypes {
		if rng.IntN(2) == 0 {
			f.columns = append(f.columns, column{typ: typ, name: fmt.Sprint("c", i)})
		}
	}
	for i := 0; lists && i < 2; i++ {
		f.columns = append(f.columns, column{typ: scalarTypes[rng.IntN(len(scalarTypes))], length: []string{"uchar", "int", "short"}[rng.IntN(3)], name: fmt.Sprint("l", i)})
	}
	rng.Shuffle(len(f.columns), func(i, j int) { f.columns[i], f.columns[j] = f.columns[j], f.columns[i] })
	for range n {
		var row []cell
		for _, c := range f.columns {
			m := 1
			if c.length != "" {
				m = rng.IntN(5)
			}
			var v cell
			for range m {
				v = append(v, randomValue(rng, c.typ))
			}
			row = append(row, v)
		}
		f.rows = append(f.rows, row)
	}
	return f
}

// randomValue returns a value that the given type can represent.
func randomValue(rng *rand.Rand, typ string) float64 {
	switch typed(typ, 0).(type) {
	case float32:
		if rng.IntN(20) == 0 {
			return math.NaN()
		}
		return float64(float32(rng.NormFloat64() * 100))
	case float64:
		if rng.IntN(20) == 0 {
			return math.Inf(1)
		}
		return rng.NormFloat64() * 1e6
	case int8:
		return float64(int8(rng.Uint32()))
	case uint8:
		return float64(uint8(rng.Uint32()))
	case int16:
		return float64(int16(rng.Uint32()))
	case uint16:
		return float64(uint16(rng.Uint32()))
	case int32:
		return float64(int32(rng.Uint32()))
	}
	return float64(rng.Uint32())
}

// answerColumns has the properties that store the columns testcloud.AllColumns.
var answerColumns = []column{{typ: "uchar", name: "inside"}, {typ: "uchar", name: "state"}, {typ: "double", name: "winding"},
	{typ: "double", name: "winding_bound"}, {typ: "int", name: "nearest"}, {typ: "int", name: "body"}}

// answerCells returns the expected answers for row k.
func answerCells(k int64) []cell {
	inside := []float64{255, 0, 1, 1}[k%4] // codes for unknown, outside, on the surface and inside
	state := []float64{255, 0, 2, 1}[k%4]
	w, bound := testcloud.Numbers(k)
	return []cell{{inside}, {state}, {w}, {bound}, {float64(k - 3)}, {float64(k%3 - 1)}}
}

func afterHeader(s, eol string) string {
	_, body, _ := strings.Cut(s, "end_header"+eol)
	return body
}
