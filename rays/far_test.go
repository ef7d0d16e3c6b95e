package rays

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// farLines returns rays and segments whose origins are about distance mesh sizes away. Their far ends are
// points of pick, so that many lines pass near vertices and edges.
func farLines(m *mesh.Mesh, distance float64, n int, r *rand.Rand) (rs []Ray, segments []Segment) {
	size := m.Box().Size()
	reach := max(size.X, size.Y, size.Z)
	for len(segments) < n {
		q := pick(m, r)
		e := r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}
		switch r.IntN(6) {
		case 0:
			e = r3.Vector{X: e.X}
		case 1:
			e = r3.Vector{Z: e.Z}
		case 2: // a diagonal hits a target exactly more often
			e = r3.Vector{X: math.Copysign(1, e.X), Y: math.Copysign(1, e.Y), Z: math.Copysign(1, e.Z)}
		}
		a := q.Add(e.Mul(reach * distance))
		d := e.Mul(-1)
		if k := r.IntN(4); k == 0 {
			d = q.Sub(a)
		}
		for _, l := range []line{worldLine(&Ray{a, d}), worldLine(&Ray{a, e}), worldLine(&Segment{a, q})} {
			if l.check() != nil {
				continue
			}
			if l.segment {
				b := q.Add(q.Sub(a).Mul(0.5))
				segments = append(segments, Segment{a, q}, Segment{q, a})
				if other := worldLine(&Segment{a, b}); other.check() == nil {
					segments = append(segments, Segment{a, b})
				}
			} else {
				rs = append(rs, Ray{l.a, l.d})
			}
		}
	}
	return rs, segments
}

// Lines that start far away have the answers of the twin. A rounded difference of their coordinates can
// exceed the size of the mesh.
func TestFarLinesEqualTwin(t *testing.T) {
	n := 2
	if testcorpus.Full() {
		n = 200
	}
	r := rand.New(rand.NewPCG(21, 11))
	for _, s := range []struct {
		name string
		soup mesh.Soup
	}{
		{"cube", testmesh.UnitCube()},
		{"star", testmesh.Star(2, 0.6, 1)},
		{"grid", gridSoup(r)},
		{"small", testmesh.Scale(testmesh.Star(2, 0.6, 1), 0x1p-600)},
		{"tiny", testmesh.Scale(testmesh.Star(2, 0.6, 1), 0x1p-1040)},
		{"large", testmesh.Scale(testmesh.Star(2, 0.6, 1), 0x1p700)},
	} {
		found := 0
		c := caster(t, testmesh.Mesh(s.soup), inpoly.Options{Orient: inpoly.OrientNever})
		for _, distance := range []float64{1, 1e6, 1e9, 1e12, 1e13, 1e15, 1e20, 1e60, 1e150, 1e300} {
			t.Run(fmt.Sprintf("%s/%g", s.name, distance), func(t *testing.T) {
				if size := c.mesh.Box().Size(); distance*max(size.X, size.Y, size.Z) > 1e301 {
					return
				}
				rs, segments := farLines(c.mesh, distance, n, r)
				f, _ := checkLines(t, c, rs, r)
				g, _ := checkLines(t, c, segments, r)
				found += f + g
				checkIntervals(t, c, segments[:min(n, len(segments))], r)
			})
		}
		t.Logf("%s: %d hits", s.name, found)
		if found < 10 {
			t.Errorf("%s: %d hits: the test covers too little", s.name, found)
		}
	}
}

func BenchmarkFar(b *testing.B) {
	m := testmesh.Sphere(6)
	solid, err := inpoly.New(context.Background(), m, inpoly.Options{Workers: 2})
	if err != nil {
		b.Fatal(err)
	}
	c, err := New(context.Background(), solid)
	if err != nil {
		b.Fatal(err)
	}
	for _, distance := range []float64{1, 0x1p20, 0x1p28, 0x1p32, 0x1p34, 0x1p38, 0x1p40, 0x1p42, 1e30, 1e300} {
		r := rand.New(rand.NewPCG(21, 12))
		lines := make([]Ray, 256)
		for i := range lines {
			e := r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}.Normalize()
			lines[i] = Ray{e.Mul(distance), e.Mul(-1)}
			if distance > 0x1p30 {
				e = r3.Vector{X: 1, Y: -1, Z: 1}
				lines[i] = Ray{e.Mul(distance), e.Mul(-1)}
			}
		}
		b.Run(fmt.Sprintf("distance=%g", distance), func(b *testing.B) {
			b.ReportAllocs()
			hits := 0
			for b.Loop() {
				var all Hits
				if err := AllTo(context.Background(), c, &all, lines); err != nil {
					b.Fatal(err)
				}
				hits = len(all.Hits)
			}
			b.ReportMetric(float64(hits)/256, "hits/line")
		})
	}
}
