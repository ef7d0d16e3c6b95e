package mesh_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/inpoly/inpoly/mesh"
)

func foam(t *testing.T, opt mesh.FoamOptions) *mesh.Mesh {
	t.Helper()
	m, err := mesh.Foam(t.Context(), opt)
	if err != nil {
		t.Fatalf("%+v: %v", opt, err)
	}
	return m
}

// TestFoamSizes checks foams of the sizes in Muth et al. 2006, §3.2. The largest foam is validated
// only if INPOLY_FULL is set. The foams are the same in each version and on each platform, so that
// experiments with them can be repeated.
func TestFoamSizes(t *testing.T) {
	for _, c := range []struct {
		resolution, ours, paper int
		digest                  string
	}{{20, 28_792, 28_952, "6e27d416d749914d"}, {38, 118_304, 120_868, "842e10c9348732f0"}, {75, 488_448, 494_124, "02938c339b692c6a"}} {
		m := foam(t, mesh.FoamOptions{Resolution: c.resolution})
		if c.resolution < 75 || os.Getenv("INPOLY_FULL") == "1" {
			if err := m.Validate(); err != nil {
				t.Errorf("resolution %d: %v", c.resolution, err)
			}
		}
		checkFoam(t, fmt.Sprintf("resolution %d", c.resolution), m, 1)
		if off := math.Abs(float64(m.NumFaces())/float64(c.paper) - 1); off > 0.03 || m.NumFaces() != c.ours {
			t.Errorf("resolution %d: %d faces, want %d, within 3 %% of %d", c.resolution, m.NumFaces(), c.ours, c.paper)
		}
		if got := digest(t, m); got != c.digest {
			t.Errorf("resolution %d: the digest of the mesh is %s, want %s", c.resolution, got, c.digest)
		}
	}
}

// A foam whose number of cells is not a cube number is the same in each version and on each platform too.
func TestFoamStaysSame(t *testing.T) {
	m := foam(t, mesh.FoamOptions{Cells: 110, Resolution: 24, Seed: 1})
	if got, want := digest(t, m), "1621d86a6067177c"; got != want {
		t.Errorf("the digest of the mesh is %s, want %s", got, want)
	}
}

func checkFoam(t *testing.T, name string, m *mesh.Mesh, size float64) {
	t.Helper()
	d := diagnose(t, m)
	if !d.Watertight || d.ZeroArea+d.Collapsed > 0 || len(d.Components) != 1 || d.DuplicateFaces > 0 || d.InwardComponents > 0 {
		t.Errorf("%s: watertight %v, %d zero-area faces, %d components, %d inward", name, d.Watertight, d.ZeroArea+d.Collapsed, len(d.Components), d.InwardComponents)
	}
	if share := d.Volume / (size * size * size); !(share > 0.01 && share < 0.9) {
		t.Errorf("%s: the foam fills %v of the cube", name, share)
	}
	// The surface of an open-cell foam has handles: V − E + F = 2 − 2·genus.
	if e := d.Vertices - d.Edges + d.Triangles; e%2 != 0 || e > 0 {
		t.Errorf("%s: Euler characteristic %d, want an even number below 1", name, e)
	}
	lo, hi := -0.01*size, 1.01*size
	if b := d.Box; b.Min.X < lo || b.Min.Y < lo || b.Min.Z < lo || b.Max.X > hi || b.Max.Y > hi || b.Max.Z > hi {
		t.Errorf("%s: box %v leaves the cube of edge %v", name, b, size)
	}
	checkRounded(t, name, m)
}

func TestFoamSeeds(t *testing.T) {
	var last *mesh.Mesh
	for seed := range uint64(12) {
		opt := mesh.FoamOptions{Resolution: 20, Cells: 8 + 5*int(seed)%20, Strut: 0.15 + 0.01*float64(seed), Seed: seed, Size: 0.1 * float64(1+seed*seed)}
		m := foam(t, opt)
		if err := m.Validate(); err != nil {
			t.Errorf("%+v: %v", opt, err)
		}
		checkFoam(t, fmt.Sprintf("%+v", opt), m, opt.Size)
		if last != nil && slices.Equal(m.Faces, last.Faces) {
			t.Errorf("%+v gives the same foam as the previous seed", opt)
		}
		last = m
		opt.Workers = 1 + int(seed)%3
		if again := foam(t, opt); !slices.Equal(again.Faces, m.Faces) || !slices.Equal(again.Vertices, m.Vertices) {
			t.Errorf("%+v gives two different foams", opt)
		}
	}
}

