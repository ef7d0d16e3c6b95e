package nearest

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// The tests in this file compare searches with a referee that shares no code with the library. The
// closest point of a triangle minimizes the distance over the points λ₀a + λ₁b + λ₂c with λ ≥ 0. So
// the squared distance is the least value over the seven sets of corners for which the minimum over
// the affine hull has λ > 0. The values are fractions of integers.

type gridPoint [3]int64

func (v gridPoint) sub(w gridPoint) gridPoint {
	return gridPoint{v[0] - w[0], v[1] - w[1], v[2] - w[2]}
}
func (v gridPoint) dot(w gridPoint) int64 { return v[0]*w[0] + v[1]*w[1] + v[2]*w[2] }
func (v gridPoint) cross(w gridPoint) gridPoint {
	return gridPoint{v[1]*w[2] - v[2]*w[1], v[2]*w[0] - v[0]*w[2], v[0]*w[1] - v[1]*w[0]}
}

// fraction is a squared distance: height² / |normal|² if kind is 3, |normal|² / base if kind is 2,
// and base if kind is 1.
type fraction struct {
	kind, face   int
	base, height int64
	normal       gridPoint
	approximate  float64 // relative error below 1e-14
}

func (f *fraction) exact() (num, den *big.Int) {
	normal2 := new(big.Int)
	for _, x := range f.normal {
		normal2.Add(normal2, new(big.Int).Mul(big.NewInt(x), big.NewInt(x)))
	}
	switch f.kind {
	case 1:
		return big.NewInt(f.base), big.NewInt(1)
	case 2:
		return normal2, big.NewInt(f.base)
	}
	return new(big.Int).Mul(big.NewInt(f.height), big.NewInt(f.height)), normal2
}

// positive reports whether a·b > c·d.
func positive(a, b, c, d int64) bool {
	x, y := float64(a)*float64(b), float64(c)*float64(d)
	if math.Abs(x-y) > 1e-14*(math.Abs(x)+math.Abs(y)) {
		return x > y
	}
	return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)).Cmp(new(big.Int).Mul(big.NewInt(c), big.NewInt(d))) > 0
}

// refereeOnGrid returns the nearest face and the exact squared distance. Coordinates are at most 2¹⁹.
func refereeOnGrid(tris [][3]gridPoint, p gridPoint, memory *[]fraction) (face int32, num, den *big.Int) {
	all := (*memory)[:0]
	least := math.Inf(1)
	add := func(f fraction) {
		if f.approximate <= least*(1+1e-9) {
			all = append(all, f)
			least = min(least, f.approximate)
		}
	}
	for i := range tris {
		t := &tris[i]
		inside := true
		for k := range t {
			a, b, c := t[k], t[(k+1)%3], t[(k+2)%3]
			w, e, f := p.sub(a), b.sub(a), c.sub(a)
			w2 := w.dot(w)
			add(fraction{kind: 1, face: i, base: w2, approximate: float64(w2)})
			we, e2 := w.dot(e), e.dot(e)
			if we > 0 && we < e2 {
				n := e.cross(w)
				x, y, z := float64(n[0]), float64(n[1]), float64(n[2])
				add(fraction{kind: 2, face: i, base: e2, normal: n, approximate: (x*x + y*y + z*z) / float64(e2)})
			}
			// λ of corner b is proportional to (f·f)(w·e) − (e·f)(w·f).
			inside = inside && positive(f.dot(f), we, e.dot(f), w.dot(f))
		}
		n := t[1].sub(t[0]).cross(t[2].sub(t[0]))
		if inside && n != (gridPoint{}) {
			h := n.dot(p.sub(t[0]))
			x, y, z := float64(n[0]), float64(n[1]), float64(n[2])
			add(fraction{kind: 3, face: i, height: h, normal: n, approximate: float64(h) * float64(h) / (x*x + y*y + z*z)})
		}
	}
	*memory = all
	for i := range all {
		f := &all[i]
		if f.approximate > least*(1+1e-9) {
			continue
		}
		fNum, fDen := f.exact()
		if num != nil {
			if sign := new(big.Int).Mul(fNum, den).Cmp(new(big.Int).Mul(num, fDen)); sign > 0 || sign == 0 && int32(f.face) >= face {
				continue
			}
		}
		face, num, den = int32(f.face), fNum, fDen
	}
	return face, num, den
}

