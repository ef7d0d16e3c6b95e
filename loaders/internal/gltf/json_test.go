package gltf

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

func TestParseInteger(t *testing.T) {
	for _, c := range []struct {
		in   string
		want int
		ok   bool
	}{
		{"4.0", 4, true}, {"4e0", 4, true}, {"1e2", 100, true}, {"1E+2", 100, true}, {"1.5e1", 15, true}, {"0.04e2", 4, true}, {"400e-2", 4, true},
		{"-12.00", -12, true}, {"0.0", 0, true}, {"-0.0", 0, true}, {"0e999999999999", 0, true}, {"0e99", 0, true}, {"10.0e-1", 1, true},
		{"9007199254740992.0", 1 << 53, true}, {"1e15", 1e15, true}, {"1e16", 0, false}, {"9223372036854775807", 1<<63 - 1, true},
		{"4", 4, true}, {"4.5", 0, false}, {"1e-1", 0, false}, {"0.5", 0, false}, {"1e999", 0, false}, {"1e99999999999999999999", 0, false},
		{"-", 0, false}, {`"4"`, 0, false}, {"true", 0, false}, {"null", 0, false}, {"[4]", 0, false}, {"", 0, false},
	} {
		got, ok := parseInteger(c.in)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%s: got %d, %v, want %d, %v", c.in, got, ok, c.want, c.ok)
		}
	}
}

// TestParseIntegerRandom compares parseInteger with rational numbers.
func TestParseIntegerRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := fmt.Sprintf("%d.%de%d", rapid.IntRange(-999, 999).Draw(t, "whole"), rapid.IntRange(0, 999).Draw(t, "fraction"), rapid.IntRange(-6, 18).Draw(t, "exponent"))
		exact, _ := new(big.Rat).SetString(text)
		limit := new(big.Rat).SetInt64(1 << 53)
		want := exact.IsInt() && new(big.Rat).Abs(exact).Cmp(limit) <= 0
		got, ok := parseInteger(text)
		if ok != want || ok && new(big.Rat).SetInt64(int64(got)).Cmp(exact) != 0 {
			t.Fatalf("%s: got %d, %v, want %v", text, got, ok, want)
		}
	})
}

// TestDecode decodes objects of each kind of value, and values of other types.
func TestDecode(t *testing.T) {
	type object struct {
		Name  string               `gltf:"name"`
		Count int                  `gltf:"count,required"`
		Index *int                 `gltf:"index"`
		List  []int                `gltf:"list"`
		Fixed *[3]float64          `gltf:"fixed"`
		Map   map[string]integer   `gltf:"map"`
		Maps  []map[string]integer `gltf:"maps"`
		Inner []sparseJSON         `gltf:"inner"`
		Other extensions           `gltf:"other"`
	}
	one := 1
	for _, c := range []struct {
		text string
		want object
		err  string
	}{
		{text: `{"count":4.0,"index":1e0,"list":[1,2.0,30e-1]}`, want: object{Count: 4, Index: &one, List: []int{1, 2, 3}}},
		{text: `{"count":4,"Count":5,"COUNT":"x","name":null,"fixed":null}`, want: object{Count: 4}},
		{text: `{"c\u006funt":4,"name":"a","fixed":[1,2.5,-3e0]}`, want: object{Count: 4, Name: "a", Fixed: &[3]float64{1, 2.5, -3}}},
		{text: `{"count":4,"map":{"a":1.0,"A":2},"maps":[{"b":3}]}`, want: object{Count: 4, Map: map[string]integer{"a": 1, "A": 2}, Maps: []map[string]integer{{"b": 3}}}},
		{text: `{"count":4,"other":{"x":{"y":[1]}}}`, want: object{Count: 4, Other: extensions{"x": json.RawMessage(`{"y":[1]}`)}}},
		{text: `{"Count":4}`, err: "count is missing"},
		{text: `{"count":null}`, err: "count is missing"},
		{text: `{"count":"4"}`, err: `/count: syntax error: expected an integer, found "4"`},
		{text: `{"count":4.5}`, err: `/count: syntax error: expected an integer, found 4.5`},
		{text: `{"count":4,"name":5}`, err: "/name: syntax error: expected a value of type string, found 5"},
		{text: `{"count":4,"list":[1,null]}`, err: "/list/1: syntax error: expected an integer, found null"},
		{text: `{"count":4,"list":{}}`, err: "/list: syntax error: expected a list, found {}"},
		{text: `{"count":4,"fixed":[1,2]}`, err: "/fixed: syntax error: 2 numbers, must be 3"},
		{text: `{"count":4,"fixed":[1,2,"3"]}`, err: "/fixed: syntax error: expected a list of numbers"},
		{text: `{"count":4,"map":{"a":1.5}}`, err: "/map: syntax error"},
		{text: `{"count":4,"maps":[{},{"a":1.5}]}`, err: "/maps/1: syntax error"},
		{text: `{"count":4,"inner":[null]}`, err: "/inner/0: syntax error: expected an object, found null"},
		{text: `{"count":4,"inner":[{"count":1,"indices":7}]}`, err: "/inner/0/indices: syntax error: expected an object, found 7"},
		{text: `{"count":4,"inner":[{"count":1,"indices":{"bufferView":0}}]}`, err: "/inner/0/indices: syntax error: componentType is missing"},
		{text: `{"count":4,"other":7}`, err: "/other: syntax error"},
		{text: ``, err: "expected an object, found "},
		{text: `[]`, err: "expected an object, found []"},
		{text: `7`, err: "expected an object, found 7"},
	} {
		var got object
		err := decode(json.RawMessage(c.text), reflect.ValueOf(&got).Elem())
		if c.err != "" {
			if !errors.Is(err, soup.ErrSyntax) || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: got %v, want %s", c.text, err, c.err)
			}
		} else if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %v, want %+v", c.text, got, err, c.want)
		}
	}
}

