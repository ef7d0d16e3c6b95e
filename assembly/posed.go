package assembly

import (
	"context"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/side"
)

// posing is the part of an Assembly whose solids have poses.
type posing struct {
	unposed  *Assembly
	surfaces boxSet // boxes around the posed meshes
}

// At returns the assembly of the same solids in which solid i is at poses[i]. If the solids of a have
// poses, poses[i] moves solid i from there: the pose of the result is the exact composition, rounded once,
// as inpoly.Posed.At describes. All queries of the result are exact for the solids that these poses move,
// as inpoly.Posed describes. The result shares the meshes and indexes with a. At moves only the boxes of
// the solids, in O(n log n) time for n solids, so a program can call it for each step of a motion: for
// poses relative to the meshes, always call At of the assembly without poses.
//
// DistanceBound bounds the errors of distances. The order of Innermost and the numbers of faces do not
// change. Solid returns solids without poses.
//
// Errors: an error that wraps pose.ErrInvalid, with the name of the first solid whose pose is not valid.
// At panics if the number of poses is not the number of solids.
func (a *Assembly) At(poses []pose.Pose) (*Assembly, error) {
	if len(poses) != len(a.members) {
		panic(fmt.Sprintf("assembly: %d poses for %d solids", len(poses), len(a.members)))
	}
	from := a.members
	if a.poses != nil {
		a = a.poses.unposed
	}
	b := *a
	b.members, b.surfaces = make([]member, len(a.members)), nil
	for i, m := range a.members {
		var err error
		if from[i].posed != nil {
			m.posed, err = from[i].posed.At(poses[i])
		} else {
			m.posed, err = m.solid.At(poses[i])
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		m.set = locate.Of(m.posed)
		b.members[i] = m
	}
	ctx := context.Background() // the trees over boxes take microseconds for each solid
	image := func(set *boxSet) (boxSet, error) {
		return b.newBoxSet(ctx, func(i int) bvh.Box { return b.members[i].image(set.boxes[i]) })
	}
	var err error
	if b.sideBounds, err = image(&a.sideBounds); err != nil {
		return nil, err
	}
	if b.windingBounds, err = image(&a.windingBounds); err != nil {
		return nil, err
	}
	b.poses = &posing{unposed: a}
	b.poses.surfaces, err = b.newBoxSet(ctx, func(i int) bvh.Box { return b.members[i].image(b.members[i].solid.Mesh().Box()) })
	return &b, err
}

// image returns a box in the world around a box in the frame of the solid. It can be infinite.
func (m *member) image(box bvh.Box) bvh.Box {
	if box.Empty() || math.IsInf(box.Max.X, 0) {
		return box
	}
	low, high := m.set.Place.Image(box.Min, box.Max)
	return bvh.Box{Min: low, Max: high}
}

// Unposed returns the assembly of the same solids without poses. It is a itself if a has no poses.
func (a *Assembly) Unposed() *Assembly {
	if a.poses != nil {
		return a.poses.unposed
	}
	return a
}

// Posed returns solid i at its pose, or nil if a is not a result of At. It panics if i is out of range.
func (a *Assembly) Posed(i int) *inpoly.Posed { return a.members[i].posed }

// Target returns solid i at its pose, for queries of other packages. It panics if i is out of range.
func (a *Assembly) Target(i int) inpoly.Target {
	if m := &a.members[i]; m.posed != nil {
		return m.posed
	}
	return a.members[i].solid
}

// Targets returns all solids at their poses.
func (a *Assembly) Targets() []inpoly.Target {
	list := make([]inpoly.Target, a.Len())
	for i := range list {
		list[i] = a.Target(i)
	}
	return list
}

// PositionBound bounds the errors of the positions of p in the frames of all solids; see
// inpoly.Posed.PositionBound. It is 0 if the solids have no poses.
func (a *Assembly) PositionBound(p r3.Vector) float64 {
	bound := 0.0
	for i := range a.members {
		bound = max(bound, a.members[i].set.PositionBound(p))
	}
	return bound
}

// DistanceBound bounds the error of the distance d that Distance has returned for p. It includes the
// rounding of the positions of p; see inpoly.Posed.DistanceBound. LocateTo can find a smaller bound,
// because it includes only the solids near p. DistanceBound takes O(n) time for n solids with poses.
func (a *Assembly) DistanceBound(p r3.Vector, d float64) float64 {
	return locate.AddBounds(inpoly.DistanceBound(d), a.PositionBound(p))
}

// locateTo calls LocateTo of the solid or of the posed solid.
func (m *member) locateTo(ctx context.Context, dst inpoly.Answers, pts []r3.Vector) (side.Stats, error) {
	if m.posed != nil {
		return m.posed.LocateTo(ctx, dst, pts)
	}
	return m.solid.LocateTo(ctx, dst, pts)
}

// posedNearest returns the distance from p to the nearest solid without a sign, the solid and its
// nearest face. It searches the solids in order of the distances of their boxes. Of solids at the same
// distance it returns the first. d is NaN, and body and face are −1, if there is no distance.
//
// position bounds the effect of the rounded positions on d: if e is the bound of the rounding of d, the
// exact distance is between d − e − position and d + position. It is the largest PositionBound of the solid
// body and of the other solids that can be nearer than d. A solid k whose rounded position has the distance
// d_k is nearer than d only if its exact distance, which exceeds the float64 below d_k minus its
// PositionBound, can be less than d. The solids that the search leaves out are not nearer, because the boxes
// contain the posed meshes.
func (a *Assembly) posedNearest(p r3.Vector) (d, position float64, body, face int32) {
	d, body, face = math.NaN(), inpoly.NoBody, -1
	var tried [8]struct{ least, bound float64 }
	n := 0
	try := func(i int32) {
		x, f := a.members[i].set.PosedNearest(p)
		if f < 0 {
			return
		}
		if bound := a.members[i].set.PositionBound(p); n < len(tried) {
			tried[n].least, tried[n].bound = math.Nextafter(x, 0)-bound, bound
			n++
		} else {
			position = max(position, bound)
		}
		if face < 0 || x < d || x == d && i < body {
			d, body, face = x, i, f
		}
	}
	defer func() {
		for _, t := range tried[:n] {
			if t.least <= d {
				position = max(position, t.bound)
			}
		}
	}()
	set := &a.poses.surfaces
	for _, i := range set.always {
		try(i)
	}
	var walk bvh.NearWalk
	walk.Start(set.tree, p)
	for {
		limit := math.Inf(1)
		if face >= 0 {
			limit = d * walk.Scale()
			limit *= limit * (1 + 0x1p-40)
		}
		first, count, ok := walk.Next(limit)
		if !ok {
			return d, position, body, face
		}
		for _, k := range set.tree.Index()[first : first+count] {
			try(set.solids[k])
		}
	}
}

// posedDistance does the work of Distance if the solids have poses.
func (a *Assembly) posedDistance(p r3.Vector) (d float64, body, face int32) {
	if d, _, body, face = a.posedNearest(p); face >= 0 {
		d = locate.Signed(d, a.side(p, true))
	}
	return d, body, face
}

// posedDistancesTo does the work of distancesTo and nearestTo if the solids have poses.
func (a *Assembly) posedDistancesTo(ctx context.Context, dst inpoly.Answers, pts []r3.Vector) error {
	for i := range a.members { // builds the trees, unless ctx ends
		if _, err := a.members[i].set.Surface.Index(ctx); err != nil {
			return err
		}
	}
	_, err := a.blocks(ctx, len(pts), func(w *batchWorker, lo, hi int) {
		b := bodyBlock{sides: make([]side.Side, hi-lo), ignoreTolerance: true}
		if b.locate(ctx, a, w, pts[lo:hi]) != nil {
			return
		}
		for i := lo; i < hi; i++ {
			d, position, body, face := a.posedNearest(pts[i])
			d = locate.Signed(d, b.sides[i-lo])
			if dst.DistanceBound != nil {
				dst.DistanceBound[i] = locate.AddBounds(inpoly.DistanceBound(d), position)
			}
			if dst.Distance != nil {
				dst.Distance[i], dst.Face[i] = d, face
			}
			if dst.NearestBody != nil {
				dst.NearestBody[i] = body
			}
			if dst.Nearest != nil && face >= 0 {
				dst.Nearest[i] = a.members[body].set.PosedProjection(pts[i])
				dst.Nearest[i].Distance = d
			}
		}
	})
	return err
}
