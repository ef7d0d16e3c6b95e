package dem

import (
	"fmt"
	"math"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

// border describes the periodic axes of a world. The zero value means that no axis is periodic.
type border[T neighbor.Body] struct {
	periodic bool
	cell     neighbor.Cell
	period   r3.Vector
	method   *neighbor.Periodic[T]
}

// newBorder connects opposite walls on the given axes. It returns the border, the method for the
// world, and the walls that remain.
func newBorder[T neighbor.Body](method neighbor.Method[T], walls bvh.Box, axes [3]bool) (border[T], neighbor.Method[T], bvh.Box, error) {
	if _, nested := method.(*neighbor.Periodic[T]); nested {
		return border[T]{}, nil, walls, fmt.Errorf("dem: %w: the method is periodic: pass its inner method, and set Periodic in the scene", ErrOptions)
	}
	if axes == [3]bool{} {
		return border[T]{}, method, walls, nil
	}
	b := border[T]{periodic: true, cell: neighbor.Cell{Min: walls.Min, Max: walls.Max, Periodic: axes}}
	var err error
	if b.method, err = neighbor.NewPeriodic(method, b.cell); err != nil {
		return b, nil, walls, fmt.Errorf("dem: %w: the walls on periodic axes are the sides of a cell: %w", ErrOptions, err)
	}
	b.period = b.cell.Period()
	inf := math.Inf(1)
	for k, lo := range [...]*float64{&walls.Min.X, &walls.Min.Y, &walls.Min.Z} {
		if axes[k] {
			*lo = -inf
		}
	}
	for k, hi := range [...]*float64{&walls.Max.X, &walls.Max.Y, &walls.Max.Z} {
		if axes[k] {
			*hi = inf
		}
	}
	return b, b.method, walls, nil
}

// largestRadius returns the radius of the largest ball that fits into the cell.
func (b *border[T]) largestRadius() float64 {
	most := math.Inf(1)
	for k, period := range [...]float64{b.period.X, b.period.Y, b.period.Z} {
		if b.cell.Periodic[k] {
			most = min(most, period/2)
		}
	}
	return most
}

// contacts appends the contacts of the last step to two slices.
func (b *border[T]) contacts(pairs []neighbor.Pair, images [][3]int32) ([]neighbor.Pair, [][3]int32) {
	for _, c := range b.method.Contacts() {
		pairs, images = append(pairs, c.Pair), append(images, c.Image)
	}
	return pairs, images
}

// crossings counts how often a particle left the cell on each axis: upward minus downward.
type crossings [3]int64

// wrap moves the center c into the cell and counts the crossings. If c is too far away, ok is false.
func (b *border[T]) wrap(c r3.Vector, n *crossings) (in r3.Vector, by [3]int32, ok bool) {
	in, by, ok = b.cell.Wrap(c)
	for k := range by {
		n[k] -= int64(by[k])
	}
	return in, by, ok
}

// unwrap returns where the center c would be if it had not been moved into the cell.
func (b *border[T]) unwrap(c r3.Vector, n crossings) r3.Vector {
	return r3.Vector{
		X: math.FMA(float64(n[0]), b.period.X, c.X),
		Y: math.FMA(float64(n[1]), b.period.Y, c.Y),
		Z: math.FMA(float64(n[2]), b.period.Z, c.Z),
	}
}

// move returns p moved by the given number of periods.
func (b *border[T]) move(p r3.Vector, image [3]int32) r3.Vector { return b.cell.Move(p, image) }

func opposite(image [3]int32) [3]int32 { return [3]int32{-image[0], -image[1], -image[2]} }

// image returns the number of periods on each axis by which polygon B of pair i moves.
func (s *polygonState) image(i int) [3]int32 {
	if s.images == nil {
		return [3]int32{}
	}
	return s.images[i]
}

// overlapImage returns the overlap of two polygons: polygon A of the pair, and polygon B moved by
// the image.
func (w *Polygons) overlapImage(s *polygonState, closest *polygon.Pair, pair neighbor.Pair, image [3]int32) polygon.Overlap {
	b, pose := s.bodies[pair.B], s.pose[pair.B]
	pose.At = as[r2.Point](w.border.move(in3D(&pose.At), image))
	_ = b.Move(pose) // the pose is in range; see imagesInRange
	return closest.Overlap(&s.bodies[pair.A], &b)
}

// movedBack undoes the move by an image: p is a point of the moved polygon B of a contact, and the
// result is the same point of B before the move.
func (w *Polygons) movedBack(p r2.Point, image [3]int32) r2.Point {
	if image == [3]int32{} {
		return p
	}
	return as[r2.Point](w.border.move(in3D(&p), opposite(image)))
}

// imagesInRange reports whether all images of a polygon at p are in the range of coordinates. A
// polygon is in the cell, or less than a period outside until the step wraps it. So its images are
// at most three periods away.
func (w *Polygons) imagesInRange(p r2.Point) bool {
	most := 4 * max(w.border.period.X, w.border.period.Y)
	return !w.border.periodic || max(math.Abs(p.X), math.Abs(p.Y)) <= polygon.MaxCoordinate-most
}

// jumps reports whether a step would move polygon i by a period or more.
func (w *Polygons) jumps(i int) bool {
	d := w.next.gear[i].center().Sub(w.now.gear[i].center())
	axes, period := w.border.cell.Periodic, w.border.period
	return axes[0] && !(math.Abs(d.X) < period.X) || axes[1] && !(math.Abs(d.Y) < period.Y)
}

// wrapFirst moves polygon i of the initial state into the cell. It reports whether the pose is in range.
func (w *Polygons) wrapFirst(i int) bool {
	s := &w.next
	center := s.bodies[i].Centroid()
	_, by, ok := w.border.wrap(in3D(&center), &s.crossings[i])
	s.pose[i].At = as[r2.Point](w.border.move(in3D(&s.pose[i].At), by))
	return ok && w.imagesInRange(s.pose[i].At) && s.bodies[i].Move(s.pose[i]) == nil
}

// wrap moves the center of polygon i of the next state into the cell. It reports whether that is
// possible.
func (w *Polygons) wrap(i int) bool {
	if !w.border.periodic {
		return true
	}
	s := &w.next
	g := &s.gear[i]
	s.crossings[i] = w.now.crossings[i]
	center := g.center()
	in, by, ok := w.border.wrap(in3D(&center), &s.crossings[i])
	g[0][0], g[0][1] = in.X, in.Y
	w.wraps[i] = by
	return ok
}

// wrapContacts adapts the images of the contacts of the next state to the polygons that the step
// wrapped.
func (w *Polygons) wrapContacts() {
	if !w.border.periodic {
		return
	}
	s := &w.next
	change := func(pair neighbor.Pair, image *[3]int32) {
		a, b := w.wraps[pair.A], w.wraps[pair.B]
		for k := range image {
			image[k] += a[k] - b[k]
		}
	}
	for i, pair := range s.pairs {
		change(pair, &s.images[i])
	}
	for i := range s.contacts {
		c := &s.contacts[i]
		change(c.Pair, &c.Image)
		c.At = as[r2.Point](w.border.move(in3D(&c.At), w.wraps[c.Pair.A]))
	}
}
