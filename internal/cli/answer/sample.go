package answer

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/points/table"
)

// maxVerify is the largest value of --verify. The sample is held in memory.
const maxVerify = 1_000_000

// Sample holds a random sample of the answers: those whose row numbers have the smallest hashes.
// It depends neither on the order of the blocks nor on the number of workers.
type Sample struct {
	size int
	seed uint64

	mu      sync.Mutex
	answers answerHeap
}

// Verified holds the counts of the comparisons of Verify.
type Verified struct {
	Points    int `json:"points"`
	Compared  int `json:"sides"`     // points whose side the direct sum decides
	Undecided int `json:"undecided"` // points whose side it does not decide
}

// sampledAnswer is a point and its answers. w and bound are NaN if they were not requested.
type sampledAnswer struct {
	key      uint64
	at       r3.Vector
	side     inpoly.Side
	w, bound float64
}

// answerHeap has the answer with the largest key first.
type answerHeap []sampledAnswer

func (h answerHeap) Len() int           { return len(h) }
func (h answerHeap) Less(i, j int) bool { return h[i].key > h[j].key }
func (h answerHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *answerHeap) Push(x any)        { *h = append(*h, x.(sampledAnswer)) }
func (h *answerHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// NewSample returns an empty sample of the size --verify, or nil if that is 0.
func NewSample(f *Flags) *Sample {
	if f.Verify == 0 {
		return nil
	}
	return &Sample{size: f.Verify, seed: f.Seed}
}

// add adds the answers of a block that belong to the sample. w and bounds may be nil. Points that
// are not finite are skipped.
func (s *Sample) add(b *table.Block, w, bounds []float64) {
	s.mu.Lock()
	limit := uint64(math.MaxUint64)
	if len(s.answers) == s.size {
		limit = s.answers[0].key // only gets smaller
	}
	s.mu.Unlock()
	for i, p := range b.Points {
		key := hash(hash(hash(s.seed)+uint64(b.First)) + uint64(i))
		if key > limit || math.IsNaN(p.X-p.X+(p.Y-p.Y)+(p.Z-p.Z)) {
			continue
		}
		a := sampledAnswer{key, p, b.Sides[i], math.NaN(), math.NaN()}
		if w != nil {
			a.w, a.bound = w[i], bounds[i]
		}
		limit = s.insert(a)
	}
}

// insert adds a if its key is among the smallest so far. It returns the largest key that later
// answers may have.
func (s *Sample) insert(a sampledAnswer) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.answers) < s.size:
		heap.Push(&s.answers, a)
	case a.key < s.answers[0].key:
		s.answers[0] = a
		heap.Fix(&s.answers, 0)
	}
	if len(s.answers) < s.size {
		return math.MaxUint64
	}
	return s.answers[0].key
}

// hash is a bijection that spreads numbers evenly (SplitMix64; Steele, Lea, Flood
// 2014, "Fast splittable pseudorandom number generators", fig. 15).
func hash(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Verify compares the sample with the direct sum over the triangles of solid. It fails at the
// first point whose side differs, or whose winding number differs from the sum by more than
// both bounds. Winding numbers that were not requested are computed now.
func (s *Sample) Verify(ctx context.Context, solid *inpoly.Solid, tolerance float64, workers int) (v Verified, err error) {
	slices.SortFunc(s.answers, func(a, b sampledAnswer) int { return cmp.Compare(a.key, b.key) })
	pts := make([]r3.Vector, len(s.answers))
	for i := range s.answers {
		pts[i] = s.answers[i].at
	}
	w, bound, on := make([]float64, len(pts)), make([]float64, len(pts)), make([]bool, len(pts))
	if err := bem.NewDirect(solid.Mesh(), workers).WindingsTo(ctx, w, bound, on, pts); err != nil {
		return v, fmt.Errorf("verify: %w", err)
	}
	winding, windingBound := make([]float64, len(pts)), make([]float64, len(pts))
	if err := solid.WindingsTo(ctx, winding, windingBound, pts); err != nil {
		return v, fmt.Errorf("verify: %w", err)
	}
	for i, a := range s.answers {
		if math.IsNaN(a.w) {
			a.w, a.bound = winding[i], windingBound[i]
		}
		if !(math.Abs(a.w-w[i]) <= a.bound+bound[i]) {
			return v, fmt.Errorf("verify: at %v the winding number is %v ± %.3g, the sum over all triangles %v ± %.3g",
				[3]float64{a.at.X, a.at.Y, a.at.Z}, a.w, a.bound, w[i], bound[i])
		}
		v.Points++
		want, ok := sideOf(solid, a, w[i], bound[i], on[i], tolerance)
		switch {
		case !ok:
			v.Undecided++
		case want != a.side:
			return v, fmt.Errorf("verify: %v is %q, by the sum over all triangles %q",
				[3]float64{a.at.X, a.at.Y, a.at.Z}, a.side, want)
		default:
			v.Compared++
		}
	}
	return v, nil
}

// sideOf returns the side of a point whose winding number is within w ± bound. ok is false if
// that does not decide the side.
func sideOf(solid *inpoly.Solid, a sampledAnswer, w, bound float64, on bool, tolerance float64) (s inpoly.Side, ok bool) {
	m, rule := solid.Mesh(), solid.Report().Rule
	if on {
		return inpoly.OnSurface, true
	}
	if tolerance > 0 {
		if d, face := solid.Distance(a.at); face >= 0 && math.Abs(d) <= tolerance {
			return inpoly.OnSurface, true
		}
	}
	switch {
	case m.Closed() && bound < 0.5:
		w, bound = math.RoundToEven(w), 0
	case !m.Closed() && rule == inpoly.EvenOdd && m.EvenEdges():
		return inpoly.Unknown, false // crossings decide, which the winding number does not determine
	}
	return rule.Decide(w, bound)
}
