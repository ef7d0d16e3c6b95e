package layer

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// quarterTurn returns a rotation that maps axes to axes.
func quarterTurn(rng *rand.Rand) [3]r3.Vector {
	r := rotation(r3.Vector{X: 1}, 0)
	for range rng.IntN(6) {
		switch rng.IntN(2) {
		case 0:
			r = [3]r3.Vector{r[1], r[0].Mul(-1), r[2]}
		default:
			r = [3]r3.Vector{r[2], r[1], r[0].Mul(-1)}
		}
	}
	return r
}

// inBisector reports whether a face of a lies in a plane that has the same distance to two faces of b, where the
// law has no gradient.
func inBisector(a, b *Convex, p *Place) bool {
	for i := range a.planes {
		f := a.planes[i].at(p)
		for g := range b.planes {
			for h := range b.planes[:g] {
				d := b.planes[g].normal.Sub(b.planes[h].normal)
				offset := b.planes[g].offset - b.planes[h].offset
				size := d.Norm()
				for _, sign := range []float64{1, -1} {
					if size > 1e-9 && d.Mul(sign/size).Sub(f.normal).Norm() < 1e-9 && math.Abs(sign*offset/size-f.offset) < 1e-9 {
						return true
					}
				}
			}
		}
	}
	return false
}

// TestAlignedPlaces compares forces with derivatives of the energy for boxes whose faces are parallel, in one plane,
// or in the planes of the bisectors of edges, and with the sum without pruning.
func TestAlignedPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 3))
	list := []*Convex{convexOf(t, boxSoup(1, 1, 1, 1)), convexOf(t, boxSoup(2, 1, .5, 1)), convexOf(t, boxSoup(1, .25, .25, 2))}
	n, found, exceptions := 600, 0, 0
	if full {
		n = 10000
	}
	var s, all Scratch
	all.everything = true
	for found < n {
		a, b := list[rng.IntN(len(list))], list[rng.IntN(len(list))]
		p := Place{Rotation: quarterTurn(rng)}
		if rng.IntN(3) == 0 { // by 45° about an axis
			p = moved(p, r3.Vector{}, r3.Vector{Z: math.Pi / 4})
		}
		eighths := func() float64 { return float64(rng.IntN(13)-6) / 8 }
		p.Shift = r3.Vector{X: eighths(), Y: eighths(), Z: eighths()}
		got, want := pairTotal(&s, a, b, p), pairTotal(&all, a, b, p)
		if math.Abs(got.energy-want.energy) > 1e-12*want.energy || got.force.Sub(want.force).Norm() > 1e-12*want.size {
			t.Fatalf("%v: energy %v and force %v, without pruning %v and %v", p, got.energy, got.force, want.energy, want.force)
		}
		if got.energy == 0 {
			continue
		}
		q := inverse(p)
		if inBisector(a, b, &p) || inBisector(b, a, &q) {
			exceptions++
			continue
		}
		found++
		f, m := gradient(func(shift, turn r3.Vector) float64 { return pairTotal(&s, a, b, moved(p, shift, turn)).energy }, 1e-6)
		if e := max(f.Sub(got.force).Norm(), m.Sub(got.moment).Norm()) / got.size; e > 1e-5 {
			t.Errorf("%v: force %v and moment %v, want %v and %v: off by %.2g", p, got.force, got.moment, f, m, e)
		}
	}
	t.Logf("%d places; in %d more, a face lies in the plane of a bisector", found, exceptions)
}

// TestTiling compares a cube with the same cube of more triangles, and with the triangles of an uneven mesh as tiles.
func TestTiling(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 4))
	soup := boxSoup(1, 1, 1, 3)
	a, b, fine := convexOf(t, boxSoup(1, 1, 1, 1)), convexOf(t, hullSoup(rng, 20, .7, .7, .7)), convexOf(t, soup)
	if a.Len() != fine.Len() || a.Planes() != 6 || fine.Planes() != 6 {
		t.Errorf("%d and %d tiles, %d and %d faces", a.Len(), fine.Len(), a.Planes(), fine.Planes())
	}
	whole := *a
	whole.Surface = Surface{}
	for _, f := range soup.Faces {
		whole.add([]r3.Vector{soup.Vertices[f[0]], soup.Vertices[f[1]], soup.Vertices[f[2]]})
	}
	var s Scratch
	for range 300 {
		p := randomPlace(rng, a, b)
		want := pairTotal(&s, a, b, p)
		for _, other := range []*Convex{fine, &whole} {
			got := pairTotal(&s, other, b, p)
			if math.Abs(got.energy-want.energy) > 1e-12*want.energy || got.force.Sub(want.force).Norm() > 1e-12*want.size || got.moment.Sub(want.moment).Norm() > 1e-12*want.size {
				t.Errorf("%v: energy %v, force %v, moment %v, want %v, %v, %v", p, got.energy, got.force, got.moment, want.energy, want.force, want.moment)
			}
		}
	}
}

