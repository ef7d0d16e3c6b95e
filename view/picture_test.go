package view

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// pictureScene returns a scene of s, without a slice, and of points with their sides.
func pictureScene(t *testing.T, s mesh.Soup, opt Options, pts ...r3.Vector) *Scene {
	t.Helper()
	solid, err := inpoly.New(t.Context(), testmesh.Mesh(s), inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var cloud *Cloud
	if pts != nil {
		cloud = NewCloud(MaxPoints)
		sides := make([]inpoly.Side, len(pts))
		if err := solid.SidesTo(t.Context(), sides, pts); err != nil {
			t.Fatal(err)
		}
		cloud.Add(0, pts, sides)
	}
	opt.NoSlice = opt.Plane == nil
	scene, err := New(t.Context(), solid, cloud, opt)
	if err != nil {
		t.Fatal(err)
	}
	return scene
}

func mustPicture(t *testing.T, s *Scene, opt PictureOptions) *image.NRGBA {
	t.Helper()
	img, err := s.picture(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// count returns the number of pixels whose color f accepts.
func count(img *image.NRGBA, f func(r, g, b int) bool) (n int) {
	for i := 0; i < len(img.Pix); i += 4 {
		if f(int(img.Pix[i]), int(img.Pix[i+1]), int(img.Pix[i+2])) {
			n++
		}
	}
	return n
}

func isBlue(r, _, b int) bool   { return b > r+60 }
func isOrange(r, _, b int) bool { return r > b+60 }
func isRed(r, g, b int) bool    { return r > g+100 && r > b+100 }

func TestPicture(t *testing.T) {
	hole := testmesh.Without(testmesh.UnitCube(), 10, 11) // the top is open
	inside, outside := r3.Vector{X: 0.5, Y: 0.5, Z: 0.5}, r3.Vector{X: 1.5, Y: 0.5, Z: 0.5}
	for _, theme := range []Theme{Light, Dark} {
		opt := PictureOptions{Width: 640, Height: 400, Theme: theme}
		ground := themes[theme].ground
		solid := mustPicture(t, pictureScene(t, testmesh.UnitCube(), Options{Name: "cube"}), opt)
		if got := solid.NRGBAAt(639, 200); got != ground.opaque() {
			t.Errorf("ground %v, want %v", got, ground)
		}
		if solid.NRGBAAt(320, 200) == ground.opaque() {
			t.Error("the mesh is not in the middle")
		}
		if n := count(solid, isBlue) + count(solid, isOrange); n > 0 {
			t.Errorf("%d colored pixels without points", n)
		}
		both := mustPicture(t, pictureScene(t, testmesh.UnitCube(), Options{}, inside, outside), opt)
		// The symbols of the legend have about 60 pixels. A ball is larger.
		if b, o := count(both, isBlue), count(both, isOrange); b < 100 || o < 80 {
			t.Errorf("%d blue and %d orange pixels, want a symbol and a ball of each color", b, o)
		}
		open := mustPicture(t, pictureScene(t, hole, Options{}), opt)
		if n := count(open, isRed); n < 500 {
			t.Errorf("%d red pixels, want the open edges", n)
		}
		cut := mustPicture(t, pictureScene(t, testmesh.UnitCube(), Options{Plane: &Plane{1, 0.25}, Pixels: 64}), PictureOptions{Width: 640, Height: 400, Theme: theme, Cut: true})
		if n := count(cut, isBlue); n < 20_000 {
			t.Errorf("%d blue pixels, want the inside of the cut", n)
		}
	}
}

// If most points lie outside, the outside points are not drawn, and the legend says so.
func TestPictureHidesOutside(t *testing.T) {
	inside, outside := r3.Vector{X: 0.5, Y: 0.5, Z: 0.5}, r3.Vector{X: 1.5, Y: 0.5, Z: 0.5}
	for _, c := range []struct {
		pts  []r3.Vector
		want bool
	}{
		{[]r3.Vector{inside, outside}, false}, {[]r3.Vector{inside, outside, outside}, true}, {[]r3.Vector{outside, outside}, false}, {[]r3.Vector{inside}, false},
	} {
		p := painter{scene: pictureScene(t, testmesh.UnitCube(), Options{}, c.pts...)}
		if got := p.hidden(); got != [4]bool{inpoly.Outside: c.want} {
			t.Errorf("%d points: hidden %v, want outside %v", len(c.pts), got, c.want)
		}
		note := ""
		for _, e := range p.entries() {
			note += e.text + ";"
		}
		if strings.Contains(note, "(not drawn)") != c.want {
			t.Errorf("%d points: legend %q", len(c.pts), note)
		}
	}
}

// Points that cannot be drawn are counted, and a note names them.
func TestPictureNotes(t *testing.T) {
	s := pictureScene(t, testmesh.UnitCube(), Options{}, r3.Vector{X: math.NaN()}, r3.Vector{X: math.Inf(1)}, r3.Vector{Y: 1e30}, r3.Vector{X: 2.01}, r3.Vector{X: 1.99}, r3.Vector{X: 0.5, Y: 0.5, Z: 0.5}, r3.Vector{X: 0.25, Y: 0.5, Z: 0.5})
	p := painter{scene: s}
	got := strings.Join(p.notes(), "\n")
	want := "Not drawn: 2 points with a coordinate that is missing or not finite.\nNot drawn: 2 points far from the mesh."
	if got != want {
		t.Errorf("notes %q, want %q", got, want)
	}
	tall, short := mustPicture(t, s, PictureOptions{Width: 640, Height: 400}), mustPicture(t, pictureScene(t, testmesh.UnitCube(), Options{}, r3.Vector{X: 0.5, Y: 0.5, Z: 0.5}), PictureOptions{Width: 640, Height: 400})
	written := func(img *image.NRGBA) int {
		return count(img.SubImage(image.Rect(0, 370, 640, 400)).(*image.NRGBA), func(r, g, b int) bool { return r+g+b < 500 })
	}
	if written(tall) <= written(short) {
		t.Error("the notes are not in the picture")
	}
}

// Scaling a mesh by a power of two and moving it do not change the picture.
func TestPictureScale(t *testing.T) {
	at := r3.Vector{X: 0.5, Y: 0.25, Z: 0.5}
	opt := PictureOptions{Width: 200, Height: 150}
	want := mustPicture(t, pictureScene(t, testmesh.UnitCube(), Options{Name: "n"}, at), opt)
	for _, c := range []struct {
		scale float64
		move  r3.Vector
	}{{0x1p300, r3.Vector{}}, {0x1p-300, r3.Vector{}}, {1, r3.Vector{X: 0x1p40, Y: -0x1p30, Z: 3}}} {
		to := func(p r3.Vector) r3.Vector { return p.Mul(c.scale).Add(c.move) }
		got := mustPicture(t, pictureScene(t, testmesh.Move(testmesh.UnitCube(), to), Options{Name: "n"}, to(at)), opt)
		if !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("scale %g, move %v: the picture differs", c.scale, c.move)
		}
	}
}

func TestPictureWorkers(t *testing.T) {
	s := pictureScene(t, testmesh.Torus(1, 0.4, 60, 30), Options{}, r3.Vector{X: 1}, r3.Vector{X: 3}, r3.Vector{X: 1.4})
	var want []byte
	for _, workers := range []int{1, 3, 8} {
		var b bytes.Buffer
		if err := s.WritePicture(t.Context(), &b, PictureOptions{Width: 300, Height: 200, Workers: workers}); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = b.Bytes()
			if _, err := png.Decode(&b); err != nil {
				t.Fatal(err)
			}
		} else if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%d workers: the picture differs", workers)
		}
	}
}

