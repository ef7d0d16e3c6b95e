package voxels

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// moved returns the exact point of the world at a vertex, by the matrix of the quaternion in rational numbers.
func moved(p pose.Pose, v r3.Vector) rat {
	number := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	w, x, y, z := number(p.Rotation.Real), number(p.Rotation.Imag), number(p.Rotation.Jmag), number(p.Rotation.Kmag)
	times := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	sum := func(first *big.Rat, rest ...*big.Rat) *big.Rat {
		s := new(big.Rat).Set(first)
		for _, r := range rest {
			s.Add(s, r)
		}
		return s
	}
	minus := func(a *big.Rat) *big.Rat { return new(big.Rat).Neg(a) }
	twice := func(a *big.Rat) *big.Rat { return sum(a, a) }
	ww, xx, yy, zz := times(w, w), times(x, x), times(y, y), times(z, z)
	m := [3][3]*big.Rat{
		{sum(ww, xx, minus(yy), minus(zz)), twice(sum(times(x, y), minus(times(w, z)))), twice(sum(times(x, z), times(w, y)))},
		{twice(sum(times(x, y), times(w, z))), sum(ww, yy, minus(xx), minus(zz)), twice(sum(times(y, z), minus(times(w, x))))},
		{twice(sum(times(x, z), minus(times(w, y)))), twice(sum(times(y, z), times(w, x))), sum(ww, zz, minus(xx), minus(yy))},
	}
	norm, at := sum(ww, xx, yy, zz), newRat(v)
	var out rat
	for k, t := range components(p.Translation) {
		s := sum(times(m[k][0], at[0]), times(m[k][1], at[1]), times(m[k][2], at[2]))
		out[k] = s.Add(s.Quo(s, norm), number(t))
	}
	return out
}

// testPoses are poses that round nothing, and any others, also far away.
func testPoses() []pose.Pose {
	any := quat.Number{Real: 0.9, Imag: 0.1, Jmag: 0.3, Kmag: math.Sqrt(1 - 0.81 - 0.01 - 0.09)}
	return []pose.Pose{
		{Rotation: quat.Number{Real: 0.5, Imag: 0.5, Jmag: 0.5, Kmag: 0.5}, Translation: r3.Vector{X: 3, Y: -2, Z: 5}},
		{Rotation: quat.Number{Real: 0.6, Kmag: 0.8}},
		{Rotation: any, Translation: r3.Vector{X: 0.1, Y: -0.2, Z: 1. / 3}},
		{Rotation: any, Translation: r3.Vector{X: 1e6, Y: -3e5, Z: 1e5 / 3}},
	}
}

// worldBoxes returns boxes near the moved mesh: those of hardBoxes around the rounded moved vertices.
func worldBoxes(t *testing.T, m *mesh.Mesh, p pose.Pose, n int, r *rand.Rand) []bvh.Box {
	t.Helper()
	rounded := testmesh.Mesh(testmesh.Move(testmesh.Soup(m), p.Apply))
	if rounded.NumFaces() == 0 {
		return nil
	}
	return hardBoxes(rounded, n, r)
}

