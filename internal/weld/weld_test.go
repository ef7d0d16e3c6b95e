package weld

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/golang/geo/r3"
)

// points returns n points of a small grid, in chunks of random lengths. Zeros have random signs.
func points(rng *rand.Rand, n, grid int) [][]r3.Vector {
	coordinate := func() float64 {
		x := float64(rng.IntN(grid))
		if x == 0 && rng.IntN(2) == 0 {
			return math.Copysign(0, -1)
		}
		return x
	}
	var chunks [][]r3.Vector
	for n > 0 {
		chunk := make([]r3.Vector, min(n, rng.IntN(n/3+100)))
		for i := range chunk {
			chunk[i] = r3.Vector{X: coordinate(), Y: coordinate(), Z: coordinate()}
		}
		chunks = append(chunks, chunk)
		n -= len(chunk)
	}
	return chunks
}

// narrowed returns the same points in the other type.
func narrowed(chunks [][]r3.Vector) [][]Point32 {
	out := make([][]Point32, len(chunks))
	for c, chunk := range chunks {
		for _, p := range chunk {
			out[c] = append(out[c], Point32{float32(p.X), float32(p.Y), float32(p.Z)})
		}
	}
	return out
}

// bruteMerge merges points with a map, which has the same key for −0 and +0.
func bruteMerge(chunks [][]r3.Vector) (vertices []r3.Vector, numbers [][]int32) {
	known := map[r3.Vector]int32{}
	for _, chunk := range chunks {
		list := []int32{}
		for _, p := range chunk {
			n, ok := known[p]
			if !ok {
				n = int32(len(vertices))
				known[p] = n
				vertices = append(vertices, p)
			}
			list = append(list, n)
		}
		numbers = append(numbers, list)
	}
	return vertices, numbers
}

func sameBits(a, b r3.Vector) bool {
	return math.Float64bits(a.X) == math.Float64bits(b.X) &&
		math.Float64bits(a.Y) == math.Float64bits(b.Y) && math.Float64bits(a.Z) == math.Float64bits(b.Z)
}

// filtered returns the chunks that a Filter makes of the points, and for each point its index.
func filtered[P Point](lists [][]P, bits int, k kind[P]) (chunks []Chunk[P], indices [][]int32) {
	f := Filter[P]{recent: make([]int32, filterSlots), kind: k}
	for _, list := range lists {
		index := make([]int32, len(list))
		f.Add(list, index)
		chunks, indices = append(chunks, f.Take(nil, bits)), append(indices, index)
	}
	return chunks, indices
}

// mergeAll merges points and returns the number of the vertex of each point.
func mergeAll[P Point](ctx context.Context, lists [][]P, workers int, k kind[P]) (vertices []r3.Vector, numbers [][]int32, err error) {
	total := 0
	for _, list := range lists {
		total += len(list)
	}
	bits := PartitionBits(total)
	chunks, indices := filtered(lists, bits, k)
	m, err := (&merger[P]{kind: k, chunks: chunks, bits: bits, workers: workers}).merge(ctx)
	if err != nil {
		return nil, nil, err
	}
	var buf []int32
	for c, index := range indices {
		buf = m.Numbers(c, buf)
		for i, k := range index {
			index[i] = buf[k]
		}
	}
	return m.Vertices, indices, nil
}

func check(t *testing.T, name string, vertices []r3.Vector, numbers [][]int32, wantVertices []r3.Vector, want [][]int32) {
	t.Helper()
	if !slices.EqualFunc(vertices, wantVertices, sameBits) {
		t.Errorf("%s: got %d other vertices than the expected %d", name, len(vertices), len(wantVertices))
	}
	if !slices.EqualFunc(numbers, want, slices.Equal) {
		t.Errorf("%s: the numbers differ", name)
	}
}

func TestMerge(t *testing.T) {
	for seed, size := range []struct{ n, grid int }{{0, 1}, {1, 1}, {70, 2}, {1000, 5}, {40_000, 10}, {40_000, 1000}, {150_000, 60}} {
		rng := rand.New(rand.NewPCG(3, uint64(seed)))
		chunks := points(rng, size.n, size.grid)
		vertices, numbers := bruteMerge(chunks)
		for _, workers := range []int{1, 3} {
			got, gotNumbers, err := mergeAll(t.Context(), narrowed(chunks), workers, kindOf[Point32]())
			if err != nil {
				t.Fatal(err)
			}
			check(t, "float32", got, gotNumbers, vertices, numbers)
			if got, gotNumbers, err = mergeAll(t.Context(), chunks, workers, kindOf[r3.Vector]()); err != nil {
				t.Fatal(err)
			}
			check(t, "float64", got, gotNumbers, vertices, numbers)
		}
	}
}

