package bem

import (
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

func TestPanelsQuick(t *testing.T) {
	m := mustMesh(globe(20))
	tris := triangles(m)
	p := NewPanels(tris, []int32{0, 5, 29, 29, 100, 400})
	all := []Span{p.Span(0, int32(len(tris)))}
	var s PanelSum
	d := NewDirect(m, 1)
	rng := newRand(5)
	for range 2000 {
		x := hard(rng, tris[rng.IntN(len(tris))], worlds[0])
		w, e, on := p.Winding(x, all, &s)
		w2, e2, on2 := d.Winding(x)
		if on != on2 || !(math.Abs(w-w2) <= e+e2) || e > e2+1e-11 {
			t.Fatal(x, w, e, on, w2, e2, on2)
		}
	}
	t.Log(s.Near)
	_ = r3.Vector{}
	_ = mesh.Triangle{}
}
