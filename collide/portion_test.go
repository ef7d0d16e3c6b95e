package collide

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/pose"
)

// The portions of StepTo are together the results of Step, for any size of the portions and any number
// of workers, and the counts are equal.
func TestStepTo(t *testing.T) {
	s := newScene(t, 60, inpoly.Auto)
	r := rand.New(rand.NewPCG(5, 38))
	before := smallPortion
	defer func() { smallPortion = before }()
	for _, triangles := range []Triangles{NoTriangles, MissedTriangles, AllTriangles} {
		for _, workers := range []int{1, 3} {
			opt := Options{Triangles: triangles, Workers: workers}
			whole, parts := newWorld(t, s, opt), newWorld(t, s, opt)
			for _, size := range []portion{{1, 1, 1}, {7, 100, 3}, {40, 1, 1 << 20}, {1 << 20, 300, 50}, before} {
				smallPortion = size
				poses := s.scatter(r, 3)
				if err := errors.Join(whole.SetPoses(poses), parts.SetPoses(poses), whole.Step(t.Context())); err != nil {
					t.Fatal(err)
				}
				var contacts []Contact
				var faces []FacePair
				calls := 0
				err := parts.StepTo(t.Context(), func(c []Contact, f []FacePair) error {
					calls++
					contacts, faces = append(contacts, c...), append(faces, f...)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if !equal(contacts, whole.Contacts()) || !slices.Equal(faces, whole.FacePairs()) {
					t.Errorf("triangles %d, workers %d, %+v: %d contacts and %d pairs of faces, want %d and %d", triangles, workers, size,
						len(contacts), len(faces), len(whole.Contacts()), len(whole.FacePairs()))
				}
				if size != before && calls < 2 {
					t.Errorf("%+v: %d portions", size, calls)
				}
				if parts.Stats() != whole.Stats() {
					t.Errorf("triangles %d, workers %d, %+v: the counts are %+v, want %+v", triangles, workers, size, parts.Stats(), whole.Stats())
				}
				if len(parts.Contacts())+len(parts.FacePairs()) > 0 {
					t.Error("results are left after StepTo")
				}
			}
		}
	}
}

// An error of visit ends the step and is returned as it is.
func TestStepToError(t *testing.T) {
	s := newScene(t, 20, inpoly.Auto)
	w := newWorld(t, s, Options{Triangles: AllTriangles})
	if err := w.SetPoses(s.scatter(rand.New(rand.NewPCG(1, 2)), 1)); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	if err := w.StepTo(t.Context(), func([]Contact, []FacePair) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	if n := w.Stats().Steps; n != 0 {
		t.Errorf("%d steps", n)
	}
}

// A step with more pairs than Options.MaxPairs fails, and a step with so many pairs does not.
func TestMaxPairs(t *testing.T) {
	ball := solidOf(t, testmesh.Sphere(2), inpoly.Options{})
	var bodies []Body
	for range 30 {
		bodies = append(bodies, Body{ball, pose.At(r3.Vector{})})
	}
	const pairs = 30 * 29 / 2
	for most, want := range map[int]error{pairs: nil, pairs - 1: ErrPairs, 0: nil, 1: ErrPairs} {
		w, err := New(t.Context(), bodies, Options{MaxPairs: most})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Step(t.Context()); !errors.Is(err, want) {
			t.Errorf("limit %d: %v", most, err)
		}
		if n := w.Stats().Pairs; want == nil && n != pairs {
			t.Errorf("limit %d: %d pairs", most, n)
		}
	}
	// Pairs of faces of two bodies have the same limit.
	free, err := New(t.Context(), bodies[:2], Options{Triangles: AllTriangles})
	if err != nil {
		t.Fatal(err)
	}
	if err := free.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	faces := len(free.FacePairs())
	for most, want := range map[int]error{faces: nil, faces - 1: ErrPairs} {
		w, err := New(t.Context(), bodies[:2], Options{Triangles: AllTriangles, MaxPairs: most})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Step(t.Context()); !errors.Is(err, want) {
			t.Errorf("limit %d of %d pairs of faces: %v", most, faces, err)
		}
	}
	if _, err := New(t.Context(), nil, Options{MaxPairs: -1}); err == nil {
		t.Error("a negative limit was accepted")
	}
}
