package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/table"
)

// body returns the elements of a file as float64, the header, and the length of the header.
func body(t *testing.T, file []byte) (v []float64, h header, length int64) {
	t.Helper()
	h, length, err := readOriented(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	data := file[length:]
	if int64(len(data)) != h.rows*h.rowBytes() || length%64 != 0 {
		t.Fatalf("%d bytes after a header of %d for %d rows of %d", len(data), length, h.rows, h.rowBytes())
	}
	for ; len(data) > 0; data = data[h.itemSize:] {
		v = append(v, h.float(data))
	}
	return v, h, length
}

// sameFloats reports whether a and b have the same bits. All NaN count as equal.
func sameFloats(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) && (a[i] == a[i] || b[i] == b[i]) {
			return false
		}
	}
	return true
}

// TestConvert converts clouds with fields of every type, and compares the array with the cells.
func TestConvert(t *testing.T) {
	cols := []table.Column{
		{Name: "inside", Kind: table.Inside}, {Name: "w", Kind: table.Number}, {Name: "b", Kind: table.Bound},
		{Name: "n", Kind: table.Integer}, {Name: "l", Kind: table.Label, Labels: []string{"a"}},
	}
	for seed := range uint64(30) {
		c := testcloud.Random(seed, int(1+100*seed%700), false)
		c.Unknown = seed%2 == 0
		r := rand.New(rand.NewPCG(seed, 2))
		var want []float64
		rows := 0
		sink, err := Convert(c, cols)
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.Stream(sink, cols, func(b *table.Block) {
			testcloud.Half(b)
			for k := range b.Numbers[1] {
				b.Integers[1][k] = -1
			}
			if c.Unknown {
				drop := b.EnableDrop()
				for k := range drop {
					drop[k] = r.IntN(3) == 0
				}
			}
			for k := range b.Points {
				if b.Drop != nil && b.Drop[k] {
					continue
				}
				rows++
				at := int(b.First) + k
				for _, v := range c.Cells {
					switch {
					case v.Missing != nil && v.Missing[at]:
						want = append(want, math.NaN())
					case v.Floats != nil:
						want = append(want, v.Floats[at])
					default:
						want = append(want, float64(v.Ints[at]))
					}
				}
				want = append(want, insideNumbers[b.Sides[k]], b.Numbers[0][k], b.Numbers[1][k], float64(b.Integers[0][k]), -1)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		got, h, _ := body(t, out)
		if h.dtype != "<f8" || h.rows != int64(rows) || !sameFloats(got, want) {
			t.Fatalf("seed %d: %d rows of %d, or other values", seed, h.rows, rows)
		}
	}
}

// moved is a cloud with other coordinate columns.
type moved struct {
	*testcloud.Cloud
	axes [3]int
}

func (m moved) Axes() [3]int { return m.axes }

// TestConvertAxes checks that x, y and z come first, and that the other fields keep their order.
func TestConvertAxes(t *testing.T) {
	c := testcloud.Random(3, 500, false)
	n := len(c.Columns)
	for _, axes := range [][3]int{{0, 1, 2}, {2, 0, 1}, {n - 1, 1, 3}, {1, 2, n - 2}} {
		order := append([]int{}, axes[:]...)
		for i := range n {
			if i != axes[0] && i != axes[1] && i != axes[2] {
				order = append(order, i)
			}
		}
		sink, err := Convert(moved{c, axes}, nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.Stream(sink, nil, func(*table.Block) {})
		if err != nil {
			t.Fatal(err)
		}
		var want []float64
		for k := range c.N {
			for _, i := range order {
				switch v := &c.Cells[i]; {
				case v.Missing != nil && v.Missing[k]:
					want = append(want, math.NaN())
				case v.Floats != nil:
					want = append(want, v.Floats[k])
				default:
					want = append(want, float64(v.Ints[k]))
				}
			}
		}
		if got, _, _ := body(t, out); !sameFloats(got, want) {
			t.Errorf("axes %v: other values", axes)
		}
	}
}

// TestCannotHold checks the errors for text and for integers that an array would round.
func TestCannotHold(t *testing.T) {
	words := []table.Column{{Name: "w", Kind: table.Words}}
	number := []table.Column{{Name: "n", Kind: table.Integer}}
	check := func(what string, err error, want string) {
		t.Helper()
		if !errors.Is(err, table.ErrCannotHold) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", what, err, want)
		}
	}
	_, err := Convert(testcloud.Random(1, 1, true), nil)
	check("text", err, `text of column "text"`)
	_, err = Convert(testcloud.Random(1, 1, false), words)
	check("words", err, `text of column "w"`)
	src, err := New("in", bytes.NewReader(array{1, 3, []float64{1, 2, 3}}.file("<f4", false)), nil, -1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = src.Passthrough(words)
	check("words in an array", err, `text of column "w"`)
	for _, c := range []struct {
		descr string
		n     int64
		fits  bool
	}{{"<f4", 1 << 24, true}, {"<f4", 1<<24 + 1, false}, {">f8", -1 << 53, true}, {"<f8", 1<<53 + 1, false}} {
		in := array{300, 3, make([]float64, 900)}.file(c.descr, false)
		_, _, err := files.Stream(in, Options{}, number, func(s Array) (table.Sink, error) {
			sink, err := s.Passthrough(number)
			return setInteger{sink, c.n}, err
		})
		if c.fits && err != nil {
			t.Errorf("%d in %s: %v", c.n, c.descr, err)
		}
		if !c.fits {
			check("integer", err, "row 299: n is")
		}
	}
	for _, n := range []int64{1<<53 + 1, -1} { // −1 has the bits of the uint64 2^64 − 1
		cloud := testcloud.Random(1, 50, false)
		field := int(table.Uint64-table.Bool) + 3
		cloud.Cells[field] = table.Values{Type: table.Uint64, Ints: make([]int64, cloud.N)}
		cloud.Cells[field].Ints[37] = n
		sink, err := Convert(cloud, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = cloud.Stream(sink, nil, testcloud.Half)
		check("uint64", err, "row 37: uint64 is")
	}
}

// setInteger replaces the integer answer in the last row of each block.
type setInteger struct {
	table.Sink
	n int64
}

func (s setInteger) Format(b *table.Block) error {
	b.Integers[0][len(b.Points)-1] = s.n
	return s.Sink.Format(b)
}

// TestDropAndPatch drops rows of arrays of every kind. The final header must contain the number of
// kept rows and have the length of the first header.
func TestDropAndPatch(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	path := filepath.Join(t.TempDir(), "a.npy")
	for _, descr := range []string{"<f8", ">f8", "<f4", ">f4"} {
		for _, fortran := range []bool{false, true} {
			for _, said := range []int64{-1, 700} {
				a := randomArray(r, 700, 3+r.IntN(2))
				if err := os.WriteFile(path, a.file(descr, fortran), 0o666); err != nil {
					t.Fatal(err)
				}
				var want []float64
				full := a.answered()
				src := open(t, path, Options{Block: 5000})
				var drops droppingSink
				out, _, err := testcloud.Pump(src, insideColumn, func(s Array) (table.Sink, error) {
					sink, err := s.Passthrough(insideColumn)
					drops = droppingSink{sink.(table.Resumer), said, make([]bool, a.rows)}
					for k := range drops.drop {
						drops.drop[k] = r.IntN(4) == 0
					}
					return drops, err
				})
				if err != nil {
					t.Fatal(err)
				}
				kept := int64(0)
				for k, d := range drops.drop {
					if !d {
						want = append(want, full.v[k*full.columns:(k+1)*full.columns]...)
						kept++
					}
				}
				patched := []byte(out)
				copy(patched, drops.Resumer.(table.HeaderPatcher).FinalHeader())
				got, h, _ := body(t, patched)
				if h.rows != kept || !sameFloats(got, want) {
					t.Fatalf("%s fortran=%v: %d rows, want %d, or other values", descr, fortran, h.rows, kept)
				}
			}
		}
	}
}

// droppingSink drops some rows, and resumes after Begin.
type droppingSink struct {
	table.Resumer
	said int64
	drop []bool
}

func (d droppingSink) Begin(w io.Writer, _ int64) error {
	if err := d.Resumer.Begin(w, d.said); err != nil {
		return err
	}
	state, err := d.State()
	if err != nil {
		return err
	}
	return d.Resume(d.said, state)
}

func (d droppingSink) Format(b *table.Block) error {
	copy(b.EnableDrop(), d.drop[b.First:])
	return d.Resumer.Format(b)
}

// TestHead checks that there is no final header if Begin knows the number of rows. End must fail if
// there are more rows than that number.
func TestHead(t *testing.T) {
	w, err := newArrayWriter("<f8", 8, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := w.Begin(&out, 2); err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		err := w.End(&out)
		if head := w.FinalHeader(); (head == nil) != (n == 2) || n <= 2 && head != nil && len(head) != out.Len() {
			t.Errorf("%d rows of 2: %d bytes of header for %d", n, len(head), out.Len())
		}
		if (err != nil) != (n > 2) {
			t.Errorf("%d rows of 2: %v", n, err)
		}
		w.Rows++
	}
	if w.Resume(0, []byte("x")) == nil {
		t.Error("a broken state is accepted")
	}
}

// TestValuesAndFields checks the values, names and types of columns.
func TestValuesAndFields(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	path := filepath.Join(t.TempDir(), "a.npy")
	for _, descr := range []string{"<f8", ">f4"} {
		for _, fortran := range []bool{false, true} {
			a := randomArray(r, 50, 5)
			if err := os.WriteFile(path, a.file(descr, fortran), 0o666); err != nil {
				t.Fatal(err)
			}
			src := open(t, path, Options{Columns: [3]string{"4", "1", "2"}, Block: 300})
			var names []string
			want := table.Float64
			if descr == ">f4" {
				want = table.Float32
			}
			for _, f := range src.Fields() {
				names = append(names, f.Name)
				if f.Type != want {
					t.Errorf("%s: type %v", f.Name, f.Type)
				}
			}
			if got := strings.Join(names, " "); got != "y z column_3 x column_5" || src.Axes() != [3]int{3, 0, 1} {
				t.Errorf("fields %s, axes %v", got, src.Axes())
			}
			var b table.Block
			var v table.Values
			row := 0
			for src.Fill(&b) == nil {
				if err := src.Parse(&b); err != nil {
					t.Fatal(err)
				}
				for field := range 5 {
					if err := src.Values(&b, field, &v); err != nil || len(v.Floats) != len(b.Points) {
						t.Fatal(err)
					}
					for k, x := range v.Floats {
						if !sameFloats([]float64{x}, []float64{a.v[(row+k)*5+field]}) {
							t.Fatalf("row %d, column %d is %v", row+k, field, x)
						}
					}
				}
				row += len(b.Points)
			}
			if row != a.rows {
				t.Errorf("%d rows of %d", row, a.rows)
			}
		}
	}
}

// TestSeekAndBytes seeks to each row, and reads adjacent byte ranges.
func TestSeekAndBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	path := filepath.Join(t.TempDir(), "a.npy")
	for _, fortran := range []bool{false, true} {
		a := randomArray(r, 97, 4)
		in := a.file("<f4", fortran)
		if err := os.WriteFile(path, in, 0o666); err != nil {
			t.Fatal(err)
		}
		want, err := testcloud.Points(open(t, path, Options{}))
		if err != nil {
			t.Fatal(err)
		}
		for row := range int64(98) {
			src := open(t, path, Options{Block: 100})
			if err := src.SeekTo(table.Position{Row: row}); err != nil {
				t.Fatal(err)
			}
			if got, err := testcloud.Points(src); err != nil || !testcloud.SamePoints(got, want[row:]) {
				t.Fatalf("from row %d: %d points, %v", row, len(got), err)
			}
			if !fortran {
				src, err := New("in", bytes.NewReader(in), nil, -1, Options{Block: 100})
				if err != nil {
					t.Fatal(err)
				}
				if err := src.SeekTo(table.Position{Row: row}); err != nil {
					t.Fatal(err)
				}
				if got, err := testcloud.Points(src); err != nil || !testcloud.SamePoints(got, want[row:]) {
					t.Fatalf("stream from row %d: %d points, %v", row, len(got), err)
				}
			}
		}
		if err := open(t, path, Options{}).SeekTo(table.Position{Row: 98}); err == nil {
			t.Error("a row beyond the end is accepted")
		}
		for range 20 {
			var got []float64
			for from := int64(0); from < int64(len(in)); {
				to := from + 1 + r.Int64N(int64(len(in)))
				src := open(t, path, Options{Bytes: [2]int64{from, to}, Block: 64})
				out, sum, err := testcloud.Pump(src, nil, func(s Array) (table.Sink, error) { return s.Passthrough(nil) })
				if err != nil || sum.Rows != src.Rows() {
					t.Fatalf("%d rows of %d, %v", sum.Rows, src.Rows(), err)
				}
				part, _, _ := body(t, []byte(out))
				got = append(got, part...)
				from = to
			}
			if !sameFloats(got, a.v) {
				t.Fatalf("parts have %d values, the whole %d", len(got), len(a.v))
			}
		}
	}
	in := randomArray(r, 3, 3).file("<f8", false)
	for _, opt := range []Options{{Bytes: [2]int64{0, 5}}, {Shard: 1, Shards: 2}, {Shard: 2}} {
		if _, err := New("in", bytes.NewReader(in), nil, -1, opt); err == nil {
			t.Errorf("stream with %+v is accepted", opt)
		}
	}
}

// TestFastRows compares the loops for rows of three float64 with the general loops.
func TestFastRows(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, columns := range []int{3, 4, 7} {
		const n = 100
		raw := make([]byte, 8*columns*n)
		for i := 0; i < len(raw); i += 8 {
			binary.LittleEndian.PutUint64(raw[i:], r.Uint64())
		}
		stride := 8*columns + 8
		dst := bytes.Repeat([]byte{7}, stride*n)
		copyRows(dst, stride, raw, 8*columns, n)
		want := bytes.Repeat([]byte{7}, stride*n)
		for k := range n {
			copy(want[k*stride:], raw[k*8*columns:(k+1)*8*columns])
		}
		if !bytes.Equal(dst, want) {
			t.Errorf("%d columns: other bytes", columns)
		}
	}
}

// TestBoundsInFloat32 writes numbers and bounds to float32 arrays, which round them. The rounded
// interval must contain the original interval.
func TestBoundsInFloat32(t *testing.T) {
	single, double := header{itemSize: 4}, header{itemSize: 8}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		w := (2*rng.Float64() - 1) * math.Pow(10, 60*rng.Float64()-50)
		bound := math.Pow(10, 40*rng.Float64()-45)
		got := single.roundUp(bound, single.roundoff(w))
		if float64(float32(got)) != got || !(got >= bound+math.Abs(w-float64(float32(w)))) {
			t.Fatalf("%g ± %g is written with the bound %g", w, bound, got)
		}
		if double.roundUp(bound, double.roundoff(w)) != bound {
			t.Fatalf("a float64 array changes the bound %g", bound)
		}
	}
	if got := single.roundUp(1, single.roundoff(1e300)); !math.IsInf(got, 1) {
		t.Errorf("a number beyond float32 has the bound %g", got)
	}
}
