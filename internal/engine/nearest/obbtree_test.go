package nearest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// obbTreeOf returns the OBB tree over the mesh of s, or nil if the mesh has no OBB tree.
func obbTreeOf(t testing.TB, s *Searcher, workers int) *obbTree {
	t.Helper()
	w, err := newOBBTree(context.Background(), s.tris, s.tree.Bounds(), workers)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Searches in the OBB tree return the results of brute force, bit for bit. The OBB tree passes
// checkOBBTree.
func TestOBBTreeEqualsBruteForce(t *testing.T) {
	made := 0
	for name, soup := range kinds() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(len(name)), 14))
			m := testmesh.Mesh(soup)
			s := searcher(t, m, bvh.Options{})
			w := obbTreeOf(t, s, 2)
			if (w == nil) != (!s.obbFits() || m.NumFaces() == 0) {
				t.Fatalf("has an OBB tree: %v, size out of range: %v, %d faces", w != nil, !s.obbFits(), m.NumFaces())
			}
			if w == nil {
				return
			}
			made++
			checkOBBTree(t, w, s)
			var st Scratch
			walk := new(obbWalk)
			for range rounds(30, 2000) {
				p := pointNear(r, m)
				want := brute(m, p)
				var got [1]Result
				if w.closestTo(s, got[:], []r3.Vector{p}, walk, true, &st); !same(got[0], want) {
					t.Fatalf("%v: got %+v, want %+v", p, got[0], want)
				}
			}
		})
	}
	if made < 10 {
		t.Errorf("only %d meshes have an OBB tree, want more", made)
	}
}

// checkOBBTree checks that every triangle is in one block and in all boxes above that block. It
// evaluates the bounds at points of the triangle.
func checkOBBTree(t *testing.T, w *obbTree, s *Searcher) {
	t.Helper()
	seen := make([]bool, len(s.tris))
	var out [lanes]float32
	var visit func(link int32, above []func(q *query) bool)
	visit = func(link int32, above []func(q *query) bool) {
		if link >= 0 {
			n := &w.nodes[link]
			for k := range lanes {
				if math.IsInf(float64(n.e[0][k]), -1) {
					continue
				}
				checkPremises(t, [][3]float32{{n.a[0][0][k], n.a[0][1][k], n.a[0][2][k]}, {n.a[1][0][k], n.a[1][1][k], n.a[1][2][k]}, {n.a[2][0][k], n.a[2][1][k], n.a[2][2][k]}})
				if c := max(abs(n.c[0][k]), abs(n.c[1][k]), abs(n.c[2][k])); !(c <= maxCenter) {
					t.Fatalf("a coordinate of the center of a box is %g, want at most maxCenter", c)
				}
				visit(n.links[k], append(above, func(q *query) bool { return nodeBoundsGeneric(n, q, &out)>>k&1 == 1 }))
			}
			return
		}
		b := &w.blocks[^link]
		for k := range int(b.count) {
			i := int(b.first) + k
			if seen[i] {
				t.Fatalf("triangle %d is in two blocks", i)
			}
			seen[i] = true
			if b.loose[k] < float32(math.Inf(1)) {
				checkPremises(t, [][3]float32{{b.a[0][0][k], b.a[0][1][k], b.a[0][2][k]}, {b.a[1][0][k], b.a[1][1][k], b.a[1][2][k]}, {b.a[2][0][k], b.a[2][1][k], b.a[2][2][k]}})
			}
			tri := &s.tris[i]
			for _, p := range []r3.Vector{tri[0], tri[1], tri[2], tri[0].Add(tri[1].Sub(tri[0]).Mul(0.5)), tri[0].Add(tri[1]).Add(tri[2]).Mul(1.0 / 3)} {
				var g packet
				ok := g.setPoint(0, w, p)
				q := g.at(0)
				if bound, _ := b.bound(&q, k); !ok || bound != 0 {
					t.Fatalf("the bound of triangle %d at its point %v is %g, want 0", i, p, bound)
				}
				q.limit = limitFloor
				for _, holds := range above {
					if !holds(&q) {
						t.Fatalf("a box above triangle %d does not contain its point %v", i, p)
					}
				}
			}
		}
	}
	visit(w.root, nil)
	for i, ok := range seen {
		if !ok {
			t.Fatalf("triangle %d is in no block", i)
		}
	}
}

