// Package surfaces finds where lines meet the faces of all solids of an assembly.
package surfaces

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/rays"
)

// Surfaces finds the hits of lines with the faces of all solids. One search over all faces orders the
// hits of different solids exactly.
type Surfaces struct {
	Caster *rays.Caster

	solids *assembly.Assembly
	first  []int32 // for each of several solids, the index of its first face among all faces
}

// New returns the surfaces of the solids without their poses. Errors: mesh.ErrTooLarge if the solids
// together have too many vertices or faces; the error of assembly.Assembly.CheckNegative; the error of ctx if ctx ends first.
func New(ctx context.Context, solids *assembly.Assembly, workers int) (s *Surfaces, err error) {
	if err := solids.CheckNegative(); err != nil {
		return nil, err
	}
	s = &Surfaces{solids: solids}
	solid := solids.Solid(0)
	if solids.Len() > 1 {
		if solid, err = s.join(ctx, workers); err != nil {
			return nil, err
		}
	}
	s.Caster, err = rays.New(ctx, solid)
	return s, err
}

// join returns one solid with the faces of all solids.
func (s *Surfaces) join(ctx context.Context, workers int) (*inpoly.Solid, error) {
	vertices, faces := 0, 0
	for k := range s.solids.Len() {
		part := s.solids.Solid(k).Mesh()
		vertices, faces = vertices+len(part.Vertices), faces+part.NumFaces()
	}
	if vertices > math.MaxInt32 || faces > mesh.MaxFaces {
		return nil, fmt.Errorf("%w: all solids together have %d faces and %d vertices, and the limits are %d and %d", mesh.ErrTooLarge, faces, vertices, mesh.MaxFaces, math.MaxInt32)
	}
	all := mesh.Soup{Vertices: make([]r3.Vector, 0, vertices), Faces: make([][3]int32, 0, faces)}
	for k := range s.solids.Len() {
		part := s.solids.Solid(k).Mesh()
		base := int32(len(all.Vertices))
		s.first = append(s.first, int32(len(all.Faces)))
		all.Vertices = append(all.Vertices, part.Vertices...)
		for _, f := range part.Faces {
			all.Faces = append(all.Faces, [3]int32{base + f[0], base + f[1], base + f[2]})
		}
	}
	m, err := mesh.NewOwned(ctx, all, mesh.Options{Workers: workers})
	if err != nil {
		return nil, err
	}
	return inpoly.New(ctx, m, inpoly.Options{Method: inpoly.RayCrossing, Orient: inpoly.OrientNever, Workers: workers})
}

// Face returns the number of a face of the Caster in its mesh file, and the solid of the face. Both are
// −1 for the face −1.
func (s *Surfaces) Face(face int32) (inFile, solid int32) {
	if face < 0 {
		return -1, -1
	}
	k := 0
	if len(s.first) > 0 {
		// The last solid with first[k] ≤ face. Earlier solids without faces can have the same first face.
		k = sort.Search(len(s.first), func(i int) bool { return s.first[i] > face }) - 1
		face -= s.first[k]
	}
	return s.solids.FileFace(k, face), int32(k)
}
