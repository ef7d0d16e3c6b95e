package voxels

import (
	"hash/fnv"
	"math"
	"path/filepath"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
)

// For meshes of the corpus, fractions agree with the sides of random points. If the winding number
// of a mesh is 0 or 1 everywhere, the volume from the fractions also agrees with the volume of the
// mesh. By default, the test uses a sixth of the smaller meshes.
func TestCorpusFractions(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	tried, volumes, certain := 0, 0, 0
	for _, row := range rows {
		h := fnv.New32a()
		h.Write([]byte(row["path"]))
		if !testcorpus.Full() && (h.Sum32()%6 != 0 || len(row["bytes"]) > 6) {
			continue
		}
		s, err := inpoly.Open(t.Context(), filepath.Join(dir, row["path"]), inpoly.Options{})
		if err != nil || s.Mesh().Box().Empty() {
			continue // other tests check which files can be loaded
		}
		box := s.Mesh().Box()
		size := box.Size()
		longest := max(size.X, size.Y, size.Z)
		// Modeling programs do not use the divisors 13.7, 11.3 and 9.1. Faces therefore rarely lie on
		// boundaries of voxels.
		g, err := FitSpacing(box, r3.Vector{X: longest / 13.7, Y: longest / 11.3, Z: longest / 9.1})
		if err != nil {
			t.Logf("%s: %v", row["path"], err)
			continue
		}
		tried++
		got, sum := raw(t, s, g, Options{Quantity: Fraction, Samples: 3, Error: true, Float64: true})
		certain += checkVoxels(t, row["path"], s, g, got, 100)
		d := s.Report().Diagnosis
		if d.Watertight && d.ConsistentOrientation && len(d.Components) == 1 && row["self_intersection"] == "no-proper-crossing" && row["components"] == "1" {
			volumes++
			// The triangles do not cross, but they can touch. Touching does not change the volume.
			if off := math.Abs(sum.Volume - math.Abs(d.Volume)); !(off <= sum.VolumeError+d.VolumeError) {
				t.Errorf("%s: volume %g ± %g, the mesh has %g", row["path"], sum.Volume, sum.VolumeError, d.Volume)
			}
		}
	}
	t.Logf("%d meshes, %d volumes, %d certain voxels", tried, volumes, certain)
	if tried < 10 || volumes < 3 || certain < 1000 {
		t.Errorf("%d meshes, %d volumes, %d certain voxels: the test covers too little", tried, volumes, certain)
	}
}
