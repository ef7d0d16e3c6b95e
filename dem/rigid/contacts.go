package rigid

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/collide"
	"github.com/inpoly/inpoly/dem/internal/parallel"
	"github.com/inpoly/inpoly/neighbor"
)

// These are the numbers of items in a block. The items are pairs of bodies with a ball, contacts of
// nodes, and pairs of bodies whose edges cross. // tuning
const (
	pairBlock = 128
	nodeBlock = 256
	edgeBlock = 4
)

// span is a range of a list of one worker.
type span struct{ worker, first, count int }

// forces finds the contacts of the next state, computes their forces and adds these up.
func (w *World) forces(ctx context.Context) error {
	for i := range w.workers {
		w.workers[i].contacts = w.workers[i].contacts[:0]
	}
	w.spans = w.spans[:0]
	w.bad.Reset()
	for _, find := range []func(context.Context) error{w.findBalls, w.findWalls, w.findNodes, w.findLayers} {
		if err := find(ctx); err != nil {
			return err
		}
	}
	if p, ok := w.bad.Get(); ok {
		pair := w.balls.found[p]
		return fmt.Errorf("rigid: %w: balls %d and %d have the same center", ErrBody, pair.A, pair.B)
	}
	if err := w.gather(ctx); err != nil {
		return err
	}
	return w.sum(ctx)
}

// collect calls find for the items 0 to n−1. find adds contacts to the contacts of a worker.
// collect appends the ranges of these contacts to w.spans, in the order of the items.
func (w *World) collect(ctx context.Context, n, size int, find func(k *worker, i int)) error {
	first := len(w.spans)
	w.spans = slices.Grow(w.spans, (n+size-1)/size)[:first+(n+size-1)/size]
	return parallel.ForEachBlock(ctx, n, size, w.opt.Workers, func(id, lo, hi int) {
		k := &w.workers[id]
		s := span{worker: id, first: len(k.contacts)}
		for i := lo; i < hi; i++ {
			find(k, i)
		}
		s.count = len(k.contacts) - s.first
		w.spans[first+lo/size] = s
	})
}

// gather copies the contacts of all workers to the next state.
func (w *World) gather(ctx context.Context) error {
	total := 0
	for i := range w.spans {
		total += w.spans[i].count
	}
	s := &w.next
	s.contacts, s.keys = parallel.Resized(s.contacts, total), parallel.Resized(s.keys, total)
	w.ends = parallel.Resized(w.ends, total)
	starts := make([]int, len(w.spans))
	for i := 1; i < len(starts); i++ {
		starts[i] = starts[i-1] + w.spans[i-1].count
	}
	return parallel.ForEachBlock(ctx, len(w.spans), 8, w.opt.Workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			from := w.spans[i]
			for j, c := range w.workers[from.worker].contacts[from.first : from.first+from.count] {
				s.contacts[starts[i]+j] = c
				s.keys[starts[i]+j] = w.keyOf(&c)
				w.ends[starts[i]+j] = [2]int32{c.A, c.B}
			}
		}
	})
}

// findBalls finds the contacts of balls with bodies.
func (w *World) findBalls(ctx context.Context) error {
	if !w.hasBalls {
		return nil
	}
	s := &w.next
	w.spheres = parallel.Resized(w.spheres, len(w.bodies))
	for i := range w.spheres {
		w.spheres[i] = neighbor.Sphere{Center: s.motions[i].center, Radius: w.bodies[i].shape.reach}
		if s.motions[i].removed {
			w.spheres[i].Radius = neighbor.Absent()
		}
	}
	if err := w.balls.update(ctx, w.spheres); err != nil {
		return fmt.Errorf("rigid: %w", err)
	}
	pairs := w.balls.found
	return w.collect(ctx, len(pairs), pairBlock, func(k *worker, i int) {
		a, b, image := pairs[i].A, pairs[i].B, pairs[i].Image
		switch x, y := w.bodies[a].shape, w.bodies[b].shape; {
		case x.surface == nil && y.surface == nil:
			if !w.ballContact(k, a, b, image) {
				w.bad.Report(i)
			}
		case x.surface == nil:
			w.surfaceContacts(k, Contact{A: a, B: b, Image: image}, y.surface, &s.motions[b])
		case y.surface == nil:
			w.surfaceContacts(k, Contact{A: b, B: a, Image: opposite(image)}, x.surface, &s.motions[a])
		}
	})
}

