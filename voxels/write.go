package voxels

import (
	"context"
	"io"
	"math"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/par"
)

// Summary is what Write found.
type Summary struct {
	// Inside, Outside, On and Uncertain count voxels by the sides of their centres.
	Inside, Outside, On, Uncertain int64
	// Volume is that of the voxels inside or on the surface or, for Fraction, of the
	// share of each that is. It is +Inf where it exceeds the largest float64.
	Volume float64

	// For Fraction: VolumeError is a bound of the error of Volume, 0 only if Volume is 0 for
	// certain and +Inf if Volume is, MaxError the largest bound of a voxel, Mixed how many voxels are not certain to lie on one side,
	// and Samples how many parts were asked.
	VolumeError float64
	MaxError    float64
	Mixed       int64
	Samples     int64

	// For Winding: the smallest and the largest winding number, and the largest bound.
	Least, Most, MaxBound float64
}

// Write asks s about the voxels of g and writes the array to w, in order and piece by
// piece: it takes the memory of a few pieces, which are slices of at most four million
// voxels or parts of larger ones. It fails for options and grids out of range, before
// anything is written, with the error of w, and with that of ctx soon after it
// ends. Bytes and Summary do not depend on Options.Workers, save that the winding numbers
// of an open mesh by multipoles may differ within their bounds; see Solid.WindingsTo.
func Write(ctx context.Context, w io.Writer, s *inpoly.Solid, g Grid, opt Options) (Summary, error) {
	if err := opt.check(g, s); err != nil {
		return Summary{}, err
	}
	if err := ctx.Err(); err != nil {
		return Summary{}, err
	}
	a, err := newAsker(ctx, s, g, opt)
	if err != nil {
		return Summary{}, err
	}
	f := &formats[opt.Format]
	if _, err := w.Write(f.header(g, opt.cell())); err != nil {
		return Summary{}, err
	}
	sum := Summary{Least: math.Inf(1), Most: math.Inf(-1)}
	var all tally
	total, done := int64(g.Len()), int64(0)
	err = a.run(ctx, func(p *piece) error {
		if _, err := w.Write(p.bytes); err != nil {
			return err
		}
		sum.add(&p.sum)
		all.add(&p.tally)
		if done += int64(p.block.cells()); opt.Progress != nil {
			opt.Progress(done, total)
		}
		return nil
	})
	if err != nil {
		return Summary{}, err
	}
	if opt.Quantity != Winding || sum.Least > sum.Most {
		sum.Least, sum.Most = 0, 0
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

// add adds the next piece.
func (s *Summary) add(o *Summary) {
	s.Inside += o.Inside
	s.Outside += o.Outside
	s.On += o.On
	s.Uncertain += o.Uncertain
	s.MaxError = max(s.MaxError, o.MaxError)
	s.Mixed += o.Mixed
	s.Samples += o.Samples
	s.Least, s.Most = min(s.Least, o.Least), max(s.Most, o.Most)
	s.MaxBound = max(s.MaxBound, o.MaxBound)
}

// piece is a part of a slice and its answers. It is used again for others.
type piece struct {
	block block
	bytes []byte
	sum   Summary // but for volumes
	tally tally
	err   error
	done  chan struct{} // receives when the piece is answered
	memory
}

// run answers all pieces, some at a time, and hands them to write in order.
func (a *asker) run(ctx context.Context, write func(*piece) error) error {
	ctx, cancel := context.WithCancel(ctx)
	workers := a.atOnce()
	// One more is answered than written, so that neither waits for the other.
	ring := make([]piece, workers+1)
	for i := range ring {
		ring[i].done = make(chan struct{}, 1)
	}
	jobs := make(chan *piece, len(ring))
	ended := make(chan struct{})
	for range workers {
		go func() {
			for p := range jobs {
				p.err = a.answer(ctx, p)
				p.done <- struct{}{}
			}
			ended <- struct{}{}
		}()
	}
	err := a.inOrder(ring, jobs, write)
	cancel()
	close(jobs)
	for range workers {
		<-ended
	}
	return err
}

// inOrder hands out pieces and takes them back in the same order.
func (a *asker) inOrder(ring []piece, jobs chan<- *piece, write func(*piece) error) error {
	next := a.pieces()
	b, more := next()
	for first, n := 0, 0; more || n > 0; {
		if more && n < len(ring) {
			p := &ring[(first+n)%len(ring)]
			p.block, p.sum, p.tally = b, Summary{Least: math.Inf(1), Most: math.Inf(-1)}, tally{}
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

// wholeSlice is the largest number of voxels of a slice that is answered as one
// piece; piecePart is how many voxels the pieces of larger ones have, and all pieces
// where there is more than a byte to be kept of each voxel. Choices: 4 MB of sides,
// and 10 MB of points and winding numbers.
const (
	wholeSlice = 1 << 22
	piecePart  = 1 << 18
)

// limit is the largest number of voxels of a piece.
func (a *asker) limit() int {
	if n := a.grid.Counts[0]; a.opt.Quantity == Occupancy && n <= wholeSlice && a.grid.Counts[1] <= wholeSlice/n {
		return wholeSlice
	}
	return piecePart
}

// pieces returns the pieces one after the other: slices, or rows of one, or parts of
// a row.
func (a *asker) pieces() func() (block, bool) {
	c, limit := a.grid.Counts, a.limit()
	at := [3]int{}
	return func() (b block, ok bool) {
		if at[2] == c[2] {
			return b, false
		}
		b.lo, b.hi = at, [3]int{c[0], c[1], at[2] + 1}
		if c[0] > limit {
			b.hi[0], b.hi[1] = min(c[0], at[0]+limit), at[1]+1
		} else {
			b.hi[1] = min(c[1], at[1]+limit/c[0])
		}
		if at[0] = b.hi[0] % c[0]; at[0] == 0 {
			if at[1] = b.hi[1] % c[1]; at[1] == 0 {
				at[2]++
			}
		}
		return b, true
	}
}

// atOnce is how many pieces are answered at a time. A batch of a Solid uses all workers
// by itself if it is large; small ones, and what comes before and after them, leave
// room for others. More than 8 need memory without being sooner. A choice.
//
// What multipoles find for an open mesh depends on how many winding numbers have been
// asked for: one piece at a time is the same from run to run.
func (a *asker) atOnce() int {
	if a.opt.Quantity != Occupancy && !a.solid.Mesh().Closed() {
		return 1
	}
	return min(par.Workers(a.opt.Workers), 8)
}
