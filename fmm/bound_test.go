package fmm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/harmonics"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// singleCluster is a source tree with one cluster in a large cube.
type singleCluster struct {
	*sourceTree
	direct *bem.Direct
}

func unitCube() cube { return newCube(bvh.Box{Max: r3.Vector{X: 1, Y: 1, Z: 1}}) }

// newSingleCluster returns a source tree with one cluster of the given triangles. Their corners are
// relative to the center of c, in units of half the side of c.
func newSingleCluster(t *testing.T, c cell, level int8, degree int, tris []mesh.Triangle) *singleCluster {
	t.Helper()
	f := unitCube()
	center, half := f.center(c, int(level)), f.half(int(level))
	moved := make([]mesh.Triangle, len(tris))
	for i, tri := range tris {
		for k, v := range tri {
			moved[i][k] = center.Add(v.Mul(half))
		}
	}
	m := testmesh.Mesh(soupOf(moved))
	s := &sourceTree{cube: f, tris: corners(m), degree: degree, leaf: 8, nodes: []node{{cell: c, level: level, hi: int32(len(tris))}}, levels: []int32{0, 1}}
	s.packNearField()
	if err := s.computeMoments(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	return &singleCluster{s, bem.NewDirect(m, 0)}
}

// patches returns typical clusters within a radius of about 1: flat and crumpled patches, soups,
// dipoles, and closed surfaces whose moments cancel entirely or nearly.
func patches(r *rand.Rand) map[string][]mesh.Triangle {
	put := func(s mesh.Soup, size float64, at r3.Vector) []mesh.Triangle {
		return corners(testmesh.Mesh(testmesh.Move(s, func(v r3.Vector) r3.Vector { return v.Mul(size).Add(at) })))
	}
	sphere := testmesh.Soup(testmesh.Sphere(1))
	small := direction(r).Mul(0.9)
	tri := mesh.Triangle{small, small.Add(direction(r).Mul(1e-3)), small.Add(direction(r).Mul(1e-3))}
	return map[string][]mesh.Triangle{
		"flat":             put(testmesh.Sheet(3), 1.4, r3.Vector{X: -0.7, Y: -0.7, Z: 0.3}),
		"random":           put(testmesh.Triangles(8, r.Uint64()), 1.5, r3.Vector{X: -0.7, Y: -0.7, Z: -0.7}),
		"closed":           put(sphere, 0.5, direction(r).Mul(0.4)),
		"nearly closed":    put(testmesh.Without(sphere, 5), 0.8, direction(r).Mul(0.2)),
		"sheets that face": append(put(testmesh.Sheet(2), 1, r3.Vector{X: -0.5, Y: -0.5}), put(testmesh.Flip(testmesh.Sheet(2)), 1, r3.Vector{X: -0.5, Y: -0.5, Z: 0.1})...),
		"dipole":           {tri},
		"overhanging":      put(testmesh.Triangles(4, r.Uint64()), 5, r3.Vector{X: -2, Y: -3, Z: -2}),
		"cut up":           put(testmesh.Tangle(6, 9, r.Uint64()), 1.5, r3.Vector{X: -0.7, Y: -0.7, Z: -0.7}),
		"half the sphere":  put(testmesh.Hemisphere(2), 0.9, r3.Vector{}),
		"zero area":        {{{X: -1}, {X: 0.3}, {X: 1}}, {{Y: 0.5}, {Y: 0.5}, {Y: 0.5}}},
		"needles":          {{direction(r), direction(r), {X: 1e-9}}, {{X: 1, Y: 1}, {X: 1, Y: 1 + 1e-12}, {X: -1, Y: -1}}},
	}
}

// cellPoints returns points of a cell, in units of half its side: the corners moved outward by half
// the slack, n random points, and the center.
func cellPoints(r *rand.Rand, n int) []r3.Vector {
	var pts []r3.Vector
	for o := range 8 {
		k := 2 * (1 + slackRadius/2)
		pts = append(pts, octant(o).Mul(k))
	}
	for range n {
		pts = append(pts, r3.Vector{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1, Z: 2*r.Float64() - 1})
	}
	return append(pts, r3.Vector{})
}

// No error at a point of a cell exceeds the bound of the pair. The bounds of dipoles are not too
// large.
func TestPairBounds(t *testing.T) {
	r := seeded(61)
	sharpest := map[string]float64{}
	pairs := 0
	var geos []*geometryCache
	var made []*m2lOperators
	for _, q := range degreeChoices() {
		geos, made = append(geos, &geometryCache{deg: q.degrees}), append(made, newM2LOperators(q.degrees))
	}
	for round := range rounds(15, 400) {
		k := round % len(geos)
		q, geo, ops := degreeChoices()[k], geos[k], made[k]
		table := q.roundings(1, 0)
		for name, tris := range patches(r) {
			for range 6 {
				finer := int8(r.IntN(maxFiner-minFiner+1) + minFiner)
				level := int8(8)
				c := cell{100, 120, 140}
				src := newSingleCluster(t, c, level, q.kept, tris)
				n := &src.nodes[0]
				to := cell{}
				near := 2 + r.IntN(5)
				for i, v := range [3]*int32{&to.x, &to.y, &to.z} {
					at := float64([3]int32{c.x, c.y, c.z}[i]) + 0.5 + (r.Float64()*2-1)*float64(near)
					*v = int32(math.Ldexp(at, -int(finer)))
				}
				at := between(n, to, level-finer)
				g := geo.of(at)
				truncation, rounding := g.bounds(n, src.norms, table)
				if math.IsInf(truncation, 1) {
					continue
				}
				pairs++
				local := make([]float64, padded(harmonics.Len(q.local)))
				sum := ops.tables.NewSum()
				sum.Add(ops.of(at), src.moments)
				sum.AddTo(local)
				prepareLocal(local, local, q.local)
				center, half := src.center(to, int(level-finer)), src.half(int(level-finer))
				for _, p := range cellPoints(r, 20) {
					x := center.Add(p.Mul(half))
					p = x.Sub(center).Mul(1 / half)
					got := [1]float64{}
					evaluateMany(got[:], []float64{p.X}, []float64{p.Y}, []float64{p.Z}, local, q.local)
					want, bound, _ := src.direct.Winding(x)
					e := math.Abs(got[0] - want)
					if !(e <= truncation+rounding+bound) {
						t.Errorf("%s, degrees %v over %v at %v: %g, want %g: error %g, bound %g + %g + %g", name, q.degrees, at, p, got[0], want, e, truncation, rounding, bound)
					}
					if truncation > 0 {
						sharpest[name] = max(sharpest[name], (e-rounding-bound)/truncation)
					}
				}
			}
		}
	}
	t.Logf("%d pairs; largest errors divided by their bounds: %v", pairs, sharpest)
	if pairs < 100 && !testing.Short() {
		t.Errorf("the expansions of only %d pairs converge: the test checks too little", pairs)
	}
	if sharpest["dipole"] < 0.01 && !testing.Short() {
		t.Errorf("bounds of dipoles are %g times their errors, want less than 100", 1/sharpest["dipole"])
	}
}

// geometryCache.of returns the same geometry as newPairGeometry, whether the cache stores the
// geometry or not.
func TestGeometries(t *testing.T) {
	r := seeded(62)
	geo := &geometryCache{deg: degrees{4, 4, 8}}
	n := &node{level: 10}
	for range 3000 {
		finer := int8(r.IntN(6) - 3) // difference of levels, sometimes outside the tables
		n.cell = cell{512, 512, 512}
		near := func() int32 {
			return int32(math.Ldexp(512+(r.Float64()*2-1)*float64(int(4)<<r.IntN(5)), -int(finer)))
		}
		o := between(n, cell{near(), near(), near()}, n.level-finer)
		d := r3.Vector{X: float64(o.x), Y: float64(o.y), Z: float64(o.z)}.Mul(math.Ldexp(1, int(min(finer, 0)))).Norm()
		got, want := geo.of(o), newPairGeometry(geo.deg, d*d, math.Ldexp(radius, int(finer)))
		close := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*math.Abs(b) }
		if !close(got.x, want.x) || !close(got.near, want.near) || !close(got.b, want.b) || !close(got.far, want.far) {
			t.Fatalf("offset %v: %+v, want %+v", o, *got, want)
		}
		for s := range want.weight {
			if !close(got.weight[s], want.weight[s]) {
				t.Fatalf("offset %v: weight %d is %g, want %g", o, s, got.weight[s], want.weight[s])
			}
		}
	}
}

