package main

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/harmonics"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// printed is the fast multipole method of Muth, Of, Eberhard, Steinbach 2006, §2.1, as printed. It
// has near fields by eq. 16, a tree of the evaluation box that does not depend on the points, one
// expansion degree p ~ log N for N triangles, dense translations (eqs. 23 to 25), and scalar code.
// The paper does not state d, p or the depth.
type printed struct {
	d       float64 // eq. 16
	p       int     // expansion degree
	vary    int     // a level has this many degrees more than the next finer level; 0 in the paper's experiments
	depth   int
	tris    []mesh.Triangle // in the order of the leaves
	low     [2]r3.Vector    // lower corners of the cubes of the mesh and of the evaluation
	edge    float64         // edge of both cubes
	levels  []printedLevel
	counts  printedCounts
	weights []float64 // 2^−(n+1) for each coefficient of degree n
}

// printedCounts holds the operations of Table 1.
type printedCounts struct {
	clusters float64 // N_ω
	targets  float64 // N_σ
	across   float64 // conversions of multipole expansions into local expansions
}

// printedLevel holds the clusters ω and σ of one level.
type printedLevel struct {
	size   float64
	across float64 // number of pairs (σ, ω) to convert
	omega  []omega
	sigma  []sigma
	pairs  map[[3]int32][][2]int32 // these pairs, by the difference of their cells
}

// omega is a cluster of triangles.
type omega struct {
	cell         [3]int32
	center       r3.Vector
	radius       float64
	first, count int32 // range of the triangles of the cluster
	father       int32
	sons         []int32
	moments      []float64
}

// sigma is a cluster of the evaluation box.
type sigma struct {
	cell   [3]int32
	center r3.Vector
	near   []int32 // clusters ω of the same level
	father int32
	sons   int32 // index of the first of eight sons, or −1
	local  []float64
}

// admissible2006 is the d of eq. 16. The paper only states d > 1.
const admissible2006 = 2

// degree2006 returns the expansion degree p ~ log N: one more for every refinement of a mesh.
func degree2006(triangles int) int { return int(math.Ceil(0.5 * math.Log2(float64(triangles)))) }

// newPrinted builds the trees and counts the operations of the set-up. Points of the evaluation lie
// in box. If pairs is false, expand is not possible.
func newPrinted(tris []mesh.Triangle, box bvh.Box, depth int, d float64, pairs bool) *printed {
	t := &printed{d: d, p: degree2006(len(tris)), depth: depth}
	body := bvh.EmptyBox()
	for _, x := range tris {
		for _, v := range x {
			body = body.Union(bvh.Box{Min: v, Max: v})
		}
	}
	for i, b := range []bvh.Box{body, box} {
		size := b.Size()
		t.edge = max(t.edge, size.X, size.Y, size.Z)
		t.low[i] = b.Min
	}
	t.edge *= 1 + 0x1p-40 // points at the upper sides are in the last cell
	t.cluster(tris)
	t.target(pairs)
	return t
}

// degree returns the expansion degree of level h.
func (t *printed) degree(h int) int { return t.p + t.vary*(t.depth-h) }

// length returns the number of coefficients of an expansion of level h.
func (t *printed) length(h int) int { return harmonics.Len(t.degree(h)) }

// cellOf returns the cell of level h that contains x.
func (t *printed) cellOf(x r3.Vector, tree, h int) [3]int32 {
	scale := float64(int32(1)<<h) / t.edge
	last := int32(1)<<h - 1
	at := func(x, low float64) int32 { return max(0, min(last, int32((x-low)*scale))) }
	return [3]int32{at(x.X, t.low[tree].X), at(x.Y, t.low[tree].Y), at(x.Z, t.low[tree].Z)}
}

// centerOf returns the center of a cell.
func (t *printed) centerOf(cell [3]int32, tree, h int) r3.Vector {
	s := t.edge / float64(int32(1)<<h)
	return t.low[tree].Add(r3.Vector{X: (float64(cell[0]) + 0.5) * s, Y: (float64(cell[1]) + 0.5) * s, Z: (float64(cell[2]) + 0.5) * s})
}

