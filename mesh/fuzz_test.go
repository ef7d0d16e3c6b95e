package mesh_test

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// FuzzNew welds and diagnoses soups from arbitrary bytes. The bytes of a triangle are 9 float64
// numbers, or 9 small integers, so that many corners coincide.
func FuzzNew(f *testing.F) {
	for _, s := range []mesh.Soup{testmesh.UnitCube(), testmesh.Moebius(5), testmesh.Scale(testmesh.TJunction(), 1e-300)} {
		var raw []byte
		c := testmesh.Corners(s)
		for _, p := range c.Vertices {
			for _, x := range [3]float64{p.X, p.Y, p.Z} {
				raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(x))
			}
		}
		f.Add(raw, true)
	}
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0}, false)
	f.Fuzz(func(t *testing.T, data []byte, raw bool) {
		var s mesh.Soup
		number := func() float64 {
			if !raw {
				x := float64(int8(data[0]))
				data = data[1:]
				return x
			}
			x := math.Float64frombits(binary.LittleEndian.Uint64(data))
			data = data[8:]
			return x
		}
		size := 9
		if raw {
			size = 72
		}
		for len(data) >= size && len(s.Faces) < 1000 {
			k := int32(len(s.Vertices))
			for range 3 {
				s.Vertices = append(s.Vertices, r3.Vector{X: number(), Y: number(), Z: number()})
			}
			s.Faces = append(s.Faces, [3]int32{k, k + 1, k + 2})
		}
		m, err := mesh.New(context.Background(), s, mesh.Options{})
		if err != nil {
			return
		}
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
		d, err := m.Diagnose(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if math.IsNaN(d.Volume) || math.IsNaN(d.VolumeError) || math.IsNaN(d.Area) || math.IsNaN(d.Size) || math.IsNaN(d.ShortestEdge) {
			t.Fatalf("not a number in %+v", d)
		}
		if o, _, err := m.Oriented(t.Context()); err != nil || o.Validate() != nil {
			t.Fatal(o.Validate())
		}
	})
}