// findWalls finds the contacts of balls with all walls, and of polyhedra with sheets and half-spaces.
func (w *World) findWalls(ctx context.Context) error {
	if len(w.walls) == 0 || !w.hasBalls && !w.hasSheets && !w.hasHalfSpaces {
		return nil
	}
	const size = 8 // tuning
	return w.collect(ctx, len(w.bodies), size, func(k *worker, i int) {
		if w.next.motions[i].removed {
			return
		}
		for j := range w.walls {
			b := int32(len(w.bodies) + j)
			switch ball, sheet := w.bodies[i].shape.surface == nil, w.walls[j].rim != nil; {
			case w.walls[j].halfSpace != nil && ball:
				w.ballOnHalfSpace(k, int32(i), b, w.walls[j].halfSpace)
			case w.walls[j].halfSpace != nil && w.opt.Contacts == Nodes:
				w.nodesInHalfSpace(k, int32(i), b, w.walls[j].halfSpace)
			case w.walls[j].halfSpace != nil:
				w.halfSpaceContacts(k, int32(i), b, w.walls[j].halfSpace)
			case ball && sheet:
				w.sheetContacts(k, int32(i), b, &w.walls[j])
			case ball:
				w.surfaceContacts(k, Contact{A: int32(i), B: b}, w.walls[j].surface, &resting)
			case sheet:
				w.sheetNodes(k, int32(i), b, &w.walls[j])
			}
		}
	})
}

// findNodes finds the contacts of polyhedra with each other and with closed walls at vertices and edges.
func (w *World) findNodes(ctx context.Context) error {
	if w.polyhedra == nil {
		return nil
	}
	s := &w.next
	for j, i := range w.number {
		if int(i) < len(w.bodies) {
			w.poses[j] = s.motions[i].pose
		}
	}
	if err := w.polyhedra.SetPoses(w.poses); err != nil {
		return fmt.Errorf("rigid: %w: %w", ErrBody, err)
	}
	for j, i := range w.number {
		if int(i) < len(w.bodies) && s.motions[i].removed {
			w.polyhedra.Remove(j)
		}
	}
	if err := w.polyhedra.Step(ctx); err != nil {
		return fmt.Errorf("rigid: %w", err)
	}
	found := w.polyhedra.Contacts()
	if err := w.collect(ctx, len(found), nodeBlock, func(k *worker, i int) { w.nodeContact(k, &found[i]) }); err != nil {
		return err
	}
	faces := w.polyhedra.FacePairs()
	w.groups = w.groups[:0]
	for i, p := range faces {
		if n := len(w.groups); i > 0 && faces[i-1].A == p.A && faces[i-1].B == p.B {
			w.groups[n-1].count++
		} else {
			w.groups = append(w.groups, span{first: i, count: 1})
		}
	}
	return w.collect(ctx, len(w.groups), edgeBlock, func(k *worker, i int) {
		g := w.groups[i]
		w.edgeContacts(k, faces[g.first:g.first+g.count])
	})
}

// nodeContact adds the contact of a vertex.
func (w *World) nodeContact(k *worker, found *collide.Contact) {
	if !(found.Depth > 0) || found.Normal == (r3.Vector{}) || found.Side == inpoly.Unknown {
		return
	}
	a, b := w.number[found.A], w.number[found.B]
	c := Contact{
		A: a, B: b, Kind: NodeOfA, Feature: found.Node, Point: found.Point, Normal: found.Normal,
		Depth: found.Depth, Area: w.surface(a).area[found.Node],
	}
	if int(a) >= len(w.bodies) { // a vertex of a wall
		c.Area = min(c.Area, w.surface(b).patch)
	}
	if a > b {
		c.A, c.B, c.Kind, c.Normal = b, a, NodeOfB, scaled(-1, c.Normal)
	}
	w.add(k, c)
}

// surface returns the mesh of a polyhedron or wall.
func (w *World) surface(i int32) *surface {
	if n := len(w.bodies); int(i) >= n {
		return w.walls[int(i)-n].surface
	}
	return w.bodies[i].shape.surface
}

// resting is the motion of a wall.
var resting = motion{rotation: matrix{{X: 1}, {Y: 1}, {Z: 1}}}

// motionsOf returns the states of body or wall i before and after the step.
func (w *World) motionsOf(i int32) (before, after *motion) {
	if int(i) >= len(w.bodies) {
		return &resting, &resting
	}
	return &w.now.motions[i], &w.next.motions[i]
}

// add completes a contact, computes its force, and appends it to the contacts of the worker.
func (w *World) add(k *worker, c Contact) {
	c.Mass = w.bodies[c.A].mass
	if int(c.B) < len(w.bodies) {
		c.Mass = c.Mass * (w.bodies[c.B].mass / (c.Mass + w.bodies[c.B].mass))
	}
	beforeA, a := w.motionsOf(c.A)
	beforeB, b := w.motionsOf(c.B)
	at := c.Point.Sub(w.shift(c.Image)) // the contact point on B
	c.Velocity = a.velocityAt(c.Point).Sub(b.velocityAt(at))
	if c.Pitch != 0 {
		c.Velocity = c.Velocity.Add(scaled(float64(c.Pitch*a.spin.Sub(b.spin).Dot(c.Normal)), c.Normal))
	}
	slip := moved(beforeA, a, c.Point).Sub(moved(beforeB, b, at))
	c.Spring = w.oldSpring(k, &c).Add(slip)
	c.Spring = c.Spring.Sub(scaled(c.Spring.Dot(c.Normal), c.Normal))
	c.Force, c.Spring = w.opt.Law.Force(&c)
	k.contacts = append(k.contacts, c)
}

