package nearest

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/answers"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// Project returns the projection of p. See Closest for empty meshes, for points that are not finite
// and for interrupted searches. The first call computes the normals of the mesh in O(n) time for n
// faces. The normals take about 62 bytes for each face.
func (s *Searcher) Project(p r3.Vector, st *Scratch) side.Projection {
	r := s.Closest(p, st)
	if r.Face < 0 {
		return answers.Projections.None()
	}
	return s.project(&p, &s.tris[r.at], &r, s.normals.Must(), st)
}

// ProjectOn returns the projection of p onto one face of the mesh, as if the mesh had no other
// faces. Only the normal depends on other faces, if the closest point lies on an edge or at a
// vertex. If p is not finite, the Face of the result is −1, as in Project. ProjectOn panics if face
// is not the index of a face.
func (s *Searcher) ProjectOn(p r3.Vector, face int32, st *Scratch) side.Projection {
	t := s.mesh.Triangle(face)
	if !vec.Finite(p) {
		return answers.Projections.None()
	}
	a := selected{measured: measure(&p, &t), tri: &t}
	return s.project(&p, &t, &Result{Face: face, Distance: a.roundUp(&p, st), part: a.part}, s.normals.Must(), st)
}

// ProjectTo writes the result of Project(pts[i]) to dst[i], bit for bit, with the given number of workers.
// It works like ClosestTo. If ctx ends first, points without a result have the Face −1. If change is not nil,
// ProjectTo calls change(i, &dst[i]) for each result with a face, from several goroutines.
func (s *Searcher) ProjectTo(ctx context.Context, dst []side.Projection, pts []r3.Vector, workers int, change func(i int, p *side.Projection)) error {
	if len(dst) != len(pts) {
		panic(fmt.Sprintf("nearest: dst has length %d, but there are %d points", len(dst), len(pts)))
	}
	normals, err := s.normals.Get(ctx)
	if err != nil {
		answers.Projections.Clear(dst)
		return fmt.Errorf("nearest: %w", err)
	}
	none, written := answers.Projections.None(), make([]bool, len(dst))
	err = s.eachRun(ctx, pts, workers, false, func(w *worker, lo int, order []uint64, found []Result) {
		// The loads in this loop overlap, so the next loop, which stores, waits less for memory.
		for k := range found {
			old := &dst[lo+int(order[k]&indexMask)]
			w.touched += math.Float64bits(old.PointBound) + uint64(old.Face)
		}
		for k := range found {
			i, r := lo+int(order[k]&indexMask), &found[k]
			written[i] = true
			if r.Face < 0 {
				dst[i] = none
				continue
			}
			dst[i] = s.project(&w.pts[k], &s.tris[r.at], r, normals, &w.scratch)
			if change != nil {
				change(i, &dst[i])
			}
		}
	})
	if err != nil {
		for i, is := range written {
			if !is {
				dst[i] = none
			}
		}
	}
	return err
}

// project returns the projection of p. The closest point lies on t, the face of r.
func (s *Searcher) project(p *r3.Vector, t *mesh.Triangle, r *Result, normals *normals, st *Scratch) (out side.Projection) {
	a := r.part
	if a == 0 {
		if a = partAt(p, t); a == 0 {
			a = st.exactPart(p, t)
		}
	}
	out.Distance, out.Face = r.Distance, r.Face
	first := a.first()
	switch a.size() {
	case 1:
		out.Feature, out.Corner, out.Barycentric[first], out.Point = side.FeatureVertex, uint8(first), 1, t[first]
		out.Normal = normals.vertex(s.mesh, s.mesh.Faces[r.Face][first])
	case 2:
		if a == 1|4 {
			first = 2
		}
		out.Feature, out.Corner = side.FeatureEdge, uint8(first)
		projectToEdge(&out, p, t, a, st)
		out.Normal = normals.ofEdge(s.mesh, r.Face, first)
	default:
		out.Feature = side.FeatureFace
		projectToFace(&out, p, t, st)
		out.Normal = normals.ofFace[r.Face]
	}
	if out.Distance == 0 {
		out.Point, out.PointBound = *p, 0
	}
	return out
}

