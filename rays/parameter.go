package rays

import (
	"cmp"
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
)

// parameter is the parameter t of a point of a line. The exact t is a rational number, which the
// fields kind, u, v and w determine.
type parameter struct {
	t, bound float64 // |t − exact t| ≤ bound
	kind     kind
	rounded  bool  // whether t is the exact parameter, rounded to the nearest float64
	u, v, w  int32 // numbers of vertices
}

// kind tells which geometric object the line meets at a parameter.
type kind uint8

const (
	atNumber kind = iota // t is exact
	atVertex             // the vertex u, which lies on the line
	atEdge               // the line through u and v, where u < v
	atFace               // the plane through u, v and w, where u < v < w
)

// number returns the parameter with the exact value t.
func number(t float64) parameter { return parameter{t: t, rounded: true} }

// same reports whether p and q refer to the same geometric object, so that they are equal.
func (p *parameter) same(q *parameter) bool {
	return p.kind == q.kind && p.u == q.u && p.v == q.v && p.w == q.w && (p.kind != atNumber || p.t == q.t)
}

// compare returns the sign of the exact difference of p and q. If the intervals of p and q overlap,
// compare also rounds the exact parameters. Rounding is monotone, so if the rounded parameters
// differ, they have the order of the exact ones.
func (c *Caster) compare(l *line, p, q *parameter) int {
	switch {
	case p.t+p.bound < q.t-q.bound:
		return -1
	case p.t-p.bound > q.t+q.bound:
		return 1
	case p.same(q):
		return 0
	}
	if order, ok := c.compareAlongAxis(l, p, q); ok {
		return order
	}
	pn, pd := c.ratio(l, p)
	qn, qd := c.ratio(l, q)
	p.round(pn, pd)
	q.round(qn, qd)
	if p.t != q.t {
		return cmp.Compare(p.t, q.t)
	}
	left, right := new(big.Float).Mul(pn, qd), new(big.Float).Mul(qn, pd)
	return left.Cmp(right) * pd.Sign() * qd.Sign()
}

// round sets t to the float64 that is nearest to num/den.
func (p *parameter) round(num, den *big.Float) {
	if p.rounded {
		return
	}
	q := new(big.Float).SetPrec(53).Quo(num, den)
	t, acc := q.Float64()
	p.t, p.rounded = t, true
	switch {
	case math.IsInf(t, 0):
		p.t, p.bound = math.Copysign(math.MaxFloat64, t), math.Inf(1)
	case q.Acc() == big.Exact && acc == big.Exact:
		p.bound = 0
	default: // a rounding error is at most the distance to the next float64
		p.bound = nextAbove(t)
	}
}

// compareAlongAxis is compare for two planes that are perpendicular to the same axis, as in many
// meshes of CAD models. The planes x = u and x = v have the parameters (u−a)/d and (v−a)/d, where a
// and d are the components of the start and the direction. ok is false if float64 cannot decide the
// order, or if equal parameters are not rounded.
func (c *Caster) compareAlongAxis(l *line, p, q *parameter) (order int, ok bool) {
	if p.kind != atFace || q.kind != atFace || l.posed != nil {
		return 0, false
	}
	v := c.mesh.Vertices
	for axis := range 3 {
		x, y := component(&v[p.u], axis), component(&v[q.u], axis)
		if component(&v[p.v], axis) != x || component(&v[p.w], axis) != x || component(&v[q.v], axis) != y || component(&v[q.w], axis) != y {
			continue
		}
		d := component(&l.d, axis) // its sign is exact, and it is not 0, because the line meets the planes in points
		if x != y {
			return cmp.Compare(x, y) * cmp.Compare(d, 0), true
		}
		a, tail := component(&l.a, axis), 0.0
		if l.segment {
			_, tail = predicates.TwoDiff(component(&l.b, axis), a)
		}
		s, rest := predicates.TwoDiff(x, a)
		t := s / d
		if size := math.Abs(t); tail != 0 || rest != 0 || !(least <= size && size <= 1/least && least <= math.Abs(s) && math.Abs(s) <= 1/least) {
			return 0, false
		}
		bound := 0.0
		if math.FMA(t, d, -s) != 0 {
			bound = nextAbove(t)
		}
		p.t, p.bound, p.rounded = t, bound, true
		q.t, q.bound, q.rounded = t, bound, true
		return 0, true
	}
	return 0, false
}

// least bounds the magnitudes of numbers in compareAlongAxis, so that no remainder underflows or overflows.
const least = 0x1p-400

