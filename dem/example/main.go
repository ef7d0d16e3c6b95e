// Example pours balls and polyhedra into a bowl of triangles. It writes a series of frames for ParaView,
// a restart file and pictures.
//
//	go run ./example -out run            # in the folder dem
//	go run ./example -out run            # continues from the restart file
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/dem/rigid"
	"github.com/inpoly/inpoly/dem/vtk"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/view"
)

func main() {
	out := flag.String("out", "run", "folder for the results")
	until := flag.Float64("time", 3, "end of the simulation in seconds")
	workers := flag.Int("workers", 0, "number of goroutines; 0 means all processors")
	flag.Parse()
	switch {
	case flag.NArg() > 0:
		log.Fatalf("unexpected argument %q: the example has only flags", flag.Arg(0))
	case !(*until > 0) || math.IsInf(*until, 0):
		log.Fatalf("-time %v: must be a positive number of seconds", *until)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, *until, *workers, pictureSteps); err != nil {
		stop()
		log.Fatal(err)
	}
}

// These are the numbers of steps between two frames and between two pictures.
const (
	frameSteps   = 100
	pictureSteps = 3000
)

// run simulates until the given time, from the restart file if there is one.
func run(ctx context.Context, out string, until float64, workers int, pictureSteps uint64) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	scene, err := newScene(ctx)
	if err != nil {
		return err
	}
	options := rigid.Options{
		TimeStep: 2e-4,
		Law: rigid.Linear{
			Ball:     rigid.Spring{Stiffness: 4e5, Damping: 500},
			Surface:  rigid.Spring{Stiffness: 5e7, Damping: 5e4},
			Friction: .4,
		},
		Workers: workers,
	}
	restart := filepath.Join(out, "restart.bin")
	world, err := begin(ctx, restart, scene, options)
	if err != nil {
		return err
	}
	frames, err := vtk.Open(filepath.Join(out, "pour.pvd"))
	if err != nil {
		return err
	}
	for world.Time() < until {
		if err := world.Step(ctx); err != nil {
			return err
		}
		if world.Steps()%frameSteps != 0 {
			continue
		}
		if err := frames.Add(world); err != nil {
			return err
		}
		if world.Steps()%pictureSteps != 0 {
			continue
		}
		fmt.Printf("%.1f s: %d contacts, %v J\n", world.Time(), len(world.Contacts()), world.Energy().Total())
		if err := draw(ctx, world, filepath.Join(out, fmt.Sprintf("pour-%05d.png", world.Steps()))); err != nil {
			return err
		}
		var state bytes.Buffer
		if err := world.Save(&state); err != nil {
			return err
		}
		// The old restart file remains until the new one is complete.
		if err := os.WriteFile(restart+".part", state.Bytes(), 0o644); err != nil {
			return err
		}
		if err := os.Rename(restart+".part", restart); err != nil {
			return err
		}
	}
	return nil
}

// begin returns the world of the restart file, or a new world.
func begin(ctx context.Context, restart string, scene rigid.Scene, options rigid.Options) (*rigid.World, error) {
	state, err := os.Open(restart)
	if errors.Is(err, os.ErrNotExist) {
		return rigid.New(ctx, scene, options)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = state.Close() }() // the file is only read
	world, err := rigid.Load(ctx, state, scene, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", restart, err)
	}
	return world, nil
}

// newScene returns a bowl and bodies of three shapes above it: balls, jacks and pebbles.
func newScene(ctx context.Context) (rigid.Scene, error) {
	s := rigid.Scene{
		Gravity: r3.Vector{Z: -9.81},
		Bounds:  bvh.Box{Min: r3.Vector{X: -3, Y: -3, Z: -1}, Max: r3.Vector{X: 3, Y: 3, Z: 9}},
	}
	bowl, err := solid(ctx, revolved(48, bowlOutline()))
	if err != nil {
		return s, err
	}
	s.Walls = []rigid.Wall{{Solid: bowl}}
	ball, err := rigid.NewBall(.14)
	if err != nil {
		return s, err
	}
	shapes := []*rigid.Shape{ball}
	for _, m := range []mesh.Soup{jack(.2, .07), revolved(12, [][2]float64{{0, -.12}, {.1, -.09}, {.16, 0}, {.1, .09}, {0, .12}})} {
		body, err := solid(ctx, m)
		if err != nil {
			return s, err
		}
		shape, err := rigid.NewPolyhedron(ctx, body)
		if err != nil {
			return s, err
		}
		shapes = append(shapes, shape)
	}
	const side, layers = 4, 9
	for i := range side * side * layers {
		x, y, z := i%side, i/side%side, i/side/side
		at := r3.Vector{X: float64(x) - 1.5, Y: float64(y) - 1.5, Z: 3.4 + float64(z)}.Mul(.44)
		p, err := pose.Turned(r3.Vector{X: 1 + float64(x), Y: float64(y), Z: float64(z)}, float64(i), at)
		if err != nil {
			return s, err
		}
		s.Bodies = append(s.Bodies, rigid.Body{Shape: shapes[(i+z)%3], Pose: p, Density: 1000, Spin: r3.Vector{X: float64(i%5) - 2, Y: float64(i%3) - 1}})
	}
	return s, nil
}

