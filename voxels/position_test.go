package voxels

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// rat is a point with rational coordinates.
type rat [3]*big.Rat

func newRat(v r3.Vector) (p rat) {
	for k, x := range components(v) {
		p[k] = new(big.Rat).SetFloat64(x)
	}
	return p
}

func (p rat) minus(q rat) (d rat) {
	for k := range d {
		d[k] = new(big.Rat).Sub(p[k], q[k])
	}
	return d
}

func (p rat) dot(q rat) *big.Rat {
	sum := new(big.Rat)
	for k := range p {
		sum.Add(sum, new(big.Rat).Mul(p[k], q[k]))
	}
	return sum
}

func (p rat) cross(q rat) (n rat) {
	for k := range n {
		i, j := (k+1)%3, (k+2)%3
		n[k] = new(big.Rat).Sub(new(big.Rat).Mul(p[i], q[j]), new(big.Rat).Mul(p[j], q[i]))
	}
	return n
}

// clip returns the part of a convex polygon where height is not negative. height must be linear. A
// polygon can be a segment or a point.
func clip(polygon []rat, height func(rat) *big.Rat) (out []rat) {
	for i, p := range polygon {
		q := polygon[(i+1)%len(polygon)]
		hp, hq := height(p), height(q)
		if hp.Sign() >= 0 {
			out = append(out, p)
		}
		if hp.Sign()*hq.Sign() < 0 {
			t := new(big.Rat).Quo(hp, new(big.Rat).Sub(hp, hq))
			d := q.minus(p)
			for k := range d {
				d[k].Add(d[k].Mul(d[k], t), p[k])
			}
			out = append(out, d)
		}
	}
	return out
}

// boxMeets clips a triangle by the sides of a box in rational numbers.
func boxMeets(t mesh.Triangle, box bvh.Box) bool {
	return polygonMeets([]rat{newRat(t[0]), newRat(t[1]), newRat(t[2])}, box)
}

// polygonMeets clips a polygon by the sides of a box.
func polygonMeets(polygon []rat, box bvh.Box) bool {
	lo, hi := newRat(box.Min), newRat(box.Max)
	for axis := range lo {
		polygon = clip(polygon, func(p rat) *big.Rat { return new(big.Rat).Sub(p[axis], lo[axis]) })
		polygon = clip(polygon, func(p rat) *big.Rat { return new(big.Rat).Sub(hi[axis], p[axis]) })
	}
	return len(polygon) > 0
}

// hullMeets clips a triangle by all tetrahedra of four corners. They cover the hull. ok is false if the
// corners are in a plane.
func hullMeets(t mesh.Triangle, corners [8]r3.Vector) (meets, ok bool) {
	return polygonMeetsHull([]rat{newRat(t[0]), newRat(t[1]), newRat(t[2])}, corners)
}

func polygonMeetsHull(triangle []rat, corners [8]r3.Vector) (meets, ok bool) {
	var v [8]rat
	for i := range v {
		v[i] = newRat(corners[i])
	}
	for set := range 1 << 8 {
		var four []rat
		for i := range v {
			if set>>i&1 == 1 {
				four = append(four, v[i])
			}
		}
		if len(four) != 4 {
			continue
		}
		polygon, flat := triangle, false
		for i, top := range four {
			a, b, c := four[(i+1)%4], four[(i+2)%4], four[(i+3)%4]
			n := b.minus(a).cross(c.minus(a))
			h := top.minus(a).dot(n)
			if flat = h.Sign() == 0; flat {
				break
			}
			polygon = clip(polygon, func(p rat) *big.Rat {
				x := p.minus(a).dot(n)
				if h.Sign() < 0 {
					x.Neg(x)
				}
				return x
			})
		}
		if flat {
			continue
		}
		ok = true
		if len(polygon) > 0 {
			return true, true
		}
	}
	return false, ok
}

