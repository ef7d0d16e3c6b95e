package nearest

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// exactClosest returns the point of t that is closest to p, in rational numbers. It is the best of the
// minima over the corners, the lines of the edges and the plane that lie in the triangle.
func exactClosest(p r3.Vector, t mesh.Triangle) (best rat) {
	o, one := newRat(p), big.NewRat(1, 1)
	c := [3]rat{newRat(t[0]), newRat(t[1]), newRat(t[2])}
	var least *big.Rat
	add := func(q rat) {
		d := q.sub(o)
		if d2 := d.dot(d); least == nil || d2.Cmp(least) < 0 {
			best, least = q, d2
		}
	}
	for k, a := range c {
		add(a)
		e := c[(k+1)%3].sub(a)
		if e2 := e.dot(e); e2.Sign() > 0 {
			if x := new(big.Rat).Quo(o.sub(a).dot(e), e2); x.Sign() > 0 && x.Cmp(one) < 0 {
				add(a.along(x, e))
			}
		}
	}
	e, f, v := c[1].sub(c[0]), c[2].sub(c[0]), o.sub(c[0])
	n := e.cross(f)
	if n2 := n.dot(n); n2.Sign() > 0 {
		x, y := new(big.Rat).Quo(v.cross(f).dot(n), n2), new(big.Rat).Quo(e.cross(v).dot(n), n2)
		if x.Sign() > 0 && y.Sign() > 0 && new(big.Rat).Add(x, y).Cmp(one) < 0 {
			add(c[0].along(x, e).along(y, f))
		}
	}
	return best
}

func (v rat) equal(w rat) bool {
	return v[0].Cmp(w[0]) == 0 && v[1].Cmp(w[1]) == 0 && v[2].Cmp(w[2]) == 0
}

// farther reports whether v and w are farther apart than the given bound.
func (v rat) farther(w rat, bound float64) bool {
	d, b := v.sub(w), new(big.Rat).SetFloat64(bound)
	return d.dot(d).Cmp(b.Mul(b, b)) > 0
}

// checkProjection compares a projection with rational numbers. It returns the feature, and the ratio of
// PointBound to the size of the triangle seen from p.
func checkProjection(t *testing.T, m *mesh.Mesh, p r3.Vector, got *side.Projection) {
	t.Helper()
	tri := m.Triangle(got.Face)
	q := exactClosest(p, tri)
	fail := func(what string) {
		t.Helper()
		t.Fatalf("%v: %s: %+v on %v", p, what, *got, tri)
	}
	want, corner := side.FeatureFace, 0
	for k := 2; k >= 0; k-- {
		a, b := newRat(tri[k]), newRat(tri[(k+1)%3])
		e := b.sub(a)
		if d := q.sub(a).dot(e); d.Sign() > 0 && d.Cmp(e.dot(e)) < 0 {
			if n := q.sub(a).cross(e); n.dot(n).Sign() == 0 {
				want, corner = side.FeatureEdge, k
			}
		}
	}
	for k := 2; k >= 0; k-- {
		if q.equal(newRat(tri[k])) {
			want, corner = side.FeatureVertex, k
		}
	}
	if got.Feature != want || int(got.Corner) != corner {
		fail("want " + want.String() + " " + strconv.Itoa(corner))
	}
	if newRat(got.Point).farther(q, got.PointBound) || want == side.FeatureVertex && got.PointBound != 0 && got.PointBound > 64*math.SmallestNonzeroFloat64 {
		fail("the bound of the point is wrong")
	}
	if got.Distance == 0 && got.Point != p {
		fail("the point on the surface is moved")
	}
	sum, x := new(big.Rat), rat{new(big.Rat), new(big.Rat), new(big.Rat)}
	for k, b := range got.Barycentric {
		in := want == side.FeatureFace || k == corner || want == side.FeatureEdge && k == (corner+1)%3
		if b < 0 || b > 1 || !in && b != 0 {
			fail("barycentric coordinates out of range")
		}
		c := new(big.Rat).SetFloat64(b)
		sum.Add(sum, c)
		x = x.along(c, newRat(tri[k]))
	}
	if one, _ := sum.Float64(); math.Abs(one-1) > 4e-16 {
		fail("the sum of the barycentric coordinates is not 1")
	}
	if got.Distance > 0 && x.farther(q, got.PointBound) {
		fail("the barycentric coordinates are wrong")
	}
}

