package answer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/points/table"
)

// maxVerify is the largest value of --verify. It limits the memory of the sample.
const maxVerify = 1_000_000

// Sample is a random sample of the results. It contains the rows whose numbers have the smallest
// hashes. So it depends neither on the order of the blocks nor on the number of workers.
type Sample struct {
	size int
	seed uint64

	mu      sync.Mutex
	answers []sampledAnswer // at most 2·size elements
	limit   uint64          // largest key that an answer of the sample can have
}

// Verified holds the counts of Sample.Verify.
type Verified struct {
	Points    int `json:"points"`
	Compared  int `json:"sides"`     // points whose side was compared with the direct sum
	Undecided int `json:"undecided"` // points whose side the direct sum does not decide
}

// sampledAnswer is a point and its results. The winding number w and its bound are NaN if they were
// not requested.
type sampledAnswer struct {
	key      uint64
	at       r3.Vector
	side     inpoly.Side
	w, bound float64
}

// NewSample returns an empty sample for the number of points that --verify requests, or nil if
// --verify is 0.
func NewSample(f *Flags) *Sample {
	if f.Verify == 0 {
		return nil
	}
	return &Sample{size: f.Verify, seed: f.Seed, limit: math.MaxUint64}
}

// add adds the results of a block that belong to the sample. It skips points that are not finite.
// The slices can be nil.
func (s *Sample) add(b *table.Block, w, bounds []float64) {
	s.mu.Lock()
	limit := s.limit // other goroutines can only decrease s.limit
	s.mu.Unlock()
	for i, p := range b.Points {
		key := hash(hash(hash(s.seed)+uint64(b.First)) + uint64(i))
		if key > limit || !vec.Finite(p) {
			continue
		}
		a := sampledAnswer{key, p, b.Sides[i], math.NaN(), math.NaN()}
		if w != nil {
			a.w, a.bound = w[i], bounds[i]
		}
		limit = s.insert(a)
	}
}

// insert adds an answer to the sample. It returns s.limit, because insert can decrease this limit.
func (s *Sample) insert(a sampledAnswer) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answers = append(s.answers, a); len(s.answers) >= 2*s.size {
		s.prune()
	}
	return s.limit
}

// prune sorts the answers by key and keeps the s.size answers with the smallest keys.
func (s *Sample) prune() {
	slices.SortFunc(s.answers, func(a, b sampledAnswer) int { return cmp.Compare(a.key, b.key) })
	if len(s.answers) >= s.size {
		s.answers = s.answers[:s.size]
		s.limit = s.answers[s.size-1].key
	}
}

// points returns the points of the sample. Nothing can be added afterward.
func (s *Sample) points() []r3.Vector {
	s.prune()
	pts := make([]r3.Vector, len(s.answers))
	for i := range s.answers {
		pts[i] = s.answers[i].at
	}
	return pts
}

// hash is a bijection that distributes numbers evenly: SplitMix64 (Steele, Lea, Flood 2014, "Fast
// splittable pseudorandom number generators", fig. 15).
func hash(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Verify compares the sample with the direct sum over the triangles of solid. It fails at the first
// point whose side differs, or whose winding number differs by more than the sum of both bounds. It
// computes the winding numbers if the run did not request them.
func (s *Sample) Verify(ctx context.Context, solid *inpoly.Solid, tolerance float64, workers int) (v Verified, err error) {
	pts := s.points()
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
			return v, fmt.Errorf("verify: point %v: the winding number is %v ± %.3g, but the sum over all triangles is %v ± %.3g",
				[3]float64{a.at.X, a.at.Y, a.at.Z}, a.w, a.bound, w[i], bound[i])
		}
		v.Points++
		want, ok := sideOf(solid, a, w[i], bound[i], on[i], tolerance)
		switch {
		case !ok:
			v.Undecided++
		case want != a.side:
			return v, fmt.Errorf("verify: point %v: the side is %q, but by the sum over all triangles it is %q",
				[3]float64{a.at.X, a.at.Y, a.at.Z}, a.side, want)
		default:
			v.Compared++
		}
	}
	return v, nil
}

// sideOf returns the side of a sampled point. w is the winding number of the point from the direct
// sum, and bound is its error bound. ok is false if w, bound and onTriangle do not determine the
// side.
func sideOf(solid *inpoly.Solid, a sampledAnswer, w, bound float64, onTriangle bool, tolerance float64) (s inpoly.Side, ok bool) {
	m, rule := solid.Mesh(), solid.Report().Rule
	if onTriangle {
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
		return inpoly.Unknown, false // the side depends on the parity of crossings instead of the winding number
	}
	return rule.Decide(w, bound)
}
