package raytree

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func TestLayout(t *testing.T) {
	var n node
	var b block
	var w Walk
	for _, c := range []struct{ got, want uintptr }{
		{unsafe.Sizeof(n), 256}, {unsafe.Offsetof(n.links), 192},
		// clipAVX2 writes four numbers where there are three, and the next ones replace the last.
		{unsafe.Offsetof(w.far), unsafe.Offsetof(w.near) + 12}, {unsafe.Offsetof(w.inverse), unsafe.Offsetof(w.far) + 12},
		{unsafe.Offsetof(w.limit), unsafe.Offsetof(w.inverse) + 12}, {unsafe.Offsetof(w.leave), unsafe.Offsetof(w.enter) + 24},
		{unsafe.Sizeof(b), 320}, {unsafe.Offsetof(b.corners), 24}, {unsafe.Offsetof(b.reach), 312}, {unsafe.Offsetof(b.first), 316},
	} {
		if c.got != c.want {
			t.Errorf("got the size or offset %d, want %d", c.got, c.want)
		}
	}
}

// scene is a mesh with its tree.
type scene struct {
	name string
	x    *mesh.Indexed
	tree *Tree
}

// scenes makes the meshes of all tests.
var scenes = sync.OnceValue(func() (all []scene) {
	add := func(name string, s mesh.Soup, opt bvh.Options) {
		x, err := testmesh.Mesh(s).Index(context.Background(), opt)
		if err != nil {
			panic(err)
		}
		tree, err := New(context.Background(), x, 2)
		if err != nil {
			panic(err)
		}
		all = append(all, scene{name, x, tree})
	}
	cube, star := testmesh.UnitCube(), testmesh.Star(2, 0.6, 1)
	add("empty", mesh.Soup{}, bvh.Options{})
	add("cube", cube, bvh.Options{})
	add("star", star, bvh.Options{})
	add("large leaves", star, bvh.Options{MaxLeaf: 100})
	add("tiny", testmesh.Scale(star, 0x1p-1060), bvh.Options{})
	add("huge", testmesh.Scale(star, 0x1p990), bvh.Options{})
	add("far", testmesh.Translate(star, r3.Vector{X: 1e6, Y: -3, Z: 1e9}), bvh.Options{})
	add("flat", testmesh.Sheet(8), bvh.Options{})
	add("two sizes", testmesh.Union(star, testmesh.Translate(testmesh.Scale(star, 0x1p-20), r3.Vector{X: 0.1, Y: 0.2})), bvh.Options{})
	add("sphere", testmesh.Soup(testmesh.Sphere(4)), bvh.Options{})
	return all
})

// aims returns rays: random ones, and rays through vertices and along edges and axes, with origins
// inside, far away and on vertices.
func (s *scene) aims(rng *rand.Rand, n int) (rays [][2]r3.Vector) {
	m := s.x.Mesh()
	if len(m.Faces) == 0 {
		return [][2]r3.Vector{{{}, {X: 1}}}
	}
	box := m.Box()
	size := box.Size()
	between := func(x float64) float64 { return (rng.Float64() - 0.5) * x }
	point := func(k float64) r3.Vector {
		return box.Min.Add(size.Mul(0.5)).Add(r3.Vector{X: between(size.X * k), Y: between(size.Y * k), Z: between(size.Z * k)})
	}
	vertex := func() r3.Vector { return m.Vertices[rng.IntN(len(m.Vertices))] }
	for i := range n {
		o, d := point(1), point(1).Sub(point(1))
		switch i % 10 {
		case 1:
			d = vertex().Sub(o)
		case 2:
			o, d = vertex(), vertex().Sub(vertex())
		case 3:
			f := m.Faces[rng.IntN(len(m.Faces))]
			o, d = m.Vertices[f[0]], m.Vertices[f[1]].Sub(m.Vertices[f[0]])
		case 4:
			o = point(1000)
			d = vertex().Sub(o)
		case 5:
			d = r3.Vector{}
			*[]*float64{&d.X, &d.Y, &d.Z}[rng.IntN(3)] = between(1)
		case 6:
			o = vertex()
			d = r3.Vector{X: d.X, Z: d.Z * 0x1p-40}
		case 7:
			d = d.Mul(math.Ldexp(1, rng.IntN(200)-100))
		case 8:
			o = point(0x1p36)
			d = vertex().Sub(o)
		case 9:
			o = point(0x1p45)
			d = vertex().Sub(o)
		}
		if d == (r3.Vector{}) || !finite(d) || !finite(o) || max(math.Abs(o.X), math.Abs(o.Y), math.Abs(o.Z)) > mesh.MaxCoordinate {
			continue
		}
		rays = append(rays, [2]r3.Vector{o, d})
	}
	return rays
}

// exactVector is a vector of rational numbers.
type exactVector [3]*big.Rat

