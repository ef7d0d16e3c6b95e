package binding

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
)

// Every explanation marshals as JSON and agrees with the side of a batch, also for points that are
// not finite and for meshes without faces.
func TestExplain(t *testing.T) {
	corner := r3.Vector{}
	for _, meshes := range [][]Mesh{{{Soup: testmesh.UnitCube()}, {Name: "second", Soup: testmesh.UnitCube()}}, {{}}} {
		s, err := New(t.Context(), meshes, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []r3.Vector{{X: 0.25, Y: 0.25, Z: 0.25}, {X: 9}, corner, {X: math.NaN()}, {X: math.Inf(1)}} {
			list := s.Explain(p)
			if len(list) != s.Len() {
				t.Fatalf("%v: %d explanations of %d solids", p, len(list), s.Len())
			}
			for i, e := range list {
				if want := s.Solid(i).Side(p).String(); e.Side != want {
					t.Errorf("%v: side %s, want %s", p, e.Side, want)
				}
				if e.Because == "" || e.Name != s.Name(i) {
					t.Errorf("%v: explanation without a reason or with the name %q: %+v", p, e.Name, e)
				}
			}
			if _, err := json.Marshal(list); err != nil {
				t.Errorf("%v: %v", p, err)
			}
		}
	}
}
