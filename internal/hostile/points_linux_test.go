package hostile

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// answer is a stand-in for a mesh: it calls each point inside.
func answer(_ context.Context, b *table.Block) error {
	for i := range b.Points {
		b.Sides[i] = side.Inside
	}
	return nil
}

var answerColumns = []table.Column{{Name: "inside", Kind: table.Inside}}

// formatOf returns the format of a kind of files, or of a label, which begins with the kind.
func formatOf(kind string) formats.Format {
	name, _, _ := strings.Cut(kind, " ")
	return formats.Named(strings.TrimSuffix(name, ","))
}

// readPoints copies the point file at path, with an answer in each row, in an output format that
// depends on the label. It reads some files as streams.
func readPoints(path string, c *hostileCase) (err error) {
	var r *points.Reader
	if !formatOf(c.label).Footer && len(c.label)%4 == 0 {
		f, err := os.Open(path)
		if err != nil {
			panic(err)
		}
		defer f.Close()
		r, err = points.NewReader(path, struct{ io.Reader }{f}, points.Options{})
		if err != nil {
			return err
		}
	} else if r, err = points.Open(path, points.Options{}); err != nil {
		return err
	}
	defer r.Close()
	outputs := append(points.OutputFormats(), "")
	job := points.Job{Columns: answerColumns, Answer: answer, Format: outputs[len(c.label)%len(outputs)]}
	_, err = job.Run(context.Background(), r, io.Discard)
	return err
}

// csv returns a text of points.
func (g *generator) csv() []byte {
	var b bytes.Buffer
	comma := pick(g, ",", ";", "\t", " ", "  ", "|")
	end := pick(g, "\n", "\n", "\r\n", "\r")
	columns := pick(g, 0, 0, 1, 5, g.size(g.most/64))
	if g.chance(2) {
		b.WriteString("x" + comma + "y" + comma + "z")
		for i := range columns {
			b.WriteString(comma + pick(g, fmt.Sprint("c", i), fmt.Sprint("c", i), g.name()))
		}
		b.WriteString(end)
	}
	cell := func() string {
		if !g.strange() {
			return "7"
		}
		return pick(g, `"a"`, `"`, `""""`, `"a`+comma+`b"`, `"a`+end+`b"`, "", "\x00", "é", "#", g.name(), strings.Repeat(pick(g, `"`, " ", "x", "9", "-", comma), g.size(g.most)))
	}
	for n := 1 + g.size(g.most/40); n > 0 && b.Len() < 2*g.most; n-- {
		if g.strange() {
			b.WriteString(pick(g, "# c"+end, end, strings.Repeat(end, g.size(1000)), "a"+end, strings.Repeat("# c"+end, g.size(g.most/8)), strings.Repeat("#", g.size(2*g.most))+end))
		}
		b.WriteString(g.number() + comma + g.number() + comma + g.number())
		for range columns {
			b.WriteString(comma + cell())
		}
		b.WriteString(end)
	}
	return b.Bytes()
}

// convert returns valid points in the given format.
func (g *generator) convert(to string) []byte {
	var b strings.Builder
	columns := pick(g, 0, 1, 3, g.size(50))
	b.WriteString("x,y,z")
	for i := range columns {
		fmt.Fprintf(&b, ",c%d", i)
	}
	kind := g.IntN(4)
	b.WriteString("\n")
	for range 1 + g.size(g.most/40/(1+columns)) {
		fmt.Fprintf(&b, "%d.5,%d,%d", g.IntN(100), g.IntN(100), g.IntN(2))
		for range columns {
			b.WriteString(pick(g, ",1", ",22", []string{",", ",a text", ",1e300", ",-1"}[kind]))
		}
		b.WriteString("\n")
	}
	r, err := points.NewReader("a.csv", strings.NewReader(b.String()), points.Options{})
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	job := points.Job{Columns: answerColumns, Answer: answer, Format: to}
	if _, err := job.Run(context.Background(), r, &out); err != nil {
		return []byte(b.String()) // the format cannot hold a value
	}
	return out.Bytes()
}

// overwrite changes numbers at the front of the file, where most formats have their header.
func (g *generator) overwrite(data []byte) []byte {
	little := binary.LittleEndian
	for range 1 + g.IntN(3) {
		front := min(len(data), pick(g, 16, 128, 400))
		if front < 8 {
			break
		}
		at := g.IntN(front - 7)
		switch g.IntN(4) {
		case 0:
			little.PutUint32(data[at:], pick(g, 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, g.Uint32()))
		case 1:
			little.PutUint64(data[at:], pick(g, 0, 1<<40, 1<<62, 1<<63, 1<<64-1, g.Uint64()))
		case 2:
			little.PutUint16(data[at:], pick(g, 0, 1, 0xffff, uint16(g.Uint32())))
		case 3:
			data[at] = pick(g, 0, '9', 0xff, byte(g.Uint32()))
		}
	}
	return data
}

