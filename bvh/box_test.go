package bvh

import (
	"encoding/json"
	"testing"

	"github.com/golang/geo/r3"
)

func TestBoxJSON(t *testing.T) {
	for _, c := range []struct {
		box  Box
		text string
	}{
		{EmptyBox(), `null`},
		{Box{}, `{"Min":{"X":0,"Y":0,"Z":0},"Max":{"X":0,"Y":0,"Z":0}}`},
		{Box{Min: r3.Vector{X: -1.5, Z: 2}, Max: r3.Vector{X: 3, Y: 1e300, Z: 2}}, `{"Min":{"X":-1.5,"Y":0,"Z":2},"Max":{"X":3,"Y":1e+300,"Z":2}}`},
	} {
		text, err := json.Marshal(c.box)
		if err != nil || string(text) != c.text {
			t.Errorf("%v: %s, error %v; want %s", c.box, text, err, c.text)
		}
		var got Box
		if err := json.Unmarshal(text, &got); err != nil || got != c.box {
			t.Errorf("%s: %v, error %v", text, got, err)
		}
	}
	for _, bad := range []string{`{"Min":3}`, `"box"`, `[`} {
		if err := json.Unmarshal([]byte(bad), new(Box)); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}
