// Package nearest finds the point of a triangle mesh that is closest to a given point.
//
// Most callers want package inpoly, whose distances are signed. This package is for authors of
// algorithms and may change in minor versions.
//
// Distances are unsigned. The face of a result is exactly the nearest one for the given float64
// coordinates, and the distance is the exact distance, rounded up. This holds for every triangle,
// even if its area is zero, and for all finite coordinates. If several faces have exactly the same
// distance, the answer is the face with the smallest number. So all indexes give the same answer,
// bit for bit. A search takes up to three steps:
//
//  1. A kernel in float64 with an error bound selects the faces that can be nearest.
//  2. Pairs of float64, with about 106 bits, compare these faces and round the distance.
//  3. Integers of any size decide the remaining cases, such as equal distances.
//
// A single search descends a bounding volume hierarchy, nearest box first. Batches and distances
// can use a second index that finds the same answers faster (see Searcher.ClosestTo). The second
// index is a tree of oriented bounding boxes (OBBs). Its triangles are in the leaf order of the
// first index:
//
//	node    8 oriented boxes side by side in float32, each with a link to a node or a block
//	 └ node    …
//	    └ block   8 triangles in float32: a frame, and the edges in its plane
//	       └ triangle   the distance in pairs of float64, shared by all searches
//
// One vector instruction computes a row of 8 boxes or 8 triangles. With AVX-512, it computes one
// box or triangle for a packet of 16 points instead. The tree only excludes faces: its lower bounds
// are below the exact distances, and its upper bounds are above them. For most points, one face
// remains, or several faces that have the same closest edge or corner.
//
// Oriented boxes are thin on a curved surface. If the surface has radius R, a patch of diameter h
// is as thick as h²/8R, but an axis-aligned box around the patch is as thick as h. A search must
// test all faces whose boxes are as near as the nearest face. Thin boxes therefore save tests.
package nearest