// npy returns an array with a header that is often wrong.
func (g *generator) npy() []byte {
	n := g.size(g.most / 24)
	kind := pick(g, "'<f8'", "'<f8'", "'<f4'", "'>f8'", "'<i8'", "'|S"+g.count(1000)+"'", "[('x','<f8'),('y','<f8'),('z','<f8'),('t','|S"+g.count(1000)+"')]")
	return g.array(kind, "("+g.count(n)+", "+pick(g, "3", "3", g.count(5))+")", n*24)
}

// array returns an array of zeros. Its header has the given type and shape.
func (g *generator) array(kind, shape string, size int) []byte {
	head := fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': %s, }", kind, pick(g, "False", "False", "True"), shape)
	if g.strange() {
		head += strings.Repeat(pick(g, " ", "(", "[", "'"), g.size(g.most))
	}
	out := append([]byte("\x93NUMPY\x02\x00"), binary.LittleEndian.AppendUint32(nil, uint32(len(head)))...)
	return append(append(out, head...), make([]byte, size)...)
}

// npz returns an archive of arrays with headers that are often wrong.
func (g *generator) npz() []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	names := []string{"x", "y", "z"}
	for range pick(g, 0, 0, 1, g.size(g.most/256)) {
		names = append(names, g.name())
	}
	n := g.size(g.most / 64)
	for _, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: pick(g, zip.Store, zip.Deflate)})
		if err != nil {
			break // the name is too long
		}
		data := g.array(pick(g, "'<f8'", "'<f4'", "'<i8'"), "("+g.count(n)+",)", n*8)
		if g.strange() {
			data = g.npy()
		}
		w.Write(data)
	}
	z.Close()
	return b.Bytes()
}

// pcd returns a cloud with a header that is often wrong.
func (g *generator) pcd() []byte {
	var b bytes.Buffer
	n, extra := g.size(g.most/40), pick(g, 0, 0, 1, g.size(g.most/64))
	line := func(key, first string, more func() string) {
		b.WriteString(key + first)
		for range extra {
			b.WriteString(" " + more())
		}
		b.WriteString("\n")
	}
	b.WriteString("# .PCD v0.7\nVERSION " + pick(g, "0.7", ".7", ".5") + "\n")
	line("FIELDS", " x y z", func() string {
		return pick(g, "_", "_", fmt.Sprint("c", g.IntN(1e6)), "x", strings.Repeat("n", g.size(100)))
	})
	line("SIZE", " 4 4 4", func() string { return g.count(4) })
	line("TYPE", " F F F", func() string { return pick(g, "F", "F", "I", "U") })
	line("COUNT", " 1 1 1", func() string { return pick(g, g.count(1), "1", "3", g.count(g.most)) })
	data := pick(g, "ascii", "binary", "binary_compressed")
	fmt.Fprintf(&b, "WIDTH %s\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS %s\nDATA %s\n", g.count(n), g.count(n), data)
	switch data {
	case "ascii":
		for range n {
			b.WriteString(g.number() + " " + g.number() + " " + g.number())
			b.WriteString(strings.Repeat(" 7", extra) + "\n")
		}
	case "binary":
		b.Write(make([]byte, 4*n*(3+extra)))
	default: // a zero, and repetitions of it that decode to the rest
		plain := 4 * n * (3 + extra)
		packed := []byte{0, 0}
		for left := plain - 1; left > 0; left -= 264 {
			packed = append(packed, 7<<5, byte(max(0, min(left, 264)-9)), 0)
		}
		b.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(len(packed))), uint32(plain)))
		b.Write(packed)
	}
	return b.Bytes()
}

// json returns a value, which can be nested.
func (g *generator) json() string {
	if !g.strange() {
		return "7"
	}
	depth := g.size(g.most / 8)
	return pick(g, `"a"`, "null", "true", `"\ud800"`, `"`+strings.Repeat("x", g.size(g.most)), "[1,2]", `{"a":{"b":1}}`, strings.Repeat("[", depth)+strings.Repeat("]", depth),
		strings.Repeat(`{"a":`, depth)+"1"+strings.Repeat("}", depth))
}