// exactUnit returns the unit normal of a triangle, rounded once, or zero.
func exactUnit(t mesh.Triangle) r3.Vector {
	a := newRat(t[0])
	n := newRat(t[1]).sub(a).cross(newRat(t[2]).sub(a))
	n2 := n.dot(n)
	if n2.Sign() == 0 {
		return r3.Vector{}
	}
	length := root(n2)
	var out [3]float64
	for k := range out {
		x := new(big.Float).SetPrec(256).SetRat(n[k])
		out[k], _ = x.Quo(x, length).Float64()
	}
	return r3.Vector{X: out[0], Y: out[1], Z: out[2]}
}

// exactAngle returns the angle of t at corner k.
func exactAngle(t mesh.Triangle, k int) float64 {
	e, f := newRat(t[(k+1)%3]).sub(newRat(t[k])), newRat(t[(k+2)%3]).sub(newRat(t[k]))
	n := e.cross(f)
	scale := root(new(big.Rat).Mul(e.dot(e), f.dot(f)))
	sin, _ := new(big.Float).Quo(root(n.dot(n)), scale).Float64()
	cos, _ := new(big.Float).Quo(new(big.Float).SetPrec(256).SetRat(e.dot(f)), scale).Float64()
	return math.Atan2(sin, cos)
}

// checkNormal compares the normal of a projection with a sum over all faces.
func checkNormal(t *testing.T, m *mesh.Mesh, got *side.Projection) {
	t.Helper()
	f := m.Faces[got.Face]
	var sum r3.Vector
	weight := 0.0
	for i, g := range m.Faces {
		tri := m.Triangle(int32(i))
		w := 0.0
		switch got.Feature {
		case side.FeatureFace:
			if int32(i) == got.Face {
				w = 1
			}
		case side.FeatureEdge:
			if slices.Contains(g[:], f[got.Corner]) && slices.Contains(g[:], f[(got.Corner+1)%3]) {
				w = 1
			}
		default:
			if k := slices.Index(g[:], f[got.Corner]); k >= 0 {
				w = -1 // below
				if n := exactUnit(tri); n != (r3.Vector{}) {
					w = exactAngle(tri, k)
				}
			}
		}
		if n := exactUnit(tri); w != 0 && n != (r3.Vector{}) {
			sum, weight = sum.Add(n.Mul(w)), weight+w
		}
	}
	want := sum.Mul(1 / sum.Norm())
	switch {
	case weight == 0:
		want = r3.Vector{}
	case sum.Norm() > weight/1000:
	case got.Feature == side.FeatureEdge:
		want = twinNormal(m, f[got.Corner], f[(got.Corner+1)%3], 2600)
	case got.Feature == side.FeatureVertex:
		want = twinNormal(m, f[got.Corner], -1, 2600)
	}
	if off := got.Normal.Sub(want).Norm(); !(off < 1e-5) {
		t.Fatalf("%+v: want the normal %v", *got, want)
	}
}

