package layer

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

var full = os.Getenv("INPOLY_FULL") == "1"

func newMesh(t testing.TB, s mesh.Soup) *mesh.Mesh {
	t.Helper()
	m, err := mesh.New(t.Context(), s, mesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// across returns the sides across the edges of a closed mesh.
func across(m *mesh.Mesh) []int32 {
	sides := map[[2]int32]int32{}
	for i, f := range m.Faces {
		for k := range f {
			sides[[2]int32{f[k], f[(k+1)%3]}] = int32(3*i + k)
		}
	}
	out := make([]int32, 3*len(m.Faces))
	for i, f := range m.Faces {
		for k := range f {
			j, ok := sides[[2]int32{f[(k+1)%3], f[k]}]
			if !ok {
				j = -1
			}
			out[3*i+k] = j
		}
	}
	return out
}

func convexOf(t testing.TB, s mesh.Soup) *Convex {
	t.Helper()
	m := newMesh(t, s)
	c, err := NewConvex(t.Context(), m, across(m), r3.Vector{})
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		t.Fatal("not convex")
	}
	return c
}

// boxSoup returns a box around the origin with n×n cells of two triangles a face.
func boxSoup(x, y, z float64, n int) (s mesh.Soup) {
	for axis := range 3 {
		for _, sign := range []float64{-1, 1} {
			at := func(u, v float64) r3.Vector {
				p := [3]float64{}
				p[axis], p[(axis+1)%3], p[(axis+2)%3] = sign, sign*(2*u-1), 2*v-1
				return r3.Vector{X: p[0] * x / 2, Y: p[1] * y / 2, Z: p[2] * z / 2}
			}
			for i := range n {
				for j := range n {
					k := int32(len(s.Vertices))
					a, b, c, d := float64(i)/float64(n), float64(i+1)/float64(n), float64(j)/float64(n), float64(j+1)/float64(n)
					s.Vertices = append(s.Vertices, at(a, c), at(b, c), at(b, d), at(a, d))
					s.Faces = append(s.Faces, [3]int32{k, k + 1, k + 2}, [3]int32{k, k + 2, k + 3})
				}
			}
		}
	}
	return s
}

// hullSoup returns the convex hull of random points on an ellipsoid. It tries all triples of points.
func hullSoup(rng *rand.Rand, n int, x, y, z float64) (s mesh.Soup) {
	for range n {
		d := direction(rng)
		s.Vertices = append(s.Vertices, r3.Vector{X: d.X * x, Y: d.Y * y, Z: d.Z * z})
	}
	for i := range int32(n) {
		for j := i + 1; j < int32(n); j++ {
			for k := j + 1; k < int32(n); k++ {
				a, b, c := s.Vertices[i], s.Vertices[j], s.Vertices[k]
				m := b.Sub(a).Cross(c.Sub(a))
				above, below := 0, 0
				for l, p := range s.Vertices {
					if int32(l) == i || int32(l) == j || int32(l) == k {
						continue
					}
					if m.Dot(p.Sub(a)) > 0 {
						above++
					} else {
						below++
					}
				}
				switch {
				case above == 0:
					s.Faces = append(s.Faces, [3]int32{i, j, k})
				case below == 0:
					s.Faces = append(s.Faces, [3]int32{i, k, j})
				}
			}
		}
	}
	return s
}

func direction(rng *rand.Rand) r3.Vector {
	return r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}.Normalize()
}

// rotation returns the rotation about a unit axis.
func rotation(axis r3.Vector, angle float64) (m [3]r3.Vector) {
	c, s := math.Cos(angle), math.Sin(angle)
	for k, e := range [3]r3.Vector{{X: 1}, {Y: 1}, {Z: 1}} {
		// Row k is the image of e under the inverse rotation.
		m[k] = e.Mul(c).Sub(axis.Cross(e).Mul(s)).Add(axis.Mul(axis.Dot(e) * (1 - c)))
	}
	return m
}

