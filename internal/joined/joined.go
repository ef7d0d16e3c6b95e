// Package joined puts the faces of several meshes into one list, and finds the mesh of a face in it.
package joined

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// Faces maps each face of the list to its mesh.
type Faces struct {
	first []int32 // for each mesh, the number of its first face in the list
}

// Meshes returns the vertices and faces of all parts in order. Nothing is welded.
//
// Errors: mesh.ErrTooLarge if the parts together have too many vertices or faces; the error of ctx.
func Meshes(ctx context.Context, parts []*mesh.Mesh) (*Faces, mesh.Soup, error) {
	vertices, faces := 0, 0
	for _, m := range parts {
		vertices, faces = vertices+len(m.Vertices), faces+len(m.Faces)
	}
	if vertices > math.MaxInt32 || faces > mesh.MaxFaces {
		return nil, mesh.Soup{}, fmt.Errorf("%w: all solids together have %d faces and %d vertices, and the limits are %d and %d", mesh.ErrTooLarge, faces, vertices, mesh.MaxFaces, math.MaxInt32)
	}
	all := mesh.Soup{Vertices: make([]r3.Vector, 0, vertices), Faces: make([][3]int32, 0, faces)}
	owners := &Faces{first: make([]int32, len(parts))}
	for i, m := range parts {
		base := int32(len(all.Vertices))
		owners.first[i] = int32(len(all.Faces))
		all.Vertices = append(all.Vertices, m.Vertices...)
		for k, f := range m.Faces {
			par.Pause(k)
			all.Faces = append(all.Faces, [3]int32{base + f[0], base + f[1], base + f[2]})
		}
		if err := ctx.Err(); err != nil {
			return nil, mesh.Soup{}, err
		}
	}
	return owners, all, nil
}

// Owner returns the number of the mesh that has a face of the list, and the number of the face in this mesh. The
// face must be in the list.
func (f *Faces) Owner(face int32) (part, own int32) {
	// The last mesh with first[i] ≤ face. Earlier meshes without faces can have the same first face.
	part = int32(sort.Search(len(f.first), func(i int) bool { return f.first[i] > face })) - 1
	return part, face - f.first[part]
}
