package mesh

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync"

	"github.com/inpoly/inpoly/internal/par"
)

// halfEdge is one side of a face. Its two vertices are lo and hi, where lo < hi.
type halfEdge struct {
	lo, hi int32
	ref    uint32 // (3f+k)<<1 for side k of face f, plus 1 if this side runs from hi to lo
}

func (h halfEdge) face() int32 { return int32(h.ref >> 1 / 3) }

// backward reports whether the face runs from hi to lo along h.
func (h halfEdge) backward() bool { return h.ref&1 == 1 }

// collapsed reports whether two corners of the face t are the same vertex.
func collapsed(t [3]int32) bool { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0] }

// bucketSize is the intended number of half-edges in a bucket. A half-edge has 12 bytes, so two
// copies of a bucket fit in a second-level cache of 512 KB.
const bucketSize = 16384 // tuning

// chunkSize is the number of faces or vertices that a worker counts and scatters at a time.
const chunkSize = 1 << 17 // tuning

// maxBucketBits limits the number of buckets, because the scatter step writes to all of them.
const maxBucketBits = 10

// buckets divides the undirected edges of a mesh into ranges of their smaller vertices. Bucket b has
// the vertices from b<<shift to (b+1)<<shift − 1. Each range has at least 64 vertices, so two
// buckets never share a word of a bit set over the vertices.
type buckets struct {
	shift, count int
}

func newBuckets(faces, vertices int) buckets {
	want := min(maxBucketBits, bits.Len(uint(3*faces/bucketSize)))
	shift := max(6, bits.Len(uint(vertices))-want)
	return buckets{shift, vertices>>shift + 1}
}

// sweepEdges calls visit once for each undirected edge of the faces, with all half-edges of this edge
// in face order. Collapsed faces have no half-edges. Each bucket of edges has an accumulator of type T,
// initially zero. visit gets the accumulator of the bucket with the edge. sweepEdges returns all
// accumulators. The edges ascend by (lo, hi) within a bucket and from bucket to bucket. If only is not
// nil, sweepEdges visits an edge only if bit lo%64 of only[lo/64] is set. The calls and the result do
// not depend on the number of workers. Errors: the error of ctx.
//
// A bucket has the half-edges with lo in one range of vertices. A counting sort orders them by lo.
// A comparison sort then orders the half-edges with equal lo, which are six on average.
func sweepEdges[T any](ctx context.Context, faces [][3]int32, vertices, workers int, only []uint64, visit func(acc *T, edge []halfEdge)) ([]T, error) {
	layout := newBuckets(len(faces), vertices)
	shift, buckets := layout.shift, layout.count
	visited := func(lo int32) bool { return only == nil || only[lo/64]>>(lo%64)&1 == 1 }

	// 1. Count the half-edges of each chunk in each bucket.
	offsets := make([][]int32, (len(faces)+chunkSize-1)/chunkSize)
	err := par.Blocks(ctx, len(faces), chunkSize, workers, func(_, lo, hi int) {
		count := make([]int32, buckets)
		for _, t := range faces[lo:hi] {
			if collapsed(t) {
				continue
			}
			for _, lo := range [3]int32{min(t[0], t[1]), min(t[1], t[2]), min(t[2], t[0])} {
				if visited(lo) {
					count[lo>>shift]++
				}
			}
		}
		offsets[lo/chunkSize] = count
	})
	if err != nil {
		return nil, err
	}
	bounds := prefixSums(offsets, buckets)

	// 2. Scatter the half-edges to the buckets, in face order within each bucket.
	halves := make([]halfEdge, bounds[buckets])
	err = par.Blocks(ctx, len(faces), chunkSize, workers, func(_, lo, hi int) {
		next := offsets[lo/chunkSize]
		for f := lo; f < hi; f++ {
			t := faces[f]
			if collapsed(t) {
				continue
			}
			a, ref := t[2], uint32(3*f+2)<<1
			for k := range 3 {
				b := t[k]
				h := halfEdge{lo: a, hi: b, ref: ref}
				if b < a {
					h = halfEdge{lo: b, hi: a, ref: ref | 1}
				}
				if visited(h.lo) {
					place := &next[h.lo>>shift]
					halves[*place] = h
					*place++
				}
				a, ref = b, uint32(3*f+k)<<1
			}
		}
	})
	if err != nil {
		return nil, err
	}

	// 3. Sort and visit each bucket.
	out := make([]T, buckets)
	scratch := make([]bucketScratch, par.Workers(workers))
	err = par.Blocks(ctx, buckets, 1, workers, func(w, b, _ int) {
		s := &scratch[w]
		if bounds[b] == bounds[b+1] || s.sort(ctx, halves[bounds[b]:bounds[b+1]], int32(b)<<shift, 1<<shift) != nil {
			return
		}
		look := len(s.sorted) // number of remaining half-edges at the last check of ctx
		for rest := s.sorted; len(rest) > 0; {
			if look-len(rest) >= blockSize {
				if ctx.Err() != nil {
					return
				}
				look = len(rest)
			}
			n := 1
			for n < len(rest) && rest[n].lo == rest[0].lo && rest[n].hi == rest[0].hi {
				n++
			}
			visit(&out[b], rest[:n])
			rest = rest[n:]
		}
	})
	return out, err
}

