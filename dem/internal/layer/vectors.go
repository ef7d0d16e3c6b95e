package layer

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// No function of this package fuses a product and a sum, so its results do not depend on the machine.

func scaled(m float64, v r3.Vector) r3.Vector {
	return r3.Vector{X: float64(m * v.X), Y: float64(m * v.Y), Z: float64(m * v.Z)}
}

func length(v r3.Vector) float64 { return math.Sqrt(v.Norm2()) }

// Place maps the frame of one body into the frame of another: x → Rotation·x + Shift. The vectors of Rotation
// are the rows of a rotation matrix.
type Place struct {
	Rotation [3]r3.Vector
	Shift    r3.Vector
}

func (p *Place) turn(v r3.Vector) r3.Vector {
	return r3.Vector{X: p.Rotation[0].Dot(v), Y: p.Rotation[1].Dot(v), Z: p.Rotation[2].Dot(v)}
}

// back applies the inverse of turn.
func (p *Place) back(v r3.Vector) r3.Vector {
	r := &p.Rotation
	return r3.Vector{
		X: float64(r[0].X*v.X) + float64(r[1].X*v.Y) + float64(r[2].X*v.Z),
		Y: float64(r[0].Y*v.X) + float64(r[1].Y*v.Y) + float64(r[2].Y*v.Z),
		Z: float64(r[0].Z*v.X) + float64(r[1].Z*v.Y) + float64(r[2].Z*v.Z),
	}
}

func (p *Place) apply(v r3.Vector) r3.Vector { return p.turn(v).Add(p.Shift) }

// plane bounds the half-space normal·x ≤ offset.
type plane struct {
	normal r3.Vector // a unit vector
	offset float64
	index  int32 // index in Convex.planes
}

// depth returns the distance from x to the plane, which is positive inside.
func (p *plane) depth(x r3.Vector) float64 {
	return p.offset - (float64(p.normal.X*x.X) + float64(p.normal.Y*x.Y) + float64(p.normal.Z*x.Z))
}

// extent returns the least and the largest depth of the points.
func (p *plane) extent(points []r3.Vector) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for i := range points {
		d := p.depth(points[i])
		if d < least {
			least = d
		}
		if d > most {
			most = d
		}
	}
	return least, most
}

// crossing returns the point of a segment where a linear function is 0. x and y are the values of
// the function at the ends from and to.
func crossing(from, to r3.Vector, x, y float64) r3.Vector {
	return from.Add(scaled(x/(x-y), to.Sub(from)))
}

// at returns the plane of a body at a place.
func (p *plane) at(place *Place) plane {
	n := place.turn(p.normal)
	return plane{normal: n, offset: p.offset + n.Dot(place.Shift)}
}

// extend makes the box contain p.
func extend(b *bvh.Box, p r3.Vector) {
	b.Min.X, b.Max.X = min(b.Min.X, p.X), max(b.Max.X, p.X)
	b.Min.Y, b.Max.Y = min(b.Min.Y, p.Y), max(b.Max.Y, p.Y)
	b.Min.Z, b.Max.Z = min(b.Min.Z, p.Z), max(b.Max.Z, p.Z)
}

func common(a, b *bvh.Box) bvh.Box {
	return bvh.Box{
		Min: r3.Vector{X: max(a.Min.X, b.Min.X), Y: max(a.Min.Y, b.Min.Y), Z: max(a.Min.Z, b.Min.Z)},
		Max: r3.Vector{X: min(a.Max.X, b.Max.X), Y: min(a.Max.Y, b.Max.Y), Z: min(a.Max.Z, b.Max.Z)},
	}
}

func grown(b bvh.Box, by float64) bvh.Box {
	d := r3.Vector{X: by, Y: by, Z: by}
	return bvh.Box{Min: b.Min.Sub(d), Max: b.Max.Add(d)}
}
