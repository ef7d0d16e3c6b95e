package apitest

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// posedTwin finds the side of points relative to a posed mesh in a simple way. It moves the mesh
// exactly: all coordinates are integers, multiplied by |q|² and by a power of two. It compares a point
// with every face, and casts one ray with a random direction.
type posedTwin struct {
	m    *mesh.Mesh
	v    []integer3 // vertices in the world
	unit *big.Rat   // of v
	norm *big.Rat   // |q|²
}

type integer3 [3]*big.Int

func rat(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// newPosedTwin moves m by p, by the formula q·x·q* + |q|²·t for the coordinates times |q|².
func newPosedTwin(m *mesh.Mesh, p pose.Pose) *posedTwin {
	bits := uint(600)
	for _, v := range m.Vertices {
		for _, c := range []float64{v.X, v.Y, v.Z} {
			if c != 0 && math.Abs(c) < 0x1p-100 {
				bits = 2600
			}
		}
	}
	w := &posedTwin{m: m, norm: new(big.Rat), unit: new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits))}
	q := ratQuat(p.Rotation)
	for _, c := range q {
		w.norm.Add(w.norm, new(big.Rat).Mul(c, c))
	}
	star := [4]*big.Rat{q[0], new(big.Rat).Neg(q[1]), new(big.Rat).Neg(q[2]), new(big.Rat).Neg(q[3])}
	t := [3]float64{p.Translation.X, p.Translation.Y, p.Translation.Z}
	for _, v := range m.Vertices {
		x := ratProduct(ratProduct(q, [4]*big.Rat{new(big.Rat), rat(v.X), rat(v.Y), rat(v.Z)}), star)
		var at integer3
		for k := range at {
			at[k] = w.integer(x[k+1].Add(x[k+1], new(big.Rat).Mul(w.norm, rat(t[k]))))
		}
		w.v = append(w.v, at)
	}
	return w
}

func ratQuat(q quat.Number) [4]*big.Rat {
	return [4]*big.Rat{rat(q.Real), rat(q.Imag), rat(q.Jmag), rat(q.Kmag)}
}

// ratProduct returns the Hamilton product of two quaternions.
func ratProduct(a, b [4]*big.Rat) (c [4]*big.Rat) {
	table := [4][4]struct{ at, sign int }{
		{{0, 1}, {1, 1}, {2, 1}, {3, 1}}, {{1, 1}, {0, -1}, {3, 1}, {2, -1}},
		{{2, 1}, {3, -1}, {0, -1}, {1, 1}}, {{3, 1}, {2, 1}, {1, -1}, {0, -1}},
	}
	for i := range c {
		c[i] = new(big.Rat)
	}
	for i := range a {
		for j := range b {
			x := new(big.Rat).Mul(a[i], b[j])
			if table[i][j].sign < 0 {
				x.Neg(x)
			}
			c[table[i][j].at].Add(c[table[i][j].at], x)
		}
	}
	return c
}

// integer returns x in the unit of w, which must divide it.
func (w *posedTwin) integer(x *big.Rat) *big.Int {
	y := new(big.Rat).Quo(x, w.unit)
	if !y.IsInt() {
		panic("the unit of the twin is too large")
	}
	return y.Num()
}

func (w *posedTwin) place(p r3.Vector) (at integer3) {
	for k, c := range [3]float64{p.X, p.Y, p.Z} {
		at[k] = w.integer(new(big.Rat).Mul(w.norm, rat(c)))
	}
	return at
}

func minus3(a, b integer3) (c integer3) {
	for k := range c {
		c[k] = new(big.Int).Sub(a[k], b[k])
	}
	return c
}

func cross3(a, b integer3) (c integer3) {
	for k := range c {
		i, j := (k+1)%3, (k+2)%3
		c[k] = new(big.Int).Mul(a[i], b[j])
		c[k].Sub(c[k], new(big.Int).Mul(a[j], b[i]))
	}
	return c
}

