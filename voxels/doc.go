// Package voxels samples a solid on a regular grid of boxes and writes the values to a stream. The
// package needs memory for a few slices of the grid. This amount depends neither on the number of
// voxels nor on the number of faces in a voxel.
//
// Voxel (i, j, k) is the closed box from Origin + (i, j, k)·Spacing to Origin + (i+1, j+1,
// k+1)·Spacing. In the array, x changes fastest and z changes slowest. There are four quantities:
//
//   - Occupancy is the side of the center of the voxel.
//   - Winding is the winding number of the center (Muth, Of, Eberhard, Steinbach 2006, eq. 6).
//   - Fraction approximates the share of the volume of the voxel that is inside. The voxel is
//     divided into n³ equal parts. The fraction is the share of parts whose center is inside. Only
//     parts that a face intersects can be wrong, so the number of these parts gives a certified
//     bound of the error.
//   - Distance is the signed distance of the center to the surface.
//
// For example, this code prints the volume of a solid with a bound of its error:
//
//	grid, err := voxels.FitSpacing(solid.Mesh().Box(), r3.Vector{X: 0.1, Y: 0.1, Z: 0.2})
//	sum, err := voxels.Write(ctx, w, solid, grid, voxels.Options{Quantity: voxels.Fraction, Samples: 4})
//	fmt.Printf("volume %g ± %g\n", sum.Volume, sum.VolumeError)
//
// BoxesTo and HexahedraTo find exactly whether boxes of any size and place, and hexahedra, are inside,
// outside or straddling the surface. These boxes need no grid.
package voxels
