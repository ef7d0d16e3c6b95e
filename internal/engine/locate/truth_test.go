package locate_test

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// truth decides sides and winding numbers of one soup. It shares no code with the strategies. It
// casts one ray in the direction +z. It moves the start of the ray by (ε, ε²) for an infinitely
// small ε, so no ray is degenerate. It computes solid angles with as many bits as necessary.
type truth struct {
	vertices []r3.Vector
	faces    []truthFace
	grid     bool // all vertices have small integer coordinates
	closed   bool // each edge is traversed equally often in both directions
	even     bool // each edge has an even number of faces
}

type truthFace struct {
	corner [3]r3.Vector
	vertex [3]int32
	lo, hi r3.Vector
	double [3][3]int64 // twice the corners, if all vertices are on the grid
	flat   bool        // the area is zero
}

func newTruth(s mesh.Soup) *truth {
	t := &truth{vertices: s.Vertices, grid: true}
	for _, v := range s.Vertices {
		if d, ok := doubled(v); !ok || d[0]%2 != 0 || d[1]%2 != 0 || d[2]%2 != 0 {
			t.grid = false
		}
	}
	welded, first := make([]int32, len(s.Vertices)), map[r3.Vector]int32{}
	for i, v := range s.Vertices {
		if _, ok := first[v]; !ok {
			first[v] = int32(i)
		}
		welded[i] = first[v]
	}
	var all, solid, uses = map[[2]int32]int{}, map[[2]int32]int{}, map[[2]int32]int{}
	for _, f := range s.Faces {
		x := truthFace{vertex: f}
		for k, v := range f {
			x.corner[k] = s.Vertices[v]
			x.double[k], _ = doubled(x.corner[k])
		}
		a, b, c := x.corner[0], x.corner[1], x.corner[2]
		x.lo = r3.Vector{X: min(a.X, b.X, c.X), Y: min(a.Y, b.Y, c.Y), Z: min(a.Z, b.Z, c.Z)}
		x.hi = r3.Vector{X: max(a.X, b.X, c.X), Y: max(a.Y, b.Y, c.Y), Z: max(a.Z, b.Z, c.Z)}
		x.flat = referee.ZeroArea(a, b, c)
		t.faces = append(t.faces, x)
		i, j, k := welded[f[0]], welded[f[1]], welded[f[2]]
		if i == j || j == k || k == i {
			continue
		}
		for _, e := range [3][2]int32{{i, j}, {j, k}, {k, i}} {
			sign := 1
			if e[0] > e[1] {
				e[0], e[1], sign = e[1], e[0], -1
			}
			all[e] += sign
			uses[e]++
			if !x.flat {
				solid[e] += sign
			}
		}
	}
	t.closed = isZero(all, 0) || isZero(solid, 0)
	t.even = isZero(uses, 1)
	return t
}

// isZero reports whether all counts are 0. If mask is not 0, it reports this for count & mask.
func isZero(counts map[[2]int32]int, mask int) bool {
	for _, n := range counts {
		if mask == 0 && n != 0 || n&mask != 0 {
			return false
		}
	}
	return true
}

// doubled returns 2p as integers. ok is false if 2p has no integer coordinates, or if one of them
// exceeds 2^18. A determinant of three differences is below 6·2^(3·19) < 2^60, so it fits in int64.
func doubled(p r3.Vector) (d [3]int64, ok bool) {
	for k, x := range [3]float64{2 * p.X, 2 * p.Y, 2 * p.Z} {
		if !(math.Abs(x) <= 1<<18) || x != math.Trunc(x) {
			return d, false
		}
		d[k] = int64(x)
	}
	return d, true
}

func sign[T int64 | float64](x T) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// truthPoint is a point with its integer coordinates, if all coordinates are on the grid.
type truthPoint struct {
	p    r3.Vector
	d    [3]int64
	grid bool
}

// orient2 returns the sign of the area of the triangle of corner i, corner i+1 and p in the plane
// xy. If p is on the line of the corners, orient2 also returns the sign for p + (ε, ε²).
func (f *truthFace) orient2(i int, p *truthPoint) (exact, moved int) {
	j := (i + 1) % 3
	a, b := f.corner[i], f.corner[j]
	if p.grid {
		a, b := &f.double[i], &f.double[j]
		exact = sign((b[0]-a[0])*(p.d[1]-a[1]) - (b[1]-a[1])*(p.d[0]-a[0]))
	} else {
		exact = orient2(a, b, p.p)
	}
	switch {
	case exact != 0:
		return exact, exact
	case a.Y != b.Y:
		return 0, sign(a.Y - b.Y)
	}
	return 0, sign(b.X - a.X)
}

