package mesh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/frame"
)

// ErrTolerance reports a tolerance of Welded that is negative or not finite.
var ErrTolerance = errors.New("tolerance is not a finite distance ≥ 0")

// Welding counts the changes of Welded.
type Welding struct {
	Tolerance float64 // the argument of Welded
	Joined    int     // number of vertices that another vertex has replaced
	Farthest  float64 // largest distance of such a vertex from its replacement, rounded up
	Collapsed int     // number of faces that lost a corner by the replacement
}

// Welded returns a mesh in which vertices of unmatched edges are joined if they are at most tolerance
// apart. An edge is unmatched if the number of its faces is odd. Vertices without such an edge do not
// change, even if they are close to each other.
//
// Welded visits the vertices of unmatched edges in ascending order. A vertex joins the nearest earlier
// vertex that has not joined another one, if their exact distance is at most tolerance. If several
// vertices are equally near, it joins the first. So no vertex moves farther than tolerance, and joined
// vertices form no chains. The faces keep their numbers. A face that loses a corner remains as a face
// without area. Joining moves faces, so it can create self-intersections.
//
// If no vertex joins another one, as with the tolerance 0, Welded returns m itself. Welded takes O(n)
// time for n faces. workers ≤ 0 means one for each processor. The result does not depend on workers.
//
// Errors: ErrTolerance if the tolerance is negative or not finite; the error of ctx if ctx ends first.
func (m *Mesh) Welded(ctx context.Context, tolerance float64, workers int) (*Mesh, Welding, error) {
	done := Welding{Tolerance: tolerance}
	if !(tolerance >= 0) || math.IsInf(tolerance, 0) {
		return nil, done, fmt.Errorf("%w: %g", ErrTolerance, tolerance)
	}
	if tolerance == 0 {
		return m, done, nil
	}
	join, err := m.joinNear(ctx, m.unmatched(), tolerance)
	if err != nil {
		return nil, done, err
	}
	if len(join.from) == 0 {
		return m, done, nil
	}
	done.Joined, done.Farthest = len(join.from), join.farthest

	numbers := make([]int32, len(m.Vertices)) // new number of each vertex
	out := &Mesh{
		Vertices: make([]r3.Vector, 0, len(m.Vertices)-len(join.from)), Faces: make([][3]int32, len(m.Faces)),
		Bodies: m.Bodies, polygons: m.polygons,
	}
	next := 0 // index of the next element of join.from, whose elements ascend
	for v := range numbers {
		if next < len(join.from) && int(join.from[next]) == v {
			numbers[v] = numbers[join.to[next]] // an earlier vertex
			next++
			continue
		}
		numbers[v] = int32(len(out.Vertices))
		out.Vertices = append(out.Vertices, m.Vertices[v])
	}
	err = inOrder(ctx, len(m.Faces), func(lo, hi int) {
		for f := lo; f < hi; f++ {
			t := m.Faces[f]
			out.Faces[f] = [3]int32{numbers[t[0]], numbers[t[1]], numbers[t[2]]}
			if collapsed(out.Faces[f]) && !collapsed(t) {
				done.Collapsed++
			}
		}
	})
	if err != nil {
		return nil, done, err
	}
	return out, done, out.finish(ctx, workers)
}

