package nearest

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// The assembly for packets computes the same numbers as the Go versions.
func TestPacketKernels(t *testing.T) {
	if !hasAVX512 {
		t.Skip("no AVX-512, or built without assembly")
	}
	r := rand.New(rand.NewPCG(7, 21))
	overflows := map[string]int{}
	for _, m := range []*mesh.Mesh{testmesh.Mesh(testmesh.Copies(testmesh.Soup(testmesh.Sphere(3)), 4)), testmesh.Mesh(testmesh.Triangles(200, 5)), testmesh.Sphere(6)} {
		tree := obbTreeOf(t, searcher(t, m, bvh.Options{}), 1)
		a, b := new(obbWalk), new(obbWalk)
		for range rounds(50, 3000) {
			n := 1 + r.IntN(groupSize)
			middle, radius := cube(r), log(r, -20, 1)
			if r.IntN(10) == 0 { // all faces are equally near
				middle, radius = r3.Vector{}, 0
			}
			for i := range n {
				a.packet.setPoint(i, tree, middle.Add(cube(r).Mul(radius)))
			}
			all := uint32(1)<<n - 1
			a.packets.leaves[0], a.packets.bounds[0] = visit{int32(r.IntN(len(tree.blocks))), all}, [groupSize]float32{}
			a.packets.nodes[0] = visit{tree.root, all}
			*b = *a
			equal := func(step string, got, want int) {
				t.Helper()
				if got != want || want >= 0 && (a.packet != b.packet || !slices.Equal(a.packets.leaves[:want], b.packets.leaves[:want])) {
					t.Fatalf("%s: got %d, %v, %v; want %d, %v, %v", step, got, a.packet, a.packets.leaves[:max(0, got)], want, b.packet, b.packets.leaves[:max(0, want)])
				}
			}
			boundPacketsAVX512(&tree.blocks[0], a, 1)
			boundPacketsGeneric(tree.blocks, b, 1)
			equal("boundPackets of one block", 1, 1)
			found := findLeavesAVX512(&tree.nodes[0], a)
			equal("findLeaves", found, findLeavesGeneric(tree.nodes, b))
			if found < 0 {
				overflows["leaves"]++
				continue
			}
			if !slices.Equal(a.packets.bounds[:found], b.packets.bounds[:found]) {
				t.Fatalf("findLeaves: got the bounds %v, want %v", a.packets.bounds[:found], b.packets.bounds[:found])
			}
			pairs, want := expandLeavesAVX512(&tree.blocks[0], a, found), expandLeavesGeneric(tree.blocks, b, found)
			equal("expandLeaves", found, found)
			if k := max(pairs, 0); pairs != want || !slices.Equal(a.blocks[:k], b.blocks[:k]) || !slices.Equal(a.blockPoint[:k], b.blockPoint[:k]) {
				t.Fatalf("expandLeaves: got %d pairs %v, want %d: %v", pairs, a.blocks[:k], want, b.blocks[:max(want, 0)])
			}
			if pairs < 0 {
				overflows["blocks"]++
			}
			boundPacketsAVX512(&tree.blocks[0], a, found)
			boundPacketsGeneric(tree.blocks, b, found)
			equal("boundPackets", found, found)
			for i, v := range a.packets.leaves[:found] {
				if k := tree.blocks[v.link].count; v.points != 0 && !slices.Equal(a.packets.triangles[i][:k], b.packets.triangles[i][:k]) {
					t.Fatalf("boundPackets: got the bounds %v, want %v", a.packets.triangles[i][:k], b.packets.triangles[i][:k])
				}
			}
			pairs, want = collectPairsAVX512(&tree.blocks[0], a, found), collectPairsGeneric(tree.blocks, b, found)
			k := max(pairs, 0)
			if pairs != want || !slices.Equal(a.pairs.owner[:k], b.pairs.owner[:k]) || !slices.Equal(a.pairs.at[:k], b.pairs.at[:k]) || !slices.Equal(a.pairs.block[:k], b.pairs.block[:k]) {
				t.Fatalf("collectPairs: got %d, %v, %v; want %d, %v, %v", pairs, a.pairs.owner[:k], a.pairs.at[:k], want, b.pairs.owner[:max(0, want)], b.pairs.at[:max(0, want)])
			}
			if pairs < 0 {
				overflows["pairs"]++
			}
		}
	}
	if overflows["leaves"] == 0 || overflows["pairs"] == 0 {
		t.Errorf("overflows: %v, want some of the leaves and of the pairs", overflows)
	}
}

