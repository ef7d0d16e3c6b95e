// Package mesh holds indexed triangle meshes: welding, the boundary chain, diagnosis, components
// and orientation.
//
// A mesh is a 2-chain of oriented triangles. Corners with equal coordinates are welded. The
// boundary of the mesh is then a 1-chain: the directed edges whose copies do not cancel. A copy a→b
// counts +1, a copy b→a counts −1. If the boundary chain is empty, the winding number of the mesh
// is an integer everywhere off the surface. Other defects, such as non-manifold edges, overlaps,
// nested bodies and self-crossings, do not matter. The winding number is positive inside a solid
// whose normals (b−a)×(c−a) point outward.
//
// Nothing is repaired silently. New only welds, and Diagnose only counts. The methods that change
// faces (Oriented, Flipped, Extract, Refined) return a new mesh.
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