// velocityAt returns the velocity of the body at the point p.
func (m *motion) velocityAt(p r3.Vector) r3.Vector {
	return m.velocity.Add(m.spin.Cross(p.Sub(m.center)))
}

// moved returns how far the point of the body that is now at p has moved in the step.
func moved(before, after *motion, p r3.Vector) r3.Vector {
	arm := p.Sub(after.center)
	old := before.rotation.apply(after.rotation.back(arm))
	return after.center.Sub(before.center).Add(arm.Sub(old))
}

// sameDirection is the cosine of the largest angle between the normals of a contact of a ball before
// and after a step. Two contacts of a ball with the same surface have normals with a larger angle.
const sameDirection = .866

// oldSpring returns the tangential spring of the contact in the state before the step, or zero.
func (w *World) oldSpring(k *worker, c *Contact) (spring r3.Vector) {
	old, keys := w.now.contacts, w.now.keys
	key := w.keyOf(c)
	first := k.seek(keys, key)
	if c.Kind != Ball {
		if first < len(keys) && keys[first] == key {
			return relaxed(&old[first], c)
		}
		return spring
	}
	// The normal identifies a contact of a ball, because the ball can roll from face to face.
	nearest := sameDirection
	for ; first < len(keys) && keys[first] == key; first++ {
		if d := old[first].Normal.Dot(c.Normal); d > nearest {
			nearest, spring = d, old[first].Spring
		}
	}
	return spring
}

// relaxed returns the new tangential spring of a contact. x is the contact before the step. If the
// area has grown, the new area has no displacement yet. The mean displacement gives the same force
// and less energy.
func relaxed(x, c *Contact) r3.Vector {
	if c.Area > x.Area {
		return scaled(x.Area/c.Area, x.Spring)
	}
	return x.Spring
}

// seek returns the index of the first key that is not less than want. The contacts that a worker
// looks up mostly have ascending keys, so the search starts at the last index and doubles its
// range.
func (k *worker) seek(keys []key, want key) int {
	lo := min(k.last, len(keys))
	if lo > 0 && compareKeys(keys[lo-1], want) >= 0 {
		lo = 0
	}
	hi := lo
	for step := 1; hi < len(keys) && compareKeys(keys[hi], want) < 0; step *= 2 {
		lo, hi = hi+1, min(hi+step, len(keys))
	}
	i, _ := slices.BinarySearchFunc(keys[lo:hi], want, compareKeys)
	k.last = lo + i
	return k.last
}

// key is the place of a contact in World.Contacts.
type key struct {
	part   uint8
	lo, hi int32
	image  [3]int32 // image of body hi
	kind   Kind
	// feature is 0 for balls, so that all contacts of the same two bodies have the same key.
	feature int32
	piece   int32 // Contact.Part
}

func (w *World) keyOf(c *Contact) key {
	k := key{lo: min(c.A, c.B), hi: max(c.A, c.B), kind: c.Kind, feature: c.Feature, piece: c.Part}
	n := len(w.bodies)
	switch wall := int(c.B) - n; {
	case c.Kind == Edges:
		k.part = 3
	case wall >= 0 && (c.Kind == Ball || w.walls[wall].rim != nil || w.walls[wall].halfSpace != nil):
		k.part = 1
	case c.Kind == FaceOfA || c.Kind == FaceOfB:
		k.part = 4
	case c.Kind != Ball:
		k.part = 2
	}
	if c.Kind == Ball {
		k.feature = 0
	}
	if k.image = c.Image; c.A > c.B {
		k.image = opposite(c.Image)
	}
	return k
}

func compareKeys(k, o key) int {
	switch {
	case k.part != o.part:
		return int(k.part) - int(o.part)
	case k.lo != o.lo:
		return cmp.Compare(k.lo, o.lo)
	case k.hi != o.hi:
		return cmp.Compare(k.hi, o.hi)
	case k.image != o.image:
		return slices.Compare(k.image[:], o.image[:])
	case k.kind != o.kind:
		return int(k.kind) - int(o.kind)
	case k.feature != o.feature:
		return cmp.Compare(k.feature, o.feature)
	}
	return cmp.Compare(k.piece, o.piece)
}