// orient2 returns the sign of (b−a)×(p−a) in the plane xy. Each of the two products has three
// roundings, and their difference has one, so 8·2⁻⁵³ times the sum of the products covers the
// error. Products below 2⁻⁹⁰⁰ can underflow.
func orient2(a, b, p r3.Vector) int {
	l, r := (b.X-a.X)*(p.Y-a.Y), (b.Y-a.Y)*(p.X-a.X)
	size := math.Abs(l) + math.Abs(r)
	if d := l - r; math.Abs(d) > 0x1p-50*size && size > 0x1p-900 {
		return sign(d)
	}
	ax, ay, bx, by := a.X-p.X, a.Y-p.Y, b.X-p.X, b.Y-p.Y // a difference is 0 only if it is exact
	if ax == 0 && (ay == 0 || bx == 0) || by == 0 && (bx == 0 || ay == 0) {
		return 0
	}
	one := func(v r3.Vector) r3.Vector { return r3.Vector{X: v.X, Y: v.Y, Z: 1} }
	return referee.Orient3D(one(a), one(b), one(p), r3.Vector{})
}

// orient3 returns the sign of (a−p)·((b−p)×(c−p)) for the corners of f. The computed determinant
// has six products. Each product has at most nine roundings, so 64·2⁻⁵³ times the sum of their
// magnitudes covers the error.
func (f *truthFace) orient3(p *truthPoint) int {
	if p.grid {
		var v [3][3]int64
		for i := range v {
			for k := range v[i] {
				v[i][k] = f.double[i][k] - p.d[k]
			}
		}
		a, b, c := &v[0], &v[1], &v[2]
		return sign(a[0]*(b[1]*c[2]-b[2]*c[1]) + a[1]*(b[2]*c[0]-b[0]*c[2]) + a[2]*(b[0]*c[1]-b[1]*c[0]))
	}
	a, b, c := f.corner[0].Sub(p.p), f.corner[1].Sub(p.p), f.corner[2].Sub(p.p)
	det := a.X*(b.Y*c.Z-b.Z*c.Y) + a.Y*(b.Z*c.X-b.X*c.Z) + a.Z*(b.X*c.Y-b.Y*c.X)
	a, b, c = a.Abs(), b.Abs(), c.Abs()
	size := a.X*(b.Y*c.Z+b.Z*c.Y) + a.Y*(b.Z*c.X+b.X*c.Z) + a.Z*(b.X*c.Y+b.Y*c.X)
	if math.Abs(det) > 0x1p-47*size && size > 1e-200 && size < 1e200 && max(a.X, a.Y, a.Z, b.X, b.Y, b.Z, c.X, c.Y, c.Z) < 1e60 {
		return sign(det)
	}
	return referee.Orient3D(f.corner[0], f.corner[1], f.corner[2], p.p)
}

// cast returns the sum of the signs of the crossings of the ray from p, their number, and whether p
// is on a face.
func (t *truth) cast(p r3.Vector) (winding, crossings int, on bool) {
	q := truthPoint{p: p}
	if t.grid {
		q.d, q.grid = doubled(p)
	}
	for i := range t.faces {
		f := &t.faces[i]
		if p.X < f.lo.X || p.X > f.hi.X || p.Y < f.lo.Y || p.Y > f.hi.Y || p.Z > f.hi.Z {
			continue
		}
		s, on := f.test(&q)
		if on {
			return 0, 0, true
		}
		if s != 0 {
			winding += s
			crossings++
		}
	}
	return winding, crossings, false
}

// test returns the sign of the crossing of the ray from p with f, or 0. It also reports whether p
// is on f.
func (f *truthFace) test(p *truthPoint) (crossing int, on bool) {
	e0, m0 := f.orient2(0, p)
	e1, m1 := f.orient2(1, p)
	if e0*e1 < 0 {
		return 0, false
	}
	e2, m2 := f.orient2(2, p)
	if e0*e2 < 0 || e1*e2 < 0 {
		return 0, false
	}
	if e0 == 0 && e1 == 0 && e2 == 0 { // the face is parallel to z, and the moved ray misses it
		return 0, p.p.Z >= f.lo.Z && referee.OnTriangle(p.p, f.corner[0], f.corner[1], f.corner[2])
	}
	inside := m0 == m1 && m1 == m2
	if p.p.Z < f.lo.Z {
		if inside {
			return m0, false
		}
		return 0, false
	}
	above := f.orient3(p)
	if above == 0 { // p is in the plane of f, and its projection is in the projection of f
		return 0, true
	}
	if inside && above == m0 {
		return m0, false
	}
	return 0, false
}