// checkPremises checks that ‖MMᵀ‖ ≤ 1 + skew for the matrix M of the given rows. The largest
// absolute row sum of MMᵀ bounds the norm.
func checkPremises(t *testing.T, rows [][3]float32) {
	t.Helper()
	for i := range rows {
		sum := 0.0
		for j := range rows {
			sum += math.Abs(dot(&rows[i], vector(&rows[j])))
		}
		if !(sum <= 1+skew) {
			t.Fatalf("rows %v: an absolute sum of 1 + %g exceeds 1 + skew", rows, sum-1)
		}
	}
}

// Each mesh has triangles of different sizes, and some meshes are scaled. Batches return the same
// results as single searches.
func TestOBBTreeOfAllSizes(t *testing.T) {
	trees := 0
	check := func(name string, soup mesh.Soup, pts []r3.Vector) {
		m := testmesh.Mesh(soup)
		s := searcher(t, m, bvh.Options{})
		payForOBBTree(t, s)
		checkBatch(t, name, s, pts)
		if w := s.obb.Current(); w != nil {
			checkOBBTree(t, w, s)
			trees++
		}
	}
	r := rand.New(rand.NewPCG(6, 20))
	n := rounds(30, 2000)
	// At this size, the squared length of the normal is subnormal, with two significant digits.
	soup, pts := speck(4.335431787512069e-81)
	check("speck", soup, pts)
	// The directions of the edges of a tiny triangle are not accurate in float32.
	for range 100 {
		small := testmesh.Union(soup, testmesh.Scale(testmesh.Triangles(6, r.Uint64()), 1e-79))
		check("tiny triangles", small, append(pts, cube(r), cube(r).Mul(1e-20)))
	}
	for range n {
		exponent := r.IntN(2061) - 1070
		size := math.Ldexp(1+r.Float64(), exponent)
		name := fmt.Sprintf("size %g", size)
		soup, pts := speck(size)
		check(name, soup, pts)
		// The triangles of this mesh have about the same size, or are slivers.
		var small mesh.Soup
		for range 12 {
			a, b, c := cube(r), cube(r).Mul(size), cube(r).Mul(size)
			if r.IntN(3) == 0 {
				c = cube(r)
			}
			small = testmesh.Union(small, mesh.Soup{Vertices: []r3.Vector{a, a.Add(b), a.Add(c)}, Faces: [][3]int32{{0, 1, 2}}},
				mesh.Soup{Vertices: []r3.Vector{{}, b, c}, Faces: [][3]int32{{0, 1, 2}}})
		}
		small = testmesh.Union(small, soup)
		for range 5 {
			pts = append(pts, cube(r), cube(r).Mul(math.Exp2(-60*r.Float64())), cube(r).Mul(size))
		}
		check(name+", many", small, pts)
		scale := math.Ldexp(1, r.IntN(390)-195)
		if exponent > 0 {
			scale = math.Ldexp(1, -exponent)
		}
		for i := range pts {
			pts[i] = pts[i].Mul(scale)
		}
		check(fmt.Sprintf("%s, times %g", name, scale), testmesh.Scale(small, scale), pts)
	}
	if trees < n {
		t.Errorf("only %d meshes have an OBB tree, want more", trees)
	}
}