// probesOf returns points near corners, edges and faces of m, on them, and elsewhere.
func probesOf(m *mesh.Mesh, n int, r *rand.Rand) []r3.Vector {
	size := m.Box().Size().Norm()
	var pts []r3.Vector
	for range n {
		tri := m.Triangle(r.Int32N(int32(m.NumFaces())))
		x := r.Float64()
		on := [...]r3.Vector{tri[0], tri[0].Mul(1 - x).Add(tri[1].Mul(x)), tri[0].Add(tri[1]).Mul(.5), tri[0].Add(tri[1]).Add(tri[2]).Mul(1. / 3)}[r.IntN(4)]
		pts = append(pts, on, on.Add(cube(r).Mul(size*log(r, -50, 0))), m.Box().Min.Add(cube(r).Mul(size)))
	}
	return slices.DeleteFunc(pts, func(p r3.Vector) bool { return math.IsInf(norm1(p), 0) || math.IsNaN(norm1(p)) })
}

func checkProjections(t *testing.T, m *mesh.Mesh, n, normals int, r *rand.Rand) (features [4]int) {
	t.Helper()
	s := searcher(t, m, bvh.Options{})
	var st Scratch
	pts := probesOf(m, n, r)
	batch := make([]side.Projection, len(pts))
	for range 2 { // without and with the OBB tree
		if err := s.ProjectTo(t.Context(), batch, pts, 2, nil); err != nil {
			t.Fatal(err)
		}
		for i, p := range pts {
			if got := s.Project(p, &st); got != batch[i] {
				t.Fatalf("%v: %+v, in a batch %+v", p, got, batch[i])
			}
		}
		payForOBBTree(t, s)
	}
	for i, p := range pts {
		if near := s.Closest(p, &st); near.Face != batch[i].Face || near.Distance != batch[i].Distance {
			t.Fatalf("%v: %+v, want %+v", p, batch[i], near)
		}
		checkProjection(t, m, p, &batch[i])
		if got := s.ProjectOn(p, batch[i].Face, &st); got != batch[i] {
			t.Fatalf("%v: %+v on its face, %+v on the mesh", p, got, batch[i])
		}
		other := s.ProjectOn(p, int32(r.IntN(m.NumFaces())), &st)
		checkProjection(t, m, p, &other)
		tri := m.Triangle(other.Face)
		alone := searcher(t, testmesh.Mesh(mesh.Soup{Vertices: tri[:], Faces: [][3]int32{{0, 1, 2}}}), bvh.Options{})
		if d, _ := alone.Distance(p); d != other.Distance {
			t.Fatalf("%v: the distance from face %d is %v, want %v", p, other.Face, other.Distance, d)
		}
		if i < normals {
			checkNormal(t, m, &batch[i])
		}
		features[batch[i].Feature]++
	}
	return features
}

func TestProjections(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	var features [4]int
	for _, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		if m.NumFaces() == 0 || m.NumFaces() > 5000 {
			continue
		}
		for f, n := range checkProjections(t, m, rounds(3, 300), max(2, min(18, 2000/m.NumFaces())), r) {
			features[f] += n
		}
	}
	// Needles, collinear corners and huge or tiny coordinates.
	for range rounds(15, 3000) {
		var soup mesh.Soup
		for range 3 {
			a, b := cube(r), cube(r)
			c := [...]r3.Vector{cube(r), a.Add(b).Mul(.5), a.Mul(.25).Add(b.Mul(.75)).Add(cube(r).Mul(log(r, -60, -5))), a, a.Add(cube(r).Mul(log(r, -60, -5)))}[r.IntN(5)]
			n := int32(len(soup.Vertices))
			soup.Vertices, soup.Faces = append(soup.Vertices, a, b, c), append(soup.Faces, [3]int32{n, n + 1, n + 2})
		}
		scale := [...]float64{1, 1, 1e-300, 1e100, 1e290, 0x1p-1060}[r.IntN(6)]
		for f, n := range checkProjections(t, testmesh.Mesh(testmesh.Scale(soup, scale)), 4, 12, r) {
			features[f] += n
		}
	}
	t.Logf("features %v", features)
	if features[0] > 0 || !testing.Short() && min(features[side.FeatureVertex], features[side.FeatureEdge], features[side.FeatureFace]) < 100 {
		t.Errorf("features %v: the test covers too little", features)
	}
}

