package records

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/table"
)

// format is a table.Source over a Source.
type format struct{ *Source }

func (format) Format() string                                 { return "rows" }
func (format) Passthrough([]table.Column) (table.Sink, error) { return nil, nil }

// TestRows formats the rows of random layouts, with answers and dropped rows, and compares the output with the
// bytes of the file.
func TestRows(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 61))
		l := newLayout(rng, 1+rng.IntN(3))
		s, err := New(l.Layout, pointio.Options{Block: 1 + rng.IntN(200)}, true)
		if err != nil {
			t.Fatal(err)
		}
		cols := testcloud.AllColumns[:rng.IntN(2)*len(testcloud.AllColumns)]
		list, err := NewAnswers("rows", l.Fields, cols)
		if err != nil {
			t.Fatal(err)
		}
		var order binary.ByteOrder = binary.LittleEndian
		rows := &Rows{Src: format{s}, Records: s, Answers: list, BigEndian: rng.IntN(2) == 0, Int32: "int32"}
		if rows.BigEndian {
			order = binary.BigEndian
		}
		var got, want bytes.Buffer
		drop := func(k int64) bool { return k%3 == int64(seed%4) }
		err = each(s, func(b *table.Block) {
			testcloud.Answer(b, cols, drop)
			raw := bytes.Clone(b.Raw)
			if err := rows.Format(b); err != nil {
				t.Fatal(err)
			}
			if len(l.Strips) == 1 && !bytes.Equal(raw, b.Raw) {
				t.Fatal("Format has changed b.Raw")
			}
			got.Write(b.Out)
			for i := range b.Points {
				k := b.First + int64(i)
				if drop(k) {
					continue
				}
				for n, strip := range l.Strips {
					at := l.starts[n] + k*strip.Size
					want.Write(l.file[at : at+strip.Size])
				}
				if len(cols) > 0 {
					w, bound := testcloud.Numbers(k)
					want.WriteByte(pointio.InsideCodes[b.Sides[i]])
					want.WriteByte(pointio.StateCodes[b.Sides[i]])
					for _, v := range []any{w, bound, int32(k - 3), int32(k%3 - 1)} {
						binary.Write(&want, order, v)
					}
				}
			}
		})
		if err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Fatalf("seed %d: the rows differ: %v", seed, err)
		}
	}
}

// TestRowsOverflow formats an integer with more than 32 bits.
func TestRowsOverflow(t *testing.T) {
	l := newLayout(rand.New(rand.NewPCG(3, 62)), 1)
	for l.Total == 0 {
		l = newLayout(rand.New(rand.NewPCG(4, 62)), 1)
	}
	cols := []table.Column{{Name: "a b", Kind: table.Integer}}
	list, err := NewAnswers("rows", nil, cols)
	if err != nil {
		t.Fatal(err)
	}
	for _, drop := range []bool{false, true} {
		s, err := New(l.Layout, pointio.Options{}, true)
		if err != nil {
			t.Fatal(err)
		}
		rows := &Rows{Src: format{s}, Records: s, Answers: list, Int32: "int32"}
		if err := each(s, func(b *table.Block) {
			b.Resize(cols)
			b.Integers[0][0] = 1 << 31
			if drop {
				b.EnableDrop()[0] = true
			}
			err = rows.Format(b)
		}); err != nil {
			t.Fatal(err)
		}
		if drop != (err == nil) || !drop && (!errors.Is(err, table.ErrCannotHold) || !strings.Contains(err.Error(), `row 0: column "a_b": 2147483648 does not fit in an int32`)) {
			t.Errorf("dropped %v: error %v", drop, err)
		}
	}
	if _, err := NewAnswers("rows", nil, []table.Column{{Name: "w", Kind: table.Words}}); !errors.Is(err, table.ErrCannotHold) {
		t.Errorf("words: error %v", err)
	}
}

// FuzzWord checks that names in headers are words, and that words stay as they are.
func FuzzWord(f *testing.F) {
	for _, s := range []string{"", "a b", "\x00\x7f", "\u0085x\u00a0", "\u2028", "é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		word := Word(name)
		if len(strings.Fields(word)) != 1 || strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Fatalf("%q became %q, which is not one word", name, word)
		}
		if again := Word(word); again != word {
			t.Fatalf("%q became %q and then %q", name, word, again)
		}
	})
}