// moved returns the place after a small motion of the body: a rotation by turn about the origin, and a shift.
func moved(p Place, shift, turn r3.Vector) Place {
	q := Place{Shift: p.Shift.Add(shift)}
	r := rotation(r3.Vector{X: 1}, 0)
	if angle := turn.Norm(); angle > 0 {
		r = rotation(turn.Mul(1/angle), angle)
		turned := Place{Rotation: r}
		q.Shift = turned.turn(p.Shift).Add(shift)
	}
	for i := range 3 {
		for l := range 3 {
			f := [3]float64{r[i].X, r[i].Y, r[i].Z}[l]
			q.Rotation[i] = q.Rotation[i].Add(p.Rotation[l].Mul(f))
		}
	}
	return q
}

// total is the sum of forces on the first body, in the frame of the second.
type total struct {
	energy        float64
	force, moment r3.Vector // about the origin of the frame
	size          float64   // sum of the forces without regard to their directions
	area          float64
}

func (t *total) add(forces []Force, sign float64) {
	for _, f := range forces {
		t.energy += f.Area * f.Depth * f.Depth / 2
		push := f.Normal.Mul(sign * f.Area * f.Depth)
		t.force, t.size, t.area = t.force.Add(push), t.size+push.Norm(), t.area+f.Area
		t.moment = t.moment.Add(f.Point.Cross(push)).Add(push.Mul(f.Pitch))
	}
}

func pairTotal(s *Scratch, a, b *Convex, p Place) (t total) {
	ofA, ofB := s.Pair(nil, nil, a, b, &p)
	t.add(ofA, 1)
	t.add(ofB, -1)
	return t
}

// naive computes the energy of the triangles of soup a in body b as a sum over all planes: the part of a triangle
// where a plane is nearest is cut out by all planes.
func naive(a mesh.Soup, planes []plane, place Place, weight float64) (energy float64) {
	for _, f := range a.Faces {
		t := []r3.Vector{place.apply(a.Vertices[f[0]]), place.apply(a.Vertices[f[1]]), place.apply(a.Vertices[f[2]])}
		for g := range planes {
			part := cutBy(t, func(x r3.Vector) float64 { return planes[g].depth(x) })
			for h := range planes {
				if h != g {
					part = cutBy(part, func(x r3.Vector) float64 { return planes[h].depth(x) - planes[g].depth(x) })
				}
			}
			for i := 2; i < len(part); i++ {
				x, y, z := part[0], part[i-1], part[i]
				d, e, k := planes[g].depth(x), planes[g].depth(y), planes[g].depth(z)
				energy += weight * y.Sub(x).Cross(z.Sub(x)).Norm() / 2 * (d*d + e*e + k*k + d*e + d*k + e*k) / 6
			}
		}
	}
	return energy
}

func cutBy(polygon []r3.Vector, f func(r3.Vector) float64) (out []r3.Vector) {
	for i, q := range polygon {
		p := polygon[(i+len(polygon)-1)%len(polygon)]
		x, y := f(p), f(q)
		if x > 0 && y < 0 || x < 0 && y > 0 {
			out = append(out, p.Add(q.Sub(p).Mul(x/(x-y))))
		}
		if y >= 0 {
			out = append(out, q)
		}
	}
	return out
}

// inverse returns the place of b in the frame of a.
func inverse(p Place) (q Place) {
	q.Rotation = [3]r3.Vector{p.back(r3.Vector{X: 1}), p.back(r3.Vector{Y: 1}), p.back(r3.Vector{Z: 1})}
	for k := range q.Rotation {
		q.Rotation[k] = [3]r3.Vector{
			{X: p.Rotation[0].X, Y: p.Rotation[1].X, Z: p.Rotation[2].X},
			{X: p.Rotation[0].Y, Y: p.Rotation[1].Y, Z: p.Rotation[2].Y},
			{X: p.Rotation[0].Z, Y: p.Rotation[1].Z, Z: p.Rotation[2].Z},
		}[k]
	}
	q.Shift = q.turn(p.Shift).Mul(-1)
	return q
}

