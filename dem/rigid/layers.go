package rigid

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/dem/internal/layer"
	"github.com/inpoly/inpoly/dem/internal/parallel"
	"github.com/inpoly/inpoly/neighbor"
)

// layered holds the parts of a polyhedron or a wall for the law of layers; see layer.Pair.
type layered struct {
	origin r3.Vector      // origin of the frame of the parts, in the frame of the mesh
	box    bvh.Box        // box of the mesh, relative to origin
	radius float64        // largest distance of a point from origin
	parts  []part         // convex parts, or none
	whole  *layer.Surface // surface of a body without convex parts; else nil
}

// part is a convex part of a body.
type part struct {
	*layer.Convex
	// firstTile is the number of the first tile of this part. Tiles of other bodies can be divided
	// in this part; firstPart is the number of the first of their parts.
	firstTile, firstPart int32
}

// newLayered returns the layered form of a mesh. origin is the origin of its frame.
func newLayered(ctx context.Context, f *surface, origin r3.Vector) (*layered, error) {
	l := &layered{origin: origin, box: relative(f.mesh.Box(), origin)}
	convex, err := layer.NewConvex(ctx, f.mesh, f.across, origin)
	switch {
	case err != nil:
		return nil, fmt.Errorf("rigid: %w", err)
	case convex != nil:
		l.add(convex)
		return l, nil
	}
	if l.whole, err = layer.NewSurface(ctx, f.mesh, origin); err != nil {
		return nil, fmt.Errorf("rigid: %w", err)
	}
	l.radius = l.whole.Radius()
	return l, nil
}

func relative(b bvh.Box, origin r3.Vector) bvh.Box {
	return bvh.Box{Min: b.Min.Sub(origin), Max: b.Max.Sub(origin)}
}

// add appends a convex part.
func (l *layered) add(c *layer.Convex) {
	p := part{Convex: c}
	if n := len(l.parts); n > 0 {
		last := &l.parts[n-1]
		p.firstTile, p.firstPart = last.firstTile+int32(last.Len()), last.firstPart+last.Parts()+1
	}
	l.parts, l.radius = append(l.parts, p), max(l.radius, c.Radius())
}

// isConvex reports whether the body consists of convex parts. Then the depth of a point in the body
// is defined.
func (l *layered) isConvex() bool { return len(l.parts) > 0 }

// boxAt returns a box around the body. The box is not larger than a ball around the body. So a body
// that is smaller than a periodic cell can turn there.
func (l *layered) boxAt(m *matrix, origin r3.Vector) bvh.Box {
	if l.box.Empty() {
		return bvh.EmptyBox()
	}
	center, half := scaled(.5, l.box.Min.Add(l.box.Max)), scaled(.5, l.box.Max.Sub(l.box.Min))
	at := origin.Add(m.apply(center))
	size := r3.Vector{X: m[0].Abs().Dot(half), Y: m[1].Abs().Dot(half), Z: m[2].Abs().Dot(half)}
	size = scaled(1+0x1p-40, size).Add(scaled(0x1p-50, at.Abs()))
	b, ball := bvh.Box{Min: at.Sub(size), Max: at.Add(size)}, r3.Vector{X: l.radius, Y: l.radius, Z: l.radius}
	ball = ball.Add(scaled(0x1p-50, origin.Abs()))
	low, high := origin.Sub(ball), origin.Add(ball)
	return bvh.Box{
		Min: r3.Vector{X: max(b.Min.X, low.X), Y: max(b.Min.Y, low.Y), Z: max(b.Min.Z, low.Z)},
		Max: r3.Vector{X: min(b.Max.X, high.X), Y: min(b.Max.Y, high.Y), Z: min(b.Max.Z, high.Z)},
	}
}

// layersOf returns the layered form of a polyhedron or wall.
func (w *World) layersOf(i int32) *layered {
	if n := len(w.bodies); int(i) >= n {
		return w.walls[int(i)-n].layered
	}
	return w.bodies[i].shape.layered
}

// frame returns the frame of the parts of a body after the step: its rotation and its origin.
func (w *World) frame(i int32) (*matrix, r3.Vector) {
	if n := len(w.bodies); int(i) >= n {
		return &resting.rotation, w.walls[int(i)-n].layered.origin
	}
	m := &w.next.motions[i]
	return &m.rotation, m.center
}

