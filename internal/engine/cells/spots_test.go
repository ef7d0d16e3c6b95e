package cells_test

import (
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/cells"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0xce115)) }

// maker generates points that are hard for the index of a mesh.
type maker struct {
	r       *rand.Rand
	mesh    *mesh.Mesh
	box     bvh.Box
	size    float64     // longest edge of the box
	corners []r3.Vector // corners of crossed cells
	cell    float64
	refs    func(p r3.Vector) []r3.Vector
	caps    []mesh.Triangle
}

var kinds = []struct {
	name string
	make func(k *maker) r3.Vector
}{
	{"in the box", (*maker).around},
	{"on the box", (*maker).onBox},
	{"vertex", func(k *maker) r3.Vector { return k.nudge(k.face()[k.r.IntN(3)]) }},
	{"on an edge", func(k *maker) r3.Vector { return k.nudge(k.onEdge()) }},
	{"on a face", func(k *maker) r3.Vector { return k.nudge(k.onFace()) }},
	{"mixed coordinates", func(k *maker) r3.Vector { return k.nudge(k.mixed()) }},
	{"in the plane of a face", func(k *maker) r3.Vector { return k.nudge(k.inPlane()) }},
	{"off a face along its normal", func(k *maker) r3.Vector { return k.offNormal(k.onFace()) }},
	{"off a plane along its normal", func(k *maker) r3.Vector { return k.offNormal(k.inPlane()) }},
	{"off a face", func(k *maker) r3.Vector { return k.off(k.onFace()) }},
	{"off an edge", func(k *maker) r3.Vector { return k.off(k.onEdge()) }},
	{"off a vertex", func(k *maker) r3.Vector { return k.off(k.face()[k.r.IntN(3)]) }},
	{"corner of a cell", func(k *maker) r3.Vector { return k.nudge(k.corner()) }},
	{"on an edge of a cell", func(k *maker) r3.Vector { return k.nudge(k.inCell(1)) }},
	{"on a face of a cell", func(k *maker) r3.Vector { return k.nudge(k.inCell(2)) }},
	{"in a crossed cell", func(k *maker) r3.Vector { return k.inCell(3) }},
	{"aligned with a vertex and a corner", (*maker).aligned},
	{"on a surface and near the face of a cell", func(k *maker) r3.Vector { return k.nudge(k.snapped(k.onFace(), 1)) }},
	{"near a surface and the edge of a cell", func(k *maker) r3.Vector { return k.nudge(k.snapped(k.onFace(), 2)) }},
	{"near a surface, corner of a cell", func(k *maker) r3.Vector { return k.nudge(k.snapped(k.onFace(), 3)) }},
	{"behind a vertex seen from a corner", func(k *maker) r3.Vector { return k.behind(k.face()[k.r.IntN(3)]) }},
	{"behind an edge seen from a corner", func(k *maker) r3.Vector { return k.behind(k.onEdge()) }},
	{"behind a face seen from a corner", func(k *maker) r3.Vector { return k.behind(k.onFace()) }},
	{"on a dyadic lattice of the box", (*maker).onLattice},
	{"on a cap", (*maker).onCap},
}

// spots returns n points of all kinds and the points of oddSpots. The same seed gives the same
// points.
func (w *twin) spots(n int, seed uint64) []spot {
	if w.mesh.NumFaces() == 0 {
		return oddSpots(1)
	}
	k := &maker{r: newRand(seed), mesh: w.mesh, box: w.mesh.Box(), cell: cellSize(w.index[0], w.mesh)}
	size := k.box.Size()
	k.size = max(size.X, size.Y, size.Z)
	k.corners = cellCorners(w.index[0], w.mesh, n/len(kinds)+1, seed)
	k.refs = func(p r3.Vector) []r3.Vector { return w.index[0].References(p) }
	k.caps = w.index[0].Caps()
	out := oddSpots(k.size)
	for i := range n {
		kind := kinds[i%len(kinds)]
		out = append(out, spot{kind.make(k), kind.name})
	}
	return out
}

// oddSpots returns points that are not finite, points far away, points very near the origin, and
// points with coordinates +0 and −0.
func oddSpots(size float64) []spot {
	nan, inf, zero, most := math.NaN(), math.Inf(1), math.Copysign(0, -1), math.MaxFloat64
	var out []spot
	for _, p := range []r3.Vector{
		{X: nan}, {Y: nan}, {Z: nan}, {X: inf}, {Y: -inf}, {Z: inf}, {X: nan, Y: inf, Z: -inf},
		{}, {X: zero, Y: zero, Z: zero}, {Y: zero}, {X: math.SmallestNonzeroFloat64}, {Z: -math.SmallestNonzeroFloat64},
		{X: most}, {Y: -most}, {X: most, Y: most, Z: -most}, {Z: 0x1p1001}, {X: -0x1p63 * size}, {Y: 0x1p31 * size}, {Z: 0x1p32 * size},
	} {
		out = append(out, spot{p, "odd"})
	}
	return out
}

func (k *maker) face() mesh.Triangle { return k.mesh.Triangle(int32(k.r.IntN(k.mesh.NumFaces()))) }

func (k *maker) corner() r3.Vector { return k.corners[k.r.IntN(len(k.corners))] }

// nudge returns p unchanged in half of the cases. Otherwise it moves each coordinate by at most
// three units in the last place.
func (k *maker) nudge(p r3.Vector) r3.Vector {
	if k.r.IntN(2) == 0 {
		return p
	}
	f := func(c float64) float64 {
		to := math.Inf(2*k.r.IntN(2) - 1)
		for n := k.r.IntN(4); n > 0; n-- {
			c = math.Nextafter(c, to)
		}
		return c
	}
	return r3.Vector{X: f(p.X), Y: f(p.Y), Z: f(p.Z)}
}

// share returns a random number in [0, 1). In two thirds of the cases the number is a multiple of
// 1/8.
func (k *maker) share() float64 {
	switch k.r.IntN(3) {
	case 0:
		return float64(k.r.IntN(8)) / 8
	case 1:
		return .5
	}
	return k.r.Float64()
}

func mix(a, b r3.Vector, t float64) r3.Vector { return a.Mul(1 - t).Add(b.Mul(t)) }

func (k *maker) onEdge() r3.Vector {
	t := k.face()
	i := k.r.IntN(3)
	return mix(t[i], t[(i+1)%3], k.share())
}

func (k *maker) onFace() r3.Vector {
	t := k.face()
	u, v := k.share(), k.share()
	if u+v > 1 {
		u, v = 1-u, 1-v
	}
	return t[0].Mul(1 - u - v).Add(t[1].Mul(u)).Add(t[2].Mul(v))
}

// inPlane returns a point in the plane of a face, up to rounding. The distance of the point from
// the face is about the size of the face or of a cell.
func (k *maker) inPlane() r3.Vector {
	t := k.face()
	u, v := 4*k.r.Float64()-1.5, 4*k.r.Float64()-1.5
	if k.r.IntN(2) == 0 {
		u, v = float64(k.r.IntN(9)-3)/2, float64(k.r.IntN(9)-3)/2
	}
	d, e := t[1].Sub(t[0]), t[2].Sub(t[0])
	if long := max(vec.MaxAbs(d), vec.MaxAbs(e)); long > k.cell && k.r.IntN(2) == 0 {
		// The face is larger than a cell. Choose a point about one cell away from the face.
		d, e = d.Mul(k.cell/long), e.Mul(k.cell/long)
		t[0] = k.pointOf(t, k.r.Float64(), k.r.Float64())
	}
	return t[0].Add(d.Mul(u)).Add(e.Mul(v))
}

// pointOf returns t[0] + u·(t[1]−t[0]) + v·(t[2]−t[0]) for u and v from 0 to 1. If this point lies
// outside of t, pointOf mirrors the point into t.
func (k *maker) pointOf(t mesh.Triangle, u, v float64) r3.Vector {
	if u+v > 1 {
		u, v = 1-u, 1-v
	}
	return t[0].Mul(1 - u - v).Add(t[1].Mul(u)).Add(t[2].Mul(v))
}

// distance returns a random distance from 1e-16 to 1e-3 times the size of the mesh.
func (k *maker) distance() float64 { return k.size * math.Pow(10, -3-13*k.r.Float64()) }

func (k *maker) off(p r3.Vector) r3.Vector {
	d := r3.Vector{X: k.r.NormFloat64(), Y: k.r.NormFloat64(), Z: k.r.NormFloat64()}
	return p.Add(d.Mul(k.distance() / max(vec.MaxAbs(d), 1)))
}

// offNormal chooses a random face and moves a point along the normal of this face. The point is p
// or a random point of the face.
func (k *maker) offNormal(p r3.Vector) r3.Vector {
	t := k.face()
	if k.r.IntN(4) > 0 {
		p = k.pointOf(t, k.r.Float64(), k.r.Float64())
	}
	a, b := t[1].Sub(t[0]), t[2].Sub(t[0])
	la, lb := vec.MaxAbs(a), vec.MaxAbs(b)
	if la == 0 || lb == 0 {
		return k.off(p)
	}
	n := a.Mul(1 / la).Cross(b.Mul(1 / lb)) // scale each edge separately to avoid overflow and underflow
	if l := n.Norm(); l > 0 && l < 2 {
		d := k.distance() / l
		if k.r.IntN(2) == 0 {
			d = -d
		}
		return p.Add(n.Mul(d))
	}
	return k.off(p)
}

// around returns a point in the box or slightly outside of it.
func (k *maker) around() r3.Vector {
	f := func(lo, hi float64) float64 { return lo + (hi-lo)*(1.2*k.r.Float64()-.1) }
	return r3.Vector{X: f(k.box.Min.X, k.box.Max.X), Y: f(k.box.Min.Y, k.box.Max.Y), Z: f(k.box.Min.Z, k.box.Max.Z)}
}

// onBox returns a point near the box. Some coordinates equal a coordinate of the box, up to a few
// ulps, or lie one or two cells outside of the box.
func (k *maker) onBox() r3.Vector {
	p := k.around()
	f := func(c, lo, hi float64) float64 {
		switch k.r.IntN(5) {
		case 0:
			return lo
		case 1:
			return hi
		case 2:
			return lo - k.cell*float64(k.r.IntN(3))
		case 3:
			return hi + k.cell*float64(k.r.IntN(3))
		}
		return c
	}
	return k.nudge(r3.Vector{X: f(p.X, k.box.Min.X, k.box.Max.X), Y: f(p.Y, k.box.Min.Y, k.box.Max.Y), Z: f(p.Z, k.box.Min.Z, k.box.Max.Z)})
}

// mixed returns a point whose coordinates come from different vertices. Such a point often lies in
// planes of faces or on lines through edges.
func (k *maker) mixed() r3.Vector {
	a := k.face()
	b := a
	if k.r.IntN(2) == 0 {
		b = k.face()
	}
	return r3.Vector{X: a[0].X, Y: a[1].Y, Z: b[2].Z}
}

// step returns the edge of a cell of a random level.
func (k *maker) step() float64 { return k.cell / float64(int(1)<<(2*k.r.IntN(4))) }

// inCell moves a corner of a cell. It moves the corner along n axes by a fraction of a cell, and
// along the other axes by whole cells.
func (k *maker) inCell(n int) r3.Vector {
	p := k.corner()
	h := k.step()
	axes := k.r.Perm(3)
	c := [3]float64{p.X, p.Y, p.Z}
	for i, axis := range axes {
		if i < n {
			c[axis] += h * (2*k.r.Float64() - 1)
		} else {
			c[axis] += h * float64(k.r.IntN(5)-2)
		}
	}
	return r3.Vector{X: c[0], Y: c[1], Z: c[2]}
}

// aligned returns a point that has some coordinates of a cell corner and the other coordinates of a
// vertex.
func (k *maker) aligned() r3.Vector {
	a, b := k.corner(), k.face()[k.r.IntN(3)]
	if k.r.IntN(2) == 0 { // replace the corner by the corner closest to the vertex
		a = k.snapped(b, 3)
	}
	m := k.r.IntN(8)
	pick := func(bit int, x, y float64) float64 {
		if m&bit != 0 {
			return y
		}
		return x
	}
	return k.nudge(r3.Vector{X: pick(1, a.X, b.X), Y: pick(2, a.Y, b.Y), Z: pick(4, a.Z, b.Z)})
}

// snapped moves n coordinates of p to the lattice of the corners of cells.
func (k *maker) snapped(p r3.Vector, n int) r3.Vector {
	h, o := k.step(), k.corners[0]
	c, at := [3]float64{p.X, p.Y, p.Z}, [3]float64{o.X, o.Y, o.Z}
	for _, axis := range k.r.Perm(3)[:n] {
		if s := at[axis] + h*math.Round((c[axis]-at[axis])/h); s-s == 0 {
			c[axis] = s
		}
	}
	return r3.Vector{X: c[0], Y: c[1], Z: c[2]}
}

// behind returns a point beyond v on a line through v. The line starts at a corner of a cell or at
// a reference. Up to rounding, v lies on the line.
func (k *maker) behind(v r3.Vector) r3.Vector {
	c := k.snapped(v, 3)
	if refs := k.refs(v); len(refs) > 0 {
		c = refs[k.r.IntN(len(refs))]
	}
	t := [...]float64{1, .5, .25, .125, k.r.Float64()}[k.r.IntN(5)]
	return v.Add(v.Sub(c).Mul(t))
}

// onLattice returns a point of a lattice that divides each edge of the box into 2, 4, …, or 64
// equal parts.
func (k *maker) onLattice() r3.Vector {
	n := 1 << (1 + k.r.IntN(6))
	f := func(lo, hi float64) float64 { return lo + (hi-lo)*(float64(k.r.IntN(n+1))/float64(n)) }
	return r3.Vector{X: f(k.box.Min.X, k.box.Max.X), Y: f(k.box.Min.Y, k.box.Max.Y), Z: f(k.box.Min.Z, k.box.Max.Z)}
}

// onCap returns a point on a cap, up to rounding. If the index has no caps, onCap returns a point
// between a boundary edge and the middle of the box.
func (k *maker) onCap() r3.Vector {
	if len(k.caps) > 0 {
		t := k.caps[k.r.IntN(len(k.caps))]
		return k.nudge(mix(t[0], mix(t[1], t[2], k.share()), k.share()))
	}
	chain := k.mesh.Boundary()
	if len(chain) == 0 {
		return k.around()
	}
	e := chain[k.r.IntN(len(chain))]
	spot := mix(k.mesh.Vertices[e.A], k.mesh.Vertices[e.B], k.share())
	return k.nudge(mix(mix(k.box.Min, k.box.Max, .5), spot, k.share()))
}

// cellCorners returns corners of n crossed cells of x. If x has no crossed cells, it returns points
// of a lattice over the box of m.
func cellCorners(x *cells.Index, m *mesh.Mesh, n int, seed uint64) []r3.Vector {
	if c := x.CellCorners(n, seed); len(c) > 0 {
		return c
	}
	r := newRand(seed)
	h := cellSize(x, m)
	box := m.Box()
	draw := func(lo, hi float64) float64 { return lo + h*math.Floor(r.Float64()*(hi-lo)/h) }
	var out []r3.Vector
	for range n {
		out = append(out, r3.Vector{X: draw(box.Min.X, box.Max.X), Y: draw(box.Min.Y, box.Max.Y), Z: draw(box.Min.Z, box.Max.Z)})
	}
	return out
}

// cellSize returns the edge of a level-0 cell of x. If x has no cells, it returns a sixteenth of
// the longest edge of the box of m.
func cellSize(x *cells.Index, m *mesh.Mesh) float64 {
	if h := x.Shape().Cell; h > 0 {
		return h
	}
	size := m.Box().Size()
	if h := max(size.X, size.Y, size.Z) / 16; h > 0 {
		return h
	}
	return 1
}
