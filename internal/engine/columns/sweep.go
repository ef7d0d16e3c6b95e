package columns

import (
	"context"
	"math"
	"math/bits"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// Sweep finds winding numbers for one closed mesh without an index. It divides the points of a
// batch into columns, and tests each triangle against the points in the columns of the triangle. So
// a batch takes time proportional to the number of triangles and to the number of points. If there
// are few points, this is faster than building an Index. A Sweep is immutable and safe for
// concurrent use.
type Sweep struct {
	mesh *mesh.Mesh
	frame
	model    sweepModel
	memories sync.Pool // holds values of type *sweepMemory
}

// NewSweep returns a Sweep for a closed mesh m with the sizes k. It takes constant time.
func NewSweep(m *mesh.Mesh, k mesh.Sizes) *Sweep {
	s := &Sweep{mesh: m, model: newSweepModel(&k)}
	s.axis = s.model.axis
	s.setBox(m.Box())
	s.memories.New = func() any { return new(sweepMemory) }
	return s
}

// OnSurface is the result of Sweep.Winding for a point that lies exactly on a face.
const OnSurface = math.MinInt32

// For each face on which a point lies, onSurface is added to the sum of crossings of the point.
// There are fewer than 2³⁰ faces, so the crossings alone never reach this magnitude, and the sum
// cannot overflow.
const onSurface = -1 << 32

// outOfBox stands for a packed point outside the box of the mesh.
const outOfBox = math.MaxUint64

// sweepMemory is the working memory of one batch. The points are sorted by columns.
type sweepMemory struct {
	vertices []uint64     // packed vertices of the mesh
	unsorted []uint64     // packed points in the order of the batch; outOfBox for a point outside the box
	start    []uint32     // start[c] is the index of the first point in column c
	index    []int32      // index of the point in the batch
	turned   [3][]float64 // coordinates of the turned points
	packed   []uint64     // the same points, packed
	counts   [][]uint32   // for each worker and column, first the number of points, then the next position
	windings [][]int64    // for each worker, the sum of the crossings of each point; about onSurface for points on a face
}

// tuning
const (
	sweepFaces  = 1 << 11 // largest number of faces in a block
	sweepTests  = 1 << 24 // largest number of faces in a block times points
	sweepPoints = 1 << 11 // smallest number of points in a block
	sweepWorker = 100_000 // nanoseconds of work that pay for another worker
)

// Windings calls emit for blocks of points with their indexes in pts and their winding numbers. A number is at most
// OnSurface if its point lies on a face, and 0 if it is not finite. Each point is in one block. Several goroutines call
// emit at the same time. workers ≤ 0 means one for each processor. The winding numbers do not depend on workers. There
// must be fewer than 2³¹ points.
//
// Errors: the error of ctx if ctx ends first. Then some points are in no block.
func (s *Sweep) Windings(ctx context.Context, pts []r3.Vector, workers int, emit func(index []int32, windings []int64)) (side.Stats, error) {
	b := s.batch(pts, workers)
	defer s.memories.Put(b.sweepMemory)
	return b.run(ctx, emit)
}

// Winding returns the winding number of p, or OnSurface. It tests all triangles. If p is not
// finite, the result is 0. Winding allocates only if a sign needs arbitrary precision.
func (s *Sweep) Winding(p r3.Vector, scratch *Scratch) int32 {
	q := s.turn(p)
	if !s.contains(q) {
		return 0
	}
	sum, vertices, t := int32(0), s.mesh.Vertices, [9]float64{}
	for _, f := range s.mesh.Faces {
		s.turnTo(&t, &vertices[f[0]], &vertices[f[1]], &vertices[f[2]])
		scratch.tested++
		n, on := crossingOf(q, &t, &scratch.signs)
		if on {
			return OnSurface
		}
		sum += int32(n)
	}
	return sum
}

// batch returns a batch for the given points. The caller must return its memory to s.memories.
func (s *Sweep) batch(pts []r3.Vector, workers int) *sweepBatch {
	b := &sweepBatch{Sweep: s, sweepMemory: s.memories.Get().(*sweepMemory), frame: s.frame, pts: pts}
	var time float64
	b.frame.bitsX, b.frame.bitsY, time = s.model.plan(int64(len(pts)))
	b.outside = 1 << (b.frame.bitsX + b.frame.bitsY)
	b.workers = max(1, min(par.Workers(workers), maxWorkers, int(time/sweepWorker)))
	return b
}

// sweepBatch is one batch of a Sweep.
type sweepBatch struct {
	*Sweep
	*sweepMemory
	frame
	pts     []r3.Vector
	workers int
	outside uint32 // number of the column of the points outside the box
}

// run does the work of Windings.
func (b *sweepBatch) run(ctx context.Context, emit func(index []int32, windings []int64)) (side.Stats, error) {
	columns := int(b.outside) + 1
	m := b.sweepMemory
	m.vertices = resize(m.vertices, len(b.mesh.Vertices))
	m.unsorted = resize(m.unsorted, len(b.pts))
	m.start = resize(m.start, columns+1)
	m.index = resize(m.index, len(b.pts))
	m.packed = resize(m.packed, len(b.pts)+crossBeyond)
	for k := range m.turned {
		m.turned[k] = resize(m.turned[k], len(b.pts)+crossBeyond)
	}
	m.counts, m.windings = resize(m.counts, b.workers), resize(m.windings, b.workers)
	for w := range b.workers {
		m.counts[w] = resize(m.counts[w], columns)
		m.windings[w] = resize(m.windings[w], len(b.pts)+crossBeyond)
		clear(m.counts[w])
		clear(m.windings[w])
	}
	if err := b.sort(ctx); err != nil {
		return side.Stats{}, err
	}
	workers := make([]sweepWorkerStats, b.workers)
	step := max(1, min(sweepFaces, sweepTests/(len(b.pts)+1), len(b.mesh.Faces)/(4*b.workers)))
	err := par.Blocks(ctx, len(b.mesh.Faces), step, b.workers, func(w, lo, hi int) {
		b.sweep(&workers[w].Scratch, m.windings[w], lo, hi)
	})
	if err != nil {
		return side.Stats{}, err
	}
	var stats side.Stats
	for w := range workers {
		stats.Add(workers[w].Stats())
	}
	first := m.windings[0]
	return stats, par.Blocks(ctx, len(b.pts), max(sweepPoints, len(b.pts)/b.workers+1), b.workers, func(_, lo, hi int) {
		for _, other := range m.windings[1:] {
			for i, n := range other[lo:hi] {
				first[lo+i] += n
			}
		}
		emit(m.index[lo:hi], first[lo:hi])
	})
}

// sweepWorkerStats keeps the counts of workers in different cache lines.
type sweepWorkerStats struct {
	Scratch
	_ [64]byte
}

// sort packs the vertices, and sorts the points by columns.
func (b *sweepBatch) sort(ctx context.Context) error {
	m, vertices := b.sweepMemory, b.mesh.Vertices
	share := func(n, w int) (from, to int) { return n * w / b.workers, n * (w + 1) / b.workers }
	err := par.Blocks(ctx, b.workers, 1, b.workers, func(_, w, _ int) {
		f := b.frame
		from, to := share(len(vertices), w)
		packed := m.vertices[from:to]
		for i, v := range vertices[from:to] {
			packed[i] = f.pack(f.turn(v))
		}
		from, to = share(len(b.pts), w)
		counts, unsorted := m.counts[w], m.unsorted[from:to]
		for i, p := range b.pts[from:to] {
			c, packed := b.outside, uint64(outOfBox)
			if p = f.turn(p); f.contains(p) {
				packed = f.pack(p)
				c = uint32(f.column(packed))
			}
			unsorted[i] = packed
			counts[c]++
		}
	})
	if err != nil {
		return err
	}
	total := uint32(0)
	for c := range int(b.outside) + 1 {
		m.start[c] = total
		for _, counts := range m.counts {
			counts[c], total = total, total+counts[c]
		}
	}
	m.start[b.outside+1] = total
	return par.Blocks(ctx, b.workers, 1, b.workers, func(_, w, _ int) {
		f := b.frame
		from, to := share(len(b.pts), w)
		next, index, sorted, x, y, z := m.counts[w], m.index, m.packed, m.turned[0], m.turned[1], m.turned[2]
		for i, packed := range m.unsorted[from:to] {
			c := b.outside
			if packed != outOfBox {
				c = uint32(f.column(packed))
			}
			k := next[c]
			next[c]++
			index[k], sorted[k] = int32(from+i), packed
			if c != b.outside {
				p := f.turn(b.pts[from+i])
				x[k], y[k], z[k] = p.X, p.Y, p.Z
			}
		}
	})
}

// sweep adds the crossings of the faces from lo to hi−1 to windings.
func (b *sweepBatch) sweep(s *Scratch, windings []int64, lo, hi int) {
	frame, start, vertices, faces := b.frame, b.start, b.vertices, b.mesh.Faces[lo:hi]
	mask := uint64(1)<<frame.bitsX - 1
	w := sweeper{sweepBatch: b, Scratch: s, windings: windings}
	for f := range faces {
		t := &faces[f]
		least, most := packedBox(vertices[t[0]], vertices[t[1]], vertices[t[2]])
		first, last := frame.column(least), frame.column(most)
		w.corners, w.loaded, w.box = t, false, newEntry(least, most, 0)
		for row := first &^ mask; row <= last; row += mask + 1 {
			from, to := start[row|first&mask], start[row|last&mask+1]
			for ; from < to; from += 64 {
				w.cross(int(from), int(min(from+64, to)))
			}
		}
	}
}

// sweeper tests one face after another.
type sweeper struct {
	*sweepBatch
	*Scratch
	windings []int64
	corners  *[3]int32 // vertices of the face
	box      entry     // box of the face
	face     [9]float64
	loaded   bool // whether face has the coordinates of the turned corners

	// Points in the box of the face, their numbers and their crossings.
	x, y, z   [64 + crossBeyond]float64
	number    [64]int32
	crossings [64 + crossBeyond]int64
}

// cross adds the crossings of the face to the windings of the points from lo to hi−1, which are at most 64.
func (w *sweeper) cross(lo, hi int) {
	inside := w.box.within(w.packed[lo:hi])
	if inside == 0 {
		return
	}
	if !w.loaded {
		v := w.mesh.Vertices
		w.turnTo(&w.face, &v[w.corners[0]], &v[w.corners[1]], &v[w.corners[2]])
		w.loaded = true
	}
	x, y, z := w.turned[0], w.turned[1], w.turned[2]
	few := bits.OnesCount64(inside)
	w.tested += uint64(few)
	if steps(few) == steps(hi-lo) {
		w.crossAll(x[lo:], y[lo:], z[lo:], w.windings[lo:], hi-lo)
		return
	}
	n := 0
	for m := inside; m != 0; m &= m - 1 {
		i := lo + bits.TrailingZeros64(m)
		w.x[n], w.y[n], w.z[n], w.number[n], w.crossings[n] = x[i], y[i], z[i], int32(i), 0
		n++
	}
	w.crossAll(w.x[:], w.y[:], w.z[:], w.crossings[:], n)
	for k, c := range w.crossings[:n] {
		w.windings[w.number[k]] += c
	}
}

// steps returns the number of steps of crossAll for n points.
func steps(n int) int {
	if hasAVX2 {
		return (n + 3) / 4
	}
	return n
}

// crossAll adds the crossings of the face to the windings of the first n points.
func (w *sweeper) crossAll(x, y, z []float64, windings []int64, n int) {
	var doubt uint64
	if hasAVX2 {
		doubt = crossAVX2(&w.face, &x[0], &y[0], &z[0], &windings[0], n)
	} else {
		doubt = crossGeneric(&w.face, x[:n], y[:n], z[:n], windings[:n])
	}
	w.signs.Filter += uint64(n - bits.OnesCount64(doubt))
	for ; doubt != 0; doubt &= doubt - 1 {
		i := bits.TrailingZeros64(doubt)
		if n, on := crossingOf(r3.Vector{X: x[i], Y: y[i], Z: z[i]}, &w.face, &w.signs); on {
			windings[i] += onSurface
		} else {
			windings[i] += int64(n)
		}
	}
}

// turnTo sets dst to the coordinates of three turned points.
func (f *frame) turnTo(dst *[9]float64, p, q, r *r3.Vector) {
	switch f.axis {
	case 0:
		*dst = [9]float64{p.Y, p.Z, p.X, q.Y, q.Z, q.X, r.Y, r.Z, r.X}
	case 1:
		*dst = [9]float64{p.Z, p.X, p.Y, q.Z, q.X, q.Y, r.Z, r.X, r.Y}
	default:
		*dst = [9]float64{p.X, p.Y, p.Z, q.X, q.Y, q.Z, r.X, r.Y, r.Z}
	}
}

// crossingOf returns the result of crossing for the turned triangle t. It tries simple comparisons
// first.
func crossingOf(q r3.Vector, t *[9]float64, signs *predicates.Counter) (n int, on bool) {
	a, b, c := r3.Vector{X: t[0], Y: t[1], Z: t[2]}, r3.Vector{X: t[3], Y: t[4], Z: t[5]}, r3.Vector{X: t[6], Y: t[7], Z: t[8]}
	switch {
	case q.X < a.X && q.X < b.X && q.X < c.X || q.X > a.X && q.X > b.X && q.X > c.X ||
		q.Y < a.Y && q.Y < b.Y && q.Y < c.Y || q.Y > a.Y && q.Y > b.Y && q.Y > c.Y ||
		q.Z > a.Z && q.Z > b.Z && q.Z > c.Z:
		return 0, false
	case q == a || q == b || q == c:
		return 0, true
	}
	return crossing(q, a, b, c, q.Z < a.Z && q.Z < b.Z && q.Z < c.Z, signs)
}

// crossing returns the sign of the crossing of the ray from q with the triangle a, b, c, or 0
// without a crossing. All points are turned. If below is true, the caller knows that q is below the
// box of the triangle. on reports whether q lies on the triangle.
func crossing(q, a, b, c r3.Vector, below bool, signs *predicates.Counter) (n int, on bool) {
	n, near := signs.Around(q, a, b, c)
	if n == 0 && !near || below { // the triangle is not near the ray, or q is below it
		return n, false
	}
	if near && signs.OnTriangle(q, a, b, c) {
		return 0, true
	}
	if n != 0 {
		switch signs.Orient3D(a, b, c, q) {
		case 0:
			return 0, true
		case -n: // q is above the triangle
			return 0, false
		}
	}
	return n, false
}

// packedBox returns the corners of the box of three packed points.
func packedBox(a, b, c uint64) (least, most uint64) {
	lo, hi := sorted(a, b)
	least, _ = sorted(lo, c)
	_, most = sorted(hi, c)
	return least, most
}

// sorted returns the smaller and the larger of each coordinate of two packed points.
func sorted(a, b uint64) (least, most uint64) {
	g := ((a | guards) - b) & guards         // the guards of the coordinates for which a ≥ b
	exchanged := (a ^ b) & (g - g>>unitBits) // all bits of these coordinates
	return a ^ exchanged, b ^ exchanged
}

// resize returns a slice of n elements with any content. It reuses the memory of s if possible.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
