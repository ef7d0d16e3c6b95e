package ask

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

// maxVerify is the largest value of --verify: the sample is kept in memory.
const maxVerify = 1_000_000

// Sample keeps some of the answers, drawn at random: those whose numbers, mixed,
// are the smallest. So it depends neither on the order of blocks nor on the workers.
type Sample struct {
	size int
	seed uint64

	mu   sync.Mutex
	kept answerHeap
}

// Verified counts what Verify compared.
type Verified struct {
	Points    int `json:"points"`
	Sides     int `json:"sides"`     // that the direct sum could tell
	Undecided int `json:"undecided"` // sides that it could not
}

// answered is a point and its answers; w and bound are NaN if they were not asked
// for.
type answered struct {
	key      uint64
	at       r3.Vector
	side     inpoly.Side
	w, bound float64
}

// answerHeap has the answer with the largest key first.
type answerHeap []answered

func (h answerHeap) Len() int           { return len(h) }
func (h answerHeap) Less(i, j int) bool { return h[i].key > h[j].key }
func (h answerHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *answerHeap) Push(x any)        { *h = append(*h, x.(answered)) }
func (h *answerHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// NewSample returns the sample that the flags ask for, nil if they ask for none.
func NewSample(f *Flags) *Sample {
	if f.Verify == 0 {
		return nil
	}
	return &Sample{size: f.Verify, seed: f.Seed}
}

// add draws from the answers of a block. w and bounds may be nil. Points that are not
// finite have no answers.
func (s *Sample) add(b *table.Block, w, bounds []float64) {
	s.mu.Lock()
	limit := uint64(math.MaxUint64)
	if len(s.kept) == s.size {
		limit = s.kept[0].key // only gets smaller
	}
	s.mu.Unlock()
	for i, p := range b.Points {
		key := mix(mix(mix(s.seed)+uint64(b.First)) + uint64(i))
		if key > limit || math.IsNaN(p.X-p.X+(p.Y-p.Y)+(p.Z-p.Z)) {
			continue
		}
		a := answered{key, p, b.Sides[i], math.NaN(), math.NaN()}
		if w != nil {
			a.w, a.bound = w[i], bounds[i]
		}
		limit = s.keep(a)
	}
}

// keep keeps a if it is among the smallest so far, and returns the key that others
// must not exceed.
func (s *Sample) keep(a answered) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.kept) < s.size:
		heap.Push(&s.kept, a)
	case a.key < s.kept[0].key:
		s.kept[0] = a
		heap.Fix(&s.kept, 0)
	}
	if len(s.kept) < s.size {
		return math.MaxUint64
	}
	return s.kept[0].key
}

// mix is a bijection that spreads numbers evenly (SplitMix64; Steele, Lea, Flood
// 2014, "Fast splittable pseudorandom number generators", fig. 15).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Verify compares the sample with the direct sum over the triangles of solid, and
// fails for the first point whose side differs or whose winding number is further
// from that sum than both bounds allow. Winding numbers that were not asked for are
// asked now.
func (s *Sample) Verify(ctx context.Context, solid *inpoly.Solid, tolerance float64, workers int) (v Verified, err error) {
	slices.SortFunc(s.kept, func(a, b answered) int { return cmp.Compare(a.key, b.key) })
	pts := make([]r3.Vector, len(s.kept))
	for i := range s.kept {
		pts[i] = s.kept[i].at
	}
	w, bound, on := make([]float64, len(pts)), make([]float64, len(pts)), make([]bool, len(pts))
	if err := bem.NewDirect(solid.Mesh(), workers).WindingsTo(ctx, w, bound, on, pts); err != nil {
		return v, fmt.Errorf("verify: %w", err)
	}
	asked, askedBound := make([]float64, len(pts)), make([]float64, len(pts))
	if err := solid.WindingsTo(ctx, asked, askedBound, pts); err != nil {
		return v, fmt.Errorf("verify: %w", err)
	}
	for i, a := range s.kept {
		if math.IsNaN(a.w) {
			a.w, a.bound = asked[i], askedBound[i]
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
			v.Sides++
		}
	}
	return v, nil
}

// sideOf returns the side that a winding number within w ± bound has, if it tells.
func sideOf(solid *inpoly.Solid, a answered, w, bound float64, on bool, tolerance float64) (inpoly.Side, bool) {
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
		return inpoly.Unknown, false // crossings are counted: the winding number does not tell them
	}
	return rule.Decide(w, bound)
}