// containing returns the faces that contain p.
func (t *truth) containing(p r3.Vector) map[int]bool {
	faces := map[int]bool{}
	for i := range t.faces {
		f := &t.faces[i]
		if p.X < f.lo.X || p.X > f.hi.X || p.Y < f.lo.Y || p.Y > f.hi.Y || p.Z < f.lo.Z || p.Z > f.hi.Z {
			continue
		}
		if referee.OnTriangle(p, f.corner[0], f.corner[1], f.corner[2]) {
			faces[i] = true
		}
	}
	return faces
}

// estimate returns the winding number of p and a bound of its error. ok is false if a product could
// overflow or underflow. The angle of a triangle a, b, c seen from p is twice the argument of the
// complex number z = den + i·num (Van Oosterom and Strackee 1983). Each of the ten terms of z is at
// most m = |a||b||c| and has at most 16 roundings, so the error of z is below 256·2⁻⁵³·m, and the
// error of the argument is below 512·2⁻⁵³·m/|z|.
func (t *truth) estimate(p r3.Vector) (w, bound float64, ok bool) {
	total, size, err := 0.0, 0.0, 0.0
	for i := range t.faces {
		f := &t.faces[i]
		if f.flat {
			continue
		}
		a, b, c := f.corner[0].Sub(p), f.corner[1].Sub(p), f.corner[2].Sub(p)
		x, y, z := math.Sqrt(a.Dot(a)), math.Sqrt(b.Dot(b)), math.Sqrt(c.Dot(c))
		m := x * y * z
		if !(min(x, y, z) > 1e-60 && max(x, y, z) < 1e60) {
			return 0, 0, false
		}
		num := a.X*(b.Y*c.Z-b.Z*c.Y) + a.Y*(b.Z*c.X-b.X*c.Z) + a.Z*(b.X*c.Y-b.Y*c.X)
		den := m + a.Dot(b)*z + b.Dot(c)*x + c.Dot(a)*y
		if den < 0 && math.Abs(num) < 0x1p-44*m { // the angle can be π or −π
			return 0, 0, false
		}
		angle := math.Atan2(num, den)
		total += angle
		size += math.Abs(angle)
		err += 512 * 0x1p-53 * m / math.Hypot(num, den)
	}
	// math.Atan2 and each sum round to within a few units of 2⁻⁵³.
	err += 0x1p-50 * float64(len(t.faces)+4) * (size + 1)
	return total / (2 * math.Pi), err, err < 1
}

// exact returns the winding number of p within 2^-bits, without the faces in skip. The argument of
// a product of complex numbers is the sum of their arguments, up to a multiple of 2π that float64
// sums find.
func (t *truth) exact(p r3.Vector, skip map[int]bool, bits uint) *big.Float {
	for prec := bits + 120; ; {
		w, lost := t.product(p, skip, bits, prec)
		if lost <= int(prec-bits)-8 {
			return w
		}
		prec = bits + uint(lost) + 16
	}
}

