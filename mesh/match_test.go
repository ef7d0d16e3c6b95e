package mesh

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// closedField returns a height field of n×n squares in which opposite sides are connected.
func closedField(n int32) Soup {
	s := heightField(n, n)
	for f := range s.Faces {
		for k, v := range s.Faces[f] {
			s.Faces[f][k] = v/(n+1)%n*(n+1) + v%(n+1)%n
		}
	}
	return s
}

// TestMatchEdges compares examineEdges with sortEdges of all buckets, for closed meshes and for
// meshes with few or many flaws. It fails if the edges of a closed mesh are not clean.
func TestMatchEdges(t *testing.T) {
	for round, change := range []func(rng *rand.Rand, s *Soup){
		func(*rand.Rand, *Soup) {},
		func(rng *rand.Rand, s *Soup) { s.Faces = slices.Delete(s.Faces, 7, 8+rng.IntN(2)) },
		func(rng *rand.Rand, s *Soup) { s.Faces = append(s.Faces, s.Faces[rng.IntN(len(s.Faces))]) },
		func(rng *rand.Rand, s *Soup) {
			f := s.Faces[rng.IntN(len(s.Faces))]
			s.Faces = append(s.Faces, f, [3]int32{f[0], f[2], f[1]}, [3]int32{f[1], f[1], f[2]})
		},
		func(rng *rand.Rand, s *Soup) {
			f := &s.Faces[rng.IntN(len(s.Faces))]
			f[0], f[1] = f[1], f[0]
		},
		func(rng *rand.Rand, s *Soup) { // every edge has four faces
			s.Faces = append(s.Faces, s.Faces...)
		},
		func(rng *rand.Rand, s *Soup) { // all copies cancel
			for _, f := range s.Faces {
				s.Faces = append(s.Faces, [3]int32{f[0], f[2], f[1]})
			}
		},
		func(rng *rand.Rand, s *Soup) { *s = heightField(80, 80) },
		func(rng *rand.Rand, s *Soup) { *s = gridSoup(rng, 20_000, 30) },
		func(rng *rand.Rand, s *Soup) {
			rng.Shuffle(len(s.Faces), func(i, j int) { s.Faces[i], s.Faces[j] = s.Faces[j], s.Faces[i] })
		},
	} {
		rng := rand.New(rand.NewPCG(5, uint64(round)))
		s := closedField(80)
		change(rng, &s)
		m, err := New(t.Context(), s, Options{Workers: 1 + round%2})
		if err != nil {
			t.Fatal(err)
		}
		want := *m
		want.boundary, want.edges, want.flaws = nil, edgeTally{}, nil
		if err := want.sortEdges(t.Context(), 1, nil); err != nil {
			t.Fatal(err)
		}
		if m.edges != want.edges || !slices.Equal(m.boundary, want.boundary) {
			t.Errorf("round %d: got %+v and %d boundary edges, want %+v and %d", round, m.edges, len(m.boundary), want.edges, len(want.boundary))
		}
		if m.flaws == nil {
			m.flaws = &edgeFlaws{leaky: make([]uint64, len(want.flaws.leaky))}
		}
		m.flaws.scratch = nil
		if !reflect.DeepEqual(m.flaws, want.flaws) {
			t.Errorf("round %d: flaws %+v, want %+v", round, m.flaws, want.flaws)
		}
		clean, marked, err := matchEdges(t.Context(), m.Faces, len(m.Vertices), 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := newBuckets(len(m.Faces), len(m.Vertices)).count; got < 3 {
			t.Errorf("round %d: %d buckets, want at least 3", round, got)
		}
		if all := marked == nil && clean == m.edges.total; all != (round == 0 || round == 9) {
			t.Errorf("round %d: all edges are clean: %v", round, all)
		}
		if few := clean > m.edges.total*9/10; few != (round < 5 || round == 7 || round == 9) {
			t.Errorf("round %d: %d of %d edges are clean", round, clean, m.edges.total)
		}
	}
}

// TestMatchCrowded matches keys that all have the same slot. The function must give up instead of
// taking quadratic time.
func TestMatchCrowded(t *testing.T) {
	k := newEdgeKeys(1<<20, 1<<20)
	var keys []uint64
	for edge := uint64(1); len(keys) < 1<<10; edge++ {
		if edge*0x9e3779b97f4a7c15>>50 == 0 {
			keys = append(keys, edge<<k.low, edge<<k.low|1<<(k.low-1)|backwardBit)
		}
	}
	marked := make([]uint64, 1<<k.shift/64)
	if clean, good := k.match(t.Context(), make([]uint64, 1<<14), [][]uint64{keys}, len(keys), marked); good || clean != 0 || marked[0] != ^uint64(0) {
		t.Errorf("got %d clean edges, %v", clean, good)
	}
}
