// Package testmesh generates solids for tests and measurements: simple ones with
// known answers, defective ones as real files contain them, and the spheres and foams
// of Muth, Of, Eberhard, Steinbach 2006.
//
// Most functions return a mesh.Soup, which a test can change before it is welded: drop,
// flip, copy or append faces; move, scale or rotate it. Soups are fresh copies, and
// transformations return new ones. Random solids depend only on their seed.
//
//	s := testmesh.Cube(r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: 1})
//	s = testmesh.Union(testmesh.Without(s, 3), testmesh.Torus(2, 0.5, 24, 12))
//	s = testmesh.Scale(s, 0x1p60)
//	m := testmesh.Mesh(s)
//	if m.Closed() {
//		t.Error("a cube without a face is closed")
//	}
package testmesh