// product does the work of exact with the given precision. The error is below 2^(lost−prec).
func (t *truth) product(p r3.Vector, skip map[int]bool, bits, prec uint) (w *big.Float, lost int) {
	num := func(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }
	n := func() *big.Float { return new(big.Float).SetPrec(prec) }
	pt := [3]*big.Float{num(p.X), num(p.Y), num(p.Z)}
	vec, norm := make([][3]*big.Float, len(t.vertices)), make([]*big.Float, len(t.vertices))
	u, v, x, y := n(), n(), n(), n()
	dot := func(dst *big.Float, a, b [3]*big.Float) *big.Float {
		dst.Mul(a[0], b[0])
		dst.Add(dst, u.Mul(a[1], b[1]))
		return dst.Add(dst, u.Mul(a[2], b[2]))
	}
	far := func(i int32) {
		if norm[i] == nil {
			c := t.vertices[i]
			for k, f := range [3]float64{c.X, c.Y, c.Z} {
				vec[i][k] = n().Sub(num(f), pt[k])
			}
			norm[i] = n().Sqrt(dot(n(), vec[i], vec[i]))
		}
	}
	re, im := num(1), num(0)
	total, worst := 0.0, 0 // worst: the largest error of a factor is below 512·2^(worst−prec)
	for i := range t.faces {
		f := &t.faces[i]
		if f.flat || skip[i] {
			continue
		}
		for _, k := range f.vertex {
			far(k)
		}
		a, b, c := vec[f.vertex[0]], vec[f.vertex[1]], vec[f.vertex[2]]
		na, nb, nc := norm[f.vertex[0]], norm[f.vertex[1]], norm[f.vertex[2]]
		det := n()
		for k := range 3 {
			i, j := (k+1)%3, (k+2)%3
			u.Mul(b[i], c[j])
			v.Mul(b[j], c[i])
			u.Sub(u, v)
			det.Add(det, u.Mul(u, a[k]))
		}
		m := n().Mul(na, nb)
		m.Mul(m, nc)
		den := n().Set(m)
		den.Add(den, x.Mul(dot(x, a, b), nc))
		den.Add(den, x.Mul(dot(x, b, c), na))
		den.Add(den, x.Mul(dot(x, c, a), nb))
		det.Quo(det, m)
		den.Quo(den, m)
		total += angle(det, den)
		// If den is negative, an error of num could exchange the angles π and −π.
		e := math.MinInt
		if det.Sign() != 0 {
			e = det.MantExp(nil)
		}
		if den.Sign() > 0 {
			e = max(e, den.MantExp(nil))
		}
		if e == math.MinInt {
			return n(), 2 * int(prec)
		}
		worst = max(worst, 1-e)
		// (re + i·im)·(den + i·det)
		x.Mul(re, den)
		x.Sub(x, u.Mul(im, det))
		y.Mul(re, det)
		y.Add(y, u.Mul(im, den))
		re, x = x, re
		im, y = y, im
		if e := max(re.MantExp(nil), im.MantExp(nil)); e < -1000 || e > 1000 {
			re.SetMantExp(re, -e)
			im.SetMantExp(im, -e)
		}
	}
	turn := argument(re, im, bits+40)
	f, _ := turn.Float64()
	turn.Add(turn, num(math.Round(total/(2*math.Pi)-f)))
	return turn, worst + 10 + log2(len(t.faces))
}

// angle returns the argument of x + iy as float64. The result never has the wrong sign.
func angle(y, x *big.Float) float64 {
	if x.Sign() == 0 || y.Sign() == 0 {
		return math.Atan2(float64(y.Sign()), float64(x.Sign()))
	}
	e := max(y.MantExp(nil), x.MantExp(nil))
	fy, _ := new(big.Float).SetMantExp(y, -e).Float64()
	fx, _ := new(big.Float).SetMantExp(x, -e).Float64()
	if fy == 0 && x.Sign() < 0 {
		return math.Copysign(math.Pi, float64(y.Sign()))
	}
	return math.Atan2(fy, fx)
}

// log2 returns an integer that is at least the binary logarithm of n ≥ 0.
func log2(n int) int { return bits.Len(uint(n)) }

// argument returns the argument of x + iy, divided by 2π. The error is about 2^-prec.
func argument(x, y *big.Float, prec uint) *big.Float {
	prec += 40
	n := func() *big.Float { return new(big.Float).SetPrec(prec) }
	x, y = n().Set(x), n().Set(y)
	quarter := 0.0 // quarter turns that are taken off
	if x.Sign() < 0 {
		quarter = 2
		if y.Sign() < 0 {
			quarter = -2
		}
		x.Neg(x)
		y.Neg(y)
	}
	// Each step replaces the argument by half of it: arg(x + |z| + iy) = arg(x + iy)/2.
	const halvings = 12
	for range halvings {
		r := n().Mul(x, x)
		r.Add(r, n().Mul(y, y))
		x.Add(x, r.Sqrt(r))
	}
	angle := arctan(n().Quo(y, x))
	angle.SetMantExp(angle, halvings)
	angle.Quo(angle, circle(prec))
	return angle.Add(angle, n().SetFloat64(quarter/4))
}

