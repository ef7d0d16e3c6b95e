package blocks

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/blocks"
	"github.com/inpoly/inpoly/points/table"
)

// grid is a table.Source whose rows are the blocks of a frame.
type grid struct {
	ctx   context.Context
	model *blocks.Model
	frame blocks.Frame
	subs  int                                         // number of levels of sub-blocks
	vtk   func(g *grid, cols []table.Column) *vtkSink // nil unless the output is a file of VTK
	sink  *vtkSink

	mu    sync.Mutex // locked while a piece is selected
	next  func() (lo, hi [3]int, ok bool)
	parts [][2][3]int    // of the last piece of next, in reverse order
	count *blocks.Worker // counts the blocks that become sub-blocks
	stop  func() bool    // ends a sample early, or nil
	done  int64
}

// Numbers of blocks in a piece. // tuning
const (
	pieceRows  = 1 << 14
	leastRows  = 1 << 10 // with many levels of sub-blocks
	dividedMax = 1 << 14 // sub-blocks that a piece of several blocks has, approximately
)

// newGrid returns a source of the blocks of f.
func newGrid(ctx context.Context, m *blocks.Model, f blocks.Frame, subs int) *grid {
	// A surface divides a block that it crosses into about 4 sub-blocks for each level.
	return &grid{ctx: ctx, model: m, frame: f, subs: subs, count: m.Worker(ctx), next: pieces(f, max(leastRows, pieceRows>>(2*subs)))}
}

// pieces returns an iterator over pieces of a frame that have at most n blocks.
func pieces(f blocks.Frame, n int) func() (lo, hi [3]int, ok bool) {
	layer := min(int64(f.Counts[0])*int64(f.Counts[1]), int64(n))
	return f.Grid().Pieces(n, int(int64(n)/layer))
}

// close removes temporary files.
func (g *grid) close() {
	if g.sink != nil {
		g.sink.close()
	}
}

// piece is the data that a grid stores with a table.Block.
type piece struct {
	lo, hi [3]int
	worker *blocks.Worker
	rows   blocks.Rows
}

// Format returns a name that no format has.
func (g *grid) Format() string { return "blocks" }

// Fields returns the columns that describe a block.
func (g *grid) Fields() []table.Field {
	fields := []table.Field{
		{Name: "i", Type: table.Int32}, {Name: "j", Type: table.Int32}, {Name: "k", Type: table.Int32},
		{Name: "x", Type: table.Float64}, {Name: "y", Type: table.Float64}, {Name: "z", Type: table.Float64},
		{Name: "dx", Type: table.Float64}, {Name: "dy", Type: table.Float64}, {Name: "dz", Type: table.Float64},
	}
	if g.subs > 0 {
		fields = append(fields, table.Field{Name: "level", Type: table.Uint8})
	}
	return fields
}

// Axes returns the columns of the center.
func (g *grid) Axes() [3]int { return [3]int{3, 4, 5} }

// Rows returns the number of blocks, or −1 with sub-blocks.
func (g *grid) Rows() int64 {
	if g.subs > 0 {
		return -1
	}
	return int64(g.frame.Grid().Len())
}

// Fill selects the next piece.
func (g *grid) Fill(b *table.Block) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, ok := b.Source.(*piece)
	if !ok {
		p = &piece{worker: g.model.Worker(g.ctx)}
		b.Source = p
	}
	b.Start()
	lo, hi, err := g.nextPart()
	if err != nil {
		return err
	}
	p.lo, p.hi = lo, hi
	b.First = g.done
	g.done += int64(hi[0]-lo[0]) * int64(hi[1]-lo[1]) * int64(hi[2]-lo[2])
	b.Read = g.done
	return nil
}

// nextPart returns the next part of a piece. A piece is halved until its parts have few sub-blocks, so the memory
// of a table.Block has a limit. The parts do not depend on the number of workers.
func (g *grid) nextPart() (lo, hi [3]int, err error) {
	if g.stop != nil && g.done > 0 && g.stop() {
		return lo, hi, io.EOF
	}
	if n := len(g.parts); n > 0 {
		lo, hi = g.parts[n-1][0], g.parts[n-1][1]
		g.parts = g.parts[:n-1]
	} else {
		var ok bool
		if lo, hi, ok = g.next(); !ok {
			return lo, hi, io.EOF
		}
	}
	for g.subs > 0 {
		axis := 2 // the slowest axis on which the part has several blocks
		for axis > 0 && hi[axis]-lo[axis] == 1 {
			axis--
		}
		if hi[axis]-lo[axis] == 1 {
			break
		}
		n, err := g.count.Straddling(&g.frame, lo, hi)
		if err != nil {
			return lo, hi, err
		}
		if int64(n)<<(2*g.subs) <= dividedMax {
			break
		}
		middle := lo
		middle[axis] = (lo[axis] + hi[axis]) / 2
		g.parts = append(g.parts, [2][3]int{middle, hi})
		hi[axis] = middle[axis]
	}
	return lo, hi, nil
}

// Parse computes the rows of a piece.
func (g *grid) Parse(b *table.Block) error {
	p := b.Source.(*piece)
	if err := p.worker.Grid(&p.rows, &g.frame, p.lo, p.hi); err != nil {
		return err
	}
	b.Reserve(len(p.rows.Rows))
	pose, turned := g.frame.Pose(), g.frame.Rotated()
	for i := range p.rows.Rows {
		c := p.rows.Rows[i].Center()
		if turned {
			c = pose.Apply(c)
		}
		b.Points = append(b.Points, c)
	}
	b.CountPoints()
	return nil
}

// Values returns a column.
func (g *grid) Values(b *table.Block, field int, v *table.Values) error {
	rows := b.Source.(*piece).rows.Rows
	f := g.Fields()[field]
	v.Reset(f.Type)
	coordinate := func(p r3.Vector, axis int) float64 { return [3]float64{p.X, p.Y, p.Z}[axis] }
	for i := range rows {
		switch r := &rows[i]; {
		case field < 3:
			v.Ints = append(v.Ints, int64(r.Block[field]))
		case field < 6:
			v.Floats = append(v.Floats, coordinate(b.Points[i], field-3))
		case field < 9:
			size := g.frame.Size.Mul(1 / float64(int(1)<<r.Level)) // exact halves
			v.Floats = append(v.Floats, coordinate(size, field-6))
		default:
			v.Ints = append(v.Ints, int64(r.Level))
		}
	}
	return nil
}

var errOnlyOnce = errors.New("computed blocks cannot be continued or copied")

// SeekTo fails.
func (g *grid) SeekTo(table.Position) error { return errOnlyOnce }

// Passthrough returns the sink of a file of VTK. It fails for other outputs.
func (g *grid) Passthrough(cols []table.Column) (table.Sink, error) {
	if g.vtk == nil {
		return nil, errOnlyOnce
	}
	g.close()
	g.sink = g.vtk(g, cols)
	return g.sink, nil
}
