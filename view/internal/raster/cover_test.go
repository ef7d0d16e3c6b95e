package raster

import (
	"image"
	"math/rand/v2"
	"testing"
)

// drawCounted draws a scene with one worker. If plain is true, it skips nothing. It returns the number of
// shaded pixels of triangles.
func drawCounted(t *testing.T, s *Scene, plain bool) (img *image.NRGBA, shaded int64) {
	t.Helper()
	d := drawing{scene: s, projector: projector{camera: s.Camera, width: s.Width, height: s.Height}}
	if err := d.prepare(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	img = image.NewNRGBA(image.Rect(0, 0, s.Width, s.Height))
	one := newTile(&d)
	for number := range d.columns * d.rows {
		if !plain {
			one.draw(t.Context(), img, number)
			continue
		}
		one.x0, one.y0 = number%d.columns*tileSize, number/d.columns*tileSize
		one.x1, one.y1 = min(one.x0+tileSize, s.Width), min(one.y0+tileSize, s.Height)
		for i := range one.stacks {
			one.stacks[i].count = 0
		}
		clear(one.hidden)
		for i := range d.triangles {
			if d.triangles[i].paint < 0 {
				continue
			}
			for k := range one.covers {
				one.covers[k].reset()
			}
			for k := range one.pixels {
				one.pixels[k].reset()
			}
			one.triangle(&d.triangles[i])
		}
		for i := range d.balls {
			one.ball(&d.balls[i])
		}
		one.resolve(img)
	}
	return img, one.shaded
}

// samePicture reports whether pictures differ only by rounding, except for a few pixels in which depths
// are equal up to rounding.
func samePicture(a, b *image.NRGBA) bool {
	other := 0
	for i := range a.Pix {
		if d := int(a.Pix[i]) - int(b.Pix[i]); d > 2 || d < -2 {
			other++
		}
	}
	return other <= len(a.Pix)/1000
}

// Skipping what is hidden changes no picture.
func TestCoverChangesNothing(t *testing.T) {
	for seed := range uint64(4) {
		s := cloud(seed)
		if seed%2 == 1 { // a half-space, and large faces
			half := HalfSpace{Normal: s.Camera.Right, Offset: 0.3}
			for i := range s.Meshes {
				s.Meshes[i].Clip = &half
				for k := range s.Meshes[i].Vertices {
					for j := range 2 {
						s.Meshes[i].Vertices[k][j] *= 4
					}
				}
			}
		}
		want, all := drawCounted(t, &s, true)
		got, shaded := drawCounted(t, &s, false)
		if !samePicture(got, want) {
			t.Errorf("seed %d: the pictures differ", seed)
		}
		t.Logf("seed %d: %d of %d pixels are shaded", seed, shaded, all)
		if shaded >= all {
			t.Errorf("seed %d: nothing is skipped", seed)
		}
	}
}

// The work for faces that coincide, overlap in a plane, or are stacked does not grow with their areas.
func TestWorkOfCoincidentFaces(t *testing.T) {
	const size = 200
	for _, opacity := range []float32{1, 0.2} {
		for kind, face := range map[string]func(r *rand.Rand, i int) (x, y, z float32){
			"equal":     func(*rand.Rand, int) (x, y, z float32) { return 0, 0, 0 },
			"stacked":   func(_ *rand.Rand, i int) (x, y, z float32) { return 0, 0, -float32(i) * 1e-4 },
			"reversed":  func(_ *rand.Rand, i int) (x, y, z float32) { return 0, 0, float32(i) * 1e-4 },
			"in planes": func(r *rand.Rand, _ int) (x, y, z float32) { return r.Float32() / 8, r.Float32() / 8, 0 },
		} {
			var shaded [2]int64
			for k, n := range []int{100, 600} {
				r := rand.New(rand.NewPCG(1, 2))
				m := Mesh{Color: white, Opacity: opacity}
				for i := range n {
					x, y, z := face(r, i)
					v := uint32(len(m.Vertices))
					m.Vertices = append(m.Vertices, [3]float32{x - 1, y - 1, z}, [3]float32{x + 1, y - 1, z}, [3]float32{x, y + 1, z})
					m.Faces = append(m.Faces, [3]uint32{v, v + 1, v + 2})
				}
				s := Scene{Width: size, Height: size, Camera: camera(size, size, 250, 3), Meshes: []Mesh{m}}
				_, shaded[k] = drawCounted(t, &s, false)
			}
			each := float64(shaded[1]-shaded[0]) / 500
			t.Logf("opacity %g, %s: %d pixels, and %.0f for each further face", opacity, kind, shaded[0], each)
			if each > 2000 { // a face covers 14,000 pixels, and its outline 550
				t.Errorf("opacity %g, %s: each further face shades %.0f pixels", opacity, kind, each)
			}
		}
	}
}
