package mesh

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"
)

// Refined returns the mesh with every triangle split into four at the middles of
// its edges; face f becomes faces 4f to 4f+3, the last in the middle, and bodies
// follow. Each new vertex, one for every edge, goes through move unless that is nil.
// A face that lost a corner becomes four copies of itself. The result is an
// error if it has more than MaxFaces faces or move returns something not finite.
// Errors: as of New.
//
// The boundary chain of the result is the halved chain of m (unless the middle of
// one edge meets another vertex), so refinement keeps a closed mesh closed.
func (m *Mesh) Refined(ctx context.Context, move func(r3.Vector) r3.Vector) (*Mesh, error) {
	if len(m.Faces) > MaxFaces/4 {
		return nil, fmt.Errorf("%w: %d faces to be refined", ErrTooLarge, len(m.Faces))
	}
	type side struct{ lo, hi, first, count int32 } // first, count: its half-edges in refs
	type part struct {
		sides []side
		refs  []uint32
	}
	parts, err := sweepEdges(ctx, m.Faces, len(m.Vertices), 0, func(p *part, edge []halfEdge) {
		p.sides = append(p.sides, side{edge[0].lo, edge[0].hi, int32(len(p.refs)), int32(len(edge))})
		for _, h := range edge {
			p.refs = append(p.refs, h.ref>>1)
		}
	})
	if err != nil {
		return nil, err
	}
	s := Soup{Vertices: append(make([]r3.Vector, 0, len(m.Vertices)+m.edges.total), m.Vertices...)}
	middle := make([]int32, 3*len(m.Faces))
	for _, p := range parts {
		for _, e := range p.sides {
			// Halves first, against overflow; both orders of the ends give the same sum.
			v := m.Vertices[e.lo].Mul(0.5).Add(m.Vertices[e.hi].Mul(0.5))
			if move != nil {
				v = move(v)
			}
			for _, r := range p.refs[e.first : e.first+e.count] {
				middle[r] = int32(len(s.Vertices))
			}
			s.Vertices = append(s.Vertices, v)
		}
	}
	s.Faces = make([][3]int32, 0, 4*len(m.Faces))
	for f, t := range m.Faces {
		if collapsed(t) {
			s.Faces = append(s.Faces, t, t, t, t)
			continue
		}
		ab, bc, ca := middle[3*f], middle[3*f+1], middle[3*f+2]
		s.Faces = append(s.Faces, [3]int32{t[0], ab, ca}, [3]int32{ab, t[1], bc}, [3]int32{ca, bc, t[2]}, [3]int32{ab, bc, ca})
	}
	for _, b := range m.Bodies {
		s.Bodies = append(s.Bodies, Body{b.Name, 4 * b.First, 4 * b.Count})
	}
	return NewOwned(ctx, s, Options{})
}