// TestSplit compares split with encoding/json on random lists and objects.
func TestSplit(t *testing.T) {
	space := rapid.SampledFrom([]string{"", "", " ", "\n\t"})
	var value func(t *rapid.T, depth int) string
	list := func(t *rapid.T, depth int, open, end string) string {
		var parts []string
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			v := value(t, depth+1)
			if open == "{" {
				name := rapid.SampledFrom([]string{`"a"`, `"b\\"`, `"\u0061"`, `"{,"`}).Draw(t, "name")
				v = name + space.Draw(t, "space") + ":" + space.Draw(t, "space") + v
			}
			parts = append(parts, space.Draw(t, "space")+v+space.Draw(t, "space"))
		}
		return open + space.Draw(t, "space") + strings.Join(parts, ",") + end
	}
	value = func(t *rapid.T, depth int) string {
		switch kind := rapid.IntRange(0, 4).Draw(t, "kind"); {
		case kind == 0 && depth < 4:
			return list(t, depth, "[", "]")
		case kind == 1 && depth < 4:
			return list(t, depth, "{", "}")
		}
		return rapid.SampledFrom([]string{"1", "-2.5e3", "true", "null", `""`, `"a]}\""`, `"\\"`}).Draw(t, "literal")
	}
	rapid.Check(t, func(t *rapid.T) {
		text := list(t, 0, "[", "]")
		var want []json.RawMessage
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got := split([]byte(text))
		if len(got) != len(want) {
			t.Fatalf("%s: got %d elements, want %d", text, len(got), len(want))
		}
		for i, m := range got {
			if string(m.value) != string(want[i]) {
				t.Fatalf("%s: element %d is %s, want %s", text, i, m.value, want[i])
			}
		}
		text = list(t, 0, "{", "}")
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		last := map[string]string{}
		for _, m := range split([]byte(text)) {
			for _, name := range []string{"a", `b\`, "{,"} {
				if m.is(name) {
					last[name] = string(m.value)
				}
			}
		}
		for name, raw := range object {
			if last[name] != string(raw) {
				t.Fatalf("%s: member %q is %s, want %s", text, name, last[name], raw)
			}
		}
		if len(last) != len(object) {
			t.Fatalf("%s: got %v", text, last)
		}
	})
}
