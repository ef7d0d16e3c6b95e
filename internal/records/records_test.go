package records

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/table"
)

// reference decodes a number with the package encoding/binary.
func reference(t table.Type, bigEndian bool, b []byte) any {
	var order binary.ByteOrder = binary.LittleEndian
	if bigEndian {
		order = binary.BigEndian
	}
	p := map[table.Type]any{table.Bool: new(bool), table.Int8: new(int8), table.Uint8: new(uint8), table.Int16: new(int16), table.Uint16: new(uint16),
		table.Int32: new(int32), table.Uint32: new(uint32), table.Int64: new(int64), table.Uint64: new(uint64), table.Float32: new(float32), table.Float64: new(float64)}[t]
	if err := binary.Read(bytes.NewReader(b), order, p); err != nil {
		panic(err)
	}
	return reflect.ValueOf(p).Elem().Interface()
}

// asFloat converts a number of any type to a float64.
func asFloat(x any) float64 {
	if t, ok := x.(bool); ok {
		if t {
			return 1
		}
		return 0
	}
	return reflect.ValueOf(x).Convert(reflect.TypeFor[float64]()).Float()
}

// asInt converts an integer or a truth value to an int64 with the same bits.
func asInt(x any) int64 {
	switch v := reflect.ValueOf(x); {
	case v.Kind() == reflect.Bool:
		return int64(asFloat(x))
	case v.CanUint():
		return int64(v.Uint())
	default:
		return v.Int()
	}
}

// randomLayout is a file with random rows, whose strips follow each other.
type randomLayout struct {
	Layout
	file   []byte
	starts []int64 // offset of each strip
}

// newLayout returns a random layout. If the number of strips is 1, the rows are contiguous.
func newLayout(rng *rand.Rand, strips int) *randomLayout {
	l := &randomLayout{Layout: Layout{Name: "file", Total: int64(rng.IntN(40))}}
	sizes := make([]int, strips)
	numeric := []int{}
	for i := range 3 + rng.IntN(8) {
		t := table.Type(rng.IntN(int(table.Float64) + 1))
		if i < 3 { // coordinates
			for t == table.Text || t == table.Bool {
				t = table.Type(1 + rng.IntN(int(table.Float64)))
			}
		}
		if rng.IntN(3) == 0 && i < 3 {
			t = []table.Type{table.Float32, table.Float64}[rng.IntN(2)]
		}
		k := rng.IntN(strips)
		sizes[k] += rng.IntN(3) // bytes that belong to no field
		c := Cell{Strip: k, Offset: sizes[k], Type: t, BigEndian: rng.IntN(3) == 0}
		if sizes[k] += t.Size(); t == table.Text {
			c.Text = func(cell []byte) []byte { return cell[:2] }
			sizes[k] += 2
		} else {
			numeric = append(numeric, i)
		}
		l.Cells = append(l.Cells, c)
		l.Fields = append(l.Fields, table.Field{Name: fmt.Sprint("f", i), Type: t})
	}
	for axis, k := range rng.Perm(3) {
		l.Layout.Axes[axis] = numeric[k]
	}
	l.Start = int64(rng.IntN(5))
	l.file = make([]byte, l.Start)
	for _, size := range sizes {
		if size += rng.IntN(2); size == 0 && strips == 1 {
			size = 1
		}
		start := int64(len(l.file))
		l.starts = append(l.starts, start)
		l.file = append(l.file, make([]byte, int64(size)*l.Total)...)
		l.Strips = append(l.Strips, Contiguous(nil, readerAt{l}, start, int64(size), l.Total))
	}
	for i := range l.file {
		l.file[i] = byte(rng.Uint32())
	}
	for _, k := range l.Layout.Axes { // integers that float64 can hold
		if c := l.Cells[k]; c.Type == table.Int64 || c.Type == table.Uint64 {
			for row := range l.Total {
				if b := l.cell(row, k); c.BigEndian {
					b[0], b[1] = 0, 0
				} else {
					b[6], b[7] = 0, 0
				}
			}
		}
	}
	if strips > 1 {
		l.Scattered = "the columns follow each other"
	}
	return l
}

// readerAt reads the file of a layout, which changes after the strips are made.
type readerAt struct{ l *randomLayout }

func (r readerAt) ReadAt(b []byte, at int64) (int, error) {
	return bytes.NewReader(r.l.file).ReadAt(b, at)
}

