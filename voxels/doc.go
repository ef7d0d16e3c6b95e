// Package voxels samples a solid on a regular grid of boxes, of any size, and writes
// the answers as they are found: memory does not grow with the number of voxels
// beyond that of a few slices, nor with how many faces meet one.
//
// A voxel (i, j, k) is the closed box from Origin + (i, j, k)·Spacing to
// Origin + (i+1, j+1, k+1)·Spacing. Occupancy asks for the side of its centre, Winding
// for the winding number there (Muth, Of, Eberhard, Steinbach 2006, eq. 6), and Fraction
// for the share of its volume that is inside: the share of n³ centres of equal parts
// of the voxel, with a certified bound of the difference. A part that no face
// meets lies on one side as a whole, so only the others can be wrong: their number is
// the bound. Values are stored with x fastest, then y, then z.
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