// TestOneSided compares the forces of a surface that is not convex, and of a large tile, with derivatives of the energy and
// with the sum over triangles.
func TestOneSided(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 5))
	dented := boxSoup(1, 1, 1, 4)
	for i, v := range dented.Vertices {
		dented.Vertices[i] = v.Mul(.8 + .4*math.Abs(v.X*v.Y)).Add(r3.Vector{Z: .1 * math.Sin(9*v.X)})
	}
	large := boxSoup(20, 20, 3, 1)
	convex := []*Convex{convexOf(t, boxSoup(.6, .5, .4, 1)), convexOf(t, hullSoup(rng, 16, .4, .5, .3))}
	var s, all Scratch
	all.everything = true
	touching := 0
	for k := range 400 {
		soup := dented
		if k%2 == 1 {
			soup = large
		}
		a, err := NewSurface(t.Context(), newMesh(t, soup), r3.Vector{})
		if err != nil {
			t.Fatal(err)
		}
		b := convex[rng.IntN(2)]
		p := Place{Rotation: rotation(direction(rng), 6*rng.Float64())}
		near := soup.Vertices[rng.IntN(len(soup.Vertices))]
		if k%2 == 1 {
			near = r3.Vector{X: 8*rng.Float64() - 4, Y: 8*rng.Float64() - 4, Z: 1.5}
		}
		p.Shift = p.turn(near).Mul(-1).Add(direction(rng).Mul(.3))
		sum := func(s *Scratch, p Place) (t total) {
			t.add(s.OneSided(nil, a, b, &p), 1)
			return t
		}
		got, unpruned := sum(&s, p), sum(&all, p)
		want := naive(soup, b.planes, p, .5)
		if math.Abs(got.energy-want) > 1e-9*want || math.Abs(got.energy-unpruned.energy) > 1e-12*want || got.force.Sub(unpruned.force).Norm() > 1e-12*unpruned.size {
			t.Fatalf("%v: energy %v, without pruning %v, of triangles %v", p, got.energy, unpruned.energy, want)
		}
		if got.energy == 0 {
			continue
		}
		touching++
		f, m := gradient(func(shift, turn r3.Vector) float64 { return sum(&s, moved(p, shift, turn)).energy }, 1e-5)
		if e := max(f.Sub(got.force).Norm(), m.Sub(got.moment).Norm()/10) / got.size; e > 1e-5 {
			t.Errorf("%v: force %v and moment %v, want %v and %v: off by %.2g", p, got.force, got.moment, f, m, e)
		}
	}
	if touching < 200 {
		t.Errorf("%d places: the test compares little", touching)
	}
	// The forces of a large tile have several points.
	a, err := NewSurface(t.Context(), newMesh(t, large), r3.Vector{})
	if err != nil {
		t.Fatal(err)
	}
	p := Place{Rotation: rotation(r3.Vector{Z: 1}, .3), Shift: r3.Vector{X: 1, Y: 2, Z: -1.69}}
	parts := s.OneSided(nil, a, convex[0], &p)
	if len(parts) < 4 {
		t.Errorf("%d forces of a large tile", len(parts))
	}
	seen := map[[2]int32]bool{}
	for _, f := range parts {
		id := [2]int32{f.Tile, f.Part}
		if seen[id] || f.Part > convex[0].Parts() {
			t.Errorf("part %v twice, or out of range", id)
		}
		seen[id] = true
	}
}

// TestHalfSpace compares the forces in a half-space with derivatives of the energy and with the weight of a flat box.
func TestHalfSpace(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 6))
	b := convexOf(t, hullSoup(rng, 20, .8, .6, .7))
	var s Scratch
	for range 200 {
		n, offset := direction(rng), -.7*rng.Float64()
		energy := func(p Place) (t total) {
			t.add(s.HalfSpace(nil, &b.Surface, p.back(n), offset-n.Dot(p.Shift)), 1)
			return t
		}
		p := Place{Rotation: rotation(n, 0)}
		got := energy(p)
		if got.energy == 0 {
			continue
		}
		f, m := gradient(func(shift, turn r3.Vector) float64 { return energy(moved(p, shift, turn)).energy }, 1e-5)
		if e := max(f.Sub(got.force).Norm(), m.Sub(got.moment).Norm()) / got.size; e > 1e-6 {
			t.Errorf("force %v and moment %v, want %v and %v", got.force, got.moment, f, m)
		}
	}
	var sum total
	sum.add(s.HalfSpace(nil, &convexOf(t, boxSoup(2, 3, 1, 1)).Surface, r3.Vector{Z: 1}, -.5+.01), 1)
	// The bottom has the depth .01, and the sides, whose length is 10, have half of it on average.
	if got, want := sum.force.Z, 6*.01+10*.01*.01/2; math.Abs(got/want-1) > 1e-12 {
		t.Errorf("force %v, want %v", got, want)
	}
}

