package bvh

import (
	"encoding/json"
	"math"

	"github.com/golang/geo/r3"
)

// Box is a closed axis-parallel box with Min ≤ Max on every axis. The only exception is EmptyBox,
// which contains nothing.
type Box struct {
	Min, Max r3.Vector
}

// EmptyBox returns the box that contains no point. Add and Union extend it.
func EmptyBox() Box {
	inf := math.Inf(1)
	return Box{Min: r3.Vector{X: inf, Y: inf, Z: inf}, Max: r3.Vector{X: -inf, Y: -inf, Z: -inf}}
}

// Empty reports whether b contains no point.
func (b Box) Empty() bool {
	return !(b.Min.X <= b.Max.X && b.Min.Y <= b.Max.Y && b.Min.Z <= b.Max.Z)
}

// Add returns the smallest box that contains b and p.
func (b Box) Add(p r3.Vector) Box {
	return Box{
		Min: r3.Vector{X: min(b.Min.X, p.X), Y: min(b.Min.Y, p.Y), Z: min(b.Min.Z, p.Z)},
		Max: r3.Vector{X: max(b.Max.X, p.X), Y: max(b.Max.Y, p.Y), Z: max(b.Max.Z, p.Z)},
	}
}

// Union returns the smallest box that contains b and o.
func (b Box) Union(o Box) Box {
	return Box{
		Min: r3.Vector{X: min(b.Min.X, o.Min.X), Y: min(b.Min.Y, o.Min.Y), Z: min(b.Min.Z, o.Min.Z)},
		Max: r3.Vector{X: max(b.Max.X, o.Max.X), Y: max(b.Max.Y, o.Max.Y), Z: max(b.Max.Z, o.Max.Z)},
	}
}

// Contains reports whether p lies in the closed box.
func (b Box) Contains(p r3.Vector) bool {
	return b.Min.X <= p.X && p.X <= b.Max.X &&
		b.Min.Y <= p.Y && p.Y <= b.Max.Y &&
		b.Min.Z <= p.Z && p.Z <= b.Max.Z
}

// Overlaps reports whether the closed boxes b and o share a point.
func (b Box) Overlaps(o Box) bool {
	return b.Min.X <= o.Max.X && o.Min.X <= b.Max.X &&
		b.Min.Y <= o.Max.Y && o.Min.Y <= b.Max.Y &&
		b.Min.Z <= o.Max.Z && o.Min.Z <= b.Max.Z
}

// Size returns the edge lengths of b. A length that exceeds the range of float64 is +Inf.
func (b Box) Size() r3.Vector { return b.Max.Sub(b.Min) }

// MarshalJSON writes b as an object with its two corners. It writes an empty box as null, because
// JSON has no infinite numbers.
func (b Box) MarshalJSON() ([]byte, error) {
	if b.Empty() {
		return []byte("null"), nil
	}
	type corners Box // corners has the fields of Box but not the method MarshalJSON
	return json.Marshal(corners(b))
}

// UnmarshalJSON reads the output of MarshalJSON. The value null becomes EmptyBox.
func (b *Box) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*b = EmptyBox()
		return nil
	}
	type corners Box
	return json.Unmarshal(text, (*corners)(b))
}
