package collide

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/pose"
)

// TestCanceled checks that a canceled step has no contacts and that the next step has all contacts.
func TestCanceled(t *testing.T) {
	s := newScene(t, 11, inpoly.Auto)
	w := newWorld(t, s, Options{Triangles: AllTriangles})
	if err := w.Step(t.Context()); err != nil || len(w.Contacts()) == 0 {
		t.Fatalf("%d contacts, error %v", len(w.Contacts()), err)
	}
	want := slices.Clone(w.Contacts())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Step(ctx); !errors.Is(err, context.Canceled) || len(w.Contacts())+len(w.FacePairs()) != 0 {
		t.Errorf("error %v, %d contacts", err, len(w.Contacts()))
	}
	if err := w.Step(t.Context()); err != nil || !equal(w.Contacts(), want) {
		t.Errorf("contacts differ after an interrupted step; error %v", err)
	}
}

// counting is a context that is canceled after a given number of calls to its method Err.
type counting struct {
	context.Context
	left *atomic.Int64
}

func (c counting) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCanceledAnywhere cancels the context at many places in a step, in all phases. The canceled
// step must have no contacts. The next step must have the contacts of a step without interruption.
func TestCanceledAnywhere(t *testing.T) {
	s := newScene(t, 24, inpoly.RayCrossing)
	w := newWorld(t, s, Options{Triangles: AllTriangles})
	if err := w.SetPoses(s.scatter(rand.New(rand.NewPCG(17, 18)), 2)); err != nil {
		t.Fatal(err)
	}
	if err := w.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	want, wantFaces := slices.Clone(w.Contacts()), slices.Clone(w.FacePairs())
	one := w.Stats()
	left := new(atomic.Int64)
	failed := 0
	for n := int64(0); ; n += 1 + n/8 {
		left.Store(n)
		err := w.Step(counting{context.Background(), left})
		if err == nil {
			break
		}
		failed++
		if !errors.Is(err, context.Canceled) || len(w.Contacts())+len(w.FacePairs()) != 0 {
			t.Fatalf("ended after %d: error %v, %d contacts, %d pairs of faces", n, err, len(w.Contacts()), len(w.FacePairs()))
		}
		if failed%4 != 0 { // run a complete step only after every fourth failed step
			continue
		}
		if err := w.Step(t.Context()); err != nil || !equal(w.Contacts(), want) || !slices.Equal(w.FacePairs(), wantFaces) {
			t.Fatalf("ended after %d: the next step differs; error %v", n, err)
		}
	}
	if !equal(w.Contacts(), want) || failed < 20 {
		t.Errorf("%d steps failed; contacts differ, or the context was hardly looked at", failed)
	}
	all, n := w.Stats(), w.Stats().Steps
	if all.Pairs != n*one.Pairs || all.Contacts != n*one.Contacts || all.Tests != n*one.Tests || all.FacePairs != n*one.FacePairs {
		t.Errorf("after %d successful steps like that of %+v: %+v", n, one, all)
	}
	if all.Nodes <= n*one.Nodes || all.Nodes > (n+uint64(failed))*one.Nodes || all.Queried <= n*one.Queried || all.Queried > (n+uint64(failed))*one.Queried {
		t.Errorf("%d nodes and %d of them asked for in %d successful and %d failed steps, in one %d and %d",
			all.Nodes, all.Queried, n, failed, one.Nodes, one.Queried)
	}
}

// TestCanceledDepths checks that Step checks the context while it computes depths. The nodes are
// OnSurface only because of the tolerance, so the sign of each depth can need a sum over all faces.
func TestCanceledDepths(t *testing.T) {
	ball := testmesh.Sphere(3)
	thick := solidOf(t, ball, inpoly.Options{Tolerance: 0.25, Workers: 1})
	w, err := New(t.Context(), []Body{{thick, pose.At(r3.Vector{})}, {thick, pose.At(r3.Vector{X: 0x1p-10})}}, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	const plenty = 1 << 40
	left := new(atomic.Int64)
	left.Store(plenty)
	if err := w.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.report(counting{context.Background(), left}); err != nil {
		t.Fatal(err)
	}
	if got, n := plenty-left.Load(), int64(len(w.Contacts())); n < 400 || got < n/checkReport {
		t.Errorf("the context was looked at %d times for %d contacts", got, n)
	}
}

// TestCanceledFaces checks that Step checks the context while it tests the few large faces of one
// body against all faces of another body.
func TestCanceledFaces(t *testing.T) {
	ball := solidOf(t, testmesh.Sphere(6), inpoly.Options{})
	slab := solidOf(t, testmesh.Mesh(testmesh.Scale(testmesh.Tetrahedron(), 8)), inpoly.Options{})
	w, err := New(t.Context(), []Body{{slab, pose.At(r3.Vector{X: -0.875, Y: -0.875, Z: -0.875})}, {ball, pose.At(r3.Vector{})}}, Options{Triangles: AllTriangles, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Step(t.Context()); err != nil {
		t.Fatal(err)
	}
	const plenty = 1 << 40
	left := new(atomic.Int64)
	left.Store(plenty)
	if _, err := w.findTouching(counting{context.Background(), left}, 0, math.MaxInt); err != nil {
		t.Fatal(err)
	}
	faces := int64(w.Solid(1).Mesh().NumFaces())
	if got := plenty - left.Load(); len(w.FacePairs()) == 0 || got < faces/2/checkFaces {
		t.Errorf("the context was looked at %d times for %d faces, %d of which touch", got, faces, len(w.FacePairs()))
	}
}
