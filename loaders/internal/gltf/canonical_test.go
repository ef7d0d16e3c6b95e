package gltf

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// TestNames checks which names become underscores.
func TestNames(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"mode":1,"MODE":2}`, `{"mode":1,"____":2}`},
		{`{"TRANSLATION":1}`, `{"___________":1}`},
		{`{"attributes":{"TRANSLATION":1.0,"SCALE":2},"SCALE":3}`, `{"attributes":{"TRANSLATION":1,"SCALE":2},"_____":3}`},
		{`{"attributes" : {"SCALE":{"SCALE":1},"SCALE":1}}`, `{"attributes" : {"SCALE":{"_____":1},"_____":1}}`},
		{`{"\u0061ttributes":{"SCALE":1}}`, `{"\u0061ttributes":{"SCALE":1}}`},
		{`{"attributes":[{"SCALE":1}]}`, `{"attributes":[{"_____":1}]}`},
		{`{"Attributes":{"SCALE":1}}`, `{"__________":{"_____":1}}`},
		{`["attributes",{"SCALE":1}]`, `["attributes",{"_____":1}]`},
	} {
		got, err := canonicalJSON([]byte(c.in), new(soup.Budget))
		if err != nil || string(got) != c.want {
			t.Errorf("%s gives %s, %v, want %s", c.in, got, err, c.want)
		}
	}
}

func TestPlainInteger(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"4.0", "4"}, {"4e0", "4"}, {"1e2", "100"}, {"1E+2", "100"}, {"1.5e1", "15"}, {"0.04e2", "4"}, {"400e-2", "4"},
		{"-12.00", "-12"}, {"0.0", "0"}, {"-0.0", "-0"}, {"0e999999999999", "0"}, {"0e99", "0"}, {"10.0e-1", "1"},
		{"9007199254740992.0", "9007199254740992"}, {"1e15", "1000000000000000"}, {"1e16", ""},
		{"4", ""}, {"4.5", ""}, {"1e-1", ""}, {"0.5", ""}, {"1e999", ""}, {"1e-999", ""}, {"1e99999999999999999999", ""},
		{"01.0", ""}, {"1.", ""}, {".5e1", ""}, {"1e", ""}, {"-", ""}, {"-e1", ""}, {"1.0.0", ""}, {"1-2", ""}, {"--1.0", ""},
	} {
		got, ok := plainInteger(nil, []byte(c.in))
		if string(got) != c.want || ok != (c.want != "") {
			t.Errorf("%s gives %q, want %q", c.in, got, c.want)
		}
	}
}

// TestCanonicalJSON compares random documents with their canonical form. Both must have the same
// values and the same validity. originalPlace must be exact for all bytes that were not replaced.
func TestCanonicalJSON(t *testing.T) {
	piece := rapid.SampledFrom([]string{"{", "}", "[", "]", ",", ":", " ", "\n", `"a"`, `"x\"1e2"`, `"attributes":{`, `"`, `\`, "null", "1", "1e2", "4.0", "-0.0", "1e9", "1e15", "2.5", "1e", "7"})
	value := rapid.SampledFrom([]string{"1", "1e2", "4.0", "-0.0", "1e9", "2.5", "1e300", `"1e2"`, `"a\"b"`, "null", "[1.0, 3e0]", `{"q" : 5.0}`})
	rapid.Check(t, func(t *rapid.T) {
		var text string
		if rapid.Bool().Draw(t, "sound") {
			text = "[" + strings.Join(rapid.SliceOfN(value, 1, 8).Draw(t, "values"), rapid.SampledFrom([]string{",", " ,\n"}).Draw(t, "comma")) + "]"
		} else {
			text = strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		}
		canonical, err := canonicalJSON([]byte(text), new(soup.Budget))
		if err != nil {
			t.Fatal(err)
		}
		var before, after any
		errBefore, errAfter := json.Unmarshal([]byte(text), &before), json.Unmarshal(canonical, &after)
		if (errBefore == nil) != (errAfter == nil) || !reflect.DeepEqual(before, after) {
			t.Fatalf("%q became %q: %v, %v", text, canonical, errBefore, errAfter)
		}
		last := 0
		for i, c := range canonical {
			at := originalPlace([]byte(text), i)
			if at < last || at >= len(text) || text[at] != c && !isNumberByte(c) {
				t.Fatalf("%q became %q: byte %d comes from %d", text, canonical, i, at)
			}
			last = at
		}
		var syntax, moved *json.SyntaxError
		if errors.As(errBefore, &syntax) {
			if !errors.As(errAfter, &moved) {
				t.Fatalf("%q became %q: error %v, was %v", text, canonical, errAfter, errBefore)
			}
			// For a byte in a replaced number, originalPlace returns the beginning of the number.
			from, to := originalPlace([]byte(text), int(max(moved.Offset-1, 0))), int(max(syntax.Offset-1, 0))
			for from < to && isNumberByte(text[from]) {
				from++
			}
			if from != to {
				t.Fatalf("%q became %q: error %v at %d, was %v at %d", text, canonical, errAfter, moved.Offset, errBefore, syntax.Offset)
			}
		}
	})
}
