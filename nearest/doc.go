// Package nearest finds the point of a triangle mesh that is closest to a given
// point, by descending a bounding volume hierarchy nearest box first.
//
// Distances are unsigned. Each comes with a bound of its error that holds for
// every triangle, however thin, and for every coordinate that float64 can hold.
// The answer is the minimum over all faces of one kernel, bit for bit, whatever
// the tree looks like; of equal distances the smallest face number wins.
//
// Batches find the same answers through a second hierarchy, of oriented boxes in single
// precision, which only rules faces out: see ClosestTo.
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
