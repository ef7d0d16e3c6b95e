package rigid

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/pose"
)

// structure is a scene whose energy must not rise. Bodies that stand must not move.
type structure struct {
	name   string
	make   func(t testing.TB) Scene
	size   float64 // length of a body, for the largest motion
	stands bool
	end    float64 // seconds
	// convex is true if the law of layers conserves the energy. Other scenes are reported only.
	convex bool
}

var brickSize = r3.Vector{X: .2, Y: .1, Z: .1}

// These are the laws of bodies that are poured, and of bricks that stand. A tower with soft contacts buckles.
var (
	pourLaw    = Linear{Surface: Spring{Stiffness: 2e7, Damping: 2e4}, Friction: .5}
	masonryLaw = Linear{Surface: Spring{Stiffness: 1e8, Damping: 1e5}, Friction: .5}
)

func ground() []Wall { return []Wall{{HalfSpace: &HalfSpace{Normal: r3.Vector{Z: 1}}}} }

// bricks returns bricks at the given places on the ground, with the depth at which the lowest ones rest.
func bricks(t testing.TB, centers []r3.Vector) Scene {
	shape := polyhedron(t, box(brickSize, 1))
	s := Scene{Gravity: r3.Vector{Z: -9.81}, Walls: ground()}
	for _, c := range centers {
		s.Bodies = append(s.Bodies, Body{Shape: shape, Pose: pose.At(c), Density: 1000})
	}
	return s
}

// tower returns the centers of bricks on each other. Each is shifted against the one below.
func tower(n int, shift r3.Vector) (centers []r3.Vector) {
	for i := range n {
		centers = append(centers, shift.Mul(float64(i%2)).Add(r3.Vector{Z: (float64(i) + .5) * brickSize.Z}))
	}
	return centers
}

// brickWall returns a wall in a running bond, with half bricks at the ends of every second row.
func brickWall(t testing.TB, columns, rows int) Scene {
	var centers, halves []r3.Vector
	for j := range rows {
		z := (float64(j) + .5) * brickSize.Z
		for i := range columns - j%2 {
			centers = append(centers, r3.Vector{X: (float64(i) + .5*float64(j%2)) * brickSize.X, Z: z})
		}
		if j%2 == 1 {
			halves = append(halves, r3.Vector{X: -.25 * brickSize.X, Z: z}, r3.Vector{X: (float64(columns) - .75) * brickSize.X, Z: z})
		}
	}
	s := bricks(t, centers)
	half := polyhedron(t, box(r3.Vector{X: brickSize.X / 2, Y: brickSize.Y, Z: brickSize.Z}, 1))
	for _, c := range halves {
		s.Bodies = append(s.Bodies, Body{Shape: half, Pose: pose.At(c), Density: 1000})
	}
	return s
}

// pyramid returns the centers of layers of bricks, each smaller than the one below.
func pyramid(layers int) (centers []r3.Vector) {
	for j := range layers {
		n := layers - j
		for i := range n * n {
			x, y := float64(i%n)-float64(n-1)/2, float64(i/n)-float64(n-1)/2
			centers = append(centers, r3.Vector{X: x * brickSize.X * 1.02, Y: y * brickSize.Y * 1.02, Z: (float64(j) + .5) * brickSize.Z})
		}
	}
	return centers
}

// container returns the ground and four half-spaces around it.
func container(half float64) []Wall {
	walls := ground()
	for _, n := range []r3.Vector{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}} {
		walls = append(walls, Wall{HalfSpace: &HalfSpace{Normal: n, Offset: -half}})
	}
	return walls
}

// poured returns bodies above each other in a container. Their orientations are random.
func poured(t testing.TB, n int, shapes ...*Shape) Scene {
	rng := rand.New(rand.NewPCG(uint64(n), 39))
	side := max(2, int(math.Sqrt(float64(n)/8)))
	s := Scene{Gravity: r3.Vector{Z: -9.81}, Walls: container(.17 * float64(side))}
	for i := range n {
		x, y := float64(i%side)-float64(side-1)/2, float64(i/side%side)-float64(side-1)/2
		at := r3.Vector{X: .32 * x, Y: .32 * y, Z: .2 + .32*float64(i/side/side)}
		axis := r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
		s.Bodies = append(s.Bodies, Body{Shape: shapes[i%len(shapes)], Pose: turned(t, axis, 6*rng.Float64(), at), Density: 1000})
	}
	return s
}

// compoundL returns an L of two boxes.
func compoundL(t testing.TB) *Shape {
	a, b := placed(box(r3.Vector{X: .2, Y: .08, Z: .08}, 1), r3.Vector{}), placed(box(r3.Vector{X: .08, Y: .08, Z: .12}, 1), r3.Vector{X: -.06, Z: .1})
	shape, err := NewCompound(t.Context(), solidOf(t, join(a, b)), solidOf(t, a), solidOf(t, b))
	if err != nil {
		t.Fatal(err)
	}
	return shape
}

