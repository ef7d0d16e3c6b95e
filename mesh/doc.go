// Package mesh holds indexed triangle meshes: welding, boundary chain,
// diagnosis, components and generators.
//
// A mesh is a 2-chain of oriented triangles. Its boundary is the 1-chain of the
// directed edges whose copies do not cancel once corners with bit-identical
// coordinates are welded: a→b counts +1, b→a −1. If that chain is empty, the
// winding number of the mesh is an integer everywhere off the surface, also
// with non-manifold edges, overlaps, nested bodies and self-crossings. The
// winding number is positive inside a solid whose normals (b−a)×(c−a) point
// outwards.
//
// Nothing is ever repaired silently: New only welds, Diagnose only counts, and what
// changes faces (Oriented, Flipped, Extract, Refined) returns a new mesh.
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
