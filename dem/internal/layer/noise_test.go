package layer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// prismSoup returns a prism with n sides. lift moves the vertices of the top upward.
func prismSoup(n int, radius, height float64, lift func(p r3.Vector) float64) (s mesh.Soup) {
	at := func(k int, z float64) r3.Vector {
		a := 2 * math.Pi * float64(k) / float64(n)
		return r3.Vector{X: radius * math.Cos(a), Y: radius * math.Sin(a), Z: z}
	}
	for k := range n {
		s.Vertices = append(s.Vertices, at(k, -height/2), at(k, height/2))
	}
	for k := 1; k < 2*n; k += 2 {
		s.Vertices[k].Z += lift(s.Vertices[k])
	}
	for k := range n {
		a, b := int32(2*k), int32(2*((k+1)%n))
		s.Faces = append(s.Faces, [3]int32{a, b, b + 1}, [3]int32{a, b + 1, a + 1})
	}
	for k := 1; k < n-1; k++ {
		a, b := int32(2*k), int32(2*k+2)
		s.Faces = append(s.Faces, [3]int32{0, b, a}, [3]int32{1, a + 1, b + 1})
	}
	return s
}

// TestFacesWithNoise checks thin overlaps of faces whose vertices are not exactly in a plane. The planes are above
// some vertices, so the overlap can be deeper below them than the slab is thick.
func TestFacesWithNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s, all := &Scratch{}, &Scratch{everything: true}
	const noise = 0x1p-23
	lift := func(r3.Vector) float64 { return noise * (2*rng.Float64() - 1) }
	touched := 0
	for range 300 {
		a := convexOf(t, prismSoup(30, .1, 1, lift))
		b := convexOf(t, prismSoup(30, 1, 1, lift))
		p := Place{Rotation: rotation(r3.Vector{X: 1}, 0)}
		p.Shift.Z = 1 + noise*(2*rng.Float64()-1)
		x, y := pairTotal(s, a, b, p), pairTotal(all, a, b, p)
		if y.size > 0 {
			touched++
		}
		if off := x.force.Sub(y.force).Norm(); off > 1e-12*.03*noise {
			t.Fatalf("the force is %v, with all planes it is %v", x.force, y.force)
		}
	}
	if touched < 50 {
		t.Errorf("%d pairs touch", touched)
	}
}

// TestRoundedMeshes compares the forces of meshes of float32 numbers with those of all planes.
func TestRoundedMeshes(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var s, all Scratch
	all.everything = true
	flat := func(r3.Vector) float64 { return 0 }
	for _, at := range []r3.Vector{{}, {X: 10, Y: -10, Z: 5}, {X: 100, Y: -100, Z: 50}} {
		var list []*Convex
		for range 4 {
			for _, soup := range []mesh.Soup{prismSoup(30, 1, 1, flat), prismSoup(40, .2, .05, flat), hullSoup(rng, 24, 1, .9, .8), boxSoup(1, .8, .7, 3)} {
				p := Place{Rotation: rotation(direction(rng), 6*rng.Float64()), Shift: at}
				for i, v := range soup.Vertices {
					v = p.apply(v)
					soup.Vertices[i] = r3.Vector{X: float64(float32(v.X)), Y: float64(float32(v.Y)), Z: float64(float32(v.Z))}
				}
				m := newMesh(t, soup)
				c, err := NewConvex(t.Context(), m, across(m), at)
				if err != nil || c == nil {
					t.Fatalf("%v: convex %v, error %v", at, c != nil, err)
				}
				list = append(list, c)
			}
		}
		for range 1000 {
			a, b := list[rng.IntN(len(list))], list[rng.IntN(len(list))]
			p := randomPlace(rng, a, b)
			got, want := pairTotal(&s, a, b, p), pairTotal(&all, a, b, p)
			if got.force.Sub(want.force).Norm() > 1e-12*want.size+1e-22 {
				t.Fatalf("%v: at %v: force %v, with all planes %v", at, p, got.force, want.force)
			}
		}
	}
}

// TestLargeTiles checks forces of tiles that are divided by octants: each has its own part, in ascending order, and no
// point counts twice.
func TestLargeTiles(t *testing.T) {
	var s Scratch
	large := mesh.Soup{Vertices: []r3.Vector{{X: -9, Y: -9}, {X: 9, Y: -9}, {Y: 9}}, Faces: [][3]int32{{0, 1, 2}}}
	a, err := NewSurface(t.Context(), newMesh(t, large), r3.Vector{})
	if err != nil {
		t.Fatal(err)
	}
	identity := rotation(r3.Vector{X: 1}, 0)
	plate := boxSoup(3, .2, 2, 1)
	diagonal := Place{Rotation: rotation(r3.Vector{Z: 1}, math.Pi/4)}
	for i, v := range plate.Vertices {
		plate.Vertices[i] = diagonal.apply(v)
	}
	for _, row := range []struct {
		name string
		soup mesh.Soup
		z    float64
	}{
		{"a plate in two octants", plate, .1}, {"a plate in four octants", plate, 0},
		{"a brick", boxSoup(2, 1, 1, 1), .1}, {"a brick and a tile in a coordinate plane", boxSoup(2, 1, 1, 1), 0},
	} {
		b := convexOf(t, row.soup)
		p := Place{Rotation: identity, Shift: r3.Vector{Z: row.z}}
		forces := s.OneSided(nil, a, b, &p)
		for i, f := range forces {
			if f.Part > b.Parts() || i > 0 && f.Part <= forces[i-1].Part {
				t.Errorf("%s: force %d of %d has the part %d of at most %d, after %d", row.name, i, len(forces), f.Part, b.Parts(), forces[max(i, 1)-1].Part)
			}
		}
		var got total
		got.add(forces, 1)
		if want := naive(large, b.planes, p, .5); math.Abs(got.energy-want) > 1e-12*want {
			t.Errorf("%s: energy %v, want %v", row.name, got.energy, want)
		}
	}
}
