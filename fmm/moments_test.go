package fmm

import (
	"math"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

func newTree(t *testing.T, tris []mesh.Triangle, q degreeChoice) *sourceTree {
	t.Helper()
	box := bvh.EmptyBox()
	for i := range tris {
		for _, v := range tris[i] {
			box = box.Add(v)
		}
	}
	src, err := newSourceTree(t.Context(), newCube(withMargin(box)), tris, q.kept, q.leaf, 2)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// small returns meshes that are small enough for arithmetic in 300 bits.
func small() []solid {
	r := seeded(51)
	near := func(n int, size float64) []mesh.Triangle { // near returns triangles in one corner of the box
		var tris []mesh.Triangle
		for range n {
			a := direction(r).Mul(size).Add(r3.Vector{X: 5, Y: 5, Z: 5})
			tris = append(tris, mesh.Triangle{a, a.Add(direction(r).Mul(size)), a.Add(direction(r).Mul(size))})
		}
		return tris
	}
	return []solid{
		{"sphere", testmesh.Soup(testmesh.Sphere(2))},
		{"sphere off by 10^6", testmesh.Translate(testmesh.Soup(testmesh.Sphere(2)), r3.Vector{X: 1e6, Y: 1e6, Z: -1e6})},
		{"random triangles", testmesh.Triangles(60, 1)},
		{"triangles of all sizes", sizes(60, 2)},
		{"concentric triangles", concentric(60, 3)},
		{"sheet", testmesh.Sheet(6)},
		{"cubes that overlap", testmesh.Overlapping()},
		{"two bits far apart", soupOf(append(near(20, 0.01), mesh.Triangle{{}, {X: 1e-3}, {Y: 1e-3}}))},
		{"sphere three times, and inverted", testmesh.Union(testmesh.Copies(testmesh.Soup(testmesh.Sphere(1)), 3), testmesh.Flip(testmesh.Soup(testmesh.Sphere(1))))},
		{"fan", sliverFan(100)},
	}
}

// The errors of the moments of every cluster are within the rounding errors that plans assume.
// Radius, reach and tail are upper bounds. The stored norms are the norms of the moments.
func TestSourceMoments(t *testing.T) {
	worst := 0.0
	for i, s := range small() {
		m := testmesh.Mesh(s.soup)
		for k, q := range degreeChoices() {
			if !full() && (i+k)%5 != 0 {
				continue
			}
			src := newTree(t, corners(m), q)
			checkSource(t, s.name, src, corners(m), q.leaf)
			budget := rounds(60, 1<<30) // number of triangles
			for _, id := range seeded(uint64(52 + i)).Perm(len(src.nodes)) {
				n := &src.nodes[id]
				if int(n.hi-n.lo) > budget {
					continue
				}
				budget -= int(n.hi - n.lo)
				tris := src.tris[n.lo:n.hi]
				center, half := src.center(n.cell, int(n.level)), src.half(int(n.level))
				got := src.moments[id*src.stride : (id+1)*src.stride]
				d := off(got, exactMoments(src.degree, tris, center, half))
				for degree := 1; degree <= src.degree; degree++ {
					e, bound := momentNorm(d, degree), momentBound(src, n, q, degree)
					if !(e <= bound) {
						t.Errorf("%s, degrees %v: cluster %d of level %d with %d triangles: degree %d is wrong by %.3g, bound %.3g (cover %.3g, reach %.3g)",
							s.name, q.degrees, id, n.level, n.hi-n.lo, degree, e, bound, n.cover, n.reach)
						break
					}
					worst = max(worst, e/bound)
				}
				checkNode(t, s.name, src, id)
			}
		}
	}
	t.Logf("errors up to %.2g of the bound", worst)
}

// momentBound bounds the error of the moments of a degree, in the norm of that degree. It counts
// the roundings of P2M, and the roundings of M2M for each level.
func momentBound(src *sourceTree, n *node, q degreeChoice, degree int) float64 {
	up := octantError + 3*float64(degree) + 3
	terms := tableError(degree) + float64(3*q.leaf+10) + float64(len(src.levels))*up
	size := n.cover * float64(degree) * math.Pow(n.reach, float64(degree-1)) * math.Sqrt(float64(2*degree+1))
	return roundoff*terms*size + math.Ldexp(1, -wideBits/2) // the second term is the error of exactMoments
}

// Some triangles are tiny, and some are needles that point at the center. All lie in a large cell.
// The products of the corners of an edge nearly cancel.
func TestMomentsOfSmallTriangles(t *testing.T) {
	r := seeded(53)
	for _, c := range []struct {
		name          string
		length, width float64
	}{
		{"small", 0x1p-8, 0x1p-8}, {"tiny", 0x1p-16, 0x1p-16}, {"tiniest", 0x1p-20, 0x1p-20},
		{"radial needle", 0.5, 0x1p-12}, {"thin radial needle", 0.5, 0x1p-30},
	} {
		for _, q := range degreeChoices()[:3] {
			worst := 0.0
			for range 20 {
				out := direction(r)
				across := out.Cross(direction(r)).Normalize()
				a := out.Mul(0.4)
				tri := mesh.Triangle{a, a.Add(out.Mul(c.length)), a.Add(out.Mul(c.length / 2)).Add(across.Mul(c.width))}
				src := newSingleCluster(t, cell{2, 3, 4}, 3, q.kept, []mesh.Triangle{tri}).sourceTree
				n := &src.nodes[0]
				d := off(src.moments, exactMoments(src.degree, src.tris, src.center(n.cell, int(n.level)), src.half(int(n.level))))
				for degree := 1; degree <= src.degree; degree++ {
					worst = max(worst, momentNorm(d, degree)/momentBound(src, n, q, degree))
				}
			}
			if worst > 1 {
				t.Errorf("%s triangle, degrees %v: the error of the moments is %.3g times its bound", c.name, q.degrees, worst)
			}
		}
	}
}

// One leaf has far more triangles than the leaf size, and its sums have very many terms that round
// in one direction. The triangles are slightly shifted copies of the middle one. So the exact sum
// is the number of triangles times the moments of the middle triangle.
func TestMomentsOfFullLeaves(t *testing.T) {
	n := rounds(200_000, 1_000_000)
	const at = 0.3
	base := mesh.Triangle{{X: at, Y: at - 0.3, Z: 0.1}, {X: at + 0.6, Y: -0.3, Z: 0.1}, {X: at, Y: 0.3, Z: at + 0.1}}
	tris := make([]mesh.Triangle, 0, n+1)
	for k := -n / 2; k <= n/2; k++ {
		d, tri := float64(k)*0x1p-44, base
		for i := range tri {
			tri[i] = tri[i].Add(r3.Vector{X: d, Y: d, Z: d})
		}
		tris = append(tris, tri)
	}
	q := chooseDegrees(4e-3, manyTriangles)
	src := newSingleCluster(t, cell{2, 3, 4}, 3, q.kept, tris).sourceTree
	node := &src.nodes[0]
	want := exactMoments(src.degree, src.tris[n/2:n/2+1], src.center(node.cell, int(node.level)), src.half(int(node.level)))
	for i := range want {
		want[i].Mul(want[i], real300(float64(len(tris))))
	}
	d := off(src.moments, want)
	for degree := 1; degree <= src.degree; degree++ {
		if e, bound := momentNorm(d, degree), momentBound(src, node, q, degree); !(e <= bound) {
			t.Errorf("%d triangles: the moments of degree %d are wrong by %.3g, bound %.3g", len(tris), degree, e, bound)
		}
	}
}

func checkSource(t *testing.T, name string, src *sourceTree, tris []mesh.Triangle, leaf int) {
	t.Helper()
	left := map[mesh.Triangle]int{}
	for _, tri := range tris {
		left[tri]++
	}
	for _, tri := range src.tris {
		if left[tri]--; left[tri] < 0 {
			t.Fatalf("%s: triangle %v occurs too often", name, tri)
		}
	}
	if len(src.tris) != len(tris) {
		t.Fatalf("%s: %d triangles, want %d", name, len(src.tris), len(tris))
	}
	if src.levels[0] != 0 || src.levels[len(src.levels)-1] != int32(len(src.nodes)) {
		t.Errorf("%s: levels %v do not cover the %d clusters", name, src.levels, len(src.nodes))
	}
	for id := range src.nodes {
		n := &src.nodes[id]
		if l := n.level; int32(id) < src.levels[l] || int32(id) >= src.levels[l+1] {
			t.Fatalf("%s: cluster %d is not in its level %d: %v", name, id, l, src.levels)
		}
		if n.kids == 0 {
			continue
		}
		at := n.lo
		for k := n.child; k < n.child+int32(n.kids); k++ {
			c := &src.nodes[k]
			if c.level != n.level+1 || c.lo != at || c.hi <= c.lo || (cell{c.x >> 1, c.y >> 1, c.z >> 1}) != n.cell {
				t.Fatalf("%s: cluster %+v has the inconsistent child %+v", name, *n, *c)
			}
			if c.final && int(c.hi-c.lo) > leaf {
				t.Errorf("%s: a leaf of %d triangles, want at most %d", name, c.hi-c.lo, leaf)
			}
			at = c.hi
		}
		if at != n.hi {
			t.Fatalf("%s: the children of %+v end at triangle %d, want hi", name, *n, at)
		}
	}
}

func checkNode(t *testing.T, name string, src *sourceTree, id int) {
	t.Helper()
	n := &src.nodes[id]
	center, half := src.center(n.cell, int(n.level)), src.half(int(n.level))
	tail := 0.0
	for _, tri := range src.tris[n.lo:n.hi] {
		for _, v := range tri {
			if r := v.Sub(center).Mul(1 / half).Norm(); !(r <= n.radius) || !(r <= n.reach) {
				t.Fatalf("%s: cluster %d has radius %g and reach %g, but a corner at the distance %g", name, id, n.radius, n.reach, r)
			}
		}
		// The midpoint rule on a subdivision of the triangle approximates ∫|y|^K ds.
		a, b, c := tri[0].Sub(center).Mul(1/half), tri[1].Sub(center).Mul(1/half), tri[2].Sub(center).Mul(1/half)
		const cuts = 8
		area := b.Sub(a).Cross(c.Sub(a)).Norm() / 2 / (cuts * cuts)
		for i := range cuts {
			for j := range cuts - i {
				u, v := (float64(i)+1.0/3)/cuts, (float64(j)+1.0/3)/cuts
				tail += area * math.Pow(a.Add(b.Sub(a).Mul(u)).Add(c.Sub(a).Mul(v)).Norm(), float64(src.degree))
				if j+i < cuts-1 {
					u, v = u+1.0/3/cuts, v+1.0/3/cuts
					tail += area * math.Pow(a.Add(b.Sub(a).Mul(u)).Add(c.Sub(a).Mul(v)).Norm(), float64(src.degree))
				}
			}
		}
	}
	// For a convex function, the result of the midpoint rule never exceeds the integral.
	if !(tail <= n.tail*(1+1e-9)) {
		t.Errorf("%s: cluster %d: tail %g, want at least ∫|y|^%d ds = %g", name, id, n.tail, src.degree, tail)
	}
	norms := src.norms[id*(src.degree+1) : (id+1)*(src.degree+1)]
	for s, p := range norms {
		want := momentNorm(src.moments[id*src.stride:(id+1)*src.stride], s)
		if !(math.Abs(p-want) <= 1e-9*want) {
			t.Errorf("%s: cluster %d: P_%d is %g, want %g", name, id, s, p, want)
		}
	}
}