// Positions of boxes and hexahedra at poses are those relative to the exactly moved mesh.
func TestPosedPositions(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	var counts [4]int
	for i, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		if m.NumFaces() == 0 || m.NumFaces() > boxRounds(300, 3000) || m.Box().Max.Norm() > 1e100 {
			continue
		}
		p := testPoses()[i%4]
		opt := inpoly.Options{Method: []inpoly.Method{inpoly.Cells, inpoly.RayCrossing, inpoly.Auto}[i%3], Rule: inpoly.Rule(i / 4 % 4), Orient: inpoly.OrientNever}
		s := newSolid(t, m, opt)
		at, err := s.At(p)
		if err != nil {
			t.Fatal(err)
		}
		faces, near := make([][]rat, m.NumFaces()), make([]bvh.Box, m.NumFaces())
		for f := range faces {
			near[f] = bvh.EmptyBox()
			for _, v := range m.Triangle(int32(f)) {
				faces[f] = append(faces[f], moved(p, v))
				near[f] = near[f].Add(p.Apply(v))
			}
			pad := 1e-9 * (near[f].Size().Norm() + near[f].Min.Norm()) // for the rounding of Apply
			near[f] = bvh.Box{Min: near[f].Min.Sub(r3.Vector{X: pad, Y: pad, Z: pad}), Max: near[f].Max.Add(r3.Vector{X: pad, Y: pad, Z: pad})}
		}
		boxes := worldBoxes(t, m, p, max(2, boxRounds(150, 20_000)/m.NumFaces()), r)
		var hulls [][8]r3.Vector
		if len(boxes) > 0 {
			rounded := testmesh.Mesh(testmesh.Move(testmesh.Soup(m), p.Apply))
			hulls = hardHexahedra(rounded, max(2, boxRounds(60, 4000)/m.NumFaces()), r)
		}
		got, gotHulls := make([]Position, len(boxes)), make([]Position, len(hulls))
		if err := BoxesTo(t.Context(), at, got, boxes); err != nil {
			t.Fatal(err)
		}
		if err := HexahedraTo(t.Context(), at, gotHulls, hulls); err != nil {
			t.Fatal(err)
		}
		check := func(is Position, point r3.Vector, box bvh.Box, meets func(polygon []rat) bool, what any) {
			t.Helper()
			counts[is]++
			want := at.Side(point)
			for i, f := range faces {
				if want != inpoly.OnSurface && near[i].Overlaps(box) && meets(f) {
					want = inpoly.OnSurface
				}
			}
			if is != Position(want) && (want == inpoly.OnSurface || is != Unknown || m.Closed()) {
				t.Errorf("%s at %v: %v is %v, want %v", c.Name, p, what, is, Position(want))
			}
		}
		for k, b := range boxes {
			check(got[k], b.Min, b, func(f []rat) bool { return polygonMeets(f, b) }, b)
		}
		for k, h := range hulls {
			if _, solid := polygonMeetsHull(faces[0], h); solid {
				box := bvh.EmptyBox()
				for _, v := range h {
					box = box.Add(v)
				}
				check(gotHulls[k], h[0], box, func(f []rat) bool { meets, _ := polygonMeetsHull(f, h); return meets }, h)
			}
		}
	}
	if min(counts[Outside], counts[Straddling], counts[Inside]) < 20 || counts[Unknown] == 0 {
		t.Errorf("positions %v: the test covers too little", counts)
	}
}

// Where the pose exchanges axes and rounds nothing, positions equal those relative to the moved mesh, also of flat hexahedra.
func TestPosedPositionsOfMovedMesh(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 54))
	p := testPoses()[0]
	onGrid := func(v r3.Vector) r3.Vector {
		return r3.Vector{X: math.Round(v.X * 1024), Y: math.Round(v.Y * 1024), Z: math.Round(v.Z * 1024)}.Mul(1.0 / 1024)
	}
	for _, c := range solids(t) {
		soup := testmesh.Move(testmesh.Soup(c.mesh), onGrid)
		other := testmesh.Mesh(testmesh.Move(soup, func(v r3.Vector) r3.Vector { return r3.Vector{X: v.Z, Y: v.X, Z: v.Y}.Add(p.Translation) }))
		s, to := newSolid(t, testmesh.Mesh(soup), inpoly.Options{}), newSolid(t, other, inpoly.Options{})
		at, err := s.At(p)
		if err != nil {
			t.Fatal(err)
		}
		boxes := hardBoxes(other, boxRounds(60, 2000), r)
		hulls := hardHexahedra(other, boxRounds(60, 2000), r)
		for i := range hulls {
			if i%3 == 0 { // flat
				for k := range hulls[i] {
					hulls[i][k].Z = hulls[i][0].Z
				}
			}
		}
		got, want := make([]Position, len(boxes)+len(hulls)), make([]Position, len(boxes)+len(hulls))
		for target, dst := range map[inpoly.Target][]Position{at: got, to: want} {
			if err := BoxesTo(t.Context(), target, dst[:len(boxes)], boxes); err != nil {
				t.Fatal(err)
			}
			if err := HexahedraTo(t.Context(), target, dst[len(boxes):], hulls); err != nil {
				t.Fatal(err)
			}
		}
		for i := range got {
			// On an open mesh, the two meshes can have different cells, which prove different boxes.
			if got[i] != want[i] && (c.closed || got[i] != Unknown && want[i] != Unknown) {
				t.Errorf("%s: body %d is %v, want %v", c.name, i, got[i], want[i])
			}
		}
	}
}

