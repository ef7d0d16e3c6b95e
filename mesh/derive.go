package mesh

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/golang/geo/r3"
)

// Orientation describes the patches of a mesh. It also lists the changes that Oriented made.
type Orientation struct {
	Patches       int     // number of patches; see Oriented
	Labels        []int32 // patch of each face, numbered in the order of first faces; −1 for a collapsed face
	Flipped       []int32 // faces that were turned over, in ascending order
	NonOrientable []int32 // patches that have no consistent orientation, in ascending order
}

// Oriented returns a mesh in which every patch has a consistent orientation. Edges of exactly two
// triangles connect the faces of a patch, unless the triangles are copies of each other with the
// same orientation. Of the two orientations of a patch, Oriented chooses the
// one that turns fewer faces over. If both orientations turn the same number of faces over,
// Oriented keeps the first face. A patch can still point inward as a whole: see Component and
// Flipped. A one-sided patch, such as a Möbius strip, does not change. If there is nothing to turn,
// Oriented returns m itself. Errors: the error of ctx if ctx ends first.
func (m *Mesh) Oriented(ctx context.Context) (*Mesh, Orientation, error) {
	across, err := m.acrossEdges(ctx)
	if err != nil {
		return nil, Orientation{}, err
	}
	o := Orientation{Labels: slices.Repeat([]int32{-1}, len(m.Faces))}
	looks := 0
	turned := make([]bool, len(m.Faces))
	var patch []int32 // faces of the current patch in the order in which they were reached
	for f := range m.Faces {
		if o.Labels[f] >= 0 || collapsed(m.Faces[f]) {
			continue
		}
		label := int32(o.Patches)
		o.Patches++
		patch = append(patch[:0], int32(f))
		o.Labels[f] = label
		count, orientable := 0, true
		for i := 0; i < len(patch); i++ {
			if looks++; looks%blockSize == 0 && ctx.Err() != nil {
				return nil, Orientation{}, ctx.Err()
			}
			p := patch[i]
			for k := range 3 {
				n := across[3*int(p)+k]
				if n < 0 {
					continue
				}
				g, turn := n>>1, turned[p] != (n&1 == 1)
				if o.Labels[g] < 0 {
					o.Labels[g], turned[g] = label, turn
					patch = append(patch, g)
					if turn {
						count++
					}
				} else if turned[g] != turn {
					orientable = false
				}
			}
		}
		if !orientable {
			o.NonOrientable = append(o.NonOrientable, label)
		}
		for _, p := range patch {
			turned[p] = orientable && turned[p] != (2*count > len(patch))
		}
	}
	for f, t := range turned {
		if t {
			o.Flipped = append(o.Flipped, int32(f))
		}
	}
	if len(o.Flipped) == 0 {
		return m, o, ctx.Err()
	}
	out, err := m.Flipped(ctx, o.Flipped)
	return out, o, err
}

// acrossEdges returns a list with an entry 3f+k for each side k of each face f. If the edge has
// exactly two triangles, the entry is twice the number of the other face, plus 1 if both faces run
// along the edge in the same direction. If the edge has another number of triangles, or if one
// triangle is a copy of the other with the same orientation, the entry is −1. If one of two copies
// were turned over, both would cancel.
func (m *Mesh) acrossEdges(ctx context.Context) ([]int32, error) {
	across := slices.Repeat([]int32{-1}, 3*len(m.Faces))
	_, err := sweepEdges(ctx, m.Faces, len(m.Vertices), 0, nil, func(_ *struct{}, edge []halfEdge) {
		if len(edge) != 2 {
			return
		}
		same := int32(0)
		if edge[0].backward() == edge[1].backward() {
			if edge[0].apex(m) == edge[1].apex(m) {
				return
			}
			same = 1
		}
		across[edge[0].ref>>1] = edge[1].face()<<1 | same
		across[edge[1].ref>>1] = edge[0].face()<<1 | same
	})
	return across, err
}

