package voxels

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/plural"
)

// Quantity selects the number that is stored for each voxel. The zero value is Occupancy.
type Quantity uint8

const (
	// Occupancy stores one byte: 1 if the center is inside or on the surface, 0 if it is outside,
	// 255 if its side is Unknown.
	Occupancy Quantity = iota
	// Winding stores the winding number of the center.
	Winding
	// Fraction divides the voxel into Samples³ equal parts. It stores the share of the parts whose
	// center is inside or on the surface. This share approximates the share of the volume that is
	// inside.
	Fraction
	// Distance stores the signed distance of the center to the surface: negative inside, 0 on the surface
	// and NaN if the side is Unknown. See inpoly.Solid.Distance. A float32 keeps the sign: a distance that
	// would round to 0 becomes the smallest float32 with its sign.
	Distance
)

// String returns "occupancy", "winding", "fraction" or "distance".
func (q Quantity) String() string {
	names := [...]string{Occupancy: "occupancy", Winding: "winding", Fraction: "fraction", Distance: "distance"}
	if int(q) < len(names) {
		return names[q]
	}
	return fmt.Sprintf("Quantity(%d)", uint8(q))
}

// MaxSamples is the largest number of parts along an axis of a voxel. With this number, the centers
// of all parts of one voxel need 24 MB.
const MaxSamples = 100

// Options configures Write. The zero value writes an .npy array of occupancy.
type Options struct {
	Quantity Quantity
	Format   Format
	// Samples is the number of parts along each axis of a voxel, from 1 to MaxSamples. It must be 0
	// for all quantities except Fraction.
	Samples int
	// Error adds a second component to each voxel: a bound of the error of its winding number,
	// fraction or distance.
	Error bool
	// Float64 selects float64 instead of float32 numbers. Bounds include the rounding to float32.
	Float64 bool
	// Workers is the maximum number of goroutines; 0 means the number of processors. The written
	// bytes do not depend on Workers, with one exception that Write documents.
	Workers int
	// Progress, if not nil, is called after each piece with the number of written voxels. Calls do
	// not overlap.
	Progress func(done, total int64)
}

func (o *Options) check(g Grid, s inpoly.Target) error {
	if o.Quantity > Distance {
		return fmt.Errorf("unknown quantity %d", o.Quantity)
	}
	if int(o.Format) >= len(formats) {
		return fmt.Errorf("unknown format %d", o.Format)
	}
	if err := g.Check(); err != nil {
		return err
	}
	if o.Quantity == Occupancy && (o.Error || o.Float64) {
		return errors.New("occupancy is a byte: Error and Float64 must be false")
	}
	if n := g.Len(); n > (math.MaxInt-maxHeader)/o.cell().bytes() {
		return plural.Errorf("a grid of %s voxels with %d bytes each is too large for a file: increase the spacing", g.size(), o.cell().bytes())
	}
	if o.Quantity != Fraction {
		if o.Samples != 0 {
			return plural.Errorf("%d samples: must be 0 unless the quantity is Fraction", o.Samples)
		}
		return nil
	}
	if o.Samples < 1 || o.Samples > MaxSamples {
		return plural.Errorf("%d samples along an axis: must be from 1 to %d", o.Samples, MaxSamples)
	}
	if s.Report().Tolerance > 0 {
		return fmt.Errorf("tolerance %g: must be 0, because fractions ignore the tolerance", s.Report().Tolerance)
	}
	p := g.partCenters(o.Samples)
	parts := Grid{Origin: g.Origin, Spacing: p.Spacing, Counts: g.Counts}
	if err := parts.Check(); err != nil {
		return plural.Errorf("%d samples along an axis: %w", o.Samples, err)
	}
	return nil
}

type cell struct {
	item  int // bytes per component: 1, 4 or 8
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
		c.names = append(c.names, map[Quantity]string{Winding: "bound", Fraction: "error", Distance: "bound"}[o.Quantity])
	}
	return c
}

