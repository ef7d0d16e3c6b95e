package rigid

import (
	"fmt"
	"math"

	"github.com/golang/geo/r3"
)

// Kind tells what touches in a contact: a ball, a vertex, edges or a part of a face.
type Kind uint8

const (
	// Ball is the contact of a ball A with another ball, a polyhedron or a wall. Contact.Feature
	// counts the contacts of a ball with the same polyhedron or wall.
	Ball Kind = iota + 1
	// NodeOfA is a vertex of A in B. Contact.Feature is the index of the vertex.
	NodeOfA
	// NodeOfB is a vertex of B in A. Contact.Feature is the index of the vertex.
	NodeOfB
	// Edges is a region where A and B overlap although no vertex of either is in the other. Only
	// edges pass through faces. Contact.Feature counts the regions of the same two bodies.
	Edges
	// FaceOfA is a part of a face of A in B. Contact.Feature is the number of the part. Large faces
	// of convex bodies have several parts. In bodies that are not convex, each triangle is a part.
	FaceOfA
	// FaceOfB is a part of a face of B in A. Contact.Feature is the number of the part.
	FaceOfB
)

// String returns the name of the constant.
func (k Kind) String() string {
	if k < Ball || k > FaceOfB {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return [...]string{"Ball", "NodeOfA", "NodeOfB", "Edges", "FaceOfA", "FaceOfB"}[k-Ball]
}

// Contact is a place where body A touches B. It is the argument of a ForceLaw, and a result of
// World.Contacts.
type Contact struct {
	A int32 // a body, never a wall
	// B is a body, or the number of bodies plus the index of a wall.
	B       int32
	Kind    Kind
	Feature int32
	// Part distinguishes the contacts of one part of a face. For other kinds, it is 0.
	Part int32
	// Image is the number of periods of Scene.Cell on each axis by which B moves to touch A. It is
	// zero if no axis is periodic.
	Image [3]int32
	// Point is the point where the forces act on A, and on B after the move by Image.
	Point r3.Vector
	// Normal is the unit vector along which A must move to leave B.
	Normal r3.Vector
	// Depth is the length of the overlap along Normal. It is positive. For faces and edges, Depth
	// belongs to a layer of springs with the same energy and force as the contact; see the package
	// comment.
	Depth float64
	// Area is 0 for a ball. For a vertex, it is a third of the area of the faces at the vertex. A
	// vertex of a wall has at most the largest such area of the polyhedron, because the faces of a
	// wall can be much larger than the polyhedron. For faces and edges, it is the area of the layer
	// of springs that Depth describes.
	Area float64
	// Pitch describes the moment along Normal that the forces of faces and edges have. On A, this
	// moment is Pitch times the component of Force along Normal. For other kinds, Pitch is 0.
	Pitch float64
	// Mass is a·b/(a+b), where a and b are the masses of A and B. If B is a wall, Mass is a.
	Mass float64
	// Velocity is the velocity of A relative to B at Point. If Pitch is not 0, the component of
	// Velocity along Normal also includes Pitch times the angular velocity of A relative to B along
	// Normal. So Force·Velocity is the power of the contact.
	Velocity r3.Vector
	// Spring is the displacement of A relative to B, at a right angle to Normal, since the contact
	// began. If Area grows, the new area has no displacement, so Spring becomes the mean. In a call
	// of ForceLaw.Force, Spring includes the displacement of the present step, but not yet the
	// correction that the law returns.
	Spring r3.Vector
	// Force is the force on A. The force on B is the opposite.
	Force r3.Vector
}

// ForceLaw computes the forces of contacts. A World calls it from several goroutines. The results
// must depend only on the Contact. Otherwise trajectories depend on the number of workers.
//
// A law without damping and friction conserves the energy of faces and edges if the force is k·Area·Depth
// along Normal, with a constant k. Then the elastic energy is ½·k·Area·Depth². For any other law, the
// energy of faces and edges is an approximation.
type ForceLaw interface {
	// Force returns the force on A at Point and the new displacement of the tangential spring.
	// c.Force is not set yet. If sliding limits the force, the new displacement is shorter than
	// c.Spring.
	Force(c *Contact) (force, spring r3.Vector)
	// Energy returns the elastic energy of the contact, for World.Energy.
	Energy(c *Contact) float64
}

// Spring holds the constants of a spring and a dashpot.
type Spring struct {
	// Stiffness must be positive, or zero for no force. Damping must not be negative.
	Stiffness, Damping float64
}

// Linear is the law with linear springs, linear dashpots and friction. The normal force is k·δ −
// d·v, where δ is the depth and v the velocity along the normal (Muth, Müller, Eberhard, Luding
// 2007, eq. 1). This force acts during the whole overlap. So with strong damping, it can pull
// shortly before the end of a contact. For the restitution coefficient see dem.Restitution.
//
// Friction is a tangential spring and a dashpot, whose force is at most Friction times the normal
// force (Cundall and Strack 1979, "A discrete numerical model for granular assemblies"). So bodies
// stick until the limit is exceeded, and then they slide.
type Linear struct {
	// Ball has the constants k and d of contacts of balls, in N/m and Ns/m.
	Ball Spring
	// Surface has the constants of contacts of polyhedra, for a unit of area, in N/m³ and Ns/m³. The
	// surfaces act like layers of independent springs (Johnson 1985, "Contact Mechanics", §4.3). A
	// vertex has the constants Surface times Contact.Area. So the force hardly changes if a mesh is
	// refined.
	Surface Spring
	// Friction is the coefficient of friction. 0 means no friction.
	Friction float64
	// Tangential is the ratio of the tangential constants to the normal constants. 0 means 2/7. With
	// this ratio, the tangential and the normal oscillation of a ball have the same period.
	Tangential float64
}

// Check returns an error that wraps ErrOptions if a constant is invalid.
func (l Linear) Check() error {
	for _, x := range []struct {
		name  string
		value float64
	}{
		{"the stiffness of balls", l.Ball.Stiffness}, {"the damping of balls", l.Ball.Damping},
		{"the stiffness of surfaces", l.Surface.Stiffness}, {"the damping of surfaces", l.Surface.Damping},
		{"the coefficient of friction", l.Friction}, {"the tangential ratio", l.Tangential},
	} {
		if !(x.value >= 0 && x.value <= math.MaxFloat64) {
			return fmt.Errorf("rigid: %w: %s is %v, must be zero or a positive number", ErrOptions, x.name, x.value)
		}
	}
	return nil
}

// constants returns the normal spring of a contact, and the ratio of the tangential constants to
// it.
func (l *Linear) constants(c *Contact) (s Spring, ratio float64) {
	s, ratio = l.Ball, l.Tangential
	if c.Kind != Ball {
		s = Spring{float64(l.Surface.Stiffness * c.Area), float64(l.Surface.Damping * c.Area)}
	}
	if ratio == 0 {
		ratio = 2. / 7
	}
	return s, ratio
}

// Force implements ForceLaw. Force first shortens the spring so that its force does not exceed the
// limit. Then it limits the sum of the forces of the spring and the dashpot. So friction only loses
// energy: if k·|s| is at most the limit for a spring s, the power of the force plus the power of
// the spring is not positive. (With the spring of Luding 2008, "Cohesive, frictional powders:
// contact models for tension", eq. 11, which subtracts the dashpot, a contact that begins at a high
// speed would get a spring from nothing.)
func (l Linear) Force(c *Contact) (force, spring r3.Vector) {
	s, ratio := l.constants(c)
	speed := c.Velocity.Dot(c.Normal)
	normal := float64(s.Stiffness*c.Depth) - float64(s.Damping*speed)
	force = scaled(normal, c.Normal)
	if l.Friction == 0 || s.Stiffness == 0 {
		return force, r3.Vector{}
	}
	k, d := ratio*s.Stiffness, ratio*s.Damping
	limit := l.Friction * max(0, normal)
	spring = limited(c.Spring, limit/k)
	t := scaled(-k, spring).Sub(scaled(d, c.Velocity.Sub(scaled(speed, c.Normal))))
	return force.Add(limited(t, limit)), spring
}

// limited returns v, but not longer than the limit.
func limited(v r3.Vector, limit float64) r3.Vector {
	if size := length(v); size > limit {
		return scaled(limit/size, v)
	}
	return v
}

// Energy implements ForceLaw.
func (l Linear) Energy(c *Contact) float64 {
	s, ratio := l.constants(c)
	e := float64(float64(s.Stiffness*c.Depth) * c.Depth)
	if l.Friction > 0 {
		e += float64(ratio * s.Stiffness * c.Spring.Norm2())
	}
	return e / 2
}
