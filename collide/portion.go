package collide

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/neighbor"
)

// ErrPairs is the error for more pairs of bodies or of faces than Options.MaxPairs.
var ErrPairs = errors.New("too many pairs")

// portion limits the results of one part of a step, so that the part needs little memory. A part
// has at most pairs pairs of bodies. It ends soon after its candidate nodes exceed nodes or its
// pairs of faces exceed faces.
type portion struct {
	pairs, nodes, faces int
}

// smallPortion is the portion of StepTo. A pair of bodies takes about 1 kB, a node 0.3 kB and a pair of
// faces 40 bytes, 15 MB in total. Larger portions do not make steps faster. // tuning
var smallPortion = portion{pairs: 1 << 12, nodes: 1 << 15, faces: 1 << 15}

// advance makes a step in portions. It passes the results of each portion to visit.
func (w *World) advance(ctx context.Context, size portion, visit func([]Contact, []FacePair) error) error {
	s := &w.step
	s.contacts, s.touching = s.contacts[:0], s.touching[:0]
	for i := len(s.workers); i < par.Workers(w.opt.Workers); i++ {
		s.workers = append(s.workers, worker{id: i})
	}
	pairs, err := w.findPairs(ctx)
	if err != nil {
		return fmt.Errorf("collide: %w", err)
	}
	contacts, faces := 0, 0
	count := func(c []Contact, f []FacePair) error {
		contacts, faces = contacts+len(c), faces+len(f)
		return visit(c, f)
	}
	for first := 0; first < len(pairs); first += len(s.pairs) {
		s.pairs = pairs[first:min(first+min(size.pairs, len(pairs)), len(pairs))]
		if err := w.visitPortion(ctx, size, count); err != nil {
			return err
		}
	}
	s.pairs = nil
	s.stats.Steps++
	s.stats.Pairs += uint64(len(pairs))
	s.stats.Contacts += uint64(contacts)
	s.stats.FacePairs += uint64(faces)
	return nil
}

// findPairs returns the pairs of bodies whose boxes overlap.
func (w *World) findPairs(ctx context.Context) ([]neighbor.Pair, error) {
	begin := time.Now()
	if err := w.broad.Update(ctx, w.boxes); errors.Is(err, neighbor.ErrPairs) {
		return nil, w.tooManyBodies()
	} else if err != nil {
		return nil, err
	}
	w.step.timings.Broad += time.Since(begin)
	pairs := w.broad.Pairs()
	if w.opt.MaxPairs > 0 && len(pairs) > w.opt.MaxPairs {
		return nil, w.tooManyBodies()
	}
	return pairs, nil
}

func (w *World) tooManyBodies() error {
	return fmt.Errorf("%w of bodies have boxes that overlap: more than %d", ErrPairs, w.opt.MaxPairs)
}

// visitPortion handles the first pairs in step.pairs. It finds their results, shortens step.pairs
// to these pairs, and passes the results to visit.
func (w *World) visitPortion(ctx context.Context, size portion, visit func([]Contact, []FacePair) error) error {
	s := &w.step
	t := &s.timings
	next := 0
	for _, phase := range []struct {
		run  func(context.Context) error
		time *time.Duration
	}{
		{func(ctx context.Context) error { return w.gather(ctx, size.nodes) }, &t.Filter},
		{w.findSides, &t.Sides}, {w.findNearest, &t.Depths}, {w.report, &t.Contacts},
		{func(ctx context.Context) (err error) { next, err = w.findTouching(ctx, 0, size.faces); return err }, &t.Triangles},
	} {
		begin := time.Now()
		if err := phase.run(ctx); err != nil {
			return fmt.Errorf("collide: %w", err)
		}
		*phase.time += time.Since(begin)
	}
	if err := visit(s.contacts, s.touching); err != nil {
		return err
	}
	for 2*next < len(s.queries) {
		begin := time.Now()
		var err error
		if next, err = w.findTouching(ctx, next, size.faces); err != nil {
			return fmt.Errorf("collide: %w", err)
		}
		t.Triangles += time.Since(begin)
		if err := visit(nil, s.touching); err != nil {
			return err
		}
	}
	return nil
}