// Summary describes the voxels that Write has written.
type Summary struct {
	// Inside, Outside, On and Uncertain count voxels by the sides of their centers.
	Inside, Outside, On, Uncertain int64
	// Volume is the volume of the voxels inside or on the surface. For Fraction, Volume is the sum
	// of the volumes inside. Volume is +Inf beyond the range of float64.
	Volume float64

	// VolumeError is a bound of the error of Volume. It is 0 only if Volume is certainly 0. It is
	// +Inf if Volume is +Inf. VolumeError, MaxError, Mixed and Samples are for Fraction only.
	VolumeError float64
	// MaxError is the largest error bound of a voxel.
	MaxError float64
	// Mixed is the number of voxels that can lie on both sides.
	Mixed int64
	// Samples is the number of parts that were sampled.
	Samples int64

	// MinWinding and MaxWinding are the extreme winding numbers, and MaxBound is the largest error
	// bound of a winding number. These fields are for Winding only.
	MinWinding, MaxWinding, MaxBound float64
}

// Write evaluates s on the voxels of g and writes the array to w, in order and in pieces. A piece
// is some slices or a part of a slice, with at most four million voxels. Write needs memory for a few
// pieces. The bytes and the Summary do not depend on Options.Workers, with one exception. Winding
// numbers that multipoles compute for an open mesh can differ within their bounds (see
// Solid.WindingsTo).
//
// The grid is in the world. At a pose, sides are exact for the exactly moved mesh, and all bounds include the rounding
// of the motion.
//
// If opt or g is out of range, Write returns an error before it writes anything. Write also returns
// errors of w. Soon after ctx ends, Write returns the error of ctx.
func Write(ctx context.Context, w io.Writer, s inpoly.Target, g Grid, opt Options) (Summary, error) {
	if err := opt.check(g, s); err != nil {
		return Summary{}, err
	}
	if err := ctx.Err(); err != nil {
		return Summary{}, err
	}
	a, err := newSampler(ctx, s, g, opt)
	if err != nil {
		return Summary{}, err
	}
	f := &formats[opt.Format]
	if _, err := w.Write(f.header(g, opt.cell())); err != nil {
		return Summary{}, err
	}
	sum := Summary{MinWinding: math.Inf(1), MaxWinding: math.Inf(-1)}
	var all tally
	total, done := int64(g.Len()), int64(0)
	err = a.run(ctx, func(p *piece) error {
		if _, err := w.Write(p.bytes); err != nil {
			return err
		}
		sum.add(&p.sum)
		all.add(&p.tally)
		if done += int64(p.block.len()); opt.Progress != nil {
			opt.Progress(done, total)
		}
		return nil
	})
	if err != nil {
		return Summary{}, err
	}
	if opt.Quantity != Winding || sum.MinWinding > sum.MaxWinding {
		sum.MinWinding, sum.MaxWinding = 0, 0
	}
	var volumeError float64
	if sum.Volume, volumeError = all.volume(g, opt.Samples); opt.Quantity == Fraction {
		sum.VolumeError = volumeError
	}
	if _, err = io.WriteString(w, f.footer); err != nil {
		return Summary{}, err
	}
	return sum, nil
}

func (s *Summary) add(o *Summary) {
	s.Inside += o.Inside
	s.Outside += o.Outside
	s.On += o.On
	s.Uncertain += o.Uncertain
	s.MaxError = max(s.MaxError, o.MaxError)
	s.Mixed += o.Mixed
	s.Samples += o.Samples
	s.MinWinding, s.MaxWinding = min(s.MinWinding, o.MinWinding), max(s.MaxWinding, o.MaxWinding)
	s.MaxBound = max(s.MaxBound, o.MaxBound)
}

// piece is some slices of the grid, or a part of a slice, with their values. Pieces are reused.
type piece struct {
	block block
	bytes []byte
	sum   Summary // Volume and VolumeError are not set
	tally tally
	err   error
	done  chan struct{} // receives a value when the piece is complete
	scratch
}