// A projection computes the position in a part in float64, in pairs of float64, or with integers.
// Let kappa be the product of the edges of a face divided by the length of its normal. If kappa is
// at most maxKappa, float64 suffices for a position in the face. If it is at most maxPairKappa,
// pairs suffice. For the bounds, see Projections in docs/design/016-error-bounds.md.
const (
	maxKappa     = 8
	maxPairKappa = 0x1p20
	minSquare    = 0x1p-600 // squares of edges and normals are at least this, unless integers are used
)

// projectToEdge sets the point and the coordinates for the closest point on the edge a of t.
func projectToEdge(out *side.Projection, p *r3.Vector, t *mesh.Triangle, a part, st *Scratch) {
	first := int(out.Corner)
	second := (first + 1) % 3
	v, e := p.Sub(t[first]), t[second].Sub(t[first])
	size := norm1(v) + norm1(e)
	x := 0.0
	if e2 := e.Norm2(); size <= maxMeasure && e2 >= minSquare {
		x = min(max(v.Dot(e)/e2, 0), 1)
	} else {
		x = st.exactEdge(p, t, first, second)
	}
	out.Barycentric[first], out.Barycentric[second] = 1-x, x
	out.Point = t[first].Add(e.Mul(x))
	out.PointBound = pointBound(t, 24*norm1(v)+32*norm1(e))
}

// projectToFace sets the point and the coordinates for the closest point in the interior of t.
func projectToFace(out *side.Projection, p *r3.Vector, t *mesh.Triangle, st *Scratch) {
	v, e, f := p.Sub(t[0]), t[1].Sub(t[0]), t[2].Sub(t[0])
	n := e.Cross(f)
	n2 := n.Norm2()
	kappa2 := e.Norm2() * f.Norm2() / n2
	var x, y, weight float64
	switch inRange := norm1(v)+norm1(e)+norm1(f) <= maxMeasure && n2 >= minSquare; {
	case inRange && kappa2 <= maxKappa*maxKappa:
		x, y = n.Dot(v.Cross(f))/n2, n.Dot(e.Cross(v))/n2
		kappa := math.Sqrt(kappa2)
		weight = (1 + 0x1p-20) * (2*kappa*(12+8*kappa)*norm1(v) + (16*kappa+4)*(norm1(e)+norm1(f)))
	case inRange && kappa2 <= maxPairKappa*maxPairKappa:
		x, y = pairCoordinates(p, t)
		weight = norm1(v)
	default:
		x, y = st.exactCoordinates(p, t)
	}
	x, y = min(max(x, 0), 1), min(max(y, 0), 1)
	rest := 1 - x - y
	if rest < 0 { // moving along the shorter edge adds at most twice the error
		if norm1(e) < norm1(f) {
			x = max(x+rest, 0)
			y = 1 - x
		} else {
			y = max(y+rest, 0)
			x = 1 - y
		}
		rest, weight = 0, 4*weight
	}
	out.Barycentric = [3]float64{rest, x, y}
	out.Point = t[0].Add(e.Mul(x)).Add(f.Mul(y))
	out.PointBound = pointBound(t, weight+16*(norm1(e)+norm1(f)))
}

// pointBound returns 2⁻⁵³·weight plus terms for the rounding of the point and of the barycentric
// coordinates.
func pointBound(t *mesh.Triangle, weight float64) float64 {
	const u = 0x1p-53
	return u*(1+0x1p-40)*(weight+8*max(norm1(t[0]), norm1(t[1]), norm1(t[2]))) + 16*math.SmallestNonzeroFloat64
}