// bowlOutline returns the outline of a bowl whose inner side is the half of an ellipse. Points are
// the distance from the axis and the height.
func bowlOutline() (outline [][2]float64) {
	const steps, r, h, wall = 12, 1.3, 1.1, .15
	for i := range steps + 1 {
		sin, cos := math.Sincos(math.Pi / 2 * float64(i) / steps)
		outline = append(outline, [2]float64{(r + wall) * sin, h - (h+wall)*cos})
	}
	for i := range steps + 1 {
		sin, cos := math.Sincos(math.Pi / 2 * float64(steps-i) / steps)
		outline = append(outline, [2]float64{r * sin, h - h*cos})
	}
	return outline
}

// revolved turns an outline about the z axis. It begins and ends on the axis, and the solid is on its left.
func revolved(n int, outline [][2]float64) (s mesh.Soup) {
	index := make([][]int32, len(outline))
	for j, p := range outline {
		for i := range n {
			if p[0] == 0 && i > 0 {
				index[j] = append(index[j], index[j][0])
				continue
			}
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			index[j] = append(index[j], int32(len(s.Vertices)))
			s.Vertices = append(s.Vertices, r3.Vector{X: p[0] * cos, Y: p[0] * sin, Z: p[1]})
		}
	}
	for j := range len(outline) - 1 {
		for i := range n {
			a, b, c, d := index[j][i], index[j][(i+1)%n], index[j+1][(i+1)%n], index[j+1][i]
			if a != b {
				s.Faces = append(s.Faces, [3]int32{a, b, c})
			}
			if c != d {
				s.Faces = append(s.Faces, [3]int32{a, c, d})
			}
		}
	}
	return s
}

// jack returns a cube with a square arm on each side. It is not convex. Half of its extent is size, and
// half of the width of an arm is w.
func jack(size, w float64) (s mesh.Soup) {
	axes := [3]r3.Vector{{X: 1}, {Y: 1}, {Z: 1}}
	quad := func(a, b, c, d r3.Vector) {
		n := int32(len(s.Vertices))
		s.Vertices = append(s.Vertices, a, b, c, d)
		s.Faces = append(s.Faces, [3]int32{n, n + 1, n + 2}, [3]int32{n, n + 2, n + 3})
	}
	for k := range axes {
		for _, sign := range []float64{-1, 1} {
			x, y, z := axes[k].Mul(sign), axes[(k+1)%3].Mul(w), axes[(k+2)%3].Mul(w*sign)
			corners := [4]r3.Vector{y.Mul(-1).Sub(z), y.Sub(z), y.Add(z), z.Sub(y)}
			for i := range corners {
				a, b := corners[i], corners[(i+1)%4]
				quad(a.Add(x.Mul(w)), b.Add(x.Mul(w)), b.Add(x.Mul(size)), a.Add(x.Mul(size)))
			}
			quad(corners[0].Add(x.Mul(size)), corners[1].Add(x.Mul(size)), corners[2].Add(x.Mul(size)), corners[3].Add(x.Mul(size)))
		}
	}
	return s
}

func solid(ctx context.Context, s mesh.Soup) (*inpoly.Solid, error) {
	m, err := mesh.New(ctx, s, mesh.Options{})
	if err != nil {
		return nil, err
	}
	return inpoly.New(ctx, m, inpoly.Options{})
}

// draw draws the walls and the bodies. Each of them is a part of an assembly.
func draw(ctx context.Context, w *rigid.World, name string) error {
	var parts []assembly.Part
	add := func(s mesh.Soup, p pose.Pose) error {
		moved := mesh.Soup{Faces: s.Faces}
		for _, v := range s.Vertices {
			moved.Vertices = append(moved.Vertices, p.Apply(v))
		}
		m, err := mesh.New(ctx, moved, mesh.Options{})
		parts = append(parts, assembly.Part{Name: fmt.Sprint(len(parts)), Mesh: m})
		return err
	}
	for _, wall := range w.Walls() {
		if err := add(mesh.Soup{Vertices: wall.Mesh().Vertices, Faces: wall.Mesh().Faces}, pose.At(r3.Vector{})); err != nil {
			return err
		}
	}
	for i := range w.Len() {
		if w.Removed(i) {
			continue
		}
		var shape mesh.Soup
		if s := w.Shape(i).Solid(); s != nil {
			shape.Vertices, shape.Faces = s.Mesh().Vertices, s.Mesh().Faces
		} else {
			shape = revolved(20, circle(w.Shape(i).Radius()))
		}
		if err := add(shape, w.Pose(i)); err != nil {
			return err
		}
	}
	all, err := assembly.New(ctx, parts, assembly.Options{})
	if err != nil {
		return err
	}
	scene, err := view.NewAssembly(ctx, all, nil, view.Options{Name: fmt.Sprintf("%d bodies after %.1f s", len(parts)-len(w.Walls()), w.Time()), NoSlice: true, Up: "z"})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := scene.WritePicture(ctx, &b, view.PictureOptions{Width: 600, Height: 540, From: &view.Direction{Azimuth: 30, Elevation: 38}}); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// circle returns the outline of a ball, from the lowest point to the highest.
func circle(r float64) (outline [][2]float64) {
	const steps = 12
	for i := range steps + 1 {
		sin, cos := math.Sincos(math.Pi * float64(i) / steps)
		outline = append(outline, [2]float64{r * sin, -r * cos})
	}
	outline[0][0], outline[steps][0] = 0, 0
	return outline
}
