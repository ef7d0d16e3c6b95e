package voxels

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/inpoly/inpoly"
)

// Quantity is what is asked of each voxel. The zero value is Occupancy.
type Quantity uint8

const (
	// Occupancy is 1 where the centre is inside or on the surface, 0 where it is
	// outside and 255 where that is Unknown, as a byte.
	Occupancy Quantity = iota
	// Winding is the winding number of the centre.
	Winding
	// Fraction is the share of the voxel that is inside: the share of the centres of
	// Samples³ equal parts which are inside or on the surface.
	Fraction
)

// String returns the name of q.
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

// MaxSamples is the largest number of parts along an axis of a voxel: a million parts
// need 24 MB.
const MaxSamples = 100

// Options of Write. The zero value writes an .npy array of occupancy.
type Options struct {
	Quantity Quantity
	Format   Format
	// Samples is the number of parts along each axis of a voxel, 1 to MaxSamples, for
	// Fraction only.
	Samples int
	// Error adds a second component to each voxel: a bound of the error of its winding
	// number or fraction.
	Error bool
	// Float64 stores numbers that are not bytes as float64 instead of float32. Bounds
	// include the rounding.
	Float64 bool
	// Workers is how many goroutines work, at most: 0 means one for each processor.
	// The bytes do not depend on it; see Write.
	Workers int
	// Progress, if not nil, is called now and then with how many voxels are written.
	// Calls do not overlap.
	Progress func(done, total int64)
}

// check returns an error for options that cannot be meant for g and s.
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
		return errors.New("occupancy is a byte: it has no error and no precision")
	}
	if n := g.Len(); n > (math.MaxInt-maxHeader)/o.cell().bytes() {
		return fmt.Errorf("grid of %s voxels of %d bytes: larger than any file", g.dims(), o.cell().bytes())
	}
	if o.Quantity != Fraction {
		if o.Samples != 0 {
			return fmt.Errorf("%d samples: want 0 unless fractions are asked for", o.Samples)
		}
		return nil
	}
	if o.Samples < 1 || o.Samples > MaxSamples {
		return fmt.Errorf("%d samples along an axis: want 1 to %d", o.Samples, MaxSamples)
	}
	if s.Tolerance() > 0 {
		return fmt.Errorf("tolerance %g: fractions are those of the solid itself: want 0", s.Tolerance())
	}
	p := g.parts(o.Samples)
	parts := Grid{Origin: g.Origin, Spacing: p.Spacing, Counts: g.Counts}
	if err := parts.Check(); err != nil {
		return fmt.Errorf("%d samples along an axis: %w", o.Samples, err)
	}
	return nil
}

// cell is what is stored for a voxel.
type cell struct {
	item  int // bytes: 1, 4 or 8
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

// ParseFormat returns the format of that name: npy, vti, nrrd or raw.
func ParseFormat(name string) (Format, error) {
	for i, f := range formats {
		if strings.EqualFold(f.name, name) {
			return Format(i), nil
		}
	}
	return NPY, fmt.Errorf("unknown format %q: want npy, vti, nrrd or raw", name)
}

// String returns the name that ParseFormat accepts.
func (f Format) String() string {
	if int(f) < len(formats) {
		return formats[f].name
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}
