package inpoly

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/cells"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
)

// way is how a field finds winding numbers.
type way uint8

const (
	// byRounding sums the potential of a closed mesh to less than 1/2: the nearest
	// integer is W.
	byRounding way = iota
	// byRay casts a ray and sums over the boundary of an open mesh, for each point.
	byRay
	// byCaps closes an open mesh S with caps C: W = W(S+C) − J(C). The integer comes
	// from cells, the potential of the caps from multipoles.
	byCaps
	// byTriangles sums the potential of all triangles of an open mesh.
	byTriangles
)

// field finds the winding numbers of a mesh with a bound of their error. It leaves
// some points to ray crossing: see found.
type field struct {
	way       way
	epsilon   float64      // wanted bound; not for closed meshes
	box       bvh.Box      // of the mesh
	potential *potential   // of the mesh or, byCaps, of the caps; nil byRay
	cells     *cells.Index // of the mesh with its caps; nil but byCaps
	caps      int
}

// closedEpsilon is the error that is asked of the potential of a closed mesh. It
// leaves 0.01 to the rounding of near fields, which is more than a hundred thousand
// triangles at a distance cause, and less than a quarter, by which the bound of
// fmm exceeds its epsilon beside the edge of a triangle: such points are cast.
const closedEpsilon = 0.49

// found is a winding number as far as a field has found it.
type found struct {
	w, bound float64
	ok       bool // |w − W| ≤ bound, and the point is not on the surface
	on       bool // the point lies exactly on the surface
}

// newField returns a field for s. epsilon is the wanted bound for an open mesh.
// What the error of fmm says about what can be reached is kept.
func (s *Solid) newField(ctx context.Context, w way, epsilon float64) (*field, error) {
	f := &field{way: w, epsilon: epsilon, box: s.mesh.Box()}
	var tris []mesh.Triangle
	var err error
	switch w {
	case byRay:
		return f, nil
	case byCaps:
		var closed *mesh.Mesh
		if closed, tris, err = s.mesh.Capped(ctx, s.opt.Workers); err != nil {
			return nil, fmt.Errorf("close the mesh: %w", err)
		}
		f.caps = len(tris)
		// Triangles of no size at two corners of the box stretch the plan, whose
		// evaluation tree covers the box of its triangles, to that of the mesh.
		tris = append(tris, mesh.Triangle{f.box.Min, f.box.Min, f.box.Min}, mesh.Triangle{f.box.Max, f.box.Max, f.box.Max})
		if f.cells, err = s.capCells(ctx, closed); err != nil {
			return nil, err
		}
	default:
		if w == byRounding {
			f.epsilon = closedEpsilon
		}
		tris = make([]mesh.Triangle, s.mesh.NumFaces())
		order := make([]int32, len(tris))
		for i := range order {
			order[i] = int32(i)
		}
		if err := s.mesh.GatherTo(ctx, tris, order, s.opt.Workers); err != nil {
			return nil, err
		}
	}
	f.potential, err = newPotential(ctx, tris, f.epsilon, s.opt.ExpectedPoints, s.opt.Workers)
	return f, err
}

// errHandedOver is what cells of a capped mesh get for a ray: the ray of the mesh
// itself, and the sum over its boundary, will answer.
var errHandedOver = errors.New("handed over")

// capCells returns cells of a closed mesh that answer by themselves or not at all. A
// tree that building them takes is not kept.
func (s *Solid) capCells(ctx context.Context, closed *mesh.Mesh) (*cells.Index, error) {
	var trees atomic.Pointer[lazy[tree]]
	trees.Store(newLazy(func(ctx context.Context) (*tree, error) { return newTree(ctx, closed, &s.opt) }))
	defer trees.Store(nil)
	return cells.New(ctx, closed, cells.Options{
		Workers: s.opt.Workers, ExpectedPoints: s.opt.ExpectedPoints,
		Rays: func(ctx context.Context) (*raycross.Caster, error) {
			l := trees.Load()
			if l == nil {
				return nil, errHandedOver
			}
			t, err := l.get(ctx)
			if err != nil {
				return nil, err
			}
			return t.caster, nil
		},
	})
}

// skips reports whether f needs no potential for p, which is finite.
func (f *field) skips(p r3.Vector) bool {
	return f.way == byRay || f.way == byRounding && !f.box.Contains(p)
}