// cluster builds the tree of the triangles. A triangle belongs to the cluster that contains its
// centroid, on every level.
func (t *printed) cluster(tris []mesh.Triangle) {
	t.levels = make([]printedLevel, t.depth+1)
	cells := make([][3]int32, len(tris))
	order := make([]int32, len(tris))
	for i, x := range tris {
		cells[i] = t.cellOf(x[0].Add(x[1]).Add(x[2]).Mul(1.0/3), 0, t.depth)
		order[i] = int32(i)
	}
	var split func(h int, list []int32, first int32, father int32) int32
	split = func(h int, list []int32, first int32, father int32) int32 {
		l := &t.levels[h]
		shift := t.depth - h
		c := cells[list[0]]
		w := omega{cell: [3]int32{c[0] >> shift, c[1] >> shift, c[2] >> shift}, first: first, count: int32(len(list)), father: father}
		w.center = t.centerOf(w.cell, 0, h)
		for _, i := range list {
			for _, v := range tris[i] {
				w.radius = max(w.radius, v.Sub(w.center).Norm())
			}
		}
		me := int32(len(l.omega))
		l.omega = append(l.omega, w)
		if h == t.depth {
			return me
		}
		var parts [8][]int32
		for _, i := range list {
			k := 0
			for axis := range 3 {
				k |= int(cells[i][axis]>>(shift-1)&1) << axis
			}
			parts[k] = append(parts[k], i)
		}
		at, next := first, list[:0]
		var sons []int32
		for _, part := range parts {
			if len(part) > 0 {
				next = append(next, part...)
				sons = append(sons, split(h+1, next[len(next)-len(part):], at, me))
				at += int32(len(part))
			}
		}
		t.levels[h].omega[me].sons = sons
		return me
	}
	split(0, order, 0, -1)
	t.tris = make([]mesh.Triangle, len(tris))
	for i, k := range order {
		t.tris[i] = tris[k]
	}
	for h := range t.levels {
		t.levels[h].size = t.edge / float64(int32(1)<<h)
		t.counts.clusters += float64(len(t.levels[h].omega))
	}
}

// far reports whether a pair of level h is in the far field (eq. 16).
func (t *printed) far(w *omega, s *sigma, h int) bool {
	r := max(w.radius, math.Sqrt(3)/2*t.levels[h].size)
	return w.center.Sub(s.center).Norm() > (t.d+1)*r
}

// target builds the tree of the evaluation box. A cluster is divided while its near field is not
// empty, up to the greatest depth.
func (t *printed) target(pairs bool) {
	root := sigma{center: t.centerOf([3]int32{}, 1, 0), near: []int32{0}, father: -1, sons: -1}
	t.levels[0].sigma = []sigma{root}
	for h := 0; h < t.depth; h++ {
		l, next := &t.levels[h], &t.levels[h+1]
		if pairs {
			next.pairs = map[[3]int32][][2]int32{}
		}
		for i := range l.sigma {
			s := &l.sigma[i]
			if len(s.near) == 0 {
				continue
			}
			s.sons = int32(len(next.sigma))
			for k := range int32(8) {
				son := sigma{cell: [3]int32{2*s.cell[0] + k&1, 2*s.cell[1] + k>>1&1, 2*s.cell[2] + k>>2}, father: int32(i), sons: -1}
				son.center = t.centerOf(son.cell, 1, h+1)
				for _, f := range s.near {
					for _, j := range l.omega[f].sons {
						w := &next.omega[j]
						if !t.far(w, &son, h+1) {
							son.near = append(son.near, j)
							continue
						}
						next.across++
						if pairs {
							key := [3]int32{son.cell[0] - w.cell[0], son.cell[1] - w.cell[1], son.cell[2] - w.cell[2]}
							next.pairs[key] = append(next.pairs[key], [2]int32{int32(len(next.sigma)), j})
						}
					}
				}
				next.sigma = append(next.sigma, son)
			}
		}
	}
	for h := range t.levels {
		t.counts.targets += float64(len(t.levels[h].sigma))
		t.counts.across += t.levels[h].across
	}
}