// cell returns the bytes of a cell and the rest of its row.
func (l *randomLayout) cell(row int64, field int) []byte {
	c := &l.Cells[field]
	size := l.Strips[c.Strip].Size
	at := l.starts[c.Strip] + row*size
	return l.file[at+int64(c.Offset) : at+size]
}

// number returns the value of a cell as a float64.
func (l *randomLayout) number(row int64, field int) float64 {
	c := &l.Cells[field]
	return asFloat(reference(c.Type, c.BigEndian, l.cell(row, field)))
}

// check compares the values of a block with the bytes of the file.
func (l *randomLayout) check(t *testing.T, s *Source, b *table.Block) {
	t.Helper()
	var v table.Values
	for field := range l.Fields {
		if err := s.Values(b, field, &v); err != nil {
			t.Fatal(err)
		}
		c := &l.Cells[field]
		if n := len(v.Ints) + len(v.Floats) + len(v.Texts); n != len(b.Points) {
			t.Fatalf("field %d: %d values of %d rows", field, n, len(b.Points))
		}
		for k := range b.Points {
			row := b.First + int64(k)
			same := false
			switch {
			case c.Type == table.Text:
				same = bytes.Equal(v.Texts[k], l.cell(row, field)[:2])
			case c.Type.IsFloat():
				same = testcloud.EqualOrNaN(v.Floats[k], l.number(row, field))
			default:
				same = v.Ints[k] == asInt(reference(c.Type, c.BigEndian, l.cell(row, field)))
			}
			if !same {
				t.Fatalf("row %d, field %d of type %v: the value differs", row, field, c.Type)
			}
		}
	}
	for k, p := range b.Points {
		row := b.First + int64(k)
		a := l.Layout.Axes
		want := r3.Vector{X: l.number(row, a[0]), Y: l.number(row, a[1]), Z: l.number(row, a[2])}
		if !testcloud.SamePoints([]r3.Vector{p}, []r3.Vector{want}) {
			t.Fatalf("row %d: %v, want %v", row, p, want)
		}
	}
}

// each reads all blocks.
func each(s *Source, do func(b *table.Block)) error {
	var b table.Block
	for {
		if err := s.Fill(&b); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := s.Parse(&b); err != nil {
			return err
		}
		do(&b)
	}
}

// TestSource reads random layouts, whole and in shards, from a position, and from a stream, and compares all
// values with the bytes of the file.
func TestSource(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 51))
		l := newLayout(rng, 1+rng.IntN(3))
		opt := pointio.Options{Block: 1 + rng.IntN(300)}
		next := int64(0)
		read := func(s *Source, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			first := next
			err = each(s, func(b *table.Block) {
				if b.First != next || b.Next.Row != next+int64(len(b.Points)) || len(b.Points) == 0 {
					t.Fatalf("seed %d: block of %d rows from %d to %d, want %d", seed, len(b.Points), b.First, b.Next.Row, next)
				}
				l.check(t, s, b)
				next = b.Next.Row
			})
			if err != nil || next-first != s.Rows() {
				t.Fatalf("seed %d: %d rows of %d: %v", seed, next-first, s.Rows(), err)
			}
		}
		shards := 1 + rng.IntN(4)
		for i := range shards {
			opt.Shard, opt.Shards = i+1, shards
			read(New(l.Layout, opt, true))
		}
		if next != l.Total {
			t.Fatalf("seed %d: %d shards have %d rows of %d", seed, shards, next, l.Total)
		}
		opt.Shard, opt.Shards = 0, 0
		s, err := New(l.Layout, opt, true)
		if err != nil {
			t.Fatal(err)
		}
		next = rng.Int64N(l.Total + 1)
		if err := s.SeekTo(table.Position{Row: next}); err != nil {
			t.Fatal(err)
		}
		last := next
		err = each(s, func(b *table.Block) { l.check(t, s, b); last = b.Next.Row })
		if err != nil || last != l.Total && l.Total > next {
			t.Fatalf("seed %d: from row %d: %d rows: %v", seed, next, last, err)
		}
		if len(l.Strips) > 1 {
			continue
		}
		stream := l.Layout
		br := bytes.NewReader(l.file[l.Start:])
		stream.Strips = []Strip{Contiguous(br, nil, l.Start, l.Strips[0].Size, l.Total)}
		stream.AtEnd = Rest(br)
		next = 0
		read(New(stream, opt, false))
	}
}

