// Package view makes pictures of a solid and of the answers for points: a page for
// a browser, a GLB file, and an image of a slice.
//
// A Scene holds what all three show: the mesh, reduced if it is very large; a fair
// sample of the points, with their sides; what is wrong with the mesh, as edges and
// faces; and the winding number on a plane, with the cut of the mesh. Nothing in a
// picture is computed from rounded positions: sides, winding numbers and counts are
// those of the Solid for float64 coordinates, and only then are positions rounded to
// float32, relative to the middle of the box.
//
// The page holds its program and its data and asks no network for anything. It needs
// WebGL 2 for the picture in space; the tables and the slice are there without it.
//
//	cloud := view.NewCloud(view.MaxPoints)
//	cloud.Add(0, points, sides)
//	scene, err := view.New(ctx, solid, cloud, view.Options{Name: "part.stl"})
//	if err != nil {
//		return err
//	}
//	return scene.WriteHTML(file)
package view
