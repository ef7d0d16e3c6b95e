package dem

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/golang/geo/r2"

	"github.com/inpoly/inpoly/dem/internal/parallel"
	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

// Step advances the world by one time step. It runs the predictor, finds bounding boxes, closest
// features and forces, and runs the corrector (Schinner 1999, Fig. 12). If Step fails, the world
// does not change.
//
// Errors: ErrParticle for a polygon that would be completely behind a wall, inside another polygon
// or out of range; neighbor.ErrBody for a polygon out of the range of the method; the error of ctx.
func (w *Polygons) Step(ctx context.Context) error {
	w.awake.Begin(w.opt.Workers)
	defer w.awake.End()
	w.bad.Reset()
	if err := parallel.ForEachBlock(ctx, len(w.mass), blockSize, w.opt.Workers, w.predictWork); err != nil {
		return err
	}
	if err := w.escaped(); err != nil {
		return err
	}
	if err := w.forces(ctx); err != nil {
		return err
	}
	if err := parallel.ForEachBlock(ctx, len(w.mass), blockSize, w.opt.Workers, w.finishWork); err != nil {
		return err
	}
	if err := w.escaped(); err != nil {
		return err
	}
	w.wrapContacts()
	w.now, w.next = w.next, w.now
	w.steps++
	return nil
}

func (w *Polygons) escaped() error {
	i, ok := w.bad.Get()
	if !ok {
		return nil
	}
	v, spin := w.Velocity(i)
	return fmt.Errorf("dem: %w: polygon %d would leave the space between the walls or the range of coordinates: the time step is too long or the stiffness too small for its velocity %v and spin %v",
		ErrParticle, i, v, spin)
}

// predict moves polygons [lo, hi) and their boxes. It reports to w.bad each polygon that leaves the
// walls or the range of coordinates.
func (w *Polygons) predict(_, lo, hi int) {
	for i := lo; i < hi; i++ {
		if w.fixed[i] {
			continue
		}
		g := &w.next.gear[i]
		*g = w.now.gear[i]
		g.predict()
		if w.moved != nil {
			w.moved[i] = w.now.gear[i].ahead(&w.now.friction.late[i])
		}
		if !w.applyGear(i) || w.jumps(i) {
			w.bad.Report(i)
			continue
		}
		w.boxes[i].Min, w.boxes[i].Max = w.next.bodies[i].Bounds()
		if b := w.boxes[i]; b.Max.X <= w.walls.Min.X || b.Min.X >= w.walls.Max.X || b.Max.Y <= w.walls.Min.Y || b.Min.Y >= w.walls.Max.Y {
			w.bad.Report(i)
		}
	}
}

// forces finds the pairs of predicted boxes that touch, and the pairs of polygons that overlap. It
// adds forces and moments in the order of the pairs. The method finish later adds the forces of
// walls and gravity.
func (w *Polygons) forces(ctx context.Context) error {
	s := &w.next
	if err := w.findPairs(ctx); err != nil {
		return err
	}
	s.closest = parallel.Resized(s.closest, len(s.pairs))
	w.overlaps = parallel.Resized(w.overlaps, len(s.pairs))
	if w.opt.Friction > 0 {
		s.friction.pairs = parallel.Resized(s.friction.pairs, len(s.pairs))
	}
	w.bad.Reset()
	if err := parallel.ForEachBlock(ctx, len(s.pairs), blockSize, w.opt.Workers, w.pairWork); err != nil {
		return err
	}
	if p, ok := w.bad.Get(); ok {
		return fmt.Errorf("dem: %w: one of polygons %d and %d is inside the other: the time step is too long or the stiffness too small",
			ErrParticle, s.pairs[p].A, s.pairs[p].B)
	}
	clear(w.wrench)
	s.contacts = s.contacts[:0]
	for i := range w.overlaps {
		c := &w.overlaps[i]
		if c.Area == 0 {
			continue
		}
		s.contacts = append(s.contacts, *c)
		w.wrench[c.Pair.A].add(times(-1, c.Force), c.At.Sub(s.gear[c.Pair.A].center()))
		w.wrench[c.Pair.B].add(c.Force, w.movedBack(c.At, c.Image).Sub(s.gear[c.Pair.B].center()))
	}
	return nil
}

// findPairs sets the pairs of the next state to all pairs of touching boxes.
func (w *Polygons) findPairs(ctx context.Context) error {
	if err := w.method.Update(ctx, w.boxes); err != nil {
		return fmt.Errorf("dem: %w", err)
	}
	s := &w.next
	if w.border.periodic {
		s.pairs, s.images = w.border.contacts(s.pairs[:0], s.images[:0])
		return nil
	}
	found := w.method.Pairs()
	s.pairs = parallel.Resized(s.pairs, len(found))
	copy(s.pairs, found)
	return nil
}

// add adds a force and its moment. The lever arm begins at the center of mass.
func (w *wrench) add(force, arm r2.Point) {
	w.force = w.force.Add(force)
	w.moment += cross(arm, force)
}

