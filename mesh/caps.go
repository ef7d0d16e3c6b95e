package mesh

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/frame"
)

// Capped returns a closed mesh: the faces of m in their order, then the caps, which are triangles
// that close the holes. It also returns the corners of the caps. The closed mesh shares the
// vertices of m. If m is closed, Capped returns m itself and no caps. If workers ≤ 0, there is one
// worker for each processor. The result does not depend on the number of workers.
//
// BoundaryLoops divides the boundary chain into loops. A loop of n vertices gets n−2 caps between its
// vertices. The first cap joins the first, the middle and the last vertex. The two halves of the loop
// are closed in the same way. Therefore a vertex has at most about 2·log₂ n caps in each loop. Most
// caps are small and near the boundary. If a single triangle is missing, its cap is the missing
// triangle. Narrow gaps between parts of the mesh get narrow caps. Caps can cross each other and the
// mesh, and can have zero area.
//
// Errors: ErrTooLarge if there would be more than MaxFaces faces; the error of ctx if ctx ends
// first.
func (m *Mesh) Capped(ctx context.Context, workers int) (closed *Mesh, caps []Triangle, err error) {
	if m.Closed() {
		return m, nil, ctx.Err()
	}
	tooMany := func(caps int) error {
		return fmt.Errorf("%w: a mesh of %d faces cannot get %d more faces for caps", ErrTooLarge, len(m.Faces), caps)
	}
	edges := 0
	for _, e := range m.boundary {
		edges += int(max(e.Mult, -e.Mult))
	}
	if len(m.Faces)+edges > MaxFaces {
		return nil, nil, tooMany(edges)
	}
	loops, times, err := m.BoundaryLoops(ctx)
	if err != nil {
		return nil, nil, err
	}
	count := 0
	for _, loop := range loops {
		count += times * max(0, len(loop)-2)
	}
	if len(m.Faces)+count > MaxFaces {
		return nil, nil, tooMany(count)
	}
	faces := make([][3]int32, len(m.Faces), len(m.Faces)+count)
	if err := copyBlocks(ctx, faces, m.Faces); err != nil {
		return nil, nil, err
	}
	for range times {
		for _, loop := range loops {
			faces = appendCap(faces, loop)
		}
	}
	closed = &Mesh{Vertices: m.Vertices, Faces: faces, Bodies: m.Bodies, polygons: m.polygons, box: m.box}
	flat, err := zeroAreaFaces(ctx, &Mesh{Vertices: m.Vertices, Faces: faces[len(m.Faces):]}, workers)
	if err != nil {
		return nil, nil, err
	}
	closed.degenerate = slices.Clone(m.degenerate)
	for _, f := range flat {
		closed.degenerate = append(closed.degenerate, int32(len(m.Faces))+f)
	}
	closed.examineLater()
	caps = make([]Triangle, len(faces)-len(m.Faces))
	for i := range caps {
		caps[i] = closed.Triangle(int32(len(m.Faces) + i))
	}
	return closed, caps, nil
}

// BoundaryLoops returns loops v[0] → v[1] → … → v[0]. If each loop is taken the given number of times,
// their sum is the boundary chain. No loop repeats a vertex. An edge whose multiplicity is larger than
// times is in several loops. If vertices on two sides of a narrow gap are close together, loops of three
// or four vertices go around parts of the gap. The edges of these loops across the gap cancel in the
// sum. BoundaryLoops takes O(V + E log E) time and O(V + E) memory for V vertices and E boundary edges.
//
// Errors: the error of ctx if ctx ends first.
func (m *Mesh) BoundaryLoops(ctx context.Context) (loops [][]int32, times int, err error) {
	if m.Closed() {
		return nil, 1, ctx.Err()
	}
	chain, times := m.primitiveBoundary()
	loops, chain, err = m.closeSeams(ctx, chain)
	if err != nil {
		return nil, 0, err
	}
	// The edges from v lead to heads[first[v]:first[v+1]]. The walk has used the edges before
	// next[v]. At each vertex, equal numbers of edges enter and leave, because the chain is a
	// boundary.
	first := make([]int32, len(m.Vertices)+1)
	for _, e := range chain {
		from, _, n := e.directed()
		first[from+1] += n
	}
	for v := range m.Vertices {
		first[v+1] += first[v]
	}
	next := slices.Clone(first)
	heads := make([]int32, first[len(m.Vertices)])
	for _, e := range chain {
		from, to, n := e.directed()
		for range n {
			heads[next[from]] = to
			next[from]++
		}
	}
	copy(next, first)

	inPath := make([]int32, len(m.Vertices)) // for each vertex, 1 + its index in path, or 0
	var path []int32
	err = inOrder(ctx, len(m.Vertices), func(lo, hi int) {
		for start := int32(lo); start < int32(hi); start++ {
			path = append(path[:0], start)
			inPath[start] = 1
			for {
				v := path[len(path)-1]
				if next[v] == first[v+1] {
					break // all edges from v were walked, and v is start
				}
				u := heads[next[v]]
				next[v]++
				if at := inPath[u]; at > 0 {
					loops = append(loops, slices.Clone(path[at-1:]))
					for _, w := range path[at:] {
						inPath[w] = 0
					}
					path = path[:at]
					continue
				}
				path = append(path, u)
				inPath[u] = int32(len(path))
			}
			inPath[start] = 0
		}
	})
	return loops, times, err
}

