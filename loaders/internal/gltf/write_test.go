package gltf

import (
	"fmt"
	"testing"

	"github.com/inpoly/inpoly/mesh"
)

func TestTiling(t *testing.T) {
	for _, c := range []struct {
		name   string
		bodies []mesh.Body
		want   string
	}{
		{"none", nil, "[{ 0 9}]"},
		{"all", []mesh.Body{{Name: "a", Count: 9}}, "[{a 0 9}]"},
		{"gaps", []mesh.Body{{Name: "a", First: 2, Count: 3}, {Name: "b", First: 6, Count: 1}}, "[{ 0 2} {a 2 3} { 5 1} {b 6 1} { 7 2}]"},
		{"empty ones", []mesh.Body{{Name: "a"}, {Name: "b", Count: 9}, {Name: "c", First: 3}}, "[{b 0 9}]"},
		{"overlap", []mesh.Body{{Name: "a", Count: 5}, {Name: "b", First: 4, Count: 5}}, "[{ 0 9}]"},
		{"out of order", []mesh.Body{{Name: "a", First: 5, Count: 4}, {Name: "b", Count: 5}}, "[{ 0 9}]"},
	} {
		var tiles []string
		for _, b := range tiling(c.bodies, 9) {
			tiles = append(tiles, fmt.Sprintf("{%s %d %d}", b.Name, b.First, b.Count))
		}
		if got := fmt.Sprint(tiles); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