// at returns what f finds for one finite point.
func (f *field) at(p r3.Vector, sc *scratch) found {
	if f.skips(p) {
		return f.skipped()
	}
	j, bound, on := f.potential.at(p)
	return f.found(p, j, bound, on, sc)
}

// skipped is what f finds for a point that it skips: W = 0 beyond a closed mesh.
func (f *field) skipped() found { return found{ok: f.way == byRounding} }

// found turns the potential j at p, with its bound, into a winding number. on tells
// that p lies exactly on one of the triangles.
func (f *field) found(p r3.Vector, j, bound float64, on bool, sc *scratch) found {
	switch {
	case on && f.way == byCaps: // nothing is known about the mesh
		return found{}
	case on:
		return found{on: true}
	case f.way == byRounding:
		return found{w: math.RoundToEven(j) + 0, ok: bound < 0.5} // −0 becomes 0
	case f.way == byTriangles:
		return found{w: j, bound: bound, ok: bound <= math.MaxFloat64}
	}
	// Cells give an exact integer, or what is not finite because they would need a ray:
	// on the surface of S+C, too.
	n, rest := f.cells.Winding(p, &sc.caps)
	if rest != 0 || !(bound <= math.MaxFloat64) {
		return found{}
	}
	w := n - j
	// One rounding of the difference; the factor covers that of the bound itself.
	return found{w: w, bound: (bound + 0x1p-53*math.Abs(w)) * (1 + 0x1p-50), ok: true}
}

// side returns the side that got has under the rule, if it tells; p is finite.
func (got *found) side(rule Rule) (Side, bool) {
	switch {
	case got.on:
		return OnSurface, true
	case got.ok:
		return rule.Decide(got.w, got.bound)
	}
	return Unknown, false
}

// good reports whether got is the winding number as well as it was asked for.
func (f *field) good(got found) bool {
	return got.ok && (f.way == byRounding || got.bound <= f.epsilon)
}

// String tells how f finds winding numbers.
func (f *field) String() string {
	switch f.way {
	case byRounding:
		return "multipoles, rounded"
	case byRay:
		return "a ray and the sum over the boundary"
	case byCaps:
		return fmt.Sprintf("cells of the mesh closed by %s, less their multipoles to %.1g", plural(int64(f.caps), "triangle"), f.epsilon)
	}
	return fmt.Sprintf("multipoles of all triangles to %.1g", f.epsilon)
}

// fieldSides reports whether the sides of s follow from its field.
func (s *Solid) fieldSides() bool {
	return s.field != nil && s.field.way != byRay && !countsParity(s.mesh, s.opt.Rule)
}

// fieldSidesTo is SidesStatsTo by the field.
func (s *Solid) fieldSidesTo(ctx context.Context, dst []Side, pts []r3.Vector) (Stats, error) {
	stats, err := s.fieldAnswers(ctx, s.field, answers{sides: dst}, pts)
	if err == nil && s.opt.Tolerance > 0 {
		if err = s.needTree(ctx); err == nil {
			_, err = s.forEach(ctx, len(pts), func(i int, sc *scratch) {
				if s.searched().near.Within(pts[i], s.opt.Tolerance, &sc.near) {
					dst[i] = OnSurface
				}
			})
		}
		if err != nil { // some are not right yet
			clear(dst)
		}
	}
	return stats, err
}

// checkEpsilon refuses an Epsilon that not even the sum over the boundary of an open
// mesh reaches, judged by a point outside its box.
func (s *Solid) checkEpsilon() error {
	if s.opt.Epsilon == 0 || s.mesh.Closed() {
		return nil
	}
	box := s.mesh.Box()
	least := boundaryBound(s.mesh, box.Max, box.Size())
	if !(least <= s.opt.Epsilon) {
		return fmt.Errorf("%w: %.2g, and no less than about %.2g can be reached", fmm.ErrEpsilon, s.opt.Epsilon, least)
	}
	return nil
}

// boundaryBound returns the bound of the sum over the boundary of m at a point that
// lies off the corner of its box by the box's size; 0 if that cannot be summed.
func boundaryBound(m *mesh.Mesh, corner, size r3.Vector) float64 {
	from := corner.Add(size)
	// Any direction but those of edges.
	target := from.Add(r3.Vector{X: 1, Y: 0.7, Z: 0.3}.Mul(4 * max(size.X, size.Y, size.Z)))
	_, bound, ok := bem.NewBoundary(m).Sum(from, target, new(bem.Scratch))
	if !ok {
		return 0
	}
	return bound
}