// run computes several pieces at the same time. It calls write for each piece, in the order of the
// array.
func (a *sampler) run(ctx context.Context, write func(*piece) error) error {
	ctx, cancel := context.WithCancel(ctx)
	workers := a.concurrency()
	// One more piece than workers keeps all workers busy while a piece is written.
	ring := make([]piece, workers+1)
	for i := range ring {
		ring[i].done = make(chan struct{}, 1)
	}
	jobs := make(chan *piece, len(ring))
	ended := make(chan struct{})
	for range workers {
		go func() {
			for p := range jobs {
				p.err = a.sample(ctx, p)
				p.done <- struct{}{}
			}
			ended <- struct{}{}
		}()
	}
	err := a.writeInOrder(ring, jobs, write)
	cancel()
	close(jobs)
	for range workers {
		<-ended
	}
	return err
}

// writeInOrder sends pieces to the workers, and calls write for each piece in the same order.
func (a *sampler) writeInOrder(ring []piece, jobs chan<- *piece, write func(*piece) error) error {
	next := a.pieces()
	b, more := next()
	for first, n := 0, 0; more || n > 0; {
		if more && n < len(ring) {
			p := &ring[(first+n)%len(ring)]
			p.block, p.sum, p.tally = b, Summary{MinWinding: math.Inf(1), MaxWinding: math.Inf(-1)}, tally{}
			jobs <- p
			n++
			b, more = next()
			continue
		}
		p := &ring[first]
		<-p.done
		if p.err != nil {
			return p.err
		}
		if err := write(p); err != nil {
			return err
		}
		first, n = (first+1)%len(ring), n-1
	}
	return nil
}

// A piece of occupancy is one slice of at most maxSlice voxels, or several slices with at most
// maxSlices voxels in total. The bytes of a piece then stay in the cache until they are written. All
// other pieces have at most maxPiece voxels. The points and winding numbers of such a piece take 10
// MB.
const (
	maxSlice  = 1 << 22 // tuning
	maxSlices = 1 << 20 // tuning
	maxPiece  = 1 << 18 // tuning
	minPieces = 16      // tuning
)

// pieceLimit returns the largest number of voxels in a piece.
func (a *sampler) pieceLimit() int {
	if n := a.grid.Counts[0]; a.opt.Quantity == Occupancy && n <= maxSlice && a.grid.Counts[1] <= maxSlice/n {
		return max(maxSlices, n*a.grid.Counts[1])
	}
	return maxPiece
}

// pieces returns an iterator over the blocks of the pieces. A block is some slices, some rows of a
// slice, or a part of a row.
func (a *sampler) pieces() func() (block, bool) {
	c, limit := a.grid.Counts, a.pieceLimit()
	slices := 1
	// A piece has several slices only if the solid is queried with grids. Winding numbers are
	// computed for lists of points, which are faster if they stay in the cache.
	grids := a.opt.Quantity == Occupancy || a.opt.Quantity == Fraction && a.variation == nil
	if grids && c[0] <= limit && c[1] <= limit/c[0] {
		// Several pieces let workers share the work of a small grid.
		slices = max(1, min(limit/(c[0]*c[1]), c[2]/minPieces))
	}
	next := a.grid.Pieces(limit, slices)
	return func() (b block, ok bool) {
		b.lo, b.hi, ok = next()
		return b, ok
	}
}

// concurrency returns the number of pieces that are computed at once. A large batch of a Solid uses
// all workers, but small batches and the work between batches leave processors idle. More than 8
// pieces need more memory and save no time (tuning).
//
// Winding numbers that multipoles compute for an open mesh depend on the number of earlier queries.
// These winding numbers are reproducible if only one piece is computed at a time.
func (a *sampler) concurrency() int {
	if a.opt.Quantity != Occupancy && !a.solid.Mesh().Closed() {
		return 1
	}
	return min(par.Workers(a.opt.Workers), 8)
}