// gridMesh returns at most 200 triangles with corners on the grid, and the size of the mesh.
func gridMesh(r *rand.Rand) (tris [][3]gridPoint, size int64) {
	size = []int64{4, 16, 256, 1 << 18}[r.IntN(4)]
	corner := func() gridPoint {
		return gridPoint{r.Int64N(2*size+1) - size, r.Int64N(2*size+1) - size, r.Int64N(2*size+1) - size}
	}
	solid := func(m *mesh.Mesh) {
		for f := range int32(m.NumFaces()) {
			var t [3]gridPoint
			for k, v := range m.Triangle(f) {
				t[k] = gridPoint{int64(math.Round(v.X * float64(size))), int64(math.Round(v.Y * float64(size))), int64(math.Round(v.Z * float64(size)))}
			}
			tris = append(tris, t)
		}
	}
	switch r.IntN(6) {
	case 0:
		solid(testmesh.Mesh(testmesh.UnitCube()))
	case 1:
		solid(testmesh.Sphere(1 + r.IntN(2)))
	case 2: // mirror images in the plane x = 0
		for range 1 + r.IntN(20) {
			t := [3]gridPoint{corner(), corner(), corner()}
			tris = append(tris, t)
			for k := range t {
				t[k][0] = -t[k][0]
			}
			tris = append(tris, t)
		}
	case 3: // triangles without area or with almost none
		for range 1 + r.IntN(30) {
			a, b, s := corner(), corner(), r.Int64N(4)-1
			c := gridPoint{a[0] + s*(b[0]-a[0])/2, a[1] + s*(b[1]-a[1])/2, a[2] + s*(b[2]-a[2])/2}
			c[r.IntN(3)] += r.Int64N(3) - 1
			if r.IntN(5) == 0 {
				b = a
			}
			for k := range c {
				c[k] = min(max(c[k], -size), size)
			}
			tris = append(tris, [3]gridPoint{a, b, c})
		}
	default:
		for range 1 + r.IntN(40) {
			a := corner()
			t := [3]gridPoint{a, corner(), corner()}
			if n := len(tris); n > 0 && r.IntN(2) == 0 {
				t[0], t[1] = tris[n-1][1], tris[n-1][2] // a common edge
			}
			tris = append(tris, t)
		}
	}
	r.Shuffle(len(tris), func(i, j int) { tris[i], tris[j] = tris[j], tris[i] })
	return tris, size
}

// pointOnGrid returns a point of the grid: near a corner, an edge or a plane of symmetry, or anywhere.
func pointOnGrid(r *rand.Rand, tris [][3]gridPoint, size int64) (p gridPoint) {
	t := &tris[r.IntN(len(tris))]
	switch r.IntN(6) {
	case 0:
		p = t[r.IntN(3)]
	case 1:
		for k := range p {
			p[k] = (t[0][k] + t[1][k]) / 2
		}
	case 2:
		for k := range p {
			p[k] = (t[0][k] + t[1][k] + t[2][k]) / 3
		}
	case 3:
		p = gridPoint{0, r.Int64N(4*size+1) - 2*size, r.Int64N(4*size+1) - 2*size}
	case 4:
		return gridPoint{r.Int64N(1<<20) - 1<<19, r.Int64N(1<<20) - 1<<19, r.Int64N(1<<20) - 1<<19}
	default:
		return gridPoint{r.Int64N(4*size+1) - 2*size, r.Int64N(4*size+1) - 2*size, r.Int64N(4*size+1) - 2*size}
	}
	for k := range p {
		p[k] += r.Int64N(3) - 1
	}
	return p
}

