package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/points/table"
)

// withoutIndexes returns file without page indexes. Older writers wrote no page indexes.
func withoutIndexes(t *testing.T, file []byte) []byte {
	t.Helper()
	s := open(t, file, Options{})
	var groups [][]byte
	for _, g := range s.groups {
		group := mustReadStruct(g.raw)
		columns, err := readStructs(group, groupColumns)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range columns {
			columns[i] = encodeStruct(slices.DeleteFunc(mustReadStruct(c), func(f thriftField) bool { return f.id >= 4 && f.id <= 7 })...)
		}
		findField(group, groupColumns).value = encodeList(kindStruct, columns)
		groups = append(groups, encodeStruct(group...))
	}
	findField(s.metadata, fileRowGroups).value = encodeList(kindStruct, groups)
	footer := encodeStruct(s.metadata...)
	n := len(footer)
	out := append(slices.Clone(file[:s.footer]), footer...)
	return append(append(out, byte(n), byte(n>>8), byte(n>>16), byte(n>>24)), magic...)
}

func TestWithoutIndexes(t *testing.T) {
	rows := shapes(700, 11)
	for version := 1; version <= 2; version++ {
		file := withoutIndexes(t, fileOf(t, rows, parquet.DataPageVersion(version), parquet.PageBufferSize(1000), parquet.MaxRowsPerRowGroup(400), parquet.Compression(&parquet.Snappy)))
		out := passThrough(t, open(t, file, Options{}), fill)
		checkRows(t, out, file, all)
		if n := len(openLibrary(t, out).OffsetIndexes()); n != 0 {
			t.Errorf("%d offset indexes, though not all columns have one", n)
		}
		out = passThrough(t, open(t, file, Options{}), func(b *table.Block) {
			fill(b)
			for i := range b.EnableDrop() {
				b.Drop[i] = i%3 == 0
			}
		})
		checkRows(t, out, file, func(n int) bool { return n%400%3 != 0 })
	}
}

// TestShortColumn checks the error for a column whose size in the metadata is too small.
func TestShortColumn(t *testing.T) {
	file := withoutIndexes(t, fileOf(t, shapes(100, 14)))
	s := open(t, file, Options{})
	c, err := s.chunkMeta(s.groups[0], 5)
	if err != nil {
		t.Fatal(err)
	}
	old, short := i64Field(7, c.meta.TotalCompressedSize).value, i64Field(7, c.meta.TotalCompressedSize-1).value
	// 0x16 is the header of an i64 field whose ID is one higher than the ID of the previous field.
	bad := bytes.ReplaceAll(file, append([]byte{0x16}, old...), append([]byte{0x16}, short...))
	if bytes.Equal(bad, file) {
		t.Fatal("the size was not found")
	}
	if err := readAndCopy(bad); err == nil || !strings.Contains(err.Error(), `column "note"`) {
		t.Errorf("%v", err)
	}
}