// prefixSums replaces counts[c][b] with the position at which chunk c writes its first element of
// bucket b. It returns the first position of each bucket, followed by the total.
func prefixSums(counts [][]int32, buckets int) []int32 {
	bounds := make([]int32, buckets+1)
	sum := int32(0)
	for b := range buckets {
		bounds[b] = sum
		for _, count := range counts {
			count[b], sum = sum, sum+count[b]
		}
	}
	bounds[buckets] = sum
	return bounds
}

// bucketScratch is memory that one worker uses to sort its buckets.
type bucketScratch struct {
	sorted []halfEdge
	start  []int32
}

// sort writes the half-edges to s.sorted in ascending order of (lo, hi, ref). Every lo must be in
// [firstLo, firstLo+width). The given half-edges must ascend by ref. Errors: the error of ctx.
func (s *bucketScratch) sort(ctx context.Context, halves []halfEdge, firstLo int32, width int) error {
	s.sorted = slices.Grow(s.sorted[:0], len(halves))[:len(halves)]
	s.start = slices.Grow(s.start[:0], width+1)[:width+1]
	clear(s.start)
	err := inOrder(ctx, len(halves), func(lo, hi int) {
		for _, h := range halves[lo:hi] {
			s.start[h.lo-firstLo]++
		}
	})
	if err != nil {
		return err
	}
	sum := int32(0)
	for v, n := range s.start {
		s.start[v] = sum
		sum += n
	}
	err = inOrder(ctx, len(halves), func(lo, hi int) {
		for _, h := range halves[lo:hi] {
			place := &s.start[h.lo-firstLo]
			s.sorted[*place] = h
			*place++
		}
	})
	if err != nil {
		return err
	}
	begin := int32(0)
	for _, end := range s.start[:width] { // s.start now holds the ends of the ranges
		if err := sortFan(ctx, s.sorted[begin:end]); err != nil {
			return err
		}
		begin = end
	}
	return nil
}

// sortFan sorts half-edges with equal lo by their hi. The half-edges of one edge stay in face
// order.
func sortFan(ctx context.Context, fan []halfEdge) error {
	const small = 24 // length of the longest fan that insertion sort handles; tuning
	if len(fan) > small {
		return sortContext(ctx, fan, func(a, b halfEdge) int {
			return cmp.Or(cmp.Compare(a.hi, b.hi), cmp.Compare(a.ref, b.ref))
		})
	}
	for i := 1; i < len(fan); i++ {
		h, j := fan[i], i
		for ; j > 0 && fan[j-1].hi > h.hi; j-- {
			fan[j] = fan[j-1]
		}
		fan[j] = h
	}
	return nil
}