// Searches name the exactly nearest face, and the smallest number of faces at the same distance. The
// distance is rounded up. Batches and Within agree. The grid can be far from the origin, and its unit
// can be tiny or huge.
func TestFacesOnGrid(t *testing.T) {
	const perMesh = 200
	r := rand.New(rand.NewPCG(14, 1))
	var memory []fraction
	var st Scratch
	for range rounds(30, 50000) {
		tris, size := gridMesh(r)
		unit := math.Ldexp(1, []int{0, 0, 0, -20, -1000, 960, -150, 150}[r.IntN(8)])
		shift := int64(0)
		if unit == 1 && r.IntN(2) == 0 {
			shift = 1 << 40
		}
		float := func(p gridPoint) r3.Vector {
			return r3.Vector{X: float64(p[0]+shift) * unit, Y: float64(p[1]-shift) * unit, Z: float64(p[2]) * unit}
		}
		m := new(mesh.Mesh)
		for i, tri := range tris {
			m.Vertices = append(m.Vertices, float(tri[0]), float(tri[1]), float(tri[2]))
			m.Faces = append(m.Faces, [3]int32{int32(3 * i), int32(3*i + 1), int32(3*i + 2)})
		}
		s := searcher(t, m, bvh.Options{})
		payForOBBTree(t, s)
		grid, pts := make([]gridPoint, perMesh), make([]r3.Vector, perMesh)
		for i := range pts {
			grid[i] = pointOnGrid(r, tris, size)
			pts[i] = float(grid[i])
		}
		batch := make([]Result, len(pts))
		if err := s.ClosestTo(context.Background(), batch, pts, 1); err != nil {
			t.Fatal(err)
		}
		for i, p := range pts {
			face, num, den := refereeOnGrid(tris, grid[i], &memory)
			got := s.Closest(p, &st)
			if got.Face != face {
				t.Fatalf("%v, unit %g, shift %d: face %d, want %d\n%v", grid[i], unit, shift, got.Face, face, tris)
			}
			if !same(got, batch[i]) {
				t.Fatalf("%v: got %+v, in a batch %+v", grid[i], got, batch[i])
			}
			below := math.Nextafter(got.Distance, -1)
			if compareSquare(num, den, got.Distance/unit) > 0 || got.Distance > 0 && compareSquare(num, den, below/unit) <= 0 {
				t.Fatalf("%v, unit %g: distance %g, want the root of %v/%v", grid[i], unit, got.Distance, num, den)
			}
			if !s.Within(p, got.Distance, &st) || s.Within(p, below, &st) {
				t.Fatalf("%v, unit %g: Within does not agree with the distance %g", grid[i], unit, got.Distance)
			}
		}
	}
	t.Logf("%d points, %d exact squares", rounds(30, 50000)*perMesh, st.Signs.Exact)
}

// compareSquare returns the sign of num/den − d².
func compareSquare(num, den *big.Int, d float64) int {
	x := new(big.Rat).SetFloat64(d)
	l := new(big.Int).Mul(num, new(big.Int).Mul(x.Denom(), x.Denom()))
	return l.Cmp(new(big.Int).Mul(den, new(big.Int).Mul(x.Num(), x.Num())))
}

// exactSquared is the referee in rational numbers: the squared distance from p to t.
func exactSquared(p r3.Vector, t mesh.Triangle) *big.Rat {
	o := newRat(p)
	var w [3]rat
	for k := range w {
		w[k] = newRat(t[k]).sub(o)
	}
	var best *big.Rat
	add := func(q rat) {
		if d := q.dot(q); best == nil || d.Cmp(best) < 0 {
			best = d
		}
	}
	solve := func(a, b, c, d *big.Rat) *big.Rat { // a·b − c·d
		return new(big.Rat).Sub(new(big.Rat).Mul(a, b), new(big.Rat).Mul(c, d))
	}
	one := big.NewRat(1, 1)
	for k := range w {
		a, b, c := w[k], w[(k+1)%3], w[(k+2)%3]
		e, f := b.sub(a), c.sub(a)
		add(a)
		ae, af, ee, ef, ff := a.dot(e), a.dot(f), e.dot(e), e.dot(f), f.dot(f)
		if ee.Sign() > 0 {
			if x := new(big.Rat).Quo(new(big.Rat).Neg(ae), ee); x.Sign() > 0 && x.Cmp(one) < 0 {
				add(a.along(x, e))
			}
		}
		if det := solve(ee, ff, ef, ef); k == 0 && det.Sign() > 0 {
			// The gradient of |a + x·e + y·f|² is zero.
			x, y := solve(ef, af, ff, ae), solve(ef, ae, ee, af)
			x.Quo(x, det)
			y.Quo(y, det)
			if x.Sign() > 0 && y.Sign() > 0 && new(big.Rat).Add(x, y).Cmp(one) < 0 {
				add(a.along(x, e).along(y, f))
			}
		}
	}
	return best
}

// checkTruth compares the search for one point with rational arithmetic. It returns 1 if the face is
// wrong, and the error of the distance in units of the last place.
func checkTruth(s *Searcher, m *mesh.Mesh, p r3.Vector, st *Scratch) (wrong int, ulps, uM float64) {
	got := s.Closest(p, st)
	face := int32(-1)
	var least *big.Rat
	for f := range int32(m.NumFaces()) {
		if d := exactSquared(p, m.Triangle(f)); least == nil || d.Cmp(least) < 0 {
			face, least = f, d
		}
	}
	if got.Face != face {
		wrong = 1
	}
	d := root(least)
	exact, _ := d.Float64()
	if (least.Sign() == 0) != (got.Distance == 0) || math.IsInf(got.Distance, 0) {
		return wrong, math.Inf(1), 0
	}
	off := offBy(got.Distance, d)
	size := 0.0
	for _, v := range m.Triangle(face) {
		size = max(size, vec.Norm(v.Sub(p)))
	}
	ulps, _ = new(big.Float).Quo(off, big.NewFloat(math.Nextafter(exact, math.Inf(1))-exact)).Float64()
	if u := size * 0x1p-53; u > 0 {
		uM, _ = off.Quo(off, big.NewFloat(u)).Float64()
	}
	return wrong, ulps, uM
}

