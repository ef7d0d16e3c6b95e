package build

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
)

const (
	// longest is the largest number of triangles in a list. A reference has one bit for each
	// triangle. If a cell has more triangles, queries in the cell need rays.
	longest = 60

	// Refinement replaces a list by shorter lists with a larger total length. The growth of a cell
	// is the factor by which refinement has increased this length, multiplied over all levels. A
	// list of n triangles is refined only if the growth is at most maxGrowth and at most
	// n/growthShare. // tuning
	maxGrowth   = 8
	growthShare = 8

	// Refining a list of at most longest triangles pays if the cell gets pointsPerRefined points.
	// (tuning)
	pointsPerRefined = 16
)

// listBuilder makes the records of one brick after another. Each worker has its own listBuilder.
type listBuilder struct {
	*builder
	ctx       context.Context
	triangles []gridTriangle
	spans     []span  // spans[i] is the span of level-0 cells that the box of triangles[i] meets
	all       []int32 // the indices 0, 1, 2, … of all triangles
	levels    []cellLists
	store     *chunkStore
	chunks    []layout.Chunk // slice that the last call of store.add returned
	chunk     int            // number of the chunk that alloc is filling, or −1
	used      int            // number of records used in the chunk that alloc is filling
	refined   []refinedCell
	counts    layout.Counts
	warm      float64
}

// cellLists holds a list of triangles for each cell of a block. All cells have the same level.
type cellLists struct {
	pairs []pair
	start [layout.BrickSide*layout.BrickSide*layout.BrickSide + 1]int32 // start[c] is the index in list of the first triangle of cell c
	list  []int32
}

func (s *cellLists) of(c int32) []int32 { return s.list[s.start[c]:s.start[c+1]] }

// refinedCell describes a refined cell while the grid is built. Until the grid is finished, element
// 5 of the record of the cell is 1 + the index of the refinedCell. Afterward, element 5 is 0.
type refinedCell struct {
	record     uint32
	level      int      // level of the children
	lo         [3]int32 // coordinates of the first child
	components []uint64 // connected sets of empty children; bit i of a set stands for child i
	first      int32    // number of the component that is stored in components[0]
}

// sort fills the lists for a block of cells of one level. The block starts at cell lo and has
// 2^side cells on each axis.
func (b *listBuilder) sort(level int, lo [3]int32, side uint, triangles []int32) {
	for len(b.levels) <= level {
		b.levels = append(b.levels, cellLists{})
	}
	s := &b.levels[level]
	pairs := s.pairs[:0]
	cells := int32(1) << (3 * side)
	start := s.start[:cells+1]
	clear(start)
	scale := layout.Scale(level)
	m := int32(1)<<side - 1
	hi := [3]int32{lo[0] + m, lo[1] + m, lo[2] + m}
	edge := 1 / scale
	half := edge * (0.5 + layout.Slack)
	for _, n := range triangles {
		t := &b.triangles[n]
		box := b.spans[n]
		if level > 0 {
			tri := b.Triangle(t.face)
			box = spanOf(&b.Frame, &tri, scale)
		}
		in, ok := box.within(lo, hi)
		if !ok {
			continue
		}
		cells := in.cells()
		if cells <= 2 {
			// The box of the triangle meets one or two cells. The triangle touches all sides of its
			// box, so it meets all these cells.
			c := (in.lo[0] - lo[0]) | (in.lo[1]-lo[1])<<side | (in.lo[2]-lo[2])<<(2*side)
			pairs = append(pairs, pair{c, n})
			start[c+1]++
			if cells == 2 {
				c = (in.hi[0] - lo[0]) | (in.hi[1]-lo[1])<<side | (in.hi[2]-lo[2])<<(2*side)
				pairs = append(pairs, pair{c, n})
				start[c+1]++
			}
			continue
		}
		if cells > fewCells {
			t.cover(&b.Frame, scale, &in, func(i, j, k int32) {
				c := (i - lo[0]) | (j-lo[1])<<side | (k-lo[2])<<(2*side)
				pairs = append(pairs, pair{c, n})
				start[c+1]++
			})
			continue
		}
		// For a few cells, these loops are faster than cover. They find the same cells.
		d := t.size + 2*edge
		reach := t.sum*half + t.errorWithin(&b.Frame, d+half)
		x0 := (float64(in.lo[0])+0.5)*edge - t.a[0]
		for k := in.lo[2]; k <= in.hi[2]; k++ {
			z := (float64(k)+0.5)*edge - t.a[2]
			for j := in.lo[1]; j <= in.hi[1]; j++ {
				y := (float64(j)+0.5)*edge - t.a[1]
				v := t.n[2]*z + t.n[1]*y
				row := (j-lo[1])<<side | (k-lo[2])<<(2*side)
				x := x0
				for i := in.lo[0]; i <= in.hi[0]; i++ {
					if math.Abs(v+t.n[0]*x) <= reach {
						c := (i - lo[0]) | row
						pairs = append(pairs, pair{c, n})
						start[c+1]++
					}
					x += edge
				}
			}
		}
	}
	s.pairs = pairs
	for c := range cells {
		start[c+1] += start[c]
	}
	if cap(s.list) < len(pairs) {
		s.list = make([]int32, len(pairs)+len(pairs)/2)
	}
	s.list = s.list[:len(pairs)]
	at := s.start
	for _, p := range pairs {
		s.list[at[p.cell]] = p.triangle
		at[p.cell]++
	}
}

