// Package neighbor finds which of many moving bodies touch: disks and rectangles in the plane,
// balls and boxes in space.
//
// A Method takes all bodies in each step and returns the pairs that touch. All methods give the
// same pairs in the same order, for any number of workers. They differ in time; most users want
// Auto:
//
//   - Auto: any bodies; it chooses BruteForce, HierarchicalGrid or VerletList for each step.
//   - HierarchicalGrid: bodies of all sizes, in linear time (Ogarko & Luding 2012).
//   - LinkedCell: bodies of one size (Muth, Müller, Eberhard & Luding 2007, §2.2).
//   - VerletList: bodies that move slowly (Muth et al. 2007, §2.1).
//   - IncrementalSort: bodies that move slowly; it also lists the pairs that begin or cease to touch
//     (Muth et al. 2007, §2.3; Schinner 1999).
//   - RadialSort: bodies sorted by their distance from one point (Leszczynski & Ciesielski 2004).
//   - BruteForce: few bodies, and tests.
//
// Bodies are closed. Balls touch if |Δ|² ≤ (r_i+r_j)², where Δ is the difference of their centers.
// The comparison uses float64 without fused multiply-adds. Boxes touch if their intervals share a
// number on every axis.
//
// A Periodic finds contacts with any of these methods in a Cell whose opposite sides are connected.
// For each contact it reports the number of periods by which the second body is moved.
//
// With HierarchicalGrid, a step with n bodies and p pairs takes O(n + p) time. VerletList and
// IncrementalSort take the same time while bodies move slowly. RadialSort takes O(n^(2−1/d) + p) in
// d dimensions, and BruteForce takes O(n²). Memory is O(n + p).
//
//	m := neighbor.NewAuto[neighbor.Sphere](neighbor.AutoOptions{})
//	for range steps {
//		if err := m.Update(ctx, balls); err != nil {
//			return err // for a ball with a NaN: errors.Is(err, neighbor.ErrBody)
//		}
//		for _, p := range m.Pairs() {
//			push(&balls[p.A], &balls[p.B])
//		}
//		move(balls)
//	}
package neighbor
