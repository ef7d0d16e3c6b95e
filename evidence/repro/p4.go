package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/harmonics"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// runP4 checks the accuracy of Muth, Of, Eberhard, Steinbach 2006, §2.1.3: the error of one pair of
// clusters as a function of the expansion degree, and the error of whole plans as a function of the
// allowed error.
func runP4(ctx context.Context, r *Run) (*Result, error) {
	res := &Result{}
	distances := pick(r.Size, []int{2, 3}, []int{2, 3, 4, 5}, []int{2, 3, 4, 5})
	degrees := pick(r.Size, 6, 16, 20)
	r.progress.plan(len(distances) + 3)
	if err := degreeErrors(r, res, distances, degrees); err != nil {
		return nil, err
	}
	kernel, misprints := kernelStatements(pick(r.Size, 1000, 20000, 200000))
	res.Statements = append(res.Statements, kernel...)
	if err := planErrors(ctx, r, res); err != nil {
		return nil, err
	}
	res.Tables = append(res.Tables, misprints)
	return res, nil
}

// cluster is a patch of a surface in the unit ball. It represents a leaf of the source tree.
type cluster struct {
	tris  []mesh.Triangle
	area  float64
	norms []float64 // norms of the moments, computed by harmonics.NormsTo
	mo    []float64 // moments up to degree clusterDegree
}

// clusterDegree is the highest degree of moments that the bound uses.
const clusterDegree = 60

// newCluster returns the triangles of a sphere whose centroids lie in one cell of a 4×4×4 grid. It
// moves and scales the triangles into the unit ball.
func newCluster() *cluster {
	m := testmesh.Sphere(4)
	c := &cluster{}
	center, radius := r3.Vector{X: 0.75, Y: 0.25, Z: 0.25}, 0.0
	for _, t := range trianglesOf(m) {
		g := t[0].Add(t[1]).Add(t[2]).Mul(1.0 / 3).Sub(center)
		if max(math.Abs(g.X), math.Abs(g.Y), math.Abs(g.Z)) > 0.25 {
			continue
		}
		for k := range t {
			t[k] = t[k].Sub(center)
			radius = max(radius, t[k].Norm())
		}
		c.tris = append(c.tris, t)
	}
	for i := range c.tris {
		for k := range c.tris[i] {
			c.tris[i][k] = c.tris[i][k].Mul(1 / radius)
		}
		t := c.tris[i]
		c.area += t[1].Sub(t[0]).Cross(t[2].Sub(t[0])).Norm() / 2
	}
	moments := bem.NewMoments(clusterDegree)
	for _, t := range c.tris {
		moments.AddTriangle(t[0], t[1], t[2])
	}
	c.mo = make([]float64, harmonics.Len(clusterDegree))
	moments.AddTo(c.mo)
	c.norms = make([]float64, clusterDegree+1)
	harmonics.NormsTo(c.norms, clusterDegree, c.mo)
	return c
}

// potential returns the sum of the solid angles at x, divided by 4π.
func (c *cluster) potential(x r3.Vector) float64 {
	w := 0.0
	for _, t := range c.tris {
		w += bem.SolidAngle(x, t[0], t[1], t[2])
	}
	return w / (4 * math.Pi)
}

// certified returns a bound of the truncation error of degree p in a target of radius 1 at the
// given distance. The terms with s ≤ clusterDegree use the norms P_s of the moments (see
// harmonics.NormsTo). The terms with larger s use P_s ≤ A s a^(s−1), where A is the area and a = 1
// is the radius of the cluster.
func (c *cluster) certified(p int, distance float64) float64 {
	e := harmonics.M2LBound(c.norms, p, p, 1, distance)
	for s := clusterDegree + 1; s <= 10*clusterDegree; s++ {
		e += c.area * float64(s) / math.Pow(distance-1, float64(s+1))
	}
	return e / (4 * math.Pi)
}

