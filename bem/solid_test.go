package bem

import (
	"fmt"
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

func TestSolidAngleKnown(t *testing.T) {
	o, ex, ey, ez := r3.Vector{}, r3.Vector{X: 1}, r3.Vector{Y: 1}, r3.Vector{Z: 1}
	for _, c := range []struct {
		name       string
		x, a, b, c r3.Vector
		want       float64
	}{
		{"octant", o, ex, ey, ez, math.Pi / 2},
		{"octant flipped", o, ex, ez, ey, -math.Pi / 2},
		{"cube face from the center", o, r3.Vector{X: 1, Y: 1, Z: 1}, r3.Vector{X: -1, Y: 1, Z: 1}, r3.Vector{X: -1, Y: -1, Z: 1}, math.Pi / 3},
		{"on a vertex", ex, ex, ey, ez, 0},
		{"on an edge", r3.Vector{X: 0.5, Y: 0.5}, ex, ey, ez, 0},
		{"on the face", r3.Vector{X: 0.5, Y: 0.25, Z: 0.25}, ex, ey, ez, 0},
		{"just inside", r3.Vector{X: 0.5, Y: 0.25, Z: math.Nextafter(0.25, 0)}, ex, ey, ez, 2 * math.Pi},
		{"just outside", r3.Vector{X: 0.5, Y: 0.25, Z: math.Nextafter(0.25, 1)}, ex, ey, ez, -2 * math.Pi},
		{"in the plane", r3.Vector{X: 3, Y: -1, Z: -1}, ex, ey, ez, 0},
		{"segment", o, ex, ex.Add(ey), ex.Add(ey).Add(ey), 0},
		{"point", o, ex, ex, ex, 0},
		{"NaN", r3.Vector{X: math.NaN()}, ex, ey, ez, math.NaN()},
		{"infinite corner", o, r3.Vector{X: math.Inf(1)}, ey, ez, math.NaN()},
	} {
		got := SolidAngle(c.x, c.a, c.b, c.c)
		if math.IsNaN(c.want) != math.IsNaN(got) || math.Abs(got-c.want) > 4e-15 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// The error of the factor of a triangle is within its bound. The true angle comes from twinTurns.
func TestSolidAngleBound(t *testing.T) {
	for wi, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			rng := newRand(uint64(300 + wi))
			for trial := range trials(500, 30000) {
				f := mesh.Triangle{w.vertex(rng), w.vertex(rng), w.vertex(rng)}
				x := hard(rng, f, w)
				checkSolidAngle(t, fmt.Sprintf("trial %d", trial), x, f)
			}
		})
	}
}

func checkSolidAngle(t *testing.T, where string, x r3.Vector, f mesh.Triangle) {
	t.Helper()
	got := SolidAngle(x, f[0], f[1], f[2])
	want, how := twinTurns(bigSub(f[0], x), bigSub(f[1], x), bigSub(f[2], x))
	var sc Scratch
	z, on := sc.triangle(x, f[0], f[1], f[2])
	if on != (how == always) {
		t.Fatalf("%s: triangle %v, x %v: on is %v, which contradicts case %d of the twin", where, f, x, on, how)
	}
	// The bound covers the factor, its scaling, and math.Atan2.
	bound := z.err + errorFactor + errorTotal
	if d, in := off(got/(4*math.Pi), want, bound); !in {
		t.Fatalf("%s: triangle %v, x %v: %v turns, want %v: off by %g, bound %g", where, f, x, got/(4*math.Pi), want, d, bound)
	}
	if d, in := off(math.Atan2(z.im, z.re)/(2*math.Pi), want, bound); !in {
		t.Fatalf("%s: triangle %v, x %v: factor %v, want %v: off by %g, bound %g", where, f, x, z, want, d, bound)
	}
	if s := want.Sign(); got != 0 && math.Signbit(got) != (s < 0) {
		t.Fatalf("%s: triangle %v, x %v: %v, want the sign of %v", where, f, x, got, want)
	}
}

func FuzzSolidAngle(f *testing.F) {
	f.Add(0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
	f.Add(0.5, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
	f.Add(0.0, 1e-70, 0.0, 1.0, 0.0, 0.0, -1.0, 1e-70, 0.0, 0.0, 0.0, 1e70)
	f.Fuzz(func(t *testing.T, x, y, z, ax, ay, az, bx, by, bz, cx, cy, cz float64) {
		p := r3.Vector{X: x, Y: y, Z: z}
		tri := mesh.Triangle{{X: ax, Y: ay, Z: az}, {X: bx, Y: by, Z: bz}, {X: cx, Y: cy, Z: cz}}
		if !vec.Finite(p) || !vec.Finite(tri[0]) || !vec.Finite(tri[1]) || !vec.Finite(tri[2]) {
			if got := SolidAngle(p, tri[0], tri[1], tri[2]); !math.IsNaN(got) {
				t.Errorf("got %v for an input that is not finite, want NaN", got)
			}
			return
		}
		for _, v := range []r3.Vector{p, tri[0], tri[1], tri[2]} {
			for _, c := range []float64{v.X, v.Y, v.Z} {
				if c != 0 && (math.Abs(c) < 1e-80 || math.Abs(c) > 1e80) {
					return // det needs more than the precision of twinTurns
				}
			}
		}
		checkSolidAngle(t, "fuzz", p, tri)
	})
}
