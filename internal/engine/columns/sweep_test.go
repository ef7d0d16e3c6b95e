package columns

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
)

// A sweep finds the winding numbers of an index, for any number of points and workers.
func TestSweepEqualsIndex(t *testing.T) {
	on, inside := 0, 0
	for name, m := range closedMeshes() {
		x, err := New(t.Context(), m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := NewSweep(m, m.Sizes())
		pts := append(probes(m, rand.New(rand.NewPCG(5, 6))), r3.Vector{X: math.NaN()}, r3.Vector{Z: math.Inf(-1)})
		rand.New(rand.NewPCG(7, 8)).Shuffle(len(pts), func(i, j int) { pts[i], pts[j] = pts[j], pts[i] })
		for _, workers := range []int{1, 3} {
			for _, n := range []int{len(pts), 3, 1, 0} {
				b, got := s.batch(pts[:n], workers), make([]int32, n)
				b.workers = workers
				if _, err := b.run(t.Context(), func(index []int32, windings []int64) {
					for k, i := range index {
						got[i] = int32(max(windings[k], OnSurface))
					}
				}); err != nil {
					t.Fatal(err)
				}
				for i, p := range pts[:n] {
					w, surface := x.Winding(p, new(Scratch))
					if surface {
						on++
						w = OnSurface
					} else if w != 0 {
						inside++
					}
					if int64(got[i]) != w {
						t.Fatalf("%s, %d workers, %v: winding number %d, want %d", name, workers, p, got[i], w)
					}
					if w := s.Winding(p, new(Scratch)); w != got[i] {
						t.Fatalf("%s, %v: winding number %d by all triangles, want %d", name, p, w, got[i])
					}
				}
				s.memories.Put(b.sweepMemory)
			}
		}
	}
	if on < 500 || inside < 500 {
		t.Errorf("%d points on surfaces, %d inside: the test covers too little", on, inside)
	}
}

// WindingsTo returns the error of a context that has ended.
func TestSweepInterrupted(t *testing.T) {
	m := testmesh.Mesh(testmesh.Star(5, 0.3, 2))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewSweep(m, m.Sizes()).Windings(ctx, []r3.Vector{{}}, 0, func([]int32, []int64) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// The corners of the box of three packed points are the least and the largest coordinates.
func TestPackedBox(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	choices := []uint64{0, 1, 2, mostUnit / 2, mostUnit - 1, mostUnit}
	for range 10_000 {
		var p, least, most uint64
		var packed [3]uint64
		for shift := 0; shift < 48; shift += 16 {
			lo, hi := uint64(mostUnit), uint64(0)
			for k := range packed {
				p = choices[rng.IntN(len(choices))]
				lo, hi = min(lo, p), max(hi, p)
				packed[k] |= p << shift
			}
			least, most = least|lo<<shift, most|hi<<shift
		}
		if a, b := packedBox(packed[0], packed[1], packed[2]); a != least || b != most {
			t.Fatalf("box of %x: %x, %x, want %x, %x", packed, a, b, least, most)
		}
	}
}
