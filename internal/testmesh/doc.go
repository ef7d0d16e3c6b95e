// Package testmesh generates solids for tests and measurements: simple solids with known answers,
// defective ones as real files contain them, and the spheres and foams of Muth, Of, Eberhard,
// Steinbach 2006.
//
// Most functions return a mesh.Soup, which a test can change before welding it. Soups are fresh
// copies, and transformations return new ones. Random solids depend only on their seed. Arguments
// out of range panic.
//
//	s := testmesh.Union(testmesh.Without(testmesh.UnitCube(), 3), testmesh.Torus(2, 0.5, 24, 12))
//	m := testmesh.Mesh(testmesh.Scale(s, 0x1p60))
//	if m.Closed() {
//		t.Error("a cube without a face is closed")
//	}
package testmesh
