package view

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/inpoly/inpoly/mesh"
)

// MaxTriangles is how many triangles of a mesh are drawn as a rule: three passes over
// them a frame, some 24 bytes each in a page. A choice.
const MaxTriangles = 2_000_000

// surface is a mesh as it is drawn, in a frame.
type surface struct {
	vertices [][3]float32
	faces    [][3]uint32
	reduced  bool
}

// newSurface returns the triangles of m to draw. Where there are more than most, the
// vertices in each cube of a grid become one, their mean, and what is left of the
// triangles is drawn once (Rossignac, Borrel 1993); the grid is as fine as most
// allows, within a fifth. The error is that of ctx.
func newSurface(ctx context.Context, m *mesh.Mesh, f frame, most int) (surface, error) {
	var s surface
	s.vertices = make([][3]float32, len(m.Vertices))
	for i, v := range m.Vertices {
		s.vertices[i] = f.local(v)
	}
	s.faces = make([][3]uint32, 0, len(m.Faces))
	for _, t := range m.Faces {
		if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
			s.faces = append(s.faces, [3]uint32{uint32(t[0]), uint32(t[1]), uint32(t[2])})
		}
	}
	if len(s.faces) <= most {
		return s, ctx.Err()
	}
	// A smooth surface over a grid of n³ cubes crosses some 3n² of them, and has two
	// triangles for each.
	for n := max(1, int(math.Sqrt(float64(most)/6))*2); ; n = max(1, n*4/5) {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		if c := s.clustered(n); len(c.faces) <= most {
			return c, nil
		} else if n == 1 {
			c.faces = c.faces[:most]
			return c, nil
		}
	}
}

// clustered merges the vertices in each cube of a grid with n cubes a half side.
func (s surface) clustered(n int) surface {
	type member struct {
		cube   uint64
		vertex uint32
	}
	members := make([]member, len(s.vertices))
	for i, v := range s.vertices {
		cube := uint64(0)
		for _, x := range v {
			// |x| ≤ 1, and n < 2²⁰.
			cube = cube<<21 | uint64(math.Floor((float64(x)+1)*float64(n)))
		}
		members[i] = member{cube, uint32(i)}
	}
	slices.SortFunc(members, func(a, b member) int {
		return cmp.Or(cmp.Compare(a.cube, b.cube), cmp.Compare(a.vertex, b.vertex))
	})
	out := surface{reduced: true}
	to := make([]uint32, len(s.vertices))
	for rest := members; len(rest) > 0; {
		var sum [3]float64
		k := 0
		for ; k < len(rest) && rest[k].cube == rest[0].cube; k++ {
			to[rest[k].vertex] = uint32(len(out.vertices))
			for j, x := range s.vertices[rest[k].vertex] {
				sum[j] += float64(x)
			}
		}
		m := float64(k)
		out.vertices = append(out.vertices, [3]float32{float32(sum[0] / m), float32(sum[1] / m), float32(sum[2] / m)})
		rest = rest[k:]
	}
	for _, t := range s.faces {
		a, b, c := to[t[0]], to[t[1]], to[t[2]]
		if a == b || b == c || c == a {
			continue
		}
		for b < a || c < a { // the smallest first, so that copies are equal
			a, b, c = b, c, a
		}
		out.faces = append(out.faces, [3]uint32{a, b, c})
	}
	slices.SortFunc(out.faces, func(a, b [3]uint32) int { return slices.Compare(a[:], b[:]) })
	out.faces = slices.Compact(out.faces)
	return out
}