// between returns two neighboring numbers on the way from p to q, one of which is nearer to face f than
// to face g.
func between(m *mesh.Mesh, p, q r3.Vector, f, g int32) (r3.Vector, r3.Vector) {
	nearF := func(p r3.Vector) bool {
		return exactDistance2(p, m.Triangle(f)).Cmp(exactDistance2(p, m.Triangle(g))) < 0
	}
	first := nearF(p)
	for range 60 {
		middle := p.Add(q).Mul(0.5)
		if middle == p || middle == q {
			break
		}
		if nearF(middle) == first {
			p = middle
		} else {
			q = middle
		}
	}
	return p, q
}

// Points with coordinates of many digits: next to edges, on both sides of the surface that is equally
// far from two faces, far away, and on degenerate faces. The mesh can be tiny or huge.
func TestFacesAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 2))
	var st Scratch
	points, wrong, ulps, errors := 0, 0, 0.0, 0.0
	for range rounds(6, 2000) {
		var soup mesh.Soup
		n := 2 + r.IntN(5)
		for i := range n {
			a, b, c := cube(r), cube(r), cube(r)
			switch r.IntN(5) {
			case 0:
				c = a.Add(b).Mul(0.5)
			case 1:
				c = a.Add(cube(r).Mul(log(r, -60, -5)))
			case 2:
				if i > 0 {
					a, b = soup.Vertices[3*i-2], soup.Vertices[3*i-3] // a common edge
				}
			}
			soup.Vertices = append(soup.Vertices, a, b, c)
			soup.Faces = append(soup.Faces, [3]int32{int32(3 * i), int32(3*i + 1), int32(3*i + 2)})
		}
		scale := 1.0
		if r.IntN(4) == 0 {
			scale = []float64{1e-300, 1e300, 1e-100, 1e100, 0x1p-1060}[r.IntN(5)]
		}
		m := testmesh.Mesh(testmesh.Scale(soup, scale))
		s := searcher(t, m, bvh.Options{})
		tri := m.Triangle(int32(r.IntN(n)))
		x := r.Float64()
		edge := tri[0].Mul(1 - x).Add(tri[1].Mul(x))
		f, g := int32(r.IntN(n)), int32(r.IntN(n))
		p, q := between(m, cube(r).Mul(scale), cube(r).Mul(scale), f, g)
		for _, p := range []r3.Vector{p, q, edge, edge.Add(cube(r).Mul(scale * log(r, -70, -40))), tri[2], cube(r).Mul(scale), cube(r).Mul(scale * 1e8)} {
			if math.IsInf(norm1(p), 0) {
				continue
			}
			w, u, e := checkTruth(s, m, p, &st)
			points, wrong, ulps = points+1, wrong+w, max(ulps, u)
			if scale == 1 {
				errors = max(errors, e)
			}
		}
	}
	t.Logf("%d points: %d wrong faces, largest error %.3g ulp, %.3g u·M", points, wrong, ulps, errors)
	if wrong > 0 || ulps > 1 {
		t.Errorf("%d wrong faces, largest error %.3g ulp, want 0 and at most 1", wrong, ulps)
	}
}

// The centroid of each triangle is the origin, and the points are so near the origin that only
// integers resolve their distances. A search still takes microseconds.
func TestTinyDistances(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 5))
	coordinate := func() float64 { return math.Round(r.Float64()*0x1p52-0x1p51) * 0x1p-52 }
	var st Scratch
	for i := range 200 {
		a, b := r3.Vector{X: coordinate(), Y: coordinate(), Z: coordinate()}, r3.Vector{X: coordinate(), Y: coordinate(), Z: coordinate()}
		m := &mesh.Mesh{Vertices: []r3.Vector{a, b, a.Add(b).Mul(-1)}, Faces: [][3]int32{{0, 1, 2}}}
		p := r3.Vector{X: 1, Y: 0.3, Z: 0.07}.Mul(math.Ldexp(1, -20-i))
		if got, want := searcher(t, m, bvh.Options{}).Closest(p, &st).Distance, rootUp(exactSquared(p, m.Triangle(0))); got != want {
			t.Errorf("%v: distance %g, want %g", p, got, want)
		}
	}
}
