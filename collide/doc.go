// Package collide finds the contacts of many moving polyhedra: which nodes of one body
// lie inside another, how deep, and, where asked for, which triangles of two bodies
// touch.
//
// The test of nodes is that of Muth, Of, Eberhard, Steinbach 2006, §1 and §2: bodies
// whose boxes meet are found first, by a method of package neighbor; nodes of one in the
// box of the other are taken into the frame of the other, and its oracle (rays, cells or
// multipoles: whatever the inpoly.Solid was built with) tells the side of each. The
// indexes belong to shapes, which any number of bodies share, and never move; the nodes do.
//
// # What nodes miss
//
// Two bars that cross have no node in one another. Bodies of closed meshes, under any rule,
// share a point if and only if a node of one is in the other, or triangles of both
// touch: where they share a point the surface of one has a point in the other, and the part of
// that surface that hangs together with it either meets the other surface, or lies in the
// other body as a whole, with its nodes. Options.Triangles asks for the second test,
// which is exact for corners as computed in the frame of the other body: see TrianglesTouch.
//
// # Rounding
//
// Sides are exact for the nodes as computed in the frame of the other body. Where they
// are exactly, for the rotation of the exact unit quaternion, is at most
//
//	2⁻⁵³ (170 ρ + 90 d)
//
// from there, ρ being the largest distance of a node of the first body from its
// own origin, and d the distance of the two origins; see frame.go. Contact.Bound includes it: a
// contact that is not deeper than that may be none. Those that this rounding
// hides are found as well if the other solid has a Tolerance of at least as much, under which
// it calls points OnSurface that are no farther from its surface.
//
//	world, err := collide.New(ctx, []collide.Body{
//		{Solid: ball, Pose: collide.At(r3.Vector{})},
//		{Solid: ball, Pose: collide.At(r3.Vector{X: 1.9})},
//	}, collide.Options{})
//	if err != nil {
//		return err
//	}
//	if err := world.Step(ctx); err != nil {
//		return err
//	}
//	for _, c := range world.Contacts() {
//		fmt.Println(c.A, c.B, c.Node, c.Point, c.Depth, c.Normal)
//	}
package collide
