package section

import (
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/motion"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// Cut returns the section of s with a plane. If s has a pose, the plane is in the world, and the section is that of
// the exactly moved mesh. The bounds of points then include the rounding of the motion.
//
// If the solid has its tree, Cut visits only the faces near the plane. Otherwise it tests all faces, which is
// faster than building the tree. If the contours do not cross, the rest takes O(k log k) time for k segments. Each
// pair of segments that cross adds some ten microseconds.
//
// Errors: ErrPlane; the error of ctx if ctx ends first.
func Cut(ctx context.Context, s inpoly.Target, p Plane) (*Section, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	c := newCutter(s)
	t := new(tracer)
	t.start(c, p)
	if surface := locate.Of(s).Surface; surface.Indexed() {
		index, err := surface.Index(ctx)
		if err != nil {
			return nil, err
		}
		c.addFromTree(t, index.Tree)
	} else if err := c.addAll(ctx, t); err != nil {
		return nil, err
	}
	return c.finish(ctx, t)
}

// cutter cuts one solid.
type cutter struct {
	mesh    *mesh.Mesh
	rule    inpoly.Rule
	place   *motion.Placement // nil without a pose
	workers int
}

func newCutter(s inpoly.Target) *cutter {
	set := locate.Of(s)
	return &cutter{s.Mesh(), set.Surface.Rule(), set.Place, set.Workers}
}

// addFromTree adds the segments of the faces that the tree finds, in the order of the faces. So sections
// do not depend on whether the solid has its tree.
func (c *cutter) addFromTree(t *tracer, tree *mesh.Indexed) {
	var w bvh.PlaneWalk
	index := tree.Tree().Index()
	var near []int32
	plane := t.g.Plane
	if c.place != nil {
		plane = t.near
	}
	for w.StartNear(tree.Tree(), plane.Origin, plane.Normal, t.offset, t.tilt); ; {
		first, count, ok := w.Next()
		if !ok {
			break
		}
		near = append(near, index[first:first+count]...)
	}
	slices.Sort(near)
	for _, f := range near {
		t.add(c.mesh.Faces[f])
	}
}

// block is the number of vertices or faces that a worker tests at a time.
const block = 1 << 14 // tuning

// addAll tests all faces with several workers.
func (c *cutter) addAll(ctx context.Context, t *tracer) error {
	above := make([]bool, len(c.mesh.Vertices))
	geometry := t.corners
	err := par.Blocks(ctx, len(above), block, c.workers, func(_, lo, hi int) {
		k, g := t.counter, geometry
		for v := lo; v < hi; v++ {
			side, _ := g.side(&k, int32(v))
			above[v] = side > 0
		}
	})
	if err != nil {
		return err
	}
	lists := make([][]int32, par.Workers(c.workers))
	return par.Ordered(ctx, len(c.mesh.Faces), block, c.workers, func(worker, lo, hi int) {
		list := lists[worker][:0]
		for f := lo; f < hi; f++ {
			if v := &c.mesh.Faces[f]; above[v[0]] != above[v[1]] || above[v[1]] != above[v[2]] {
				list = append(list, int32(f))
			}
		}
		lists[worker] = list
	}, func(worker, _, _ int) {
		for _, f := range lists[worker] {
			t.add(c.mesh.Faces[f])
		}
	})
}

// finish builds the section from the segments of t.
func (c *cutter) finish(ctx context.Context, t *tracer) (*Section, error) {
	out := &Section{
		Plane: t.g.Plane, Frame: t.g.Frame(), Closed: c.mesh.Closed(), Rule: c.rule,
		Area: math.NaN(), AreaBound: math.Inf(1), WindingArea: math.NaN(), WindingAreaBound: math.Inf(1),
	}
	chains := t.connect()
	var a *arrangement
	if out.Closed {
		var err error
		if a, err = arrange(ctx, t); err != nil {
			return nil, err
		}
		r := a.fill(c.rule)
		out.addPolygons(r)
		places := map[int32]bool{}
		for _, list := range a.cuts {
			for _, n := range list {
				places[a.resolve(n)] = true
			}
		}
		out.Crossings = len(places)
	}
	for i := range t.list {
		out.Bound = max(out.Bound, t.list[i].bound)
	}
	for _, chain := range chains {
		if chain.closed && len(chain.segs) < 3 {
			continue
		}
		contour := Contour{Closed: chain.closed}
		for _, s := range chain.segs {
			contour.Points = append(contour.Points, t.list[t.segs[s].from].p)
		}
		if !chain.closed {
			last := chain.segs[len(chain.segs)-1]
			contour.Points = append(contour.Points, t.list[t.segs[last].to].p)
		}
		if a != nil {
			contour.Left, contour.Right = a.beside(chain.segs)
		}
		out.Contours = append(out.Contours, contour)
	}
	return out, nil
}

// beside returns the least and the greatest winding number on each side of the segments.
func (a *arrangement) beside(segs []int32) (left, right [2]int) {
	first := true
	extend := func(r *[2]int, w int) {
		if first {
			*r = [2]int{w, w}
		}
		r[0], r[1] = min(r[0], w), max(r[1], w)
	}
	for _, s := range segs {
		from, to := a.resolve(a.segs[s].from), a.resolve(a.segs[s].to)
		if from == to {
			continue
		}
		forward := a.compareXY(from, to) < 0
		for _, i := range a.owner[a.of[s]:a.of[s+1]] {
			p := &a.pieces[i]
			l, r := int(p.left), int(p.left-int64(p.mult))
			if (a.compareXY(p.a, p.b) < 0) != forward {
				l, r = r, l
			}
			extend(&left, l)
			extend(&right, r)
			first = false
		}
	}
	return left, right
}

// addPolygons adds the polygons and the areas.
func (out *Section) addPolygons(r *region) {
	ring := func(i int) Ring {
		l := &r.loops[i]
		sum := newShoelace(&r.nodes, l.nodes[0])
		sum.ring(l.nodes)
		g := Ring{Points: make([]r3.Vector, len(l.nodes))}
		for k, n := range l.nodes {
			g.Points[k] = r.list[n].p
		}
		g.Area, g.AreaBound = sum.area()
		return g
	}
	out.Area, out.AreaBound = 0, 0
	rings := 0
	add := func(g Ring) {
		out.Area += g.Area
		// Each addition has a rounding error of unit·|Area|.
		out.AreaBound += g.AreaBound + unit*math.Abs(out.Area)
		rings++
	}
	for _, g := range r.nest() {
		p := Polygon{Outer: ring(g.outer)}
		add(p.Outer)
		for _, h := range g.holes {
			p.Holes = append(p.Holes, ring(h))
			add(p.Holes[len(p.Holes)-1])
		}
		out.Polygons = append(out.Polygons, p)
	}
	out.Area, out.AreaBound = determined(out.Area, out.AreaBound*(1+4*unit*float64(rings+1)))
	out.WindingArea, out.WindingAreaBound = 0, 0
	if len(r.segs) > 0 {
		sum := newShoelace(&r.nodes, r.segs[0].from)
		for _, s := range r.segs {
			sum.add(s.from, s.to)
		}
		out.WindingArea, out.WindingAreaBound = sum.area()
	}
}