// byArea bounds the same error as the method certified, but uses only the area A of the cluster. It
// sums A/(4π) s C(n+s,n) bⁿ a^(s−1)/D^(n+s+1) over all n and s with n > p or s > p. D is the
// distance, C is a binomial coefficient, and the radii a and b are 1.
func (c *cluster) byArea(p int, distance float64) float64 {
	e := 0.0
	tails := make([]float64, p+1)
	harmonics.LocalTailsTo(tails, p, 1/distance)
	for s := 1; s <= p; s++ {
		e += float64(s) * tails[s] / math.Pow(distance, float64(s+1))
	}
	for s := p + 1; s <= 10*clusterDegree; s++ {
		e += float64(s) / math.Pow(distance-1, float64(s+1))
	}
	return c.area * e / (4 * math.Pi)
}

// paperBound returns the bound of eq. 27 for degree p and a cluster of radius 1. The distance of
// the centers is d+1. The bound includes the factor 1/4π of eq. 6, which eq. 27 omits.
func (c *cluster) paperBound(p, d int) float64 {
	x := float64(d)
	return c.area / (4 * math.Pi) * (1 + math.Pi) / (x - 1) * (float64(p) + 1 + x/(x-1)) * math.Pow(1/x, float64(p+2))
}

// worst expands the potential around center to degree p, and returns the largest error at pts.
func (c *cluster) worst(p int, center r3.Vector, pts []r3.Vector, want []float64) float64 {
	l := make([]float64, harmonics.Len(p))
	t := harmonics.NewTables(p, p)
	sum := t.NewSum()
	sum.Add(t.M2L(center, 1), c.mo)
	sum.AddTo(l)
	e := 0.0
	for i, x := range pts {
		e = max(e, math.Abs(-harmonics.EvaluateLocal(l, p, x)/(4*math.Pi)-want[i]))
	}
	return e
}

// degreeErrors measures the error as a function of the degree p, for each of the given distances d.
// The centers of the clusters are d+1 radii apart, which is the least distance that eq. 16 accepts.
func degreeErrors(r *Run, res *Result, distances []int, degrees int) error {
	f := Figure{Name: "P4-degree", Title: "Error of one pair of clusters", X: "expansion degree p", Y: "max |J - J~|", LogY: true}
	g := Figure{Name: "P4-bounds", Title: fmt.Sprintf("Error of one pair of clusters and its bounds, d = %d", distances[0]), X: f.X, Y: f.Y, LogY: true}
	table := Table{Name: "P4-degree-table", Long: true, Title: "Factor by which one more degree multiplies the error",
		Columns: []string{"d", "measured", "bound by moments", "bound by area", "eq. 27 (1/d)", "largest error / bound by moments", "largest error / eq. 27"}}
	c := newCluster()
	random := rand.New(rand.NewPCG(1, 16))
	violations, below, nearest := 0, true, 0.0
	for hue, d := range distances {
		distance := float64(d + 1)
		at := r3.Vector{X: -1, Y: 2, Z: 3}.Normalize().Mul(distance)
		pts, want := inBall(random, pick(r.Size, 50, 500, 4000)), []float64{}
		for _, x := range pts {
			want = append(want, c.potential(at.Add(x)))
		}
		measured := Series{Name: fmt.Sprintf("d = %d", d), Hue: hue + 1}
		certified := Series{Name: "certified bound", Hue: 2, Style: Dashed}
		paper := Series{Name: "eq. 27", Hue: 3, Style: Prediction}
		area := Series{}
		ratio, paperRatio := 0.0, 0.0
		for p := 1; p <= degrees; p++ {
			e := c.worst(p, at, pts, want)
			measured.Add(float64(p), e)
			certified.Add(float64(p), c.certified(p, distance))
			paper.Add(float64(p), c.paperBound(p, d))
			area.Add(float64(p), c.byArea(p, distance))
			// 10⁻¹⁵ bounds the rounding error of the sum over a few hundred triangles.
			if e > certified.Y[p-1]+1e-15 {
				violations++
			}
			if certified.Y[p-1] > 1e-13 { // smaller values are rounding errors
				ratio = max(ratio, e/certified.Y[p-1])
			}
			paperRatio = max(paperRatio, e/paper.Y[p-1])
		}
		table.Add(d, perDegree(measured), perDegree(certified), perDegree(area), 1/float64(d), ratio, paperRatio)
		below, nearest = below && paperRatio <= 1, max(nearest, paperRatio)
		r.progress.step(measured.Name)
		f.Series = append(f.Series, measured)
		if d == distances[0] {
			measured.Name = "measured"
			g.Series = []Series{measured, certified, paper}
		}
	}
	if violations > 0 {
		return fmt.Errorf("%d errors exceed their certified bounds", violations)
	}
	res.Figures = append(res.Figures, f, g)
	res.Tables = append(res.Tables, table)
	slopes, holds := "", true
	for _, row := range table.Rows {
		slopes += fmt.Sprintf("d = %d: %.3f; ", row[0], row[1])
		holds = holds && row[1].(float64) <= row[4].(float64)
	}
	res.Statements = append(res.Statements,
		counted("P4.decay", "the error falls as (1/d)^p", "Eq. 27: the error falls with p as (1/d)^p or faster.", "One more degree multiplies the error by "+slopes[:len(slopes)-2]+".", "at most 1/d", holds, Fails, ""),
		counted("P4.bound", "eq. 27 bounds the error of one pair of clusters", "Eq. 27 bounds the error.", "One pair of clusters, Δ_Γ read as its area: largest error / bound by d: "+column(table, 6)+".", "at most 1", below, Fails, "Here with the factor 1/4π of eq. 6, which eq. 27 omits.").number(short(nearest)+" of the bound"))
	res.Notes = append(res.Notes, "A pair is a cluster of radius 1 of a sphere, and points in a ball of radius 1 at the least distance of eq. 16, d+1. “Certified” is the bound that `fmm` uses.")
	return nil
}

