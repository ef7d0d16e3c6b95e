// Package nearest finds the point of a triangle mesh that is closest to a given point.
//
// Most callers want package inpoly, whose distances are signed. This package is for authors of
// algorithms and may change in minor versions.
//
// Distances are unsigned. Each comes with a bound of its error that holds for every triangle,
// however thin, and for every coordinate that float64 can hold. The answer is the minimum over all
// faces of one function, bit for bit; no index changes it. Of equal distances the smallest face
// number wins.
//
// A single search descends a bounding volume hierarchy, nearest box first. Batches can use a second
// index that gives the same answers faster, see Searcher.ClosestTo. It is a tree of oriented
// bounding boxes (OBBs) over the same order of triangles:
//
//	node    8 oriented boxes side by side in float32, each with a link to a node or a block
//	 └ node    ...
//	    └ block   8 triangles side by side in float32: a plane, and 3 edge planes across it
//	       └ triangle   the exact kernel in float64, shared by all searches
//
// One vector instruction handles a row of 8 boxes or 8 triangles. The tree only rules faces out:
// its bounds are below the exact distances, and the kernel decides about the remaining faces.
// Oriented boxes are thin on a curved surface. Where the surface has the radius R, a patch of
// diameter h is as thick as h²/8R, but an axis-aligned box around it is as thick as h. All faces
// whose boxes are as near as the nearest face must be tested, so thin boxes save tests.
//
//	x, err := m.Index(ctx, bvh.Options{})
//	if err != nil {
//		return err
//	}
//	s := nearest.New(x)
//	var st nearest.Scratch
//	r := s.Closest(p, &st)
//	fmt.Println(r.Distance, r.Face, r.Point)
package nearest