// The exact squared distance of each triangle in a block, and of the faces below a node, is between
// its bounds.
func TestBoundsAreBelowDistances(t *testing.T) {
	for name, soup := range kinds() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(len(name)), 15))
			s := searcher(t, testmesh.Mesh(soup), bvh.Options{})
			tree := obbTreeOf(t, s, 1)
			if tree == nil {
				return
			}
			box := s.tree.Bounds()
			size := box.Size()
			w := new(obbWalk)
			for range rounds(10, 500) {
				p := box.Min.Add(r3.Vector{X: (4*r.Float64() - 2) * size.X, Y: (4*r.Float64() - 2) * size.Y, Z: (4*r.Float64() - 2) * size.Z})
				if r.IntN(2) == 0 { // near a corner of a small triangle
					tri := &s.tris[r.IntN(len(s.tris))]
					p = tri[0].Add(cube(r).Mul(vec.Norm(tri[1].Sub(tri[0])) * log(r, -10, 4)))
				}
				if !w.packet.setPoint(0, tree, p) {
					continue
				}
				q := w.packet.at(0)
				w.blocks[0] = int32(r.IntN(len(tree.blocks)))
				b := &tree.blocks[w.blocks[0]]
				boundBlocks(tree, w, 1)
				for k := range int(b.count) {
					d2 := exactDistance2(p, s.tris[int(b.first)+k])
					exact, _ := d2.Float64()
					exact *= tree.scale * tree.scale
					if float64(w.bounds[0][k]) > exact*limitSlack+limitFloor {
						t.Fatalf("%v: bound %g of triangle %d exceeds the exact %g", p, w.bounds[0][k], int(b.first)+k, exact)
					}
					_, m := b.bound(&q, k)
					if upper := math.Sqrt(float64(w.bounds[0][k])) + float64(b.loose[k])*float64(m); !(upper*upper*limitSlack >= exact) {
						t.Fatalf("%v: upper bound %g of triangle %d is below the exact %g", p, upper*upper, int(b.first)+k, exact)
					}
				}
				if tree.root >= 0 {
					var st Scratch
					d := s.Closest(p, &st).Distance * tree.scale
					if upper := tree.nodes[tree.root].upper(&q); !(float64(upper) >= d*d) {
						t.Fatalf("%v: upper bound %g of the mesh is below the exact %g", p, upper, d*d)
					}
				}
			}
		})
	}
}

func TestBoundsKernels(t *testing.T) {
	if !hasAVX2 {
		t.Skip("no AVX2, or built without assembly")
	}
	r := rand.New(rand.NewPCG(3, 16))
	overflows := 0
	for _, m := range []*mesh.Mesh{testmesh.Sphere(3), testmesh.Mesh(testmesh.UnitCube()), testmesh.Mesh(testmesh.Triangles(200, 5)), testmesh.Sphere(6)} {
		s := searcher(t, m, bvh.Options{})
		tree := obbTreeOf(t, s, 1)
		a, b := new(obbWalk), new(obbWalk)
		for range 100 {
			points := 1 + r.IntN(groupSize)
			center := r.IntN(10) == 0 // all faces are equally near
			for i := range points {
				p := cube(r).Mul(2 * r.Float64())
				if center {
					p = r3.Vector{}
				}
				a.packet.setPoint(i, tree, p)
				a.nodes[i], a.nodePoint[i] = tree.root, int32(i)
				a.packet.limit[i] = float32(math.Ldexp(r.Float64(), -r.IntN(30)))
				if center || r.IntN(10) == 0 {
					a.packet.limit[i] = math.MaxFloat32
				}
			}
			*b = *a
			if tree.root >= 0 {
				n, want := findBlocksAVX2(&tree.nodes[0], a, points), findBlocksGeneric(tree.nodes, b, points)
				if k := max(n, 0); n != want || !slices.Equal(a.blocks[:k], b.blocks[:k]) || !slices.Equal(a.blockPoint[:k], b.blockPoint[:k]) {
					t.Fatalf("%v: got %d blocks %v, want %d: %v", a.packet, n, a.blocks[:k], want, b.blocks[:max(want, 0)])
				}
				if n < 0 {
					overflows++
				}
			}
			n := 1 + r.IntN(20)
			for i := range n {
				a.blocks[i], a.blockPoint[i] = int32(r.IntN(len(tree.blocks))), int32(r.IntN(points))
			}
			*b = *a
			hits, want := boundBlocksAVX2(&tree.blocks[0], a, n), boundBlocksGeneric(tree.blocks, b, n)
			if hits != want || a.packet != b.packet || !slices.Equal(a.hits[:hits], b.hits[:hits]) || !slices.Equal(a.bounds[:n], b.bounds[:n]) {
				t.Fatalf("got %v, %v, %v; want %v, %v, %v", a.packet, a.hits[:hits], a.bounds[:n], b.packet, b.hits[:want], b.bounds[:n])
			}
		}
	}
	if overflows == 0 {
		t.Error("the list of nodes or blocks never overflowed")
	}
}

