package blocks

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// TestStrata compares the shares of layers that share their walls with the shares of each layer alone. The layers
// do not overlap, so the shares are equal, and all bounds must be tiny.
func TestStrata(t *testing.T) {
	q, err := Rotation(20, -15, 40)
	if err != nil {
		t.Fatal(err)
	}
	for name, far := range map[string]r3.Vector{"near": {}, "far": {X: 412345.5, Y: 7654321.25, Z: -300}} {
		limit := 1e-10
		if name == "far" {
			limit = 1e-5
		}
		var solids []*inpoly.Solid
		for _, s := range testmesh.Strata(12, 3, 0) {
			solids = append(solids, solidOf(t, testmesh.Mesh(testmesh.Translate(s, far)), inpoly.Options{}))
		}
		straight := Frame{Origin: r3.Vector{X: -0.21, Y: -0.23, Z: -0.57}.Add(far), Size: r3.Vector{X: 0.53, Y: 0.43, Z: 0.39}, Counts: [3]int{8, 9, 12}}
		turned := Frame{Origin: r3.Vector{X: -1.21, Y: 0.6, Z: -0.57}.Add(far), Size: r3.Vector{X: 0.53, Y: 0.43, Z: 0.39}, Counts: [3]int{8, 9, 12}, Rotation: q}
		onWalls := Frame{Origin: far.Add(r3.Vector{Z: -0.3}), Size: r3.Vector{X: 0.25, Y: 0.25, Z: 0.3}, Counts: [3]int{12, 12, 13}} // its planes are edges of the layers
		for i, f := range []Frame{straight, turned, onWalls} {
			all := modelOf(t, f, Options{}, solids...)
			for s, solid := range solids {
				alone := modelOf(t, f, Options{}, solid)
				for k := range alone.Rows {
					x, e, y, d := all.Shares[s][k], all.Bounds[s][k], alone.Shares[0][k], alone.Bounds[0][k]
					if !(math.Abs(x-y) <= e+d+1e-15) || e > limit {
						t.Fatalf("%s, frame %d, row %+v, layer %d: share %g ± %g, alone %g ± %g", name, i, all.Rows[k], s, x, e, y, d)
					}
				}
			}
		}
	}
}

// TestCommonWalls compares the shares of meshes that store a common wall twice, as the same triangles, with the sum of
// the shares of their parts. All bounds must be tiny, also with other solids and without priorities.
func TestCommonWalls(t *testing.T) {
	layers := testmesh.Strata(8, 2, 0)
	both := solidOf(t, testmesh.Mesh(testmesh.Union(layers...)), inpoly.Options{Orient: inpoly.OrientNever})
	far := solidOf(t, testmesh.Mesh(testmesh.Translate(testmesh.UnitCube(), r3.Vector{X: 100})), inpoly.Options{})
	var parts []*inpoly.Solid
	for _, s := range layers {
		parts = append(parts, solidOf(t, testmesh.Mesh(s), inpoly.Options{}))
	}
	f := Frame{Origin: r3.Vector{X: -0.21, Y: -0.23, Z: -0.57}, Size: r3.Vector{X: 0.53, Y: 0.43, Z: 0.39}, Counts: [3]int{8, 9, 12}}
	for _, turned := range []bool{false, true} {
		if turned {
			f.Rotation, _ = Rotation(20, -15, 40)
		}
		want := modelOf(t, f, Options{}, parts...)
		for name, c := range map[string]struct {
			opt    Options
			solids []*inpoly.Solid
		}{
			"alone": {Options{}, []*inpoly.Solid{both}}, "with another solid": {Options{}, []*inpoly.Solid{far, both}},
			"without priorities": {Options{Overlap: true}, []*inpoly.Solid{parts[0], both}},
		} {
			got := modelOf(t, f, c.opt, c.solids...)
			s := len(c.solids) - 1
			for k := range got.Rows {
				x, e := got.Shares[s][k], got.Bounds[s][k]
				y, d := want.Shares[0][k]+want.Shares[1][k], want.Bounds[0][k]+want.Bounds[1][k]
				if !(math.Abs(x-y) <= e+d+1e-15) || e > 1e-10 {
					t.Fatalf("%s, turned %v, row %+v: share %g ± %g, want %g ± %g", name, turned, got.Rows[k], x, e, y, d)
				}
			}
		}
	}
}

// TestOwners compares the shares of several solids with and without a partition. Solids are nested, equal, turned
// inside out, overlap, touch and share parts of their surfaces.
func TestOwners(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 4))
	catalog := testmesh.Catalog()
	n := 60
	if os.Getenv("INPOLY_FULL") != "" {
		n = 2000
	}
	exact, blocks := 0, 0
	for range n {
		var soups []mesh.Soup
		box := bvh.EmptyBox()
		for range 2 + r.IntN(3) {
			s := catalog[r.IntN(len(catalog))].Soup
			m := testmesh.Mesh(s)
			if b := m.Box(); b.Empty() || b.Size().Norm() > 1e6 || b.Size().Norm() < 1e-6 || m.NumFaces() > 2000 {
				continue
			}
			if len(soups) > 0 {
				switch r.IntN(4) {
				case 0: // equal to an earlier solid
					s = soups[r.IntN(len(soups))]
				case 1: // inside an earlier solid
					s = testmesh.Scale(soups[r.IntN(len(soups))], 0.5)
				case 2: // moved along an axis
					s = testmesh.Translate(soups[r.IntN(len(soups))], r3.Vector{X: testmesh.Mesh(s).Box().Size().X / 2})
				}
			}
			soups = append(soups, s)
			b := testmesh.Mesh(s).Box()
			box = box.Add(b.Min).Add(b.Max)
		}
		var solids []*inpoly.Solid
		for _, s := range soups {
			rule := []inpoly.Rule{inpoly.NonZero, inpoly.Positive, inpoly.EvenOdd, inpoly.Negative}[r.IntN(4)]
			solids = append(solids, solidOf(t, testmesh.Mesh(s), inpoly.Options{Rule: rule, Orient: inpoly.OrientNever}))
		}
		if len(solids) == 0 {
			continue
		}
		f := around(box, 3)
		if r.IntN(3) == 0 {
			f.Rotation, _ = Rotation(90*float64(r.IntN(4)), 360*r.Float64(), 0)
		}
		if f.Check() != nil {
			continue // flat meshes
		}
		m, err := New(t.Context(), solids, f.Pose(), Options{Levels: 2})
		if err != nil {
			continue // an open mesh with edges that are too short
		}
		var got, want Rows
		if err := m.Worker(t.Context()).Grid(&got, &f, [3]int{}, f.Counts); err != nil {
			t.Fatal(err)
		}
		clear(m.partitions)
		if err := m.Worker(t.Context()).Grid(&want, &f, [3]int{}, f.Counts); err != nil {
			t.Fatal(err)
		}
		for s := range solids {
			for k := range got.Rows {
				x, e, y, d := got.Shares[s][k], got.Bounds[s][k], want.Shares[s][k], want.Bounds[s][k]
				// An interval of a given width has a bound between half of the width and the width.
				if !(math.Abs(x-y) <= e+d+1e-14) || e > 2*d+1e-9 {
					t.Fatalf("row %+v, solid %d of %d: share %g ± %g, without the partition %g ± %g", got.Rows[k], s, len(solids), x, e, y, d)
				}
				if blocks++; e < 1e-9 && d > 1e-3 {
					exact++
				}
			}
		}
	}
	t.Logf("the partition makes %d of %d shares exact", exact, blocks)
	if exact == 0 {
		t.Error("the partition makes no share exact")
	}
}
