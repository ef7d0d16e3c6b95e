package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"
	"github.com/parquet-go/parquet-go"

	"github.com/inpoly/inpoly/points/table"
)

// fake is a source with fields of all types. Some cells are missing.
type fake struct {
	table.Source
	fields []table.Field
	rows   int64
	next   int64
	bad    []byte // value of all text cells, if not nil
}

func newFake(rows int64) *fake {
	f := &fake{rows: rows}
	for typ := table.Text; typ <= table.Float64; typ++ {
		f.fields = append(f.fields, table.Field{Name: typ.String(), Type: typ})
	}
	f.fields = append(f.fields, table.Field{Name: "", Type: table.Float64}, table.Field{Name: "text", Type: table.Text}, table.Field{Name: "", Type: table.Int8})
	return f
}

func (f *fake) Fields() []table.Field { return f.fields }
func (f *fake) Axes() [3]int          { return [3]int{10, 11, 12} }
func (f *fake) Rows() int64           { return f.rows }

func (f *fake) Fill(b *table.Block) error {
	b.Start()
	if f.next == f.rows {
		return io.EOF
	}
	b.First = f.next
	f.next = min(f.rows, f.next+100)
	b.Next.Row = f.next
	return nil
}

func (f *fake) Parse(b *table.Block) error {
	for n := b.First; n < b.Next.Row; n++ {
		b.Add(r3.Vector{X: float64(n)}, n)
	}
	return nil
}

// cell returns row n of a field as float, integer and string, and whether it is missing.
func (f *fake) cell(field int, n int64) (v float64, i int64, s string, missing bool) {
	return float64(float32(n)) / 4, n * n % 100, fmt.Sprint("é", n), (n+int64(field))%5 == 0 && field != 3
}

func (f *fake) Values(b *table.Block, field int, v *table.Values) error {
	typ := f.fields[field].Type
	v.Reset(typ)
	for n := b.First; n < b.Next.Row; n++ {
		x, i, s, missing := f.cell(field, n)
		switch {
		case typ.IsFloat():
			v.Floats = append(v.Floats, x)
		case typ == table.Text && f.bad != nil:
			v.Texts = append(v.Texts, f.bad)
		case typ == table.Text:
			v.Texts = append(v.Texts, []byte(s))
		case typ == table.Bool:
			v.Ints = append(v.Ints, i&1)
		default:
			v.Ints = append(v.Ints, i)
		}
		if field != 3 {
			v.Missing = append(v.Missing, missing)
		}
	}
	return nil
}