// The table from the method roundings covers all ratios below maxSum. The bounds in the table grow
// with the ratio.
func TestRoundingBins(t *testing.T) {
	q := chooseDegrees(4e-3, manyTriangles)
	table := q.roundings(5, 5)
	n := &node{cover: 1}
	last := 0.0
	for _, r := range []float64{0, 1e-300, 0.1, 0.5, 0.9, 0.969, math.Nextafter(maxSum, 0)} {
		got := n.roundingBound(r, 1, table)
		if !(got >= last) || !(got > 0) {
			t.Errorf("the rounding at the ratio %g is %g, want at least the %g before", r, got, last)
		}
		last = got
	}
}

// Errors and bounds fall with the degree p as in eq. 26 of Muth et al. 2006, (p+1+d/(d−1))
// d^−(p+2). Source and target have radius r, and their centers have distance (d+1)r.
func TestErrorAgainstDegree(t *testing.T) {
	r := seeded(63)
	at := offset{x: 4}
	for _, d := range []float64{1.5, 2, 3} {
		radius := float64(at.x) / (d + 1)
		// The first dipole is nearest to the cell. The others lie in random directions.
		var tris []mesh.Triangle
		for i := range 10 {
			y := direction(r)
			if i == 0 {
				y = r3.Vector{X: 1}
			}
			y = y.Mul(radius * (1 - 1e-4))
			across := y.Cross(direction(r)).Normalize().Mul(1e-4 * radius)
			tris = append(tris, mesh.Triangle{y, y.Add(across), y.Add(across.Cross(y).Mul(1 / radius))})
		}
		var degreesSeen, errors, bounds []float64
		for p := 3; p <= 16; p++ {
			deg := degrees{p, p, p + 4}
			c := cell{100, 100, 100}
			src := newSingleCluster(t, c, 8, deg.kept, tris)
			ops := newM2LOperators(deg)
			local, sum := make([]float64, padded(harmonics.Len(p))), ops.tables.NewSum()
			sum.Add(ops.of(at), src.moments)
			sum.AddTo(local)
			prepareLocal(local, local, p)
			center, half := src.center(cell{102, 100, 100}, 8), src.half(8)
			worst := 0.0
			for i := range 50 {
				v := direction(r).Mul(radius)
				if i == 0 {
					v = r3.Vector{X: -radius}
				}
				x := center.Add(v.Mul(half))
				got := [1]float64{}
				evaluateMany(got[:], []float64{v.X}, []float64{v.Y}, []float64{v.Z}, local, p)
				want, _, _ := src.direct.Winding(x)
				worst = max(worst, math.Abs(got[0]-want))
			}
			g := newPairGeometry(deg, 16, radius)
			truncation, rounding := g.bounds(&src.nodes[0], src.norms, degreeChoice{deg, 8}.roundings(1, 0))
			if !(worst <= truncation+rounding) {
				t.Errorf("d=%g, p=%d: error %g, bound %g + %g", d, p, worst, truncation, rounding)
			}
			factor := float64(p) + 1 + d/(d-1)
			degreesSeen = append(degreesSeen, float64(p))
			errors = append(errors, math.Log(worst/factor))
			bounds = append(bounds, math.Log(truncation/factor))
		}
		want := -math.Log(d)
		for name, values := range map[string][]float64{"error": errors, "bound": bounds} {
			got := slope(degreesSeen, values)
			t.Logf("d=%g: the %s falls by %.4f for each degree, theory %.4f", d, name, math.Exp(got), 1/d)
			if math.Abs(got-want) > 0.1*math.Abs(want) {
				t.Errorf("d=%g: the logarithm of the %s has the slope %g, want %g", d, name, got, want)
			}
		}
	}
}

func slope(x, y []float64) float64 {
	var sx, sy, sxx, sxy float64
	for i := range x {
		sx, sy, sxx, sxy = sx+x[i], sy+y[i], sxx+x[i]*x[i], sxy+x[i]*y[i]
	}
	n := float64(len(x))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
