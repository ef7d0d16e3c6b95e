package apitest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// The bodies, the nearest bodies and the sets of a Solid, also at a pose, are those of an Assembly whose only
// solid it is.
func TestBodiesOfOneSolid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pts := []r3.Vector{{X: math.NaN()}, {X: 1e300}, {}, {X: .5, Y: .5, Z: .5}, {X: 1, Y: .5, Z: .5}}
	for range 500 {
		pts = append(pts, r3.Vector{X: rng.Float64()*3 - 1, Y: rng.Float64()*3 - 1, Z: rng.Float64()*3 - 1})
	}
	at, err := pose.Turned(r3.Vector{X: 1, Y: 2}, 1, r3.Vector{X: .25})
	if err != nil {
		t.Fatal(err)
	}
	for name, soup := range map[string]mesh.Soup{"cube": testmesh.UnitCube(), "open": testmesh.Hemisphere(2), "empty": {}} {
		solid := newSolid(t, soup, inpoly.Options{})
		a, err := assembly.New(t.Context(), []assembly.Part{{Mesh: solid.Mesh()}}, assembly.Options{})
		if err != nil {
			t.Fatal(err)
		}
		posed, err := solid.At(at)
		if err != nil {
			t.Fatal(err)
		}
		posedAssembly, err := a.At([]pose.Pose{at})
		if err != nil {
			t.Fatal(err)
		}
		checkBodies(t, name, solid, a, pts)
		checkBodies(t, name+" at a pose", posed, posedAssembly, pts)
	}
}

func checkBodies(t *testing.T, name string, s inpoly.Target, a *assembly.Assembly, pts []r3.Vector) {
	t.Helper()
	n := len(pts)
	ints := func() []int32 { return slices.Repeat([]int32{77}, n) }
	all := posedAnswers(n)
	all.Body, all.NearestBody, all.Sets = ints(), ints(), new(inpoly.Sets)
	for _, dst := range []inpoly.Answers{
		{Body: ints()}, {Sets: all.Sets}, {Body: ints(), Sets: new(inpoly.Sets)}, all,
		{Distance: all.Distance, Face: all.Face, NearestBody: ints()}, {Nearest: all.Nearest, NearestBody: ints()},
	} {
		if _, err := s.LocateTo(t.Context(), dst, pts); err != nil {
			t.Fatal(err)
		}
		for i, p := range pts {
			if want := a.Body(p, assembly.First); dst.Body != nil && dst.Body[i] != want {
				t.Fatalf("%s: %v: body %d, want %d", name, p, dst.Body[i], want)
			}
			if _, want, _ := a.Distance(p); dst.NearestBody != nil && dst.NearestBody[i] != want {
				t.Fatalf("%s: %v: nearest body %d, want %d", name, p, dst.NearestBody[i], want)
			}
			if dst.Sets == nil {
				continue
			}
			got, certain := dst.Sets.At(i)
			if want, wantCertain := a.Bodies(nil, p); !slices.Equal(got, want) || certain != wantCertain || dst.Sets.Len() != n {
				t.Fatalf("%s: %v: set %v %v, want %v %v", name, p, got, certain, want, wantCertain)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.LocateTo(ctx, all, pts); !errors.Is(err, context.Canceled) {
		t.Fatalf("%s: error %v", name, err)
	}
	for i := range pts {
		if set, certain := all.Sets.At(i); all.Body[i] != inpoly.UncertainBody || all.NearestBody[i] != inpoly.NoBody || len(set) > 0 || certain {
			t.Fatalf("%s: canceled: body %d, nearest body %d, set %v %v", name, all.Body[i], all.NearestBody[i], set, certain)
		}
	}
}

// A call with progress, which locates points in chunks, fills sets of all points.
func TestBodiesInChunks(t *testing.T) {
	calls := 0
	solid := newSolid(t, testmesh.UnitCube(), inpoly.Options{Progress: func(string, int64, int64) { calls++ }})
	calls = 0
	pts := slices.Repeat([]r3.Vector{{X: .5, Y: .5, Z: .5}, {X: 2}}, 1<<17+5)
	dst := inpoly.Answers{Body: make([]int32, len(pts)), Sets: new(inpoly.Sets)}
	if _, err := solid.LocateTo(t.Context(), dst, pts); err != nil || calls != 2 || dst.Sets.Len() != len(pts) {
		t.Fatalf("%d calls, %d sets, error %v", calls, dst.Sets.Len(), err)
	}
	for i := range pts {
		set, certain := dst.Sets.At(i)
		if want := int32(i % 2); dst.Body[i] != -want || len(set) != 1-i%2 || !certain {
			t.Fatalf("point %d: body %d, set %v %v", i, dst.Body[i], set, certain)
		}
	}
}
