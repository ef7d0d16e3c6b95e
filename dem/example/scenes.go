package main

import (
	"context"
	"fmt"
	"image/color"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/dem/rigid"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/view"
)

// scene is a simulation with the settings of its output.
type scene struct {
	rigid.Scene
	options rigid.Options
	end     float64 // seconds
	// A frame is written every frameSteps steps, and a picture every pictureSteps steps.
	// pictureSteps is a multiple of frameSteps.
	frameSteps, pictureSteps uint64
	kinds                    []kind
	from                     view.Direction
	force                    float64 // that has the last color of the scale, in N
	ground                   bool    // pictures show the plane z = 0 in the bounds
}

// kind is a shape with its color.
type kind struct {
	shape       *rigid.Shape
	name, color string
	value       color.NRGBA
}

// These colors are easy to distinguish for color-blind people too (Okabe, Ito 2008, "Color Universal Design").
var (
	orange    = color.NRGBA{0xe6, 0x9f, 0x00, 255}
	blue      = color.NRGBA{0x56, 0xb4, 0xe9, 255}
	green     = color.NRGBA{0x00, 0x9e, 0x73, 255}
	vermilion = color.NRGBA{0xd5, 0x5e, 0x00, 255}
)

// scenes are the values of -scene.
var scenes = []struct {
	name string
	make func(context.Context) (*scene, error)
}{{"pour", newPour}, {"tower", newTower}, {"wall", newWall}}