// TestRange selects the rows that begin in random ranges of bytes.
func TestRange(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 52))
		l := newLayout(rng, 1)
		size, length := l.Strips[0].Size, int64(len(l.file))
		lo := rng.Int64N(length + 1)
		hi := lo + 1 + rng.Int64N(length+1)
		s, err := New(l.Layout, pointio.Options{Bytes: [2]int64{lo, hi}}, true)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(0)
		for row := range l.Total {
			if at := l.Start + row*size; at >= lo && at < hi {
				want++
			}
		}
		// The bytes before the first row belong to it.
		if s.Rows() != want {
			t.Errorf("seed %d: bytes %d to %d: %d rows, want %d", seed, lo, hi, s.Rows(), want)
		}
		if err := each(s, func(b *table.Block) { l.check(t, s, b) }); err != nil {
			t.Error(err)
		}
	}
	l := newLayout(rand.New(rand.NewPCG(1, 52)), 2)
	if _, err := New(l.Layout, pointio.Options{Bytes: [2]int64{0, 1}}, true); err == nil || !strings.Contains(err.Error(), l.Scattered) {
		t.Errorf("a range of bytes of scattered rows: error %v", err)
	}
}

// TestCutOff reads files that are shorter or longer than their layouts.
func TestCutOff(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 53))
		l := newLayout(rng, 1+rng.IntN(2))
		if int64(len(l.file)) == l.Start {
			continue
		}
		l.file = l.file[:l.Start+rng.Int64N(int64(len(l.file))-l.Start)]
		s, err := New(l.Layout, pointio.Options{Block: 50}, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := each(s, func(*table.Block) {}); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(err.Error(), "file: ") {
			t.Errorf("seed %d: error %v", seed, err)
		}
	}
	broken := errors.New("the disk is broken")
	layout := func(r io.Reader) Layout {
		return Layout{Name: "file", Total: 2, Strips: []Strip{Contiguous(r, nil, 0, 3, 2)}, AtEnd: Rest(r),
			Fields: make([]table.Field, 3), Cells: []Cell{{Type: table.Int8}, {Offset: 1, Type: table.Int8}, {Offset: 2, Type: table.Int8}}, Axes: [3]int{0, 1, 2}}
	}
	for _, c := range []struct {
		r        io.Reader
		want     string
		trailing int64
	}{
		{strings.NewReader("abcdef"), "", 0},
		{strings.NewReader("abcdefg"), "", 1},
		{io.MultiReader(strings.NewReader("abcdef"), failing{broken}), "file: after row 2: the disk is broken", 0},
		{io.MultiReader(strings.NewReader("abcd"), failing{broken}), "file: row 0: the disk is broken", 0},
	} {
		s, err := New(layout(c.r), pointio.Options{}, false)
		if err == nil {
			err = each(s, func(*table.Block) {})
		}
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && got != c.want {
			t.Errorf("error %v, want %q", err, c.want)
		}
		if c.want == "" && s.Trailing() != c.trailing {
			t.Errorf("%d bytes after the rows, want %d", s.Trailing(), c.trailing)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestRefused checks the errors of New, SeekTo and Values.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		size, total int64
		want        string
	}{
		{0, 1, "a row has 0 bytes"}, {MaxRow + 1, 1, "a row has 1048577 bytes"}, {1, -1, "larger than any file"}, {MaxRow, math.MaxInt64 / MaxRow, "larger than any file"},
	} {
		if _, err := New(Layout{Strips: []Strip{{Size: c.size}}, Total: c.total}, pointio.Options{}, true); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d rows of %d bytes: error %v", c.total, c.size, err)
		}
	}
	l := newLayout(rand.New(rand.NewPCG(7, 54)), 1)
	l.Total = 20
	s, err := New(l.Layout, pointio.Options{Shard: 2, Shards: 2}, true)
	if err != nil {
		t.Fatal(err)
	}
	for row, ok := range map[int64]bool{9: false, 10: true, 20: true, 21: false, -1: false} {
		s.next = s.first
		if err := s.SeekTo(table.Position{Row: row}); (err == nil) != ok {
			t.Errorf("row %d: error %v", row, err)
		}
	}
	s.Layout.Fields[0].Opaque = "a list"
	if err := s.Values(&table.Block{}, 0, &table.Values{}); !errors.Is(err, table.ErrCannotHold) {
		t.Errorf("an opaque field: error %v", err)
	}
}

