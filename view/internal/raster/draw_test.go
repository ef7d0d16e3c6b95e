package raster

import (
	"bytes"
	"context"
	"errors"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
)

// camera returns a camera at (0, 0, distance) that looks along −z at a picture of the given size.
func camera(width, height int, focal, distance float64) Camera {
	return Camera{Right: r3.Vector{X: 1}, Up: r3.Vector{Y: 1}, Back: r3.Vector{Z: 1}, Eye: r3.Vector{Z: distance},
		Focal: focal, Middle: [2]float64{float64(width) / 2, float64(height) / 2}, Near: 1e-3}
}

func plain(c Color) func(r3.Vector) (Color, float32) {
	return func(r3.Vector) (Color, float32) { return c, 1 }
}

// square returns a square at height z without lighting.
func square(half, z float32, c Color, opacity float32) Mesh {
	return Mesh{
		Vertices: [][3]float32{{-half, -half, z}, {half, -half, z}, {half, half, z}, {-half, half, z}},
		Faces:    [][3]uint32{{0, 1, 2}, {0, 2, 3}}, Opacity: opacity, Texture: plain(c),
	}
}

func draw(t *testing.T, s Scene) *image.NRGBA {
	t.Helper()
	img, err := s.Draw(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// coverage returns the area of white on black, in pixels.
func coverage(img *image.NRGBA) float64 {
	sum := 0.0
	for i := 0; i < len(img.Pix); i += 4 {
		sum += float64(linear(img.Pix[i]))
	}
	return sum
}

var (
	black, white     = Color{}, Color{1, 1, 1}
	red, green, blue = Color{1}, Color{0, 1}, Color{0, 0, 1}
)

// sphere returns an octahedron whose faces are divided n times, on the unit sphere.
func sphere(n int) (vertices [][3]float32, faces [][3]uint32) {
	unit := func(p r3.Vector) [3]float32 {
		p = p.Normalize()
		return [3]float32{float32(p.X), float32(p.Y), float32(p.Z)}
	}
	for _, x := range []float64{-1, 1} {
		for _, y := range []float64{-1, 1} {
			for _, z := range []float64{-1, 1} {
				faces = append(faces, [3]uint32{uint32(len(vertices)), uint32(len(vertices) + 1), uint32(len(vertices) + 2)})
				vertices = append(vertices, unit(r3.Vector{X: x}), unit(r3.Vector{Y: y}), unit(r3.Vector{Z: z}))
			}
		}
	}
	for range n {
		var next [][3]uint32
		for _, f := range faces {
			var mid [3]uint32
			for k := range f {
				mid[k] = uint32(len(vertices))
				vertices = append(vertices, unit(vector(vertices[f[k]]).Add(vector(vertices[f[(k+1)%3]]))))
			}
			next = append(next, [3]uint32{f[0], mid[0], mid[2]}, [3]uint32{mid[0], f[1], mid[1]}, [3]uint32{mid[2], mid[1], f[2]}, mid)
		}
		faces = next
	}
	return vertices, faces
}

// The outline of a sphere of radius 1 at distance d is a circle whose rays touch the sphere: its
// radius is focal/√(d²−1).
func TestSphereSilhouette(t *testing.T) {
	v, f := sphere(5)
	for _, d := range []float64{1.5, 3, 20} {
		s := Scene{Width: 300, Height: 300, Camera: camera(300, 300, 100*math.Sqrt(d*d-1), d)}
		s.Meshes = []Mesh{{Vertices: v, Faces: f, Opacity: 1, Texture: plain(white)}}
		img := draw(t, s)
		if got, want := coverage(img), math.Pi*100*100; math.Abs(got-want) > 0.003*want {
			t.Errorf("distance %g: area %.1f, want %.1f", d, got, want)
		}
		for y := range 300 {
			for x := range 300 {
				r := math.Hypot(float64(x)+0.5-150, float64(y)+0.5-150)
				if got := img.NRGBAAt(x, y).R; r < 98.5 && got != 255 || r > 101 && got != 0 {
					t.Fatalf("distance %g, pixel (%d, %d) at radius %.2f: %d", d, x, y, r, got)
				}
			}
		}
	}
}

// Balls have the same outline as spheres.
func TestBalls(t *testing.T) {
	s := Scene{Width: 200, Height: 200, Camera: camera(200, 200, 800, 20)}
	s.Balls = []Balls{{Centers: [][3]float32{{0, 0, 0}}, Radius: 1, Color: white, Opacity: 1}}
	lit := draw(t, s)
	covered := 0
	for i := 0; i < len(lit.Pix); i += 4 {
		if lit.Pix[i] > 0 {
			covered++
		}
	}
	if want := math.Pi * 40 * 40; math.Abs(float64(covered)-want) > 0.06*want {
		t.Errorf("%d pixels, want about %.0f", covered, want)
	}
	// The light comes from the top left.
	if a, b := lit.NRGBAAt(85, 85).R, lit.NRGBAAt(120, 120).R; a <= b {
		t.Errorf("brightness at the top left %d, at the bottom right %d", a, b)
	}
	// A ball is in front of a plane through its center, and is cut by a plane near its front.
	for _, c := range []struct {
		z    float32
		want bool
	}{{0, true}, {0.99, false}} {
		s.Meshes = []Mesh{square(0.5, c.z, black, 1)}
		if got := draw(t, s).NRGBAAt(108, 100).R > 0; got != c.want {
			t.Errorf("plane at %g: ball visible %v, want %v", c.z, got, c.want)
		}
	}
	// Small balls get a minimum size. Balls at the viewer are omitted.
	s = Scene{Width: 50, Height: 50, Camera: camera(50, 50, 100, 20)}
	s.Balls = []Balls{{Centers: [][3]float32{{0, 0, 0}}, Radius: 1e-6, MinSize: 3, Color: white, Opacity: 1}}
	if draw(t, s).NRGBAAt(25, 25).R == 0 {
		t.Error("a small ball is not visible")
	}
	s.Balls[0].Centers = [][3]float32{{0, 0, 20}, {0, 0, 30}, {float32(math.NaN()), 0, 0}, {float32(math.Inf(1)), 0, 0}, {1e30, 0, 0}}
	if got := coverage(draw(t, s)); got != 0 {
		t.Errorf("balls behind the viewer cover %g pixels", got)
	}
}

// A translucent sheet of random triangles has no seams: each sample belongs to exactly one triangle.
func TestSeams(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 24
	m := Mesh{Opacity: 0.5, Texture: plain(white)}
	for j := range n + 1 {
		for i := range n + 1 {
			x, y := float64(i)-n/2, float64(j)-n/2
			if i > 0 && i < n && j > 0 && j < n {
				x, y = x+0.5*(rng.Float64()-0.5), y+0.5*(rng.Float64()-0.5)
			}
			m.Vertices = append(m.Vertices, [3]float32{float32(x), float32(y), 0})
		}
	}
	for j := range uint32(n) {
		for i := range uint32(n) {
			a := j*(n+1) + i
			b, c, d := a+1, a+n+2, a+n+1
			if rng.IntN(2) == 0 {
				m.Faces = append(m.Faces, [3]uint32{a, b, c}, [3]uint32{a, c, d})
			} else {
				m.Faces = append(m.Faces, [3]uint32{d, b, a}, [3]uint32{b, c, d})
			}
		}
	}
	img := draw(t, Scene{Width: 151, Height: 149, Camera: camera(151, 149, 100, 10), Meshes: []Mesh{m}})
	want := encode(0.5)
	for y := range 149 {
		for x := range 151 {
			if got := img.NRGBAAt(x, y).R; max(got, want)-min(got, want) > 1 {
				t.Fatalf("pixel (%d, %d): %d, want %d", x, y, got, want)
			}
		}
	}
}

// The order of translucent objects in the lists does not matter, and the colors are those of the
// operator "over".
func TestDepthOrder(t *testing.T) {
	sheets := []Mesh{square(9, 0, red, 0.5), square(9, 1, green, 0.25), square(9, 2, blue, 0.75), square(9, -1, white, 1), square(9, -2, black, 1)}
	want := [3]uint8{}
	for k, v := range []float32{0.25*0.75*0.5 + 0.25*0.75*0.5, 0.25*0.25 + 0.25*0.75*0.5, 0.75 + 0.25*0.75*0.5} {
		want[k] = encode(v)
	}
	for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 4, 0, 3, 1}, {3, 0, 2, 1, 4}} {
		s := Scene{Width: 5, Height: 5, Camera: camera(5, 5, 5, 10)}
		for _, i := range order {
			s.Meshes = append(s.Meshes, sheets[i])
		}
		got := draw(t, s).NRGBAAt(2, 2)
		for k, v := range [3]uint8{got.R, got.G, got.B} {
			if max(v, want[k])-min(v, want[k]) > 1 {
				t.Errorf("order %v: color %v, want %v", order, got, want)
			}
		}
	}
}