// twinPosition returns the position of a body in the box, by brute force. For an open mesh, it returns
// Unknown if no face meets the body.
func twinPosition(m *mesh.Mesh, rule inpoly.Rule, box bvh.Box, p r3.Vector, meets func(t mesh.Triangle) bool) Position {
	for f := range int32(m.NumFaces()) {
		t := m.Triangle(f)
		if (bvh.EmptyBox()).Add(t[0]).Add(t[1]).Add(t[2]).Overlaps(box) && meets(t) {
			return Straddling
		}
	}
	if !m.Closed() {
		return Unknown
	}
	w, crossings, on := referee.Judge(m.Vertices, m.Faces, p)
	if on {
		return Straddling
	}
	return Position(rule.Apply(int64(w), uint64(crossings)))
}

// hardBoxes returns boxes that touch corners, edges and faces of m from outside, flat boxes, boxes
// around the mesh, and random boxes of all sizes.
func hardBoxes(m *mesh.Mesh, n int, r *rand.Rand) (boxes []bvh.Box) {
	box := m.Box()
	size := box.Size()
	inBox := func() r3.Vector {
		return r3.Vector{X: box.Min.X + size.X*(1.2*r.Float64()-.1), Y: box.Min.Y + size.Y*(1.2*r.Float64()-.1), Z: box.Min.Z + size.Z*(1.2*r.Float64()-.1)}
	}
	between := func(p, q r3.Vector) {
		boxes = append(boxes, bvh.EmptyBox().Add(p).Add(q))
	}
	boxes = append(boxes, box, bvh.Box{Min: box.Min.Sub(size), Max: box.Max.Add(size)}, bvh.Box{Min: box.Max, Max: box.Max.Add(size)})
	for range n {
		p := inBox()
		scale := math.Pow(10, -4*r.Float64())
		d := r3.Vector{X: size.X * scale * r.Float64(), Y: size.Y * scale * r.Float64(), Z: size.Z * scale * r.Float64()}
		between(p, p.Add(d))
	}
	for range n {
		t := m.Triangle(r.Int32N(int32(m.NumFaces())))
		a, b := t[r.IntN(3)], t[r.IntN(3)]
		on := [...]r3.Vector{a, a.Add(b).Mul(.5), t[0].Add(t[1]).Add(t[2]).Mul(1. / 3), a}[r.IntN(4)]
		d := inBox().Sub(on).Mul(math.Pow(10, -6*r.Float64()))
		switch r.IntN(8) {
		case 0: // a side of the box contains an axis-parallel part of the triangle
			d = [...]r3.Vector{{X: d.X}, {Y: d.Y}, {Z: d.Z}}[r.IntN(3)]
			between(on.Add(d), a)
		case 1:
			between(a, b)
		case 2:
			between(on, on)
		case 3: // just beside the point
			away := func(x float64, d float64) float64 { return math.Nextafter(x, x+d) }
			q := r3.Vector{X: away(on.X, d.X), Y: away(on.Y, d.Y), Z: away(on.Z, d.Z)}
			between(q, on.Add(d))
		default:
			between(on, on.Add(d))
		}
	}
	return boxes
}

// checkBoxes compares BoxesTo with the twin. It returns the number of boxes with each position.
func checkBoxes(t *testing.T, name string, s *inpoly.Solid, boxes []bvh.Box) (counts [4]int) {
	t.Helper()
	got := make([]Position, len(boxes))
	if err := BoxesTo(t.Context(), s, got, boxes); err != nil {
		t.Fatal(err)
	}
	for i, box := range boxes {
		want := twinPosition(s.Mesh(), s.Report().Rule, box, box.Min, func(f mesh.Triangle) bool { return boxMeets(f, box) })
		counts[got[i]]++
		if got[i] == want {
			continue
		}
		if want != Unknown {
			t.Fatalf("%s: box %v is %v, want %v", name, box, got[i], want)
		}
		checkSides(t, name, s, box, got[i])
	}
	return counts
}