// A picture of nothing, of a flat mesh or of a single point is no error. The texts leave at least
// half of the height to the drawing in pictures of all sizes.
func TestPictureExtremes(t *testing.T) {
	long := strings.Repeat("a very long name with \x1b and Ω and 漢 ", 20)
	for _, c := range []struct {
		name string
		s    *Scene
	}{
		{"empty", pictureScene(t, mesh.Soup{}, Options{})},
		{"points alone", pictureScene(t, mesh.Soup{}, Options{Name: long}, r3.Vector{X: 1}, r3.Vector{Y: 2})},
		{"one point", pictureScene(t, mesh.Soup{}, Options{}, r3.Vector{X: 1})},
		{"flat", pictureScene(t, testmesh.Sheet(3), Options{Name: long, PointsName: long})},
		{"sphere", pictureScene(t, testmesh.Soup(testmesh.Sphere(2)), Options{Name: long, PointsName: long}, r3.Vector{X: math.NaN()}, r3.Vector{})},
	} {
		for _, size := range [][2]int{{64, 64}, {64, 300}, {700, 64}, {320, 200}} {
			opt := PictureOptions{Width: size[0], Height: size[1]}
			img := mustPicture(t, c.s, opt)
			if img.Rect.Dx() != size[0] || img.Rect.Dy() != size[1] {
				t.Errorf("%s: size %v, want %v", c.name, img.Rect, size)
			}
			p := painter{scene: c.s, opt: opt}
			if l, err := p.layout(); err != nil || 2*l.room.Dy() < size[1]-2 {
				t.Errorf("%s, size %v: %v, room %v", c.name, size, err, l.room)
			}
		}
	}
}

