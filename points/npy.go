package points

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/side"
)

// npy is the format of a NumPy array of N×M floats, M ≥ 3. Columns beyond the
// third pass through. Three rows of more than three columns are refused unless
// the user names the columns: they are N points transposed.
type npy struct {
	Layout
	file    string
	head    npyHeader
	r       io.Reader   // C order: the elements
	at      io.ReaderAt // Fortran order: the file
	data    int64       // place of the elements in the file
	first   int64       // first row wanted
	next    int64       // next row
	end     int64       // row after the last
	sized   bool        // the file's size was checked
	perFill int64       // rows a block
}

// newNPY reads the header and checks the shape against the size, −1 if unknown.
func newNPY(file string, r io.Reader, at io.ReaderAt, size int64, opt Options) (*npy, error) {
	h, length, err := readNPYHeader(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	n := &npy{file: file, head: h, r: r, at: at, data: length, end: h.rows, sized: size >= 0}
	n.Layout = Layout{Format: "npy", Float: h.descr, headerAt: -1, firstRow: -1}
	n.setColumns([3]int{0, 1, 2})
	if err := n.choose(opt.Columns); err != nil {
		return nil, err
	}
	if h.rows == 3 && h.columns != 3 && opt.Columns == [3]string{} {
		return nil, fmt.Errorf("%s: %w: shape (3, %d): %w", file, ErrFormat, h.columns, ErrTransposed)
	}
	total := length + h.rows*h.rowBytes()
	if size >= 0 && size != total {
		return nil, fmt.Errorf("%s: shape (%d, %d) of %s needs %d bytes with the header, but the file has %d",
			file, h.rows, h.columns, h.descr, total, size)
	}
	if h.fortran && (at == nil || size < 0) {
		return nil, fmt.Errorf("%s: %w: an array in Fortran order must be a plain file, neither a stream nor compressed", file, ErrFormat)
	}
	if opt.Shards > 1 {
		n.next, n.end = opt.bounds(h.rows)
		if err := n.seek(); err != nil {
			return nil, err
		}
	}
	n.first = n.next
	n.perFill = max(1, int64(opt.blockBytes())/h.rowBytes())
	return n, nil
}

// choose applies the user's columns, which can only be numbers here.
func (n *npy) choose(columns [3]string) error {
	if columns == [3]string{} {
		return nil
	}
	at, err := n.lookUp(columns[:])
	if err != nil {
		return fmt.Errorf("%s: %w (an array has column numbers only)", n.file, err)
	}
	for _, c := range at {
		if int64(c) >= n.head.columns {
			return fmt.Errorf("%s: no column %d: the array has %d", n.file, c+1, n.head.columns)
		}
	}
	n.setColumns(at)
	return nil
}

// seek makes a stream in C order begin with the row n.next.
func (n *npy) seek() error {
	if n.head.fortran {
		return nil
	}
	from, count := n.data+n.next*n.head.rowBytes(), (n.end-n.next)*n.head.rowBytes()
	if n.at == nil {
		return fmt.Errorf("%s: shards need a plain file", n.file)
	}
	n.r = io.NewSectionReader(n.at, from, count)
	return nil
}

func (n *npy) layout() *Layout { return &n.Layout }

// fill reads the bytes of the next rows: in C order row by row, in Fortran order
// column by column.
func (n *npy) fill(b *Block) error {
	rows := min(n.perFill, n.end-n.next)
	if rows == 0 {
		return n.trailing()
	}
	want := int(rows * n.head.rowBytes())
	if cap(b.raw) < want {
		b.raw = make([]byte, want)
	}
	b.raw = b.raw[:want]
	b.First = n.next
	var err error
	if n.head.fortran {
		err = n.readColumns(b.raw, rows)
	} else {
		_, err = readFull(n.r, b.raw)
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: cut off after row %d of %d: %w", n.file, n.next, n.head.rows, io.ErrUnexpectedEOF)
	}
	if err != nil {
		return fmt.Errorf("%s: row %d: %w", n.file, n.next, err)
	}
	n.next += rows
	return nil
}

// trailing returns io.EOF at the clean end of the elements.
func (n *npy) trailing() error {
	if n.sized {
		return io.EOF
	}
	var one [1]byte
	k, err := readFull(n.r, one[:])
	switch {
	case k > 0:
		return fmt.Errorf("%s: bytes after the last of %d rows", n.file, n.head.rows)
	case errors.Is(err, io.EOF):
		return io.EOF
	}
	return fmt.Errorf("%s: after row %d: %w", n.file, n.head.rows, err)
}

// readColumns reads the rows from n.next on, one column after the other.
func (n *npy) readColumns(raw []byte, rows int64) error {
	item := int64(n.head.item)
	for c := range n.head.columns {
		part := raw[c*rows*item : (c+1)*rows*item]
		k, err := n.at.ReadAt(part, n.data+(c*n.head.rows+n.next)*item)
		if k < len(part) {
			return err
		}
	}
	return nil
}

// strides returns the distances in bytes from row to row and from column to
// column of a block.
func (n *npy) strides(b *Block) (row, column int) {
	item := n.head.item
	if n.head.fortran {
		return item, len(b.raw) / int(n.head.columns)
	}
	return item * int(n.head.columns), item
}

// parse reads the coordinates.
func (n *npy) parse(b *Block) error {
	row, column := n.strides(b)
	rows := len(b.raw) / int(n.head.rowBytes())
	b.reserve(rows)
	x, y, z := n.Columns[0]*column, n.Columns[1]*column, n.Columns[2]*column
	for k := range rows {
		at := b.raw[k*row:]
		if b.add(r3.Vector{X: n.head.float(at[x:]), Y: n.head.float(at[y:]), Z: n.head.float(at[z:])}) && b.nonFinite.Count == 1 {
			b.nonFinite.First = b.First + int64(k)
		}
	}
	return nil
}

// begin returns the header of the output array.
func (n *npy) begin(cols []Column) []byte {
	return npyHeader{descr: n.head.descr, rows: n.end - n.first, columns: n.head.columns + int64(len(cols))}.encode()
}

// The numbers of the four sides; NaN says that a point is undecided.
var (
	insideNumbers = [4]float64{side.Unknown: math.NaN(), side.Outside: 0, side.OnSurface: 1, side.Inside: 1}
	stateNumbers  = [4]float64{side.Unknown: math.NaN(), side.Outside: 0, side.OnSurface: 0.5, side.Inside: 1}
)

// append appends the rows of b in C order, each with its answers.
func (n *npy) append(dst []byte, b *Block, cols []Column) []byte {
	row, column := n.strides(b)
	item := n.head.item
	dst = slices.Grow(dst, len(b.raw)+len(b.Points)*item*len(cols))
	for k := range b.Points {
		at := b.raw[k*row:]
		if n.head.fortran {
			for c := range int(n.head.columns) {
				dst = append(dst, at[c*column:c*column+item]...)
			}
		} else {
			dst = append(dst, at[:row]...)
		}
		number := 0
		for i, c := range cols {
			switch c.Kind {
			case Inside:
				dst = n.head.appendFloat(dst, insideNumbers[b.Sides[k]&3])
			case State:
				dst = n.head.appendFloat(dst, stateNumbers[b.Sides[k]&3])
			case Number:
				dst = n.head.appendFloat(dst, b.Numbers[number][k])
				number++
			case Bound:
				rounded := 0.0
				if i > 0 && cols[i-1].Kind == Number {
					rounded = n.head.rounding(b.Numbers[number-1][k])
				}
				dst = n.head.appendFloat(dst, n.head.roundUp(b.Numbers[number][k], rounded))
				number++
			}
		}
	}
	return dst
}

// float reads the element at the front of b.
func (h *npyHeader) float(b []byte) float64 {
	switch {
	case h.item == 8 && h.big:
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	case h.item == 8:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case h.big:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b)))
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
}

// rounding returns what an element differs from x by: exact, or +Inf beyond float32.
func (h *npyHeader) rounding(x float64) float64 {
	if h.item == 8 || math.IsNaN(x) {
		return 0
	}
	return math.Abs(x - float64(float32(x)))
}

// roundUp returns bound + more as an element holds it, rounded up.
func (h *npyHeader) roundUp(bound, more float64) float64 {
	if h.item == 8 {
		return bound
	}
	bound = math.Nextafter(bound+more, math.Inf(1))
	f := float32(bound)
	if float64(f) < bound {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return float64(f)
}

// appendFloat appends x as an element; a float32 array rounds it.
func (h *npyHeader) appendFloat(dst []byte, x float64) []byte {
	switch {
	case h.item == 8 && h.big:
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(x))
	case h.item == 8:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
	case h.big:
		return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(x)))
	}
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(x)))
}
