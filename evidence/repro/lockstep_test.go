package main

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/inpoly/inpoly/neighbor"
)

// All methods must find the same contacts in a run that builds a Verlet list more than twice. The
// particles are ten times as fast as in the experiments. A trial fails if contacts differ.
func TestLockstep(t *testing.T) {
	ctx, r := context.Background(), &Run{Size: Tiny, Threads: 1}
	names := []string{methodVL, methodLLL, methodLC, methodLCx, methodLLLx, methodGrid}
	disks, fraction, err := disks2007(ctx, r, 0, 244)
	if err != nil {
		t.Fatal(err)
	}
	if fraction < 0.6 || fraction > 0.75 {
		t.Errorf("area fraction %v, want about .67", fraction)
	}
	balls, err := balls2007(ctx, r, 6)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name          string
		s             *system
		cell, largest float64
	}{{"disks", disks, 7e-3, 1.5e-3}, {"balls", balls, 2e-3, 5e-4}} {
		for i := range c.s.velocities {
			c.s.velocities[i] = c.s.velocities[i].Mul(10)
		}
		turns, err := newTrial(ctx, c.name, c.s, names, c.cell, c.largest)
		if err == nil {
			err = inTurns(ctx, r, []*trial{turns}, 230)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := turns.results(); len(got) != len(names) || got[0].contacts == 0 || turns.n != 230 {
			t.Errorf("%s: %d steps, %+v", c.name, turns.n, got)
		}
	}
}

// blind implements neighbor.Method, but finds no pairs.
type blind struct{ neighbor.Method[neighbor.Disk] }

func (blind) Pairs() []neighbor.Pair { return nil }

// A trial fails if a method misses pairs, with moving and with resting particles.
func TestMissedPairs(t *testing.T) {
	ctx, r := context.Background(), &Run{Size: Tiny, Threads: 1}
	disks := tower(20, false, 0)
	for i := range disks {
		disks[i].Center.Y *= 0.5
	}
	_, err := detect(ctx, r, disks, []detection[neighbor.Disk]{{"blind", func() neighbor.Method[neighbor.Disk] {
		return blind{neighbor.NewBruteForce[neighbor.Disk]()}
	}}})
	if err == nil {
		t.Error("detect: no error")
	}
	if err := trialOf("still", []world{still(disks), still(nil)}, []string{"all", "blind"}).move(ctx, 1); err == nil {
		t.Error("move: no error")
	}
	if err := trialOf("stuck", []world{failing{}}, []string{"failing"}).move(ctx, 1); !errors.Is(err, errFailing) {
		t.Errorf("got %v, want the error of the step", err)
	}
}

// still implements world with disks at rest. Successive disks touch.
type still []neighbor.Disk

func (still) Step(context.Context) error { return nil }

func (s still) contacts() (pairs []neighbor.Pair) {
	for i := 1; i < len(s); i++ {
		pairs = append(pairs, neighbor.Pair{A: int32(i - 1), B: int32(i)})
	}
	return pairs
}

// failing is a world whose steps fail.
type failing struct{}

var errFailing = errors.New("stuck")

func (failing) Step(context.Context) error { return errFailing }
func (failing) contacts() []neighbor.Pair  { return nil }

// The work of a list at rest is its comparisons, and reflected particles stay in the box.
func TestWorkAlong(t *testing.T) {
	disks, side := mixedDisks(101*4, 10)
	m := methods2007[neighbor.Disk]([]string{methodLLL}, 1, 0.5, 1)[0]
	work, exchanges, err := workAlong(context.Background(), methodLLL, m, disks, 2, 5, func() {})
	if err != nil || exchanges != 0 || work < 4*float64(len(disks)) {
		t.Errorf("at rest: work %v, %v exchanges, %v", work, exchanges, err)
	}
	move := moving(disks, side, 0.3*side, 0.3*side, 0.5)
	before := slices.Clone(disks)
	for range 20 {
		move()
	}
	for i, d := range disks {
		if c := d.Center; c.X < 0 || c.Y < 0 || c.X > side || c.Y > side {
			t.Fatalf("disk %d is at %v", i, c)
		}
		if (d.Center != before[i].Center) != (i%100 < 50) {
			t.Fatalf("disk %d: from %v to %v", i, before[i].Center, d.Center)
		}
	}
}

// A trial has the times of its turns, and their range contains the median.
func TestTurns(t *testing.T) {
	disks := tower(20, false, 0)
	w := trialOf("still", []world{still(disks)}, []string{"all"})
	for range 3 {
		if err := w.move(context.Background(), 2); err != nil {
			t.Fatal(err)
		}
	}
	got := w.results()[0]
	if len(w.turns[0]) != 3 || !(got.low <= got.seconds && got.seconds <= got.high) {
		t.Errorf("turns %v, %+v", w.turns[0], got)
	}
}
