// Package testmesh generates solids for tests and measurements: simple solids with known answers,
// solids with the defects of real files, and the spheres and foams of package mesh.
//
// Most functions return a mesh.Soup, which a test can change before it welds the soup. Each
// returned soup is a fresh copy. A transformation does not change its argument. A random solid
// depends only on its seed. The functions panic if an argument is out of range.
//
//	s := testmesh.Union(testmesh.Without(testmesh.UnitCube(), 3), testmesh.Torus(2, 0.5, 24, 12))
//	m := testmesh.Mesh(testmesh.Scale(s, 0x1p60))
//	if m.Closed() {
//		t.Error("a cube without a face is closed")
//	}
package testmesh