// prepareLayers prepares the search for pairs of polyhedra and walls in which at least one is
// convex.
func (w *World) prepareLayers() {
	convex := false
	for i := range w.bodies {
		if w.bodies[i].shape.surface != nil {
			w.layers.number = append(w.layers.number, int32(i))
			convex = convex || w.layersOf(int32(i)).isConvex()
		}
	}
	w.layers.moving = int32(len(w.layers.number))
	if w.layers.moving == 0 {
		return
	}
	for i := range w.walls {
		if x := &w.walls[i]; x.layered != nil {
			w.layers.number = append(w.layers.number, int32(len(w.bodies)+i))
			convex = convex || x.layered.isConvex()
		}
	}
	if convex {
		w.layers.finder = newPairFinder[bvh.Box](w)
	}
}

// layerPairs finds the pairs of bodies that touch by the law of layers.
type layerPairs struct {
	finder *pairFinder[bvh.Box] // nil if no body is convex
	number []int32              // number[i] is the body, or the number of bodies plus the wall, of box i
	moving int32                // the number of bodies, which are before the walls
	boxes  []bvh.Box
	pairs  []neighbor.Contact // pairs of bodies and walls
}

// layerBlock is the number of pairs in a block. // tuning
const layerBlock = 16

// findLayers finds the contacts of polyhedra with each other and with closed walls by the law of layers.
func (w *World) findLayers(ctx context.Context) error {
	l := &w.layers
	if l.finder == nil {
		return nil
	}
	l.boxes = parallel.Resized(l.boxes, len(l.number))
	const size = 256 // tuning
	if err := parallel.ForEachBlock(ctx, len(l.number), size, w.opt.Workers, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			i := l.number[j]
			if int(i) < len(w.bodies) && w.next.motions[i].removed {
				l.boxes[j] = bvh.EmptyBox()
				continue
			}
			m, origin := w.frame(i)
			l.boxes[j] = w.layersOf(i).boxAt(m, origin)
		}
	}); err != nil {
		return err
	}
	if err := l.finder.update(ctx, l.boxes); err != nil {
		for j, i := range l.number {
			if b := &l.boxes[j]; !b.Empty() && !(b.Min.Norm() <= 0x1p500 && b.Max.Norm() <= 0x1p500) { // the limit of package neighbor
				return fmt.Errorf("rigid: %w: body %d: the box from %v to %v is out of range", ErrBody, i, b.Min, b.Max)
			}
		}
		return fmt.Errorf("rigid: %w", err)
	}
	l.pairs = l.pairs[:0]
	for _, p := range l.finder.found {
		moving := p.A < l.moving
		if p.A, p.B = l.number[p.A], l.number[p.B]; moving && (w.layersOf(p.A).isConvex() || w.layersOf(p.B).isConvex()) {
			l.pairs = append(l.pairs, p)
		}
	}
	return w.collect(ctx, len(l.pairs), layerBlock, func(k *worker, i int) { w.layerContacts(k, &l.pairs[i]) })
}

// layerContacts adds the contacts of two bodies, at least one of which is convex.
func (w *World) layerContacts(k *worker, pair *neighbor.Contact) {
	a, b, shift := pair.A, pair.B, w.shift(pair.Image)
	x, y := w.layersOf(a), w.layersOf(b)
	f := &k.forces
	f.found = f.found[:0]
	switch {
	case x.isConvex() && y.isConvex():
		place, back := w.placeIn(a, b, r3.Vector{}, shift)
		for i := range x.parts {
			for j := range y.parts {
				p, q := &x.parts[i], &y.parts[j]
				f.ofA, f.ofB = f.scratch.Pair(f.ofA[:0], f.ofB[:0], p.Convex, q.Convex, &place)
				f.append(f.ofA, FaceOfA, p.firstTile, q.firstPart, &back)
				f.append(f.ofB, FaceOfB, q.firstTile, p.firstPart, &back)
			}
		}
	case x.isConvex():
		place, back := w.placeIn(b, a, shift, r3.Vector{})
		for i := range x.parts {
			f.ofB = f.scratch.OneSided(f.ofB[:0], y.whole, x.parts[i].Convex, &place)
			f.append(f.ofB, FaceOfB, 0, x.parts[i].firstPart, &back)
		}
	default:
		place, back := w.placeIn(a, b, r3.Vector{}, shift)
		for j := range y.parts {
			f.ofA = f.scratch.OneSided(f.ofA[:0], x.whole, y.parts[j].Convex, &place)
			f.append(f.ofA, FaceOfA, 0, y.parts[j].firstPart, &back)
		}
	}
	if len(x.parts) > 1 || len(y.parts) > 1 { // otherwise the forces are already in this order
		slices.SortFunc(f.found, func(p, q layerContact) int {
			return cmp.Or(cmp.Compare(p.kind, q.kind), cmp.Compare(p.Tile, q.Tile), cmp.Compare(p.Part, q.Part))
		})
	}
	w.addLayers(k, pair)
}

