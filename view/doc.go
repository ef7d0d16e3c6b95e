// Package view draws a solid or an assembly, and points with their sides. The output is a page for a
// browser, a GLB file, a 3D picture as PNG, or an image of a slice.
//
// A Scene is the common content of these formats: the mesh, a random sample of the points with
// their sides, the defects of the mesh, and the winding number on a plane. A very large mesh is
// simplified.
//
// The Solid computes sides, winding numbers and counts from float64 coordinates. Only the positions
// in the output are rounded: to float32, relative to the middle of the box.
//
// The page contains its program and its data and loads nothing from the network. The 3D picture needs WebGL 2;
// the tables and the slice do not. The page explains a point or a face that the user picks, with exact
// coordinates. The page also measures distances, hides bodies, moves the slice, and colors the points by their
// state, an answer or a column. The fragment of its address holds the state of the view. While a large scene
// moves, the page omits a part of it and says so.
//
// A moved slice never shows interpolated winding numbers. On a closed mesh that is not simplified,
// the page computes the winding numbers from the section of the mesh; they are exact. For other
// meshes, the page has precomputed slices across each axis, in lower resolution, and the slice moves
// from one of them to the next.
//
// WritePicture needs no browser and no graphics processor. WritePicture can draw each solid of an assembly in
// a color of its own.
//
//	cloud := view.NewCloud(view.MaxPoints)
//	cloud.Add(0, points, sides)
//	scene, err := view.New(ctx, solid, cloud, view.Options{Name: "part.stl"})
//	err = scene.WriteHTML(file)
package view