// expand computes all expansions. If the degree varies, the sons lack the highest degrees of their
// father, so the father's moments of these degrees are incomplete.
func (t *printed) expand(ctx context.Context) error {
	t.weights = t.weights[:0]
	for n := range t.degree(0) + 1 {
		for range 2*n + 1 {
			t.weights = append(t.weights, math.Pow(0.5, float64(n+1)))
		}
	}
	for h := t.depth; h >= 0; h-- { // P2M and M2M, eqs. 22 and 23
		l, n := &t.levels[h], t.length(h)
		var up [8][]float64
		for k := range up {
			up[k] = harmonics.MatrixM2M(t.degree(h), octant(k))
		}
		for i := range l.omega {
			if err := ctx.Err(); err != nil {
				return err
			}
			w := &l.omega[i]
			w.moments = make([]float64, n)
			if h == t.depth {
				t.elements(w, l.size)
				continue
			}
			for _, j := range w.sons {
				son := &t.levels[h+1].omega[j]
				scaled := make([]float64, len(son.moments))
				for k, m := range son.moments {
					scaled[k] = m * t.weights[k]
				}
				addProduct(w.moments, up[octantOf(son.cell)], n, scaled)
			}
		}
	}
	for h := range t.levels { // M2L and L2L, eqs. 24 and 25
		l, n := &t.levels[h], t.length(h)
		for i := range l.sigma {
			l.sigma[i].local = make([]float64, n)
		}
		base := t.low[1].Sub(t.low[0]).Mul(1 / l.size)
		for key, pairs := range l.pairs {
			if err := ctx.Err(); err != nil {
				return err
			}
			m := harmonics.MatrixM2L(t.degree(h), t.degree(h), base.Add(r3.Vector{X: float64(key[0]), Y: float64(key[1]), Z: float64(key[2])}))
			for _, p := range pairs {
				addProduct(l.sigma[p[0]].local, m, n, l.omega[p[1]].moments)
			}
		}
		if h == 0 {
			continue
		}
		var down [8][]float64
		for k := range down {
			down[k] = harmonics.MatrixL2L(t.degree(h-1), octant(k))
		}
		moved := make([]float64, n)
		for i := range l.sigma {
			s := &l.sigma[i]
			clear(moved)
			addProduct(moved, down[octantOf(s.cell)], t.length(h-1), t.levels[h-1].sigma[s.father].local)
			for k := range moved { // the size of the cells is halved, and with it |x|ⁿ
				s.local[k] += moved[k] * 2 * t.weights[k]
			}
		}
	}
	return nil
}

// octant returns the center of son k relative to its father, whose edge is 1.
func octant(k int) r3.Vector {
	at := func(bit int) float64 { return float64(bit&1)*0.5 - 0.25 }
	return r3.Vector{X: at(k), Y: at(k >> 1), Z: at(k >> 2)}
}

// octantOf returns the number of a cell among the sons of its father.
func octantOf(cell [3]int32) int { return int(cell[0]&1 | cell[1]&1<<1 | cell[2]&1<<2) }

// elements computes the moments of the triangles of a leaf by exact integration, in units of the
// cell.
func (t *printed) elements(w *omega, size float64) {
	m := bem.NewMoments(t.degree(t.depth))
	for _, x := range t.tris[w.first : w.first+w.count] {
		for k := range x {
			x[k] = x[k].Sub(w.center).Mul(1 / size)
		}
		m.AddTriangle(x[0], x[1], x[2])
	}
	m.AddTo(w.moments)
}

// addProduct adds the product of a dense matrix and x to y. A row of the matrix has the given length, which is
// at least the length of x. Rows after the last element of y are not used.
func addProduct(y, matrix []float64, length int, x []float64) {
	for i := range y {
		row, sum := matrix[i*length:i*length+len(x)], 0.0
		for k, v := range x {
			sum += row[k] * v
		}
		y[i] += sum
	}
}

// leaf returns the smallest cluster σ that contains x.
func (t *printed) leaf(x r3.Vector) (*sigma, int) {
	cell := t.cellOf(x, 1, t.depth)
	s := &t.levels[0].sigma[0]
	for h := 0; ; h++ {
		if s.sons < 0 {
			return s, h
		}
		shift := t.depth - h - 1
		k := int32(0)
		for axis := range 3 {
			k |= cell[axis] >> shift & 1 << axis
		}
		s = &t.levels[h+1].sigma[s.sons+k]
	}
}

// nearCount returns the number of triangles in the near field of a cluster of level h.
func (t *printed) nearCount(s *sigma, h int) int {
	n := 0
	for _, j := range s.near {
		n += int(t.levels[h].omega[j].count)
	}
	return n
}