// Groups of points return the results of single searches, also if the groups are searched without
// assembly.
func TestPackets(t *testing.T) {
	for name, soup := range kinds() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(len(name)), 22))
			m := testmesh.Mesh(soup)
			s := searcher(t, m, bvh.Options{})
			tree := obbTreeOf(t, s, 1)
			if tree == nil || tree.root < 0 {
				return
			}
			w := new(obbWalk)
			var st Scratch
			for range rounds(2, 200) {
				var pts [groupSize]r3.Vector
				center, radius := pointNear(r, m), log(r, -20, 1)*m.Box().Size().Norm()
				n := 0
				for len(pts) > n {
					if pts[n] = center.Add(cube(r).Mul(radius)); !w.packet.setPoint(n, tree, pts[n]) {
						break
					}
					n++
				}
				if n == 0 {
					continue
				}
				l, all := &w.packets, uint32(1)<<n-1
				l.leaves[0], l.bounds[0], l.nodes[0] = visit{w.seed, all}, [groupSize]float32{}, visit{tree.root, all}
				boundPacketsGeneric(tree.blocks, w, 1)
				found := findLeavesGeneric(tree.nodes, w)
				if found < 0 {
					continue
				}
				boundPacketsGeneric(tree.blocks, w, found)
				pairs := collectPairsGeneric(tree.blocks, w, found)
				if pairs < 0 {
					continue
				}
				for i, p := range pts[:n] {
					face := s.Closest(p, &st).Face
					if !slices.ContainsFunc(w.pairs.at[:pairs], func(at int32) bool { return s.tree.Index()[at] == face }) {
						t.Fatalf("point %d of %v: face %d is not among the pairs", i, pts[:n], face)
					}
				}
			}
		})
	}
}

// The bounds of packets are below and above exact distances.
func TestPacketBounds(t *testing.T) {
	for name, soup := range kinds() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(len(name)), 23))
			s := searcher(t, testmesh.Mesh(soup), bvh.Options{})
			tree, err := newOBBTree(context.Background(), s.tris, s.tree.Bounds(), 1)
			if err != nil || tree == nil {
				return
			}
			box := s.tree.Bounds()
			size := box.Size()
			w := new(obbWalk)
			var st Scratch
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
				b := &tree.blocks[r.IntN(len(tree.blocks))]
				for k := range int(b.count) {
					d2 := exactDistance2(p, s.tris[int(b.first)+k])
					exact, _ := d2.Float64()
					exact = math.Sqrt(exact) * tree.scale
					lower, upper := b.packetBounds(&q, k)
					if upper = fma(upper, rootSlack, rootFloor); float64(lower) > exact*rootSlack+rootFloor || !(float64(upper) >= exact) {
						t.Fatalf("%v: bounds %g and %g of triangle %d, exact %g", p, lower, upper, int(b.first)+k, exact)
					}
				}
				if tree.root < 0 {
					continue
				}
				d := s.Closest(p, &st).Distance * tree.scale
				var out [lanes]float32
				near := tree.nodes[tree.root].packetBounds(&q, &out)
				if !(float64(q.limit) >= d*d) || near == 0 {
					t.Fatalf("%v: limit %g, exact %g, boxes within the limit %x", p, q.limit, d*d, near)
				}
				least := slices.Min(out[:])
				if lower := math.Sqrt(float64(least)) - margins*float64(q.margin); lower > d*rootSlack+rootFloor {
					t.Fatalf("%v: lower bound %g, exact %g", p, lower, d)
				}
			}
		})
	}
}

func TestFMA(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 24))
	number := func() float32 {
		return float32(math.Ldexp(r.Float64()-0.5, r.IntN(40)-20-75*r.IntN(2)))
	}
	for range rounds(5000, 1000000) {
		x, y, z := number(), number(), number()
		if r.IntN(4) == 0 { // the sum is close to the middle between two float32
			z = float32(math.Ldexp(float64(float32(x*y)), r.IntN(60)-30))
		}
		sum := new(big.Float).SetPrec(500).SetFloat64(float64(x) * float64(y))
		want, _ := sum.Add(sum, new(big.Float).SetFloat64(float64(z))).Float32()
		if got := fma(x, y, z); got != want {
			t.Fatalf("fma(%g, %g, %g) = %g, want %g", x, y, z, got, want)
		}
	}
}