func dot3(a, b integer3) *big.Int {
	s := new(big.Int)
	for k := range a {
		s.Add(s, new(big.Int).Mul(a[k], b[k]))
	}
	return s
}

// judge returns the sum of the signs of the crossings, their number, and the faces that contain p.
func (w *posedTwin) judge(p r3.Vector) (signed, crossings int, on []int32) {
	o := w.place(p)
	corners := make([][3]integer3, len(w.m.Faces))
	for f, face := range w.m.Faces {
		for k, v := range face {
			corners[f][k] = minus3(w.v[v], o)
		}
		if onCorners(&corners[f]) {
			on = append(on, int32(f))
		}
	}
	if len(on) > 0 {
		return 0, 0, on
	}
	r := rand.New(rand.NewPCG(5, 6))
	for {
		var d integer3
		for k := range d {
			d[k] = big.NewInt(r.Int64N(1<<40) - 1<<39)
		}
		if signed, crossings, ok := castAll(corners, d); ok {
			return signed, crossings, nil
		}
	}
}

// castAll casts the ray from the origin in the direction d. ok is false if it meets an edge.
func castAll(corners [][3]integer3, d integer3) (signed, crossings int, ok bool) {
	for _, c := range corners {
		n := cross3(minus3(c[1], c[0]), minus3(c[2], c[0]))
		slope, height := dot3(n, d).Sign(), dot3(n, c[0]).Sign()
		if slope == 0 || height != slope {
			continue // the ray is parallel to the face, or the face is behind; a face of zero area has slope 0
		}
		inside, edge := 0, false
		for k := range c {
			s := dot3(d, cross3(c[k], c[(k+1)%3])).Sign()
			inside += s
			edge = edge || s == 0
		}
		switch {
		case inside == 3 || inside == -3:
			signed += slope
			crossings++
		case edge:
			return 0, 0, false
		}
	}
	return signed, crossings, true
}

// onCorners reports whether the origin lies on the closed triangle c.
func onCorners(c *[3]integer3) bool {
	n := cross3(minus3(c[1], c[0]), minus3(c[2], c[0]))
	if dot3(n, n).Sign() == 0 {
		for k := range c {
			a, b := c[k], c[(k+1)%3]
			x := cross3(a, b)
			if dot3(x, x).Sign() == 0 && dot3(a, b).Sign() <= 0 {
				return true
			}
		}
		return false
	}
	if dot3(n, c[0]).Sign() != 0 {
		return false
	}
	for k := range c {
		if dot3(n, cross3(c[k], c[(k+1)%3])).Sign() < 0 {
			return false
		}
	}
	return true
}

// winding sums the solid angles of all faces except the faces in on. Each angle has the numerator and
// denominator of van Oosterom and Strackee 1983 to 1,000 bits or more.
func (w *posedTwin) winding(p r3.Vector, on []int32) float64 {
	o := w.place(p)
	skip := map[int32]bool{}
	for _, f := range on {
		skip[f] = true
	}
	sum := 0.0
	number := func(x *big.Int) *big.Float { return new(big.Float).SetPrec(1000).SetInt(x) }
	for f, face := range w.m.Faces {
		if skip[int32(f)] {
			continue
		}
		var c [3]integer3
		var length [3]*big.Float
		for k, v := range face {
			c[k] = minus3(w.v[v], o)
			length[k] = number(dot3(c[k], c[k]))
			length[k].Sqrt(length[k])
		}
		det := number(dot3(c[0], cross3(c[1], c[2])))
		den := new(big.Float).Mul(length[0], length[1])
		den.Mul(den, length[2])
		for k := range c {
			x := number(dot3(c[k], c[(k+1)%3]))
			den.Add(den, x.Mul(x, length[(k+2)%3]))
		}
		if det.Sign() == 0 {
			continue
		}
		exp := max(det.MantExp(nil), den.MantExp(nil))
		y, _ := det.SetMantExp(det, -exp).Float64()
		x, _ := den.SetMantExp(den, -exp).Float64()
		sum += 2 * math.Atan2(y, x)
	}
	return sum / (4 * math.Pi)
}