func exact(v r3.Vector) exactVector {
	return exactVector{new(big.Rat).SetFloat64(v.X), new(big.Rat).SetFloat64(v.Y), new(big.Rat).SetFloat64(v.Z)}
}

func (v exactVector) minus(w exactVector) (d exactVector) {
	for k := range d {
		d[k] = new(big.Rat).Sub(v[k], w[k])
	}
	return d
}

func (v exactVector) cross(w exactVector) (c exactVector) {
	for k := range c {
		i, j := (k+1)%3, (k+2)%3
		c[k] = new(big.Rat).Sub(new(big.Rat).Mul(v[i], w[j]), new(big.Rat).Mul(v[j], w[i]))
	}
	return c
}

func (v exactVector) dot(w exactVector) *big.Rat {
	sum := new(big.Rat)
	for k := range v {
		sum.Add(sum, new(big.Rat).Mul(v[k], w[k]))
	}
	return sum
}

// crossing returns the signs of the three edges of t for the line of a ray, and the parameter where
// the line meets the plane of t. The parameter is nil if the line is parallel to the plane.
func crossing(o, d exactVector, t mesh.Triangle) (signs [3]int, at *big.Rat) {
	a, b, c := exact(t[0]), exact(t[1]), exact(t[2])
	corners := [3]exactVector{a.minus(o), b.minus(o), c.minus(o)}
	for j := range 3 {
		signs[j] = d.dot(corners[j].cross(corners[(j+1)%3])).Sign()
	}
	normal := b.minus(a).cross(c.minus(a))
	if across := normal.dot(d); across.Sign() != 0 {
		at = new(big.Rat).Quo(normal.dot(corners[0]), across)
	}
	return signs, at
}

func opposite(s [3]int) bool { return min(s[0], s[1], s[2]) < 0 && max(s[0], s[1], s[2]) > 0 }

// begin begins a walk by the methods Start or StartExact.
func begin(w *Walk, t *Tree, origin, direction r3.Vector) {
	if !w.Start(t, origin, direction, 0) {
		w.StartExact(t, r3.PreciseVectorFromVector(origin), r3.PreciseVectorFromVector(direction))
	}
}

// TestWalkFindsAllHits compares walks with rational arithmetic for all triangles.
func TestWalkFindsAllHits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	decided, met := 0, 0
	for _, s := range scenes() {
		pairs := 300
		if os.Getenv("INPOLY_FULL") != "" {
			pairs = 1_000_000
		}
		n := 10 + pairs/(1+len(s.x.Triangles()))
		for _, ray := range s.aims(rng, n) {
			var limit *big.Rat
			var w Walk
			if rng.IntN(4) == 0 {
				w.StartExact(s.tree, r3.PreciseVectorFromVector(ray[0]), r3.PreciseVectorFromVector(ray[1]))
			} else {
				begin(&w, s.tree, ray[0], ray[1])
			}
			if rng.IntN(2) == 0 {
				at := math.Abs(rng.NormFloat64())
				limit = new(big.Rat).SetFloat64(at)
				w.Limit(at)
			}
			found := make([]uint8, len(s.x.Triangles())) // 1 met, 2 leaves, 4 enters
			for b := w.Next(); b.Met != 0; b = w.Next() {
				for k := range lanes {
					if b.Met>>k&1 == 1 {
						if found[int(b.First)+k] != 0 {
							t.Fatalf("%s: triangle %d is visited twice", s.name, int(b.First)+k)
						}
						found[int(b.First)+k] = 1 | b.Leaves>>k&1<<1 | b.Enters>>k&1<<2
					} else if (b.Leaves|b.Enters)>>k&1 == 1 {
						t.Fatalf("%s: a sign of a triangle that is not met", s.name)
					}
				}
			}
			o, d := exact(ray[0]), exact(ray[1])
			few := max(1, len(found)*n/pairs)
			for i, tri := range s.x.Triangles() {
				if found[i] == 0 && rng.IntN(few) > 0 {
					continue
				}
				signs, at := crossing(o, d, tri)
				where := fmt.Sprintf("%s: ray %v, triangle %v, signs %v, found %b", s.name, ray, tri, signs, found[i])
				if found[i] > 1 {
					decided++
					want := -3
					if found[i]&2 != 0 {
						want = 3
					}
					if signs[0]+signs[1]+signs[2] != want {
						t.Fatal(where)
					}
				}
				if opposite(signs) || at == nil || at.Sign() < 0 || limit != nil && at.Cmp(limit) > 0 {
					continue
				}
				met++
				if found[i] == 0 {
					t.Fatal(where)
				}
			}
		}
	}
	if met < 100 || decided < 30 {
		t.Errorf("%d triangles were met and %d decided: too few for a test", met, decided)
	}
}