// TestProjectionsCorpus compares projections to real meshes with rational numbers.
func TestProjectionsCorpus(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	r := rand.New(rand.NewPCG(63, 64))
	meshes, limit := 0, rounds(2, 60)
	var features [4]int
	for _, i := range r.Perm(len(rows)) {
		row := rows[i]
		if n, err := strconv.Atoi(row["triangles"]); err != nil || n < 100 || n > rounds(2500, 100_000) || meshes == limit {
			continue
		}
		soup, _, err := loaders.Load(t.Context(), filepath.Join(dir, row["path"]), loaders.Options{})
		if err != nil || len(soup.Faces) == 0 {
			continue // other tests check which files can be loaded
		}
		m, err := mesh.New(t.Context(), *soup, mesh.Options{})
		if err != nil {
			t.Fatal(err)
		}
		meshes++
		for f, n := range checkProjections(t, m, rounds(10, 500), rounds(2, 6), r) {
			features[f] += n
		}
	}
	t.Logf("%d meshes, features %v", meshes, features)
	if meshes < limit {
		t.Errorf("%d meshes, want %d", meshes, limit)
	}
}

// The pseudonormal tells on which side of a closed surface a point is (Bærentzen and Aanæs, theorem 1).
func TestPseudonormalSigns(t *testing.T) {
	r := rand.New(rand.NewPCG(65, 66))
	for name, m := range map[string]*mesh.Mesh{
		"cube": testmesh.Mesh(testmesh.UnitCube()), "star": testmesh.Mesh(testmesh.Star(2, .5, 1)), "torus": testmesh.Mesh(testmesh.Torus(2, .5, 12, 8)),
	} {
		s := searcher(t, m, bvh.Options{})
		var st Scratch
		for range rounds(150, 20000) {
			p := m.Box().Min.Add(r3.Vector{X: m.Box().Size().X * r.Float64(), Y: m.Box().Size().Y * r.Float64(), Z: m.Box().Size().Z * r.Float64()})
			q := s.Project(p, &st)
			w, _, _ := referee.Judge(m.Vertices, m.Faces, p)
			if out := p.Sub(q.Point).Dot(q.Normal) > 0; q.Distance > 1e-9 && out != (w == 0) {
				t.Fatalf("%s: %v has W = %d: %+v", name, p, w, q)
			}
		}
	}
}

// The results of searches for several faces are the first of all faces, sorted by exact distances.
func TestSeveralFaces(t *testing.T) {
	r := rand.New(rand.NewPCG(67, 68))
	var st Scratch
	for _, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		if m.NumFaces() == 0 || m.NumFaces() > rounds(150, 3000) {
			continue
		}
		s := searcher(t, m, bvh.Options{})
		for _, p := range probesOf(m, rounds(1, 20), r) {
			type near struct {
				face int32
				d2   *big.Rat
			}
			var all []near
			for f := range int32(m.NumFaces()) {
				all = append(all, near{f, exactDistance2(p, m.Triangle(f))})
			}
			slices.SortFunc(all, func(a, b near) int { return cmp.Or(a.d2.Cmp(b.d2), cmp.Compare(a.face, b.face)) })
			check := func(what string, got []Result, n int) {
				t.Helper()
				if len(got) != n {
					t.Fatalf("%s, %v: %s: %d faces, want %d", c.Name, p, what, len(got), n)
				}
				for i, g := range got {
					if w := all[i]; g.Face != w.face || g.Distance != rootUp(w.d2) {
						t.Fatalf("%s, %v: %s: face %d is %+v, want face %d at %g", c.Name, p, what, i, g, w.face, rootUp(w.d2))
					}
				}
			}
			k := 1 + r.IntN(m.NumFaces()+2)
			check("nearest", s.AppendNearest(nil, p, k, &st), min(k, len(all)))
			// A radius that is exactly the distance of a face, and the next smaller one.
			radius := rootUp(all[r.IntN(len(all))].d2)
			for _, radius := range []float64{0, radius, math.Nextafter(radius, 0)} {
				n := 0
				for n < len(all) && rootUp(all[n].d2) <= radius {
					n++
				}
				check("within", s.AppendWithin(nil, p, radius, &st), n)
			}
		}
	}
}