// primitiveBoundary divides the boundary chain by the greatest common divisor of its multiplicities. It
// returns the quotient and the divisor.
func (m *Mesh) primitiveBoundary() (chain []Edge, times int) {
	for _, e := range m.boundary {
		a, b := int(max(e.Mult, -e.Mult)), times
		for b != 0 {
			a, b = b, a%b
		}
		if times = a; times == 1 {
			return m.boundary, 1
		}
	}
	chain = slices.Clone(m.boundary)
	for i := range chain {
		chain[i].Mult /= int32(times)
	}
	return chain, times
}

// directed returns the direction of e, and the number of copies of e in this direction.
func (e Edge) directed() (from, to, copies int32) {
	if e.Mult < 0 {
		return e.B, e.A, -e.Mult
	}
	return e.A, e.B, e.Mult
}

// appendCap adds the caps of one hole to faces. The boundary of these caps is the reversed loop.
func appendCap(faces [][3]int32, loop []int32) [][3]int32 {
	n := len(loop)
	if n < 3 {
		return faces
	}
	mid := (n - 1) / 2
	faces = append(faces, [3]int32{loop[0], loop[n-1], loop[mid]})
	faces = appendCap(faces, loop[:mid+1])
	return appendCap(faces, loop[mid:])
}

// Reach returns a distance beyond which the winding number W is small: |W| < 1/2 at each point that is
// farther than Reach from the box of the faces. So under every rule, such a point is outside. Reach is 0 for
// a closed mesh.
//
// Let A be the total area of the caps; see Capped. The mesh and its caps are closed, and no cap leaves the
// box. So outside the box, W is the negated winding number of the caps. A surface of area A at the
// distance d covers a solid angle of at most A/d², so |W| ≤ A/(4πd²). Reach is √(A/2π), rounded up. It takes
// the time and the memory of BoundaryLoops.
//
// Errors: the error of ctx if ctx ends first.
func (m *Mesh) Reach(ctx context.Context) (float64, error) {
	loops, times, err := m.BoundaryLoops(ctx)
	if err != nil || len(loops) == 0 {
		return 0, err
	}
	local := frame.New(m.box)
	area := 0.0 // twice the area of the caps, in the frame
	err = inOrder(ctx, len(loops), func(lo, hi int) {
		var caps [][3]int32
		for _, loop := range loops[lo:hi] {
			caps = appendCap(caps[:0], loop)
			for _, t := range caps {
				area += m.areaAbove(local, t)
			}
		}
	})
	// The factor covers the rounding of the root and of the sum, which has fewer than 2³⁰ terms, none of
	// them negative. The smallest float64 covers underflow.
	r := math.Sqrt(area*float64(times)/(4*math.Pi)) * (1 + 0x1p-20)
	return math.Ldexp(r, local.Exponent) + math.SmallestNonzeroFloat64, err
}

// areaAbove returns an upper bound of twice the area of the triangle t in a frame.
//
// Each component of the cross product n is a difference of two products. The factors, the products and the
// difference are rounded once each. With u = 2⁻⁵³, the error is at most 4u times the sum of the magnitudes
// of the products, plus terms in u². The sum of the three bounds exceeds the norm of the error. 2⁻¹⁰⁰⁰
// covers underflow.
func (m *Mesh) areaAbove(local frame.Frame, t [3]int32) float64 {
	a := m.Vertices[t[0]]
	u, v := local.Difference(m.Vertices[t[1]], a), local.Difference(m.Vertices[t[2]], a)
	n := u.Cross(v)
	u, v = u.Abs(), v.Abs()
	magnitudes := u.Y*v.Z + u.Z*v.Y + u.Z*v.X + u.X*v.Z + u.X*v.Y + u.Y*v.X
	return length(n) + 8*unit*magnitudes + 0x1p-1000
}