// TestRowsAcrossPages reads pages of version 1 that end within a row. The five rows have the lists
// [0 1 2], [3], [], [4 5] and [6]. The entries of the four pages are 0 1, 2 3, null 4, and 5 6.
func TestRowsAcrossPages(t *testing.T) {
	var file bytes.Buffer
	var o fileWriter
	if err := o.write(&file, []byte(magic)); err != nil {
		t.Fatal(err)
	}
	const rows = 5
	w := new(pageWriter)
	cols := make([]columnWriter, 4)
	for i, name := range []string{"x", "y", "z"} {
		cols[i] = columnWriter{kind: format.Double, path: []string{name}}
		w.start()
		w.body, w.entries = append(w.body, make([]byte, 8*rows)...), rows
		if err := w.finish(format.Uncompressed, format.Plain); err != nil {
			t.Fatal(err)
		}
		cols[i].add(w, 0)
	}
	cols[3] = columnWriter{kind: format.Int32, path: []string{"v"}}
	next := byte(0)
	for _, p := range []struct{ reps, defs []byte }{{[]byte{0, 1}, []byte{1, 1}}, {[]byte{1, 0}, []byte{1, 1}}, {[]byte{0, 0}, []byte{0, 1}}, {[]byte{1, 0}, []byte{1, 1}}} {
		w.start()
		w.appendLevels(p.reps, 1)
		w.appendLevels(p.defs, 1)
		w.entries = 2
		for _, d := range p.defs {
			if d == 1 {
				w.body = append(w.body, next, 0, 0, 0)
				next++
			}
		}
		if err := w.finish(format.Uncompressed, format.Plain); err != nil {
			t.Fatal(err)
		}
		cols[3].add(w, 0)
	}
	o.rows = rows
	if err := o.writeColumns(&file, writtenGroup{offset: o.offset, rows: rows}, cols); err != nil {
		t.Fatal(err)
	}
	for i := range o.groups[0].columns {
		o.groups[0].columns[i].indexes = [2][]byte{}
	}
	m := format.FileMetaData{Version: 1, Schema: []format.SchemaElement{{Name: "root", NumChildren: thrift.New[int32](4)}}}
	for _, name := range []string{"x", "y", "z"} {
		m.Schema = append(m.Schema, schemaElement(name, format.Double, false))
	}
	v := schemaElement("v", format.Int32, false)
	v.RepetitionType = thrift.New(format.Repeated)
	m.Schema = append(m.Schema, v)
	if err := o.writeFooter(&file, mustReadStruct(marshal(&m)), 0); err != nil {
		t.Fatal(err)
	}
	lists := []string{"[0 1 2]", "[3]", "[]", "[4 5]", "[6]"}
	for drop := range 1 << rows {
		out := passThrough(t, open(t, file.Bytes(), Options{}), func(b *table.Block) {
			fill(b)
			for i := range b.EnableDrop() {
				b.Drop[i] = drop>>i&1 == 1
			}
		})
		var want, got []string
		for i, l := range lists {
			if drop>>i&1 == 0 {
				want = append(want, l)
			}
		}
		rows, err := parquet.Read[struct {
			V []int32 `parquet:"v"`
		}](bytes.NewReader(out), int64(len(out)))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			got = append(got, fmt.Sprint(r.V))
		}
		if !slices.Equal(got, want) {
			t.Errorf("dropped %05b: %v, want %v", drop, got, want)
		}
	}
	for shard := 1; shard <= rows; shard++ {
		out := passThrough(t, open(t, file.Bytes(), Options{Shard: shard, Shards: rows}), fill)
		rows, err := parquet.Read[struct {
			V []int32 `parquet:"v"`
		}](bytes.NewReader(out), int64(len(out)))
		if err != nil || len(rows) != 1 || fmt.Sprint(rows[0].V) != lists[shard-1] {
			t.Errorf("shard %d: %v %v, want %s", shard, err, rows, lists[shard-1])
		}
	}
}