// checkSides checks that corners of a box have the side of its position.
func checkSides(t *testing.T, name string, s *inpoly.Solid, box bvh.Box, is Position) {
	t.Helper()
	if is != Inside && is != Outside {
		t.Fatalf("%s: box %v is %v, but no face meets it", name, box, is)
	}
	for c := range 8 {
		p := box.Min
		if c&1 != 0 {
			p.X = box.Max.X
		}
		if c&2 != 0 {
			p.Y = box.Max.Y
		}
		if c&4 != 0 {
			p.Z = box.Max.Z
		}
		if got := locate.Of(s).Exact.Side(p); Position(got) != is {
			t.Fatalf("%s: box %v is %v, but the corner %v is %v", name, box, is, p, got)
		}
	}
}

func boxRounds(few, full int) int {
	if testcorpus.Full() {
		return full
	}
	return few
}

func TestBoxesCatalog(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	var counts [4]int
	for i, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		if m.NumFaces() == 0 {
			continue
		}
		n := max(2, min(30, boxRounds(4000, 400_000)/m.NumFaces()))
		boxes := hardBoxes(m, n, r)
		for _, p := range c.Probes {
			boxes = append(boxes, bvh.Box{Min: p.Point, Max: p.Point})
		}
		opt := inpoly.Options{Method: []inpoly.Method{inpoly.Cells, inpoly.RayCrossing, inpoly.Auto}[i%3], Rule: inpoly.Rule(i % 4), Orient: inpoly.OrientNever, Tolerance: float64(i%2) * .1}
		for _, method := range []inpoly.Method{inpoly.Cells, opt.Method} {
			opt.Method = method
			for k, n := range checkBoxes(t, c.Name, newSolid(t, m, opt), boxes) {
				counts[k] += n
			}
		}
	}
	if min(counts[Outside], counts[Straddling], counts[Inside], counts[Unknown]) < 20 {
		t.Errorf("positions %v: the test covers too little", counts)
	}
}

// The solids of this test have many cells, some of them refined, and open cells.
func TestBoxesOfSolids(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	for _, c := range solids(t) {
		boxes := hardBoxes(c.mesh, boxRounds(60, 3000), r)
		for _, opt := range []inpoly.Options{{Method: inpoly.Cells, ExpectedPoints: 1 << 20}, {Method: inpoly.RayCrossing, Rule: inpoly.EvenOdd}, {Method: inpoly.Cells, Rule: inpoly.EvenOdd}} {
			counts := checkBoxes(t, c.name, newSolid(t, c.mesh, opt), boxes)
			if decided := counts[Inside] + counts[Outside]; decided == 0 || counts[Straddling] == 0 || c.closed && counts[Unknown] > 0 {
				t.Errorf("%s, %+v: positions %v: the test covers too little", c.name, opt, counts)
			}
		}
	}
}

// TestBoxesCorpus compares boxes of real meshes with the twin.
func TestBoxesCorpus(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	r := rand.New(rand.NewPCG(45, 46))
	meshes, limit := 0, boxRounds(3, 60)
	var counts [4]int
	for _, i := range r.Perm(len(rows)) {
		row := rows[i]
		if n, err := strconv.Atoi(row["triangles"]); err != nil || n < 100 || n > boxRounds(5000, 200_000) || meshes == limit {
			continue
		}
		s, err := inpoly.Open(t.Context(), filepath.Join(dir, row["path"]), inpoly.Options{Method: inpoly.Cells, ExpectedPoints: 1 << 20})
		if err != nil {
			continue // other tests check which files can be loaded
		}
		meshes++
		n := boxRounds(30, max(60, min(2000, 10_000_000/s.Mesh().NumFaces())))
		for k, n := range checkBoxes(t, row["path"], s, hardBoxes(s.Mesh(), n, r)) {
			counts[k] += n
		}
	}
	t.Logf("%d meshes, positions %v (uncertain, outside, straddling, inside)", meshes, counts)
	if meshes < limit {
		t.Errorf("%d meshes, want %d", meshes, limit)
	}
}

