package main

import (
	"bytes"
	"context"
	"fmt"
	"image/color"
	"os"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/dem/rigid"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/view"
)

// These are the values of -color.
const (
	byShape = "shape"
	byForce = "force"
)

// forceScale has the colors of forces, from 0 to scene.force: the scale viridis of Matplotlib, from light to
// dark. Equal steps look equally far apart.
var forceScale = []color.NRGBA{
	{0xfd, 0xe7, 0x25, 255}, {0x5e, 0xc9, 0x62, 255}, {0x21, 0x91, 0x8c, 255}, {0x3b, 0x52, 0x8b, 255}, {0x44, 0x01, 0x54, 255},
}

// forceColor returns the color of a force that is divided by scene.force.
func forceColor(f float64) color.NRGBA {
	at := min(max(f, 0), 1) * float64(len(forceScale)-1)
	i := min(int(at), len(forceScale)-2)
	a, b, t := forceScale[i], forceScale[i+1], at-float64(i)
	mix := func(x, y uint8) uint8 { return uint8(float64(x) + t*(float64(y)-float64(x)) + .5) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// forces returns the sum of the magnitudes of the contact forces on each body.
func forces(w *rigid.World) []float64 {
	sums := make([]float64, w.Len())
	for _, c := range w.Contacts() {
		f := c.Force.Norm()
		sums[c.A] += f
		if int(c.B) < len(sums) {
			sums[c.B] += f
		}
	}
	return sums
}

// picture collects the parts of a picture.
type picture struct {
	parts  []assembly.Part
	colors []color.NRGBA
}

func (p *picture) add(ctx context.Context, s mesh.Soup, at pose.Pose, c color.NRGBA) error {
	moved := mesh.Soup{Faces: s.Faces}
	for _, v := range s.Vertices {
		moved.Vertices = append(moved.Vertices, at.Apply(v))
	}
	m, err := mesh.New(ctx, moved, mesh.Options{})
	p.parts, p.colors = append(p.parts, assembly.Part{Name: fmt.Sprint(len(p.parts)), Mesh: m}), append(p.colors, c)
	return err
}

// draw draws the walls and the bodies. Each of them is a part of an assembly.
func (s *scene) draw(ctx context.Context, w *rigid.World, colors, name, file string) error {
	var p picture
	var gray color.NRGBA // the zero color is that of the theme
	for _, wall := range w.Walls() {
		if wall == nil {
			continue // a half-space has no mesh
		}
		if err := p.add(ctx, mesh.Soup{Vertices: wall.Mesh().Vertices, Faces: wall.Mesh().Faces}, pose.At(r3.Vector{}), gray); err != nil {
			return err
		}
	}
	if s.ground {
		const thick = .02
		size, middle := s.Bounds.Size(), s.Bounds.Min.Add(s.Bounds.Max).Mul(.5)
		slab := box(r3.Vector{X: size.X, Y: size.Y, Z: thick})
		if err := p.add(ctx, slab, pose.At(r3.Vector{X: middle.X, Y: middle.Y, Z: -thick / 2}), gray); err != nil {
			return err
		}
	}
	sums := forces(w)
	for i := range w.Len() {
		if w.Removed(i) {
			continue
		}
		var shape mesh.Soup
		if s := w.Shape(i).Solid(); s != nil {
			shape.Vertices, shape.Faces = s.Mesh().Vertices, s.Mesh().Faces
		} else {
			shape = sphere(w.Shape(i).Radius())
		}
		c := forceColor(sums[i] / s.force)
		for _, k := range s.kinds {
			if colors == byShape && k.shape == w.Shape(i) {
				c = k.value
			}
		}
		if err := p.add(ctx, shape, w.Pose(i), c); err != nil {
			return err
		}
	}
	all, err := assembly.New(ctx, p.parts, assembly.Options{})
	if err != nil {
		return err
	}
	drawn, err := view.NewAssembly(ctx, all, nil, view.Options{Name: fmt.Sprintf("%s after %.1f s: %s", name, w.Time(), s.caption(colors)), NoSlice: true, Up: "z"})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := drawn.WritePicture(ctx, &b, view.PictureOptions{Width: 600, Height: 540, From: &s.from, Colors: p.colors}); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// caption says what the colors mean.
func (s *scene) caption(colors string) string {
	if colors == byForce {
		return fmt.Sprintf("yellow 0 N, violet %g N", s.force)
	}
	var words []string
	for _, k := range s.kinds {
		words = append(words, k.name+" "+k.color)
	}
	return strings.Join(words, ", ")
}