// component returns the coordinate of v on the given axis.
func component(v *r3.Vector, axis int) float64 {
	switch axis {
	case 0:
		return v.X
	case 1:
		return v.Y
	}
	return v.Z
}

// nextAbove returns the distance from the magnitude of t to the next larger float64.
func nextAbove(t float64) float64 { return math.Nextafter(math.Abs(t), math.Inf(1)) - math.Abs(t) }

// ratio returns the exact numerator and denominator of p. The denominator is not 0.
func (c *Caster) ratio(l *line, p *parameter) (num, den *big.Float) {
	if p.kind == atNumber {
		return exact(p.t), exact(1)
	}
	if l.posed != nil {
		return l.posed.ratio(l, p, c.mesh.Vertices)
	}
	return ratioOf(r3.PreciseVectorFromVector(l.a), l.direction(), p, func(i int32) r3.PreciseVector {
		return r3.PreciseVectorFromVector(c.mesh.Vertices[i])
	})
}

// ratioOf does the work of ratio for the line with the given start and the direction d. vertex(i)
// returns vertex i.
func ratioOf(start, d r3.PreciseVector, p *parameter, vertex func(i int32) r3.PreciseVector) (num, den *big.Float) {
	u := vertex(p.u)
	s := u.Sub(start)
	switch p.kind {
	case atVertex: // s = t·d
		return first(d, s)
	case atEdge: // s×e = t·(d×e), because start + t·d is on the line u + x·e
		e := vertex(p.v).Sub(u)
		return first(d.Cross(e), s.Cross(e))
	}
	e, f := vertex(p.v).Sub(u), vertex(p.w).Sub(u)
	n := e.Cross(f)
	return s.Dot(n), d.Dot(n)
}

// first finds the first component of den that is not 0. It returns this component as d, and the
// same component of num as n.
func first(den, num r3.PreciseVector) (n, d *big.Float) {
	switch {
	case den.X.Sign() != 0:
		return num.X, den.X
	case den.Y.Sign() != 0:
		return num.Y, den.Y
	}
	return num.Z, den.Z
}

func exact(x float64) *big.Float { return new(big.Float).SetPrec(big.MaxPrec).SetFloat64(x) }

// finish sets t and bound of p to the quotient of num and den, whose errors are at most numError and
// denError. If the quotient is inaccurate, it rounds the exact parameter.
//
// Let N and D be exact. Then |num/den − N/D| = |(num−N) − (num/den)(den−D)|/|D|, which is at most
// (numError + |num/den|·denError)/(|den|−denError). The rounding of t is at most ε|t| + 2⁻¹⁰⁷⁵. The
// term 8ε|t| covers it, and also the rounding of t ± bound, which compare computes. The factor 1+16ε
// covers the seven roundings of bound, and 2⁻¹⁰⁰⁰ covers underflow.
func (c *Caster) finish(l *line, p *parameter, num, numError, den, denError float64) {
	t := num / den
	size := math.Abs(t)
	bound := (1+16*epsilon)*((numError+size*denError)/(math.Abs(den)-denError)+8*epsilon*size) + 0x1p-1000
	if math.Abs(den) > accurate*denError && bound <= 0x1p1000 { // false if a number is NaN
		p.t, p.bound = t, bound
		return
	}
	p.round(c.ratio(l, p))
}

// epsilon is half the distance from 1 to the next larger float64.
const epsilon = 0x1p-53

// accurate limits the error of a denominator: if the error is more than 1/accurate of the
// denominator, finish uses exact arithmetic. So the denominator adds at most 2⁻²⁰ to the relative
// error (tuning).
const accurate = 0x1p20

// Each of the first two constants, multiplied by the permanent, bounds the error of a computed
// determinant of differences that are rounded at most once. They exceed the constants of package
// predicates, because the rounding of the last sum can change the value, but not the sign. The
// underflow bound is that of package predicates. parameter.gappa has the proofs.
const (
	errorDet3 = 9 * epsilon
	errorDet2 = 5 * epsilon
	underflow = 0x1p-970
)

// atVertex returns the parameter of vertex u, which must be on the line l.
//
// A component of u−a and of the direction are each rounded at most once.
func (c *Caster) atVertex(l *line, u int32) parameter {
	p := parameter{kind: atVertex, u: u}
	d, s := [3]float64{l.d.X, l.d.Y, l.d.Z}, c.mesh.Vertices[u].Sub(l.a)
	k := 0
	for i := range d {
		if math.Abs(d[i]) > math.Abs(d[k]) {
			k = i
		}
	}
	num := [3]float64{s.X, s.Y, s.Z}[k]
	c.finish(l, &p, num, 2*epsilon*math.Abs(num)+l.radius, d[k], 2*epsilon*math.Abs(d[k])+l.spread)
	return p
}

