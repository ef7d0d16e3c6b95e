// Package rigid simulates rigid balls and polyhedra in space that touch each other and walls of
// triangles. It is the discrete element method with penalty forces for bodies of any shape, which
// is the motivation of Muth, Of, Eberhard, Steinbach 2006, §1.
//
// A Shape is a ball or an inpoly.Solid. A Scene has bodies with shapes, walls and gravity. A World
// advances it in time. A ForceLaw computes the forces of contacts; Linear is the law with springs,
// dashpots and friction.
//
//	stone, err := rigid.NewPolyhedron(ctx, solid)
//	world, err := rigid.New(ctx, rigid.Scene{
//		Bodies:  []rigid.Body{{Shape: stone, Pose: pose.At(r3.Vector{Z: 2}), Density: 2600}},
//		Walls:   []rigid.Wall{{Solid: ground, Thickness: .5}},
//		Gravity: r3.Vector{Z: -9.81},
//	}, rigid.Options{TimeStep: 1e-4, Law: rigid.Linear{Surface: rigid.Spring{Stiffness: 1e8, Damping: 1e5}, Friction: .5}})
//	for world.Time() < 1 {
//		err = world.Step(ctx)
//	}
//
// # Contacts
//
//   - Two balls touch in one point.
//   - A ball touches a mesh at each point whose distance from its center is a local minimum
//     (package nearest). On a flat part this is one point, however the part is divided into
//     triangles. A valley of more than 30° has two.
//   - Two convex polyhedra touch by layers: each point of the surface of one body that is in the other
//     body is a spring. Let φ be the depth of a point in the other body: the least distance to the plane
//     of a face. The energy is ¼k·∫φ² over the surface of each body in the other, and the forces are its
//     gradient. So collisions without damping and friction conserve the energy, to the order 2 of the
//     integrator. If flat faces of area S overlap by d, the energy is ½k·S·d², as for a layer of springs.
//     Deep overlaps are softer. A face has one contact, or several if it is large. So a brick on a brick
//     does not rock or turn, even without damping and friction. The division of a flat face into
//     triangles has no effect.
//   - A compound consists of convex parts. Each part touches other bodies like a convex body; see
//     NewCompound.
//   - A convex polyhedron and a polyhedron that is not convex touch by one layer: the energy is ½k·∫φ²
//     over the surface of the body that is not convex. The same holds for any polyhedron and a
//     half-space.
//   - Two polyhedra that are not convex touch by nodes, and so do polyhedra and sheets. There is a contact
//     for each vertex of one body in the other (package collide), along the shortest way out. A vertex has
//     the force of a layer of springs on a third of the area of its faces. If both meshes have vertices in
//     the overlap, the contact has twice the stiffness. The energy changes when vertices enter or leave.
//     With Options.Contacts = Nodes, all polyhedra touch by nodes.
//   - Two polyhedra that touch by nodes can cross without a vertex of either body in the other. Then each
//     region of overlap is one contact. So bars that lie crosswise do not pass through each other. The
//     energy of the contact is ½·k·V²/√(S² + V^(4/3)), where k is the stiffness, V the volume of the region
//     and S the vector area of one side of the region. For flat faces this is the energy of a layer of
//     springs, and for other regions it is about that of a layer with the mean thickness. The force and
//     the moment are the derivatives of the energy. When a vertex enters, the contact ends, and its energy
//     and its tangential spring are lost.
//
// World.Notes says which contacts of a scene do not conserve energy.
//
// A point deeper than half of the thickness of a body is pushed out on the other side. Therefore
// overlaps must stay small in comparison with the bodies: the springs must be stiff enough for the
// speeds and the weights. A mass m that arrives with the speed v at a spring of stiffness k enters
// by v·√(m/k). For nodes, the mesh of a polyhedron should have edges that are not much longer than
// the contacts, or else few vertices carry the contacts of its flat faces.
//
// # Determinism
//
// Contacts have an order that does not depend on the number of workers. Each body adds its forces
// in this order. So a trajectory is the same, bit for bit, for any number of workers. A World that
// Load continues from a restart file also has the same trajectory. This holds for any ForceLaw
// whose results depend only on the Contact. On another processor architecture, the last bits of
// contacts with meshes can differ.
//
// Package vtk writes frames of a World for ParaView.
package rigid
