package inpoly

import (
	"context"
	"math"
	"sync/atomic"
)

// multipoleCosts are the constants of the cost model of package fmm, in nanoseconds
// of one worker. For n triangles and an error ε of so many decimal digits, a plan
// takes
//
//	start + triangle·n·(1 + digits)
//
// and a point level·log2 n·e^(growth·digits), or direct + near·n where that is less:
// then all triangles are near.
type multipoleCosts struct {
	start, triangle float64
	level, growth   float64
	direct, near    float64
	cap             float64 // to close the mesh, for each face
}

// plan estimates the seconds to make a plan for n triangles.
func (c *costs) plan(n int, epsilon float64, workers int) float64 {
	k := &c.multipoles
	return nanosecond * (k.start + k.triangle*float64(n)*(1+digits(epsilon))/c.speedup(workers))
}

// evaluate estimates the nanoseconds of one point in a plan for n triangles.
func (c *costs) evaluate(n int, epsilon float64) float64 {
	k := &c.multipoles
	far := k.level * math.Log2(float64(max(2, n))) * math.Exp(k.growth*digits(epsilon))
	return min(far, k.direct+k.near*float64(n))
}

// digits returns the decimal digits of an error.
func digits(epsilon float64) float64 { return max(0, -math.Log10(epsilon)) }

// ways are those that an open mesh has; see way.
var ways = [...]way{byRay, byCaps, byTriangles}

// wayTotal estimates the seconds that building and answering all points take, or,
// if it is not known how many, the seconds between two answers.
func (c *costs) wayTotal(t task, w way) float64 {
	if t.points == 0 {
		return c.wayPoint(t, w)
	}
	return c.wayBuild(t, w) + float64(t.points)*c.wayPoint(t, w)
}

// wayPoint estimates the seconds between two winding numbers of a batch.
func (c *costs) wayPoint(t task, w way) float64 { return c.batch(t, c.wayAlone(t, w)) }

// wayBuild estimates the seconds that building for winding numbers takes.
func (c *costs) wayBuild(t task, w way) float64 {
	rays := t
	rays.tree = false
	switch w {
	case byRay:
		return c.build(rays, RayCrossing)
	case byCaps:
		rays.triangles, rays.sum = t.triangles+t.boundary, false
		return nanosecond*c.multipoles.cap*float64(t.triangles) + c.build(rays, Cells) + c.plan(t.boundary, t.epsilon, t.workers)
	}
	return c.plan(t.triangles, t.epsilon, t.workers)
}

// wayAlone estimates the nanoseconds of one winding number by one worker.
func (c *costs) wayAlone(t task, w way) float64 {
	switch w {
	case byRay:
		return c.local(t, &c.rays)
	case byCaps:
		closed := t
		closed.triangles, closed.sum = t.triangles+t.boundary, false
		return c.local(closed, &c.cells) + t.crossed*c.crossed + c.evaluate(t.boundary, t.epsilon)
	}
	return c.evaluate(t.triangles, t.epsilon)
}

// bestWay returns the way that the cost model prefers for t: for closed meshes
// there is only one.
func (c *costs) bestWay(t task) way {
	if t.boundary == 0 {
		return byRounding
	}
	best := ways[0]
	for _, w := range ways[1:] {
		if c.wayTotal(t, w) < c.wayTotal(t, best) {
			best = w
		}
	}
	return best
}

// sideEpsilons are the errors of which that is taken with which the sides of an open
// mesh are decided soonest.
var sideEpsilons = [...]float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}

// sideEpsilon returns the error with which the sides of t are found soonest: the
// smaller it is, the longer a point takes, and the fewer points are so close to the
// threshold of the rule that they have to be cast.
func (c *costs) sideEpsilon(t task) float64 {
	best, least := 0.0, math.Inf(1)
	for _, t.epsilon = range sideEpsilons {
		total := c.point(t, FMM)
		if t.points > 0 {
			total = c.total(t, FMM)
		}
		if total < least {
			best, least = t.epsilon, total
		}
	}
	return best
}

// sideAlone estimates the nanoseconds of one side by one worker and the best way. Of
// the points 2ε are cast: as if W were spread evenly from 0 to 1, which is far from
// the truth for a small hole and not far from it for a soup.
func (c *costs) sideAlone(t task) float64 {
	w := c.bestWay(t)
	ns := c.wayAlone(t, w)
	if w == byTriangles || w == byCaps {
		ns += min(1, 2*t.epsilon) * c.wayAlone(t, byRay)
	}
	return ns
}

// autoEpsilon is the error of the winding numbers of open meshes that Auto allows
// itself if Options.Epsilon is 0: about what float32 coordinates tell. A choice.
const autoEpsilon = 1e-6

// upgrade is the field that the winding numbers of an open mesh under Auto turn to
// when so many of them have been asked for that it pays.
type upgrade struct {
	field *lazy[field]
	asked atomic.Int64
}

// newUpgrade returns the upgrade of s, whose task is t.
func (s *Solid) newUpgrade(t task) *upgrade {
	u := new(upgrade)
	u.field = newLazy(func(ctx context.Context) (*field, error) {
		t.points = max(t.points, u.asked.Load())
		f, err := s.newField(ctx, measured.bestWay(t), t.epsilon)
		if err != nil && ctx.Err() == nil {
			// What multipoles cannot reach, or more caps than a mesh may have faces, is
			// left to the sum over the boundary.
			return &field{way: byRay}, nil
		}
		return f, err
	})
	return u
}

// windingField returns the field for a batch of n winding numbers, nil if there is
// none or it does not pay. n = 0 does not build any.
func (s *Solid) windingField(ctx context.Context, n int) (*field, error) {
	f := s.field
	if u := s.upgrade; u != nil {
		if !u.field.there() && (n == 0 || !s.upgradePays(u.asked.Add(int64(n)))) {
			return nil, nil
		}
		var err error
		if f, err = u.field.get(ctx); err != nil {
			return nil, err
		}
	}
	if f == nil || f.way == byRay {
		return nil, nil
	}
	return f, nil
}

// upgradePays reports whether to build the upgrade and to use it takes less time than
// to go without, for so many winding numbers in all or as many as were expected.
func (s *Solid) upgradePays(asked int64) bool {
	t := s.task
	t.points = max(t.points, asked)
	best := measured.bestWay(t)
	return best != byRay && measured.wayTotal(t, best) < measured.windings(t, s.method)
}

// windings estimates the seconds that all winding numbers take by a method other than
// FMM, whose index is there.
func (c *costs) windings(t task, m Method) float64 {
	if m == Direct {
		return float64(t.points) * c.batch(t, c.sum(t))
	}
	return float64(t.points) * c.wayPoint(t, byRay)
}
