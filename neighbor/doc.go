// Package neighbor finds which of many moving bodies touch: disks and rectangles in the
// plane, balls and boxes in space.
//
// A Method takes all bodies in each step and returns the pairs that touch. All methods give
// the same pairs in the same order, for any number of workers; they differ in time:
//
//   - Auto chooses among the following for each step.
//   - HierarchicalGrid: bodies of all sizes, linear in their number (Ogarko & Luding 2012).
//   - LinkedCell: bodies of one size (Muth, Müller, Eberhard & Luding 2007, §2.2).
//   - VerletList: bodies that move slowly (§2.1 there).
//   - IncrementalSort: bodies that move slowly, added and removed pairs (§2.3 there, Schinner 1999).
//   - RadialSort: distances from one point (Leszczynski & Ciesielski 2004).
//   - BruteForce: few bodies, and tests.
//
// Bodies are closed: balls touch if |Δ|² ≤ (r_i+r_j)², as computed
// in float64 without fusing (touchDisks, touchSpheres), boxes if their intervals share a
// number on every axis.
//
//	m := neighbor.NewAuto[neighbor.Sphere](neighbor.AutoOptions{})
//	for range steps {
//		if err := m.Update(ctx, balls); err != nil {
//			return err // a ball with a NaN, say: errors.Is(err, neighbor.ErrBody)
//		}
//		for _, p := range m.Pairs() {
//			push(&balls[p.A], &balls[p.B])
//		}
//		move(balls)
//	}
package neighbor
