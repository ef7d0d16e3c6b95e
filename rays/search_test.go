package rays

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// Lines that together meet more faces than a worker gathers at a time have all their hits.
func TestManyCandidates(t *testing.T) {
	const copies, n = 3000, 80
	c := caster(t, testmesh.Mesh(testmesh.Copies(testmesh.Tetrahedron(), copies)), inpoly.Options{Workers: 1, Orient: inpoly.OrientNever})
	box := c.mesh.Box()
	middle := box.Min.Mul(0.5).Add(box.Max.Mul(0.5))
	r := rand.New(rand.NewPCG(21, 13))
	lines := make([]Ray, n)
	for i := range lines {
		lines[i] = Ray{middle, r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}}
		if i%3 == 0 {
			lines[i].Origin.X += 100
		}
	}
	s := &c.scratches(t.Context(), n)[0]
	if got := gather(c, s, lines); got >= n || len(s.candidates.found) < enough {
		t.Errorf("%d candidates of %d lines at a time: the test covers too little", len(s.candidates.found), got)
	}
	var all Hits
	if err := AllTo(t.Context(), c, &all, lines); err != nil {
		t.Fatal(err)
	}
	one := make([]Hit, 1)
	hits := 0
	for i := range lines {
		if err := FirstTo(t.Context(), c, one, lines[i:i+1]); err != nil {
			t.Fatal(err)
		}
		of := all.Of(i)
		hits += len(of)
		if len(of)%copies != 0 || (len(of) > 0) != (one[0].Face >= 0) || len(of) > 0 && of[0] != one[0] {
			t.Errorf("line %d: %d hits, and %+v is the first", i, len(of), one[0])
		}
	}
	if hits < 10*copies {
		t.Errorf("%d hits: the test covers too little", hits)
	}
}

// lateContext ends when it is asked for the sixth time.
type lateContext struct {
	context.Context
	calls int
}

func (c *lateContext) Err() error {
	if c.calls++; c.calls > 5 {
		return context.Canceled
	}
	return nil
}

// All functions ask their context also while they answer one block of lines.
func TestContextEndsInABlock(t *testing.T) {
	c := caster(t, testmesh.Mesh(testmesh.Star(3, 0.75, 1)), inpoly.Options{Workers: 1})
	r := rand.New(rand.NewPCG(21, 14))
	_, segments := randomLines(c.mesh, blockSize, r)
	var line []r3.Vector
	for range 2000 {
		line = append(line, pick(c.mesh, r))
	}
	var all Hits
	var events Events
	var v Intervals
	first := make([]Hit, len(segments))
	for name, ask := range map[string]func(ctx context.Context) error{
		"FirstTo":     func(ctx context.Context) error { return FirstTo(ctx, c, first, segments) },
		"AnyTo":       func(ctx context.Context) error { return AnyTo(ctx, c, make([]bool, len(segments)), segments) },
		"AllTo":       func(ctx context.Context) error { return AllTo(ctx, c, &all, segments) },
		"EventsTo":    func(ctx context.Context) error { return EventsTo(ctx, c, &events, segments) },
		"IntervalsTo": func(ctx context.Context) error { return IntervalsTo(ctx, c, &v, segments, 0) },
		"PolylinesTo": func(ctx context.Context) error { return PolylinesTo(ctx, c, &v, [][]r3.Vector{line}, 0) },
	} {
		if err := ask(&lateContext{Context: t.Context()}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s asked its context too rarely: %v", name, err)
		}
	}
	var want []Hit
	want = append(want, first...)
	if err := FirstTo(t.Context(), c, want, segments); err != nil {
		t.Fatal(err)
	}
	missing := 0
	for i := range first {
		if first[i].Face < 0 && want[i].Face >= 0 {
			missing++
		} else if first[i] != want[i] {
			t.Errorf("line %d: %+v, want %+v", i, first[i], want[i])
		}
	}
	if missing == 0 {
		t.Error("FirstTo answered all lines after its context had ended")
	}
}