// Surfaces that intersect are cut at their common line.
func TestIntersection(t *testing.T) {
	tilted := Mesh{Vertices: [][3]float32{{-5, -5, -5}, {5, -5, 5}, {5, 5, 5}, {-5, 5, -5}}, Faces: [][3]uint32{{0, 1, 2}, {0, 2, 3}}, Opacity: 1, Texture: plain(red)}
	img := draw(t, Scene{Width: 40, Height: 40, Camera: camera(40, 40, 400, 100), Meshes: []Mesh{square(5, 0, green, 1), tilted}})
	for x := range 40 {
		if got := img.NRGBAAt(x, 20); got.R > 0 != (x >= 20) || got.G > 0 != (x < 20) {
			t.Errorf("column %d: %v", x, got)
		}
	}
}

// If there are too many layers, the nearest ones and the opaque one remain, in any order.
func TestManyLayers(t *testing.T) {
	var want *image.NRGBA
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		s := Scene{Width: 3, Height: 3, Camera: camera(3, 3, 3, 100)}
		for _, i := range rng.Perm(40) {
			switch {
			case i == 30:
				s.Meshes = append(s.Meshes, square(90, -30, white, 1))
			case i == 35:
				s.Meshes = append(s.Meshes, square(90, -35, red, 1))
			default:
				s.Meshes = append(s.Meshes, square(90, -float32(i), Color{0, float32(i) / 40, 0.5}, 0.05))
			}
		}
		got := draw(t, s)
		if want == nil {
			want = got
			// Eleven layers let 0.95¹¹ of the light of the opaque layer pass.
			if r := got.NRGBAAt(1, 1).R; math.Abs(float64(linear(r))-math.Pow(0.95, layers-1)) > 0.01 {
				t.Errorf("red %d: the opaque layer is missing", r)
			}
		} else if !bytes.Equal(got.Pix, want.Pix) {
			t.Fatalf("color %v, with another order %v", got.NRGBAAt(1, 1), want.NRGBAAt(1, 1))
		}
	}
}