// The Go types have the layout that tools/kernels/nearest uses.
func TestKernelLayout(t *testing.T) {
	var n obbNode
	var b triBlock
	var w obbWalk
	const row = 4 * lanes
	for name, at := range map[string][2]uintptr{
		"obbNode.a": {unsafe.Offsetof(n.a), 3 * row}, "obbNode.e": {unsafe.Offsetof(n.e), 12 * row}, "obbNode.links": {unsafe.Offsetof(n.links), 15 * row},
		"obbNode.near": {unsafe.Offsetof(n.near), 16 * row}, "size of obbNode": {unsafe.Sizeof(n), 19 * row},
		"triBlock.a": {unsafe.Offsetof(b.a), 3 * row}, "triBlock.half0": {unsafe.Offsetof(b.half0), 12 * row}, "triBlock.m1": {unsafe.Offsetof(b.m1), 13 * row},
		"triBlock.o1": {unsafe.Offsetof(b.o1), 15 * row}, "triBlock.mid1": {unsafe.Offsetof(b.mid1), 16 * row}, "triBlock.half1": {unsafe.Offsetof(b.half1), 17 * row},
		"triBlock.m2": {unsafe.Offsetof(b.m2), 18 * row}, "triBlock.half2": {unsafe.Offsetof(b.half2), 20 * row}, "triBlock.slack": {unsafe.Offsetof(b.slack), 21 * row},
		"triBlock.loose": {unsafe.Offsetof(b.loose), 22 * row}, "size of triBlock": {unsafe.Sizeof(b), 24 * row},
		"packet.margin": {unsafe.Offsetof(w.packet.margin), 12 * groupSize}, "packet.limit": {unsafe.Offsetof(w.packet.limit), 16 * groupSize},
		"packet.blockMargin": {unsafe.Offsetof(w.packet.blockMargin), 20 * groupSize}, "packet.nearMargin": {unsafe.Offsetof(w.packet.nearMargin), 24 * groupSize},
		"packet": {unsafe.Offsetof(w.packet), 0}, "size of packet": {unsafe.Sizeof(w.packet), 28 * groupSize},
		"bounds": {unsafe.Offsetof(w.bounds), 28 * groupSize}, "nodes": {unsafe.Offsetof(w.nodes), 28*groupSize + row*maxBlocks},
		"nodePoint":         {unsafe.Offsetof(w.nodePoint) - unsafe.Offsetof(w.nodes), 4 * (maxNodes + lanes)},
		"blocks":            {unsafe.Offsetof(w.blocks) - unsafe.Offsetof(w.nodePoint), 4 * (maxNodes + lanes)},
		"blockPoint":        {unsafe.Offsetof(w.blockPoint) - unsafe.Offsetof(w.blocks), 4 * (maxBlocks + lanes)},
		"packets":           {unsafe.Offsetof(w.packets) - unsafe.Offsetof(w.blockPoint), 4 * (maxBlocks + lanes)},
		"packets.triangles": {unsafe.Offsetof(w.packets.triangles), 4 * groupSize * maxLeaves},
		"packets.nodes":     {unsafe.Offsetof(w.packets.nodes), 9 * 4 * groupSize * maxLeaves},
		"packets.leaves":    {unsafe.Offsetof(w.packets.leaves) - unsafe.Offsetof(w.packets.nodes), 8 * (maxVisits + 1)},
		"hits":              {unsafe.Offsetof(w.hits) - unsafe.Offsetof(w.packets), unsafe.Sizeof(w.packets)},
		"pairs":             {unsafe.Offsetof(w.pairs) - unsafe.Offsetof(w.hits), 12 * maxBlocks},
		"size of packets":   {unsafe.Sizeof(w.packets), 9*4*groupSize*maxLeaves + 8*(maxVisits+maxLeaves+2)},
		"maxVisits":         {maxVisits, 2048}, "maxLeaves": {maxLeaves, 1000},
		"size of hit": {unsafe.Sizeof(w.hits[0]), 12},
		"groupSize":   {groupSize, 16}, "maxNodes": {maxNodes, 8000}, "maxBlocks": {maxBlocks, 6000},
	} {
		if at[0] != at[1] {
			t.Errorf("%s is at byte %d, want %d as in the assembly", name, at[0], at[1])
		}
	}
}

