// Package collide finds the contacts of many moving polyhedra. A contact is a node of one body that
// lies inside another body. The package also computes the depth of each contact. Optionally it
// finds the touching triangles of two bodies. Most users call New, then SetPoses, Step and Contacts
// for each step.
//
// The test of nodes follows Muth, Of, Eberhard, Steinbach 2006, §1 and §2. A method of package
// neighbor finds the pairs of bodies whose boxes overlap. Step finds the nodes of each body that
// are in the box of the other body. It transforms these nodes into the frame of the other body. The
// inpoly.Solid of the other body decides the sides of the nodes. Any number of bodies can share one
// Solid and its index. Only nodes are transformed, never indexes.
//
// # What nodes miss
//
// Two bars can cross although neither bar contains a node of the other bar. The test of nodes
// misses such contacts. Under any rule for winding numbers, two bodies with closed meshes share a
// point if and only if a node of one body is in the other body or triangles of both bodies touch.
// Proof: if the bodies share a point, the surface of one body has a point in the other body.
// Consider the connected part of the surface with that point. Either this part touches the other
// surface, or it lies completely in the other body, with all its nodes. Options.Triangles requests
// the test of triangles. That test is exact for the corners as computed in the frame of the other
// body; see TrianglesTouch.
//
// # Rounding
//
// Sides are exact for the computed positions of the nodes in the frame of the other body. The exact
// positions use the exact unit quaternion. The distance of a computed position from the exact
// position is at most
//
//	2⁻⁵³ (170 ρ + 90 d)
//
// where ρ is the largest distance of a node of the first body from the origin of that body, and d
// is the distance between the origins of the two bodies; see frame. Contact.Bound includes this
// error. A contact whose depth does not exceed its Bound can be an error of rounding. Rounding can
// also hide contacts. To find hidden contacts, give the other solid a Tolerance of at least this
// error. Nodes within the Tolerance of its surface are then OnSurface.
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