// collision returns two boxes that hit each other, with n×n cells of triangles a face.
func collision(t testing.TB, rng *rand.Rand, n int) Scene {
	shapes := []*Shape{polyhedron(t, box(r3.Vector{X: .2, Y: .2, Z: .2}, n)), polyhedron(t, box(r3.Vector{X: .4, Y: .2, Z: .1}, n))}
	random := func(at r3.Vector) pose.Pose {
		return turned(t, r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}, 6*rng.Float64(), at)
	}
	return Scene{Bodies: []Body{
		{Shape: shapes[0], Pose: random(r3.Vector{}), Density: 1000},
		{Shape: shapes[rng.IntN(2)], Pose: random(r3.Vector{X: .45, Y: .1 * (rng.Float64() - .5), Z: .1 * (rng.Float64() - .5)}), Density: 1000, Velocity: r3.Vector{X: -3}},
	}}
}

func structures() []structure {
	brick := func(t testing.TB) *Shape { return polyhedron(t, box(brickSize, 1)) }
	cube := func(t testing.TB) *Shape { return polyhedron(t, box(r3.Vector{X: .14, Y: .14, Z: .14}, 1)) }
	return []structure{
		{"tower of ten bricks", func(t testing.TB) Scene { return bricks(t, tower(10, r3.Vector{})) }, brickSize.X, true, 10, true},
		{"tower of ten bricks, staggered", func(t testing.TB) Scene { return bricks(t, tower(10, r3.Vector{X: .03, Y: .01})) }, brickSize.X, true, 10, true},
		{"wall of 10 × 10 bricks", func(t testing.TB) Scene { return brickWall(t, 10, 10) }, brickSize.X, true, 10, true},
		{"pyramid of 30 bricks", func(t testing.TB) Scene { return bricks(t, pyramid(4)) }, brickSize.X, true, 10, true},
		{"36 poured bricks and cubes", func(t testing.TB) Scene { return poured(t, 36, brick(t), cube(t)) }, .2, false, 5, true},
		{"200 poured bricks", func(t testing.TB) Scene { return poured(t, 200, brick(t)) }, .2, false, 8, true},
		{"60 poured stones of 200 triangles", func(t testing.TB) Scene { return poured(t, 60, polyhedron(t, stone(.1, .09, .08))) }, .2, false, 5, true},
		{"36 poured compounds", func(t testing.TB) Scene { return poured(t, 36, compoundL(t)) }, .2, false, 5, true},
		{"36 poured pebbles (not convex) and bricks", func(t testing.TB) Scene { return poured(t, 36, polyhedron(t, pebble(.1, .09, .08)), brick(t)) }, .2, false, 5, false},
	}
}

// figures are the measurements of a structure.
type figures struct {
	rise    float64 // of the energy above a former value, relative to the first one
	motion  float64 // of a center in the second half, relative to the size
	kinetic float64 // at the end, relative to the first potential energy
}

// measure runs a structure to a time.
func (x *structure) measure(t testing.TB, end float64) (f figures) {
	o := Options{TimeStep: 2e-4, Law: pourLaw}
	if x.stands {
		o = Options{TimeStep: 1e-4, Law: masonryLaw}
	}
	w := newWorld(t, x.make(t), o)
	first := w.Energy()
	low, half := first.Total(), make([]r3.Vector, w.Len())
	for w.Time() < end {
		walk(t, w, 1)
		e := w.Energy().Total()
		low = min(low, e)
		f.rise = max(f.rise, (e-low)/first.Total())
		for i := range half {
			if w.Time() <= end/2 {
				half[i] = w.Center(i)
			} else {
				f.motion = max(f.motion, w.Center(i).Sub(half[i]).Norm()/x.size)
			}
		}
	}
	last := w.Energy()
	f.kinetic = (last.Kinetic + last.Rotational) / first.Potential
	return f
}

