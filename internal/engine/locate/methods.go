package locate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/plural"
)

// These constants are the names of the methods that a caller can choose.
const (
	Auto        = "auto" // the cheapest of the other methods
	RayCrossing = "raycross"
	Columns     = "columns"
	Cells       = "cells"
	Direct      = "direct"
	FMM         = "fmm"
)

// Method is one strategy with its cost and its constructor.
type Method struct {
	Name string
	// Eligible reports whether Auto can choose the method for w.
	Eligible func(w Workload) bool
	// Cost estimates the time that the method takes for w.
	Cost func(w Workload) Cost
	// Build builds the method for the mesh of s. It fails with the error of ctx, or with
	// fmm.ErrEpsilon if the method cannot reach w.Epsilon.
	Build func(ctx context.Context, s *Surface, w Workload) (Built, error)
	// Estimates reports whether the method estimates winding numbers, with rays as the fallback.
	Estimates bool
}

// Built is a method that has been built.
type Built struct {
	Locator Locator
	Detail  string       // additional text for the method Reason of Set; can be empty
	Epsilon float64      // error bound of winding numbers; 0 means the precision of rays
	Shape   *cells.Shape // size of the grid of cells; nil for other methods
}

// Methods returns all methods for sides, the simplest first. Auto chooses among them.
func Methods() []Method { return measured.sideMethods() }

// largestBoundary is the largest number of boundary edges per triangle for which Auto chooses
// Columns or Cells. Both close each boundary edge with a cap, and a cap costs about as much as a
// triangle (tuning).
const largestBoundary = 3.0

// longestSum is the largest time of a direct sum, in seconds, for which Auto chooses Direct. The
// sum for one point cannot be interrupted, so a longer sum would noticeably delay a cancellation.
// tuning
const longestSum = 0.05

func (c *costs) sideMethods() []Method {
	return []Method{
		{
			Name:     Direct,
			Eligible: func(w Workload) bool { return nanosecond*c.sum(w) <= longestSum && !w.Parity },
			Cost:     c.directSides,
			Build: func(ctx context.Context, s *Surface, w Workload) (Built, error) {
				if err := ctx.Err(); err != nil {
					return Built{}, err
				}
				return Built{Locator: WithFallback(newDirect(s), rays{s}, s.opt.Rule, w.Parity, math.Inf(1))}, nil
			},
		},
		{Name: RayCrossing, Eligible: func(Workload) bool { return true }, Cost: c.raySides, Build: buildRays},
		{
			Name:     Columns,
			Eligible: func(w Workload) bool { return closable(w) && !w.Parity },
			Cost:     c.columnSides,
			Build: func(ctx context.Context, s *Surface, w Workload) (Built, error) {
				l, err := newColumns(ctx, s, w)
				return Built{Locator: l}, err
			},
		},
		{
			Name:     Cells,
			Eligible: closable,
			Cost:     c.cellSides,
			Build: func(ctx context.Context, s *Surface, w Workload) (Built, error) {
				index, err := cells.New(ctx, s.mesh, cells.Options{
					Rule: s.opt.Rule, Workers: s.opt.Workers, ExpectedPoints: w.Points, Rays: s.Rays,
				})
				if err != nil {
					return Built{}, err
				}
				shape := index.Shape()
				return Built{Locator: grid{index}, Shape: &shape}, nil
			},
		},
		{
			Name:     FMM,
			Eligible: func(w Workload) bool { return w.BoundarySum }, // cells are faster for closed meshes
			Cost:     c.multipoleSides,
			Build:    c.buildEstimates,
		},
	}
}

// closable reports whether the mesh has few boundary edges.
func closable(w Workload) bool {
	return float64(w.BoundaryEdges) <= largestBoundary*float64(w.Triangles)
}

// buildEstimates builds the method FMM with the cheapest method for winding numbers.
func (c *costs) buildEstimates(ctx context.Context, s *Surface, w Workload) (Built, error) {
	open := w.BoundaryEdges > 0
	if open && w.Epsilon == 0 {
		w.Epsilon = c.sideEpsilon(w)
	}
	best := cheapest(w, c.windingMethods(w))
	built, err := best.Build(ctx, s, w)
	if open && errors.Is(err, fmm.ErrEpsilon) {
		// Sums over triangles or boundary edges have smaller bounds. If a bound exceeds w.Epsilon,
		// Build computes the winding number again with such a sum.
		built, err = buildRays(ctx, s, w)
		if m, _ := named(c.sideMethods(), Direct); err == nil && c.directWindings(w).Point < c.rayWindings(w).Point {
			built, err = m.Build(ctx, s, w)
		}
	}
	if err == nil && w.Parity { // rays decide all sides
		_, err = s.Rays(ctx)
	}
	return built, err
}

