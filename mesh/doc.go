// Package mesh holds indexed triangle meshes: welding, the boundary chain,
// diagnosis, components and orientation.
//
// A mesh is a 2-chain of oriented triangles. Corners with equal coordinates are welded.
// The boundary of the mesh is then the 1-chain of the directed edges whose copies do not
// cancel: a→b counts +1, b→a −1. If that chain is empty, the winding number of the mesh
// is an integer everywhere off the surface, in spite of any other defects: non-manifold
// edges, overlaps, nested bodies or self-crossings. The winding number is positive inside
// a solid whose normals (b−a)×(c−a) point outward.
//
// Nothing is repaired silently: New only welds, Diagnose only counts, and the
// methods that change faces (Oriented, Flipped, Extract, Refined) return a new mesh.
//
//	m, err := mesh.New(ctx, soup, mesh.Options{})
//	if err != nil {
//		return err
//	}
//	if !m.Closed() {
//		for _, e := range m.Boundary() {
//			fmt.Println(m.Vertices[e.A], "→", m.Vertices[e.B], "×", e.Mult)
//		}
//	}
package mesh