// hardHexahedra returns hexahedra of all shapes near m: turned and skewed boxes, boxes with rounded or
// arbitrary corners, corners of faces, and flat hulls.
func hardHexahedra(m *mesh.Mesh, n int, r *rand.Rand) (all [][8]r3.Vector) {
	for _, box := range hardBoxes(m, n, r)[3:] {
		var h [8]r3.Vector
		x, y, z := r3.Vector{X: box.Max.X - box.Min.X}, r3.Vector{Y: box.Max.Y - box.Min.Y}, r3.Vector{Z: box.Max.Z - box.Min.Z}
		kind := r.IntN(6)
		if kind >= 2 { // skewed
			x, y = x.Add(y.Mul(r.Float64())), y.Add(z.Mul(r.Float64())).Sub(x.Mul(r.Float64()))
		}
		if kind == 3 {
			z = y.Sub(x)
		}
		for i := range h {
			h[i] = box.Min.Add(x.Mul(float64(i & 1))).Add(y.Mul(float64(i >> 1 & 1))).Add(z.Mul(float64(i >> 2)))
			if kind == 4 {
				h[i] = h[i].Add(x.Mul(.3 * r.Float64()))
			}
			if kind == 5 && r.IntN(4) == 0 {
				h[i] = m.Vertices[r.IntN(len(m.Vertices))]
			}
		}
		r.Shuffle(8, func(i, j int) { h[i], h[j] = h[j], h[i] })
		all = append(all, h)
	}
	return all
}

func TestHexahedra(t *testing.T) {
	r := rand.New(rand.NewPCG(47, 48))
	var counts [4]int
	var boxes, flat int
	for i, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		if m.NumFaces() == 0 || m.NumFaces() > boxRounds(100, 3000) {
			continue
		}
		s := newSolid(t, m, inpoly.Options{Method: []inpoly.Method{inpoly.Cells, inpoly.RayCrossing}[i%2], Orient: inpoly.OrientNever})
		hexahedra := hardHexahedra(m, boxRounds(2, 40), r)
		got := make([]Position, len(hexahedra))
		if err := HexahedraTo(t.Context(), s, got, hexahedra); err != nil {
			t.Fatal(err)
		}
		for i, h := range hexahedra {
			box := bvh.EmptyBox()
			for _, v := range h {
				box = box.Add(v)
			}
			full := true
			want := twinPosition(m, inpoly.NonZero, box, h[0], func(f mesh.Triangle) bool {
				meets, ok := hullMeets(f, h)
				full = full && ok
				return meets
			})
			counts[got[i]]++
			if !full { // TestFlatHexahedra compares these
				flat++
				continue
			}
			if got[i] != want && (want != Unknown || got[i] == Straddling) {
				t.Fatalf("%s: hexahedron %v is %v, want %v", c.Name, h, got[i], want)
			}
			corners := [8]r3.Vector{}
			for k := range corners {
				corners[k] = box.Min
				if k&1 != 0 {
					corners[k].X = box.Max.X
				}
				if k&2 != 0 {
					corners[k].Y = box.Max.Y
				}
				if k&4 != 0 {
					corners[k].Z = box.Max.Z
				}
			}
			// The hexahedron of the corners of a box has the position of the box.
			var asBox, asHull [1]Position
			if err := errors.Join(BoxesTo(t.Context(), s, asBox[:], []bvh.Box{box}), HexahedraTo(t.Context(), s, asHull[:], [][8]r3.Vector{corners})); err != nil {
				t.Fatal(err)
			}
			if boxes++; asBox != asHull && m.Closed() {
				t.Fatalf("%s: box %v is %v, as a hexahedron %v", c.Name, box, asBox, asHull)
			}
		}
	}
	t.Logf("positions %v, %d flat", counts, flat)
	if min(counts[Outside], counts[Straddling], counts[Inside]) < 10 || boxes < 20 {
		t.Errorf("positions %v: the test covers too little", counts)
	}
}

