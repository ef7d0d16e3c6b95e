// Package frame has local coordinates in which products of lengths neither overflow nor underflow,
// and sums with small errors. Packages mesh and measure integrate over triangles with it.
//
//	f := frame.New(box).At(center)
//	a := f.Local(p) // about 1
package frame

import (
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

// Frame is an origin and a scale. The scale is a power of two that brings coordinates to about 1.
// In a frame, cubes of lengths neither overflow nor underflow.
type Frame struct {
	Exponent int // the scale is 2^−Exponent

	origin r3.Vector
	scaled r3.Vector // scale·origin; used if Exponent > 0
	scale  float64
}

// New returns a frame with the origin 0. In this frame, the edges of box b are shorter than 2.
func New(b bvh.Box) Frame {
	// The difference of the halves cannot overflow, unlike the size of the box.
	h := b.Max.Mul(0.5).Sub(b.Min.Mul(0.5))
	_, e := math.Frexp(max(h.X, h.Y, h.Z))
	// A scale above 2^1000 could overflow and has no benefit.
	e = max(e, -1000)
	return Frame{scale: math.Ldexp(1, -e), Exponent: e}
}

// At returns a copy of f with the given origin.
func (f Frame) At(origin r3.Vector) Frame {
	f.origin, f.scaled = origin, origin.Mul(f.scale)
	return f
}

// Origin returns the origin of f.
func (f Frame) Origin() r3.Vector { return f.origin }

// Difference returns scale·(p−q), whose coordinates are about 1. Each coordinate is rounded once.
// If scale is below 1, underflow can add an error of less than 2⁻¹⁰⁷³ to each coordinate.
func (f Frame) Difference(p, q r3.Vector) r3.Vector {
	if f.Exponent > 0 {
		return p.Mul(f.scale).Sub(q.Mul(f.scale))
	}
	return p.Sub(q).Mul(f.scale)
}

// Local returns scale·(p−origin), the coordinates of p in the frame, with the errors of Difference.
func (f Frame) Local(p r3.Vector) r3.Vector {
	if f.Exponent > 0 {
		return p.Mul(f.scale).Sub(f.scaled)
	}
	return p.Sub(f.origin).Mul(f.scale)
}

// Center returns a point near the middle of the box. The computation cannot overflow.
func Center(b bvh.Box) r3.Vector { return b.Min.Mul(0.5).Add(b.Max.Mul(0.5)) }

// Sum adds numbers with the compensation of Neumaier (1974). Let S be the exact sum of n numbers x,
// and u = 2⁻⁵³. The error is at most u|S| + (nu)²Σ|x| (Ogita, Rump, Oishi 2005, prop. 4.5).
type Sum struct{ s, c float64 }

// Add adds x.
func (a *Sum) Add(x float64) {
	// The rounding error of the sum (Knuth). It is the number that Neumaier computes with a branch.
	t := a.s + x
	v := t - a.s
	a.c += (a.s - (t - v)) + (x - v)
	a.s = t
}

// Join adds the sum b.
func (a *Sum) Join(b Sum) {
	a.Add(b.s)
	a.c += b.c
}

// Value returns the sum.
func (a *Sum) Value() float64 { return a.s + a.c }
