package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// rowsOf reads a file with the library and returns its rows, with levels.
func rowsOf(t testing.TB, file []byte) (rows [][]string) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]parquet.Row, 100)
	for _, g := range f.RowGroups() {
		r := g.Rows()
		for {
			n, err := r.ReadRows(buf)
			for _, row := range buf[:n] {
				cells := make([]string, len(row))
				for i, v := range row {
					cells[i] = fmt.Sprintf("%+v", v)
					if v.Kind() == parquet.Double && !v.IsNull() {
						cells[i] += fmt.Sprintf("=%x", math.Float64bits(v.Double()))
					}
				}
				rows = append(rows, cells)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

// wantAnswers returns the cells of the answers for row n. The answers follow the given number of
// input columns.
func wantAnswers(n int64, columns int) (cells []string) {
	cell := func(k int, v any) {
		c := fmt.Sprintf("C:%d D:0 R:0 V:%v", columns+k, v)
		switch {
		case v == nil:
			c = fmt.Sprintf("C:%d D:0 R:0 V:<null>", columns+k)
		case k == 0 || 2 <= k && k <= 5:
			c = fmt.Sprintf("C:%d D:1 R:0 V:%v", columns+k, v)
		}
		if f, ok := v.(float64); ok {
			c += fmt.Sprintf("=%x", math.Float64bits(f))
		}
		cells = append(cells, c)
	}
	s := side.Side(n % 4)
	if s == side.Unknown {
		cell(0, nil)
	} else {
		cell(0, s != side.Outside)
	}
	cell(1, s)
	if n%11 == 0 {
		cell(2, nil)
	} else {
		cell(2, float64(n)/3)
	}
	cell(3, float64(n)/7)
	cell(4, -n)
	if k := n%4 - 1; k < 0 {
		cell(5, nil)
	} else {
		cell(5, answerColumns[5].Labels[k])
	}
	cell(6, fmt.Sprint("w", n))
	return cells
}

// checkRows compares the rows of file with the kept rows of input and their answers.
func checkRows(t *testing.T, file, input []byte, keep func(n int) bool) {
	t.Helper()
	got, want := rowsOf(t, file), rowsOf(t, input)
	columns := len(openLibrary(t, input).Schema().Columns())
	k := 0
	for n, row := range want {
		if !keep(n) {
			continue
		}
		if k >= len(got) {
			t.Fatalf("output has %d rows, row %d of the input is missing", len(got), n)
		}
		if w := append(row[:len(row):len(row)], wantAnswers(int64(n), columns)...); !slices.Equal(got[k], w) {
			t.Fatalf("row %d (input %d):\ngot  %q\nwant %q", k, n, got[k], w)
		}
		k++
	}
	if k != len(got) {
		t.Fatalf("output has %d rows, want %d", len(got), k)
	}
}

func all(int) bool { return true }

var codecs = []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Brotli, &parquet.Lz4Raw}

// cellsOf reads a file with this package and returns the values of each column.
func cellsOf(t testing.TB, file []byte, columns int) []string {
	t.Helper()
	s := open(t, file, Options{})
	cells := make([]strings.Builder, columns)
	for _, g := range s.groups {
		for i := range cells {
			c, err := s.chunk(g, i)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range c.pages {
				d, err := p.decode(c)
				if err != nil {
					t.Fatal(err)
				}
				w := &cells[i]
				fmt.Fprint(w, d.rep)
				for e, k := 0, 0; e < d.entries; e++ {
					if d.def != nil && d.def[e] != c.leaf.maxDef {
						fmt.Fprint(w, " ", d.def[e])
						continue
					}
					fmt.Fprintf(w, " %x", d.storage().bytes(d.valueIndex(k)))
					k++
				}
			}
		}
	}
	out := make([]string, columns)
	for i := range out {
		out[i] = cells[i].String()
	}
	return out
}

func TestPassthroughCopies(t *testing.T) {
	rows := shapes(1200, 1)
	var cells []string
	for _, c := range codecs {
		for version := 1; version <= 2; version++ {
			t.Run(fmt.Sprint(c, "/v", version), func(t *testing.T) {
				file := fileOf(t, rows, parquet.Compression(c), parquet.DataPageVersion(version), parquet.MaxRowsPerRowGroup(500), parquet.PageBufferSize(2000),
					parquet.KeyValueMetadata("who", "me"), parquet.KeyValueMetadata("ARROW:schema", "lie"))
				out := passThrough(t, open(t, file, Options{}), fill)
				in, res := openLibrary(t, file), openLibrary(t, out)
				// The library writes maps in random order. Therefore the expected cells must come
				// from the input of passThrough.
				cells = cellsOf(t, file, len(in.Schema().Columns()))
				if got := cellsOf(t, out, len(cells)); !slices.Equal(got, cells) {
					t.Fatal("other values")
				}
				// The library cannot read all of its own LZ4 output.
				if c != &parquet.Lz4Raw {
					checkRows(t, out, file, all)
				}
				// The key "who" and the bytes of the columns must be the same as in the input.
				if v, ok := res.Lookup("who"); !ok || v != "me" {
					t.Errorf("key who = %q", v)
				}
				if _, ok := res.Lookup("ARROW:schema"); ok {
					t.Error("ARROW:schema is kept, though columns are added")
				}
				for g := range in.Metadata().RowGroups {
					for i, a := range in.Metadata().RowGroups[g].Columns {
						b := res.Metadata().RowGroups[g].Columns[i]
						if !bytes.Equal(chunkBytes(file, &a), chunkBytes(out, &b)) {
							t.Fatalf("row group %d, column %d: other bytes", g, i)
						}
						if fmt.Sprint(a.MetaData.Statistics) != fmt.Sprint(b.MetaData.Statistics) {
							t.Fatalf("row group %d, column %d: statistics %v, want %v", g, i, b.MetaData.Statistics, a.MetaData.Statistics)
						}
					}
				}
				if len(res.ColumnIndexes()) != len(res.OffsetIndexes()) || len(res.OffsetIndexes()) == 0 {
					t.Errorf("%d column indexes, %d offset indexes", len(res.ColumnIndexes()), len(res.OffsetIndexes()))
				}
			})
		}
	}
}

func TestPassthroughDrops(t *testing.T) {
	rows := shapes(1200, 2)
	keeps := map[string]func(n int) bool{
		"all":      all,
		"none":     func(int) bool { return false },
		"thirds":   func(n int) bool { return n%3 == 1 },
		"one":      func(n int) bool { return n == 1034 },
		"in first": func(n int) bool { return n < 300 || n >= 500 },
	}
	for _, c := range codecs {
		for version := 1; version <= 2; version++ {
			file := fileOf(t, rows, parquet.Compression(c), parquet.DataPageVersion(version), parquet.MaxRowsPerRowGroup(500), parquet.PageBufferSize(2000))
			for name, keep := range keeps {
				if c != &parquet.Snappy && name != "thirds" {
					continue // dropping rows does not depend on the codec
				}
				t.Run(fmt.Sprint(c, "/v", version, "/", name), func(t *testing.T) {
					drop := func(b *table.Block) {
						fill(b)
						for i := range b.EnableDrop() {
							b.Drop[i] = !keep(int(b.First) + i)
						}
					}
					out := passThrough(t, open(t, file, Options{}), drop)
					want := c.CompressionCodec()
					if want == format.Brotli {
						want = format.Zstd // this package does not write Brotli
					}
					for _, g := range openLibrary(t, out).Metadata().RowGroups {
						for _, column := range g.Columns[:len(g.Columns)-len(answerColumns)] {
							if got := column.MetaData.Codec; got != want && name != "all" {
								t.Fatalf("a column is compressed with %s, want %s", got, want)
							}
						}
					}
					if c != &parquet.Lz4Raw {
						checkRows(t, out, file, keep)
						return
					}
					// The library cannot read all of its own LZ4 output. Instead, a second rewrite
					// must give the same cells.
					again := passThrough(t, open(t, out, Options{}), func(b *table.Block) { fill(b); b.EnableDrop() })
					columns := len(openLibrary(t, file).Schema().Columns())
					if got, want := cellsOf(t, again, columns), cellsOf(t, out, columns); !slices.Equal(got, want) {
						t.Fatal("other values")
					}
				})
			}
		}
	}
}

// small is a row with few columns, for files with many rows.
type small struct {
	point
	Name string   `parquet:"name,dict"`
	Tags []string `parquet:"tags,list"`
}

// TestPassthroughMixed copies row groups of several blocks with Passthrough. Some blocks drop rows.
func TestPassthroughMixed(t *testing.T) {
	rows := make([]small, 2*blockRows+500)
	rng := rand.New(rand.NewSource(3))
	for i := range rows {
		rows[i] = small{point: point{float64(i), rng.Float64(), rng.Float64()}, Name: fmt.Sprint(rng.Intn(9))}
		for range rng.Intn(3) {
			rows[i].Tags = append(rows[i].Tags, fmt.Sprint(i))
		}
	}
	for drop, size := range []int{4000, 1 << 20, 100000} {
		file := fileOf(t, rows, parquet.Compression(&parquet.Snappy), parquet.PageBufferSize(size))
		want, err := parquet.Read[small](bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		keep := func(n int) bool { return n/blockRows != drop || n%2 == 0 }
		out := passThrough(t, open(t, file, Options{}), func(b *table.Block) {
			fill(b)
			if int(b.First)/blockRows == drop {
				for i := range b.EnableDrop() {
					b.Drop[i] = !keep(int(b.First) + i)
				}
			}
		})
		got, err := parquet.Read[small](bytes.NewReader(out), int64(len(out)))
		if err != nil {
			t.Fatal(err)
		}
		k := 0
		for n := range want {
			if !keep(n) {
				continue
			}
			if k >= len(got) || !reflect.DeepEqual(got[k], want[n]) {
				t.Fatalf("pages of %d, block %d: row %d is not row %d of the input", size, drop, k, n)
			}
			k++
		}
		if k != len(got) {
			t.Fatalf("%d rows, want %d", len(got), k)
		}
	}
}

func openLibrary(t *testing.T, file []byte) *parquet.File {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