// Signs are exact if products overflow or underflow, also in the bounds of the filter.
func TestPosedSignsOfExtremes(t *testing.T) {
	r := rand.New(rand.NewPCG(57, 58))
	for _, p := range testPoses() {
		s := newSolid(t, testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{})
		at, err := s.At(p)
		if err != nil {
			t.Fatal(err)
		}
		place := locate.Of(at).Place
		for range boxRounds(800, 100_000) {
			e := [3]int{r.IntN(2000) - 1000, r.IntN(2000) - 1000, r.IntN(2000) - 1000}
			kind := r.IntN(3)
			if kind == 1 { // products of two that underflow
				e = [3]int{300, r.IntN(8) - 541, r.IntN(8) - 541}
			}
			vector := func(e int) r3.Vector {
				return r3.Vector{X: math.Ldexp(r.NormFloat64(), e), Y: math.Ldexp(r.NormFloat64(), e), Z: math.Ldexp(r.NormFloat64(), e)}
			}
			v := [3]r3.Vector{vector(e[0]), vector(e[1]), vector(e[2])}
			if kind == 2 { // the largest of three products overflows, and the sum can have the other sign
				v = [3]r3.Vector{vector(0), vector(341), vector(341)}
				c := v[1].Cross(v[2])
				most := max(math.Abs(v[0].X*c.X), math.Abs(v[0].Y*c.Y), math.Abs(v[0].Z*c.Z))
				v[0] = v[0].Mul(math.MaxFloat64 / most * (1 + r.Float64()/4))
			}
			h := newPosedHull(place, func(int) ([8]r3.Vector, bool) { return [8]r3.Vector{v[0], v[1], v[2]}, true })
			h.set(0)
			for i := range vertices {
				h.points[vertices[i]] = posedPoint{near: v[i], from: v[i]}
			}
			for _, n := range [][4]int{{0, 1, 2, 3}, {vertices[0], vertices[1], vertices[2], 3}} {
				d := h.precise(n[3])
				want := h.precise(n[0]).Sub(d).Dot(h.precise(n[1]).Sub(d).Cross(h.precise(n[2]).Sub(d))).Sign()
				if got := h.sign(n[0], n[1], n[2], n[3]); got != want {
					t.Fatalf("%v: sign %d of the points %v of %v, want %d", p, got, n, v, want)
				}
			}
		}
		var boxes []bvh.Box // around the mesh, with sides whose products are near the limit
		for range boxRounds(500, 20_000) {
			side := func() float64 { return math.Ldexp(1+r.Float64(), 336+r.IntN(8)) }
			boxes = append(boxes, bvh.Box{Min: r3.Vector{X: -side(), Y: -side(), Z: -side()}, Max: r3.Vector{X: side(), Y: side(), Z: side()}})
		}
		got := make([]Position, len(boxes))
		if err := BoxesTo(t.Context(), at, got, boxes); err != nil {
			t.Fatal(err)
		}
		for i, is := range got {
			if is != Straddling {
				t.Fatalf("%v: the box %v around the mesh is %v", p, boxes[i], is)
			}
		}
	}
}
