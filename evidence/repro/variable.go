package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/side"
)

// leafDegree is the degree of the leaves in the version of variable order. Each coarser level has one degree more.
const leafDegree = 3

// newVariable builds the trees of the multipole method with variable order (§2.1.3): the leaves have a constant
// number of triangles, about seven for sphere k and depth k−1, and a constant degree.
func newVariable(made *printedPlans, depth int, pairs bool) *printed {
	f := newPrinted(made.tris, made.box, depth, admissible2006, pairs)
	f.p, f.vary = leafDegree, 1
	return f
}

// variableError returns the largest error of J at random points that are not on the surface.
func variableError(ctx context.Context, k, points int) (float64, error) {
	m := testmesh.Sphere(k)
	f := newVariable(newPrintedPlans(m), k-1, true)
	if err := f.expand(ctx); err != nil {
		return 0, err
	}
	random := rand.New(rand.NewPCG(uint64(k), 2006))
	box := m.Box()
	size := box.Size()
	pts := make([]r3.Vector, points)
	for i := range pts {
		pts[i] = box.Min.Add(r3.Vector{X: random.Float64() * size.X, Y: random.Float64() * size.Y, Z: random.Float64() * size.Z})
	}
	x, err := newCells(ctx, m, 1)
	if err != nil {
		return 0, err
	}
	sides := make([]side.Side, points)
	if _, err := x.SidesTo(ctx, sides, pts, 1); err != nil {
		return 0, err
	}
	worst := 0.0
	for i, s := range sides {
		if s != side.OnSurface {
			worst = max(worst, math.Abs(f.value(pts[i])-float64(one(s == side.Inside))))
		}
	}
	return worst, nil
}

// variableOrder compares the growth of the operations with variable and with fixed order, for four points a
// triangle. Fixed order has the depth with the fewest operations.
func variableOrder(ctx context.Context, refinements []int, points int) (Statement, error) {
	var variable, fixed Series
	worst := 0.0
	for _, k := range refinements {
		m := testmesh.Sphere(k)
		made := newPrintedPlans(m)
		pts := gridPoints(m.Box(), int(math.Round(math.Cbrt(4*float64(m.NumFaces())))))
		for i, f := range []*printed{newVariable(made, k-1, false), made.count(made.wellChosen(pts))} {
			ops, _ := f.evaluationOps(pts)
			[]*Series{&variable, &fixed}[i].Add(float64(m.NumFaces()), ops+f.setUpOps())
		}
		e, err := variableError(ctx, k, points)
		if err != nil {
			return Statement{}, err
		}
		worst = max(worst, e)
	}
	a, b := fitTail(variable, 0), fitTail(fixed, 0)
	return counted("P1.variable", "variable order drops the logarithms", "§2.1.3: with variable order the logarithms drop.",
		fmt.Sprintf("From %s to %s triangles the operations have the exponent %s (fixed order: %s). J is off by at most %s.", short(variable.X[0]), short(variable.X[len(variable.X)-1]), a, b, short(worst)),
		"at most 1.05, with errors of J below ¼", a.Exponent <= 1.05 && worst < 0.25, Parameters,
		fmt.Sprintf("Degree %d at the leaves, one more on each coarser level; about seven triangles a leaf.", leafDegree)).number(fmt.Sprintf("exponent %.2f", a.Exponent)), nil
}
