package view

import (
	"bytes"
	"image/color"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// rowScene returns a scene of three balls in a row along x.
func rowScene(t *testing.T, opt Options) *Scene {
	t.Helper()
	var parts []assembly.Part
	for i, name := range []string{"a", "b", "c"} {
		moved := testmesh.Move(testmesh.Soup(testmesh.Sphere(3)), func(p r3.Vector) r3.Vector { return p.Add(r3.Vector{X: 2.5 * float64(i)}) })
		parts = append(parts, assembly.Part{Name: name, Mesh: testmesh.Mesh(moved)})
	}
	a, err := assembly.New(t.Context(), parts, assembly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opt.NoSlice = true
	s, err := NewAssembly(t.Context(), a, nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func isGreen(r, g, b int) bool { return g > r+60 && g > b+60 }

// Each solid has its color, also in a simplified mesh.
func TestPictureColors(t *testing.T) {
	red, green := color.NRGBA{0xd0, 0x10, 0x10, 255}, color.NRGBA{0x10, 0xc0, 0x10, 255}
	opt := PictureOptions{Width: 640, Height: 300, From: &Direction{Azimuth: 0, Elevation: 15}}
	for _, triangles := range []int{0, 1000} {
		s := rowScene(t, Options{Triangles: triangles})
		if (triangles > 0) != s.surface.reduced {
			t.Fatalf("at most %d triangles: reduced is %v", triangles, s.surface.reduced)
		}
		plain := mustPicture(t, s, opt)
		if n := count(plain, isRed) + count(plain, isGreen); n > 0 {
			t.Errorf("%d colored pixels without colors", n)
		}
		opt := opt
		opt.Colors = make([]color.NRGBA, 3)
		if got := mustPicture(t, s, opt); !bytes.Equal(got.Pix, plain.Pix) {
			t.Error("zero colors change the picture")
		}
		opt.Colors = []color.NRGBA{green, {}, red}
		img := mustPicture(t, s, opt)
		reds, greens := count(img, isRed), count(img, isGreen)
		if reds < 3000 || greens < 3000 {
			t.Errorf("%d red and %d green pixels, want a ball of each", reds, greens)
		}
		// The view is from the front, so x points to the right.
		for x, want := range map[int]func(r, g, b int) bool{120: isGreen, 520: isRed, 320: func(r, g, b int) bool { return !isRed(r, g, b) && !isGreen(r, g, b) && r < 250 }} {
			if c := img.NRGBAAt(x, 160); !want(int(c.R), int(c.G), int(c.B)) {
				t.Errorf("at most %d triangles: color %v at x = %d", triangles, c, x)
			}
		}
		opt.Workers = 1
		if one := mustPicture(t, s, opt); !bytes.Equal(one.Pix, img.Pix) {
			t.Error("the picture depends on the number of workers")
		}
	}
}

// A single solid can have a color too, and colored solids are translucent with points.
func TestPictureColorOfOne(t *testing.T) {
	red := []color.NRGBA{{0xd0, 0x10, 0x10, 255}}
	size := PictureOptions{Width: 320, Height: 200, Colors: red}
	if n := count(mustPicture(t, pictureScene(t, testmesh.UnitCube(), Options{}), size), isRed); n < 3000 {
		t.Errorf("%d red pixels, want a cube", n)
	}
	inside := r3.Vector{X: .5, Y: .5, Z: .5}
	img := mustPicture(t, pictureScene(t, testmesh.UnitCube(), Options{}, inside), size)
	tint := count(img, func(r, g, b int) bool { return r > g+10 && r > b+10 })
	if n := count(img, isBlue); n < 40 || tint < 3000 {
		t.Errorf("%d blue and %d reddish pixels, want a point in a translucent cube", n, tint)
	}
}

func TestPictureColorErrors(t *testing.T) {
	s := rowScene(t, Options{})
	for _, c := range []struct {
		colors []color.NRGBA
		want   string
	}{
		{make([]color.NRGBA, 2), "view: 2 Colors for 3 solids: expected one for each solid"},
		{make([]color.NRGBA, 4), "view: 4 Colors for 3 solids: expected one for each solid"},
		{[]color.NRGBA{{}, {R: 9, A: 128}, {}}, "of solid 1 has the alpha 128: expected 255, or the zero color"},
		{[]color.NRGBA{{}, {}, {R: 9}}, "of solid 2 has the alpha 0: expected 255, or the zero color"},
	} {
		var b bytes.Buffer
		err := s.WritePicture(t.Context(), &b, PictureOptions{Colors: c.colors})
		if err == nil || !strings.Contains(err.Error(), c.want) || b.Len() > 0 {
			t.Errorf("%v: error %v and %d bytes, want %q", c.colors, err, b.Len(), c.want)
		}
	}
}