// pairCoordinates returns the coordinates of the foot of p in the plane of t relative to corners 1 and 2.
func pairCoordinates(p *r3.Vector, t *mesh.Triangle) (x, y float64) {
	var v, e, f, n, m wide
	v.subtract(p, &t[0])
	e.subtract(&t[1], &t[0])
	f.subtract(&t[2], &t[0])
	n.cross(&e, &f)
	n2 := n.dot(&n)
	m.cross(&v, &f)
	a := n.dot(&m)
	m.cross(&e, &v)
	b := n.dot(&m)
	return a.over(n2), b.over(n2)
}

// over returns a/b with a relative error of a few units of 2⁻⁵³.
func (a pair) over(b pair) float64 {
	q := a.hi / b.hi
	r, err := predicates.TwoProduct(q, b.hi)
	return q + ((a.hi-r)+(a.lo-err-float64(q*b.lo)))/b.hi
}

// load returns exact arithmetic with the corners of t relative to p.
func (st *Scratch) load(p *r3.Vector, t *mesh.Triangle) *exact {
	if st.exact == nil {
		st.exact = new(exact)
	}
	st.Signs.Exact++
	st.exact.load(p, t)
	return st.exact
}

// exactPart returns the smallest part of t that contains the point closest to p. It uses exact
// signs. A point of a triangle is the closest one if the distance decreases toward no corner.
func (st *Scratch) exactPart(p *r3.Vector, t *mesh.Triangle) part {
	x := st.load(p, t)
	c := &x.corners
	for i := range c {
		v, u, w := &c[i], &c[(i+1)%3], &c[(i+2)%3]
		x.e.subtract(u, v)
		x.f.subtract(w, v)
		if x.dot(&x.x, v, &x.e).Sign() >= 0 && x.dot(&x.x, v, &x.f).Sign() >= 0 {
			return 1 << i
		}
	}
	var ee, ve, ef, vf big.Int
	for i := range c {
		v, u, w := &c[i], &c[(i+1)%3], &c[(i+2)%3]
		x.e.subtract(u, v)
		x.f.subtract(w, v)
		if x.dot(&ve, v, &x.e).Sign() >= 0 || x.dot(&x.x, u, &x.e).Sign() <= 0 {
			continue
		}
		// The foot is v + t·e with t = −v·e/e·e. Then (foot·f)·(e·e) must not be negative.
		x.dot(&ee, &x.e, &x.e)
		x.dot(&ef, &x.e, &x.f)
		x.dot(&vf, v, &x.f)
		if vf.Mul(&vf, &ee).Cmp(ve.Mul(&ve, &ef)) >= 0 {
			return 1<<i | 1<<((i+1)%3)
		}
	}
	return face
}

// exactEdge returns the position of the foot of p on the line through two corners of t, rounded.
// The position is 0 at the first corner and 1 at the second.
func (st *Scratch) exactEdge(p *r3.Vector, t *mesh.Triangle, first, second int) float64 {
	x := st.load(p, t)
	x.e.subtract(&x.corners[second], &x.corners[first])
	num, den := new(big.Int), new(big.Int)
	x.dot(num, &x.corners[first], &x.e)
	x.dot(den, &x.e, &x.e)
	q, _ := new(big.Rat).SetFrac(num.Neg(num), den).Float64()
	return q
}

// exactCoordinates computes the coordinates of pairCoordinates exactly and rounds them.
func (st *Scratch) exactCoordinates(p *r3.Vector, t *mesh.Triangle) (a, b float64) {
	x := st.load(p, t)
	x.e.subtract(&x.corners[1], &x.corners[0])
	x.f.subtract(&x.corners[2], &x.corners[0])
	x.cross(&x.n, &x.e, &x.f)
	var m intVector
	den, num := new(big.Int), new(big.Int)
	x.dot(den, &x.n, &x.n)
	// The corners are relative to p, so p − corner 0 is −corners[0].
	x.cross(&m, &x.f, &x.corners[0])
	a, _ = new(big.Rat).SetFrac(x.dot(num, &x.n, &m), den).Float64()
	x.cross(&m, &x.corners[0], &x.e)
	b, _ = new(big.Rat).SetFrac(x.dot(num, &x.n, &m), den).Float64()
	return a, b
}
