// Package testmesh holds the solids that tests ask questions about: simple ones
// with known answers, and such as real files hold although they should not.
//
// A function returns a mesh.Soup, so that a test can spoil it before it is welded:
// drop, flip, copy or append faces, move, scale or turn it. Soups are fresh
// copies; transformations return new ones. What is random depends on a seed alone.
//
//	s := testmesh.Cube(r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: 1})
//	s = testmesh.Union(testmesh.Without(s, 3), testmesh.Torus(2, 0.5, 24, 12))
//	s = testmesh.Scale(s, 0x1p60)
//	m := testmesh.Mesh(s)
//	if m.Closed() {
//		t.Error("a cube without a face is closed")
//	}
package testmesh
