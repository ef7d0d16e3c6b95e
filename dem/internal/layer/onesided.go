package layer

import (
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// OneSided appends the forces of the tiles of a in b. The surface a need not be convex. place maps
// the frame of a into the frame of b. Points and normals are in the frame of b.
//
// A tile larger than half of b is divided at the coordinate planes of b. So it has several forces,
// like a face of a small body.
func (s *Scratch) OneSided(dst []Force, a *Surface, b *Convex, place *Place) []Force {
	tolerance := 0x1p-44 * (a.radius + b.radius + length(place.Shift))
	r := &s.near
	r.reset()
	s.list = a.around(s.list[:0], &s.walk, boxBack(&b.box, place))
	for _, i := range s.list {
		t := &a.tiles[i]
		if c := place.apply(t.center); beyond(&b.box, c, t.radius) {
			continue
		}
		r.append(i, t.points, place)
	}
	zone := common(&r.box, &b.box)
	if zone.Empty() {
		return dst
	}
	zone = grown(zone, tolerance)
	limit := within{&zone, 2*b.radius + b.slack}
	planes := s.matter(s.planes[1][:0], b.planes, nil, &zone, limit.depth)
	s.planes[1] = planes
	for i, tile := range r.tiles {
		t := r.tile(i)
		switch {
		case !s.enter(&t, planes, &limit):
		case t.radius > b.radius/2:
			dst = s.octants(dst, tile, tolerance)
		default:
			dst = s.append(dst, tile, 0, .5, tolerance)
		}
	}
	return dst
}

// octants divides s.piece into the octants of the frame and appends the forces of the parts. A tile
// in a coordinate plane belongs to one side of the plane.
func (s *Scratch) octants(dst []Force, tile int32, tolerance float64) []Force {
	p, whole := &s.piece, &s.whole
	whole.outline, whole.planes = append(whole.outline[:0], p.outline...), append(whole.planes[:0], p.planes...)
	first := len(dst)
	for octant := range int32(octants) {
		p.outline, p.planes = append(p.outline[:0], whole.outline...), append(p.planes[:0], whole.planes...)
		left := true
		for axis, normal := range [3]r3.Vector{{X: 1}, {Y: 1}, {Z: 1}} {
			above := octant>>axis&1 == 1
			if above {
				normal = scaled(-1, normal)
			}
			left = left && p.below(&plane{normal: normal}) && !(above && slices.Max(p.values) <= 0)
		}
		if left {
			dst = s.append(dst, tile, 1+octant, .5, tolerance)
		}
	}
	slices.SortFunc(dst[first:], compareParts)
	return dst
}

// HalfSpace appends the forces of the tiles of a in the half-space normal·x ≤ offset, in the frame of a. The surface a need
// not be convex.
func (s *Scratch) HalfSpace(dst []Force, a *Surface, normal r3.Vector, offset float64) []Force {
	tolerance := 0x1p-44 * a.radius
	s.planes[0] = append(s.planes[0][:0], plane{normal: normal, offset: offset})
	for i := range a.tiles {
		t := &a.tiles[i]
		if normal.Dot(t.center)-t.radius > offset {
			continue
		}
		if s.enter(&placedTile{t.points, ball{t.center, t.radius}}, s.planes[0], &within{&everywhere, math.Inf(1)}) {
			dst = s.append(dst, int32(i), 0, .5, tolerance)
		}
	}
	return dst
}

var everywhere = bvh.Box{
	Min: r3.Vector{X: math.Inf(-1), Y: math.Inf(-1), Z: math.Inf(-1)}, Max: r3.Vector{X: math.Inf(1), Y: math.Inf(1), Z: math.Inf(1)},
}

// around appends the tiles that can share a point with a box, in ascending order.
func (s *Surface) around(dst []int32, walk *bvh.BoxWalk, box bvh.Box) []int32 {
	if s.tree == nil {
		for i := range s.tiles {
			if t := &s.tiles[i]; !beyond(&box, t.center, t.radius) {
				dst = append(dst, int32(i))
			}
		}
		return dst
	}
	walk.Start(s.tree, box)
	for first, count, ok := walk.Next(); ok; first, count, ok = walk.Next() {
		dst = append(dst, s.tree.Index()[first:first+count]...)
	}
	slices.Sort(dst)
	return dst
}

// boxBack returns a box around the points that place maps into the given box.
func boxBack(box *bvh.Box, place *Place) bvh.Box {
	center := scaled(.5, box.Min.Add(box.Max))
	half := scaled(.5, box.Max.Sub(box.Min))
	at := place.back(center.Sub(place.Shift))
	turned := Place{Rotation: place.Rotation}
	for k := range turned.Rotation {
		turned.Rotation[k] = turned.Rotation[k].Abs()
	}
	size := scaled(1+0x1p-40, turned.back(half)).Add(scaled(0x1p-46, at.Abs().Add(place.Shift.Abs())))
	return bvh.Box{Min: at.Sub(size), Max: at.Add(size)}
}

// beyond reports whether the box is farther from p than r.
func beyond(box *bvh.Box, p r3.Vector, r float64) bool {
	return p.X < box.Min.X-r || p.Y < box.Min.Y-r || p.Z < box.Min.Z-r ||
		p.X > box.Max.X+r || p.Y > box.Max.Y+r || p.Z > box.Max.Z+r
}