// A flat hexahedron in a side plane, or in a plane across the cube, has the position of the box with the
// same corners.
func TestFlatHexahedra(t *testing.T) {
	s := newSolid(t, testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{})
	r := rand.New(rand.NewPCG(49, 50))
	values := []float64{-.5, 0, .25, .5, .75, 1, 1.5}
	pick := func() float64 { return values[r.IntN(len(values))] }
	var boxes []bvh.Box
	var hexahedra [][8]r3.Vector
	for range 2000 {
		p, q := r3.Vector{X: pick(), Y: pick(), Z: pick()}, r3.Vector{X: pick(), Y: pick(), Z: pick()}
		switch r.IntN(3) {
		case 0:
			q.Z = p.Z
		case 1:
			q.Y, q.Z = p.Y, p.Z
		default:
			q.X = p.X
		}
		var h [8]r3.Vector
		for i := range h {
			h[i] = p
			if i&1 != 0 {
				h[i].X = q.X
			}
			if i&2 != 0 {
				h[i].Y = q.Y
			}
			if i&4 != 0 {
				h[i].Z = q.Z
			}
		}
		boxes, hexahedra = append(boxes, bvh.EmptyBox().Add(p).Add(q)), append(hexahedra, h)
	}
	want, got := make([]Position, len(boxes)), make([]Position, len(boxes))
	if err := errors.Join(BoxesTo(t.Context(), s, want, boxes), HexahedraTo(t.Context(), s, got, hexahedra)); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%v: %v as a hexahedron, %v as a box", boxes[i], got[i], want[i])
		}
	}
}

func TestBoxesBadInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	boxes := []bvh.Box{
		bvh.EmptyBox(), {Min: r3.Vector{X: nan}, Max: r3.Vector{X: 1}}, {Max: r3.Vector{Y: inf}}, {Min: r3.Vector{Z: -inf}},
		{Min: r3.Vector{X: 1}}, {Min: r3.Vector{X: -1e308, Y: -1e308, Z: -1e308}, Max: r3.Vector{X: 1e308, Y: 1e308, Z: 1e308}},
		{Min: r3.Vector{X: 5e-324, Y: 5e-324, Z: 5e-324}, Max: r3.Vector{X: 1e-320, Y: 1e-320, Z: 1e-320}},
	}
	want := []Position{Unknown, Unknown, Unknown, Unknown, Unknown, Straddling, Inside}
	for _, method := range inpoly.Methods() {
		s := newSolid(t, testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{Method: method})
		got := make([]Position, len(boxes))
		if err := BoxesTo(t.Context(), s, got, boxes); err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%v: %v is %v, want %v", method, boxes[i], got[i], want[i])
			}
		}
	}
	s := newSolid(t, testmesh.Mesh(mesh.Soup{}), inpoly.Options{})
	got := []Position{Inside}
	if err := BoxesTo(t.Context(), s, got, boxes[5:6]); err != nil || got[0] != Outside {
		t.Errorf("without faces: %v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got[0] = Inside
	if err := BoxesTo(ctx, s, got, boxes[5:6]); !errors.Is(err, context.Canceled) || got[0] != Unknown {
		t.Errorf("after the end of the context: %v, %v", got, err)
	}
}

// The positions do not depend on the number of workers or on the division into calls.
func TestBoxesWorkers(t *testing.T) {
	m := testmesh.Sphere(4)
	boxes := hardBoxes(m, 2000, rand.New(rand.NewPCG(51, 52)))
	var first []Position
	for _, workers := range []int{1, 3} {
		s := newSolid(t, m, inpoly.Options{Workers: workers})
		got := make([]Position, len(boxes))
		half := len(boxes) / 2
		if err := errors.Join(BoxesTo(t.Context(), s, got[:half], boxes[:half]), BoxesTo(t.Context(), s, got[half:], boxes[half:])); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		for i := range got {
			if got[i] != first[i] {
				t.Fatalf("%v: %v with one worker, %v with %d", boxes[i], first[i], got[i], workers)
			}
		}
	}
}
