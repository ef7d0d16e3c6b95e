package section

import (
	"math"

	"github.com/inpoly/inpoly/internal/frame"
)

// shoelace adds up projected areas of polygons, with a bound.
type shoelace struct {
	n       *nodes
	x0, y0  float64 // origin, which reduces cancellation
	sum     frame.Sum
	size    float64 // sum of the magnitudes of the products
	lengths float64 // sum of |dx|+|dy|
	edges   float64
	bound   float64 // largest error of a coordinate relative to the origin
}

// newShoelace returns a sum with the origin at node o.
func newShoelace(n *nodes, o int32) shoelace {
	x, y, _ := n.projected(o)
	return shoelace{n: n, x0: x, y0: y}
}

// add adds the oriented edge from p to q.
func (s *shoelace) add(p, q int32) {
	px, py, e := s.n.projected(p)
	qx, qy, f := s.n.projected(q)
	px, py, qx, qy = px-s.x0, py-s.y0, qx-s.x0, qy-s.y0
	a, b := float64(px*qy), float64(py*qx)
	s.sum.Add(a)
	s.sum.Add(-b)
	s.size += math.Abs(a) + math.Abs(b)
	s.lengths += math.Abs(qx-px) + math.Abs(qy-py)
	s.edges++
	s.bound = max(s.bound, e+unit*max(math.Abs(px), math.Abs(py)), f+unit*max(math.Abs(qx), math.Abs(qy)))
}

// ring adds a closed ring.
func (s *shoelace) ring(ring []int32) {
	for i, p := range ring {
		s.add(p, ring[(i+1)%len(ring)])
	}
}

// area returns the area in the plane and a bound of its error: NaN and +Inf after an overflow. The
// edges must form closed polygons.
//
// Moving the ends of the edges by errors of at most e changes twice the area by at most 2e·lengths +
// 2e²·edges: the first term sums |error × difference of the neighbors|, and the second |error ×
// error|. The rounding of a difference from the origin is such an error too, because both edges at a
// node use the same difference. The relative error of a product is at most unit. Compensated
// summation adds unit·|sum| + (2·edges·unit)²·size. The factors 3 and 1+2⁻²⁰ cover the rounding of
// the bound.
func (s *shoelace) area() (area, bound float64) {
	v := s.sum.Value()
	k := 2 * s.edges * unit
	e := 3*unit*s.size + unit*math.Abs(v) + k*k*s.size + 2*s.bound*s.lengths + 2*s.bound*s.bound*s.edges
	e += s.edges * 0x1p-1070
	area = v / 2 * s.n.g.factor
	// The relative rounding error of v/2·factor is at most 10·unit. The last factor covers the
	// rounding of e.
	return determined(area, (e/2*s.n.g.factor+10*unit*math.Abs(area))*(1+0x1p-20))
}

// determined returns area and bound. After an overflow, it returns NaN and +Inf.
func determined(area, bound float64) (float64, float64) {
	if !(bound <= math.MaxFloat64) {
		return math.NaN(), math.Inf(1)
	}
	return area, bound
}
