// Package collide finds the contacts of many moving polyhedra: which nodes of one body lie inside
// another body and how deep. Optionally it also finds which triangles of two bodies touch. Most
// users call New, then SetPoses, Step and Contacts for each step.
//
// The test of nodes follows Muth, Of, Eberhard, Steinbach 2006, §1 and §2. A method of package
// neighbor finds the bodies whose boxes overlap. Nodes of one body in the box of the other are
// transformed into the frame of the other. Its inpoly.Solid decides the sides of these nodes. The
// indexes belong to shapes, which any number of bodies share. Only nodes move, never indexes.
//
// # What nodes miss
//
// Two crossed bars contain no node of each other. Bodies with closed meshes, under any rule, share
// a point if and only if a node of one body is in the other or triangles of both touch. Proof: if
// they share a point, the surface of one has a point in the other. The connected part of the
// surface with that point either touches the other surface, or lies completely in the other body,
// including its nodes. Options.Triangles requests the second test. It is exact for corners as
// computed in the frame of the other body; see TrianglesTouch.
//
// # Rounding
//
// Sides are exact for the nodes as computed in the frame of the other body. The exact positions,
// for the rotation by the exact unit quaternion, are within
//
//	2⁻⁵³ (170 ρ + 90 d)
//
// where ρ is the largest distance of a node of the first body from its own origin and d the
// distance of the two origins; see frame. Contact.Bound includes this error. A contact whose depth
// does not exceed Bound can be an error of rounding. Rounding can also hide contacts. To find
// these, give the other solid a Tolerance of at least this error. Points so close to its surface
// are then OnSurface.
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
