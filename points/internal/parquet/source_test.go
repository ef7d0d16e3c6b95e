package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/inpoly/inpoly/points/table"
)

// readPoints reads all points of a source, and checks the rows of its blocks.
func readPoints(t *testing.T, s *Source) (got [][3]float64) {
	t.Helper()
	var b table.Block
	next := int64(-1)
	for {
		err := s.Fill(&b)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = s.Parse(&b)
		}
		if err != nil {
			t.Fatal(err)
		}
		if next >= 0 && b.First != next {
			t.Fatalf("block at row %d, want %d", b.First, next)
		}
		next = b.First + int64(len(b.Points))
		if b.Next.Row != next {
			t.Fatalf("next row %d, want %d", b.Next.Row, next)
		}
		for _, p := range b.Points {
			got = append(got, [3]float64{p.X, p.Y, p.Z})
		}
	}
	if int64(len(got)) != s.Rows() {
		t.Fatalf("%d rows, Rows says %d", len(got), s.Rows())
	}
	return got
}

func TestPoints(t *testing.T) {
	rows := shapes(2500, 5)
	want := make([][3]float64, len(rows))
	nulls := int64(0)
	for i, r := range rows {
		want[i] = [3]float64{r.X, math.NaN(), float64(r.Z)}
		if r.Y != nil {
			want[i][1] = *r.Y
		} else {
			nulls++
		}
	}
	same := func(a, b [3]float64) bool { return fmt.Sprint(a) == fmt.Sprint(b) }
	for _, size := range []int{100, 3000, 1 << 20} {
		file := fileOf(t, rows, parquet.PageBufferSize(size), parquet.MaxRowsPerRowGroup(900))
		if got := readPoints(t, open(t, file, Options{})); !slices.EqualFunc(got, want, same) {
			t.Fatalf("pages of %d: other points", size)
		}
		for shards := 1; shards <= 7; shards++ {
			var got [][3]float64
			for k := 1; k <= shards; k++ {
				got = append(got, readPoints(t, open(t, file, Options{Shard: k, Shards: shards}))...)
			}
			if !slices.EqualFunc(got, want, same) {
				t.Fatalf("pages of %d, %d shards: other points", size, shards)
			}
		}
		for _, row := range []int64{0, 1, 899, 900, 901, 2499, 2500} {
			s := open(t, file, Options{})
			if err := s.SeekTo(table.Position{Row: row}); err != nil {
				t.Fatal(err)
			}
			if got := readPoints(t, s); !slices.EqualFunc(got, want[row:], same) {
				t.Fatalf("pages of %d, from row %d: other points", size, row)
			}
		}
	}
	s := open(t, fileOf(t, rows), Options{})
	for _, row := range []int64{-1, 2501} {
		if err := s.SeekTo(table.Position{Row: row}); err == nil {
			t.Errorf("SeekTo(%d) did not fail", row)
		}
	}
	var b table.Block
	if err := errors.Join(s.Fill(&b), s.Parse(&b)); err != nil {
		t.Fatal(err)
	}
	if b.NonFinite.Count != nulls || b.Read != s.size {
		t.Errorf("%d rows not finite, want %d; read %d of %d", b.NonFinite.Count, nulls, b.Read, s.size)
	}
}

// TestDictionaryNulls reads a coordinate column that has a dictionary and nulls.
func TestDictionaryNulls(t *testing.T) {
	rows := shapes(500, 13)
	file := fileOf(t, rows, parquet.PageBufferSize(200))
	for i, p := range readPoints(t, open(t, file, Options{Columns: [3]string{"class", "x", "y"}})) {
		want := math.NaN()
		if c := rows[i].Class; c != nil {
			want = float64(*c)
		}
		if math.Float64bits(p[0]) != math.Float64bits(want) || p[1] != rows[i].X {
			t.Fatalf("row %d: %v, want class %v", i, p, want)
		}
	}
}

