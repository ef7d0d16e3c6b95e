package loaders

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

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

// TestGLTFIntegers writes the integers of a document in other ways.
func TestGLTFIntegers(t *testing.T) {
	text := tetText(tetScene)
	for _, r := range [][2]string{{`"count":4`, `"count":4.0`}, {`"count":12`, `"count":1.2e1`}, {"5126", "5.126e3"}, {"5123", "5123.0"},
		{`"byteLength":48`, `"byteLength":48e0`}, {`"mesh":0`, `"mesh":0.0`}, {`"nodes":[0]`, `"nodes":[0E0]`}, {`"POSITION":0`, `"POSITION":0.0`}} {
		if !strings.Contains(text, r[0]) {
			t.Fatalf("%s is not in %s", r[0], text)
		}
		text = strings.Replace(text, r[0], r[1], 1)
	}
	acceptance{name: "gltf", file: "a.gltf", data: text, vertices: 4, triangles: 4, bodies: "node 0"}.run(t)
	// 1e9 grows by seven bytes; the fraction after it is still found where it stands.
	text = strings.Replace(tetText(tetScene), `"accessors":[`, "\"x\":[1e9,1e9],\n\"accessors\":[", 1)
	text = strings.Replace(text, `"count":4`, `"count":4.5`, 1)
	refusal{"place after a longer number", "a.gltf", text, ErrSyntax,
		fmt.Sprintf("line 2: byte %d: syntax error: accessors.count", strings.Index(text, "4.5")+2)}.run(t)
}

// TestGLTFCase has names that are right but for their letter case.
func TestGLTFCase(t *testing.T) {
	for _, c := range []struct{ name, from, to string }{
		{"mode", `"indices":1`, `"indices":1,"MODE":1`},
		{"mesh after", `{"mesh":0}`, `{"mesh":0,"Mesh":7}`},
		{"escaped", `{"mesh":0}`, `{"mesh":0,"\u004desh":7, "\u006desh" : 0}`},
		{"long s", `"scenes"`, `"ſcenes":[{"nodes":[]}],"scenes"`},
		{"before a blank", `{"mesh":0}`, "{\"mesh\":0,\"MATRIX\" \n:[1]}"},
		{"version", `"asset":{`, `"Asset":7,"asset":{"VERSION":1,`},
	} {
		text := strings.Replace(tetText(tetScene), c.from, c.to, 1)
		if text == tetText(tetScene) {
			t.Fatalf("%s is not in the document", c.from)
		}
		acceptance{name: c.name, file: "a.gltf", data: text, vertices: 4, triangles: 4, bodies: "node 0"}.run(t)
	}
	refusal{"only wrong names", "a.gltf", `{"Asset":{"version":"2.0"}}`, ErrSyntax, "/asset/version"}.run(t)
	refusal{"meshopt mark", "a.gltf", strings.Replace(meshoptText("EXT_meshopt_compression"), `"fallback"`, `"Fallback"`, 1), ErrUnsupported, "/bufferViews/0"}.run(t)
}

// TestCanonicalJSON draws documents and compares their canonical form with them: same
// values, same soundness, and each byte that was not replaced comes from its place.
func TestCanonicalJSON(t *testing.T) {
	piece := rapid.SampledFrom([]string{"{", "}", "[", "]", ",", ":", " ", "\n", `"a"`, `"x\"1e2"`, `"`, `\`, "null", "1", "1e2", "4.0", "-0.0", "1e9", "1e15", "2.5", "1e", "7"})
	value := rapid.SampledFrom([]string{"1", "1e2", "4.0", "-0.0", "1e9", "2.5", "1e300", `"1e2"`, `"a\"b"`, "null", "[1.0, 3e0]", `{"q" : 5.0}`})
	rapid.Check(t, func(t *rapid.T) {
		var text string
		if rapid.Bool().Draw(t, "sound") {
			text = "[" + strings.Join(rapid.SliceOfN(value, 1, 8).Draw(t, "values"), rapid.SampledFrom([]string{",", " ,\n"}).Draw(t, "comma")) + "]"
		} else {
			text = strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		}
		canonical, err := canonicalJSON([]byte(text), &budget{})
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
		if e, ok := errBefore.(*json.SyntaxError); ok {
			syntax = e
			moved, _ = errAfter.(*json.SyntaxError)
			if moved == nil {
				t.Fatalf("%q became %q: error %v, was %v", text, canonical, errAfter, errBefore)
			}
			// A place in a number that was replaced is told as the number's.
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
