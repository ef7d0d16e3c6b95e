// Package collide finds the contacts of many moving polyhedra: which nodes of one body
// lie inside another and how deep, and on request which triangles of two bodies touch. Most
// users call New, then SetPoses, Step and Contacts for each step.
//
// The test of nodes follows Muth, Of, Eberhard, Steinbach 2006, §1 and §2. A method of package
// neighbor finds the bodies whose boxes meet. Nodes of one body in the box of the other are
// transformed into the frame of the other, whose inpoly.Solid decides the side of each. The
// indexes belong to shapes, which any number of bodies share, and never move; only nodes move.
//
// # What nodes miss
//
// Two bars that cross have no node in one another. Bodies with closed meshes, under any rule,
// share a point if and only if a node of one is in the other or triangles of both touch. For if
// they share a point, the surface of one has a point in the other. The connected part of the
// surface with that point either meets the other surface, or lies in the other body as a whole,
// including its nodes. Options.Triangles requests the second test, which is exact for corners
// as computed in the frame of the other body; see TrianglesTouch.
//
// # Rounding
//
// Sides are exact for the nodes as computed in the frame of the other body. The exact places,
// for the rotation by the exact unit quaternion, are within
//
//	2⁻⁵³ (170 ρ + 90 d)
//
// where ρ is the largest distance of a node of the first body from its own origin and d the
// distance of the two origins; see frame. Contact.Bound includes this error: a contact that is
// not deeper may be none. To find the contacts that this rounding hides, give the other solid a
// Tolerance of at least this error; points so close to its surface are then OnSurface.
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
