// Package voxels samples a solid on a regular grid of boxes and writes the values to a
// stream. Grids may have any size: memory holds only a few slices, for any number of
// voxels and any number of faces in one voxel.
//
// A voxel (i, j, k) is the closed box from Origin + (i, j, k)·Spacing to
// Origin + (i+1, j+1, k+1)·Spacing. There are three quantities. Occupancy is the side
// of the voxel's center. Winding is the winding number at the center (Muth, Of,
// Eberhard, Steinbach 2006, eq. 6). Fraction approximates the share of the voxel's
// volume that is inside: it is the share of the centers of n³ equal parts of the voxel
// that are inside, with a certified bound of the error. A part that no face meets lies
// on one side as a whole, so only parts that faces meet can be wrong; their number
// gives the bound. Values are stored with x fastest, then y, then z.
//
//	grid, err := voxels.FitSpacing(solid.Mesh().Box(), r3.Vector{X: 0.1, Y: 0.1, Z: 0.2})
//	if err != nil {
//		return err
//	}
//	sum, err := voxels.Write(ctx, w, solid, grid, voxels.Options{Quantity: voxels.Fraction, Samples: 4})
//	if err != nil {
//		return err
//	}
//	fmt.Printf("volume %g ± %g\n", sum.Volume, sum.VolumeError)
package voxels