// TestShardsOut copies shards that begin and end within row groups.
func TestShardsOut(t *testing.T) {
	rows := shapes(1000, 6)
	file := fileOf(t, rows, parquet.MaxRowsPerRowGroup(300), parquet.Compression(&parquet.Snappy))
	for shards := 1; shards <= 5; shards += 2 {
		for k := 1; k <= shards; k++ {
			s := open(t, file, Options{Shard: k, Shards: shards})
			lo, hi := s.firstRow, s.endRow
			out := passThrough(t, s, fill)
			checkRows(t, out, file, func(n int) bool { return lo <= int64(n) && int64(n) < hi })
		}
	}
}

// numbers is a row with a field of each type that a coordinate can have, and other fields.
type numbers struct {
	F32  float32  `parquet:"f32"`
	F64  float64  `parquet:"f64"`
	I32  int32    `parquet:"i32"`
	I64  int64    `parquet:"i64"`
	U8   uint8    `parquet:"u8"`
	U32  uint32   `parquet:"u32,dict"`
	U64  uint64   `parquet:"u64"`
	I16  *int16   `parquet:"i16,optional"`
	D32  int32    `parquet:"d32,decimal(4:9)"`
	D64  int64    `parquet:"d64,decimal(3:18)"`
	Bool *bool    `parquet:"bool,optional"`
	Text *string  `parquet:"text,optional"`
	List []string `parquet:"list,list"`
	In   inner    `parquet:"in"`
	At   int64    `parquet:"at,timestamp"`
	UUID [16]byte `parquet:"uuid,uuid"`
}

type inner struct {
	X float64 `parquet:"x"`
	Y float64 `parquet:"y"`
	Z float64 `parquet:"z"`
}

func numbersFile(t testing.TB) ([]byte, []numbers) {
	i16, yes, text := int16(-7), true, "héllo"
	rows := []numbers{
		{F32: 0.1, F64: 0.1, I32: -5, I64: 1<<62 + 1, U8: 255, U32: math.MaxUint32, U64: math.MaxUint64, I16: &i16, D32: -12345, D64: 123456789012345678,
			Bool: &yes, Text: &text, List: []string{"a", "b"}, In: inner{1, 2, 3}, At: 99},
		{F64: math.NaN(), D32: 5, D64: -5, In: inner{4, 5, 6}},
		{F64: math.Inf(-1), D64: 1000},
	}
	return fileOf(t, rows), rows
}

func TestCoordinateTypes(t *testing.T) {
	file, _ := numbersFile(t)
	for _, c := range []struct {
		columns string
		want    [3]float64
	}{
		{"f32,f64,i32", [3]float64{float64(float32(0.1)), 0.1, -5}},
		{"i64,u8,u32", [3]float64{1 << 62, 255, math.MaxUint32}},
		{"u64,i16,d32", [3]float64{1 << 64, -7, -1.2345}},
		{"d64,in.x,in.z", [3]float64{123456789012345.678, 1, 3}},
		{"at,2,1", [3]float64{99, 0.1, float64(float32(0.1))}},
	} {
		got := readPoints(t, open(t, file, Options{Columns: [3]string(strings.Split(c.columns, ","))}))
		if got[0] != c.want {
			t.Errorf("%s: %v, want %v", c.columns, got[0], c.want)
		}
	}
	for columns, want := range map[string]string{
		"bool,f64,i32": "of the type bool",
		"text,f64,i32": "of the type text",
		"uuid,f64,i32": "FIXED_LEN_BYTE_ARRAY",
		"f64,f64,i32":  "three different columns",
		"f64,q,i32":    `no column "q"`,
		"f64,0,i32":    `no column "0"`,
		"f64,99,i32":   "no column 99",
		",f64,i32":     "no column",
		"list,f64,i32": "a list",
	} {
		_, err := New("a.parquet", nil, bytes.NewReader(file), int64(len(file)), Options{Columns: [3]string(strings.Split(columns, ","))})
		if !errors.Is(err, table.ErrColumns) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v, want %q", columns, err, want)
		}
	}
	if s, err := New("a.parquet", nil, bytes.NewReader(file), int64(len(file)), Options{}); err != nil || s.Fields()[s.Axes()[1]].Name != "in.y" {
		t.Errorf("nested names: %v", err)
	}
}

