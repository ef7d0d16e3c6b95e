package raycross

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// The signs of the crossings and the boundary sum add up to the winding number. The trace lists the
// faces that contain the start of the ray. The points of the crossings lie on the faces and on the
// ray.
func TestTrace(t *testing.T) {
	crossed, on := 0, 0
	for _, c := range testmesh.Catalog() {
		m := testmesh.Mesh(c.Soup)
		caster := newCaster(t, m, Options{})
		box := m.Box()
		if box.Empty() {
			box.Min, box.Max = r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: 1}
		}
		size := box.Size()
		rng := rand.New(rand.NewPCG(1, 2))
		points := []r3.Vector{box.Min.Mul(0.5).Add(box.Max.Mul(0.5))}
		for _, p := range c.Probes {
			points = append(points, p.Point)
		}
		for range 20 {
			points = append(points, box.Min.Add(r3.Vector{
				X: size.X * (1.5*rng.Float64() - 0.25), Y: size.Y * (1.5*rng.Float64() - 0.25), Z: size.Z * (1.5*rng.Float64() - 0.25)}))
		}
		for f := 0; f < m.NumFaces(); f += 1 + m.NumFaces()/10 {
			tri := m.Triangle(int32(f))
			points = append(points, tri[0], tri[1].Mul(0.5).Add(tri[2].Mul(0.5)))
		}
		for _, p := range points {
			var s Scratch
			tr := caster.Trace(p, &s)
			crossed += len(tr.Crossings)
			on += len(tr.On)

			var want []int32
			for f := range m.NumFaces() {
				if tri := m.Triangle(int32(f)); predicates.OnTriangle(p, tri[0], tri[1], tri[2]) {
					want = append(want, int32(f))
				}
			}
			if !slices.Equal(tr.On, want) {
				t.Errorf("%s, %v: on the faces %v, want %v", c.Name, p, tr.On, want)
			}
			var again Scratch
			w, bound := caster.Winding(p, &again)
			if tr.Winding != w || tr.Bound != bound {
				t.Errorf("%s, %v: W %g ± %g, Winding says %g ± %g", c.Name, p, tr.Winding, tr.Bound, w, bound)
			}
			if sum := float64(tr.Signed) + tr.Boundary; math.Abs(sum-tr.Winding) > 0x1p-50*(1+math.Abs(sum)) {
				t.Errorf("%s, %v: %d crossings and %g of the boundary, W = %g", c.Name, p, tr.Signed, tr.Boundary, tr.Winding)
			}
			if n := caster.Count(p, &again); len(tr.On) == 0 && c.Closed && (n.Signed != tr.Signed || n.Crossings != uint64(len(tr.Crossings)) || n.Target != tr.Target) {
				t.Errorf("%s, %v: trace %+v, count %+v", c.Name, p, tr, n)
			}
			checkCrossings(t, c.Name, p, tr, func(f int32) [3]r3.Vector { return m.Triangle(f) })
		}
	}
	if crossed == 0 || on == 0 {
		t.Errorf("%d faces crossed, %d faces contain a point: want some of each", crossed, on)
	}
}

// Trace discards a ray that intersects a vertex, and casts another ray.
func TestTraceDiscards(t *testing.T) {
	cube := testmesh.Cube(r3.Vector{X: -1, Y: -1, Z: -1}, r3.Vector{X: 1, Y: 1, Z: 1})
	box := testmesh.Mesh(cube).Box()
	// The tip of the pyramid lies exactly on the first ray from the origin, inside the cube.
	first := aim(r3.Vector{}, box, rayLength(1), 0, 0)
	tip := first.r.Mul(0x1p-5)
	back := tip.Mul(1.5)
	pyramid := testmesh.Simplex(tip, back.Add(r3.Vector{X: 0.1, Y: 0.1}), back.Add(r3.Vector{Y: -0.1, Z: 0.1}), back.Add(r3.Vector{X: -0.1, Z: -0.1}))
	var s Scratch
	tr := newCaster(t, testmesh.Mesh(testmesh.Union(cube, pyramid)), Options{}).Trace(r3.Vector{}, &s)
	if tr.Discarded == 0 || tr.Target == first.r || tr.Winding != 1 || s.Stats().Rerays != uint64(tr.Discarded) {
		t.Errorf("%d rays discarded (%d counted), target %v, W = %g; want W = 1 by another ray than to %v",
			tr.Discarded, s.Stats().Rerays, tr.Target, tr.Winding, first.r)
	}
}

func checkCrossings(t *testing.T, name string, p r3.Vector, tr Trace, triangle func(int32) [3]r3.Vector) {
	t.Helper()
	sum, last := int64(0), 0.0
	for _, x := range tr.Crossings {
		sum += int64(x.Sign)
		if x.Distance < last {
			t.Errorf("%s, %v: crossings not in the order of distance: %g after %g", name, p, x.Distance, last)
		}
		last = x.Distance
		if slices.Contains(tr.On, x.Face) {
			t.Errorf("%s, %v: face %d contains the point and is crossed", name, p, x.Face)
		}
		// The sign of a crossing is +1 if p lies on the inner side of the face, otherwise −1.
		c := triangle(x.Face)
		if s := predicates.Orient3D(c[0], c[1], c[2], p); s != int(x.Sign) {
			t.Errorf("%s, %v: face %d crossed with sign %d, the point lies on side %d", name, p, x.Face, x.Sign, s)
		}
		// x.Point lies on the line from p to the target, up to rounding. The test divides the
		// distance of x.Point from the line by the distance from p to the farthest corner of the
		// face.
		d := tr.Target.Sub(p)
		d = d.Mul(1 / max(math.Abs(d.X), math.Abs(d.Y), math.Abs(d.Z)))
		d = d.Mul(1 / d.Norm())
		scale := 0.0
		for k := range c {
			v := c[k].Sub(p)
			scale = max(scale, math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z))
		}
		v := x.Point.Sub(p).Mul(1 / scale)
		if off := v.Cross(d).Norm(); off > 1e-6 || v.Dot(d) < -1e-6 {
			t.Errorf("%s, %v: face %d crossed at %v, which is %g of its size off the ray", name, p, x.Face, x.Point, off)
		}
	}
	if sum != tr.Signed {
		t.Errorf("%s, %v: signs add up to %d, want %d", name, p, sum, tr.Signed)
	}
}