// TestAppendAnswers writes answers as words and parses them again.
func TestAppendAnswers(t *testing.T) {
	list, err := NewAnswers("rows", []table.Field{{Name: "inside"}, {Name: "winding_bound"}}, testcloud.AllColumns)
	if err != nil {
		t.Fatal(err)
	}
	if names := []string{list[0].Name, list[3].Name}; !slices.Equal(names, []string{"inside_2", "winding_bound_2"}) {
		t.Errorf("names %q", names)
	}
	c := testcloud.Random(1, 50, false)
	c.PerFill = 50
	var b table.Block
	if err := c.Fill(&b); err != nil {
		t.Fatal(err)
	}
	if err := c.Parse(&b); err != nil {
		t.Fatal(err)
	}
	testcloud.Answer(&b, testcloud.AllColumns, nil)
	b.Numbers[0][1], b.Numbers[0][2] = math.Inf(1), math.Inf(-1)
	for k := range b.Points {
		words := strings.Fields(string(AppendAnswers([]byte("row"), list, &b, k)))
		want := []float64{float64(pointio.InsideCodes[b.Sides[k]]), float64(pointio.StateCodes[b.Sides[k]]), b.Numbers[0][k], b.Numbers[1][k],
			float64(b.Integers[0][k]), float64(b.Integers[1][k])}
		if len(words) != 7 || words[0] != "row" {
			t.Fatalf("row %d: %q", k, words)
		}
		for i, w := range words[1:] {
			if x, err := strconv.ParseFloat(w, 64); err != nil || !testcloud.EqualOrNaN(x, want[i]) {
				t.Errorf("row %d: %q, want %v", k, w, want[i])
			}
		}
	}
	lines := Comments(list)
	if text := strings.Join(lines, "\n"); len(lines) != 5 || strings.Contains(text, "left wing") || !strings.Contains(text, "body: 1 left_wing") {
		t.Errorf("comments %q", lines)
	}
}

// checkConverted compares a row of a Converter with the cells of a cloud.
func checkConverted(t *testing.T, c *Converter, cloud *testcloud.Cloud, row []byte, k int) {
	t.Helper()
	at := 0
	for i, col := range c.Columns {
		cells := &cloud.Cells[i]
		got := reference(col.Store, false, row[at:])
		at += col.Store.Size()
		var want float64
		switch {
		case len(cells.Missing) > 0 && cells.Missing[k]:
			want = math.NaN()
		case cells.Type.IsFloat():
			want = cells.Floats[k]
		case cells.Type == table.Uint64:
			want = float64(uint64(cells.Ints[k]))
		default:
			want = float64(cells.Ints[k])
		}
		if !testcloud.EqualOrNaN(asFloat(got), want) {
			t.Fatalf("row %d, column %s: %v, want %v", k, col.Name, got, want)
		}
	}
}

// TestConverter converts clouds with fields of every type.
func TestConverter(t *testing.T) {
	for seed := range uint64(100) {
		cloud := testcloud.Random(seed, 1+int(seed%150), false)
		hasMissing := false
		for i := range cloud.Cells {
			if cloud.Cells[i].Type.IsFloat() || cloud.Cells[i].Type == table.Int64 || cloud.Cells[i].Type == table.Uint64 {
				continue // NaN
			}
			hasMissing = hasMissing || slices.Contains(cloud.Cells[i].Missing, true)
			if seed%2 == 0 {
				cloud.Cells[i].Missing = nil
			}
		}
		cols := testcloud.AllColumns[:int(seed/2%2)*len(testcloud.AllColumns)]
		c, err := NewConverter("rows", "int32", cloud, cols)
		if err != nil {
			t.Fatal(err)
		}
		drop := func(k int64) bool { return k%5 == 2 }
		var kept []int
		var out []byte
		var b table.Block
		for cloud.Fill(&b) == nil && err == nil {
			if err := cloud.Parse(&b); err != nil {
				t.Fatal(err)
			}
			testcloud.Answer(&b, cols, drop)
			if err = c.Format(&b); err == nil {
				out = append(out, b.Out...)
				for i := range b.Points {
					if k := int(b.First) + i; !drop(int64(k)) {
						kept = append(kept, k)
					}
				}
			}
		}
		if err != nil {
			if seed%2 == 0 || !hasMissing || !errors.Is(err, table.ErrCannotHold) {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue
		}
		size := c.row + c.Answers.Size()
		if len(out) != len(kept)*size {
			t.Fatalf("seed %d: %d bytes for %d rows of %d", seed, len(out), len(kept), size)
		}
		for i, k := range kept {
			checkConverted(t, c, cloud, out[i*size:], k)
			if len(cols) > 0 {
				if n := int32(binary.LittleEndian.Uint32(out[(i+1)*size-8:])); n != int32(k-3) {
					t.Fatalf("seed %d, row %d: answer %d", seed, k, n)
				}
			}
		}
	}
}

// one returns a cloud of one row with an additional column.
func one(name string, v table.Values) *testcloud.Cloud {
	cloud := testcloud.Random(1, 1, false)
	cloud.Columns, cloud.Cells = append(cloud.Columns[:3:3], table.Field{Name: name, Type: v.Type}), append(cloud.Cells[:3:3], v)
	return cloud
}

// TestConverterRefuses converts values that a record cannot hold.
func TestConverterRefuses(t *testing.T) {
	for _, c := range []struct {
		v    table.Values
		want string
	}{
		{table.Values{Type: table.Int64, Ints: []int64{1<<53 + 1}}, `row 0: column "n": a double cannot represent 9007199254740993 exactly`},
		{table.Values{Type: table.Int64, Ints: []int64{math.MaxInt64}}, "a double cannot represent 9223372036854775807"},
		{table.Values{Type: table.Int64, Ints: []int64{math.MinInt64}}, ""},
		{table.Values{Type: table.Uint64, Ints: []int64{-1}}, "a double cannot represent 18446744073709551615"},
		{table.Values{Type: table.Uint64, Ints: []int64{math.MinInt64}}, ""}, // 2⁶³
		{table.Values{Type: table.Int16, Ints: []int64{5}, Missing: []bool{true}}, "the value is missing"},
		{table.Values{Type: table.Float32, Floats: []float64{5}, Missing: []bool{true}}, ""},
		{table.Values{Type: table.Text, Texts: [][]byte{{}}}, `column "n" holds text, but ROWS has only numbers`},
	} {
		for _, dropped := range []bool{false, true} {
			cloud := one("n", c.v)
			conv, err := NewConverter("rows", "int32", cloud, nil)
			var b table.Block
			if err == nil {
				if err := errors.Join(cloud.Fill(&b), cloud.Parse(&b)); err != nil {
					t.Fatal(err)
				}
				b.Resize(nil)
				b.EnableDrop()[0] = dropped
				err = conv.Format(&b)
			}
			if c.want == "" || dropped && c.v.Type != table.Text {
				if err != nil {
					t.Errorf("%v: %v", c.v.Type, err)
				}
				continue
			}
			if !errors.Is(err, table.ErrCannotHold) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v: error %v, want %q", c.v.Type, err, c.want)
			}
		}
	}
	opaque := one("n", table.Values{Type: table.Text})
	opaque.Columns[3].Opaque = "a list"
	if _, err := NewConverter("rows", "int32", struct{ table.Source }{named{opaque}}, nil); !errors.Is(err, table.ErrCannotHold) {
		t.Errorf("an opaque column: error %v", err)
	}
	for name, want := range map[string]string{"X": "X_2", "y": "y_2", "a b": "a_b", "": "_", "q": "q"} {
		conv, err := NewConverter("rows", "int32", one(name, table.Values{Type: table.Int8, Ints: []int64{1}}), nil)
		if err != nil || conv.Columns[3].Name != want {
			t.Errorf("%q: column %v: %v", name, conv, err)
		}
	}
}