// windingMethods returns the methods for winding numbers. Their costs do not include sides.
func (c *costs) windingMethods(w Workload) []Method {
	if w.BoundaryEdges == 0 {
		return []Method{{
			Name: "multipoles, rounded", Cost: c.multipoleWindings, Estimates: true,
			Build: func(ctx context.Context, s *Surface, w Workload) (Built, error) {
				e, err := newRounded(ctx, s, w.Points)
				return estimates(e, err, s, w, closedEpsilon, "")
			},
		}}
	}
	return []Method{
		{Name: RayCrossing, Cost: c.rayWindings, Build: buildRays},
		{
			Name: "capped", Cost: c.cappedWindings, Estimates: true,
			Build: func(ctx context.Context, s *Surface, w Workload) (Built, error) {
				e, caps, err := newCapped(ctx, s, w.Epsilon, w.Points)
				return estimates(e, err, s, w, w.Epsilon, fmt.Sprintf("cells of the mesh closed by %s, less their multipoles to %.1g",
					count(int64(len(caps)), "triangle"), w.Epsilon))
			},
		},
		{
			Name: "multipoles", Cost: c.multipoleWindings, Estimates: true,
			Build: func(ctx context.Context, s *Surface, w Workload) (Built, error) {
				e, err := newMultipole(ctx, s, w.Epsilon, w.Points)
				return estimates(e, err, s, w, w.Epsilon, fmt.Sprintf("multipoles of all triangles to %.1g", w.Epsilon))
			},
		},
	}
}

// estimates returns the method that uses the estimator e, with rays as the fallback. If err is not
// nil, it returns err.
func estimates(e Estimator, err error, s *Surface, w Workload, epsilon float64, detail string) (Built, error) {
	if err != nil {
		return Built{}, err
	}
	return Built{
		Locator: WithFallback(e, rays{s}, s.opt.Rule, w.Parity, epsilon),
		Detail:  detail, Epsilon: epsilon,
	}, nil
}

func buildRays(ctx context.Context, s *Surface, w Workload) (Built, error) {
	built := Built{Locator: rays{s}}
	if w.BoundaryEdges > 0 {
		built.Detail = "a ray and the sum over the boundary"
	}
	_, err := s.Rays(ctx)
	return built, err
}

// cheapest returns the method with the least estimated time for w. Among methods with the same
// time, it returns the first.
func cheapest(w Workload, methods []Method) Method {
	return slices.MinFunc(methods, func(a, b Method) int { return cmp.Compare(a.Cost(w).total(w), b.Cost(w).total(w)) })
}

// choose returns the eligible method with the least estimated time for w. Among methods with the
// same time, it returns the first. all must be the result of c.sideMethods.
func (c *costs) choose(w Workload, all []Method) (best Method) {
	if w.Triangles == 0 {
		best, _ = named(all, RayCrossing)
		return best
	}
	least := math.Inf(1)
	for _, m := range all {
		if !m.Eligible(w) || m.Name == FMM && c.leastEstimates(w) >= least {
			continue
		}
		if m.Name == FMM { // the other costs do not depend on the error
			w = c.withEpsilon(w)
		}
		if total := m.Cost(w).total(w); total < least {
			best, least = m, total
		}
	}
	return best
}

// leastEstimates returns a lower bound of the estimated time of FMM. It takes a fraction of the time of withEpsilon.
func (c *costs) leastEstimates(w Workload) float64 {
	if w.BoundarySum && w.Epsilon == 0 {
		w.Epsilon = slices.Max(sideEpsilons[:])
	}
	cost, _ := c.cheapestWindings(w, c.closedCells(w))
	return cost.total(w)
}

// withEpsilon returns w with the Epsilon that the costs of an open mesh assume.
func (c *costs) withEpsilon(w Workload) Workload {
	if w.BoundarySum && w.Epsilon == 0 {
		w.Epsilon = c.sideEpsilon(w)
	}
	return w
}

// reason returns the reason for the result of choose.
func (c *costs) reason(w Workload) string {
	if w.Triangles == 0 {
		return "there are no triangles"
	}
	w = c.withEpsilon(w)
	type candidate struct {
		Method
		total float64
	}
	var methods []candidate
	all := c.sideMethods()
	for _, m := range all {
		if m.Eligible(w) {
			methods = append(methods, candidate{m, m.Cost(w).total(w)})
		}
	}
	slices.SortStableFunc(methods, func(a, b candidate) int { return cmp.Compare(a.total, b.total) })
	over, unit := "many points assumed", " a point"
	if w.Points > 0 {
		over, unit = count(w.Points, "point")+" expected", ""
	}
	reason := fmt.Sprintf("%s over %s: ", over, count(int64(w.Triangles), "triangle"))
	for i, m := range methods {
		if i == 0 {
			reason += fmt.Sprintf("%s about %s%s", m.Name, duration(m.total), unit)
		} else {
			reason += fmt.Sprintf(", %s %s", m.Name, duration(m.total))
		}
	}
	if m, _ := named(all, Cells); !m.Eligible(w) {
		reason += fmt.Sprintf("; not %s, which would have to close %s", Cells, count(int64(w.BoundaryEdges), "boundary edge"))
	}
	return reason
}

func named(methods []Method, name string) (m Method, ok bool) {
	i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return Method{}, false
	}
	return methods[i], true
}

// count returns n with its noun and with commas between thousands: 1 point, 1,234,567 points.
func count(n int64, noun string) string { return plural.Group(n, ",") + " " + plural.Noun(n, noun) }

// duration formats seconds with two digits and a unit: 0.25 ns, 12 µs, 340 ms.
func duration(seconds float64) string {
	unit, x := "s", seconds
	for _, u := range []string{"ms", "µs", "ns"} {
		if x >= 0.995 { // x becomes 1.0 when rounded to two digits
			break
		}
		unit, x = u, x*1000
	}
	digits := 0
	switch {
	case x < 0.995:
		digits = 2
	case x < 9.95:
		digits = 1
	default:
		step := math.Pow(10, math.Floor(math.Log10(x))-1)
		x = math.Round(x/step) * step
	}
	return strconv.FormatFloat(x, 'f', digits, 64) + " " + unit
}