func TestProjectBadInput(t *testing.T) {
	s := searcher(t, testmesh.Mesh(testmesh.UnitCube()), bvh.Options{})
	var st Scratch
	nan, inf := math.NaN(), math.Inf(1)
	one := r3.Vector{X: 1}
	for _, p := range []r3.Vector{{X: nan}, {Y: inf}} {
		if q := s.Project(p, &st); q.Face != -1 || q.Feature != 0 || !math.IsNaN(q.Distance) || !math.IsInf(q.PointBound, 1) {
			t.Errorf("%v: %+v", p, q)
		}
		if q := s.ProjectOn(p, 3, &st); q.Face != -1 || q.Feature != 0 || !math.IsNaN(q.Distance) || !math.IsInf(q.PointBound, 1) {
			t.Errorf("%v on a face: %+v", p, q)
		}
		if n := len(s.AppendNearest(nil, p, 3, &st)) + len(s.AppendWithin(nil, p, inf, &st)); n > 0 {
			t.Errorf("%v: %d faces", p, n)
		}
	}
	if n := len(s.AppendNearest(nil, one, 0, &st)) + len(s.AppendNearest(nil, one, -1, &st)) + len(s.AppendWithin(nil, one, -1, &st)) + len(s.AppendWithin(nil, one, nan, &st)); n > 0 {
		t.Errorf("%d faces, want none", n)
	}
	if n := len(s.AppendWithin(nil, one, inf, &st)); n != 12 {
		t.Errorf("%d faces within an infinite radius, want 12", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dst := make([]side.Projection, 1)
	if err := s.ProjectTo(ctx, dst, []r3.Vector{one}, 1, nil); !errors.Is(err, context.Canceled) || dst[0].Face != -1 {
		t.Errorf("after the end of the context: %v, %+v", err, dst[0])
	}
}

// Single searches reuse the memory of the Scratch.
func TestProjectAllocatesNothing(t *testing.T) {
	s := searcher(t, testmesh.Sphere(3), bvh.Options{})
	var st Scratch
	p, dst := r3.Vector{X: .3, Y: .5, Z: .9}, make([]Result, 0, 64)
	if n := testing.AllocsPerRun(100, func() {
		s.Project(p, &st)
		dst = s.AppendNearest(dst[:0], p, 20, &st)
		dst = s.AppendWithin(dst[:0], p, .1, &st)
	}); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

// After a canceled batch, each element is the right result or is marked as not computed.
func TestProjectToCanceled(t *testing.T) {
	m := testmesh.Sphere(3)
	s := searcher(t, m, bvh.Options{})
	r := rand.New(rand.NewPCG(5, 6))
	pts, dst := make([]r3.Vector, 20000), make([]side.Projection, 20000)
	for i := range pts {
		pts[i] = r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var calls atomic.Int64
	err := s.ProjectTo(ctx, dst, pts, 2, func(int, *side.Projection) {
		if calls.Add(1) == 3000 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	var st Scratch
	done := 0
	for i := range dst {
		if dst[i].Face < 0 {
			if got := dst[i]; !math.IsNaN(got.Distance) || !math.IsInf(got.PointBound, 1) {
				t.Fatalf("point %d has no face, but %+v", i, got)
			}
			continue
		}
		done++
		if want := s.Project(pts[i], &st); dst[i] != want {
			t.Fatalf("point %d: %+v, not %+v", i, dst[i], want)
		}
	}
	if done < 3000 || done == len(dst) {
		t.Errorf("%d of %d points have results", done, len(dst))
	}
}