// named is a cloud with the name of a format.
type named struct{ *testcloud.Cloud }

func (named) Format() string { return "cloud" }

// counterHeader returns a header whose length does not depend on the number if pad reserves room.
func counterHeader(count string, pad int) []byte {
	if pad == NoPad {
		return fmt.Appendf(nil, "rows %s\n", count)
	}
	return fmt.Appendf(nil, "rows %s # %s\n", count, PadComment(pad))
}

// TestCounter writes rows in one run and in two runs.
func TestCounter(t *testing.T) {
	for _, known := range []int64{-1, 0, 7, 12345} {
		for _, most := range []int64{-1, 12345, math.MaxInt64} {
			for _, written := range []int{0, 7, 12345} {
				for _, split := range []int{0, written / 2} {
					var out bytes.Buffer
					c := NewCounter("rows", most, counterHeader)
					if c.NeedsPatch(known) != (known < 0) {
						t.Fatal("NeedsPatch")
					}
					if err := c.Begin(&out, known); err != nil {
						t.Fatal(err)
					}
					size := out.Len()
					write(t, &c, &out, split)
					if split > 0 {
						state, err := c.State()
						if err != nil {
							t.Fatal(err)
						}
						c = NewCounter("rows", most, counterHeader)
						if err := c.Resume(known, state); err != nil {
							t.Fatal(err)
						}
					}
					write(t, &c, &out, written-split)
					err := c.End(&out)
					if (err == nil) != (known < 0 || known == int64(written)) {
						t.Fatalf("%d rows of %d: error %v", written, known, err)
					}
					head := out.Bytes()[:size]
					if final := c.FinalHeader(); final != nil {
						if len(final) != size {
							t.Fatalf("the header has %d bytes, and then %d", size, len(final))
						}
						head = final
					}
					want := int64(written)
					if known >= 0 {
						want = known
					}
					var got int64
					if _, err := fmt.Sscanf(string(head), "rows %d", &got); err != nil || got != want {
						t.Fatalf("known %d, at most %d, written %d: header %q", known, most, written, head)
					}
				}
			}
		}
	}
	for state, most := range map[string]int64{`{"written": 8}`: 7, `{"written": -1}`: -1, `{`: 7} {
		c := NewCounter("rows", most, counterHeader)
		if err := c.Resume(-1, []byte(state)); err == nil || !strings.HasPrefix(err.Error(), "rows: ") {
			t.Errorf("state %s: error %v", state, err)
		}
	}
	var syntax *json.SyntaxError
	c := NewCounter("rows", 7, counterHeader)
	if err := c.Resume(-1, []byte("{")); !errors.As(err, &syntax) {
		t.Errorf("error %v", err)
	}
}

// write writes a block of n rows, and a dropped row.
func write(t *testing.T, c *Counter, w io.Writer, n int) {
	t.Helper()
	b := table.Block{Out: bytes.Repeat([]byte{'.'}, n)}
	b.Reserve(n + 1)
	b.Points = b.Points[:n+1]
	b.EnableDrop()[n] = true
	if err := c.Write(w, &b); err != nil {
		t.Fatal(err)
	}
}