// TestBadHash merges with bad hash functions. One function returns the same hash for all points.
// Another function depends only on X.
func TestBadHash(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, n := range []int{9_000, 60_000} {
		chunks := points(rng, n, 40)
		vertices, numbers := bruteMerge(chunks)
		for name, hash := range map[string]func(h uint32, p r3.Vector) uint32{
			"constant": func(uint32, r3.Vector) uint32 { return 0 },
			"top":      func(uint32, r3.Vector) uint32 { return math.MaxUint32 },
			"by x":     func(_ uint32, p r3.Vector) uint32 { return uint32(p.X) * 0x9e3779b1 },
			"crowded":  func(h uint32, _ r3.Vector) uint32 { return h >> 20 }, // few slots
		} {
			k := kindOf[r3.Vector]()
			k.hash = func(dst []uint32, points []r3.Vector) {
				hash64(dst, points)
				for i, p := range points {
					dst[i] = hash(dst[i], p)
				}
			}
			got, gotNumbers, err := mergeAll(t.Context(), chunks, 2, k)
			if err != nil {
				t.Fatal(err)
			}
			check(t, name, got, gotNumbers, vertices, numbers)
		}
	}
}

// TestCrowded checks that matchPartition stops early if all points have the same slot. Otherwise it
// would take quadratic time.
func TestCrowded(t *testing.T) {
	chunk := make([]r3.Vector, 10_000)
	for i := range chunk {
		chunk[i].X = float64(i)
	}
	for name, good := range map[string]bool{"spread": true, "crowded": false} {
		k := kindOf[r3.Vector]()
		if !good {
			k.hash = func(dst []uint32, _ []r3.Vector) { clear(dst) }
		}
		chunks, _ := filtered([][]r3.Vector{chunk}, 0, k)
		m := &merger[r3.Vector]{kind: k, chunks: chunks}
		m.out.chunks = []mergedChunk{{first: make([]int32, len(chunk)), index: chunks[0].index}}
		if got := m.matchPartition(t.Context(), new(table[r3.Vector]), 0); got != good {
			t.Errorf("%s: got %v, want %v", name, got, good)
		}
	}
}

// TestFilter checks that the kept points are in the order of their first occurrences, and that each
// index refers to an equal point.
func TestFilter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	var f Filter[r3.Vector]
	for round := range 20 {
		chunks := points(rng, 5_000, 2+5*round)
		var index []int32
		for _, chunk := range chunks {
			list := make([]int32, len(chunk))
			f.Add(chunk, list)
			index = append(index, list...)
		}
		kept := f.Take(nil, 0).points
		seen := int32(0)
		for i, p := range slices.Concat(chunks...) {
			if k := index[i]; k > seen || int(k) >= len(kept) || kept[k] != p || k == seen && !sameBits(kept[k], p) {
				t.Fatalf("round %d: point %d has the index %d after %d kept points", round, i, k, seen)
			} else if k == seen {
				seen++
			}
		}
		if int(seen) != len(kept) {
			t.Errorf("round %d: kept %d points, %d of them have an index", round, len(kept), seen)
		}
		if most := 5_000 / 2; round == 0 && len(kept) > most {
			t.Errorf("kept %d of 5000 points, want at most %d", len(kept), most)
		}
	}
}

// TestTriangles welds triangles of several chunks.
func TestTriangles(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 8))
	corners := narrowed([][]r3.Vector{slices.Concat(points(rng, 3*20_000, 30)...)})[0]
	var whole [][]r3.Vector
	for c := range 3 {
		part := make([]r3.Vector, 0)
		for _, p := range corners[c*20_000 : (c+1)*20_000] {
			part = append(part, r3.Vector{X: float64(p.X), Y: float64(p.Y), Z: float64(p.Z)})
		}
		whole = append(whole, part)
	}
	vertices, numbers := bruteMerge(whole)
	all := slices.Concat(numbers...)
	ends := []int{5_000, 5_000, 12_345, 20_000}
	bits := PartitionBits(40_000)
	s := NewTriangles[Point32](ends, bits)
	from := 0
	for c, end := range ends {
		var f Filter[Point32]
		index := make([]int32, 3*(end-from))
		f.Add(corners[3*from:3*end], index)
		for i := range s.Faces(c) {
			s.Faces(c)[i] = [3]int32(index[3*i:])
		}
		s.Fill(c, f.Take(nil, bits))
		from = end
	}
	m, err := s.Weld(t.Context(), 2)
	if err != nil || s.Len() != 20_000 {
		t.Fatal(err)
	}
	if !slices.EqualFunc(m.Vertices, vertices, sameBits) {
		t.Error("the vertices differ")
	}
	for f, face := range m.Faces {
		if face != [3]int32(all[3*f:]) {
			t.Fatalf("face %d: got %v, want %v", f, face, all[3*f:3*f+3])
		}
	}
}

// canceled is a context that is canceled after a number of calls of Err.
type canceled struct {
	context.Context
	left atomic.Int64
}

func (c *canceled) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel cancels Merge at several checks of the context.
func TestCancel(t *testing.T) {
	chunks := points(rand.New(rand.NewPCG(4, 4)), 60_000, 1000)
	for name, hash := range map[string]func(dst []uint32, points []r3.Vector){
		"good hash": hash64,
		"bad hash":  func(dst []uint32, _ []r3.Vector) { clear(dst) },
	} {
		k := kindOf[r3.Vector]()
		k.hash = hash
		for left := int64(0); left < 40; left++ {
			ctx := &canceled{Context: t.Context()}
			ctx.left.Store(left)
			if _, _, err := mergeAll(ctx, chunks, 2, k); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: canceled after %d checks: error %v", name, left, err)
			}
		}
	}
}
