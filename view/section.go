package view

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// cut returns the segments in which the faces of m meet p, along the axes right and up
// of a picture. On which side a corner lies is exact, where an edge meets the plane is
// rounded. Faces in the plane give their edges.
func cut(m *mesh.Mesh, p Plane, right, up int) [][2][2]float64 {
	var out [][2][2]float64
	flat := func(v r3.Vector) [2]float64 { return [2]float64{axis(v, right), axis(v, up)} }
	for _, t := range m.Faces {
		var h [3]float64 // the coordinates along the axis of p
		above, below := 0, 0
		for k, v := range t {
			h[k] = axis(m.Vertices[v], p.Axis)
			if h[k] > p.Value {
				above++
			} else if h[k] < p.Value {
				below++
			}
		}
		if above == 3 || below == 3 {
			continue
		}
		if above == 0 && below == 0 {
			for k := range 3 {
				a, b := m.Vertices[t[k]], m.Vertices[t[(k+1)%3]]
				out = append(out, [2][2]float64{flat(a), flat(b)})
			}
			continue
		}
		var ends [][2]float64
		for k := range 3 {
			a, b := m.Vertices[t[k]], m.Vertices[t[(k+1)%3]]
			ha, hb := h[k], h[(k+1)%3]
			if ha == p.Value {
				ends = append(ends, flat(a))
			}
			if ha < p.Value && hb > p.Value || ha > p.Value && hb < p.Value {
				// Halves, as the difference may overflow.
				s := (p.Value/2 - ha/2) / (hb/2 - ha/2)
				fa, fb := flat(a), flat(b)
				ends = append(ends, [2]float64{fa[0]*(1-s) + fb[0]*s, fa[1]*(1-s) + fb[1]*s})
			}
		}
		if len(ends) == 2 {
			out = append(out, [2][2]float64{ends[0], ends[1]})
		}
	}
	return out
}