// TestCoplanar checks that triangles whose plane contains the ray are met.
func TestCoplanar(t *testing.T) {
	for _, s := range scenes()[1:3] {
		for i, tri := range s.x.Triangles() {
			middle := tri[0].Add(tri[1].Sub(tri[0]).Mul(0.5))
			var w Walk
			w.Start(s.tree, tri[2], middle.Sub(tri[2]), 0)
			if signs, _ := crossing(exact(tri[2]), exact(middle.Sub(tri[2])), tri); signs != [3]int{} {
				continue // rounding has moved the ray out of the plane
			}
			found := false
			for b := w.Next(); b.Met != 0; b = w.Next() {
				if k := i - int(b.First); k >= 0 && k < lanes && b.Met>>k&1 == 1 {
					found = true
				}
			}
			if !found {
				t.Errorf("%s: triangle %d is not found by a ray in its plane", s.name, i)
			}
		}
	}
}

// TestWalkEqualsGeneric compares Next with step: the same blocks in the same order.
func TestWalkEqualsGeneric(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	for _, s := range scenes() {
		for i, ray := range s.aims(rng, 300) {
			var w, g Walk
			begin(&w, s.tree, ray[0], ray[1])
			begin(&g, s.tree, ray[0], ray[1])
			for step := 0; ; step++ {
				if step == 2 && i%2 == 0 {
					at := math.Abs(rng.NormFloat64())
					w.Limit(at)
					g.Limit(at)
				}
				b := w.Next()
				g.step(s.tree)
				want := g.block()
				if b != want || w.Nodes != g.Nodes || w.Blocks != g.Blocks {
					t.Fatalf("%s: ray %v, step %d: got %v after %d nodes and %d blocks, want %v after %d and %d",
						s.name, ray, step, b, w.Nodes, w.Blocks, want, g.Nodes, g.Blocks)
				}
				if b.Met == 0 {
					break
				}
			}
		}
	}
}

// TestClipEqualsGeneric compares clip with clipGeneric, also for directions that are nearly parallel to an axis, and for
// rays that miss the box or start in one of its walls.
func TestClipEqualsGeneric(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	missed := 0
	for _, s := range scenes() {
		for range 20_000 {
			var at, along [4]float64
			for k := range 3 {
				at[k] = rng.NormFloat64() * math.Ldexp(1, rng.IntN(40)-4)
				along[k] = rng.NormFloat64()
				switch rng.IntN(6) {
				case 0:
					at[k] = s.tree.walls[k+4*rng.IntN(2)]
				case 1:
					along[k] = math.Copysign(math.Ldexp(1, -rng.IntN(199)), along[k])
				}
			}
			along[3] = 1
			from, drift := math.Copysign(float64(rng.IntN(3)), rng.NormFloat64()), math.Ldexp(1, -14-rng.IntN(33))
			w, g := Walk{tree: s.tree}, Walk{tree: s.tree}
			a, b := at, at
			got, want := w.clip(&a, &along, from, drift), g.clipGeneric(&b, &along, from, drift)
			a[3] = b[3] // without meaning
			if want == 0 {
				missed++
				a, b = at, at
			}
			if got != want || a != b || w.offset != g.offset || w.near != g.near || w.far != g.far || w.inverse != g.inverse ||
				w.enter != g.enter || w.leave != g.leave {
				t.Fatalf("%s: from %v along %v: got the length %v, start %v, near %v, far %v, inverse %v, want %v, %v, %v, %v, %v",
					s.name, at, along, got, a, w.near, w.far, w.inverse, want, b, g.near, g.far, g.inverse)
			}
		}
	}
	if missed == 0 {
		t.Error("no ray misses the box")
	}
}

func TestStartRefuses(t *testing.T) {
	s := scenes()[1]
	nan, inf := math.NaN(), math.Inf(1)
	for _, ray := range [][2]r3.Vector{
		{{}, {}}, {{X: nan}, {X: 1}}, {{Y: inf}, {X: 1}}, {{}, {X: 1, Z: nan}}, {{}, {Y: -inf}}, {{X: nan, Y: inf}, {X: nan}},
	} {
		var w Walk
		w.Start(s.tree, ray[0], ray[1], 0)
		if b := w.Next(); b.Met != 0 {
			t.Errorf("the ray %v meets %v, want nothing", ray, b)
		}
	}
}