// edgeTally counts the undirected edges of a mesh. Collapsed faces have no edges.
type edgeTally struct {
	total       int // number of undirected edges
	open        int // number of edges of exactly one face
	nonManifold int // number of edges of three or more faces
	unbalanced  int // number of nonManifold edges that belong to the boundary chain
	misoriented int // number of edges of exactly two faces that run along the edge in the same direction
	odd         int // number of edges with an odd number of faces
}

// count counts one edge. netCount is the number of half-edges in one direction minus the number in
// the other direction.
func (t *edgeTally) count(numFaces int, netCount int32) {
	t.total++
	t.odd += numFaces & 1
	switch {
	case numFaces == 1:
		t.open++
	case numFaces > 2:
		t.nonManifold++
		if netCount != 0 {
			t.unbalanced++
		}
	case netCount != 0:
		t.misoriented++
	}
}

func (t *edgeTally) add(o edgeTally) {
	t.total += o.total
	t.open += o.open
	t.nonManifold += o.nonManifold
	t.unbalanced += o.unbalanced
	t.misoriented += o.misoriented
	t.odd += o.odd
}

// examineEdges sets the fields of m that describe edges: boundary, edges and flaws.
//
// Most edges are sides of exactly two triangles, in opposite directions, and these triangles are not
// copies of each other. matchEdges counts these edges. Only the other edges are sorted.
func (m *Mesh) examineEdges(ctx context.Context, workers int) error {
	clean, marked, err := matchEdges(ctx, m.Faces, len(m.Vertices), workers)
	if err != nil {
		return err
	}
	m.boundary, m.edges, m.flaws, m.later = nil, edgeTally{total: clean}, nil, nil
	if marked == nil {
		return nil
	}
	return m.sortEdges(ctx, workers, marked)
}

// examineLater lets the first call of edgeFacts compute the counts of edges and their flaws. The caller must have set the
// boundary.
func (m *Mesh) examineLater() {
	m.later = sync.OnceValues(func() (edgeTally, *edgeFlaws) {
		all := Mesh{Vertices: m.Vertices, Faces: m.Faces, polygons: m.polygons}
		_ = all.examineEdges(context.Background(), 0) // this context never ends
		return all.edges, all.flaws
	})
}

// edgeFacts returns the counts of edges and their flaws.
func (m *Mesh) edgeFacts() (edgeTally, *edgeFlaws) {
	if m.later != nil {
		return m.later()
	}
	return m.edges, m.flaws
}

// sortEdges adds the edges that sweepEdges visits to the fields boundary, edges and flaws of m.
func (m *Mesh) sortEdges(ctx context.Context, workers int, only []uint64) error {
	type part struct {
		chain []Edge
		tally edgeTally
		flaws edgeFlaws
	}
	leaky := make([]uint64, len(m.Vertices)/64+1)
	parts, err := sweepEdges(ctx, m.Faces, len(m.Vertices), workers, only, func(p *part, edge []halfEdge) {
		net := int32(0)
		for _, h := range edge {
			net += 1 - 2*int32(h.ref&1)
		}
		lo, hi := edge[0].lo, edge[0].hi
		rest := p.flaws.withoutDiagonals(m, edge)
		p.tally.total += (len(edge) - len(rest)) / 2
		if len(rest) > 0 {
			p.tally.count(len(rest), net)
		}
		if net != 0 {
			p.chain = append(p.chain, Edge{A: lo, B: hi, Mult: net})
		}
		if !p.flaws.visit(m, edge, rest, MaxExamples) {
			leaky[lo/64] |= 1 << (lo % 64)
		}
	})
	if err != nil {
		return err
	}
	n := 0
	for _, p := range parts {
		n += len(p.chain)
	}
	m.boundary, m.flaws = make([]Edge, 0, n), &edgeFlaws{leaky: leaky}
	for _, p := range parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.boundary = append(m.boundary, p.chain...)
		m.edges.add(p.tally)
		m.flaws.add(&p.flaws.Defects, MaxExamples)
		m.flaws.duplicateFaces += p.flaws.duplicateFaces
		m.flaws.oppositeFaces += p.flaws.oppositeFaces
	}
	slices.Sort(m.flaws.Duplicates)
	m.flaws.scratch = nil
	return nil
}
