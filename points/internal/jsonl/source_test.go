package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/text"
	"github.com/inpoly/inpoly/points/table"
)

var files = testcloud.Format[*Source, Options]{File: "in", New: New}

// TestPassthrough checks the output of Passthrough for lines of many kinds, read in blocks of
// different sizes.
func TestPassthrough(t *testing.T) {
	answers := []table.Column{{Name: "state", Kind: table.State}, {Name: "w", Kind: table.Number}}
	for _, c := range []struct{ name, in, want string }{
		{"plain", "{\"x\":1,\"y\":2,\"z\":3}\n", "{\"x\":1,\"y\":2,\"z\":3,\"state\":\"in\",\"w\":1}\n"},
		{"no line end", `{"x":-1,"y":2,"z":3}`, `{"x":-1,"y":2,"z":3,"state":"out","w":-1}`},
		{"blanks", "\n{ \"x\" : 1 , \"y\":2,\"z\":3.50 }\r\n \t\r\n", "\n{ \"x\" : 1 , \"y\":2,\"z\":3.50,\"state\":\"in\",\"w\":1 }\r\n \t\r\n"},
		{"byte order mark", "\xef\xbb\xbf{\"x\":0,\"y\":2,\"z\":3}\n", "\xef\xbb\xbf{\"x\":0,\"y\":2,\"z\":3,\"state\":\"on\",\"w\":0}\n"},
		{"empty object", "{\"x\":1,\"y\":2,\"z\":3}\n{ }\n", "{\"x\":1,\"y\":2,\"z\":3,\"state\":\"in\",\"w\":1}\n{\"state\":\"uncertain\",\"w\":null }\n"},
		{"nested", `{"p":{"x":2,"y":[1,{"a":"}"}],"n":{}},"x":1,"y":1,"z":1}`, `{"p":{"x":2,"y":[1,{"a":"}"}],"n":{}},"x":1,"y":1,"z":1,"state":"in","w":1}`},
		{"missing", "{\"x\":1,\"y\":2,\"z\":3}\n{\"x\":null,\"y\":2}\n", "{\"x\":1,\"y\":2,\"z\":3,\"state\":\"in\",\"w\":1}\n{\"x\":null,\"y\":2,\"state\":\"uncertain\",\"w\":null}\n"},
		{"words of Python", `{"x":NaN,"y":-Infinity,"z":3}`, `{"x":NaN,"y":-Infinity,"z":3,"state":"uncertain","w":null}`},
		{"repeated name", `{"x":1,"y":2,"z":3,"w":"é\u00e9\ud83d\ude00","state":{"w":1}}`, `{"x":1,"y":2,"z":3,"w":"é\u00e9\ud83d\ude00","state":{"w":1},"state_2":"in","w_2":1}`},
		{"digits", `{"x":1.0000000000000000000000001,"y":2e0,"z":3,"id":12345678901234567890}`, `{"x":1.0000000000000000000000001,"y":2e0,"z":3,"id":12345678901234567890,"state":"in","w":1}`},
	} {
		for _, block := range []int{0, 1, 7, 30} {
			got, _, err := files.Run([]byte(c.in), Options{Block: block}, answers)
			if err != nil || got != c.want {
				t.Errorf("%s, block %d:\ngot  %q, %v\nwant %q", c.name, block, got, err, c.want)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	long := strings.Repeat("{\"x\":1,\"y\":2,\"z\":3}\n", 70_000)
	for _, c := range []struct{ name, in, want string }{
		{"pretty", "{\n  \"x\": 1\n}\n", "in: line 1: the object does not end in this line: JSON Lines have one object in each line"},
		{"cut off", "{\"x\":1,\"y\":2,\"z\":3}\n{\"x\":1,\"y\":", "in: line 2: the object does not end in this line"},
		{"list", "{\"x\":1,\"y\":2,\"z\":3}\n[1,2,3]\n", `in: line 2: byte 1 of the line: expected an object, found "[1,2,3]"`},
		{"two objects", `{"x":1,"y":2,"z":3} {}`, `in: line 1: byte 21 of the line: expected the end of the line after the object, found "{}"`},
		{"text", "{\"x\":1,\"y\":2,\"z\":3}\n{\"x\":1,\"y\":\"2\",\"z\":3}\n", `in: the columns of x, y and z are not clear: column "y", which is of the type text, cannot be a coordinate`},
		{"text, far", long + "{\"x\":1,\"y\":\"2\",\"z\":3}\n", `in: line 70001: "y": expected a number, found "\"2\""`},
		{"far", long + "{\"x\":true,\"y\":2,\"z\":3}\n", `in: line 70001: "x": expected a number, found "true"`},
		{"twice", "{\"x\":1,\"y\":2,\"z\":3}\n{\"x\":1,\"y\":2,\"z\":3,\"x\":1}\n", `in: line 2: the key "x" occurs twice`},
		{"object twice", `{"p":{"x":1,"y":2},"p":{"z":3}}`, `in: line 1: the key "p" occurs twice`},
		{"object and null", "{\"p\":{\"x\":1,\"y\":2,\"z\":3}}\n{\"p\":{\"x\":1,\"y\":2,\"z\":3},\"p\":null}", `in: line 2: the key "p" occurs twice`},
		{"nested object twice", `{"p":{"x":1,"y":2,"z":3,"b":{"u":2},"b":{"v":3}}}`, `in: line 1: the key "p.b" occurs twice`},
		{"no comma", `{"x":1 "y":2}`, `in: line 1: byte 8 of the line: expected a comma or a brace, found "\"y\":2}"`},
		{"last comma", `{"x":1,}`, `expected a key in quotes, found "}"`},
		{"no colon", `{"x" 1}`, `expected a colon, found "1}"`},
		{"leading zero", `{"x":01}`, `expected a value, found "01}"`},
		{"escape", `{"x":"\q"}`, `expected an escape of JSON, found "\\q\"}"`},
		{"control", "{\"x\":\"\t\"}", "byte 7 of the line: a control character in a string must be escaped"},
		{"deep", `{"x":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + "}", "nested more than 100 levels"},
		{"no z", `{"x":1,"y":2,"zz":"a"}`, "in: the columns of x, y and z are not clear: there is x and y but no column for z: the columns are x, y, zz"},
		{"text of z", `{"x":1,"y":2,"z":"a"}`, `column "z", which is of the type text, cannot be a coordinate`},
		{"lists", `{"x":[1],"y":2,"z":3}`, `column "x", which is a list, cannot be a coordinate`},
		{"no numbers", `{"type":"FeatureCollection"}`, "0 columns of numbers, but their names do not say"},
		{"late name of an answer", strings.Repeat("{\"x\":1,\"y\":2,\"z\":3}\n", 200) + `{"x":1,"y":2,"z":3,"inside":5}`, `in: line 201: the row has the key "inside", which the first rows of the file lack, and which is the key of an answer`},
	} {
		_, _, err := files.Run([]byte(c.in), Options{}, []table.Column{{Name: "inside", Kind: table.Inside}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// TestSourceValues reads the values of all types.
func TestSourceValues(t *testing.T) {
	const in = `{"x":1,"y":2,"z":3,"a":{"b":1.50,"c":true},"big":9007199254740993,"mix":"s","s":"q\"\n","l":[1]}
{"x":4,"y":5,"z":6,"a":{"b":null},"big":-9223372036854775808,"mix":7,"a.b":3}
`
	src, err := files.Open(in, true, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b table.Block
	if err := src.Fill(&b); err != nil {
		t.Fatal(err)
	}
	if err := src.Parse(&b); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, f := range src.Fields() {
		var v table.Values
		if f.Opaque != "" {
			if err := src.Values(&b, i, &v); !errors.Is(err, table.ErrCannotHold) {
				t.Errorf("%s: %v", f.Name, err)
			}
			got = append(got, f.Name+" "+f.Opaque)
			continue
		}
		if err := src.Values(&b, i, &v); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %v %v %v %q %v", f.Name, v.Type, v.Floats, v.Ints, v.Texts, v.Missing))
	}
	want := []string{
		`x float64 [1 4] [] ["1" "4"] []`, `y float64 [2 5] [] ["2" "5"] []`, `z float64 [3 6] [] ["3" "6"] []`,
		`a.b float64 [1.5 NaN] [] ["1.50" ""] [false true]`, `a.c bool [] [1 0] ["1" ""] [false true]`,
		`big int64 [] [9007199254740993 -9223372036854775808] ["9007199254740993" "-9223372036854775808"] []`,
		`mix text [] [] ["s" "7"] []`, `s text [] [] ["q\"\n" ""] [false true]`, `l a list`,
		`a.b_2 float64 [NaN 3] [] ["" "3"] [true false]`,
	}
	if len(got) != len(want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got  %s\nwant %s", got[i], want[i])
		}
	}
}

// TestLateValues checks values that differ from the first rows. A conversion to text keeps them, and
// a conversion to numbers fails.
func TestLateValues(t *testing.T) {
	head := strings.Repeat(`{"x":1,"y":2,"z":3,"f":0.5,"i":9007199254740993,"b":true}`+"\n", 200)
	for _, c := range []struct{ row, strict, texts string }{
		{`{"x":9007199254740993,"y":2,"z":3,"f":7,"i":5,"b":false}`, "", "9007199254740993,2,3,7,5,0"},
		{`{"x":1,"y":2,"z":3,"f":9007199254740993}`, `"f": "9007199254740993" would be rounded by float64`, "1,2,3,9007199254740993,,"},
		{`{"x":1,"y":2,"z":3,"f":"a"}`, `"f": "\"a\"" is not a number`, "1,2,3,a,,"},
		{`{"x":1,"y":2,"z":3,"i":1.5}`, `"i": "1.5" is not an integer of 64 bits`, "1,2,3,,1.5,"},
		{`{"x":1,"y":2,"z":3,"i":18446744073709551615}`, "is not an integer of 64 bits", "1,2,3,,18446744073709551615,"},
		{`{"x":1,"y":2,"z":3,"b":1}`, `"b": "1" is not a truth value`, "1,2,3,,,1"},
		{`{"x":1,"y":2,"z":3,"new":1}`, "the row has keys that the first rows of the file lack", ""},
		{`{"x":1,"y":2,"z":3,"f":{"new":1}}`, `"f": "{\"new\":1}" is not a number`, `1,2,3,"{""new"":1}",,`},
	} {
		src, err := files.Open(head+c.row+"\n", false, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b table.Block
		if err := errors.Join(src.Fill(&b), src.Parse(&b)); err != nil {
			t.Fatal(err)
		}
		err = nil
		for i := range src.Fields() {
			var v table.Values
			err = errors.Join(err, src.Values(&b, i, &v))
		}
		if fmt.Sprint(err) != "<nil>" != (c.strict != "") || err != nil && (!strings.Contains(err.Error(), "in: line 201: ") || !strings.Contains(err.Error(), c.strict)) {
			t.Errorf("%s: %v, want %q", c.row, err, c.strict)
		}
		out, _, err := files.Stream([]byte(head+c.row), Options{}, nil, func(s *Source) (table.Sink, error) { return text.Convert(s, nil) })
		if c.texts == "" {
			if !errors.Is(err, table.ErrCannotHold) {
				t.Errorf("%s: %v", c.row, err)
			}
			continue
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if err != nil || lines[len(lines)-1] != c.texts {
			t.Errorf("%s: got %q, %v, want %q", c.row, lines[len(lines)-1], err, c.texts)
		}
	}
}

// TestParts checks that adjacent shards and ranges of bytes have each row once, with the line numbers
// of the whole file, and that an output can be resumed after any block.
func TestParts(t *testing.T) {
	var in strings.Builder
	for k := range 100 {
		fmt.Fprintf(&in, "{\"x\":%d,\"y\":2,\"z\":3}\n%s", k-50, strings.Repeat("\n", k%3))
	}
	cols := []table.Column{{Name: "n", Kind: table.Integer}, {Name: "inside", Kind: table.Inside}}
	run := func(opt Options) string {
		src, err := files.Open(in.String(), false, opt)
		if err != nil {
			t.Fatal(err)
		}
		out, _, err := testcloud.Pump(src, cols[1:], func(s *Source) (table.Sink, error) { return s.Passthrough(cols[1:]) })
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	want := run(Options{})
	for _, n := range []int{1, 2, 3, 7, 150} {
		var shards, ranges string
		for k := range n {
			shards += run(Options{Shard: k + 1, Shards: n, Block: 50})
			lo := int64(in.Len() * k / n)
			if hi := int64(in.Len() * (k + 1) / n); hi > lo {
				ranges += run(Options{Bytes: [2]int64{lo, hi}, Block: 1})
			}
		}
		if shards != want || ranges != want {
			t.Errorf("%d parts: %d and %d bytes, want %d", n, len(shards), len(ranges), len(want))
		}
	}
	for _, stream := range []bool{false, true} {
		src, err := files.Open(in.String(), stream, Options{Block: 100})
		if err != nil {
			t.Fatal(err)
		}
		var b table.Block
		for err = src.Fill(&b); err == nil; err = src.Fill(&b) {
			next, err := files.Open(in.String(), stream, Options{Block: 100})
			if err != nil {
				t.Fatal(err)
			}
			if err := next.SeekTo(b.Next); err != nil {
				t.Fatal(err)
			}
			var c table.Block
			if err := next.Fill(&c); errors.Is(err, io.EOF) {
				break
			} else if err := errors.Join(err, next.Parse(&c)); err != nil {
				t.Fatal(err)
			}
			if len(c.Points) > 0 {
				line := next.Line(&c, 0)
				if text := strings.Split(in.String(), "\n")[line-1]; !strings.HasPrefix(text, fmt.Sprintf(`{"x":%g,`, c.Points[0].X)) {
					t.Errorf("line %d is %q, not %v", line, text, c.Points[0])
				}
			}
		}
	}
	src, err := files.Open(in.String(), true, Options{})
	if err == nil {
		err = src.SeekTo(table.Position{Offset: 1 << 20})
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a position after the end: %v", err)
	}
	for _, opt := range []Options{{Shard: 3, Shards: 2}, {Shard: 1, Shards: 2, Bytes: [2]int64{1, 2}}} {
		if _, err := files.Open(in.String(), false, opt); err == nil {
			t.Errorf("%+v: no error", opt)
		}
	}
	if _, err := files.Open(in.String(), true, Options{Shard: 1, Shards: 2}); err == nil {
		t.Error("a shard of a stream: no error")
	}
}

// TestWideRows reads rows that lack thousands of fields. The memory for their cells must be bounded.
func TestWideRows(t *testing.T) {
	var in strings.Builder
	in.WriteString(`{"x":1,"y":2,"z":3`)
	for k := range 20_000 {
		fmt.Fprintf(&in, `,"k%d":%d`, k, k)
	}
	in.WriteString("}\n" + strings.Repeat("{}\n", 1000))
	src, err := files.Open(in.String(), false, Options{Columns: [3]string{"x", "y", "z"}})
	if err != nil {
		t.Fatal(err)
	}
	var b table.Block
	rows := 0
	for err = src.Fill(&b); err == nil; err = src.Fill(&b) {
		if err := src.Parse(&b); err != nil {
			t.Fatal(err)
		}
		if n := len(rowsOf(&b).cells); n > maxCells {
			t.Fatalf("%d cells", n)
		}
		rows += len(b.Points)
	}
	if rows != 1001 {
		t.Errorf("%d rows", rows)
	}
}

// FuzzSource compares the lines of a file with encoding/json. The output must be valid, with the same
// values and the answers.
func FuzzSource(f *testing.F) {
	f.Add([]byte("{\"x\":1,\"y\":2,\"z\":3,\"a\":{\"b\":[1,\"\\u00e4\\ud83d\\ude00\"]}}\n{}\n"), 5)
	f.Add([]byte(" {\"x\":1e5,\"y\":-0.5,\"z\":null}\r\n"), 0)
	f.Fuzz(func(t *testing.T, in []byte, block int) {
		opt := Options{Block: min(block, 1000)}
		pts, err := files.Points(in, opt)
		if err != nil || bytes.Contains(in, []byte("NaN")) || bytes.Contains(in, []byte("Infinity")) {
			return
		}
		src, err := files.Open(string(in), false, opt)
		if err != nil {
			t.Fatal(err)
		}
		var names [3]string
		for a, k := range src.Axes() {
			names[a] = src.Fields()[k].Name
		}
		out, _, err := files.Run(in, opt, []table.Column{{Name: "inside", Kind: table.Inside}})
		if err != nil {
			return
		}
		was, is := lines(in), lines([]byte(out))
		if len(was) != len(is) || len(was) != len(pts) {
			t.Fatalf("%q: %d lines and %d points become %d lines", in, len(was), len(pts), len(is))
		}
		for k := range was {
			var before, after map[string]any
			if err := json.Unmarshal(was[k], &before); err != nil {
				var number *json.UnmarshalTypeError // a number exceeds float64
				if !errors.As(err, &number) {
					t.Fatalf("%q is accepted, but %v", was[k], err)
				}
				continue
			}
			if err := json.Unmarshal(is[k], &after); err != nil {
				t.Fatalf("%q becomes %q: %v", was[k], is[k], err)
			}
			for key := range after {
				if _, ok := before[key]; !ok && !strings.HasPrefix(key, "inside") {
					t.Fatalf("%q becomes %q with the key %q", was[k], is[k], key)
				}
			}
			if len(after) != len(before)+1 {
				t.Fatalf("%q becomes %q", was[k], is[k])
			}
			p := [3]float64{pts[k].X, pts[k].Y, pts[k].Z}
			for a, name := range names {
				if x, ok := before[name].(float64); ok && x != p[a] && !strings.Contains(name, ".") {
					t.Fatalf("%q: %s is %v, want %v", was[k], name, p[a], x)
				}
			}
		}
	})
}

// lines returns the lines of a text that are not blank.
func lines(in []byte) (list [][]byte) {
	for line := range bytes.Lines(bytes.TrimPrefix(in, bom)) {
		if line = bytes.Trim(line, " \t\r\n"); len(line) > 0 {
			list = append(list, line)
		}
	}
	return list
}

// TestCoordinates compares coordinates with strconv.
func TestCoordinates(t *testing.T) {
	for _, s := range []string{"0.1", "-1e-320", "1e400", "123456789012345678901234567890", "0.000000000000000000000000000001e30", "9007199254740993"} {
		pts, err := files.Points([]byte(`{"x":`+s+`,"y":1,"z":NaN}`), Options{})
		want, _ := strconv.ParseFloat(s, 64)
		if err != nil || len(pts) != 1 || pts[0].X != want || !math.IsNaN(pts[0].Z) || pts[0].Y != 1 {
			t.Errorf("%s: %v, %v", s, pts, err)
		}
	}
	pts, err := files.Points([]byte("{\"at\":{\"x\":1,\"y\":2,\"z\":3},\"id\":5}\n{\"at\":null}\n"), Options{})
	if err != nil || len(pts) != 2 || pts[0] != (r3.Vector{X: 1, Y: 2, Z: 3}) || !math.IsNaN(pts[1].X) {
		t.Errorf("nested: %v, %v", pts, err)
	}
}

func BenchmarkPassthrough(b *testing.B) {
	var in strings.Builder
	const n = 20_000
	for k := range n {
		fmt.Fprintf(&in, "{\"id\": %d, \"x\": %g, \"y\": %g, \"z\": %g}\n", k, float64(k)/7, float64(k)/11, float64(k)/13)
	}
	files.BenchmarkPassthrough(b, in.String(), n)
}