type body struct {
	name string
	soup mesh.Soup
	*Convex
}

func bodies(t testing.TB, rng *rand.Rand) (out []body) {
	add := func(name string, s mesh.Soup) { out = append(out, body{name, s, convexOf(t, s)}) }
	add("cube", boxSoup(1, 1, 1, 1))
	add("fine cube", boxSoup(1, 1, 1, 2))
	add("brick", boxSoup(2, 1, .5, 1))
	add("plate", boxSoup(1.5, 1.2, .05, 1))
	add("tetrahedron", hullSoup(rng, 4, 1, 1, 1))
	add("hull of 8", hullSoup(rng, 8, 1, .8, .6))
	add("hull of 30", hullSoup(rng, 30, .8, .8, .8))
	add("flat hull of 40", hullSoup(rng, 40, 1, .9, .3))
	return out
}

// randomPlace returns a place at which the bodies overlap by a random depth, mostly a small one.
func randomPlace(rng *rand.Rand, a, b *Convex) Place {
	p := Place{Rotation: rotation(direction(rng), 2*math.Pi*rng.Float64())}
	u := direction(rng)
	touching := support(b.vertices, u) + support(a.vertices, p.back(u.Mul(-1)))
	p.Shift = u.Mul(touching - math.Pow(10, -3*rng.Float64())*(a.radius+b.radius)/2)
	return p
}

// TestPairTwin compares energies with those of the triangles of the meshes instead of the tiles, and energies and forces
// with those without pruning. Errors are in units of rounding. A depth is rounded to about one unit, which is 2⁻⁵³ times
// the size of the bodies. The energy is ½·∫φ² and the force is ∫φ, so a unit is that depth times the force for an
// energy, and that depth times the area for a force. Pair joins polygons where depths differ by less than 512 units.
func TestPairTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 1))
	list := bodies(t, rng)
	n := 40
	if full {
		n = 2000
	}
	var s, all Scratch
	all.everything = true
	checks := []struct {
		what  string
		limit float64
		errs  []float64
	}{{what: "energies from those of triangles", limit: 512}, {what: "energies from those without pruning", limit: 4}, {what: "forces from those without pruning", limit: 4}}
	for i := range list {
		for j := range list {
			for range n {
				a, b := &list[i], &list[j]
				p := randomPlace(rng, a.Convex, b.Convex)
				got, unpruned := pairTotal(&s, a.Convex, b.Convex, p), pairTotal(&all, a.Convex, b.Convex, p)
				want := naive(a.soup, b.planes, p, .25) + naive(b.soup, a.planes, inverse(p), .25)
				if want == 0 && got.size == 0 && unpruned.size == 0 {
					continue
				}
				unit := 0x1p-53 * (a.radius + b.radius)
				// Pair has no force where the mean depth is less than 512 units.
				ofEnergy := unit*max(got.size, unpruned.size) + 512*unit*unit*a.radius*b.radius
				ofForce := unit * max(got.area, unpruned.area, math.SmallestNonzeroFloat64/unit)
				for k, e := range []float64{
					math.Abs(got.energy-want) / ofEnergy,
					math.Abs(got.energy-unpruned.energy) / ofEnergy,
					got.force.Sub(unpruned.force).Norm() / ofForce,
				} {
					c := &checks[k]
					c.errs = append(c.errs, e)
					if !(e <= c.limit) {
						t.Errorf("%s in %s at %v: energy %v, without pruning %v, of triangles %v: %s differ by %.3g units", a.name, b.name, p, got.energy, unpruned.energy, want, c.what, e)
					}
				}
			}
		}
	}
	for _, c := range checks {
		slices.Sort(c.errs)
		at := len(c.errs) - 1
		t.Logf("%d pairs touch: %s differ by %.3g units in the median, 99 %% by at most %.3g, all by at most %.3g", at+1, c.what, c.errs[at/2], c.errs[at*99/100], c.errs[at])
		if at+1 < n*len(list)*len(list)/6 {
			t.Fatal("too few pairs touch")
		}
	}
}

