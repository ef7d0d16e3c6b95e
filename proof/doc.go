// Package proof writes proof files: answers about points, with everything that a skeptic needs to
// check them without trusting this module. The program Checker, a Python script that needs only the
// standard library, accepts or refuses a file. docs/proofs.md describes the format and says why the
// tests of the checker suffice.
//
// A file holds the mesh as float64 corners, a tree over its faces, and a line for each point:
//
//   - If the mesh is closed, a ray and the faces that it crosses show the integer winding number. The
//     ray meets no edge, so small errors of its end do not matter. A point outside the box of the mesh
//     needs no ray.
//   - If the mesh is open, the line has the winding number with its bound. The checker adds the sum
//     over the boundary edges to the crossings of the ray, in interval arithmetic.
//   - A point on the surface has its face.
//   - A distance has the nearest face. The tree excludes the others.
//
// The checker walks the tree itself, so a line is short: about 100 bytes.
//
//	claims, err := proof.Claims(ctx, solid, pts, false)
//	if err != nil {
//		return err
//	}
//	sum, err := proof.Write(ctx, file, solid, proof.Source{Name: "part.stl"}, claims)
package proof