// A triangle of more tiles than wide fills the picture.
func TestLargeTriangle(t *testing.T) {
	const size = 9 * tileSize
	if tiles := (size / tileSize) * (size / tileSize); tiles <= wide {
		t.Fatalf("%d tiles are not many", tiles)
	}
	img := draw(t, Scene{Width: size, Height: size, Camera: camera(size, size, size, 1), Meshes: []Mesh{square(1, 0, white, 1)}})
	if got := coverage(img); got != size*size {
		t.Errorf("%g of %d pixels", got, size*size)
	}
}

// A plane that passes below the viewer fills the picture up to the horizon.
func TestClipping(t *testing.T) {
	for _, far := range []float32{1e3, 1e9, 1e18, 1e30} {
		ground := Mesh{Vertices: [][3]float32{{-far, -1, -far}, {far, -1, -far}, {far, -1, far}, {-far, -1, far}},
			Faces: [][3]uint32{{0, 1, 2}, {0, 2, 3}}, Opacity: 1, Texture: plain(white)}
		s := Scene{Width: 64, Height: 64, Camera: camera(64, 64, 64, 0), Meshes: []Mesh{ground}}
		img := draw(t, s)
		for y := range 64 {
			for x := range 64 {
				if got := img.NRGBAAt(x, y).R; y < 31 && got != 0 || y > 32 && got != 255 {
					t.Fatalf("far %g, pixel (%d, %d): %d", far, x, y, got)
				}
			}
		}
		if far > 1e9 {
			continue // heights are interpolated and have an error of far/2⁵³
		}
		// The half-space x ≤ 0 is the left half of the picture.
		s.Meshes[0].Clip = &HalfSpace{Normal: r3.Vector{X: 1}}
		img = draw(t, s)
		for x := range 64 {
			if got := img.NRGBAAt(x, 60).R; (got == 255) != (x < 32) {
				t.Fatalf("far %g, clipped, column %d: %d", far, x, got)
			}
		}
		// A line from behind the viewer ends at the middle of the picture.
		s.Meshes = nil
		s.Lines = []Lines{{Ends: [][2][3]float32{{{0, -1, far}, {0, -1, -far}}}, Width: 3, Color: white, Opacity: 1}}
		img = draw(t, s)
		if img.NRGBAAt(32, 60).R != 255 || img.NRGBAAt(32, 20).R != 0 || img.NRGBAAt(20, 60).R != 0 {
			t.Errorf("far %g: the line is misplaced", far)
		}
	}
}

