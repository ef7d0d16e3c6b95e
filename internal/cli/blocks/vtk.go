package blocks

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/blocks"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/vtkxml"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/pose"
)

// vtkSink is a table.Sink that writes an ImageData file (.vti) or an UnstructuredGrid file (.vtu) of VTK. The
// values of a cell are the columns of the results, and in a .vtu file also the indices and the level.
//
// A file of VTK has one array after the other, and the numbers of cells and points come first. So Write
// appends the blocks of rows to a temporary file, from which End collects each array. The memory does not
// depend on the number of rows.
type vtkSink struct {
	grid   *grid
	folder string // of the temporary file
	image  bool
	arrays []vtkArray
	texts  []vtkxml.Texts

	spool        *disk.Temporary
	rows, points uint64 // in the temporary file
	size         int64  // of the temporary file
}

// vtkArray is an array of values of cells.
type vtkArray struct {
	vtkxml.Array
	field  int       // index of the field, or −1 for a column of the results
	number bool      // the column is one of Block.Numbers
	at     int       // index into Block.Numbers or Block.Integers
	values [2]uint64 // bytes of the preceding arrays, and of this array, for each row
}

// vtkBlock is the data that a vtkSink stores with a block.
type vtkBlock struct {
	values table.Values
	points []r3.Vector
	index  map[r3.Vector]uint64 // of the local coordinates of points
}

// newVTK returns a sink for the rows of g.
func newVTK(g *grid, folder string, image bool, cols []table.Column) *vtkSink {
	s := &vtkSink{grid: g, folder: folder, image: image}
	position := uint64(0)
	add := func(a vtkArray) {
		size := uint64(a.Type.Size())
		a.values = [2]uint64{position, size}
		position += size
		s.arrays = append(s.arrays, a)
	}
	numbers, integers := 0, 0
	for i, name := range table.Names(g.Fields(), cols) {
		switch c := cols[i]; c.Kind {
		case table.Number, table.Bound:
			add(vtkArray{Array: vtkxml.Array{Name: name, Type: vtkxml.Float64}, field: -1, number: true, at: numbers})
			numbers++
		default:
			add(vtkArray{Array: vtkxml.Array{Name: name, Type: vtkxml.Int32}, field: -1, at: integers})
			if integers++; c.Kind == table.Label {
				s.texts = append(s.texts, vtkxml.Texts{Name: name + "_names", List: c.Labels})
			}
		}
	}
	for i, f := range g.Fields() {
		if !image && f.Type.IsInt() {
			kind := map[int]vtkxml.Type{1: vtkxml.UInt8, 4: vtkxml.Int32}[f.Type.Size()]
			add(vtkArray{Array: vtkxml.Array{Name: f.Name, Type: kind}, field: i})
		}
	}
	return s
}

// rowBytes returns the number of bytes of a row in the temporary file, without points.
func (s *vtkSink) rowBytes() uint64 {
	last := s.arrays[len(s.arrays)-1].values
	n := last[0] + last[1]
	if !s.image {
		n += corners * 8
	}
	return n
}

const (
	corners   = 8  // of a hexahedron
	headBytes = 16 // before the rows of a block in the temporary file: the numbers of rows and points
	pointSize = 24
)

// Begin creates the temporary file.
func (s *vtkSink) Begin(io.Writer, int64) error {
	f, err := disk.CreateTemporary(s.folder)
	if err != nil {
		return fmt.Errorf("create a temporary file: %w", err)
	}
	s.spool = f
	return nil
}

// Format encodes the numbers of rows and points, each array, and for a .vtu file the indices of the corners
// among the points of the block, and these points.
func (s *vtkSink) Format(b *table.Block) error {
	v, ok := b.Sink.(*vtkBlock)
	if !ok {
		v = &vtkBlock{index: map[r3.Vector]uint64{}}
		b.Sink = v
	}
	n := len(b.Points)
	out := append(b.Out[:0], make([]byte, headBytes)...)
	for _, a := range s.arrays {
		switch {
		case a.number:
			for _, x := range b.Numbers[a.at][:n] {
				out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
			}
			continue
		case a.field < 0:
			v.values.Ints = append(v.values.Ints[:0], b.Integers[a.at][:n]...)
		default:
			if err := s.grid.Values(b, a.field, &v.values); err != nil {
				return err
			}
		}
		for _, x := range v.values.Ints {
			if a.Type == vtkxml.UInt8 {
				out = append(out, byte(x))
			} else {
				out = binary.LittleEndian.AppendUint32(out, uint32(int32(x)))
			}
		}
	}
	if !s.image {
		out = v.appendCells(out, s.grid, b)
	}
	binary.LittleEndian.PutUint64(out, uint64(n))
	binary.LittleEndian.PutUint64(out[8:], uint64(len(v.points)))
	b.Out = out
	return nil
}