// unmatched returns the vertices of the edges with an odd number of faces, in ascending order.
func (m *Mesh) unmatched() []int32 {
	var list []int32
	for _, e := range m.boundary {
		if e.Mult%2 != 0 { // the parity of the number of faces
			list = append(list, e.A, e.B)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// joins lists vertices that join earlier ones.
type joins struct {
	from, to []int32 // vertex from[i] joins vertex to[i] < from[i]; from ascends
	farthest float64 // largest distance, rounded up
}

// joinNear finds the joins of Welded among the given vertices, which must ascend.
//
// Vertices that join no other one are more than tolerance apart. Therefore a cell of the grid holds
// few vertices, and the time is linear.
func (m *Mesh) joinNear(ctx context.Context, vertices []int32, tolerance float64) (joins, error) {
	var j joins
	g := newVertexGrid(m, tolerance, len(vertices))
	err := inOrder(ctx, len(vertices), func(lo, hi int) {
		for _, v := range vertices[lo:hi] {
			if to := g.nearest(v); to >= 0 {
				j.from, j.to = append(j.from, v), append(j.to, to)
				j.farthest = max(j.farthest, distanceUp(m.Vertices[v], m.Vertices[to]))
			} else {
				g.add(v)
			}
		}
	})
	return j, err
}

// distanceUp returns the distance of p and q, rounded up.
func distanceUp(p, q r3.Vector) float64 {
	d := p.Sub(q)
	h := math.Hypot(math.Hypot(d.X, d.Y), d.Z)
	return math.Nextafter(h*(1+0x1p-50), math.Inf(1)) // six roundings, of at most 2⁻⁵³ each
}

// vertexGrid finds vertices in a grid of cubic cells. The edge of a cell is twice the tolerance.
type vertexGrid struct {
	mesh      *Mesh
	tolerance float64
	cells     map[uint64]int32 // for the hash of a cell, the last vertex in the cells with this hash
	before    map[int32]int32  // for each vertex, the previous vertex with the same hash
	seed      [3]uint64        // seed of the hash
}

func newVertexGrid(m *Mesh, tolerance float64, size int) *vertexGrid {
	seed := [3]uint64{rand.Uint64(), rand.Uint64(), rand.Uint64() | 1}
	return &vertexGrid{mesh: m, tolerance: tolerance, cells: make(map[uint64]int32, size), before: map[int32]int32{}, seed: seed}
}

// coordinate returns the coordinate of the cell of x.
func (g *vertexGrid) coordinate(x float64) float64 {
	q := x / g.tolerance / 2
	switch {
	case math.Abs(q) < 0x1p52:
		return math.Floor(q)
	case math.IsInf(q, 0):
		return x // only equal numbers are within the tolerance
	}
	return q
}

// span returns the coordinates of the cells of all numbers within the tolerance of x. There are at most
// three.
//
// A cell is twice as long as the tolerance, so the exact quotients of the two numbers differ by at most ½.
// Rounding changes a quotient below 2⁴⁰ by less than .001, and a quotient below 2⁵² by at most ¼. So the
// rounded quotients differ by at most 1. Larger quotients are rounded to the same or to neighboring
// floating-point numbers.
func (g *vertexGrid) span(x float64) ([3]float64, int) {
	if q := x / g.tolerance / 2; math.Abs(q) < 0x1p40 {
		low, high := math.Floor(q-.51), math.Floor(q+.51)
		return [3]float64{low, low + 1, low + 2}, 1 + int(high-low)
	}
	c := g.coordinate(x)
	return [3]float64{min(c-1, math.Nextafter(c, math.Inf(-1))), c, max(c+1, math.Nextafter(c, math.Inf(1)))}, 3
}

// cell returns a hash of the coordinates of a cell. Cells with equal hashes share a list of vertices, so the
// caller compares distances. The seed is random, so that no file can force many vertices into one list. No result
// depends on the seed.
func (g *vertexGrid) cell(x, y, z float64) uint64 {
	hi, lo := bits.Mul64(math.Float64bits(x+0)^g.seed[0], math.Float64bits(y+0)^g.seed[1]) // adding 0 turns −0 into 0
	hi, lo = bits.Mul64(hi^lo^math.Float64bits(z+0), g.seed[2])
	return hi ^ lo
}

func (g *vertexGrid) add(v int32) {
	p := g.mesh.Vertices[v]
	c := g.cell(g.coordinate(p.X), g.coordinate(p.Y), g.coordinate(p.Z))
	if last, ok := g.cells[c]; ok {
		g.before[v] = last
	}
	g.cells[c] = v
}

// nearest returns the nearest vertex of the grid within the tolerance of v, or −1. If several are
// equally near, it returns the first.
func (g *vertexGrid) nearest(v int32) int32 {
	best := int32(-1)
	p := g.mesh.Vertices[v]
	for c := range g.around(p) {
		for w, ok := g.cells[c]; ok; w, ok = g.before[w] {
			q := g.mesh.Vertices[w]
			if compareDistance(p, q, g.tolerance) > 0 {
				continue
			}
			if best < 0 {
				best = w
			} else if c := compareDistances(p, q, g.mesh.Vertices[best]); c < 0 || c == 0 && w < best {
				best = w
			}
		}
	}
	return best
}

// around yields the hashes of the cells of all points within the tolerance of p.
func (g *vertexGrid) around(p r3.Vector) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		xs, nx := g.span(p.X)
		ys, ny := g.span(p.Y)
		zs, nz := g.span(p.Z)
		for _, x := range xs[:nx] {
			for _, y := range ys[:ny] {
				for _, z := range zs[:nz] {
					if !yield(g.cell(x, y, z)) {
						return
					}
				}
			}
		}
	}
}

// compareDistance compares the exact distance of p and q with t ≥ 0, as package cmp does.
func compareDistance(p, q r3.Vector, t float64) int {
	a, b := p.Sub(q).Norm2(), float64(t*t)
	if c, ok := compareSquares(a, b); ok {
		return c
	}
	limit := exact(t)
	return squaredDistance(p, q).Cmp(limit.Mul(limit, limit))
}

// compareDistances compares the exact distances of q and r from p, as package cmp does.
func compareDistances(p, q, r r3.Vector) int {
	if c, ok := compareSquares(p.Sub(q).Norm2(), p.Sub(r).Norm2()); ok {
		return c
	}
	return squaredDistance(p, q).Cmp(squaredDistance(p, r))
}

// compareSquares compares two numbers ≥ 0, as package cmp does. a and b are their approximations by at most five
// roundings each. An approximation can overflow, and it has no relative error bound below least. ok is false if
// the approximations do not decide.
func compareSquares(a, b float64) (c int, ok bool) {
	const least, most = 0x1p-900, 0x1p1000
	larger := max(a, b)
	overflow := math.IsInf(larger, 0)
	ok = larger > least && (overflow && min(a, b) < most || !overflow && math.Abs(a-b) > 0x1p-49*larger)
	return cmp.Compare(a, b), ok
}

// exactBits is a precision in which sums of three squares of differences of coordinates are exact. Differences are
// multiples of 2⁻¹⁰⁷⁴ below 2¹⁰²⁴.
const exactBits = 2*(1074+1024) + 2

func exact(x float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(x) }

// squaredDistance returns the exact square of the distance of p and q.
func squaredDistance(p, q r3.Vector) *big.Float {
	sum := exact(0)
	for _, c := range [3][2]float64{{p.X, q.X}, {p.Y, q.Y}, {p.Z, q.Z}} {
		d := exact(c[0])
		d.Sub(d, exact(c[1]))
		sum.Add(sum, d.Mul(d, d))
	}
	return sum
}

// sealLimit is the largest ratio of Diagnosis.WeldTolerance to the diagonal of the bounding box.
const sealLimit = 1e-6

// sealTolerance returns a small tolerance with which Welded closes m, or 0 if there is none up to
// sealLimit times the size of m. The search assumes that if a tolerance closes the mesh, every larger
// tolerance does too. If this is true, the result is the least such tolerance, rounded up to two
// digits. Otherwise the result still closes the mesh, but can be larger.
func (m *Mesh) sealTolerance(ctx context.Context) (float64, error) {
	vertices := m.unmatched()
	if len(vertices) == 0 {
		return 0, nil
	}
	f := frame.New(m.box)
	limit := math.Ldexp(sealLimit*length(f.Difference(m.box.Max, m.box.Min)), f.Exponent)
	if !(limit > 0) || math.IsInf(limit, 0) || m.hasLonelyEdge(vertices, limit) {
		return 0, nil
	}
	// closes returns the largest distance of a join with tolerance t, or 0 if the joins do not close m.
	closes := func(t float64) (float64, error) {
		j, err := m.joinNear(ctx, vertices, t)
		if err != nil {
			return 0, err
		}
		if closed, err := m.closedBy(ctx, j); err != nil || !closed {
			return 0, err
		}
		return j.farthest, nil
	}
	// All tolerances from the largest distance of a join up to t give the same joins.
	farthest, err := closes(limit)
	if err != nil || farthest == 0 {
		return 0, err
	}
	best := twoDigits(farthest)
	if best.value() > limit {
		return min(farthest, limit), nil
	}
	// Usually, the next smaller number does not close m. Larger steps follow each success.
	fails, found := decimal2(0), false // a number that does not close m
	for step := decimal2(1); !found || best-fails > 1; step *= 2 {
		try := best - step
		if found {
			try = fails + (best-fails)/2
		}
		farthest, err := closes(try.value())
		switch {
		case err != nil:
			return 0, err
		case farthest > 0:
			best = min(try, twoDigits(farthest))
		default:
			fails, found = try, true
		}
	}
	return best.value(), nil
}

// decimal2 numbers the positive numbers with two decimal digits in ascending order: 90·e + (m − 10) stands for
// m/10·10^e, where m is from 10 to 99.
type decimal2 int

// twoDigits returns the least such number that is not below x > 0.
func twoDigits(x float64) decimal2 {
	text := strconv.FormatFloat(x, 'e', 1, 64) // such as 3.2e-09
	e, _ := strconv.Atoi(text[4:])
	d := decimal2(90*e + 10*int(text[0]-'0') + int(text[2]-'0') - 10)
	if d.value() < x {
		d++
	}
	return d
}

func (d decimal2) value() float64 {
	e := int(math.Floor(float64(d) / 90))
	x, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", 10+int(d)-90*e, e-1), 64) // 0 below the least float64
	return x
}

// hasLonelyEdge reports whether one of a few edges of the boundary chain has no other vertex of the list near its
// ends. No smaller tolerance joins such an edge with another one either. In a mesh with holes, nearly all edges of
// the chain are lonely, so the search can stop.
func (m *Mesh) hasLonelyEdge(vertices []int32, tolerance float64) bool {
	const tries = 16 // tuning
	lonely := func(v int32) bool {
		p := m.Vertices[v]
		for _, w := range vertices {
			q := &m.Vertices[w]
			if math.Abs(q.X-p.X) <= tolerance && math.Abs(q.Y-p.Y) <= tolerance && math.Abs(q.Z-p.Z) <= tolerance && w != v {
				return false
			}
		}
		return true
	}
	for k := range tries {
		if e := m.boundary[k*len(m.boundary)/tries]; lonely(e.A) && lonely(e.B) {
			return true
		}
	}
	return false
}

// closedBy reports whether the joins close m. The boundary chain of the joined mesh is the image of the
// chain of m: an edge whose ends are joined vanishes.
func (m *Mesh) closedBy(ctx context.Context, j joins) (bool, error) {
	image := func(v int32) int32 {
		if i, ok := slices.BinarySearch(j.from, v); ok {
			return j.to[i]
		}
		return v
	}
	edges := make([]Edge, 0, len(m.boundary))
	for _, e := range m.boundary {
		e.A, e.B = image(e.A), image(e.B)
		if e.A > e.B {
			e.A, e.B, e.Mult = e.B, e.A, -e.Mult
		}
		if e.A != e.B {
			edges = append(edges, e)
		}
	}
	if err := sortContext(ctx, edges, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) }); err != nil {
		return false, err
	}
	sum := int64(0)
	for i, e := range edges {
		if sum += int64(e.Mult); i+1 == len(edges) || edges[i+1].A != e.A || edges[i+1].B != e.B {
			if sum != 0 {
				return false, nil
			}
		}
	}
	return true, nil
}
