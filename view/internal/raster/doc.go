// Package raster draws triangles, lines and balls in perspective on the processor.
//
// Draw divides the picture into tiles and draws the tiles in parallel. Each pixel has 16 samples.
// Each sample stores its nearest fragments, ordered by depth, so translucent surfaces do not have to
// be sorted, and surfaces can intersect. Corners are rounded to 1/256 of a pixel, and the coverage
// of a sample is computed with integers: a sample on an edge that two triangles share belongs to
// exactly one of them. The picture does not depend on the number of workers.
//
//	scene := raster.Scene{Width: 640, Height: 400, Camera: camera, Background: raster.SRGB(255, 255, 255)}
//	scene.Meshes = append(scene.Meshes, raster.Mesh{Vertices: v, Faces: f, Color: gray, Opacity: 1})
//	img, err := scene.Draw(ctx, 0)
package raster