func TestConvert(t *testing.T) {
	for _, drop := range []bool{false, true} {
		src := newFake(1050)
		sink, err := Convert(src, answerColumns)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err = pass(src, sink, &out, func(b *table.Block) {
			fill(b)
			if drop {
				for i := range b.EnableDrop() {
					b.Drop[i] = (b.First+int64(i))%3 != 0
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		lib := openLibrary(t, out.Bytes())
		want := "text bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 z text_2 column_15 inside state distance bound face body word"
		var names []string
		for _, p := range lib.Schema().Columns() {
			names = append(names, strings.Join(p, "."))
		}
		if got := strings.Join(names, " "); got != want {
			t.Fatalf("columns %s, want %s", got, want)
		}
		got := rowsOf(t, out.Bytes())
		k := 0
		for n := int64(0); n < src.rows; n++ {
			if drop && n%3 != 0 {
				continue
			}
			var cells []string
			for i, f := range src.fields {
				x, v, s, missing := src.cell(i, n)
				c := fmt.Sprintf("C:%d D:1 R:0 V:%v", i, v)
				switch {
				case missing:
					c = fmt.Sprintf("C:%d D:0 R:0 V:<null>", i)
				case f.Type == table.Float64:
					c = fmt.Sprintf("C:%d D:1 R:0 V:%v=%x", i, x, math.Float64bits(x))
				case f.Type == table.Float32:
					c = fmt.Sprintf("C:%d D:1 R:0 V:%v", i, x)
				case f.Type == table.Bool:
					c = fmt.Sprintf("C:%d D:1 R:0 V:%v", i, v&1 == 1)
				case f.Type == table.Text:
					c = fmt.Sprintf("C:%d D:1 R:0 V:%v", i, s)
				}
				cells = append(cells, c)
			}
			cells = append(cells, wantAnswers(n, len(src.fields))...)
			if k >= len(got) || !slices.Equal(got[k], cells) {
				t.Fatalf("row %d:\ngot  %q\nwant %q", n, got[k], cells)
			}
			k++
		}
		if k != len(got) {
			t.Fatalf("%d rows, want %d", len(got), k)
		}
		// New must read the output with the same types.
		s, err := New("b", nil, bytes.NewReader(out.Bytes()), int64(out.Len()), Options{Columns: [3]string{"float32", "float64", "z"}})
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range src.fields {
			if s.Fields()[i].Type != f.Type {
				t.Errorf("field %d has the type %v, want %v", i, s.Fields()[i].Type, f.Type)
			}
		}
	}
}

func TestConvertUTF8(t *testing.T) {
	src := newFake(10)
	src.bad = []byte("M\xfcller")
	sink, err := Convert(src, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = pass(src, sink, io.Discard, func(b *table.Block) { b.Resize(nil) })
	if !errors.Is(err, table.ErrCannotHold) || !strings.Contains(fmt.Sprint(err), "not UTF-8") {
		t.Errorf("%v", err)
	}
}

// TestConvertGroups converts many rows to several row groups.
func TestConvertGroups(t *testing.T) {
	file := fileOf(t, make([]point, groupRows+blockRows+5), parquet.Compression(&parquet.Snappy))
	src := open(t, file, Options{})
	sink, err := Convert(src, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := pass(src, sink, &out, func(b *table.Block) { b.Resize(nil) }); err != nil {
		t.Fatal(err)
	}
	var rows []int64
	for _, g := range openLibrary(t, out.Bytes()).Metadata().RowGroups {
		rows = append(rows, g.NumRows)
	}
	if want := []int64{groupRows, blockRows + 5}; !slices.Equal(rows, want) {
		t.Errorf("row groups of %d, want %d", rows, want)
	}
}

// TestAnswerStatistics compares the statistics of the answers with the values.
func TestAnswerStatistics(t *testing.T) {
	file := fileOf(t, make([]point, 1000), parquet.MaxRowsPerRowGroup(300))
	for _, c := range []struct {
		numbers     func(n int64) float64
		least, most string
	}{
		{func(n int64) float64 { return float64(n) }, "-0", "299"},
		{func(n int64) float64 { return -float64(n) }, "-299", "0"},
		{func(n int64) float64 { return 0 }, "-0", "0"},
		{func(n int64) float64 { return math.Log(float64(n) - 1) }, "-Inf", fmt.Sprint(math.Log(298))},
		{func(n int64) float64 { return math.NaN() }, "", ""},
	} {
		out := passThrough(t, open(t, file, Options{}), func(b *table.Block) {
			fill(b)
			for i := range b.Points {
				b.Numbers[0][i] = c.numbers(b.First + int64(i))
			}
		})
		m := openLibrary(t, out).Metadata().RowGroups[0].Columns
		text := func(b []byte) string {
			if len(b) == 0 {
				return ""
			}
			return fmt.Sprint(math.Float64frombits(le64(b)))
		}
		s := m[5].MetaData.Statistics
		if least, most := text(s.MinValue), text(s.MaxValue); least != c.least || most != c.most {
			t.Errorf("distance from %s to %s, want %s to %s", least, most, c.least, c.most)
		}
		if s := m[3].MetaData.Statistics; s.NullCount != 75 || !bytes.Equal(s.MinValue, []byte{0}) || !bytes.Equal(s.MaxValue, []byte{1}) {
			t.Errorf("inside: %+v", s)
		}
		if s := m[7].MetaData.Statistics; int64(le64(s.MinValue)) != -299 || le64(s.MaxValue) != 0 {
			t.Errorf("face: %+v", s)
		}
	}
}

// TestNoLabels converts a label column that has no labels. All its rows must be null.
func TestNoLabels(t *testing.T) {
	cols := []table.Column{{Name: "body", Kind: table.Label}}
	src := open(t, fileOf(t, make([]point, 10)), Options{})
	sink, err := src.Passthrough(cols)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = pass(src, sink, &out, func(b *table.Block) {
		b.Resize(cols)
		for i := range b.Integers[0] {
			b.Integers[0][i] = -1
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rowsOf(t, out.Bytes()) {
		if row[3] != "C:3 D:0 R:0 V:<null>" {
			t.Fatalf("%q", row)
		}
	}
	if err := readAndCopy(out.Bytes()); err != nil {
		t.Fatal(err)
	}
}
