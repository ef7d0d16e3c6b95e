package mesh

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/golang/geo/r3"
	"github.com/inpoly/inpoly/bvh"
)

// looks is a context that is canceled after a given number of calls of Err.
type looks struct {
	context.Context
	left, taken atomic.Int64
}

func lookAt(ctx context.Context, times int64) *looks {
	l := &looks{Context: ctx}
	l.left.Store(times)
	return l
}

func (l *looks) Err() error {
	l.taken.Add(1)
	if l.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelInOrder counts the checks of the context in sequential loops. There must be one check
// for each block. If the context ends at any check, the loop must end with an error.
func TestCancelInOrder(t *testing.T) {
	const plenty = 1 << 40
	const n = 5*blockSize + 17
	soup := Soup{Vertices: make([]r3.Vector, 3*n), Faces: make([][3]int32, n)} // disconnected triangles
	used := make([]bool, 3*n)
	for f := range soup.Faces {
		i := 3 * f
		soup.Faces[f] = [3]int32{int32(i), int32(i + 1), int32(i + 2)}
		soup.Vertices[i] = r3.Vector{X: float64(f)}
		soup.Vertices[i+1] = r3.Vector{X: float64(f), Y: 1}
		soup.Vertices[i+2] = r3.Vector{X: float64(f), Z: 1}
		used[i], used[i+1], used[i+2] = true, true, true
	}
	m, err := New(t.Context(), Soup{Vertices: slices.Clone(soup.Vertices), Faces: slices.Clone(soup.Faces)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := newPartition(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	fan := make([]halfEdge, n)
	for i := range fan {
		fan[i] = halfEdge{hi: int32(n - i), ref: uint32(i)}
	}
	for _, c := range []struct {
		name     string
		elements int // total number of iterations of all loops of the function
		run      func(ctx context.Context) error
	}{
		{"markUsed", n, func(ctx context.Context) error { _, err := markUsed(ctx, soup.Faces, 3*n); return err }},
		{"sortFan", 3 * n, func(ctx context.Context) error { return sortFan(ctx, slices.Clone(fan)) }},
		{"bucket", 4 * n, func(ctx context.Context) error { return new(bucketScratch).sort(ctx, fan, 0, 1) }},
		{"label", 3*n + 2*n + 3*n, func(ctx context.Context) error { _, _, _, err := m.label(ctx); return err }},
		{"newPartition", 8*n + n + 3*n + 3*n, func(ctx context.Context) error { _, err := newPartition(ctx, m); return err }},
		{"measure", 3*n + n + n + n, func(ctx context.Context) error { return parts.measure(ctx, m) }},
		{"countChain", 3*n + 3*n, func(ctx context.Context) error { return new(Diagnosis).countChain(ctx, m) }},
		{"addFlaws", 8 * blockSize, func(ctx context.Context) error {
			flawed := &Mesh{flaws: &edgeFlaws{leaky: make([]uint64, 8*blockSize)}}
			return new(Diagnosis).addFlaws(ctx, flawed, nil)
		}},
	} {
		all := lookAt(t.Context(), plenty)
		if err := c.run(all); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		taken := all.taken.Load()
		if taken*blockSize < int64(c.elements) {
			t.Errorf("%s: %d looks at the context for %d elements, want one for each %d", c.name, taken, c.elements, blockSize)
		}
		for _, k := range []int64{0, 1, taken / 2, taken - 1} {
			if err := c.run(lookAt(t.Context(), k)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: canceled at look %d of %d: error %v", c.name, k, taken, err)
			}
		}
	}
}

// TestCancelEverywhere cancels New, Diagnose and Index at sampled checks of the context.
func TestCancelEverywhere(t *testing.T) {
	side := int32(256)
	if testing.Short() {
		side = 128
	}
	soup := heightField(side, side)
	m, err := New(t.Context(), soup, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		run  func(ctx context.Context) error
	}{
		{"New", func(ctx context.Context) error { _, err := New(ctx, soup, Options{Workers: 2}); return err }},
		{"Diagnose", func(ctx context.Context) error { _, err := m.Diagnose(ctx); return err }},
		{"Index", func(ctx context.Context) error { _, err := m.Index(ctx, bvh.Options{Workers: 2}); return err }},
	} {
		all := lookAt(t.Context(), 1<<40)
		if err := c.run(all); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		taken := all.taken.Load()
		// The last checks are not tested, because the number of checks depends on the timing of the
		// workers.
		for k := int64(0); k < taken*3/4; k += 1 + taken/32 {
			if err := c.run(lookAt(t.Context(), k)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: canceled at look %d of about %d: error %v", c.name, k, taken, err)
			}
		}
	}
}

// TestSortContext compares sortContext with the standard library. The lengths of the lists are
// close to multiples of blockSize.
func TestSortContext(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for _, n := range []int{0, 1, 2, blockSize - 1, blockSize, blockSize + 1, 2 * blockSize, 2*blockSize + 1, 3*blockSize + 5, 4*blockSize - 1, 5 * blockSize} {
		list := make([]uint32, n)
		for i := range list {
			list[i] = r.Uint32N(uint32(n))
		}
		want := slices.Sorted(slices.Values(list))
		if err := sortContext(t.Context(), list, cmp.Compare); err != nil || !slices.Equal(list, want) {
			t.Errorf("%d numbers: not sorted, error %v", n, err)
		}
	}
}