// brick makes crossed brick n from all faces that can meet it. The brick starts at cell lo.
func (b *listBuilder) brick(n int, lo [3]int32, faces []int32) {
	if cap(b.triangles) < len(faces) {
		b.triangles = make([]gridTriangle, len(faces)+len(faces)/2)
		b.spans = make([]span, len(faces)+len(faces)/2)
		b.all = make([]int32, cap(b.triangles))
		for i := range b.all {
			b.all[i] = int32(i)
		}
	}
	b.triangles = b.triangles[:len(faces)]
	// Read all corners first, so that the cache misses overlap.
	sum, m := 0.0, b.Mesh
	for _, f := range faces {
		if int(f) < len(m.Faces) {
			v := &m.Faces[f]
			sum += m.Vertices[v[0]].X + m.Vertices[v[1]].X + m.Vertices[v[2]].X
		}
	}
	b.warm = sum // storing sum keeps the compiler from removing the reads
	for i, f := range faces {
		t := b.Triangle(f)
		b.spans[i] = b.triangles[i].prepare(&b.Frame, &t, f)
	}
	b.sort(0, lo, layout.BrickBits, b.all[:len(faces)])
	words := b.Words[n*layout.BrickSide:][:layout.BrickSide]
	crossed := int32(0)
	s := &b.levels[0]
	for z := range words {
		w := uint64(0)
		for c := range 64 {
			if s.start[z*64+c] < s.start[z*64+c+1] {
				w |= 1 << c
			}
		}
		words[z].Crossed = w
		b.First[n*layout.BrickSide+z] = uint32(crossed)
		crossed += int32(bits.OnesCount64(w))
	}
	if crossed == 0 {
		return
	}
	first := b.alloc(crossed)
	for z := range words {
		b.First[n*layout.BrickSide+z] += first
	}
	b.cells(0, lo, layout.BrickBits, first, 1)
	b.counts.Bricks++
}

// cells makes the records of the crossed cells of a block, with consecutive numbers from id on.
// b.sort must have filled the lists of the block. See maxGrowth for growth.
func (b *listBuilder) cells(level int, lo [3]int32, side uint, id uint32, growth float64) {
	half := 0.5 / layout.Scale(level)
	for c := range int32(1) << (3 * side) {
		list := b.levels[level].of(c)
		if len(list) == 0 {
			continue
		}
		at := layout.CellOf(lo, c, side)
		if len(list) <= b.LongList || !b.refine(id, level, at, list, growth) {
			if len(list) > longest {
				*b.record(id) = layout.Record{layout.KindRayOnly}
				b.counts.RayOnly++
			} else {
				b.list(id, list, level, float64(2*at[0]+1)*half, float64(2*at[1]+1)*half, float64(2*at[2]+1)*half)
				b.counts.Crossed++
				b.counts.Entries += len(list)
			}
		}
		id++
	}
}