// perDegree returns the factor by which the error falls from one degree to the next. It fits a line
// to ln y as a function of p, and ignores values as small as rounding errors.
func perDegree(s Series) float64 {
	var x, y []float64
	for i := range s.X {
		if s.Y[i] > 1e-14 {
			x, y = append(x, math.Exp(s.X[i])), append(y, s.Y[i])
		}
	}
	return math.Exp(fitPower(x, y).Exponent)
}

// column formats the values in column i of a table, separated by commas.
func column(t Table, i int) string {
	s := ""
	for k, row := range t.Rows {
		if k > 0 {
			s += ", "
		}
		s += readable(row[i])
	}
	return s
}

// inBall returns n random points of the unit ball, half of them on its surface.
func inBall(random *rand.Rand, n int) []r3.Vector {
	var pts []r3.Vector
	for i := range n {
		v := r3.Vector{X: random.NormFloat64(), Y: random.NormFloat64(), Z: random.NormFloat64()}.Normalize()
		if i%2 == 0 {
			v = v.Mul(math.Cbrt(random.Float64()))
		}
		pts = append(pts, v)
	}
	return pts
}

// planErrors measures the errors of plans as a function of the allowed error. The bodies are a
// sphere, a foam, and a sphere with a hole, whose winding numbers J are not integers.
func planErrors(ctx context.Context, r *Run, res *Result) error {
	foam := testmesh.Foam(mesh.FoamOptions{Resolution: pick(r.Size, 8, 12, 32), Seed: 1})
	sphere := testmesh.Sphere(pick(r.Size, 2, 4, 6))
	var kept []int32
	for f := range int32(sphere.NumFaces()) {
		if sphere.Triangle(f)[0].Z < 0.9 {
			kept = append(kept, f)
		}
	}
	holed, err := sphere.Extract(ctx, kept)
	if err != nil {
		return err
	}
	f := Figure{Name: "P4-plans", Title: "Largest error of fmm against the allowed error ε", X: "allowed error ε", Y: "max |J - J~|", LogX: true, LogY: true}
	limit := Series{Name: "ε", Style: Prediction, Hue: 8}
	table := Table{Name: "P4-plans-table", Long: true, Title: "Errors of fmm, compared with the allowed error ε and the certified bounds",
		Columns: []string{"body", "triangles", "ε", "points", "largest error", "largest bound", "errors above their bound", "sides wrong", "sides undecided"}}
	violations, wrong := 0, 0
	for _, b := range []struct {
		name string
		m    *mesh.Mesh
	}{{"sphere", sphere}, {"foam", foam}, {"sphere with a hole", holed}} {
		s := Series{Name: b.name}
		ref, err := newReference(ctx, b.m, pick(r.Size, 60, 400, 4000))
		if err != nil {
			return err
		}
		for e := 1; e <= 10; e += pick(r.Size, 4, 2, 1) {
			eps := math.Pow10(-e)
			x, err := ref.plan(ctx, eps, r.Threads)
			if err != nil {
				return fmt.Errorf("%s, ε = %g: %w", b.name, eps, err)
			}
			violations += x.above
			wrong += x.wrong
			s.Add(eps, x.err)
			table.Add(b.name, b.m.NumFaces(), eps, len(ref.pts), x.err, x.bound, x.above, x.wrong, x.undecided)
			if !slices.Contains(limit.X, eps) {
				limit.Add(eps, eps)
			}
		}
		f.Series = append(f.Series, s)
		r.progress.step(b.name)
	}
	f.Series = append(f.Series, limit)
	res.Figures = append(res.Figures, f)
	res.Tables = append(res.Tables, table)
	res.Statements = append(res.Statements,
		counted("P4.plans", "`fmm` keeps its error bounds", "Our addition: the certified bounds of `fmm` hold.",
			fmt.Sprintf("%d results with allowed errors from %s to %s: %d exceed their bounds, %d sides are wrong.", len(table.Rows)*pick(r.Size, 60, 400, 4000), short(slices.Max(limit.X)), short(slices.Min(limit.X)), violations, wrong), "none", violations+wrong == 0, Fails, "").uncounted(Addition))
	return nil
}