// rounded returns the float64 numbers nearest to v in the unit of length.
func (w *posedTwin) rounded(v integer3) r3.Vector {
	var c [3]float64
	for k := range c {
		x := new(big.Rat).SetInt(v[k])
		c[k], _ = x.Mul(x, w.unit).Quo(x, w.norm).Float64()
	}
	return r3.Vector{X: c[0], Y: c[1], Z: c[2]}
}

// distance returns the distance from p to the given face up to about 1e-15 of the distances to its
// corners.
func (w *posedTwin) distance(p r3.Vector, f int) float64 {
	o := w.place(p)
	var c [3]r3.Vector
	for k, v := range w.m.Faces[f] {
		c[k] = w.rounded(minus3(w.v[v], o))
	}
	largest := max(vec.MaxAbs(c[0]), vec.MaxAbs(c[1]), vec.MaxAbs(c[2]))
	if largest > 1e3*max(vec.MaxAbs(c[1].Sub(c[0])), vec.MaxAbs(c[2].Sub(c[0]))) {
		return w.farDistance(o, f)
	}
	_, exp := math.Frexp(largest)
	for k := range c { // squares must not underflow
		c[k] = r3.Vector{X: math.Ldexp(c[k].X, -exp), Y: math.Ldexp(c[k].Y, -exp), Z: math.Ldexp(c[k].Z, -exp)}
	}
	return math.Ldexp(scaledDistance(c), exp)
}

// farDistance is distance with 1,000 bits, for faces that are much smaller than their distance.
func (w *posedTwin) farDistance(o integer3, f int) float64 {
	var c [3]integer3
	for k, v := range w.m.Faces[f] {
		c[k] = minus3(w.v[v], o)
	}
	number := func(x *big.Int) *big.Float { return new(big.Float).SetPrec(1000).SetInt(x) }
	best := number(dot3(c[0], c[0]))
	lower := func(x *big.Float) {
		if x.Cmp(best) < 0 {
			best = x
		}
	}
	// share returns a²/b.
	share := func(a, b *big.Int) *big.Float {
		x := number(a)
		return x.Mul(x, x).Quo(x, number(b))
	}
	for k := range c {
		a, b := c[k], c[(k+1)%3]
		lower(number(dot3(a, a)))
		e := minus3(b, a)
		if dot3(a, e).Sign() < 0 && dot3(b, e).Sign() > 0 {
			x := number(dot3(a, a))
			lower(x.Sub(x, share(dot3(a, e), dot3(e, e))))
		}
	}
	n := cross3(minus3(c[1], c[0]), minus3(c[2], c[0]))
	inside := dot3(n, n).Sign() > 0
	for k := range c {
		inside = inside && dot3(n, cross3(c[k], c[(k+1)%3])).Sign() >= 0
	}
	if inside {
		lower(share(dot3(n, c[0]), dot3(n, n)))
	}
	scale := new(big.Float).SetRat(new(big.Rat).Quo(w.unit, w.norm))
	best.Sqrt(best)
	d, _ := best.Mul(best, scale).Float64()
	return d
}

// scaledDistance returns the distance from the origin to a triangle.
func scaledDistance(c [3]r3.Vector) float64 {
	best := math.Inf(1)
	for k := range c {
		a, e := c[k], c[(k+1)%3].Sub(c[k])
		s := 0.0
		if n := e.Norm2(); n > 0 {
			s = max(0, min(1, -a.Dot(e)/n))
		}
		best = min(best, a.Add(e.Mul(s)).Norm())
	}
	n := c[1].Sub(c[0]).Cross(c[2].Sub(c[0]))
	for k := range c {
		if n.Dot(c[k].Cross(c[(k+1)%3])) < 0 || n.Norm() == 0 {
			return best
		}
	}
	return min(best, math.Abs(c[0].Dot(n.Normalize())))
}

// point returns a point of the world with the exact coordinates of v, in the unit of w.
func (w *posedTwin) point(v integer3) (p [3]*big.Rat) {
	for k := range p {
		p[k] = new(big.Rat).SetInt(v[k])
		p[k].Mul(p[k], w.unit)
		p[k].Quo(p[k], w.norm)
	}
	return p
}

