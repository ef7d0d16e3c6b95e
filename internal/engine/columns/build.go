package columns

import (
	"context"
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/mesh"
)

// New returns the index of m. The index keeps a reference to m. If m is not closed, its winding
// numbers are not integers, and the results of the index have no meaning.
//
// Errors: the error of ctx if ctx ends first.
func New(ctx context.Context, m *mesh.Mesh, opt Options) (*Index, error) {
	x := &Index{mesh: m}
	if m.NumFaces() == 0 {
		x.min, x.max = r3.Vector{X: 1}, r3.Vector{} // contains returns false
		return x, nil
	}
	b := &builder{Index: x, faces: make([]entry, m.NumFaces())}
	columns := b.plan(opt.ExpectedPoints)
	b.workers = max(1, min(par.Workers(opt.Workers), maxWorkers, m.NumFaces()/facesPerWorker))
	if err := b.packFaces(ctx); err != nil {
		return nil, err
	}
	for {
		b.divide(columns)
		total, err := b.count(ctx)
		if err != nil {
			return nil, err
		}
		excess := total / min(maxEntries*uint64(m.NumFaces()), mostEntries)
		if excess == 0 || columns == 0 {
			x.entries = make([]entry, total, total+readBeyond)
			return x, b.fill(ctx)
		}
		// Half as many columns have at least half as many entries.
		columns = max(0, columns-bits.Len64(excess))
	}
}

// tuning
const (
	maxEntries     = 8       // largest average number of columns of a triangle
	maxWorkers     = 8       // each worker has its own count for each column
	facesPerWorker = 1 << 9  // smallest number of faces for each worker
	checkFaces     = 1 << 14 // number of faces between two checks of the context
	wholeBox       = 6       // boxes that intersect more columns are divided into rows
)

// mostEntries is the largest number of entries. Numbers of entries are uint32.
const mostEntries = 1 << 31

// readBeyond is the number of entries after the end of a list that hitsAVX2 can read.
const readBeyond = 3

// slack bounds the rounding errors of builder.clip, in units.
const slack = 0x1p-30

type builder struct {
	*Index
	workers int
	faces   []entry    // entry of each face
	counts  [][]uint32 // for each worker and column, first the number of entries, then the next position
}

// plan chooses the axis of the rays and the number of columns. It returns log2 of this number.
func (b *builder) plan(points int64) int {
	p := choose(b.mesh.Sizes(), points)
	b.axis = p.axis
	b.setBox(b.mesh.Box())
	return p.columns
}

func (b *builder) divide(columns int) {
	b.bitsX, b.bitsY = divide(columns, b.max.X-b.min.X, b.max.Y-b.min.Y)
}

// share divides the faces among the workers and calls work for pieces of each share, until ctx
// ends.
func (b *builder) share(ctx context.Context, work func(worker, from, to int)) error {
	n := len(b.faces)
	return par.Blocks(ctx, b.workers, 1, b.workers, func(_, first, last int) {
		for w := first; w < last; w++ {
			to := n * (w + 1) / b.workers
			for from := n * w / b.workers; from < to && ctx.Err() == nil; from += checkFaces {
				work(w, from, min(to, from+checkFaces))
			}
		}
	})
}

// packFaces makes the entries of all faces.
func (b *builder) packFaces(ctx context.Context) error {
	m := b.mesh
	return b.share(ctx, func(_, from, to int) {
		for f := from; f < to; f++ {
			t := m.Faces[f]
			p, q, r := m.Vertices[t[0]], m.Vertices[t[1]], m.Vertices[t[2]]
			lo := r3.Vector{X: min(p.X, q.X, r.X), Y: min(p.Y, q.Y, r.Y), Z: min(p.Z, q.Z, r.Z)}
			hi := r3.Vector{X: max(p.X, q.X, r.X), Y: max(p.Y, q.Y, r.Y), Z: max(p.Z, q.Z, r.Z)}
			b.faces[f] = newEntry(b.pack(b.turn(lo)), b.pack(b.turn(hi)), f)
		}
	})
}