// Flipped returns a mesh in which the given faces are turned over: (a, b, c) becomes (a, c, b). If
// a face is listed twice, it is turned over twice. Flipped panics if a face is out of range.
// Errors: the error of ctx if ctx ends first.
func (m *Mesh) Flipped(ctx context.Context, faces []int32) (*Mesh, error) {
	out := *m
	out.Faces = slices.Clone(m.Faces)
	for _, f := range faces {
		t := &out.Faces[f]
		t[1], t[2] = t[2], t[1]
	}
	if err := out.examineEdges(ctx, 0); err != nil {
		return nil, err
	}
	return &out, nil
}

// Extract returns a mesh of the given faces in the given order, without bodies. The order of the
// vertices does not change. A face can be listed more than once. Extract panics if a face is out of
// range. For k listed faces it takes O(k log k) time, independently of the size of m. Errors: the
// error of ctx if ctx ends first.
func (m *Mesh) Extract(ctx context.Context, faces []int32) (*Mesh, error) {
	old := make([]int32, 0, 3*len(faces))
	for _, f := range faces {
		t := m.Faces[f]
		old = append(old, t[0], t[1], t[2])
	}
	if err := sortContext(ctx, old, cmp.Compare[int32]); err != nil {
		return nil, err
	}
	old = slices.Compact(old)
	out := &Mesh{Faces: make([][3]int32, len(faces)), Vertices: make([]r3.Vector, len(old))}
	for i, v := range old {
		out.Vertices[i] = m.Vertices[v]
	}
	err := inOrder(ctx, len(faces), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for k, v := range m.Faces[faces[i]] {
				n, _ := slices.BinarySearch(old, v)
				out.Faces[i][k] = int32(n)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	out.polygons = m.extractedPolygons(faces)
	if err := out.finish(ctx, 0); err != nil {
		return nil, err
	}
	return out, nil
}

// mustNotFail panics if err is not nil. Its callers use a context that never ends.
func mustNotFail(err error) {
	if err != nil {
		panic("mesh: " + err.Error())
	}
}

// Refined returns a mesh in which every triangle is divided into four at the midpoints of its
// edges. Face f becomes the faces 4f to 4f+3, the last of which is in the middle. The bodies refer
// to the new faces. Each edge gets one new vertex: its midpoint p, or move(p) if move is not nil. A
// face that lost a corner becomes four copies of itself.
//
// The boundary chain of the result is the chain of m with every edge halved. This does not hold if
// a midpoint coincides with another vertex. A closed mesh stays closed.
//
// Errors: ErrTooLarge if there would be more than MaxFaces faces or a moved vertex is beyond
// MaxCoordinate; ErrNotFinite if a moved vertex is not finite; the error of ctx if ctx ends first.
func (m *Mesh) Refined(ctx context.Context, move func(r3.Vector) r3.Vector) (*Mesh, error) {
	if len(m.Faces) > MaxFaces/4 {
		return nil, fmt.Errorf("%w: a mesh of %d faces cannot be refined into four times as many faces", ErrTooLarge, len(m.Faces))
	}
	type side struct{ lo, hi, first, count int32 } // edge with the sides refs[first : first+count]
	type part struct {
		sides []side
		refs  []uint32 // 3f+k for side k of face f
	}
	parts, err := sweepEdges(ctx, m.Faces, len(m.Vertices), 0, nil, func(p *part, edge []halfEdge) {
		p.sides = append(p.sides, side{edge[0].lo, edge[0].hi, int32(len(p.refs)), int32(len(edge))})
		for _, h := range edge {
			p.refs = append(p.refs, h.ref>>1)
		}
	})
	if err != nil {
		return nil, err
	}
	edges, _ := m.edgeFacts()
	s := Soup{Vertices: append(make([]r3.Vector, 0, len(m.Vertices)+edges.total), m.Vertices...)}
	middle := make([]int32, 3*len(m.Faces))
	for _, p := range parts {
		for _, e := range p.sides {
			// The sum of the two ends could overflow, so each end is halved first. The sum does not
			// depend on the order of the ends.
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
		s.Bodies = append(s.Bodies, Body{Name: b.Name, First: 4 * b.First, Count: 4 * b.Count, Negative: b.Negative, Object: b.Object})
	}
	for _, p := range m.polygons {
		s.Polygons = append(s.Polygons, Polygon{4 * p.First, 4 * p.Count})
	}
	return NewOwned(ctx, s, Options{})
}