// refine makes the children of the cell with record id. It returns false if the children do not
// pay, or if the lists would grow too much. For example, the triangles around a vertex of high
// valence run through most children, so the lists of the children are not shorter.
func (b *listBuilder) refine(id uint32, level int, at [3]int32, list []int32, growth float64) bool {
	points := b.PointsPerCell * math.Pow(layout.Scale(level), -3)
	if level >= b.MaxLevel || len(list) <= longest && points < pointsPerRefined || b.ctx.Err() != nil {
		return false
	}
	cell := layout.CellAddr{Level: level, At: at}
	lo := cell.FirstChild()
	b.sort(level+1, lo, layout.ChildBits, list)
	s := &b.levels[level+1]
	growth *= float64(len(s.list)) / float64(len(list))
	if growth > min(maxGrowth, float64(len(list))/growthShare) {
		return false
	}
	c := layout.Children{}
	for i := range 64 {
		if s.start[i] < s.start[i+1] {
			c.Crossed |= 1 << i
		}
	}
	c.First = b.alloc(int32(bits.OnesCount64(c.Crossed)))
	b.record(id).SetChildren(c)
	b.refined = append(b.refined, refinedCell{record: id, level: level + 1, lo: lo})
	b.counts.Depth = max(b.counts.Depth, level+1)
	b.cells(level+1, lo, layout.ChildBits, c.First, growth)
	return true
}

// list writes the planes of triangles to record id. If necessary, it adds more records. (x, y, z)
// is the center of the cell, in cell coordinates.
func (b *listBuilder) list(id uint32, list []int32, level int, x, y, z float64) {
	for {
		r, faces := b.record(id), &b.chunks[id>>layout.ChunkBits].Faces[id&(layout.ChunkSize-1)]
		n := min(len(list), layout.PlanesPerRecord)
		r[0] = layout.KindLast | layout.NoReference<<24
		if n < len(list) {
			n--
			r[0] = layout.KindMore | layout.NoReference<<24
		}
		for j := range layout.PlanesPerRecord {
			r[1+j], faces[j] = layout.NoPlane, -1
		}
		for j, f := range list[:n] {
			t := &b.triangles[f]
			if t.level != level {
				t.setLevel(&b.Frame, level, 0.5/layout.Scale(level))
			}
			r[1+j], faces[j] = t.plane(x, y, z), t.face
		}
		if list = list[n:]; len(list) == 0 {
			return
		}
		next := b.alloc(1) // alloc can replace b.chunks
		b.record(id)[7] = uint64(next)
		id = next
	}
}

// record returns the record with number id. This worker must have allocated the record.
func (b *listBuilder) record(id uint32) *layout.Record {
	return &b.chunks[id>>layout.ChunkBits].Records[id&(layout.ChunkSize-1)]
}

// alloc allocates n consecutive records and returns the number of the first record. n must be at
// most ChunkSize.
func (b *listBuilder) alloc(n int32) uint32 {
	if b.chunk < 0 || b.used+int(n) > layout.ChunkSize {
		b.close()
		b.chunk, b.chunks = b.store.add()
		b.used = 0
	}
	at := b.used
	b.used += int(n)
	return uint32(b.chunk)<<layout.ChunkBits | uint32(at)
}

// close removes the unused rest of the current chunk.
func (b *listBuilder) close() {
	if b.chunk >= 0 {
		b.store.trim(b.chunk, b.used)
		b.chunk = -1
	}
}

// chunkStore allocates chunks for several workers. A worker uses the slice from its last call of
// add. This slice contains all chunks of the worker.
type chunkStore struct {
	mu     sync.Mutex
	chunks []layout.Chunk
	unused []int // numbers of chunks without records, which add uses first
}

// newChunkStore returns a store with the given chunks. It does not change the given slice.
func newChunkStore(chunks []layout.Chunk) *chunkStore {
	s := &chunkStore{chunks: slices.Clone(chunks)}
	for n := range chunks {
		if chunks[n].Records == nil {
			s.unused = append(s.unused, n)
		}
	}
	return s
}

func (s *chunkStore) add() (n int, chunks []layout.Chunk) {
	c := layout.Chunk{
		Records: make([]layout.Record, layout.ChunkSize),
		Faces:   make([][layout.PlanesPerRecord]int32, layout.ChunkSize),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.unused) - 1; last >= 0 {
		n, s.unused = s.unused[last], s.unused[:last]
		s.chunks[n] = c
		return n, s.chunks
	}
	s.chunks = append(s.chunks, c)
	return len(s.chunks) - 1, s.chunks
}

// trim cuts chunk n down to the given number of used records.
func (s *chunkStore) trim(n, used int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.chunks[n]
	if used > layout.ChunkSize-layout.ChunkSize/8 {
		c.Records, c.Faces = c.Records[:used], c.Faces[:used]
		return
	}
	*c = layout.Chunk{Records: slices.Clip(slices.Clone(c.Records[:used])), Faces: slices.Clip(slices.Clone(c.Faces[:used]))}
}