// value returns J at x: the expansion of the leaf, and the near field (eq. 20).
func (t *printed) value(x r3.Vector) float64 {
	s, h := t.leaf(x)
	size := t.levels[h].size
	// In a leaf, the degree of the finest level suffices: clusters of coarser levels are farther away.
	j := -harmonics.EvaluateLocal(s.local, t.p, x.Sub(s.center).Mul(1/size)) / (4 * math.Pi)
	sum := 0.0
	for _, k := range s.near {
		w := &t.levels[h].omega[k]
		for i := w.first; i < w.first+w.count; i++ {
			sum += angle(x, &t.tris[i])
		}
	}
	return j + sum/(2*math.Pi)
}

// angle returns half the solid angle of a triangle at x (van Oosterom and Strackee 1983).
func angle(x r3.Vector, t *mesh.Triangle) float64 {
	ax, ay, az := t[0].X-x.X, t[0].Y-x.Y, t[0].Z-x.Z
	bx, by, bz := t[1].X-x.X, t[1].Y-x.Y, t[1].Z-x.Z
	cx, cy, cz := t[2].X-x.X, t[2].Y-x.Y, t[2].Z-x.Z
	a, b, c := math.Sqrt(ax*ax+ay*ay+az*az), math.Sqrt(bx*bx+by*by+bz*bz), math.Sqrt(cx*cx+cy*cy+cz*cz)
	det := ax*(by*cz-bz*cy) + ay*(bz*cx-bx*cz) + az*(bx*cy-by*cx)
	den := a*b*c + (ax*bx+ay*by+az*bz)*c + (bx*cx+by*cy+bz*cz)*a + (cx*ax+cy*ay+cz*az)*b
	return math.Atan2(det, den)
}

// sidesTo writes the side of every point. J is 0 outside, 1 inside and between 0 and 1 on the surface
// (eq. 8). Errors of J must be below ¼.
func (t *printed) sidesTo(ctx context.Context, dst []side.Side, pts []r3.Vector) error {
	for i, x := range pts {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch j := t.value(x); {
		case j > 0.75:
			dst[i] = side.Inside
		case j < 0.25:
			dst[i] = side.Outside
		default:
			dst[i] = side.OnSurface
		}
	}
	return nil
}

// These are the numbers of floating-point operations of the parts of both methods, counted in this
// code. An arc tangent counts as 40 operations, and a square root as 15.
const (
	boxFlops   = 10  // a test of a box; most tests end after one or two axes
	faceFlops  = 100 // signs of volumes of a face whose box the ray intersects
	nearFlops  = 150 // a solid angle
	elementOps = 30  // a coefficient of a boundary element
	localFlops = 8   // a coefficient of an evaluated expansion
)

// setUpOps returns the operations of the set-up. A translation between expansions of n and m coefficients has
// 2nm operations.
func (t *printed) setUpOps() float64 {
	ops := float64(elementOps * len(t.tris) * t.length(t.depth))
	for h := range t.levels {
		l, n := &t.levels[h], float64(t.length(h))
		ops += 2 * n * n * l.across
		if h > 0 {
			ops += 2 * n * float64(t.length(h-1)) * float64(len(l.omega)+len(l.sigma))
		}
	}
	return ops
}

// evaluationOps returns the operations of the evaluation, and the number of solid angles.
func (t *printed) evaluationOps(pts []r3.Vector) (ops, near float64) {
	known := map[*sigma]int{}
	for _, x := range pts {
		s, h := t.leaf(x)
		n, ok := known[s]
		if !ok {
			n = t.nearCount(s, h)
			known[s] = n
		}
		near += float64(n)
	}
	return localFlops*float64(harmonics.Len(t.p)*len(pts)) + nearFlops*near, near
}

// clusterLimit bounds N/4^L in units of log₂² N, where N is the number of triangles. A surface has
// about 4^L clusters at level L (§2.1.3). The factors from 2.28 to 3.02 give the depths 3, 3 and 4 for
// 8,192, 32,768 and 131,072 triangles, which fit table 2 best (table2.go).
const clusterLimit = 2.6

// preChosen returns the depth that depends only on the number of triangles.
func preChosen(triangles int) int {
	n := float64(triangles)
	limit := clusterLimit * math.Pow(math.Log2(n), 2)
	depth := 1
	for n/math.Pow(4, float64(depth)) > limit {
		depth++
	}
	return depth
}
