package mesh_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// digest returns the first bytes of the SHA-256 of all coordinates and faces.
func digest(t *testing.T, m *mesh.Mesh) string {
	t.Helper()
	h := sha256.New()
	for _, data := range []any{m.Vertices, m.Faces} {
		if err := binary.Write(h, binary.LittleEndian, data); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// rounded returns m with coordinates that are rounded to float32, as STL has them, as a reader of STL welds
// them.
func rounded(t *testing.T, m *mesh.Mesh) *mesh.Mesh {
	t.Helper()
	s := mesh.Soup{Vertices: make([]r3.Vector, len(m.Vertices)), Faces: m.Faces}
	for i, v := range m.Vertices {
		s.Vertices[i] = r3.Vector{X: float64(float32(v.X)), Y: float64(float32(v.Y)), Z: float64(float32(v.Z))}
	}
	r, err := mesh.New(t.Context(), s, mesh.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkRounded checks that no vertices coincide and no face loses its area if the coordinates are rounded
// to float32.
func checkRounded(t *testing.T, name string, m *mesh.Mesh) {
	t.Helper()
	if r := rounded(t, m); len(r.Vertices) != len(m.Vertices) || !slices.Equal(r.Faces, m.Faces) || !r.Closed() || len(r.Degenerate()) > 0 {
		t.Errorf("%s: with float32 coordinates: %d of %d vertices, closed %v, %d faces without area",
			name, len(r.Vertices), len(m.Vertices), r.Closed(), len(r.Degenerate()))
	}
}

func TestSphere(t *testing.T) {
	previous, steps := 0.0, 8
	if os.Getenv("INPOLY_FULL") == "1" {
		steps = 11
	}
	for k := range steps {
		var calls []int64
		opt := mesh.SphereOptions{Refine: k, Progress: func(done, total int64) { calls = append(calls, done, total) }}
		m, err := mesh.Sphere(t.Context(), opt)
		if err != nil {
			t.Fatal(err)
		}
		if k < 5 {
			if err := m.Validate(); err != nil {
				t.Fatalf("%d steps: %v", k, err)
			}
		}
		d := diagnose(t, m)
		if want := 8 << (2 * k); d.Triangles != want || d.Vertices != want/2+2 || opt.Faces() != int64(want) {
			t.Errorf("%d steps: %d triangles, %d vertices, want %d, %d; Faces is %d", k, d.Triangles, d.Vertices, want, want/2+2, opt.Faces())
		}
		if !d.Watertight || d.InwardComponents != 0 || d.ZeroArea != 0 || len(d.Components) != 1 {
			t.Errorf("%d steps: %+v", k, d)
		}
		if len(calls) != 2*k || k > 0 && calls[2*k-2] != calls[2*k-1] {
			t.Errorf("%d steps: progress %v", k, calls)
		}
		checkRounded(t, fmt.Sprintf("%d steps", k), m)
		for _, p := range m.Vertices {
			// Sphere and Norm round sums of squares, square roots and quotients.
			if math.Abs(p.Norm()-1) > 8*0x1p-53 {
				t.Errorf("%d steps: vertex %v is %g off the sphere", k, p, p.Norm()-1)
			}
		}
		// The error of the volume is proportional to the square of the edge length. Each step
		// halves the edges, so it divides the error by 4. The binary logarithm of this factor, the
		// slope, is 2. After 4 steps, the next term of the error, with the fourth power of the edge
		// length, changes the slope by 0.017.
		loss := 4*math.Pi/3 - d.Volume
		if k >= 4 {
			if slope := math.Log2(previous / loss); math.Abs(slope-2) > 0.02 {
				t.Errorf("%d steps: the volume converges with slope %.3f, want 2", k, slope)
			}
		}
		previous = loss
	}
}

// Spheres of other radii have the same faces, and the coordinates of the unit sphere times the radius, up
// to rounding. They stay closed with float32 coordinates up to the limits of the radius.
func TestSphereRadius(t *testing.T) {
	unit, err := mesh.Sphere(t.Context(), mesh.SphereOptions{Refine: 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, radius := range []float64{mesh.MinLength, 1e-3, 0.1, 1, 25.4, 1e9, mesh.MaxLength} {
		m, err := mesh.Sphere(t.Context(), mesh.SphereOptions{Refine: 5, Radius: radius})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Faces, unit.Faces) {
			t.Errorf("radius %g: other faces", radius)
		}
		for i, v := range m.Vertices {
			if off := v.Sub(unit.Vertices[i].Mul(radius)).Norm(); off > 16*0x1p-53*radius {
				t.Fatalf("radius %g: vertex %v is %g from its place", radius, v, off)
			}
		}
		checkRounded(t, fmt.Sprintf("radius %g", radius), m)
	}
}

func TestSphereRefuses(t *testing.T) {
	for _, opt := range []mesh.SphereOptions{
		{Refine: -1}, {Refine: mesh.MaxRefine + 1}, {Radius: -1}, {Radius: math.NaN()}, {Radius: math.Inf(1)},
		{Radius: mesh.MinLength / 2}, {Radius: mesh.MaxLength * 2},
	} {
		if m, err := mesh.Sphere(t.Context(), opt); m != nil || !errors.Is(err, mesh.ErrOption) {
			t.Errorf("%+v: error %v, want %v", opt, err, mesh.ErrOption)
		}
	}
	if n := (mesh.SphereOptions{Refine: mesh.MaxRefine}).Faces(); n > mesh.MaxFaces || 4*n <= mesh.MaxFaces {
		t.Errorf("the finest sphere has %d faces, the largest mesh %d", n, mesh.MaxFaces)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancelAt := mesh.SphereOptions{Refine: 9, Progress: func(done, _ int64) {
		if done > 1000 {
			cancel()
		}
	}}
	for range 2 { // the context ends during the first call, and has ended at the second
		if m, err := mesh.Sphere(ctx, cancelAt); m != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
	}
}

// The spheres of figures 7 to 10 of Muth, Of, Eberhard, Steinbach 2006 are the same in each version of this
// package and on each platform, so that experiments with them can be repeated.
func TestSphereStaysSame(t *testing.T) {
	for k, want := range []string{"d48598d770dd09bb", "7580e7b654c29203", "ed6c855c0a8d1031", "496a812a1c9ba345",
		"dae7c4eeac045f4b", "341129be48b607da", "63f541028f599350", "0339eaff33371bcf"} {
		m, err := mesh.Sphere(t.Context(), mesh.SphereOptions{Refine: k})
		if err != nil {
			t.Fatal(err)
		}
		if got := digest(t, m); got != want {
			t.Errorf("%d steps: the digest of the mesh is %s, want %s", k, got, want)
		}
	}
}
