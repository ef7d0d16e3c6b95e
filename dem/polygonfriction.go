package dem

import (
	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem/polygon"
)

// frictionState is the part of the state of polygons that only friction needs. Without friction,
// its slices are nil.
type frictionState struct {
	pairs []tangent      // tangential spring of each pair of polygonState.pairs
	walls [][4]tangent   // tangential springs of each polygon at the walls of wallsOf
	late  []displacement // what the corrector has added to the coordinates of each polygon
}

func newFrictionState(n int) frictionState {
	return frictionState{walls: make([][4]tangent, n), late: make([]displacement, n)}
}

// tangent is the tangential spring of a contact. For a new contact it is the zero value.
type tangent struct {
	slip   float64 // displacement of the spring
	length float64 // length of the chord
}

// energy returns the energy of the spring, divided by its stiffness per unit of length.
func (t tangent) energy() float64 { return float64(t.length*t.slip) * t.slip / 2 }

// displacement is the change of the coordinates of a polygon.
type displacement [coordinates]float64

// ahead returns how far the predictor moves the state g from the last predicted coordinates. late
// is what the corrector has added to those coordinates. Forces are computed at predicted
// coordinates. So for a contact that sticks, the sum of all slips depends only on the first and the
// last position. ahead sums the rows of g, which is more accurate than a difference of coordinates,
// and is not affected if a polygon moves by a period.
func (g *gearState) ahead(late *displacement) (d displacement) {
	for k := range d {
		sum := 0.0
		for n := gearOrder; n > 0; n-- {
			sum += g[n][k]
		}
		d[k] = sum + late[k]
	}
	return d
}

// correction returns what correct will add to the coordinates of the state g.
func (g *gearState) correction(scaledAcc [coordinates]float64) (d displacement) {
	for k := range d {
		d[k] = gearWeights[0] * (scaledAcc[k] - g[2][k])
	}
	return d
}

// movedAt returns the displacement of a point of polygon i since the last computation of forces. p
// is the current position of the point. The displacement is exact up to the third order of the
// rotation.
func (w *Polygons) movedAt(i int32, p r2.Point) r2.Point {
	d := &w.moved[i]
	arm := p.Sub(w.next.gear[i].center())
	half := d[2] * d[2] / 2
	return r2.Point{
		X: d[0] - float64(d[2]*arm.Y) + float64(half*arm.X),
		Y: d[1] + float64(d[2]*arm.X) + float64(half*arm.Y),
	}
}

// left returns the vector of the same length at a right angle to v, counterclockwise.
func left(v r2.Point) r2.Point { return r2.Point{X: -v.Y, Y: v.X} }

// rub adds the friction of two polygons to the force of their contact c. last is the spring of the
// last step, and rub sets *now to the new spring.
func (w *Polygons) rub(c *PolygonContact, common *polygon.Overlap, normal float64, last tangent, now *tangent) {
	chord := length(common.Chord)
	along := times(1/chord, common.Chord) // the normal of push points to its right
	at := w.movedBack(c.At, c.Image)      // the contact point on B
	slip := dot(w.movedAt(c.Pair.A, c.At).Sub(w.movedAt(c.Pair.B, at)), along)
	speed := dot(w.velocityAt(c.Pair.A, c.At).Sub(w.velocityAt(c.Pair.B, at)), along)
	c.Force = c.Force.Add(times(w.friction(last, now, chord, normal, slip, speed), along))
}

// rubWall returns the friction of polygon i on the wall with index k of wallsOf.
func (w *Polygons) rubWall(i int32, k int, wall wall, part *clippedPart, normal float64) r2.Point {
	along := left(wall.out)
	slip := dot(w.movedAt(i, part.centroid), along)
	speed := dot(w.velocityAt(i, part.centroid), along)
	return times(w.friction(w.now.friction.walls[i][k], &w.next.friction.walls[i][k], part.width, normal, slip, speed), along)
}

// friction returns the tangential force of body A on body B. slip and speed are those of A relative
// to B, in the same direction as the force. length is the length of the contact, and normal is its
// normal force. last is the spring of the last step, and friction sets *now to the new spring.
//
// No case adds energy. If the chord grows, the force of the spring stays and its energy falls. If
// the chord shrinks, the displacement stays. Then the spring is shortened so that its force does
// not exceed the limit. The bodies do the work k·x·slip on the spring. The limit of the total force
// is at least the limit of the force of the spring.
func (w *Polygons) friction(last tangent, now *tangent, length, normal, slip, speed float64) float64 {
	k := float64(w.opt.Tangential*w.opt.Stiffness) * length
	limit := w.opt.Friction * max(0, normal)
	x := last.slip
	if length > last.length {
		x *= last.length / length
	}
	x += slip
	f := float64(k * x)
	if f > limit || f < -limit {
		f = clamped(f, limit)
		x = f / k
	}
	*now = tangent{slip: x, length: length}
	return clamped(f+float64(float64(float64(w.opt.Tangential*w.opt.Damping)*length)*speed), limit)
}

// clamped limits x to [−limit, limit].
func clamped(x, limit float64) float64 { return max(-limit, min(x, limit)) }
