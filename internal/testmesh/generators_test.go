package testmesh

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/inpoly/inpoly/mesh"
)

func TestSphere(t *testing.T) {
	previous := 0.0
	for k := range 7 {
		m := Sphere(k)
		if k < 5 {
			if err := m.Validate(); err != nil {
				t.Fatalf("level %d: %v", k, err)
			}
		}
		d := diagnose(t, m)
		if want := 8 << (2 * k); d.Triangles != want || d.Vertices != want/2+2 {
			t.Errorf("level %d: %d triangles, %d vertices, want %d, %d", k, d.Triangles, d.Vertices, want, want/2+2)
		}
		if !d.Watertight || d.InwardComponents != 0 || d.ZeroArea != 0 || len(d.Components) != 1 {
			t.Errorf("level %d: %+v", k, d)
		}
		for _, p := range m.Vertices {
			// Sphere and Norm round sums of squares, square roots and quotients.
			if math.Abs(p.Norm()-1) > 8*0x1p-53 {
				t.Errorf("level %d: vertex %v is %g off the sphere", k, p, p.Norm()-1)
			}
		}
		// The error of the volume is proportional to the square of the edge length. Every level
		// halves the edges, so it divides the error by 4. The binary logarithm of this factor, the
		// slope, is 2. At level 4, the next term of the error, with the fourth power of the edge
		// length, changes the slope by 0.017.
		loss := 4*math.Pi/3 - d.Volume
		if k >= 4 {
			if slope := math.Log2(previous / loss); math.Abs(slope-2) > 0.02 {
				t.Errorf("level %d: the volume converges with slope %.3f, want 2", k, slope)
			}
		}
		previous = loss
	}
}

func TestPanics(t *testing.T) {
	panics := func(f func()) (does bool) {
		defer func() { does = recover() != nil }()
		f()
		return
	}
	for _, levels := range []int{-1, maxSphereLevels + 1} {
		if !panics(func() { Sphere(levels) }) {
			t.Errorf("Sphere(%d) does not panic", levels)
		}
	}
	for _, opt := range []FoamOptions{
		{Resolution: 3}, {Resolution: MaxFoamResolution + 1}, {Resolution: -8}, {Cells: -1}, {Resolution: 8, Cells: 9},
		{Strut: -0.1}, {Strut: 1.1}, {Strut: math.NaN()}, {Resolution: 8, Strut: 1e-9},
	} {
		if !panics(func() { Foam(opt) }) {
			t.Errorf("Foam(%+v) does not panic", opt)
		}
	}
}

// TestFoamSizes checks foams of the sizes in Muth et al. 2006, §3.2. The largest foam is validated
// only if INPOLY_FULL is set.
func TestFoamSizes(t *testing.T) {
	for resolution, want := range map[int]int{20: 28952, 38: 120868, 75: 494124} {
		m := Foam(FoamOptions{Resolution: resolution})
		if resolution < 75 || os.Getenv("INPOLY_FULL") == "1" {
			if err := m.Validate(); err != nil {
				t.Errorf("resolution %d: %v", resolution, err)
			}
		}
		checkFoam(t, fmt.Sprintf("resolution %d", resolution), m)
		if off := math.Abs(float64(m.NumFaces())/float64(want) - 1); off > 0.03 {
			t.Errorf("resolution %d: %d faces, want %d within 3 %%", resolution, m.NumFaces(), want)
		}
	}
}

func checkFoam(t *testing.T, name string, m *mesh.Mesh) {
	t.Helper()
	d := diagnose(t, m)
	if !d.Watertight || d.ZeroArea+d.Collapsed > 0 || len(d.Components) != 1 || d.DuplicateFaces > 0 {
		t.Errorf("%s: watertight %v, %d zero-area faces, %d components", name, d.Watertight, d.ZeroArea+d.Collapsed, len(d.Components))
	}
	if !(d.Volume > 0.01 && d.Volume < 0.9) {
		t.Errorf("%s: volume %v of the unit cube", name, d.Volume)
	}
	// The surface of an open-cell foam has handles: V − E + F = 2 − 2·genus.
	if e := d.Vertices - d.Edges + d.Triangles; e%2 != 0 || e > 0 {
		t.Errorf("%s: Euler characteristic %d, want an even number below 1", name, e)
	}
	if b := d.Box; b.Min.X < -0.01 || b.Min.Y < -0.01 || b.Min.Z < -0.01 || b.Max.X > 1.01 || b.Max.Y > 1.01 || b.Max.Z > 1.01 {
		t.Errorf("%s: box %v leaves the unit cube", name, b)
	}
}

func TestFoamSeeds(t *testing.T) {
	var last *mesh.Mesh
	for seed := range uint64(12) {
		opt := FoamOptions{Resolution: 20, Cells: 2 + int(seed)%2, Strut: 0.15 + 0.01*float64(seed), Seed: seed}
		m := Foam(opt)
		if err := m.Validate(); err != nil {
			t.Errorf("%+v: %v", opt, err)
		}
		checkFoam(t, fmt.Sprintf("%+v", opt), m)
		if last != nil && slices.Equal(m.Faces, last.Faces) {
			t.Errorf("%+v gives the same foam as the previous seed", opt)
		}
		last = m
		again := Foam(opt)
		if !slices.Equal(again.Faces, m.Faces) || !slices.Equal(again.Vertices, m.Vertices) {
			t.Errorf("%+v gives two different foams", opt)
		}
	}
}

func diagnose(t *testing.T, m *mesh.Mesh) mesh.Diagnosis {
	t.Helper()
	d, err := m.Diagnose(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}