// TestHold reads as many bytes as the limit.
func TestHold(t *testing.T) {
	zeros := func(n int64) io.Reader { return io.LimitReader(endless{}, n) }
	if b, err := Hold(zeros(1000), "the array"); err != nil || len(b) != 1000 {
		t.Errorf("%d bytes: %v", len(b), err)
	}
	if testing.Short() {
		t.Skip("the limit needs much memory")
	}
	if _, err := Hold(zeros(HoldLimit+1), "the array"); err == nil || !strings.HasPrefix(err.Error(), "the array has more than") {
		t.Errorf("error %v", err)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// TestInexact reads coordinates that float64 would round.
func TestInexact(t *testing.T) {
	for n, want := range map[int64]string{1 << 53: "", -1 << 53: "", 1<<53 + 1: "9007199254740993", -1<<53 - 1: "-9007199254740993", math.MinInt64: "-9223372036854775808", -1: ""} {
		for _, typ := range []table.Type{table.Int64, table.Uint64} {
			if typ == table.Uint64 && n == -1 {
				want = "18446744073709551615"
			} else if typ == table.Uint64 && n < 0 {
				want = fmt.Sprint(uint64(n))
			}
			row := binary.BigEndian.AppendUint64(make([]byte, 2), uint64(n))
			s, err := New(Layout{Name: "file", Total: 1, Strips: []Strip{Contiguous(bytes.NewReader(row), nil, 0, 10, 1)},
				Fields: make([]table.Field, 3), Cells: []Cell{{Type: table.Int8}, {Offset: 1, Type: table.Int8}, {Offset: 2, Type: typ, BigEndian: true}}, Axes: [3]int{0, 1, 2}}, pointio.Options{}, false)
			if err == nil {
				err = each(s, func(*table.Block) {})
			}
			if want == "" && err != nil || want != "" && fmt.Sprint(err) != "file: row 0: z is "+want+": coordinates that are integers must be at most 2^53" {
				t.Errorf("%v %d: error %v", typ, n, err)
			}
		}
	}
}

// TestHalf compares all float16 with the definition, and with float32 where both have the same bits of the exponent.
func TestHalf(t *testing.T) {
	for b := range 1 << 16 {
		// A float16 with an exponent is a float32 with another bias.
		want := float64(math.Float32frombits(uint32(b&0x8000)<<16 | (uint32(b&0x7fff)<<13 + 112<<23)))
		switch b & 0x7c00 {
		case 0:
			want = math.Copysign(float64(b&0x3ff)*0x1p-24, 1-2*float64(b>>15))
		case 0x7c00:
			if want = math.NaN(); b&0x3ff == 0 {
				want = math.Inf(1 - 2*(b>>15))
			}
		}
		c := Cell{Type: table.Float32, Half: true}
		if got := c.Number([]byte{byte(b), byte(b >> 8)}); !testcloud.EqualOrNaN(got, want) || math.Signbit(got) != math.Signbit(want) && got == got {
			t.Errorf("%04x: %v, want %v", b, got, want)
		}
		c.BigEndian = true
		if got := c.Number([]byte{byte(b >> 8), byte(b)}); !testcloud.EqualOrNaN(got, want) {
			t.Errorf("%04x, big-endian: %v, want %v", b, got, want)
		}
	}
}

// FuzzCell decodes numbers of all types in both byte orders.
func FuzzCell(f *testing.F) {
	f.Add(uint8(table.Float64), true, []byte("12345678"))
	f.Add(uint8(table.Uint64), false, bytes.Repeat([]byte{0xff}, 8))
	f.Add(uint8(table.Bool), true, []byte{2})
	f.Fuzz(func(t *testing.T, typ uint8, bigEndian bool, b []byte) {
		c := Cell{Type: 1 + table.Type(typ)%table.Float64, BigEndian: bigEndian}
		if len(b) < c.Type.Size() {
			return
		}
		want := reference(c.Type, bigEndian, b)
		if got := c.Number(b); !testcloud.EqualOrNaN(got, asFloat(want)) {
			t.Errorf("%v: number %v, want %v", c.Type, got, want)
		}
		if !c.Type.IsFloat() && c.Integer(b) != asInt(want) {
			t.Errorf("%v: integer %v, want %v", c.Type, c.Integer(b), want)
		}
		if !bigEndian && !testcloud.EqualOrNaN(Number(c.Type, b), asFloat(want)) {
			t.Errorf("%v: Number %v, want %v", c.Type, Number(c.Type, b), want)
		}
	})
}
