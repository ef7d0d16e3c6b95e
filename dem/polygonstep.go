package dem

import (
	"context"
	"fmt"
	"sort"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

// Step moves the world on by one time step: predictor, bounding boxes, closest features,
// forces, corrector (Schinner 1999, Fig. 12). If it fails, with ErrParticle for a polygon
// that would get behind a wall as a whole, inside another one or out of all range, with
// neighbor.ErrBody for one that is out of range of method, or with the error of ctx, the
// world is as before.
func (w *Polygons) Step(ctx context.Context) error {
	w.bad.reset()
	if err := forEachBlock(ctx, len(w.mass), w.opt.Workers, w.predictWork); err != nil {
		return err
	}
	if err := w.escaped(); err != nil {
		return err
	}
	if err := w.forces(ctx); err != nil {
		return err
	}
	if err := forEachBlock(ctx, len(w.mass), w.opt.Workers, w.finishWork); err != nil {
		return err
	}
	if err := w.escaped(); err != nil {
		return err
	}
	w.now, w.next = w.next, w.now
	w.steps++
	return nil
}

// escaped returns the error of the first polygon that went too far.
func (w *Polygons) escaped() error {
	i, ok := w.bad.get()
	if !ok {
		return nil
	}
	v, spin := w.Velocity(i)
	return fmt.Errorf("dem: %w: polygon %d would leave the walls or all range: the time step is too long or the stiffness too small for its velocity %v and spin %v",
		ErrParticle, i, v, spin)
}

// predict moves polygons [lo, hi) and their boxes.
func (w *Polygons) predict(_, lo, hi int) {
	for i := lo; i < hi; i++ {
		if w.fixed[i] {
			continue
		}
		g := &w.next.gear[i]
		*g = w.now.gear[i]
		g.predict()
		if !w.put(i) {
			w.bad.report(i)
			continue
		}
		w.boxes[i].Min, w.boxes[i].Max = w.next.bodies[i].Bounds()
		if behind(w.boxes[i], w.walls) {
			w.bad.report(i)
		}
	}
}

// forces finds the pairs of the predicted boxes and the polygons of them that overlap, and sums
// their wrenches, by pairs in their order. Walls and gravity come with finish.
func (w *Polygons) forces(ctx context.Context) error {
	if err := w.method.Update(ctx, w.boxes); err != nil {
		return fmt.Errorf("dem: %w", err)
	}
	s := &w.next
	pairs := w.method.Pairs()
	s.pairs = resized(s.pairs, len(pairs))
	copy(s.pairs, pairs)
	s.closest = resized(s.closest, len(pairs))
	w.touches = resized(w.touches, len(pairs))
	w.bad.reset()
	if err := forEachBlock(ctx, len(pairs), w.opt.Workers, w.pairWork); err != nil {
		return err
	}
	if p, ok := w.bad.get(); ok {
		return fmt.Errorf("dem: %w: one of polygons %d and %d is inside the other: the time step is too long or the stiffness too small",
			ErrParticle, pairs[p].A, pairs[p].B)
	}
	clear(w.wrench)
	s.contacts = s.contacts[:0]
	for p, t := range w.touches {
		if t.area == 0 {
			continue
		}
		pair := s.pairs[p]
		s.contacts = append(s.contacts, PolygonContact{Pair: pair, Area: t.area, At: t.at, Force: t.force})
		w.wrench[pair.A].add(times(-1, t.force), t.at.Sub(s.center(pair.A)))
		w.wrench[pair.B].add(t.force, t.at.Sub(s.center(pair.B)))
	}
	return nil
}

// add adds a force that acts at arm from the center of mass.
func (w *wrench) add(force, arm r2.Point) {
	w.force = w.force.Add(force)
	w.moment += cross(arm, force)
}

// center returns the center of mass of polygon i.
func (s *polygonState) center(i int32) r2.Point {
	return r2.Point{X: s.gear[i][0][0], Y: s.gear[i][0][1]}
}

// pairForces computes the forces of pairs [lo, hi).
func (w *Polygons) pairForces(_, lo, hi int) {
	s := &w.next
	old := sort.Search(len(w.now.pairs), func(i int) bool { return comparePairs(w.now.pairs[i], s.pairs[lo]) >= 0 })
	for p := lo; p < hi; p++ {
		pair := s.pairs[p]
		for old < len(w.now.pairs) && comparePairs(w.now.pairs[old], pair) < 0 {
			old++
		}
		if old < len(w.now.pairs) && w.now.pairs[old] == pair {
			s.closest[p] = w.now.closest[old]
		} else {
			s.closest[p] = polygon.Pair{}
		}
		w.touches[p] = touch{}
		if w.fixed[pair.A] && w.fixed[pair.B] {
			continue
		}
		common := s.closest[p].Overlap(&s.bodies[pair.A], &s.bodies[pair.B])
		if common.Area == 0 {
			continue
		}
		if common.Chord == (r2.Point{}) {
			w.bad.report(p)
			continue
		}
		w.touches[p] = w.push(pair, common)
	}
}

// comparePairs orders pairs by A, then B.
func comparePairs(a, b neighbor.Pair) int {
	if a.A != b.A {
		return int(a.A) - int(b.A)
	}
	return int(a.B) - int(b.B)
}

// push returns the contact of a pair that overlaps. The area grows by the velocity of A
// relative to B along the normal times the length of the chord.
func (w *Polygons) push(pair neighbor.Pair, common polygon.Overlap) touch {
	chord := length(common.Chord)
	normal := r2.Point{X: common.Chord.Y / chord, Y: -common.Chord.X / chord}
	f := float64(w.opt.Stiffness * common.Area)
	if d := w.opt.Damping; d > 0 {
		v := w.velocityAt(pair.A, common.Centroid).Sub(w.velocityAt(pair.B, common.Centroid))
		f += float64(d * chord * dot(v, normal))
	}
	return touch{area: common.Area, at: common.Centroid, force: times(f, normal)}
}

// velocityAt returns the predicted velocity of polygon i at a point.
func (w *Polygons) velocityAt(i int32, p r2.Point) r2.Point {
	g := &w.next.gear[i]
	v, spin := w.velocity(g)
	arm := p.Sub(r2.Point{X: g[0][0], Y: g[0][1]})
	return r2.Point{X: v.X - float64(spin*arm.Y), Y: v.Y + float64(spin*arm.X)}
}

// finish adds walls and gravity for polygons [lo, hi) and corrects where they are.
func (w *Polygons) finish(_, lo, hi int) {
	for i := lo; i < hi; i++ {
		if a, ok := w.accelerate(i); ok {
			w.next.gear[i].correct(a)
			if !w.put(i) {
				w.bad.report(i)
			}
		}
	}
}

// accelerate returns the acceleration of polygon i by the forces summed in its place, walls
// and gravity, scaled as the integrator wants it; nothing if the polygon is fixed.
func (w *Polygons) accelerate(i int) (scaled [degrees]float64, ok bool) {
	if w.fixed[i] {
		return scaled, false
	}
	sum := w.wrench[i]
	for _, side := range sides(w.walls) {
		if !side.reached(w.boxes[i]) {
			continue
		}
		part := side.bury(&w.next.bodies[i])
		if part.area == 0 {
			continue
		}
		f := float64(w.opt.Stiffness * part.area)
		if d := w.opt.Damping; d > 0 {
			f += float64(d * part.width * side.sign * side.across(w.velocityAt(int32(i), part.at)))
		}
		sum.add(side.inward(f), part.at.Sub(w.next.center(int32(i))))
	}
	h := w.opt.TimeStep
	half := h * h / 2
	a := times(1/w.mass[i], sum.force).Add(w.gravity)
	return [degrees]float64{float64(half * a.X), float64(half * a.Y), float64(half * sum.moment / w.inertia[i])}, true
}

// Energy returns the energy of all polygons that are not fixed, summed in their order. That
// of a contact between polygons is k·A²/2L, L the length of the chord: what it takes to
// bring two edges as far into each other. A corner in an edge has 3/4 of what it took.
func (w *Polygons) Energy() Energy {
	var e Energy
	s := &w.now
	for i := range s.bodies {
		if w.fixed[i] {
			continue
		}
		v, spin := w.Velocity(i)
		e.Kinetic += w.mass[i] * dot(v, v) / 2
		e.Rotational += w.inertia[i] * spin * spin / 2
		e.Potential -= w.mass[i] * dot(w.gravity, w.Center(i))
		for _, side := range sides(w.walls) {
			part := side.bury(&s.bodies[i])
			e.Elastic += part.area * max(0, side.depth(part.at))
		}
	}
	for _, p := range s.pairs {
		if w.fixed[p.A] && w.fixed[p.B] {
			continue
		}
		var closest polygon.Pair
		if o := closest.Overlap(&s.bodies[p.A], &s.bodies[p.B]); o.Chord != (r2.Point{}) {
			e.Elastic += o.Area * o.Area / (2 * length(o.Chord))
		}
	}
	e.Elastic *= w.opt.Stiffness
	return e
}

// Momentum returns that of all polygons that are not fixed, and their angular momentum about
// the origin, summed in their order.
func (w *Polygons) Momentum() (linear r2.Point, angular float64) {
	for i := range w.mass {
		v, spin := w.Velocity(i)
		p := times(w.mass[i], v)
		linear = linear.Add(p)
		angular += cross(w.Center(i), p) + w.inertia[i]*spin
	}
	return linear, angular
}