// triangle returns the rounded corners of a face in the world.
func (w *posedTwin) triangle(face int) (t mesh.Triangle) {
	for k, v := range w.m.Faces[face] {
		p := w.point(w.v[v])
		t[k].X, _ = p[0].Float64()
		t[k].Y, _ = p[1].Float64()
		t[k].Z, _ = p[2].Float64()
	}
	return t
}

// normal returns the unit normal of a face in the world, from the exact corners.
func (w *posedTwin) normal(face int) r3.Vector {
	f := w.m.Faces[face]
	n := cross3(minus3(w.v[f[1]], w.v[f[0]]), minus3(w.v[f[2]], w.v[f[0]]))
	var out [3]float64
	square := new(big.Float).SetInt(dot3(n, n))
	length := square.Sqrt(square)
	for k := range out {
		if length.Sign() > 0 {
			out[k], _ = new(big.Float).Quo(new(big.Float).SetInt(n[k]), length).Float64()
		}
	}
	return r3.Vector{X: out[0], Y: out[1], Z: out[2]}
}

// offClosest returns the distance of q from the exact point of a face that is closest to p.
func (w *posedTwin) offClosest(p, q r3.Vector, face int) float64 {
	f := w.m.Faces[face]
	a, b, c := w.v[f[0]], w.v[f[1]], w.v[f[2]]
	o := w.place(p)
	var best [3]*big.Rat
	var least *big.Rat
	try := func(x [3]*big.Rat) {
		d := new(big.Rat)
		for k := range x {
			e := new(big.Rat).Sub(x[k], new(big.Rat).SetInt(o[k]))
			d.Add(d, e.Mul(e, e))
		}
		if least == nil || d.Cmp(least) < 0 {
			best, least = x, d
		}
	}
	// combine returns a + s(b−a) + t(c−a).
	combine := func(a, b, c integer3, s, t *big.Rat) (x [3]*big.Rat) {
		for k := range x {
			e := new(big.Rat).SetInt(new(big.Int).Sub(b[k], a[k]))
			g := new(big.Rat).SetInt(new(big.Int).Sub(c[k], a[k]))
			x[k] = new(big.Rat).SetInt(a[k])
			x[k].Add(x[k], e.Mul(e, s))
			x[k].Add(x[k], g.Mul(g, t))
		}
		return x
	}
	zero, one := new(big.Rat), big.NewRat(1, 1)
	for _, e := range [3][2]integer3{{a, b}, {b, c}, {c, a}} {
		along := minus3(e[1], e[0])
		s := new(big.Rat)
		if length := dot3(along, along); length.Sign() > 0 {
			s.SetFrac(dot3(minus3(o, e[0]), along), length)
		}
		if s.Sign() < 0 {
			s = zero
		} else if s.Cmp(one) > 0 {
			s = one
		}
		try(combine(e[0], e[1], e[0], s, zero))
	}
	e, g, v := minus3(b, a), minus3(c, a), minus3(o, a)
	n := cross3(e, g)
	if square := dot3(n, n); square.Sign() > 0 {
		s, t := new(big.Rat).SetFrac(dot3(n, cross3(v, g)), square), new(big.Rat).SetFrac(dot3(n, cross3(e, v)), square)
		if s.Sign() >= 0 && t.Sign() >= 0 && new(big.Rat).Add(s, t).Cmp(one) <= 0 {
			try(combine(a, b, c, s, t))
		}
	}
	sum := new(big.Rat)
	for k, x := range [3]float64{q.X, q.Y, q.Z} {
		at := new(big.Rat).Mul(best[k], w.unit)
		at.Quo(at, w.norm)
		at.Sub(at, rat(x))
		sum.Add(sum, at.Mul(at, at))
	}
	square := new(big.Float).SetPrec(200).SetRat(sum)
	d, _ := square.Sqrt(square).Float64()
	return d
}