// TestStreamEqualsWalks compares a Stream with single walks.
func TestStreamEqualsWalks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, s := range scenes() {
		rays := s.aims(rng, 200)
		var want, got [][]Block
		for _, ray := range rays {
			var w Walk
			var list []Block
			begin(&w, s.tree, ray[0], ray[1])
			for b := w.Next(); b.Met != 0; b = w.Next() {
				if list = append(list, b); len(list) == 2 {
					w.Limit(0.25)
				}
			}
			want = append(want, list)
		}
		var stream Stream
		var at [Slots]int
		next := 0
		begin := func(slot int) {
			if next < len(rays) {
				at[slot] = next
				got = append(got, nil)
				begin(&stream.Walks[slot], s.tree, rays[next][0], rays[next][1])
				stream.Add(slot)
				next++
			}
		}
		for slot := range Slots {
			begin(slot)
		}
		for stream.Advance(s.tree, func(slot int, b Block) {
			if b.Met == 0 {
				begin(slot)
				return
			}
			list := &got[at[slot]]
			if *list = append(*list, b); len(*list) == 2 {
				stream.Walks[slot].Limit(0.25)
			}
			stream.Add(slot)
		}) {
		}
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("%s: ray %v: got %v, want %v", s.name, rays[i], got[i], want[i])
			}
		}
	}
}

// Rays from far away meet few triangles, also of tiny meshes, and StartExact finds as many as Start.
func TestFarRaysMeetFew(t *testing.T) {
	count := func(w *Walk) (n int) {
		for b := w.Next(); b.Met != 0; b = w.Next() {
			n += bits.OnesCount8(b.Met)
		}
		return n
	}
	rng := rand.New(rand.NewPCG(1, 10))
	met := 0
	for _, s := range scenes() {
		if s.name != "sphere" && s.name != "star" && s.name != "tiny" {
			continue
		}
		size := s.x.Mesh().Box().Size().X
		for range 100 {
			e := r3.Vector{X: 2*rng.Float64() - 1, Y: 2*rng.Float64() - 1, Z: 2*rng.Float64() - 1}
			var w Walk
			begin(&w, s.tree, e.Mul(3*size), e)
			if n := count(&w); n != 0 {
				t.Errorf("%s: %d triangles behind a ray along %v", s.name, n, e)
			}
			for _, distance := range []float64{3, 0x1p30, 0x1p40, 0x1p60, 0x1p900} {
				o := e.Mul(size * distance)
				if !finite(o) || max(math.Abs(o.X), math.Abs(o.Y), math.Abs(o.Z)) > mesh.MaxCoordinate || distance > 0x1p30 && s.name == "tiny" {
					continue
				}
				begin(&w, s.tree, o, e.Mul(-1))
				n := count(&w)
				w.StartExact(s.tree, r3.PreciseVectorFromVector(o), r3.PreciseVectorFromVector(e.Mul(-1)))
				if exact := count(&w); n > 60 || exact > 60 {
					t.Errorf("%s: %d triangles by Start and %d by StartExact for a ray from %v along %v", s.name, n, exact, o, e.Mul(-1))
				}
				met += n
			}
		}
	}
	if met == 0 {
		t.Error("no ray meets a triangle")
	}
}

func TestNewStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(ctx, scenes()[1].x, 1); err == nil {
		t.Error("New returned no error, although its context had ended")
	}
}

func BenchmarkWalk(b *testing.B) {
	m := testmesh.Sphere(7)
	x, err := m.Index(b.Context(), bvh.Options{})
	if err != nil {
		b.Fatal(err)
	}
	tree, err := New(b.Context(), x, 0)
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 9))
	rays := make([][2]r3.Vector, 1<<16)
	for i := range rays {
		ball := func() r3.Vector {
			for {
				if v := (r3.Vector{X: 2*rng.Float64() - 1, Y: 2*rng.Float64() - 1, Z: 2*rng.Float64() - 1}); v.Norm2() < 0.98 {
					return v
				}
			}
		}
		rays[i] = [2]r3.Vector{ball(), ball()}
	}
	b.Run("first", func(b *testing.B) {
		var w Walk
		for i := 0; b.Loop(); i++ {
			r := &rays[i%len(rays)]
			w.Start(tree, r[0], r[1], 0)
			for c := w.Next(); c.Met != 0; c = w.Next() {
				if c.Leaves|c.Enters != 0 {
					break
				}
			}
		}
		b.ReportMetric(float64(w.Nodes)/float64(b.N), "nodes/op")
		b.ReportMetric(float64(w.Blocks)/float64(b.N), "blocks/op")
	})
	b.Run("all", func(b *testing.B) {
		var w Walk
		for i := 0; b.Loop(); i++ {
			r := &rays[i%len(rays)]
			w.Start(tree, r[0], r[1], 0)
			for c := w.Next(); c.Met != 0; c = w.Next() {
			}
		}
		b.ReportMetric(float64(w.Nodes)/float64(b.N), "nodes/op")
		b.ReportMetric(float64(w.Blocks)/float64(b.N), "blocks/op")
	})
	b.Run("start", func(b *testing.B) {
		var w Walk
		for i := 0; b.Loop(); i++ {
			r := &rays[i%len(rays)]
			w.Start(tree, r[0], r[1], 0)
		}
	})
}
