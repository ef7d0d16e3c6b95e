package side

import "math"

// Answers holds the slices that a batch of queries writes to, with one element for each
// point. An answer whose slice is nil is not computed. Winding and Bound are both nil, or
// neither is.
type Answers struct {
	Sides   []Side
	Winding []float64 // W of the point
	Bound   []float64 // certified bound of |error of Winding|
}

// Check panics if a slice that is wanted does not have n elements.
func (a Answers) Check(n int) {
	if a.Sides != nil && len(a.Sides) != n ||
		(a.Winding != nil || a.Bound != nil) && (len(a.Winding) != n || len(a.Bound) != n) {
		panic("side: answers and points differ in length")
	}
}

// Clear marks every element as not answered: Unknown, NaN and +Inf.
func (a Answers) Clear() {
	clear(a.Sides)
	for i := range a.Winding {
		a.Winding[i], a.Bound[i] = math.NaN(), math.Inf(1)
	}
}

// Slice returns the answers for points lo to hi-1.
func (a Answers) Slice(lo, hi int) Answers {
	if a.Sides != nil {
		a.Sides = a.Sides[lo:hi]
	}
	if a.Winding != nil {
		a.Winding, a.Bound = a.Winding[lo:hi], a.Bound[lo:hi]
	}
	return a
}
