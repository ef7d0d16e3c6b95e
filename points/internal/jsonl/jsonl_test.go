package jsonl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/text"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

var cols = []table.Column{
	{Name: "inside", Kind: table.Inside}, {Name: "state", Kind: table.State}, {Name: "w", Kind: table.Number},
	{Name: "n", Kind: table.Integer}, {Name: "l", Kind: table.Label, Labels: []string{"a\"b", "c"}}, {Name: "text", Kind: table.Words},
}

// answer computes answers from the row numbers.
func answer(b *table.Block) {
	for k := range b.Points {
		at := int(b.First) + k
		b.Sides[k] = side.Side(at % 4)
		b.Numbers[0][k] = []float64{1.5, math.NaN(), math.Inf(1), -1e300}[at%4]
		b.Integers[0][k] = int64(at) << 40
		b.Integers[1][k] = int64(at%3) - 1
		b.Words[0][k] = "\x00é" + strconv.Itoa(at)
	}
}

// cellJSON encodes a cell with encoding/json.
func cellJSON(t *testing.T, v *table.Values, k int) string {
	t.Helper()
	if v.Missing != nil && v.Missing[k] {
		return "null"
	}
	var x any
	switch {
	case v.Type == table.Text:
		x = string(v.Texts[k])
	case v.Type.IsFloat():
		if math.IsNaN(v.Floats[k]) || math.IsInf(v.Floats[k], 0) {
			return "null"
		}
		x = v.Floats[k]
		if v.Type == table.Float32 {
			x = float32(v.Floats[k])
		}
	case v.Type == table.Bool:
		x = v.Ints[k] != 0
	case v.Type == table.Uint64:
		x = uint64(v.Ints[k])
	default:
		x = v.Ints[k]
	}
	out, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// sameJSON compares two JSON values. It compares their texts, and if these differ, the decoded
// values.
func sameJSON(a, b string) bool {
	if a == b {
		return true
	}
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	return x == y
}

// TestConvert converts a cloud with all types. It reads the objects with encoding/json.
func TestConvert(t *testing.T) {
	for seed := range uint64(30) {
		c := testcloud.Random(seed, 200, true)
		sink, err := Convert(c, cols)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 2))
		var rows []int
		out, err := c.Stream(sink, cols, func(b *table.Block) {
			answer(b)
			drop := b.EnableDrop()
			for k := range drop {
				if drop[k] = r.IntN(3) == 0; !drop[k] {
					rows = append(rows, int(b.First)+k)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(out, []byte("\n"))
		if len(lines) != len(rows)+1 || len(lines[len(rows)]) > 0 {
			t.Fatalf("%d lines for %d rows", len(lines), len(rows))
		}
		for i, k := range rows {
			var got map[string]json.RawMessage
			if err := json.Unmarshal(lines[i], &got); err != nil || !utf8.Valid(lines[i]) {
				t.Fatalf("%s: %v", lines[i], err)
			}
			want := map[string]string{
				"inside": []string{"null", "false", "true", "true"}[k%4],
				"state":  strconv.Quote(side.Side(k % 4).String()),
				"w":      []string{"1.5", "null", "null", "-1e300"}[k%4],
				"n":      fmt.Sprint(int64(k) << 40),
				"l":      []string{"null", `"a\"b"`, `"c"`}[k%3],
				"text_2": fmt.Sprintf(`"\u0000é%d"`, k),
			}
			for j, f := range c.Columns {
				want[f.Name] = cellJSON(t, &c.Cells[j], k)
			}
			if len(got) != len(want) {
				t.Fatalf("%d keys, want %d: %s", len(got), len(want), lines[i])
			}
			for name, w := range want {
				if !sameJSON(string(got[name]), w) {
					t.Fatalf("%s is %s, want %s", name, got[name], w)
				}
			}
		}
	}
}

// TestNumbersOfTexts checks that a number from a text file keeps its digits if JSON allows them.
func TestNumbersOfTexts(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"1", "1"}, {"-0", "-0"}, {"1.50", "1.50"}, {"0.1e5", "0.1e5"}, {"1E-7", "1E-7"}, {"12345678901234567890.5", "12345678901234567890.5"},
		{"+1", "1"}, {".5", "0.5"}, {"5.", "5"}, {"007", "7"}, {"-.5", "-0.5"}, {"1e999", "null"}, {"1e-999", "0"},
		{"+9007199254740993", "9007199254740993"}, {"nan", "null"}, {"inf", "null"}, {"nan(ind)", "null"}, {"1e100", "1e+100"},
	} {
		x, _ := strconv.ParseFloat(c.in, 64)
		lost := c.in[0] == 'n'
		v := table.Values{Type: table.Float64, Floats: []float64{x}, Texts: [][]byte{[]byte(c.in)}, Missing: []bool{lost}}
		if got := string(appendCell(nil, &v, 0)); got != c.want || !json.Valid([]byte(got)) {
			t.Errorf("%s is written as %s, want %s", c.in, got, c.want)
		}
	}
}

// TestLateTexts checks that a text in a column of numbers becomes a string.
func TestLateTexts(t *testing.T) {
	const rows = 300 // more rows than the sample that decides the types in package text
	in := "id,x,y,z\n" + strings.Repeat("1,2,3,4\n", rows)
	want := strings.Repeat(`{"id":1,"x":2,"y":3,"z":4}`+"\n", rows)
	for _, c := range [][2]string{
		{"a", `"a"`}, {`"q""r"`, `"q\"r"`}, {"01234", `"01234"`}, {"-01", "-1"}, {"9007199254740993", "9007199254740993"},
		{"+9007199254740993", "9007199254740993"}, {"nan", "null"}, {"NAN(IND)", "null"}, {"NA", "null"}, {"", "null"}, {"inf", "null"},
		{strings.Repeat("9", 301), `"` + strings.Repeat("9", 301) + `"`},
	} {
		in += c[0] + ",2,3,04\n"
		want += `{"id":` + c[1] + `,"x":2,"y":3,"z":4}` + "\n"
	}
	src, err := text.New("in", strings.NewReader(in), nil, -1, text.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sink, err := Convert(src, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b table.Block
	var out bytes.Buffer
	for err = src.Fill(&b); err == nil; err = src.Fill(&b) {
		if err := src.Parse(&b); err != nil {
			t.Fatal(err)
		}
		b.Resize(nil)
		if err := sink.Format(&b); err != nil {
			t.Fatal(err)
		}
		if err := sink.Write(&out, &b); err != nil {
			t.Fatal(err)
		}
	}
	if got := out.String(); got != want {
		t.Errorf("got  …%s\nwant …%s", got[max(0, len(got)-900):], want[len(want)-900:])
	}
}

// TestStrings compares appendString with encoding/json.
func TestStrings(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	const letters = "a\"\\\n\x00\x1f\x7f\x80\xc3\xa4\xe2\x80\xa8\xf0\x9f\xff\xed\xa0/<"
	for range 20_000 {
		s := make([]byte, r.IntN(12))
		for i := range s {
			s[i] = letters[r.IntN(len(letters))]
		}
		want, err := json.Marshal(string(s))
		if err != nil {
			t.Fatal(err)
		}
		if got := appendString(nil, s); !sameJSON(string(got), string(want)) || !utf8.Valid(got) {
			t.Fatalf("%q is %s, want %s", s, got, want)
		}
	}
}

// TestNumbersAreValid checks that isNumber accepts only JSON numbers in the range of float64.
func TestNumbersAreValid(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	valid := 0
	for range 200_000 {
		s := make([]byte, 1+r.IntN(8))
		for i := range s {
			s[i] = "0123456789.eE+-"[r.IntN(15)]
		}
		if !isNumber(s) {
			continue
		}
		valid++
		if _, err := strconv.ParseFloat(string(s), 64); err != nil || !json.Valid(s) {
			t.Fatalf("%s is taken for a number: %v", s, err)
		}
	}
	if valid < 1000 {
		t.Errorf("only %d numbers", valid)
	}
	for _, n := range []int{149, 150, 151, 299, 300, 301, 400} {
		digits := bytes.Repeat([]byte("9"), n)
		for _, s := range []string{string(digits), string(digits) + "e99", string(digits) + ".5e99"} {
			if _, err := strconv.ParseFloat(s, 64); err != nil && isNumber([]byte(s)) {
				t.Errorf("%d digits: %s is beyond float64", n, s)
			}
		}
	}
}

// TestResume checks that the sink can be resumed from its empty state.
func TestResume(t *testing.T) {
	sink, err := Convert(testcloud.Random(1, 1, true), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := sink.(table.Resumer)
	if state, err := r.State(); err != nil || r.Resume(-1, state) != nil {
		t.Error(err)
	}
}

// The number of keys of the sample and the length of their names have limits.
func TestManyKeys(t *testing.T) {
	object := func(n int, nested string) string {
		var b strings.Builder
		b.WriteString(`{"x":1,"y":2,"z":3`)
		if nested != "" {
			fmt.Fprintf(&b, `,%q:{"first":0`, nested)
		}
		for i := range n {
			fmt.Fprintf(&b, `,"k%d":%d`, i, i)
		}
		if nested != "" {
			b.WriteByte('}')
		}
		return b.String() + "}\n"
	}
	for _, c := range []struct{ name, in, want string }{
		{"most keys", object(maxKeys-3, ""), ""},
		{"one more", object(maxKeys-2, ""), "in: line 1: the first rows have more than 32768 different keys"},
		{"one more in the second line", object(maxKeys-3, "") + `{"other":1}` + "\n", "in: line 2: the first rows have more than 32768 different keys"},
		{"a long key", object(1, strings.Repeat("k", 1<<20)), ""},
		{"keys below a long key", object(4, strings.Repeat("k", 1<<20)), "in: line 1: the keys of the first rows have more than 4194304 bytes, together with"},
	} {
		_, err := New("in", strings.NewReader(c.in), nil, -1, Options{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.200v, want %q", c.name, err, c.want)
		}
	}
}