// TestStructures runs structures and pours of bodies with damping and friction. The energy of convex bodies must
// not rise, and what stands must not move. INPOLY_TABLE can name the file of a table.
func TestStructures(t *testing.T) {
	rows := make([]string, len(structures()))
	t.Run("each", func(t *testing.T) {
		for i, x := range structures() {
			end := .05
			if full {
				end = x.end
			}
			t.Run(x.name, func(t *testing.T) {
				if full {
					t.Parallel()
				}
				f := x.measure(t, end)
				t.Logf("energy rises by %.2g, centers move by %.2g of a body, kinetic energy %.2g", f.rise, f.motion, f.kinetic)
				moved := "–"
				if x.stands {
					moved = fmt.Sprintf("%.2g %%", 100*f.motion)
				}
				rows[i] = fmt.Sprintf("| %s | %g | %.1g | %s | %.1g |\n", x.name, end, f.rise, moved, f.kinetic)
				if x.convex && f.rise > 1e-9 {
					t.Errorf("the energy rises by %.3g of the first energy", f.rise)
				}
				if full && x.stands && f.motion > .01 {
					t.Errorf("a center moves by %.3g of a body", f.motion)
				}
				if full && x.convex && !x.stands && f.kinetic > 1e-3 {
					t.Errorf("the kinetic energy is %.3g of the first potential energy", f.kinetic)
				}
			})
		}
	})
	if path := os.Getenv("INPOLY_TABLE"); path != "" {
		head := "| scene | seconds | largest rise of the energy, of the first | largest motion of a center in the second half, of a brick | kinetic energy at the end, of the first potential energy |\n| --- | --- | --- | --- | --- |\n"
		if err := os.WriteFile(path, []byte(head+strings.Join(rows, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCollisions lets boxes of 12, 48 and 192 triangles hit each other. Without damping, the energy must
// be conserved. With damping and friction, it must not rise.
func TestCollisions(t *testing.T) {
	count := 5
	if full {
		count = 170
	}
	for _, n := range []int{1, 2, 4} {
		for _, damped := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(5, 9))
			worst, touched := 0., 0
			for range count {
				law := Linear{Surface: Spring{Stiffness: 2e8}}
				if damped {
					law = Linear{Surface: Spring{Stiffness: 2e8, Damping: 1e5}, Friction: .4}
				}
				w := newWorld(t, collision(t, rng, n), Options{TimeStep: 2e-5, Law: law})
				first := w.Energy().Total()
				low := first
				for w.Time() < .12 {
					walk(t, w, 1)
					if len(w.Contacts()) == 0 {
						continue
					}
					touched++
					e := w.Energy().Total()
					if low = min(low, e); damped {
						worst = max(worst, (e-low)/first)
					} else {
						worst = max(worst, math.Abs(e/first-1))
					}
				}
			}
			t.Logf("%d triangles, damping %v: energy off by %.2g in %d collisions", 12*n*n, damped, worst, count)
			if limit := map[bool]float64{false: 5e-4, true: 1e-9}[damped]; worst > limit || touched < 20*count {
				t.Errorf("%d triangles, damping %v: energy off by %.3g, contacts in %d steps", 12*n*n, damped, worst, touched)
			}
		}
	}
}

// TestCollisionOrder checks that the error of the energy in collisions without damping is proportional to the square of
// the time step.
func TestCollisionOrder(t *testing.T) {
	worst := make([]float64, 3)
	for i := range worst {
		rng := rand.New(rand.NewPCG(6, 1))
		for range 8 {
			w := newWorld(t, collision(t, rng, 1), Options{TimeStep: 8e-5 / float64(int(1)<<i), Law: Linear{Surface: Spring{Stiffness: 2e8}}})
			first := w.Energy().Total()
			for w.Time() < .12 {
				walk(t, w, 1)
				worst[i] = max(worst[i], math.Abs(w.Energy().Total()/first-1))
			}
		}
	}
	if got := slope(worst); math.Abs(got-2) > .2 {
		t.Errorf("energy off by %.2g: order %.2f, want 2", worst, got)
	}
	t.Logf("energy off by %.2g: order %.2f", worst, slope(worst))
}

// TestLayersAreDeterministic compares trajectories of convex bodies, compounds and others for several numbers of
// workers. One world stops and continues from a file.
func TestLayersAreDeterministic(t *testing.T) {
	var want uint64
	for _, workers := range []int{1, 2, 3} {
		s := poured(t, 16, polyhedron(t, box(brickSize, 1)), polyhedron(t, stone(.1, .09, .08)), compoundL(t), polyhedron(t, pebble(.1, .09, .08)))
		for i := range s.Bodies {
			s.Bodies[i].Velocity.Z = -2
		}
		s.Walls = append(s.Walls, Wall{Solid: solidOf(t, placed(box(r3.Vector{X: .3, Y: .3, Z: .1}, 1), r3.Vector{Z: .02}))})
		o := Options{TimeStep: 2e-4, Law: pourLaw, Workers: workers}
		w := newWorld(t, s, o)
		walk(t, w, 500)
		if workers == 3 {
			again, err := Load(t.Context(), bytes.NewReader(saved(t, w)), s, o)
			if err != nil {
				t.Fatal(err)
			}
			w = again
		}
		walk(t, w, 300)
		kinds := map[Kind]int{}
		for _, c := range w.Contacts() {
			kinds[c.Kind]++
		}
		if kinds[FaceOfA] < 10 || kinds[FaceOfB] < 10 {
			t.Fatalf("%v: the test compares little", kinds)
		}
		if workers == 1 {
			t.Log(kinds)
			want = hashOf(w)
		} else if hashOf(w) != want {
			t.Errorf("%d workers: another trajectory", workers)
		}
	}
}
