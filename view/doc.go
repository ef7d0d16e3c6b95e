// Package view draws a solid and the sides of points: as a page for a browser, as a GLB file, and
// as an image of a slice.
//
// A Scene holds the content of all three: the mesh, simplified if it is very large; a uniform
// random sample of the points, with their sides; the defects of the mesh, as edges and faces; and
// the winding number on a plane, with the section of the mesh. Nothing is computed from rounded
// positions: the Solid computes sides, winding numbers and counts from float64 coordinates.
// Positions are rounded to float32 last, relative to the middle of the box.
//
// The page contains its program and its data and loads nothing from the network. The picture in
// space needs WebGL 2; the tables and the slice do not.
//
//	cloud := view.NewCloud(view.MaxPoints)
//	cloud.Add(0, points, sides)
//	scene, err := view.New(ctx, solid, cloud, view.Options{Name: "part.stl"})
//	if err != nil {
//		return err
//	}
//	return scene.WriteHTML(file)
package view