func TestValues(t *testing.T) {
	file, rows := numbersFile(t)
	s := open(t, file, Options{Columns: [3]string{"f32", "f64", "i32"}})
	want := map[string]string{ // type, floats, integers, texts and missing flags of each field
		"f32":  fmt.Sprintln("float32", []float64{float64(float32(0.1)), 0, 0}, []int64{}, []string{}, []bool{}),
		"f64":  fmt.Sprintln("float64", []float64{0.1, math.NaN(), math.Inf(-1)}, []int64{}, []string{}, []bool{}),
		"i32":  fmt.Sprintln("int32", []float64{}, []int64{-5, 0, 0}, []string{}, []bool{}),
		"i64":  fmt.Sprintln("int64", []float64{}, []int64{1<<62 + 1, 0, 0}, []string{}, []bool{}),
		"u8":   fmt.Sprintln("uint8", []float64{}, []int64{255, 0, 0}, []string{}, []bool{}),
		"u32":  fmt.Sprintln("uint32", []float64{}, []int64{math.MaxUint32, 0, 0}, []string{}, []bool{}),
		"u64":  fmt.Sprintln("uint64", []float64{}, []int64{-1, 0, 0}, []string{}, []bool{}),
		"i16":  fmt.Sprintln("int16", []float64{}, []int64{-7, 0, 0}, []string{}, []bool{false, true, true}),
		"d32":  fmt.Sprintln("text", []float64{}, []int64{}, []string{"-1.2345", "0.0005", "0.0000"}, []bool{}),
		"d64":  fmt.Sprintln("text", []float64{}, []int64{}, []string{"123456789012345.678", "-0.005", "1.000"}, []bool{}),
		"bool": fmt.Sprintln("bool", []float64{}, []int64{1, 0, 0}, []string{}, []bool{false, true, true}),
		"text": fmt.Sprintln("text", []float64{}, []int64{}, []string{"héllo", "", ""}, []bool{false, true, true}),
		"in.x": fmt.Sprintln("float64", []float64{1, 4, 0}, []int64{}, []string{}, []bool{}),
		"in.y": fmt.Sprintln("float64", []float64{2, 5, 0}, []int64{}, []string{}, []bool{}),
		"in.z": fmt.Sprintln("float64", []float64{3, 6, 0}, []int64{}, []string{}, []bool{}),
		"at":   fmt.Sprintln("int64", []float64{}, []int64{99, 0, 0}, []string{}, []bool{}),
	}
	var b table.Block
	if err := errors.Join(s.Fill(&b), s.Parse(&b)); err != nil {
		t.Fatal(err)
	}
	if len(b.Points) != len(rows) {
		t.Fatalf("%d rows", len(b.Points))
	}
	var v table.Values
	for i, f := range s.Fields() {
		err := s.Values(&b, i, &v)
		texts := make([]string, len(v.Texts))
		for k, c := range v.Texts {
			texts[k] = string(c)
		}
		got := fmt.Sprintln(f.Type, v.Floats, v.Ints, texts, v.Missing)
		switch {
		case want[f.Name] == "":
			if !errors.Is(err, table.ErrCannotHold) || f.Type != table.Text || f.Opaque == "" {
				t.Errorf("%s, %v, %q: %v", f.Name, f.Type, f.Opaque, err)
			}
		case f.Opaque != "":
			t.Errorf("%s is %s", f.Name, f.Opaque)
		case err != nil:
			t.Errorf("%s: %v", f.Name, err)
		case got != want[f.Name]:
			t.Errorf("%s: %s, want %s", f.Name, got, want[f.Name])
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("no fields %v", want)
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"x,y,z", "[0 1 2]"},
		{"id,Z,Y,X", "[3 2 1]"},
		{"lat,lon,alt", "[1 0 2]"},
		{"z,Longitude,Latitude", "[1 2 0]"},
		{"Easting,Northing,Height", "[0 1 2]"},
		{"X,x,y,z", "[1 2 3]"},
		{"pos_x,pos_y,pos_z,x", "[0 1 2]"},
		{"x,y", "there is x and y but no column for z: the columns are x, y"},
		{"a,b,c", "[0 1 2]"},
		{"a,b,c,d", "4 columns of numbers, but their names do not say"},
		{"XC,YC,ZC", "[0 1 2]"},
		{"X [mm],Y [mm],Z [mm],w", "[0 1 2]"},
		{"Points:2,Points:1,Points:0", "[2 1 0]"},
		{"hit.normal.x,hit.normal.y,hit.normal.z,hit.at.x,hit.at.y,hit.at.z", "[3 4 5]"},
		{"x,y,z,X,Y,Z", "more than once"},
		{"x,X,Y,y,Z", "more than once"},
	} {
		var leaves []leaf
		for _, n := range strings.Split(c.names, ",") {
			leaves = append(leaves, leaf{name: n, typ: table.Float64})
		}
		if c.names == "x,X,Y,y,Z" {
			leaves = append(leaves, leaf{name: "Z", typ: table.Float64})
		}
		axes, err := findAxes(leaves, [3]string{}, nil)
		got := fmt.Sprint(axes)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.names, got, c.want)
		}
	}
}