// atEdge returns the parameter of the point where the line l meets the line through the vertices u and
// v. The two lines must be in one plane and not be parallel.
func (c *Caster) atEdge(l *line, u, v int32) parameter {
	p := parameter{kind: atEdge, u: min(u, v), v: max(u, v)}
	q := c.mesh.Vertices[p.u]
	e, s := c.mesh.Vertices[p.v].Sub(q), q.Sub(l.a)
	var num, numError, den, denError float64
	for axis := range 3 {
		dx, dy := project(l.d, axis)
		ex, ey := project(e, axis)
		left, right := float64(dx*ey), float64(dy*ex)
		if w := left - right; math.Abs(w) > math.Abs(den) || axis == 0 {
			size := (1 + 4*epsilon) * (math.Abs(ex) + math.Abs(ey))
			den, denError = w, errorDet2*(math.Abs(left)+math.Abs(right))+underflow+l.spread*size
			sx, sy := project(s, axis)
			left, right = float64(sx*ey), float64(sy*ex)
			num, numError = left-right, errorDet2*(math.Abs(left)+math.Abs(right))+underflow+l.radius*size
		}
	}
	c.finish(l, &p, num, numError, den, denError)
	return p
}

// atFace sets p to the parameter of the point where the line l meets the plane of a face. v are the
// volumes of the edges. If a volume is 0, the point lies on the line of an edge. Then the parameter
// belongs to the edge or the vertex, so it is equal for all faces there.
func (c *Caster) atFace(l *line, i int32, v [3]int, p *parameter) {
	f := &c.faces[i].Vertices
	for j := range 3 {
		if k := (j + 1) % 3; v[j] == 0 {
			switch {
			case v[k] == 0:
				*p = c.atVertex(l, f[k])
				return
			case v[(j+2)%3] != 0:
				*p = c.atEdge(l, f[j], f[k])
				return
			}
		}
	}
	c.atPlane(l, i, p)
}

// atPlane sets p to the parameter of the point where the line l meets the plane of a face, in the interior of the face.
func (c *Caster) atPlane(l *line, i int32, p *parameter) {
	f := &c.faces[i].Vertices
	// Sort the vertices, so that duplicate faces get equal parameters.
	a, b, d := 0, 1, 2
	if f[a] > f[b] {
		a, b = b, a
	}
	if f[b] > f[d] {
		b, d = d, b
	}
	if f[a] > f[b] {
		a, b = b, a
	}
	p.kind, p.rounded, p.u, p.v, p.w = atFace, false, f[a], f[b], f[d]
	t := &c.tris[i]
	q := t[a]
	e, g, s := t[b].Sub(q), t[d].Sub(q), q.Sub(l.a)
	yz, zy := float64(e.Y*g.Z), float64(e.Z*g.Y)
	zx, xz := float64(e.Z*g.X), float64(e.X*g.Z)
	xy, yx := float64(e.X*g.Y), float64(e.Y*g.X)
	nx, ny, nz := yz-zy, zx-xz, xy-yx
	mx, my, mz := math.Abs(yz)+math.Abs(zy), math.Abs(zx)+math.Abs(xz), math.Abs(xy)+math.Abs(yx)
	num, numError := dot(s, nx, ny, nz, mx, my, mz)
	den, denError := dot(l.d, nx, ny, nz, mx, my, mz)
	if l.posed != nil {
		size := (1+8*epsilon)*(mx+my+mz) + underflow
		numError, denError = numError+l.radius*size, denError+l.spread*size
	}
	c.finish(l, p, num, numError, den, denError)
}

// dot returns the scalar product of v and n, and the bound of its error. nx, ny and nz are rounded
// differences of two products, and mx, my and mz are the sums of the magnitudes of these products.
func dot(v r3.Vector, nx, ny, nz, mx, my, mz float64) (x, bound float64) {
	ax, ay, az := math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z)
	return float64(v.X*nx) + float64(v.Y*ny) + float64(v.Z*nz),
		float64(errorDet3*(float64(ax*mx)+float64(ay*my)+float64(az*mz))) + float64(underflow*(ax+ay+az+1))
}