// forceMemory is the working memory of a worker for the law of layers.
type forceMemory struct {
	scratch  layer.Scratch
	ofA, ofB []layer.Force
	found    []layerContact
}

type layerContact struct {
	layer.Force // force in world coordinates
	kind        Kind
}

// append appends forces to the contacts of a pair. back maps their frame into the world.
func (f *forceMemory) append(forces []layer.Force, kind Kind, firstTile, firstPart int32, back *motion) {
	for _, x := range forces {
		x.Tile, x.Part = x.Tile+firstTile, x.Part+firstPart
		x.Point = back.center.Add(back.rotation.apply(x.Point))
		x.Normal = back.rotation.apply(x.Normal)
		f.found = append(f.found, layerContact{x, kind})
	}
}

// addLayers adds the contacts in k.forces to the contacts of a pair.
func (w *World) addLayers(k *worker, pair *neighbor.Contact) {
	for i := range k.forces.found {
		x := &k.forces.found[i]
		c := Contact{A: pair.A, B: pair.B, Image: pair.Image, Kind: x.kind, Feature: x.Tile, Part: x.Part, Point: x.Point, Normal: x.Normal, Depth: x.Depth, Area: x.Area, Pitch: x.Pitch}
		if x.kind == FaceOfB {
			c.Normal = scaled(-1, c.Normal)
		}
		w.add(k, c)
	}
}

// placeIn returns the place of body a in the frame of body b, and this frame. Before, the bodies
// are moved by moveA and moveB.
func (w *World) placeIn(a, b int32, moveA, moveB r3.Vector) (p layer.Place, frame motion) {
	m, x := w.frame(a)
	n, y := w.frame(b)
	x, y = x.Add(moveA), y.Add(moveB)
	for l := range 3 {
		p.Rotation[0] = p.Rotation[0].Add(scaled(n[l].X, m[l]))
		p.Rotation[1] = p.Rotation[1].Add(scaled(n[l].Y, m[l]))
		p.Rotation[2] = p.Rotation[2].Add(scaled(n[l].Z, m[l]))
	}
	p.Shift = n.back(x.Sub(y))
	return p, motion{rotation: *n, center: y}
}

// halfSpaceContacts adds the contacts of polyhedron a with a half-space, which is wall b.
func (w *World) halfSpaceContacts(k *worker, a, b int32, h *HalfSpace) {
	s, m := w.bodies[a].shape, &w.next.motions[a]
	height := h.Normal.Dot(m.center) - h.Offset
	if height > s.reach {
		return
	}
	f, l := &k.forces, s.layered
	f.found = f.found[:0]
	normal := m.rotation.back(h.Normal)
	if l.whole != nil {
		f.ofA = f.scratch.HalfSpace(f.ofA[:0], l.whole, normal, -height)
		f.append(f.ofA, FaceOfA, 0, 0, m)
	}
	for i := range l.parts {
		f.ofA = f.scratch.HalfSpace(f.ofA[:0], &l.parts[i].Surface, normal, -height)
		f.append(f.ofA, FaceOfA, l.parts[i].firstTile, 0, m)
	}
	w.addLayers(k, &neighbor.Contact{Pair: neighbor.Pair{A: a, B: b}})
}
