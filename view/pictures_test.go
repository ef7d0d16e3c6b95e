package view_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/view"
)

// drawing is a picture of the documentation.
type drawing struct {
	name   string
	solid  func(t *testing.T) *inpoly.Solid
	points int // number of points to locate
	scene  view.Options
	opt    view.PictureOptions
}

// drawings lists the pictures in docs/pictures. Each has a light and a dark variant.
var drawings = []drawing{
	{name: "knot", solid: knot, points: 16_000, scene: view.Options{Name: "knot.stl", NoSlice: true}, opt: view.PictureOptions{From: &view.Direction{Azimuth: 35, Elevation: 30}}},
}

func knot(t *testing.T) *inpoly.Solid {
	s, err := inpoly.Open(t.Context(), "../testdata/knot.stl", inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// halton returns n points that are evenly distributed in the box of s (Halton 1960).
func halton(s *inpoly.Solid, n int) []r3.Vector {
	radical := func(i, base int) float64 {
		x, f := 0.0, 1.0
		for ; i > 0; i /= base {
			f /= float64(base)
			x += f * float64(i%base)
		}
		return x
	}
	box := s.Mesh().Box()
	size := box.Size()
	pts := make([]r3.Vector, n)
	for i := range pts {
		pts[i] = box.Min.Add(r3.Vector{X: size.X * radical(i+1, 2), Y: size.Y * radical(i+1, 3), Z: size.Z * radical(i+1, 5)})
	}
	return pts
}

// draw returns the picture with at most 256 colors.
func (d *drawing) draw(t *testing.T, theme view.Theme) *image.Paletted {
	s := d.solid(t)
	var cloud *view.Cloud
	if d.points > 0 {
		cloud = view.NewCloud(d.points)
		pts := halton(s, d.points)
		sides := make([]inpoly.Side, len(pts))
		if err := s.SidesTo(t.Context(), sides, pts); err != nil {
			t.Fatal(err)
		}
		cloud.Add(0, pts, sides)
	}
	scene, err := view.New(t.Context(), s, cloud, d.scene)
	if err != nil {
		t.Fatal(err)
	}
	opt := d.opt
	opt.Theme = theme
	var b bytes.Buffer
	if err := scene.WritePicture(t.Context(), &b, opt); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return quantized(img.(*image.RGBA))
}

// TestDrawings checks that docs/pictures holds the pictures that drawings describes.
// INPOLY_UPDATE=1 writes them. Without INPOLY_FULL=1, the test draws only one variant.
func TestDrawings(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors may fuse multiplications with additions")
	}
	update := os.Getenv("INPOLY_UPDATE") == "1"
	for i, d := range drawings {
		for theme, name := range []string{"light", "dark"} {
			if i+theme > 0 && !update && os.Getenv("INPOLY_FULL") != "1" {
				continue
			}
			path := filepath.Join("../docs/pictures", d.name+"-"+name+".png")
			want := d.draw(t, view.Theme(theme))
			if update {
				var b bytes.Buffer
				if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, want); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(data) > 250_000 {
				t.Errorf("%s has %d bytes, at most 250,000 are good for a page", path, len(data))
			}
			got, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if p, ok := got.(*image.Paletted); !ok || !bytes.Equal(p.Pix, want.Pix) || !slices.Equal(p.Palette, want.Palette) {
				t.Errorf("%s differs from the drawing: make pictures", path)
			}
		}
	}
}

// quantized returns img with at most 256 colors. It divides the box of all colors repeatedly, at the
// mean of the channel with the largest sum of squared deviations (Wu 1991, without his tables).
func quantized(img *image.RGBA) *image.Paletted {
	type counted struct {
		c [3]uint8
		n float64
	}
	index := map[[3]uint8]int{}
	var all []counted
	for i := 0; i < len(img.Pix); i += 4 {
		c := [3]uint8(img.Pix[i : i+3])
		k, ok := index[c]
		if !ok {
			k = len(all)
			index[c] = k
			all = append(all, counted{c: c})
		}
		all[k].n++
	}
	type box struct {
		colors  []counted
		channel int
		mean    [3]float64
		error   float64
	}
	measure := func(colors []counted) box {
		b := box{colors: colors}
		n := 0.0
		for _, c := range colors {
			n += c.n
			for k, v := range c.c {
				b.mean[k] += c.n * float64(v)
			}
		}
		var sums [3]float64
		for k := range b.mean {
			b.mean[k] /= n
			for _, c := range colors {
				d := float64(c.c[k]) - b.mean[k]
				sums[k] += c.n * d * d
			}
			if sums[k] > b.error {
				b.error, b.channel = sums[k], k
			}
		}
		return b
	}
	boxes := []box{measure(all)}
	for len(boxes) < 256 {
		worst := 0
		for i := range boxes {
			if boxes[i].error > boxes[worst].error {
				worst = i
			}
		}
		b := boxes[worst]
		if b.error == 0 {
			break
		}
		slices.SortFunc(b.colors, func(x, y counted) int {
			return cmp.Or(cmp.Compare(x.c[b.channel], y.c[b.channel]), slices.Compare(x.c[:], y.c[:]))
		})
		cut := slices.IndexFunc(b.colors, func(c counted) bool { return float64(c.c[b.channel]) > b.mean[b.channel] })
		boxes[worst] = measure(b.colors[:cut])
		boxes = append(boxes, measure(b.colors[cut:]))
	}
	out := image.NewPaletted(img.Rect, nil)
	entry := map[[3]uint8]uint8{}
	for i, b := range boxes {
		out.Palette = append(out.Palette, color.RGBA{uint8(math.Round(b.mean[0])), uint8(math.Round(b.mean[1])), uint8(math.Round(b.mean[2])), 255})
		for _, c := range b.colors {
			entry[c.c] = uint8(i)
		}
	}
	for i := range out.Pix {
		out.Pix[i] = entry[[3]uint8(img.Pix[4*i:4*i+3])]
	}
	return out
}