func sceneNames() string {
	var names []string
	for _, s := range scenes {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

// newScene returns the scene with a name.
func newScene(ctx context.Context, name string) (*scene, error) {
	for _, s := range scenes {
		if s.name == name {
			return s.make(ctx)
		}
	}
	return nil, fmt.Errorf("-scene %q: must be one of %s", name, sceneNames())
}

// newPour returns a bowl and bodies of three shapes above it: balls, jacks and pebbles.
func newPour(ctx context.Context) (*scene, error) {
	s := &scene{
		Scene: rigid.Scene{
			Gravity: r3.Vector{Z: -9.81},
			Bounds:  bvh.Box{Min: r3.Vector{X: -3, Y: -3, Z: -1}, Max: r3.Vector{X: 3, Y: 3, Z: 9}},
		},
		options: rigid.Options{
			TimeStep: 2e-4,
			Law: rigid.Linear{
				Ball:     rigid.Spring{Stiffness: 4e5, Damping: 500},
				Surface:  rigid.Spring{Stiffness: 5e7, Damping: 5e4},
				Friction: .4,
			},
		},
		end: 3, frameSteps: 100, pictureSteps: 3000,
		from: view.Direction{Azimuth: 30, Elevation: 38}, force: 2000,
	}
	wall, err := solid(ctx, bowl())
	if err != nil {
		return nil, err
	}
	s.Walls = []rigid.Wall{{Solid: wall}}
	ball, err := rigid.NewBall(.14)
	if err != nil {
		return nil, err
	}
	jack, err := newJack(ctx, .2, .07)
	if err != nil {
		return nil, err
	}
	stone, err := polyhedron(ctx, pebble())
	if err != nil {
		return nil, err
	}
	s.kinds = []kind{{ball, "balls", "orange", orange}, {jack, "jacks", "blue", blue}, {stone, "pebbles", "green", green}}
	const side, layers = 4, 9
	for i := range side * side * layers {
		x, y, z := i%side, i/side%side, i/side/side
		at := r3.Vector{X: float64(x) - 1.5, Y: float64(y) - 1.5, Z: 3.4 + float64(z)}.Mul(.44)
		p, err := pose.Turned(r3.Vector{X: 1 + float64(x), Y: float64(y), Z: float64(z)}, float64(i), at)
		if err != nil {
			return nil, err
		}
		s.Bodies = append(s.Bodies, rigid.Body{Shape: s.kinds[(i+z)%3].shape, Pose: p, Density: 1000, Spin: r3.Vector{X: float64(i%5) - 2, Y: float64(i%3) - 1}})
	}
	return s, nil
}

// brickSize has the sides of a brick in m. The density of a brick is brickDensity in kg/m³, so its mass is 4 kg.
var brickSize = r3.Vector{X: .2, Y: .1, Z: .1}

const brickDensity = 2000

// newMasonry returns the ground, and a law for bricks and a ball of iron.
//
// Two bricks that touch on a whole large face have the stiffness 3.2e6 N/m, so the contact lasts
// 2.5 ms. A contact of the ball with a brick lasts 2 ms, or 40 steps. A brick under nine others
// rests at a depth of less than a hundredth of its height.
func newMasonry(ctx context.Context) (*scene, error) {
	s := &scene{
		Scene: rigid.Scene{
			Gravity: r3.Vector{Z: -9.81},
			Bounds:  bvh.Box{Min: r3.Vector{X: -1.2, Y: -1, Z: -1}, Max: r3.Vector{X: 1.2, Y: 1.4, Z: 3}},
			Walls:   []rigid.Wall{{HalfSpace: &rigid.HalfSpace{Normal: r3.Vector{Z: 1}}}},
		},
		options: rigid.Options{
			TimeStep: 5e-5,
			Law: rigid.Linear{
				Ball:     rigid.Spring{Stiffness: 1e7, Damping: 2500},
				Surface:  rigid.Spring{Stiffness: 1.6e8, Damping: 8e4},
				Friction: .5,
			},
		},
		end: 2, frameSteps: 400, pictureSteps: 2000,
		force: 800, ground: true,
	}
	brick, err := polyhedron(ctx, box(brickSize))
	if err != nil {
		return nil, err
	}
	ball, err := rigid.NewBall(.12)
	if err != nil {
		return nil, err
	}
	s.kinds = []kind{{ball, "ball", "orange", orange}, {brick, "bricks", "vermilion", vermilion}}
	return s, nil
}

// addBrick adds a body of kind k with the density of a brick.
func (s *scene) addBrick(k kind, at r3.Vector) {
	s.Bodies = append(s.Bodies, rigid.Body{Shape: k.shape, Pose: pose.At(at), Density: brickDensity})
}

// addBall adds the ball of iron.
func (s *scene) addBall(at, velocity r3.Vector) {
	s.Bodies = append(s.Bodies, rigid.Body{Shape: s.kinds[0].shape, Pose: pose.At(at), Velocity: velocity, Density: 7800})
}

// newTower returns two towers of ten bricks and a ball that hits the second one.
func newTower(ctx context.Context) (*scene, error) {
	s, err := newMasonry(ctx)
	if err != nil {
		return nil, err
	}
	for _, x := range []float64{-.6, .6} {
		for i := range 10 {
			shift := r3.Vector{X: .05, Y: .02}.Mul(float64(i % 2))
			s.addBrick(s.kinds[1], shift.Add(r3.Vector{X: x, Z: (float64(i) + .5) * brickSize.Z}))
		}
	}
	s.addBall(r3.Vector{X: .625, Y: -.9, Z: .9}, r3.Vector{Y: 3})
	s.from = view.Direction{Azimuth: 55, Elevation: 16}
	return s, nil
}

// newWall returns a wall in a running bond, with half bricks at its ends, and a ball that hits it.
func newWall(ctx context.Context) (*scene, error) {
	s, err := newMasonry(ctx)
	if err != nil {
		return nil, err
	}
	half, err := polyhedron(ctx, box(r3.Vector{X: brickSize.X / 2, Y: brickSize.Y, Z: brickSize.Z}))
	if err != nil {
		return nil, err
	}
	s.kinds = append(s.kinds, kind{half, "half bricks", "blue", blue})
	const columns, rows = 8, 8
	for j := range rows {
		z := (float64(j) + .5) * brickSize.Z
		for i := range columns - j%2 {
			s.addBrick(s.kinds[1], r3.Vector{X: (float64(i) + .5*float64(j%2) - .5*(columns-1)) * brickSize.X, Z: z})
		}
		if j%2 == 1 {
			for _, x := range []float64{-1, 1} {
				s.addBrick(s.kinds[2], r3.Vector{X: x * (columns - .5) / 2 * brickSize.X, Z: z})
			}
		}
	}
	s.addBall(r3.Vector{Y: -.6, Z: .6}, r3.Vector{Y: 3})
	s.from = view.Direction{Azimuth: -35, Elevation: 22}
	return s, nil
}