// TestDeepPlaces checks that forces are finite at places where one body contains the other, at equal centers, and of
// bodies of very different sizes.
func TestDeepPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 7))
	var s Scratch
	for _, size := range []float64{1e-6, 1e-3, 1, 1e4} {
		a, b := convexOf(t, boxSoup(size, size, size, 1)), convexOf(t, hullSoup(rng, 24, 1, 1, 1))
		for _, c := range []*Convex{a, b} {
			for _, shift := range []float64{0, 1e-12, .1, .5} {
				p := Place{Rotation: rotation(direction(rng), 6*rng.Float64()), Shift: r3.Vector{X: shift}}
				for _, pair := range [][2]*Convex{{c, b}, {b, c}, {c, c}} {
					got := pairTotal(&s, pair[0], pair[1], p)
					if !(got.energy >= 0 && got.energy < 1e15) || !(got.force.Norm() < 1e12) || !(got.moment.Norm() < 1e16) {
						t.Errorf("size %g, shift %g: energy %v, force %v, moment %v", size, shift, got.energy, got.force, got.moment)
					}
				}
			}
		}
	}
}

// TestNewConvex checks which meshes are convex.
func TestNewConvex(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 8))
	rounded := func(s mesh.Soup, at r3.Vector) mesh.Soup { // as in a file of float32 numbers
		for i, v := range s.Vertices {
			v = v.Add(at)
			s.Vertices[i] = r3.Vector{X: float64(float32(v.X)), Y: float64(float32(v.Y)), Z: float64(float32(v.Z))}
		}
		return s
	}
	turnedSoup := func(s mesh.Soup) mesh.Soup {
		p := Place{Rotation: rotation(r3.Vector{X: .6, Y: .8}, 1)}
		for i, v := range s.Vertices {
			s.Vertices[i] = p.apply(v)
		}
		return s
	}
	joined := func(a, b mesh.Soup) mesh.Soup {
		n := int32(len(a.Vertices))
		a.Vertices = append(a.Vertices, b.Vertices...)
		for _, f := range b.Faces {
			a.Faces = append(a.Faces, [3]int32{f[0] + n, f[1] + n, f[2] + n})
		}
		return a
	}
	shifted := func(s mesh.Soup, by r3.Vector) mesh.Soup {
		for i := range s.Vertices {
			s.Vertices[i] = s.Vertices[i].Add(by)
		}
		return s
	}
	dented := boxSoup(1, 1, 1, 2)
	for i, v := range dented.Vertices {
		if v == (r3.Vector{Z: .5}) {
			dented.Vertices[i].Z = .499
		}
	}
	inverted := boxSoup(1, 1, 1, 1)
	for i, f := range inverted.Faces {
		inverted.Faces[i] = [3]int32{f[0], f[2], f[1]}
	}
	for _, row := range []struct {
		name   string
		soup   mesh.Soup
		planes int // 0 if the mesh is not convex
	}{
		{"cube", boxSoup(1, 1, 1, 1), 6},
		{"turned cube of float32 numbers", rounded(turnedSoup(boxSoup(1, 1, 1, 3)), r3.Vector{}), 6},
		{"turned cube far away", rounded(turnedSoup(boxSoup(1, 1, 1, 3)), r3.Vector{X: 100, Y: -50}), 6},
		{"hull", hullSoup(rng, 12, 1, 1, 1), 20},
		{"hull of float32 numbers", rounded(hullSoup(rng, 12, 1, 1, 1), r3.Vector{}), 20},
		{"plate", boxSoup(1, 1, 1e-4, 2), 6},
		{"dent of a thousandth", dented, 0},
		{"two cubes", joined(boxSoup(1, 1, 1, 1), shifted(boxSoup(1, 1, 1, 1), r3.Vector{X: 2})), 0},
		{"two cubes side by side", joined(boxSoup(1, 1, 1, 1), shifted(boxSoup(1, 1, 1, 1), r3.Vector{X: 1})), 0},
		{"cavity", joined(boxSoup(2, 2, 2, 1), inverted), 0},
		{"the same cube twice", joined(boxSoup(1, 1, 1, 1), boxSoup(1, 1, 1, 1)), 0},
	} {
		m := newMesh(t, row.soup)
		c, err := NewConvex(t.Context(), m, across(m), r3.Vector{})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		if c != nil {
			got = c.Planes()
		}
		if got != row.planes {
			t.Errorf("%s: %d faces, want %d", row.name, got, row.planes)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := newMesh(t, boxSoup(1, 1, 1, 1))
	if _, err := NewConvex(ctx, m, across(m), r3.Vector{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestMemoryOfLargeTiles presses a body of many faces into a large one. The memory must be in proportion to the
// number of faces.
func TestMemoryOfLargeTiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 10))
	for _, n := range []int{60, 120} {
		round, block := convexOf(t, hullSoup(rng, n, 1, 1, 1)), convexOf(t, boxSoup(40, 40, 4, 1))
		p := Place{Rotation: rotation(direction(rng), 1), Shift: r3.Vector{X: 1, Y: 2, Z: 2.6}}
		var s Scratch
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := pairTotal(&s, round, block, p)
		runtime.ReadMemStats(&after)
		if size := after.TotalAlloc - before.TotalAlloc; got.energy == 0 || size > uint64(3000*n) {
			t.Errorf("%d faces: %d bytes, energy %v", round.Planes(), size, got.energy)
		}
	}
}