func TestEmpty(t *testing.T) {
	file := fileOf(t, []Shape{})
	s := open(t, file, Options{})
	if got := readPoints(t, s); len(got) != 0 {
		t.Fatalf("%d rows", len(got))
	}
	out := passThrough(t, open(t, file, Options{}), fill)
	if f := openLibrary(t, out); f.NumRows() != 0 || len(f.Schema().Columns()) != len(s.leaves)+len(answerColumns) {
		t.Fatalf("%d rows, columns %v", f.NumRows(), f.Schema().Columns())
	}
}

// TestNoAnswers copies a file without answers. The output must have the same rows and metadata.
func TestNoAnswers(t *testing.T) {
	file := fileOf(t, shapes(100, 7), parquet.KeyValueMetadata("ARROW:schema", "kept"))
	s := open(t, file, Options{})
	sink, err := s.Passthrough(nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := pass(s, sink, &out, func(b *table.Block) { b.Resize(nil) }); err != nil {
		t.Fatal(err)
	}
	if a, b := rowsOf(t, out.Bytes()), rowsOf(t, file); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("other rows")
	}
	f := openLibrary(t, out.Bytes())
	if v, _ := f.Lookup("ARROW:schema"); v != "kept" {
		t.Errorf("ARROW:schema = %q", v)
	}
	if a, b := fmt.Sprint(f.Schema()), fmt.Sprint(openLibrary(t, file).Schema()); a != b {
		t.Errorf("schema\n%s\nwant\n%s", a, b)
	}
}

func TestNotParquet(t *testing.T) {
	good := fileOf(t, shapes(10, 8))
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":    {nil, "not a Parquet file"},
		"text":     {[]byte("x,y,z\n1,2,3\n4,5,6\n"), "not a Parquet file"},
		"cut":      {good[:len(good)-1], "the end of the Parquet file is missing"},
		"half":     {good[:len(good)/2], "the end of the Parquet file is missing"},
		"footer":   {append(append([]byte(nil), good[:len(good)-8]...), 255, 255, 255, 127, 'P', 'A', 'R', '1'), "the footer has"},
		"crypt":    {append(append([]byte(nil), good[:len(good)-4]...), "PARE"...), "encrypted"},
		"no lists": {[]byte("PAR1\x00\x01\x00\x00\x00PAR1"), "is missing: expected a list"},
	} {
		_, err := New("a.parquet", nil, bytes.NewReader(c.file), int64(len(c.file)), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "a.parquet: ") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for _, err := range []error{
		second(New("-", strings.NewReader("PAR1"), nil, 10, Options{})),
		second(New("-", nil, bytes.NewReader(good), -1, Options{})),
	} {
		if !errors.Is(err, table.ErrFormat) || !strings.Contains(err.Error(), "must be a plain file") {
			t.Errorf("stream: %v", err)
		}
	}
	if _, err := New("a", nil, bytes.NewReader(good), int64(len(good)), Options{Shard: 3, Shards: 2}); err == nil {
		t.Error("shard 3/2 did not fail")
	}
}