// TestGroupsOut checks the sizes of row groups whose pages the sink encodes again. The sink does
// so if rows are dropped, or if the answers of a row group do not fit in memory.
func TestGroupsOut(t *testing.T) {
	rows := make([]point, groupRows+2*blockRows)
	for i := range rows {
		rows[i].X = float64(i)
	}
	file := fileOf(t, rows, parquet.Compression(&parquet.Snappy))
	var many []table.Column
	for i := range 60 {
		many = append(many, table.Column{Name: fmt.Sprint("n", i), Kind: table.Number})
	}
	for _, c := range []struct {
		cols   []table.Column
		drop   bool
		shards int
		want   []int64
	}{
		{nil, false, 0, []int64{groupRows + 2*blockRows}},
		{nil, true, 0, []int64{groupRows, 2 * blockRows}},
		{many, false, 8, nil},
	} {
		src := open(t, file, Options{Shards: c.shards, Shard: min(c.shards, 1)})
		sink, err := src.Passthrough(c.cols)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err = pass(src, sink, &out, func(b *table.Block) {
			b.Resize(c.cols)
			if c.drop {
				b.EnableDrop()
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		lib := openLibrary(t, out.Bytes())
		var got []int64
		for _, g := range lib.Metadata().RowGroups {
			got = append(got, g.NumRows)
			if g.NumRows > groupRows && c.drop {
				t.Errorf("a row group of %d rows", g.NumRows)
			}
		}
		if c.want != nil && !slices.Equal(got, c.want) {
			t.Errorf("row groups of %d, want %d", got, c.want)
		}
		if lib.NumRows() != src.Rows() {
			t.Errorf("%d rows, want %d", lib.NumRows(), src.Rows())
		}
		x := readPoints(t, open(t, out.Bytes(), Options{}))
		for i := range x {
			if x[i][0] != float64(i) {
				t.Fatalf("row %d has x = %g", i, x[i][0])
			}
		}
	}
}

// TestWorkers checks that the output does not depend on the number of workers.
func TestWorkers(t *testing.T) {
	rows := make([]small, 3*blockRows+77)
	for i := range rows {
		rows[i] = small{point: point{float64(i), 1, 2}, Name: fmt.Sprint(i % 7)}
		if i%100 == 0 {
			rows[i].Tags = []string{"a", "b"}
		}
	}
	file := fileOf(t, rows, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(blockRows+blockRows/2))
	for _, drop := range []bool{false, true} {
		each := func(b *table.Block) {
			fill(b)
			if drop {
				for i := range b.EnableDrop() {
					b.Drop[i] = i%5 == 0
				}
			}
		}
		want := passThrough(t, open(t, file, Options{}), each)
		for workers := 1; workers <= 4; workers++ {
			if workers != 3 && testing.Short() {
				continue
			}
			src := open(t, file, Options{})
			sink, err := src.Passthrough(answerColumns)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := parallel(src, sink, &out, workers, each); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Bytes(), want) {
				t.Fatalf("%d workers: other bytes", workers)
			}
		}
	}
}

// TestWriteErrors checks the error if the writer of the output fails.
func TestWriteErrors(t *testing.T) {
	file := fileOf(t, shapes(50, 12), parquet.MaxRowsPerRowGroup(30))
	whole := len(passThrough(t, open(t, file, Options{}), fill))
	for room := 0; room < whole; room += 997 {
		src := open(t, file, Options{})
		sink, err := src.Passthrough(answerColumns)
		if err != nil {
			t.Fatal(err)
		}
		if err := pass(src, sink, &full{room}, fill); err == nil || !errors.Is(err, os.ErrClosed) {
			t.Fatalf("room for %d bytes of %d: %v", room, whole, err)
		}
	}
}

// full is a writer that fails after a number of bytes.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.room {
		return f.room, os.ErrClosed
	}
	f.room -= len(p)
	return len(p), nil
}

// TestWKB reads the usual form of GeoParquet, which has no columns of coordinates.
func TestWKB(t *testing.T) {
	type row struct {
		ID       int64  `parquet:"id"`
		Geometry []byte `parquet:"geometry"`
	}
	file := fileOf(t, []row{{1, []byte("\x01\x01\x00\x00\x00")}})
	_, err := New("a.parquet", bytes.NewReader(file), bytes.NewReader(file), int64(len(file)), Options{})
	var e *table.FormatError
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "GeoParquet with points as WKB in the column \"geometry\"") || !strings.Contains(e.Hint, "ogr2ogr") {
		t.Errorf("error %v", err)
	}
	type full struct {
		row
		X, Y, Z float64
	}
	file = fileOf(t, []full{{row{1, []byte("a")}, 1, 2, 3}})
	if _, err := New("a.parquet", bytes.NewReader(file), bytes.NewReader(file), int64(len(file)), Options{}); err != nil {
		t.Errorf("a file with coordinates: error %v", err)
	}
}