// Only the seed changes the cells: two foams that differ in nothing else have different faces.
func TestFoamSeedMatters(t *testing.T) {
	a, b := foam(t, mesh.FoamOptions{Resolution: 12, Seed: 1}), foam(t, mesh.FoamOptions{Resolution: 12, Seed: 2})
	if slices.Equal(a.Faces, b.Faces) {
		t.Error("the seeds 1 and 2 give the same foam")
	}
}

// With the default options, foams of any number of cells are closed. From 8 cells, the struts fill between a
// tenth and a third of the cube, and there are about 25·∛Cells·Resolution² triangles.
func TestFoamCells(t *testing.T) {
	largest := 110
	if os.Getenv("INPOLY_FULL") == "1" {
		largest = 1000
	}
	for _, cells := range []int{1, 2, 3, 5, 7, 8, 12, 26, 28, 64, 110, 343, 1000} {
		if cells > largest {
			continue
		}
		opt := mesh.FoamOptions{Cells: cells, Seed: uint64(cells)}
		var done, total int64
		opt.Progress = func(d, n int64) {
			if d != done && d != done+1 {
				t.Errorf("%d cells: progress %d after %d", cells, d, done)
			}
			done, total = d, n
		}
		m := foam(t, opt)
		checkFoam(t, fmt.Sprintf("%d cells", cells), m, 1)
		edge := math.Cbrt(float64(cells))
		resolution := math.Ceil(13 * edge)
		if done != total || total != int64(resolution)+1 {
			t.Errorf("%d cells: progress ended with %d of %d", cells, done, total)
		}
		d := diagnose(t, m)
		ratio := float64(m.NumFaces()) / (25 * edge * resolution * resolution)
		if cells >= 8 && (d.Volume < 0.1 || d.Volume > 0.33 || math.Abs(ratio-1) > 0.2) {
			t.Errorf("%d cells: volume %.3f, %.2f times the expected number of triangles", cells, d.Volume, ratio)
		}
	}
}

// A foam of thicker struts contains one of thinner struts, so its volume is larger.
func TestFoamStruts(t *testing.T) {
	previous := 0.0
	for _, strut := range []float64{0.1, 0.18, 0.3, 0.6, 1} {
		d := diagnose(t, foam(t, mesh.FoamOptions{Resolution: 40, Strut: strut}))
		if d.Volume <= previous {
			t.Errorf("strut %v: volume %v, of thinner struts %v", strut, d.Volume, previous)
		}
		previous = d.Volume
	}
}

func TestFoamRefuses(t *testing.T) {
	for _, opt := range []mesh.FoamOptions{
		{Resolution: 3}, {Resolution: mesh.MaxFoamResolution + 1}, {Resolution: -8}, {Cells: -1}, {Cells: mesh.MaxFoamCells + 1}, {Resolution: 8, Cells: 513},
		{Strut: -0.1}, {Strut: 1.1}, {Strut: math.NaN()}, {Size: -1}, {Size: math.NaN()}, {Size: mesh.MinLength / 2}, {Size: mesh.MaxLength * 2},
		{MaxFaces: -1}, {MaxFaces: mesh.MaxFaces + 1},
	} {
		if m, err := mesh.Foam(t.Context(), opt); m != nil || !errors.Is(err, mesh.ErrOption) {
			t.Errorf("%+v: error %v, want %v", opt, err, mesh.ErrOption)
		}
	}
	if m, err := mesh.Foam(t.Context(), mesh.FoamOptions{Resolution: 8, Strut: 1e-9}); m != nil || !errors.Is(err, mesh.ErrNoStrut) {
		t.Errorf("error %v, want %v", err, mesh.ErrNoStrut)
	}
	if m, err := mesh.Foam(t.Context(), mesh.FoamOptions{Resolution: 20, MaxFaces: 20_000}); m != nil || !errors.Is(err, mesh.ErrTooLarge) {
		t.Errorf("error %v, want %v", err, mesh.ErrTooLarge)
	}
	for _, opt := range []mesh.FoamOptions{{Size: mesh.MinLength}, {Size: mesh.MaxLength}} {
		opt.Resolution = 12
		checkFoam(t, fmt.Sprintf("%+v", opt), foam(t, opt), opt.Size)
	}
	ctx, cancel := context.WithCancel(t.Context())
	opt := mesh.FoamOptions{Resolution: 300, Progress: func(done, _ int64) {
		if done == 5 {
			cancel()
		}
	}}
	for range 2 { // the context ends during the first call, and has ended at the second
		if m, err := mesh.Foam(ctx, opt); m != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
	}
}
