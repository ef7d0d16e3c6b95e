package view

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/inpoly/inpoly/mesh"
)

// MaxTriangles is the default limit of the drawn triangles of a mesh. A page needs about 24 bytes
// for each triangle and draws each triangle three times per frame.
const MaxTriangles = 2_000_000 // tuning

// surface is the drawn mesh in the coordinates of a frame.
type surface struct {
	vertices [][3]float32
	faces    [][3]uint32
	reduced  bool
}

// newSurface returns the triangles of m to draw. If there are more than limit, it merges the
// vertices in each cube of a grid into their mean and drops triangles that collapse or repeat
// (Rossignac, Borrel 1993). The number of cubes along an axis is at most a fifth below the optimum.
// Errors: the error of ctx.
func newSurface(ctx context.Context, m *mesh.Mesh, f frame, limit int) (surface, error) {
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
	if len(s.faces) <= limit {
		return s, ctx.Err()
	}
	// A smooth surface intersects about 3n² of n³ cubes and has about two triangles for each cube.
	for n := max(1, int(math.Sqrt(float64(limit)/6))*2); ; n = max(1, n*4/5) {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		if c := s.clustered(n); len(c.faces) <= limit {
			return c, nil
		} else if n == 1 {
			c.faces = c.faces[:limit]
			return c, nil
		}
	}
}

// clustered merges the vertices in each cube of a grid with 2n cubes along each axis.
func (s surface) clustered(n int) surface {
	type member struct {
		cube   uint64
		vertex uint32
	}
	members := make([]member, len(s.vertices))
	for i, v := range s.vertices {
		cube := uint64(0)
		for _, x := range v {
			// |x| ≤ 1 and n < 2²⁰, so 21 bits suffice.
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
		for b < a || c < a { // begin with the smallest vertex to make copies equal
			a, b, c = b, c, a
		}
		out.faces = append(out.faces, [3]uint32{a, b, c})
	}
	slices.SortFunc(out.faces, func(a, b [3]uint32) int { return slices.Compare(a[:], b[:]) })
	out.faces = slices.Compact(out.faces)
	return out
}