func second(_ *Source, err error) error { return err }

// TestDamaged reads files with one changed byte, and truncated files. A changed byte can cause
// wrong values or an error that names the file, but no panic. A truncated file must cause an error.
// If INPOLY_FULL is set, the test tries every byte instead of a random sample.
func TestDamaged(t *testing.T) {
	good := fileOf(t, shapes(30, 9), parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(20))
	if err := readAndCopy(good); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewSource(10))
	every := 128
	if os.Getenv("INPOLY_FULL") != "" {
		every = 1
	}
	for at := range good {
		if rng.Intn(every) > 0 {
			continue
		}
		bad := slices.Clone(good)
		bad[at] ^= byte(1 + rng.Intn(255))
		if err := readAndCopy(bad); err != nil && !strings.HasPrefix(err.Error(), "a.parquet: ") {
			t.Fatalf("byte %d: %v", at, err)
		}
		if err := readAndCopy(good[:at]); err == nil {
			t.Fatalf("cut at byte %d: no error", at)
		}
	}
}

// TestDamagedPage checks that the error for a damaged page names the row group and the column.
func TestDamagedPage(t *testing.T) {
	good := fileOf(t, []point{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, parquet.MaxRowsPerRowGroup(2))
	bad := slices.Clone(good)
	c := openLibrary(t, good).Metadata().RowGroups[1].Columns[2]
	bad[c.MetaData.DataPageOffset+c.MetaData.TotalCompressedSize-1] ^= 1
	err := readAndCopy(bad)
	if want := `a.parquet: row group 1: column "z": the file is damaged: checksum`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// readAndCopy reads all fields of a file. It then copies the file, with and without dropped rows.
func readAndCopy(file []byte) error {
	for _, dropping := range []bool{false, true} {
		s, err := New("a.parquet", nil, bytes.NewReader(file), int64(len(file)), Options{})
		if err != nil {
			return err
		}
		sink, err := s.Passthrough(answerColumns)
		if err != nil {
			return err
		}
		var v table.Values
		var failed error
		err = pass(s, sink, io.Discard, func(b *table.Block) {
			fill(b)
			if dropping {
				for i := range b.EnableDrop() {
					b.Drop[i] = i%2 == 0
				}
			}
			for i := range s.Fields() {
				if err := s.Values(b, i, &v); err != nil && !errors.Is(err, table.ErrCannotHold) {
					failed = err
				}
			}
		})
		if err != nil {
			return err
		}
		if failed != nil {
			return failed
		}
	}
	return nil
}

func FuzzParquet(f *testing.F) {
	f.Add(fileOf(f, shapes(20, 1), parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(15)))
	f.Add(fileOf(f, shapes(20, 2), parquet.DataPageVersion(1), parquet.PageBufferSize(100)))
	f.Add(fileOf(f, []point{{1, 2, 3}, {4, 5, 6}}))
	f.Add(fileOf(f, []point{{1, 2, 3}, {4, 5, 6}}, parquet.Compression(&parquet.Zstd)))
	f.Add(fileOf(f, []point{{1, 2, 3}, {4, 5, 6}}, parquet.Compression(&parquet.Lz4Raw)))
	f.Add(fileOf(f, []point{{1, 2, 3}, {4, 5, 6}}, parquet.Compression(&parquet.Gzip)))
	f.Add(fileOf(f, []point{{1, 2, 3}, {4, 5, 6}}, parquet.Compression(&parquet.Brotli)))
	f.Add([]byte("PAR1"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if err := readAndCopy(file); err != nil && !strings.HasPrefix(err.Error(), "a.parquet: ") {
			t.Fatal(err)
		}
	})
}