func TestPictureErrors(t *testing.T) {
	s := pictureScene(t, testmesh.UnitCube(), Options{})
	for _, opt := range []PictureOptions{
		{Width: 63, Height: 100}, {Width: 100}, {Height: 100}, {Width: MaxPicture + 1, Height: 100}, {Theme: 2}, {Theme: -1},
		{From: &Direction{0, 91}}, {From: &Direction{math.NaN(), 0}}, {From: &Direction{math.Inf(1), 0}}, {From: &Direction{0, math.NaN()}},
	} {
		if err := s.WritePicture(t.Context(), &bytes.Buffer{}, opt); err == nil {
			t.Errorf("%+v: no error", opt)
		}
	}
	if err := s.WritePicture(t.Context(), &bytes.Buffer{}, PictureOptions{Cut: true}); !errors.Is(err, ErrNoCut) {
		t.Errorf("error %v, want %v", err, ErrNoCut)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.WritePicture(ctx, &bytes.Buffer{}, PictureOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	solid, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), solid, nil, Options{Up: "w"}); err == nil {
		t.Error("Up w: no error")
	}
}

func TestDirection(t *testing.T) {
	for _, c := range []struct {
		text string
		up   int
		back r3.Vector
	}{
		{"front", 2, r3.Vector{Y: -1}}, {"right", 2, r3.Vector{X: 1}}, {"back", 2, r3.Vector{Y: 1}}, {"Left ", 2, r3.Vector{X: -1}},
		{"top", 2, r3.Vector{Z: 1}}, {"bottom", 2, r3.Vector{Z: -1}}, {"450, 0", 2, r3.Vector{X: 1}}, {"-90,0", 2, r3.Vector{X: -1}},
		{"front", 1, r3.Vector{Z: 1}}, {"right", 1, r3.Vector{X: 1}}, {"top", 1, r3.Vector{Y: 1}},
		{"front", 0, r3.Vector{Z: -1}}, {"right", 0, r3.Vector{Y: 1}}, {"top", 0, r3.Vector{X: 1}},
		{"0,30", 2, r3.Vector{Y: -math.Sqrt(3) / 2, Z: 0.5}},
	} {
		d, err := ParseDirection(c.text)
		if err != nil {
			t.Fatal(err)
		}
		right, up, back := d.axes(c.up)
		if back.Sub(c.back).Norm() > 1e-15 {
			t.Errorf("%s, up %d: viewer at %v, want %v", c.text, c.up, back, c.back)
		}
		if right.Cross(up).Sub(back).Norm() > 1e-15 || math.Abs(right.Norm()-1) > 1e-15 || math.Abs(up.Norm()-1) > 1e-15 {
			t.Errorf("%s, up %d: axes %v, %v, %v are no right-handed system", c.text, c.up, right, up, back)
		}
		if axis(up, c.up) < 0 {
			t.Errorf("%s, up %d: the picture is upside down", c.text, c.up)
		}
	}
	for _, text := range []string{"", "up", "1", "1,2,3", "0,91", "nan,0", "inf,0", "0,nan"} {
		if _, err := ParseDirection(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func TestShortened(t *testing.T) {
	l, err := newLettering(16)
	if err != nil {
		t.Fatal(err)
	}
	const text = "a long name of a file.stl"
	if got := l.shortened(text, 1000); got != text {
		t.Errorf("%q", got)
	}
	for _, width := range []float64{35, 60, 120} {
		got := l.shortened(text, width)
		if l.width(got) > width || !strings.Contains(got, "…") || !strings.HasPrefix(got, "a") || !strings.HasSuffix(got, "l") {
			t.Errorf("width %g: %q", width, got)
		}
	}
	if got := l.shortened(text, 1); got != "…" {
		t.Errorf("%q", got)
	}
}