// reference holds points and the winding numbers that the direct sum finds.
type reference struct {
	tris     []mesh.Triangle
	pts      []r3.Vector
	w, bound []float64
	on       []bool
}

func newReference(ctx context.Context, m *mesh.Mesh, n int) (*reference, error) {
	random := rand.New(rand.NewPCG(1, 6))
	box, ref := m.Box(), &reference{tris: trianglesOf(m)}
	for range n { // the points lie in a box twice as wide as the box of the mesh
		size := box.Size()
		ref.pts = append(ref.pts, box.Min.Add(r3.Vector{X: (2*random.Float64() - 0.5) * size.X, Y: (2*random.Float64() - 0.5) * size.Y, Z: (2*random.Float64() - 0.5) * size.Z}))
	}
	ref.w, ref.bound, ref.on = make([]float64, n), make([]float64, n), make([]bool, n)
	return ref, bem.NewDirect(m, 1).WindingsTo(ctx, ref.w, ref.bound, ref.on, ref.pts)
}

// accuracy summarizes the errors of a plan.
type accuracy struct {
	err, bound              float64
	above, wrong, undecided int
}

func (ref *reference) plan(ctx context.Context, eps float64, threads int) (accuracy, error) {
	p, err := fmm.New(ctx, ref.tris, fmm.Options{Epsilon: eps, Points: ref.pts, Workers: threads})
	if err != nil {
		return accuracy{}, err
	}
	n := len(ref.pts)
	w, bound, on := make([]float64, n), make([]float64, n), make([]bool, n)
	if err := p.WindingsTo(ctx, w, bound, on, ref.pts, threads); err != nil {
		return accuracy{}, err
	}
	var a accuracy
	for i := range w {
		e := math.Abs(w[i] - ref.w[i])
		a.err, a.bound = max(a.err, e), max(a.bound, bound[i])
		if !(e <= bound[i]+ref.bound[i]) || on[i] != ref.on[i] {
			a.above++
		}
		switch {
		case math.Abs(math.Abs(w[i])-0.5) <= bound[i]:
			a.undecided++ // a ray would decide this point
		case (math.Abs(w[i]) > 0.5) != (math.Abs(ref.w[i]) > 0.5):
			a.wrong++
		}
	}
	return a, nil
}