// gradient returns the numerical derivatives of the energy, of order 4.
func gradient(energy func(shift, turn r3.Vector) float64, h float64) (force, moment r3.Vector) {
	derive := func(f func(x float64) float64) float64 {
		return -(8*(f(h)-f(-h)) - (f(2*h) - f(-2*h))) / (12 * h)
	}
	axes := [3]r3.Vector{{X: 1}, {Y: 1}, {Z: 1}}
	var out [6]float64
	for k, e := range axes {
		out[k] = derive(func(x float64) float64 { return energy(e.Mul(x), r3.Vector{}) })
		out[3+k] = derive(func(x float64) float64 { return energy(r3.Vector{}, e.Mul(x)) })
	}
	return r3.Vector{X: out[0], Y: out[1], Z: out[2]}, r3.Vector{X: out[3], Y: out[4], Z: out[5]}
}

// TestForcesAreGradient compares forces and moments with numerical derivatives of the energy at random places.
func TestForcesAreGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 2))
	list := bodies(t, rng)
	n := 400
	if full {
		n = 10000
	}
	var s Scratch
	var errs []float64
	for len(errs) < n {
		a, b := &list[rng.IntN(len(list))], &list[rng.IntN(len(list))]
		p := randomPlace(rng, a.Convex, b.Convex)
		got := pairTotal(&s, a.Convex, b.Convex, p)
		if got.energy == 0 {
			continue
		}
		size := got.size
		// The energy has jumps of its third derivative, so a step that is small beside the depth is best.
		h := 2e-4 * math.Sqrt(2*got.energy/size*(2*got.energy/size)+1e-12)
		f, m := gradient(func(shift, turn r3.Vector) float64 {
			return pairTotal(&s, a.Convex, b.Convex, moved(p, shift, turn)).energy
		}, h)
		e := max(f.Sub(got.force).Norm(), m.Sub(got.moment).Norm()/(a.radius+p.Shift.Norm())) / size
		errs = append(errs, e)
		if e > 1e-5 {
			t.Errorf("%s in %s at %v: force %v and moment %v, want %v and %v: off by %.2g", a.name, b.name, p, got.force, got.moment, f, m, e)
		}
	}
	slices.Sort(errs)
	t.Logf("%d places: median %.2g, 99 %% %.2g, worst %.2g", n, errs[n/2], errs[n*99/100], errs[n-1])
}

// BenchmarkPair measures the forces of two bodies that overlap by a hundredth of their size.
func BenchmarkPair(b *testing.B) {
	rng := rand.New(rand.NewPCG(39, 9))
	cube, hull := convexOf(b, boxSoup(1, 1, 1, 1)), convexOf(b, hullSoup(rng, 102, .5, .5, .5))
	for _, row := range []struct {
		name string
		a, b *Convex
	}{{"cubes", cube, cube}, {"hulls of 200 triangles", hull, hull}, {"cube and hull", cube, hull}} {
		b.Run(row.name, func(b *testing.B) {
			var places []Place
			for len(places) < 256 {
				p := Place{Rotation: rotation(direction(rng), 6*rng.Float64())}
				u := direction(rng)
				p.Shift = u.Mul(support(row.b.vertices, u) + support(row.a.vertices, p.back(u.Mul(-1))) - .02)
				var s Scratch
				if pairTotal(&s, row.a, row.b, p).energy > 0 {
					places = append(places, p)
				}
			}
			var s Scratch
			var ofA, ofB []Force
			n, forces := 0, 0
			for b.Loop() {
				ofA, ofB = s.Pair(ofA[:0], ofB[:0], row.a, row.b, &places[n%len(places)])
				n, forces = n+1, forces+len(ofA)+len(ofB)
			}
			b.ReportMetric(float64(forces)/float64(n), "forces/op")
		})
	}
}
