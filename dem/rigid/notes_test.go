package rigid

import (
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/pose"
)

// TestNotes checks which scenes have contacts that do not conserve energy.
func TestNotes(t *testing.T) {
	brick, stones, sphere, l := polyhedron(t, box(brickSize, 1)), polyhedron(t, pebble(.5, .45, .4)), ball(t, .5), compoundL(t)
	sheet, _ := slopes(t)
	dented := Wall{Solid: solidOf(t, pebble(2, 2, 1))}
	floor := ground()[0]
	for _, row := range []struct {
		name   string
		shapes []*Shape
		walls  []Wall
		kind   Contacts
		want   []string // a part of each note
	}{
		{"convex", []*Shape{brick, brick, l, sphere}, []Wall{floor, dented}, Layers, nil},
		{"one pebble", []*Shape{brick, stones}, []Wall{floor}, Layers, nil},
		{"two pebbles", []*Shape{stones, brick, stones}, []Wall{floor}, Layers, []string{"Bodies 0 and 2 are not convex"}},
		{"seven pebbles", []*Shape{stones, stones, stones, stones, stones, stones, stones}, nil, Layers, []string{"Bodies 0, 1, 2, 3, 4 and 2 more are"}},
		{"pebble and wall", []*Shape{brick, stones}, []Wall{floor, dented}, Layers, []string{"Body 1 and wall 1 are not convex"}},
		{"sheet", []*Shape{brick}, []Wall{floor, sheet}, Layers, []string{"Wall 1 has an open mesh"}},
		{"balls on a sheet", []*Shape{sphere}, []Wall{sheet}, Layers, nil},
		{"sheets", []*Shape{stones, stones}, []Wall{sheet, sheet}, Layers, []string{"Bodies 0 and 1 are not", "Each of the walls 0 and 1 has"}},
		{"nodes", []*Shape{brick, brick}, nil, Nodes, []string{"at their vertices and edges"}},
		{"nodes on a sheet", []*Shape{brick}, []Wall{sheet}, Nodes, []string{"at their vertices and edges"}},
		{"nodes on a half-space", []*Shape{brick, sphere}, []Wall{floor}, Nodes, nil},
		{"balls", []*Shape{sphere}, nil, Nodes, nil},
	} {
		s := Scene{Walls: row.walls}
		for i, shape := range row.shapes {
			s.Bodies = append(s.Bodies, Body{Shape: shape, Pose: pose.At(r3.Vector{Z: 5 + 2*float64(i)})})
		}
		notes := newWorld(t, s, Options{TimeStep: 1e-3, Contacts: row.kind, Law: Linear{}}).Notes()
		if len(notes) != len(row.want) {
			t.Errorf("%s: notes %q, want %q", row.name, notes, row.want)
			continue
		}
		for i, want := range row.want {
			if !strings.Contains(notes[i], want) {
				t.Errorf("%s: note %q, want %q", row.name, notes[i], want)
			}
		}
	}
}
