package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// Shape is a row with every kind of column that the library writes.
type Shape struct {
	ID     int64            `parquet:"id,delta"`
	X      float64          `parquet:"x"`
	Y      *float64         `parquet:"y,optional"`
	Z      float32          `parquet:"z,split"`
	Name   string           `parquet:"name,dict"`
	Note   *string          `parquet:"note,optional"`
	Long   string           `parquet:"long,delta"`
	Flag   bool             `parquet:"flag"`
	Maybe  *bool            `parquet:"maybe,optional"`
	Small  uint8            `parquet:"small"`
	Code   [5]byte          `parquet:"code"`
	UUID   [16]byte         `parquet:"uuid,uuid"`
	When   int64            `parquet:"when,timestamp(microsecond)"`
	Price  int64            `parquet:"price,decimal(3:12)"`
	Class  *int32           `parquet:"class,optional,dict"`
	Tags   []string         `parquet:"tags,list"`
	Plain  []int32          `parquet:"plain"`
	Map    map[string]int32 `parquet:"map"`
	Nested *nested          `parquet:"nested,optional"`
	Deep   []nested         `parquet:"deep"`
}

type nested struct {
	A *float64 `parquet:"a,optional"`
	B []int64  `parquet:"b"`
}

var answerColumns = []table.Column{
	{Name: "inside", Kind: table.Inside}, {Name: "state", Kind: table.State},
	{Name: "distance", Kind: table.Number}, {Name: "bound", Kind: table.Bound},
	{Name: "face", Kind: table.Integer}, {Name: "body", Kind: table.Label, Labels: []string{"hull", "keel", ""}},
	{Name: "word", Kind: table.Words},
}

// fill sets answers that depend only on the row number.
func fill(b *table.Block) {
	b.Resize(answerColumns)
	for i := range b.Points {
		n := b.First + int64(i)
		b.Sides[i] = side.Side(n % 4)
		b.Numbers[0][i], b.Numbers[1][i] = float64(n)/3, float64(n)/7
		if n%11 == 0 {
			b.Numbers[0][i] = math.NaN()
		}
		b.Integers[0][i], b.Integers[1][i] = -n, n%4-1
		b.Words[0][i] = fmt.Sprint("w", n)
	}
}

// shapes returns n random rows.
func shapes(n int, seed int64) []Shape {
	rng := rand.New(rand.NewSource(seed))
	maybe := func() bool { return rng.Intn(3) > 0 }
	one := func() nested {
		var v nested
		if maybe() {
			a := rng.NormFloat64()
			v.A = &a
		}
		for range rng.Intn(3) {
			v.B = append(v.B, rng.Int63())
		}
		return v
	}
	rows := make([]Shape, n)
	for i := range rows {
		r := &rows[i]
		*r = Shape{ID: int64(i), X: rng.NormFloat64(), Z: rng.Float32(), Name: fmt.Sprint("name", rng.Intn(20)),
			Long: fmt.Sprintf("prefix of %d", i/3), Flag: maybe(), Small: uint8(rng.Intn(256)), When: rng.Int63n(1 << 50), Price: rng.Int63n(2e9) - 1e9}
		rng.Read(r.Code[:])
		rng.Read(r.UUID[:])
		if maybe() {
			y := rng.NormFloat64()
			r.Y = &y
		}
		if maybe() {
			s := fmt.Sprint(rng.Int63())
			r.Note = &s
		}
		if maybe() {
			b := maybe()
			r.Maybe = &b
		}
		if maybe() {
			c := int32(rng.Intn(5))
			r.Class = &c
		}
		for range rng.Intn(4) {
			r.Tags = append(r.Tags, fmt.Sprint("t", rng.Intn(9)))
		}
		for range rng.Intn(3) * rng.Intn(3) {
			r.Plain = append(r.Plain, rng.Int31())
		}
		r.Map = map[string]int32{}
		for range rng.Intn(3) {
			r.Map[fmt.Sprint("k", rng.Intn(9))] = rng.Int31()
		}
		if maybe() {
			v := one()
			r.Nested = &v
		}
		for range rng.Intn(3) {
			r.Deep = append(r.Deep, one())
		}
	}
	return rows
}

// fileOf returns the file that the library writes from rows.
func fileOf[T any](t testing.TB, rows []T, opts ...parquet.WriterOption) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := parquet.NewGenericWriter[T](&buf, opts...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// open calls New for a file in memory.
func open(t testing.TB, file []byte, opt Options) *Source {
	t.Helper()
	s, err := New("cloud.parquet", nil, bytes.NewReader(file), int64(len(file)), opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pass sends all blocks of src to sink. The callback gets every parsed block.
func pass(src table.Source, sink table.Sink, w io.Writer, each func(b *table.Block)) error {
	if err := sink.Begin(w, src.Rows()); err != nil {
		return err
	}
	blocks := make([]table.Block, 3)
	for n := 0; ; n++ {
		b := &blocks[n%len(blocks)]
		err := src.Fill(b)
		if errors.Is(err, io.EOF) {
			return sink.End(w)
		}
		if err == nil {
			err = src.Parse(b)
		}
		if err != nil {
			return err
		}
		each(b)
		if err := sink.Format(b); err != nil {
			return err
		}
		if err := sink.Write(w, b); err != nil {
			return err
		}
	}
}

// passThrough passes src through and returns the output. The callback sets the answers.
func passThrough(t testing.TB, src *Source, each func(b *table.Block)) []byte {
	t.Helper()
	sink, err := src.Passthrough(answerColumns)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := pass(src, sink, &out, each); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// chunkBytes returns the bytes of a column chunk.
func chunkBytes(file []byte, c *format.ColumnChunk) []byte {
	at := c.MetaData.DataPageOffset
	if d := c.MetaData.DictionaryPageOffset; d > 0 {
		at = min(at, d)
	}
	return file[at : at+c.MetaData.TotalCompressedSize]
}