// checkBatch compares batches with single searches, bit for bit. The batches use one worker or
// several workers, and two orders of the points.
func checkBatch(t *testing.T, name string, s *Searcher, pts []r3.Vector) {
	t.Helper()
	var st Scratch
	want := make([]Result, len(pts))
	for i, p := range pts {
		want[i] = s.Closest(p, &st)
	}
	compare := func(how string, i int, got Result) {
		if !same(got, want[i]) {
			t.Fatalf("%s, %s: %v: got %+v, alone %+v", name, how, pts[i], got, want[i])
		}
	}
	got := make([]Result, len(pts))
	for _, workers := range []int{1, 3} {
		clear(got)
		if err := s.ClosestTo(context.Background(), got, pts, workers); err != nil {
			t.Fatal(err)
		}
		for i := range got {
			compare("ClosestTo", i, got[i])
		}
	}
	if tree := s.obb.Current(); tree != nil {
		var w obbWalk
		for i, p := range pts {
			compare("alone in the OBB tree", i, tree.closestAlone(s, p, &w, &st))
		}
	}
	back := make([]r3.Vector, len(pts))
	for i, p := range pts {
		back[len(pts)-1-i] = p
	}
	if err := s.ClosestTo(context.Background(), got, back, 2); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		compare("backwards", len(pts)-1-i, got[i])
	}
	d, face := make([]float64, len(pts)), make([]int32, len(pts))
	if err := s.DistancesTo(context.Background(), d, face, pts, 2); err != nil {
		t.Fatal(err)
	}
	for i := range d {
		if math.Float64bits(d[i]) != math.Float64bits(want[i].Distance) || face[i] != want[i].Face {
			t.Fatalf("%s, DistancesTo: %v: got %g, %d, alone %+v", name, pts[i], d[i], face[i], want[i])
		}
	}
}

// Batches return the results of single searches, bit for bit, on every kind of mesh. This is true
// before and after the OBB tree is built. Some points are not finite, or far away.
func TestBatchesEqualSingles(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, soup := range kinds() {
		t.Run(name, func(t *testing.T) {
			m := testmesh.Mesh(soup)
			s := searcher(t, m, bvh.Options{})
			pts := []r3.Vector{{X: nan}, {Y: inf}, {Z: -inf}, {X: 1e300}, {X: 1e-300, Y: 1e18, Z: -1e9}, {}}
			checkBatch(t, name, s, pts)
			if m.NumFaces() == 0 {
				return
			}
			r := rand.New(rand.NewPCG(uint64(len(name)), 17))
			for range rounds(200, 5000) {
				pts = append(pts, pointNear(r, m))
			}
			checkBatch(t, name, s, pts)
			if s.obbFits() && s.obb.Current() == nil && len(pts)*10 > m.NumFaces() {
				t.Errorf("no OBB tree after %d points, %d faces", len(pts), m.NumFaces())
			}
		})
	}
}

// An interrupted batch returns an error. Each point has its complete result or no result.
func TestBatchInterrupted(t *testing.T) {
	s := searcher(t, testmesh.Sphere(5), bvh.Options{})
	r := rand.New(rand.NewPCG(4, 18))
	pts := make([]r3.Vector, 20000)
	for i := range pts {
		pts[i] = cube(r)
	}
	want, face := make([]float64, len(pts)), make([]int32, len(pts))
	if err := s.DistancesTo(context.Background(), want, face, pts, 2); err != nil {
		t.Fatal(err)
	}
	for _, after := range []int{0, 1, 3, 10, 100} {
		ctx := &countdown{Context: context.Background(), done: make(chan struct{})}
		ctx.left.Store(int64(after))
		d := make([]float64, len(pts))
		if err := s.DistancesTo(ctx, d, face, pts, 2); !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d checks of the context: error %v", after, err)
		}
		for i := range d {
			if math.IsNaN(d[i]) != (face[i] == -1) || !math.IsNaN(d[i]) && d[i] != want[i] {
				t.Fatalf("after %d checks of the context: point %d: %g at face %d, want %g or nothing", after, i, d[i], face[i], want[i])
			}
		}
	}
}