// appendCells appends the indices of the corners of all rows, and the points. Rows of the block share points.
func (v *vtkBlock) appendCells(out []byte, g *grid, b *table.Block) []byte {
	v.points = v.points[:0]
	clear(v.index)
	pose, turned := g.frame.Pose(), g.frame.Rotated()
	rows := b.Source.(*piece).rows.Rows
	for i := range rows {
		box := &rows[i].Box
		for k := range corners {
			p := box.Min
			if k == 1 || k == 2 || k == 5 || k == 6 {
				p.X = box.Max.X
			}
			if k == 2 || k == 3 || k == 6 || k == 7 {
				p.Y = box.Max.Y
			}
			if k >= 4 {
				p.Z = box.Max.Z
			}
			at, ok := v.index[p]
			if !ok {
				at = uint64(len(v.points))
				v.index[p] = at
				if turned {
					p = pose.Apply(p)
				}
				v.points = append(v.points, p)
			}
			out = binary.LittleEndian.AppendUint64(out, at)
		}
	}
	for _, p := range v.points {
		for _, x := range [3]float64{p.X, p.Y, p.Z} {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
		}
	}
	return out
}

// Write appends a block to the temporary file. The indices of corners become those of the whole file.
func (s *vtkSink) Write(_ io.Writer, b *table.Block) error {
	n, points := uint64(len(b.Points)), uint64(len(b.Sink.(*vtkBlock).points))
	if !s.image {
		end := headBytes + n*s.rowBytes()
		list := b.Out[end-n*corners*8 : end]
		for i := 0; i < len(list); i += 8 {
			binary.LittleEndian.PutUint64(list[i:], binary.LittleEndian.Uint64(list[i:])+s.points)
		}
	}
	if _, err := s.spool.Write(b.Out); err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	s.rows, s.points, s.size = s.rows+n, s.points+points, s.size+int64(len(b.Out))
	return nil
}

// End writes the file.
func (s *vtkSink) End(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<18)
	f := s.file()
	if _, err := out.Write(f.Header()); err != nil {
		return err
	}
	list := f.Arrays()
	for i := range list {
		if _, err := out.Write(list[i].Length()); err != nil {
			return err
		}
		var err error
		switch k := i - len(s.arrays); {
		case k < 0:
			err = s.collect(out, func(rows, _ uint64) (at, n uint64) { v := s.arrays[i].values; return rows * v[0], rows * v[1] })
		case k == 0: // the points follow the rows
			err = s.collect(out, func(rows, points uint64) (at, n uint64) { return rows * s.rowBytes(), points * pointSize })
		case k == 1:
			err = s.collect(out, func(rows, _ uint64) (at, n uint64) { return rows * (s.rowBytes() - corners*8), rows * corners * 8 })
		case k == 2:
			for row := range s.rows {
				if _, err := out.Write(binary.LittleEndian.AppendUint64(out.AvailableBuffer(), corners*(row+1))); err != nil {
					return err
				}
			}
		default:
			for range s.rows {
				if err := out.WriteByte(vtkxml.Hexahedron); err != nil {
					return err
				}
			}
		}
		if err != nil {
			return err
		}
	}
	if _, err := out.WriteString(vtkxml.Footer); err != nil {
		return err
	}
	return out.Flush()
}

// file describes the output.
func (s *vtkSink) file() *vtkxml.File {
	f := vtkxml.Hexahedra(s.points, s.rows)
	if frame := &s.grid.frame; s.image {
		f = vtkxml.Image(frame.Counts, frame.Origin, frame.Size, direction(frame))
	}
	for _, a := range s.arrays {
		a.Bytes = s.rows * a.values[1]
		f.Cells = append(f.Cells, a.Array)
	}
	f.Texts = s.texts
	return f
}

// direction returns the rows of the matrix that turns the axes of the world into those of a frame, or nil.
func direction(f *blocks.Frame) *[3]r3.Vector {
	if !f.Rotated() {
		return nil
	}
	turn := pose.Pose{Rotation: f.Rotation}
	x, y, z := turn.Apply(r3.Vector{X: 1}), turn.Apply(r3.Vector{Y: 1}), turn.Apply(r3.Vector{Z: 1})
	return &[3]r3.Vector{{X: x.X, Y: y.X, Z: z.X}, {X: x.Y, Y: y.Y, Z: z.Y}, {X: x.Z, Y: y.Z, Z: z.Z}}
}

// collect copies the data of an array. part returns the position in a block of the temporary file and the
// length.
func (s *vtkSink) collect(w io.Writer, part func(rows, points uint64) (at, n uint64)) error {
	var buffer []byte
	for start := int64(0); start < s.size; {
		if s.grid.ctx.Err() != nil {
			return context.Cause(s.grid.ctx)
		}
		var head [headBytes]byte
		if err := s.read(head[:], start); err != nil {
			return err
		}
		rows, points := binary.LittleEndian.Uint64(head[:]), binary.LittleEndian.Uint64(head[8:])
		at, n := part(rows, points)
		if uint64(cap(buffer)) < n {
			buffer = make([]byte, n)
		}
		buffer = buffer[:n]
		if err := s.read(buffer, start+headBytes+int64(at)); err != nil {
			return err
		}
		if _, err := w.Write(buffer); err != nil {
			return err
		}
		if start += int64(headBytes + rows*s.rowBytes()); !s.image {
			start += int64(points * pointSize)
		}
	}
	return nil
}

// read fills p from the temporary file.
func (s *vtkSink) read(p []byte, at int64) error {
	n, err := s.spool.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("temporary file: %w", err)
}

// close removes the temporary file.
func (s *vtkSink) close() {
	if s.spool != nil {
		s.spool.Close()
	}
}