// members returns members of an object.
func (g *generator) members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%s":%s`, pick(g, fmt.Sprint("c", i), fmt.Sprint("c", i), fmt.Sprint("c", g.IntN(1e6))), g.json())
	}
	return b.String()
}

// jsonl returns lines of objects.
func (g *generator) jsonl() []byte {
	var b bytes.Buffer
	columns := pick(g, 0, 1, 5, g.size(g.most/64))
	for n := 1 + g.size(g.most/40); n > 0 && b.Len() < 2*g.most; n-- {
		fmt.Fprintf(&b, `{"x":%s,"y":%s,"z":%s%s}`, g.number(), g.number(), g.number(), g.members(columns))
		b.WriteString(pick(g, "\n", "\n", "\r\n"))
		if g.strange() {
			b.WriteString(pick(g, "[]\n", strings.Repeat("\n", g.size(g.most/8)), "\x1e", "{}\n", g.json()+"\n"))
		}
	}
	return b.Bytes()
}

// geojson returns a collection of features, or a feature in each line.
func (g *generator) geojson() []byte {
	var b bytes.Buffer
	begin, comma, end := `{"type":"FeatureCollection"`+g.members(pick(g, 0, 0, g.size(g.most/64)))+`,"features":[`, ",\n", "]}"
	if g.chance(3) {
		begin, comma, end = "", "\n", "\n"
	}
	b.WriteString(begin)
	columns := pick(g, 0, 1, 5, g.size(g.most/64))
	for k := range 1 + g.size(g.most/100) {
		if b.Len() > 2*g.most {
			break
		}
		if k > 0 {
			b.WriteString(comma)
		}
		fmt.Fprintf(&b, `{"type":"Feature"%s,"geometry":{"type":"Point","coordinates":[%s,%s,%s]},"properties":{"a":1%s}}`,
			g.members(pick(g, 0, 0, columns)), g.number(), g.number(), g.number(), g.members(columns))
	}
	b.WriteString(end)
	return b.Bytes()
}

// parquetBomb returns a Parquet file whose pages declare n rows in few bytes.
func (g *generator) parquetBomb() ([]byte, int64) {
	n := int64(g.size(pick(g, 1<<16, 1<<27, 1<<31-1)))
	columns := 3 + pick(g, 0, 0, g.size(g.most/100))
	file := []byte("PAR1")
	plain := int64(0)
	write := func(v any) []byte {
		b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
		if err != nil {
			panic(err)
		}
		file = append(file, b...)
		return b
	}
	schema := []format.SchemaElement{{Name: "root", NumChildren: thrift.New(int32(columns))}}
	var chunks []format.ColumnChunk
	for c := range columns {
		optional := g.chance(2)
		repetition := format.Required
		if optional {
			repetition = format.Optional
		}
		kind := pick(g, format.Double, format.Double, format.Int64)
		if c >= 3 {
			kind = pick(g, format.Double, format.ByteArray, format.Boolean, format.Int32)
		}
		name := fmt.Sprint("c", c)
		if c < 3 {
			name = "xyz"[c : c+1]
		}
		schema = append(schema, format.SchemaElement{Name: name, Type: thrift.New(kind), RepetitionType: thrift.New(repetition)})
		start := int64(len(file))
		entries := n
		var body []byte
		run := func(width int) []byte { // a run of n zeros
			return append(binary.AppendUvarint(nil, uint64(n)<<1), make([]byte, (width+7)/8)...)
		}
		prefixed := func(b []byte) []byte { return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...) }
		if optional {
			level := run(1)
			level[len(level)-1] = byte(g.IntN(2))
			body = append(body, prefixed(level)...)
		}
		encoding := format.RLEDictionary
		switch {
		case g.strange():
			encoding = pick(g, format.DeltaBinaryPacked, format.DeltaByteArray, format.RLE, format.Plain)
		case kind == format.Int64 && g.chance(2):
			encoding = format.DeltaBinaryPacked
		case kind == format.ByteArray && g.chance(2):
			encoding = pick(g, format.DeltaByteArray, format.DeltaLengthByteArray)
		case kind == format.Boolean:
			encoding = format.RLE
		}
		switch encoding {
		case format.RLEDictionary:
			size := map[format.Type]int{format.Double: 8, format.Int64: 8, format.Int32: 4, format.ByteArray: 4}[kind]
			dict := make([]byte, 8)
			write(&format.PageHeader{Type: format.DictionaryPage, UncompressedPageSize: 8, CompressedPageSize: 8,
				DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: int32(8 / max(1, size)), Encoding: format.Plain})})
			file = append(file, dict...)
			body = append(append(body, 0), run(0)...)
		case format.RLE:
			body = append(body, prefixed(run(1))...)
		default: // differences in blocks of 2^31 without bits
			delta := binary.AppendUvarint(nil, 1<<31)
			delta = binary.AppendUvarint(delta, 1)
			delta = binary.AppendUvarint(delta, uint64(n))
			delta = append(binary.AppendVarint(delta, 0), 0, 0)
			body = append(body, delta...)
			body = append(body, delta...)
		}
		data := start
		if encoding == format.RLEDictionary {
			data = int64(len(file))
		}
		write(&format.PageHeader{Type: format.DataPage, UncompressedPageSize: int32(len(body)), CompressedPageSize: int32(len(body)),
			DataPageHeader: thrift.New(format.DataPageHeader{NumValues: int32(entries), Encoding: encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})})
		file = append(file, body...)
		plain += int64(len(body))
		meta := format.ColumnMetaData{Type: kind, PathInSchema: []string{name}, NumValues: n, DataPageOffset: data,
			TotalCompressedSize: int64(len(file)) - start, TotalUncompressedSize: int64(len(file)) - start}
		if data != start {
			meta.DictionaryPageOffset = start
		}
		chunks = append(chunks, format.ColumnChunk{MetaData: meta})
	}
	groups := []format.RowGroup{{Columns: chunks, NumRows: n, TotalByteSize: plain}}
	for range pick(g, 0, 0, g.size(10)) {
		groups = append(groups, groups[0])
	}
	footer := write(&format.FileMetaData{Version: 1, Schema: schema, NumRows: n * int64(len(groups)), RowGroups: groups})
	file = binary.LittleEndian.AppendUint32(file, uint32(len(footer)))
	return append(file, "PAR1"...), int64(len(file))
}