func TestNothingToDraw(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	s := Scene{Width: 33, Height: 7, Camera: camera(33, 7, 10, 5), Background: SRGB(10, 20, 30)}
	s.Meshes = []Mesh{
		{},
		{Vertices: [][3]float32{{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {nan, 0, 0}, {0, inf, 0}, {0, 1, 0}}, Opacity: 1, Color: white,
			Faces: [][3]uint32{{0, 0, 0}, {0, 1, 1}, {0, 1, 2}, {0, 1, 3}, {0, 4, 1}}},
		{Vertices: [][3]float32{{0, 0, 6}, {1, 0, 6}, {0, 1, 6}}, Faces: [][3]uint32{{0, 1, 2}}, Opacity: 1, Color: white}, // behind the viewer
	}
	s.Lines = []Lines{{}, {Ends: [][2][3]float32{{{nan, 0, 0}, {0, 0, 0}}, {{0, 0, 8}, {1, 0, 9}}}, Width: 2, Color: white, Opacity: 1}}
	s.Balls = []Balls{{}}
	img := draw(t, s)
	for i := 0; i < len(img.Pix); i += 4 {
		if !bytes.Equal(img.Pix[i:i+4], []uint8{10, 20, 30, 255}) {
			t.Fatalf("pixel %d: %v", i/4, img.Pix[i:i+4])
		}
	}
}

// A point is drawn as a square of the width of the line. Lines of one set that overlap are drawn
// once. Opaque objects hide lines partly.
func TestLines(t *testing.T) {
	s := Scene{Width: 64, Height: 64, Camera: camera(64, 64, 64, 1)}
	ends := [][2][3]float32{{{-0.3, 0, 0}, {0.3, 0, 0}}, {{-0.3, 0, 0}, {0.3, 0, 0}}, {{0, -0.3, 0}, {0, 0.3, 0}}, {{0.4, 0.4, 0}, {0.4, 0.4, 0}}}
	s.Lines = []Lines{{Ends: ends, Width: 6, Color: white, Opacity: 0.5}}
	img := draw(t, s)
	once := encode(0.5)
	for _, p := range [][2]int{{20, 32}, {32, 32}, {32, 20}, {57, 6}} {
		if got := img.NRGBAAt(p[0], p[1]).R; max(got, once)-min(got, once) > 1 {
			t.Errorf("pixel %v: %d, want %d", p, got, once)
		}
	}
	if img.NRGBAAt(20, 20).R != 0 {
		t.Error("a line covers a pixel beside it")
	}
	for _, hidden := range []float32{0, 0.25} {
		s.Lines[0].Opacity, s.Lines[0].Hidden = 1, hidden
		s.Meshes = []Mesh{square(5, 0.5, black, 1)}
		if got, want := draw(t, s).NRGBAAt(20, 32).R, encode(hidden); max(got, want)-min(got, want) > 1 {
			t.Errorf("hidden %g: %d, want %d", hidden, got, want)
		}
	}
}

// The color of the back side depends on the orientation.
func TestBack(t *testing.T) {
	back := red
	m := square(5, 0, white, 1)
	m.Texture, m.Color, m.Back = nil, green, &back
	front := draw(t, Scene{Width: 9, Height: 9, Camera: camera(9, 9, 9, 5), Meshes: []Mesh{m}}).NRGBAAt(4, 4)
	m.Faces = [][3]uint32{{0, 2, 1}, {0, 3, 2}}
	behind := draw(t, Scene{Width: 9, Height: 9, Camera: camera(9, 9, 9, 5), Meshes: []Mesh{m}}).NRGBAAt(4, 4)
	if front.G <= front.R || behind.R <= behind.G {
		t.Errorf("front %v, back %v", front, behind)
	}
}

// cloud returns a scene of random objects of all kinds.
func cloud(seed uint64) Scene {
	rng := rand.New(rand.NewPCG(seed, 7))
	point := func(size float64) [3]float32 {
		return [3]float32{float32(size * rng.NormFloat64()), float32(size * rng.NormFloat64()), float32(size * rng.NormFloat64())}
	}
	s := Scene{Width: 130, Height: 97, Camera: camera(130, 97, 120, 4), Background: SRGB(255, 255, 255), Fog: Fog{3, 6, 0.3}}
	for _, opacity := range []float32{1, 0.2} {
		m := Mesh{Color: SRGB(80, 120, 200), Opacity: opacity, Rim: 0.7}
		for i := range uint32(400) {
			c := point(1)
			for range 3 {
				d := point(0.3)
				m.Vertices = append(m.Vertices, [3]float32{c[0] + d[0], c[1] + d[1], c[2] + d[2]})
			}
			m.Faces = append(m.Faces, [3]uint32{3 * i, 3*i + 1, 3*i + 2})
		}
		s.Meshes = append(s.Meshes, m)
	}
	l := Lines{Width: 2, Color: SRGB(200, 0, 0), Opacity: 0.8, Hidden: 0.3}
	b := Balls{Radius: 0.05, Color: SRGB(0, 160, 0), Opacity: 1}
	for range 100 {
		l.Ends = append(l.Ends, [2][3]float32{point(1), point(1)})
		b.Centers = append(b.Centers, point(1))
	}
	s.Lines, s.Balls = []Lines{l}, []Balls{b}
	return s
}

func TestWorkersDeterministic(t *testing.T) {
	for seed := range uint64(3) {
		s := cloud(seed)
		var want []uint8
		for _, workers := range []int{1, 2, 7} {
			img, err := s.Draw(t.Context(), workers)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = img.Pix
			} else if !bytes.Equal(img.Pix, want) {
				t.Fatalf("seed %d: %d workers draw another picture", seed, workers)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, size := range [][2]int{{0, 1}, {1, -1}, {MaxSize + 1, 1}, {1, MaxSize + 1}} {
		s := Scene{Width: size[0], Height: size[1]}
		if _, err := s.Draw(t.Context(), 1); err == nil {
			t.Errorf("size %v: no error", size)
		}
	}
	for _, c := range []Camera{{}, {Near: 1}, {Focal: 1}, {Near: math.NaN(), Focal: 1}} {
		s := Scene{Width: 1, Height: 1, Camera: c}
		if _, err := s.Draw(t.Context(), 1); err == nil {
			t.Errorf("camera %+v: no error", c)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := cloud(1)
	if _, err := s.Draw(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if _, err := Smooth(ctx, s.Meshes[0].Vertices, s.Meshes[0].Faces, 1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Smooth: error %v, want %v", err, context.Canceled)
	}
}

// All 8-bit colors survive the conversion to linear light and back.
func TestSRGB(t *testing.T) {
	for v := range 256 {
		if got := encode(linear(uint8(v))); got != uint8(v) {
			t.Errorf("%d becomes %d", v, got)
		}
	}
}

// FuzzDraw draws arbitrary triangles. Draw must not panic, and background must remain where no
// triangle can be.
func FuzzDraw(f *testing.F) {
	f.Add(float32(0), float32(0), float32(0), float32(1), float32(0), float32(0), float32(0), float32(1), float32(0), true)
	f.Add(float32(1e38), float32(-1e38), float32(5), float32(1), float32(1e-40), float32(4.9999), float32(0), float32(3e38), float32(-1e38), false)
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g, h, i, j float32, clip bool) {
		m := Mesh{Vertices: [][3]float32{{a, b, c}, {d, e, g}, {h, i, j}}, Faces: [][3]uint32{{0, 1, 2}, {2, 1, 0}}, Color: white, Opacity: 0.5, Rim: 0.9}
		if clip {
			m.Clip = &HalfSpace{Normal: r3.Vector{X: 0.6, Y: 0.8}, Offset: 0.1}
		}
		s := Scene{Width: 40, Height: 36, Camera: camera(40, 36, 30, 5), Meshes: []Mesh{m}, Fog: Fog{1, 9, 0.5}}
		s.Lines = []Lines{{Ends: [][2][3]float32{{m.Vertices[0], m.Vertices[1]}}, Width: 2, Color: white, Opacity: 1, Hidden: 0.5}}
		s.Balls = []Balls{{Centers: m.Vertices, Radius: 0.1, MinSize: 1, Color: white, Opacity: 1}}
		smooth, err := Smooth(t.Context(), m.Vertices, m.Faces, 0.6, 1)
		if err != nil {
			t.Fatal(err)
		}
		s.Meshes[0].Normals = smooth.Normals
		if _, err := s.Draw(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	})
}
