// Package collide finds the contacts of many moving polyhedra. A contact is a node of one body that
// lies inside another body. The package also computes the depth of each contact. Optionally it
// finds the touching triangles of two bodies. Most users call New, then SetPoses, Step and Contacts
// for each step.
//
// The test of nodes follows Muth, Of, Eberhard, Steinbach 2006, §1 and §2. A method of package
// neighbor finds the pairs of bodies whose boxes overlap. Step finds the nodes of each body that
// are in the box of the other body. Step transforms these nodes into the frame of the other body,
// whose inpoly.Solid decides their sides. Any number of bodies can share one Solid and its index.
// Only nodes are transformed, never indexes.
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
// is the distance between the origins of the two bodies; see package motion. Contact.Bound includes
// this error. A contact whose depth does not exceed its Bound can be an error of rounding.
//
// A node touches the other body if the distance of its computed position from the surface is at
// most
//
//	2⁻⁵³ (170 ρ + 90 d + |s| + |t|)
//
// where |s| and |t| are the sums of the magnitudes of the coordinates of the two translations,
// which bound the rounding of the poses. The Side of such a node is OnSurface, whichever side its
// computed position is on. So rounding hides no contact: if the exact position of a node is on the
// surface, the node is a contact with the Side OnSurface. The same holds for exact poses that were
// rounded to the nearest float64 translations. For example, if a cube rests on another cube, the
// nodes of the face between them are OnSurface at any rotation. A node at a larger distance is
// Inside or no contact. Rounding can still hide a contact of two edges that only touch in a point,
// without a touching node.
//
//	world, err := collide.New(ctx, []collide.Body{
//		{Solid: ball, Pose: pose.At(r3.Vector{})},
//		{Solid: ball, Pose: pose.At(r3.Vector{X: 1.9})},
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