// pointKinds are the kinds of hostile point files. Each begins with the name of its format.
var pointKinds = append(points.OutputFormats(), "csv text", "jsonl lines", "geojson features", "npy header", "npz arrays", "pcd header", "ply mesh", "laz", "parquet bomb")

// pointCase returns a hostile point file.
func pointCase(i int) hostileCase {
	most := 64 << 10
	switch {
	case full() && i%101 == 0:
		most = 4 << 20
	case full() && i%17 == 0:
		most = 512 << 10
	}
	g := &generator{Rand: rand.New(rand.NewPCG(23, uint64(i))), most: most}
	g.odd = pick(g.Rand, 0, 0, 2, 20, 1000)
	c := hostileCase{file: "a"}
	kind := pick(g, pointKinds...)
	switch kind {
	case "laz":
		// A chunk of equal points has few bytes. The records of the largest one have 256 MB, and their points and
		// the output as much again.
		c.data, c.limit = g.convert(kind), 3*256<<20
	case "csv text":
		c.data = g.csv()
	case "jsonl lines":
		c.data = g.jsonl()
	case "geojson features":
		c.data = g.geojson()
	case "npy header":
		c.data = g.npy()
	case "npz arrays":
		c.data = g.npz()
	case "pcd header":
		c.data = g.pcd()
	case "ply mesh":
		_, c.data = g.ply()
	case "parquet bomb":
		c.data, _ = g.parquetBomb()
	default:
		c.data = g.convert(kind)
	}
	if g.odd > 0 && g.chance(2) {
		c.data = g.overwrite(c.data)
	}
	if g.odd > 0 && g.chance(3) {
		c.data = g.damage(c.data)
	}
	c.plain = int64(len(c.data))
	if !formatOf(kind).Footer && g.chance(4) {
		_, c.data, c.plain = g.compress("a", c.data)
		kind += " compressed"
	}
	c.plain = max(c.plain, int64(len(c.data)))
	c.label = fmt.Sprintf("%s, one of %d values is strange%s", kind, g.odd, strings.Repeat(".", g.IntN(28)))
	return c
}

// TestHostilePoints measures the readers of points. There are files of all formats.
func TestHostilePoints(t *testing.T) {
	for _, f := range formats.List {
		if f.Points && !slices.ContainsFunc(pointKinds, func(kind string) bool { return formatOf(kind).Name == f.Name }) {
			t.Errorf("pointKinds has no files of the format %s", f.Name)
		}
	}
	n := 120
	if full() {
		n = 6000
	}
	measureAll(t, n, max(60, n/100), pointCase, readPoints)
}