// arctan returns the arc tangent of a small number.
func arctan(t *big.Float) *big.Float {
	n := func() *big.Float { return new(big.Float).SetPrec(t.Prec()) }
	square, power, sum, term := n().Mul(t, t), n().Set(t), n().Set(t), n()
	for k := int64(3); power.Sign() != 0 && power.MantExp(nil) > sum.MantExp(nil)-int(t.Prec()); k += 2 {
		power.Neg(power.Mul(power, square))
		sum.Add(sum, term.Quo(power, n().SetInt64(k)))
	}
	return sum
}

// circle returns 2π by the formula of Machin: π/4 = 4 arctan(1/5) − arctan(1/239).
func circle(prec uint) *big.Float {
	inverse := func(k int64) *big.Float {
		x := new(big.Float).SetPrec(prec + 16).SetInt64(k)
		return arctan(x.Quo(new(big.Float).SetPrec(prec+16).SetInt64(1), x))
	}
	a, b := inverse(5), inverse(239)
	a.SetMantExp(a, 2)
	a.Sub(a, b)
	return a.SetMantExp(a, 3)
}

// verdict holds what truth knows about one point. W is computed when it is needed.
type verdict struct {
	t                  *truth
	p                  r3.Vector
	on                 bool
	winding, crossings int // crossings depends on the ray unless t.even, and winding unless t.closed

	w, bound float64 // an estimate of W and its bound, if ok is true
	ok       bool
	w200     *big.Float // W within 2^-200, or nil
}

func (t *truth) judge(p r3.Vector) *verdict {
	v := &verdict{t: t, p: p}
	v.winding, v.crossings, v.on = t.cast(p)
	if !t.closed && !v.on {
		v.w, v.bound, v.ok = t.estimate(p)
	}
	return v
}

// number returns the winding number within 2^-200.
func (v *verdict) number() *big.Float {
	if v.w200 == nil {
		switch {
		case v.on:
			v.w200 = v.t.exact(v.p, v.t.containing(v.p), 200)
		case v.t.closed:
			v.w200 = big.NewFloat(float64(v.winding))
		default:
			v.w200 = v.t.exact(v.p, nil, 200)
		}
	}
	return v.w200
}

// easy reports whether an integer or the estimate decides the side under every rule.
func (v *verdict) easy() bool {
	if v.on || v.t.closed {
		return true
	}
	_, frac := math.Modf(math.Abs(v.w))
	return v.ok && math.Abs(frac-0.5) > v.bound
}

// close reports whether W is within 2^-190 of a half-integer.
func (v *verdict) close() bool {
	if v.on || v.easy() {
		return false
	}
	d := new(big.Float).Abs(v.number())
	n, _ := d.Int64()
	d.Sub(d, big.NewFloat(float64(n)+0.5))
	return d.Sign() == 0 || d.MantExp(nil) <= -190
}

// compare returns the sign of W−c. It returns 0 if the difference is below 2^-590.
func (v *verdict) compare(c float64) int {
	if v.ok && math.Abs(v.w-c) > v.bound {
		return sign(v.w - c)
	}
	d := new(big.Float).Sub(v.number(), big.NewFloat(c))
	if d.Sign() != 0 && d.MantExp(nil) > -190 {
		return d.Sign()
	}
	d.Sub(v.t.exact(v.p, nil, 600), big.NewFloat(c))
	if d.Sign() != 0 && d.MantExp(nil) > -590 {
		return d.Sign()
	}
	return 0
}

// side returns the side under a rule. It returns Unknown if W equals the threshold.
func (v *verdict) side(rule side.Rule) side.Side {
	in := false
	switch {
	case v.on:
		return side.OnSurface
	case rule == side.EvenOdd && v.t.even:
		in = v.crossings%2 == 1
	case v.t.closed:
		in = rule == side.NonZero && v.winding != 0 || rule == side.Positive && v.winding > 0 ||
			rule == side.Negative && v.winding < 0 || rule == side.EvenOdd && v.winding%2 != 0
	case rule == side.EvenOdd:
		w := v.w
		if !v.ok {
			w, _ = v.number().Float64()
		}
		k := math.Floor(w)
		switch v.compare(k + 0.5) {
		case 0:
			return side.Unknown
		case 1:
			k++
		}
		in = math.Mod(k, 2) != 0
	default:
		up, down := v.compare(0.5), v.compare(-0.5)
		if up == 0 && rule != side.Negative || down == 0 && rule != side.Positive {
			return side.Unknown
		}
		in = rule != side.Negative && up > 0 || rule != side.Positive && down < 0
	}
	if in {
		return side.Inside
	}
	return side.Outside
}