// count counts the entries of all columns. It sets start, and the place where each worker begins to
// write in each column. It returns the number of entries.
func (b *builder) count(ctx context.Context) (total uint64, err error) {
	columns := 1 << (b.bitsX + b.bitsY)
	b.counts = make([][]uint32, b.workers)
	for w := range b.counts {
		b.counts[w] = make([]uint32, columns)
	}
	err = b.share(ctx, func(worker, from, to int) {
		counts := b.counts[worker]
		for f := from; f < to; f++ {
			first, last, mask, whole := b.span(f)
			if !whole {
				b.clip(f, func(first, last uint64) {
					for c := first; c <= last; c++ {
						counts[c]++
					}
				})
				continue
			}
			for row := first &^ mask; row <= last; row += mask + 1 {
				for c := row | first&mask; c <= row|last&mask; c++ {
					counts[c]++
				}
			}
		}
	})
	if err != nil {
		return 0, err
	}
	b.start = make([]uint32, columns+1)
	for c := range columns {
		b.start[c] = uint32(total)
		for _, counts := range b.counts {
			n := counts[c]
			counts[c] = uint32(total)
			total += uint64(n)
		}
	}
	b.start[columns] = uint32(total)
	return total, nil
}

// fill writes the entries of all columns.
func (b *builder) fill(ctx context.Context) error {
	return b.share(ctx, func(worker, from, to int) {
		next, entries := b.counts[worker], b.entries
		for f := from; f < to; f++ {
			e := b.faces[f]
			first, last, mask, whole := b.span(f)
			if !whole {
				b.clip(f, func(first, last uint64) {
					for c := first; c <= last; c++ {
						entries[next[c]] = e
						next[c]++
					}
				})
				continue
			}
			for row := first &^ mask; row <= last; row += mask + 1 {
				for c := row | first&mask; c <= row|last&mask; c++ {
					entries[next[c]] = e
					next[c]++
				}
			}
		}
	})
}

// span returns the first and the last column of the box of face f. mask selects the bits of a
// column number that give its place in the row. If whole is false, the box spans so many columns
// that clipping pays.
func (b *builder) span(f int) (first, last, mask uint64, whole bool) {
	least, most := b.faces[f].corners()
	first, last = b.column(least), b.column(most)
	mask = uint64(1)<<b.bitsX - 1
	wide, high := last&mask-first&mask, (last-first)>>b.bitsX
	return first, last, mask, wide == 0 || high == 0 || wide*high < wholeBox
}

// clip calls visit for each row of columns that the projection of face f intersects. The columns
// from first to last contain the part of the projection in this row.
func (b *builder) clip(f int, visit func(first, last uint64)) {
	first, last, mask, _ := b.span(f)
	// Clip the triangle by each row. The coordinates are in units and have an error below slack/4.
	// Clipping adds an error below slack/4.
	var t [4]r3.Vector
	for k, v := range b.mesh.Faces[f] {
		p := b.turn(b.mesh.Vertices[v])
		t[k] = r3.Vector{X: (p.X - b.min.X) * b.inv.X, Y: (p.Y - b.min.Y) * b.inv.Y}
	}
	t[3] = t[0]
	columnX, rowY := float64(int(1)<<(unitBits-b.bitsX)), float64(int(1)<<(unitBits-b.bitsY))
	for row := first &^ mask; row <= last; row += mask + 1 {
		y0 := float64(row>>b.bitsX)*rowY - slack
		y1 := y0 + rowY + 2*slack
		least, most := math.Inf(1), math.Inf(-1)
		for k := range 3 {
			u, v := t[k], t[k+1]
			if u.Y > v.Y {
				u, v = v, u
			}
			if v.Y < y0 || u.Y > y1 {
				continue
			}
			// The part of the edge in this row runs from x = from to x = to.
			from, to := u.X, v.X
			if u.Y < y0 {
				from = u.X + (y0-u.Y)/(v.Y-u.Y)*(v.X-u.X)
			}
			if v.Y > y1 {
				to = u.X + (y1-u.Y)/(v.Y-u.Y)*(v.X-u.X)
			}
			least, most = min(least, from, to), max(most, from, to)
		}
		if least <= most {
			visit(row|max(first&mask, uint64(max(0, least-slack)/columnX)), row|min(last&mask, uint64(max(0, most+slack)/columnX)))
		}
	}
}