// pairForces computes the forces of pairs [lo, hi). The search for each pair starts at the closest
// features of the last step. If a polygon is inside the other polygon, pairForces reports the pair
// to w.bad.
func (w *Polygons) pairForces(_, lo, hi int) {
	s := &w.next
	old := sort.Search(len(w.now.pairs), func(i int) bool { return w.now.compare(i, s, lo) >= 0 })
	for p := lo; p < hi; p++ {
		pair := s.pairs[p]
		for old < len(w.now.pairs) && w.now.compare(old, s, p) < 0 {
			old++
		}
		known := old < len(w.now.pairs) && w.now.compare(old, s, p) == 0
		if known {
			s.closest[p] = w.now.closest[old]
		} else {
			s.closest[p] = polygon.Pair{}
		}
		w.overlaps[p] = PolygonContact{}
		if w.opt.Friction > 0 {
			s.friction.pairs[p] = tangent{}
		}
		if w.fixed[pair.A] && w.fixed[pair.B] {
			continue
		}
		image := s.image(p)
		var common polygon.Overlap
		if image == [3]int32{} {
			common = s.closest[p].Overlap(&s.bodies[pair.A], &s.bodies[pair.B])
		} else {
			common = w.overlapImage(s, &s.closest[p], pair, image)
		}
		if common.Area == 0 {
			continue
		}
		if common.Chord == (r2.Point{}) {
			w.bad.Report(p)
			continue
		}
		w.overlaps[p].Pair, w.overlaps[p].Image = pair, image
		f := w.push(&w.overlaps[p], &common)
		if w.opt.Friction > 0 {
			var last tangent
			if known {
				last = w.now.friction.pairs[old]
			}
			w.rub(&w.overlaps[p], &common, f, last, &s.friction.pairs[p])
		}
	}
}

// compare returns the order of pair i of s and pair j of t.
func (s *polygonState) compare(i int, t *polygonState, j int) int {
	if c := comparePairs(s.pairs[i], t.pairs[j]); c != 0 || s.images == nil {
		return c
	}
	return slices.Compare(s.images[i][:], t.images[j][:])
}

func comparePairs(a, b neighbor.Pair) int {
	if a.A != b.A {
		return int(a.A) - int(b.A)
	}
	return int(a.B) - int(b.B)
}

// push sets the area and the force of the contact c of two polygons that overlap, without friction. It
// returns the normal force. The area of the overlap changes at the rate L·v, where L is the length of
// the chord. The speed v is the velocity of A relative to B along the normal.
func (w *Polygons) push(c *PolygonContact, common *polygon.Overlap) float64 {
	chord := length(common.Chord)
	normal := r2.Point{X: common.Chord.Y / chord, Y: -common.Chord.X / chord}
	f := float64(w.opt.Stiffness * common.Area)
	if d := w.opt.Damping; d > 0 {
		v := w.velocityAt(c.Pair.A, common.Centroid).Sub(w.velocityAt(c.Pair.B, w.movedBack(common.Centroid, c.Image)))
		f += float64(d * chord * dot(v, normal))
	}
	c.Area, c.At, c.Force = common.Area, common.Centroid, times(f, normal)
	return f
}

// velocityAt returns the predicted velocity of polygon i at the point p.
func (w *Polygons) velocityAt(i int32, p r2.Point) r2.Point {
	g := &w.next.gear[i]
	v, spin := w.velocity(g)
	arm := p.Sub(g.center())
	return r2.Point{X: v.X - float64(spin*arm.Y), Y: v.Y + float64(spin*arm.X)}
}

// finish adds the forces of walls and gravity to polygons [lo, hi) and corrects their positions. It
// reports to w.bad each polygon that leaves the range of coordinates.
func (w *Polygons) finish(_, lo, hi int) {
	for i := lo; i < hi; i++ {
		if a, ok := w.accelerate(i); ok {
			if w.moved != nil {
				w.next.friction.late[i] = w.next.gear[i].correction(a)
			}
			w.next.gear[i].correct(a)
			if !w.wrap(i) || !w.applyGear(i) {
				w.bad.Report(i)
			}
		}
	}
}

// accelerate returns the acceleration of polygon i by contacts, walls and gravity. The acceleration
// is multiplied by h²/2 for the time step h. If the polygon is fixed, ok is false.
func (w *Polygons) accelerate(i int) (scaled [coordinates]float64, ok bool) {
	if w.fixed[i] {
		return scaled, false
	}
	sum := w.wrench[i]
	if w.opt.Friction > 0 {
		w.next.friction.walls[i] = [4]tangent{}
	}
	for k, wall := range wallsOf(w.walls) {
		if !wall.reached(w.boxes[i]) {
			continue
		}
		part := wall.clip(&w.next.bodies[i])
		if part.area == 0 {
			continue
		}
		f := float64(w.opt.Stiffness * part.area)
		if d := w.opt.Damping; d > 0 {
			f += float64(d * part.width * dot(wall.out, w.velocityAt(int32(i), part.centroid)))
		}
		force := times(-f, wall.out)
		if w.opt.Friction > 0 {
			force = force.Sub(w.rubWall(int32(i), k, wall, &part, f))
		}
		sum.add(force, part.centroid.Sub(w.next.gear[i].center()))
	}
	h := w.opt.TimeStep
	half := h * h / 2
	a := times(1/w.mass[i], sum.force).Add(w.gravity)
	return [coordinates]float64{float64(half * a.X), float64(half * a.Y), float64(half * sum.moment / w.inertia[i])}, true
}
