package voxels

import (
	"errors"
	"fmt"
	"math"

	"github.com/inpoly/inpoly"
)

// Quantity selects the number that is stored for each voxel. The zero value is Occupancy.
type Quantity uint8

const (
	// Occupancy is one byte: 1 if the center is inside or on the surface, 0 if it is outside, 255
	// if its side is Unknown.
	Occupancy Quantity = iota
	// Winding is the winding number of the center.
	Winding
	// Fraction is the share of the centers of Samples³ equal parts of the voxel that are inside or
	// on the surface. It approximates the share of the volume that is inside.
	Fraction
)

// String returns "occupancy", "winding" or "fraction".
func (q Quantity) String() string {
	switch q {
	case Occupancy:
		return "occupancy"
	case Winding:
		return "winding"
	case Fraction:
		return "fraction"
	}
	return fmt.Sprintf("Quantity(%d)", uint8(q))
}

// MaxSamples is the largest number of parts along an axis of a voxel. The centers of the parts of
// one voxel then need 24 MB.
const MaxSamples = 100

// Options of Write. The zero value writes an .npy array of occupancy.
type Options struct {
	Quantity Quantity
	Format   Format
	// Samples is the number of parts along each axis of a voxel, from 1 to MaxSamples. It must be 0
	// for all quantities except Fraction.
	Samples int
	// Error adds a second component to each voxel: a bound of the error of its winding number or
	// fraction.
	Error bool
	// Float64 selects float64 instead of float32 numbers. Bounds include the rounding to float32.
	Float64 bool
	// Workers is the maximum number of goroutines; 0 means the number of processors. The written
	// bytes do not depend on Workers, with the exception that Write documents.
	Workers int
	// Progress, if not nil, is called after each piece with the number of written voxels. Calls do
	// not overlap.
	Progress func(done, total int64)
}

// check returns an error if o is out of range or does not fit g and s.
func (o *Options) check(g Grid, s *inpoly.Solid) error {
	if o.Quantity > Fraction {
		return fmt.Errorf("unknown quantity %d", o.Quantity)
	}
	if int(o.Format) >= len(formats) {
		return fmt.Errorf("unknown format %d", o.Format)
	}
	if err := g.Check(); err != nil {
		return err
	}
	if o.Quantity == Occupancy && (o.Error || o.Float64) {
		return errors.New("Error and Float64 must be false for occupancy, which is a byte")
	}
	if n := g.Len(); n > (math.MaxInt-maxHeader)/o.cell().bytes() {
		return fmt.Errorf("grid of %s voxels of %d bytes: too large for a file: increase the spacing", g.size(), o.cell().bytes())
	}
	if o.Quantity != Fraction {
		if o.Samples != 0 {
			return fmt.Errorf("%d samples: must be 0 unless the quantity is Fraction", o.Samples)
		}
		return nil
	}
	if o.Samples < 1 || o.Samples > MaxSamples {
		return fmt.Errorf("%d samples along an axis: must be from 1 to %d", o.Samples, MaxSamples)
	}
	if s.Report().Tolerance > 0 {
		return fmt.Errorf("tolerance %g: must be 0 for fractions, which ignore the tolerance", s.Report().Tolerance)
	}
	p := g.partCenters(o.Samples)
	parts := Grid{Origin: g.Origin, Spacing: p.Spacing, Counts: g.Counts}
	if err := parts.Check(); err != nil {
		return fmt.Errorf("%d samples along an axis: %w", o.Samples, err)
	}
	return nil
}

// cell describes the stored components of a voxel.
type cell struct {
	item  int // bytes a component: 1, 4 or 8
	names []string
}

func (c cell) bytes() int { return c.item * len(c.names) }

func (o *Options) cell() cell {
	c := cell{item: 4, names: []string{o.Quantity.String()}}
	switch {
	case o.Quantity == Occupancy:
		c.item = 1
	case o.Float64:
		c.item = 8
	}
	if o.Error {
		c.names = append(c.names, map[Quantity]string{Winding: "bound", Fraction: "error"}[o.Quantity])
	}
	return c
}