// countdown is a context that ends after a number of checks.
type countdown struct {
	context.Context
	left atomic.Int64
	once sync.Once
	done chan struct{}
}

func (c *countdown) Done() <-chan struct{} { return c.done }

func (c *countdown) Err() error {
	if c.left.Add(-1) >= 0 {
		return nil
	}
	c.once.Do(func() { close(c.done) })
	return context.Canceled
}

// Every point has one key, and the keys ascend.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 19))
	box := bvh.Box{Min: r3.Vector{X: -1, Y: -1, Z: -1}, Max: r3.Vector{X: 1, Y: 1, Z: 1}}
	for name, box := range map[string]bvh.Box{"cube": box, "flat": {Min: box.Min, Max: r3.Vector{X: 1, Y: 1, Z: -1}}, "empty": bvh.EmptyBox()} {
		var s mortonSorter
		for _, n := range []int{0, 1, 1000, 60000} {
			pts := make([]r3.Vector, n)
			for i := range pts {
				pts[i] = cube(r).Mul(1.1)
			}
			if n > 3 {
				pts[0], pts[1], pts[2] = r3.Vector{X: math.NaN()}, r3.Vector{Y: math.Inf(1)}, r3.Vector{Z: math.Inf(-1)}
			}
			order, err := s.sortedKeys(context.Background(), pts, box, 3)
			if err != nil || len(order) != n {
				t.Fatalf("%s: %d keys, want %d, error %v", name, len(order), n, err)
			}
			seen := make([]bool, n)
			for k, key := range order {
				i := key & indexMask
				if seen[i] || k > 0 && order[k-1] >= key {
					t.Fatalf("%s: key %d of %d is %x, which must not follow %x", name, k, n, key, order[max(0, k-1)])
				}
				seen[i] = true
			}
		}
	}
	for _, x := range []uint64{0, 1, 2, 3, 5, 1000, 1023} {
		want := uint64(0)
		for bit := range axisBits {
			want |= x >> bit & 1 << (3 * bit)
		}
		if got := spread(x); got != want {
			t.Errorf("spread(%d) = %x, want %x", x, got, want)
		}
	}
}

func TestOBBTreeWorkers(t *testing.T) {
	s := searcher(t, testmesh.Sphere(6), bvh.Options{})
	want := obbTreeOf(t, s, 1)
	got := obbTreeOf(t, s, 3)
	if len(got.nodes) != len(want.nodes) || len(got.blocks) != len(want.blocks) || got.root != want.root {
		t.Fatalf("%d nodes, %d blocks, root %d; want %d, %d, %d", len(got.nodes), len(got.blocks), got.root, len(want.nodes), len(want.blocks), want.root)
	}
	for i := range got.nodes {
		if got.nodes[i] != want.nodes[i] {
			t.Fatalf("node %d depends on the number of workers", i)
		}
	}
	checkOBBTree(t, want, s)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if w, err := newOBBTree(ctx, s.tris, s.tree.Bounds(), 2); !errors.Is(err, context.Canceled) || w != nil {
		t.Errorf("canceled build: tree returned: %v, error %v", w != nil, err)
	}
}

// A mesh whose size is out of range has no OBB tree.
func TestNoOBBTree(t *testing.T) {
	for name, soup := range map[string]mesh.Soup{"empty": {}, "huge": testmesh.Scale(testmesh.UnitCube(), 0x1p1000)} {
		s := searcher(t, testmesh.Mesh(soup), bvh.Options{})
		payForOBBTree(t, s)
		if s.obb.Current() != nil || !s.obb.Final() {
			t.Errorf("%s: has an OBB tree: %v, final: %v", name, s.obb.Current() != nil, s.obb.Final())
		}
	}
}

// payForOBBTree queries s for so many points that s builds the OBB tree.
func payForOBBTree(t *testing.T, s *Searcher) {
	t.Helper()
	if _, err := s.obb.For(t.Context(), int64(len(s.tris)), 2); err != nil {
		t.Fatal(err)
	}
}

// obbFits reports whether the size of the mesh is in the range of an OBB tree.
func (s *Searcher) obbFits() bool {
	_, _, ok := normalization(s.tree.Bounds())
	return ok
}
