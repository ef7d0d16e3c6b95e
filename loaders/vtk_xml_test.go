package loaders

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zlib"
	"github.com/pierrec/lz4/v4"
)

type vtkOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// vtkVariant is an encoding of the arrays of an XML file.
type vtkVariant struct {
	format     string // ascii, binary, raw, base64
	order      vtkOrder
	wide       bool   // headers have the type UInt64
	compressor string // "", zlib, lz4
	block      int    // size of compressed blocks
	blanks     bool   // white space in base64 text
}

// vtkVariants lists encodings. The first one is text.
func vtkVariants() []vtkVariant {
	list := []vtkVariant{{format: "ascii", order: binary.LittleEndian}}
	for _, format := range []string{"binary", "raw", "base64"} {
		for _, order := range []vtkOrder{binary.LittleEndian, binary.BigEndian} {
			for _, wide := range []bool{false, true} {
				for _, compressor := range []string{"", "zlib", "lz4"} {
					for _, block := range []int{16, 40, 1 << 15} {
						if compressor != "" || block == 16 {
							list = append(list, vtkVariant{format, order, wide, compressor, block, wide && format != "raw"})
						}
					}
				}
			}
		}
	}
	return list
}

func (v vtkVariant) String() string {
	return fmt.Sprintf("%s %v wide=%v %s %d blanks=%v", v.format, v.order, v.wide, v.compressor, v.block, v.blanks)
}

// vtkWriter writes an XML file.
type vtkWriter struct {
	vtkVariant
	body     strings.Builder
	appended bytes.Buffer
}

// array writes an array of float64, int64, int32 or uint8.
func (w *vtkWriter) array(name string, values any) {
	kind := map[string]string{"[]float64": "Float64", "[]float32": "Float32", "[]int64": "Int64", "[]int32": "Int32", "[]uint8": "UInt8", "[]uint64": "UInt64", "[]int16": "Int16"}[fmt.Sprintf("%T", values)]
	parts := 1
	if name == "Points" {
		parts = 3
	}
	fmt.Fprintf(&w.body, `<DataArray type=%q Name=%q NumberOfComponents="%d" `, kind, name, parts)
	switch w.format {
	case "ascii":
		fmt.Fprintf(&w.body, "format=\"ascii\">\n%s\n</DataArray>\n", strings.Trim(fmt.Sprint(values), "[]"))
	case "binary":
		fmt.Fprintf(&w.body, "format=\"binary\">\n  %s\n<InformationKey name=\"L2_NORM_RANGE\"><Value index=\"0\">1</Value></InformationKey></DataArray>\n", w.encode(values, true))
	default:
		fmt.Fprintf(&w.body, "format=\"appended\" offset=\"%d\" />\n", w.appended.Len())
		w.appended.WriteString(w.encode(values, w.format == "base64"))
	}
}

// encode returns the bytes of an array, with headers.
func (w *vtkWriter) encode(values any, text bool) string {
	data, err := binary.Append(nil, w.order, values)
	if err != nil {
		panic(err)
	}
	number := func(dst []byte, n int) []byte {
		if w.wide {
			return w.order.AppendUint64(dst, uint64(n))
		}
		return w.order.AppendUint32(dst, uint32(n))
	}
	encode := func(b []byte) string {
		if !text {
			return string(b)
		}
		t := base64.StdEncoding.EncodeToString(b)
		if w.blanks {
			t = strings.ReplaceAll(strings.ReplaceAll(t, "A", "\n\tA"), "B", "B ")
		}
		return t
	}
	if w.compressor == "" {
		return encode(append(number(nil, len(data)), data...))
	}
	n := (len(data) + w.block - 1) / w.block
	head := number(number(number(nil, n), w.block), len(data)%w.block)
	var all []byte
	for i := range n {
		packed := w.compress(data[i*w.block : min(len(data), (i+1)*w.block)])
		head = number(head, len(packed))
		all = append(all, packed...)
	}
	return encode(head) + encode(all)
}

func (w *vtkWriter) compress(data []byte) []byte {
	if w.compressor == "zlib" {
		var buf bytes.Buffer
		z := zlib.NewWriter(&buf)
		z.Write(data)
		z.Close()
		return buf.Bytes()
	}
	dst := make([]byte, lz4.CompressBlockBound(len(data)))
	n, err := lz4.CompressBlock(data, dst, nil)
	if err != nil {
		panic(err)
	}
	if n > 0 {
		return dst[:n]
	}
	// The library does not compress short data. A block of literals begins with their number.
	dst = []byte{byte(min(len(data), 15)) << 4}
	if rest := len(data) - 15; rest >= 0 {
		for ; rest >= 255; rest -= 255 {
			dst = append(dst, 255)
		}
		dst = append(dst, byte(rest))
	}
	return append(dst, data...)
}

// file returns the whole file.
func (w *vtkWriter) file(kind string) string {
	var t strings.Builder
	fmt.Fprintf(&t, "<?xml version=\"1.0\"?>\n<VTKFile type=%q version=\"1.0\" byte_order=%q", kind, w.order.String())
	if w.wide {
		t.WriteString(` header_type="UInt64"`)
	}
	if name := map[string]string{"zlib": "vtkZLibDataCompressor", "lz4": "vtkLZ4DataCompressor"}[w.compressor]; name != "" {
		fmt.Fprintf(&t, " compressor=%q", name)
	}
	fmt.Fprintf(&t, ">\n<%s>\n<FieldData><DataArray type=\"String\" Name=\"x\" format=\"ascii\">1 2</DataArray></FieldData>\n%s</%s>\n", kind, w.body.String(), kind)
	if w.appended.Len() > 0 {
		fmt.Fprintf(&t, "<AppendedData encoding=%q>\n _%s\n</AppendedData>\n", w.format, w.appended.String())
	}
	return t.String() + "</VTKFile>\n"
}

var vtkCubePoints = []float64{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1}

// gridFile returns a file of two pieces: a cube, and a tetrahedron and a quad.
func gridFile(v vtkVariant) string {
	w := &vtkWriter{vtkVariant: v}
	w.body.WriteString("<Piece NumberOfPoints=\"8\" NumberOfCells=\"1\">\n<PointData></PointData><CellData>\n")
	w.array("vtkGhostType", []uint8{0})
	w.body.WriteString("</CellData><Points>")
	w.array("Points", vtkCubePoints)
	w.body.WriteString("</Points><Cells>")
	w.array("connectivity", []int64{0, 1, 2, 3, 4, 5, 6, 7})
	w.array("offsets", []int64{8})
	w.array("types", []uint8{12})
	w.body.WriteString("</Cells></Piece>\n<Piece NumberOfPoints=\"0\" NumberOfCells=\"0\"></Piece><Piece NumberOfPoints='8' NumberOfCells='3'><!-- > --><CellData>")
	w.array("vtkGhostType", []uint8{0, 2, 33})
	w.body.WriteString("</CellData><Points>")
	w.array("Points", []float32{0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.5, 0.5, 1.5})
	w.body.WriteString("</Points>\n<Cells>")
	w.array("connectivity", []int32{0, 1, 2, 3, 7, 0, 1, 2, 3, 4, 5, 6, 0})
	w.array("offsets", []int32{5, 9, 13})
	w.array("types", []uint8{14, 9, 10})
	w.body.WriteString("</Cells></Piece>\n")
	return w.file("UnstructuredGrid")
}

// polyFile returns a file of polygonal data.
func polyFile(v vtkVariant) string {
	w := &vtkWriter{vtkVariant: v}
	w.body.WriteString("<Piece NumberOfPoints=\"4\" NumberOfVerts=\"2\" NumberOfLines=\"1\" NumberOfStrips=\"2\" NumberOfPolys=\"3\"><CellData>")
	w.array("vtkGhostLevels", []uint8{0, 0, 0, 0, 2, 0, 1, 0})
	w.body.WriteString("</CellData><Points>")
	w.array("Points", []int16{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0})
	w.body.WriteString("</Points><Strips>")
	w.array("connectivity", []int64{0, 1, 2, 0, 1, 3, 2})
	w.array("offsets", []int64{3, 7})
	w.body.WriteString("</Strips><Polys>")
	w.array("connectivity", []uint64{0, 1, 2, 3, 0, 1, 2, 0, 2, 3})
	w.array("offsets", []uint64{4, 7, 10})
	w.body.WriteString("</Polys></Piece>")
	return w.file("PolyData")
}

// polyhedronFile returns a file of a polyhedron and a tetrahedron. In a newer file, they share a face.
func polyhedronFile(v vtkVariant, newer bool) string {
	w := &vtkWriter{vtkVariant: v}
	w.body.WriteString("<Piece NumberOfPoints=\"5\" NumberOfCells=\"3\"><Points>")
	w.array("Points", []float64{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1})
	w.body.WriteString("</Points><Cells>")
	w.array("connectivity", []int64{0, 1, 2, 3, 0, 1, 1, 2, 3, 4})
	w.array("offsets", []int64{4, 6, 10})
	w.array("types", []uint8{42, 3, 42})
	if newer {
		w.array("face_connectivity", []int64{0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2, 1, 2, 4, 2, 3, 4, 3, 1, 4})
		w.array("face_offsets", []int64{3, 6, 9, 12, 15, 18, 21})
		w.array("polyhedron_to_faces", []int64{0, 1, 2, 3, 2, 4, 5, 6})
		w.array("polyhedron_offsets", []int64{4, 4, 8})
	} else {
		w.array("faces", []int64{4, 3, 0, 2, 1, 3, 0, 1, 3, 3, 1, 2, 3, 3, 0, 3, 2, 4, 3, 1, 2, 3, 3, 1, 2, 4, 3, 2, 3, 4, 3, 3, 1, 4})
		w.array("faceoffsets", []int64{17, -1, 34})
	}
	w.body.WriteString("</Cells></Piece>")
	return w.file("UnstructuredGrid")
}

// TestVTKEncodings reads the same meshes in all encodings.
func TestVTKEncodings(t *testing.T) {
	for _, c := range []struct {
		name      string
		file      func(vtkVariant) string
		vertices  int
		triangles int
		volume    float64
		notes     []string
	}{
		{"grid", gridFile, 16, 14, 1 + 0.5/3, []string{"skipped 1 cell with a ghost flag (duplicate or hidden)", "skipped 1 surface cell", "outer surface of 2 volume cells"}},
		{"polygons", polyFile, 4, 5, 0, []string{"skipped 2 cells with a ghost flag", "skipped 3 vertices, lines"}},
		{"polyhedra", func(v vtkVariant) string { return polyhedronFile(v, false) }, 5, 6, 0.5, []string{"skipped 1 vert", "outer surface of 2 volume cells"}},
		{"newer polyhedra", func(v vtkVariant) string { return polyhedronFile(v, true) }, 5, 6, 0.5, []string{"skipped 1 vert", "outer surface of 2 volume cells"}},
	} {
		want := ""
		for _, v := range vtkVariants() {
			data := c.file(v)
			s, info, err := readString("a.vtu", data)
			if err != nil {
				t.Errorf("%s, %v: %v", c.name, v, err)
				continue
			}
			checkSoup(t, s)
			if got := totalOf(s).volume; info.Format != VTK || info.StoredVertices != c.vertices || len(s.Faces) != c.triangles || c.volume > 0 && !near(got, c.volume) {
				t.Errorf("%s, %v: got %+v, %d triangles, volume %v, want %d vertices, %d triangles, volume %v", c.name, v, info, len(s.Faces), got, c.vertices, c.triangles, c.volume)
			}
			notes := strings.Join(info.Notes, "|")
			for _, n := range c.notes {
				if !strings.Contains(notes, n) {
					t.Errorf("%s, %v: notes %q, want %q", c.name, v, notes, n)
				}
			}
			if got := describe(s) + notes; want == "" {
				want = got
			} else if got != want {
				t.Errorf("%s, %v: got\n%s\nwant\n%s", c.name, v, got, want)
			}
		}
	}
}

// vtkPiece returns an XML file of polygonal data with the given attributes and one piece.
func vtkPiece(attributes, piece, content string) string {
	return "<VTKFile type=\"PolyData\" " + attributes + ">\n<PolyData>\n<Piece " + piece + ">\n" + content + "\n</Piece>\n</PolyData>\n</VTKFile>\n"
}

const (
	vtkOnePolygon = `NumberOfPoints="4" NumberOfPolys="1"`
	vtkPoints     = "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n0 0 0 1 0 0\n1 1 0 0 1 0\n</DataArray></Points>\n"
	vtkPolys      = "<Polys><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2</DataArray><DataArray type=\"Int32\" Name=\"offsets\">3</DataArray></Polys>"
)

// vtkInline returns a file whose connectivity is in base64.
func vtkInline(attributes, text string) string {
	return vtkPiece(attributes, vtkOnePolygon, vtkPoints+strings.Replace(vtkPolys, "ascii\">0 1 2", "binary\">"+text, 1))
}

func base64Of(values ...any) string {
	return base64.StdEncoding.EncodeToString([]byte(pack(binary.LittleEndian, values...)))
}

// vtkSteps returns text with a time step in each array, and then with the points of another time step.
func vtkSteps() string {
	text := strings.ReplaceAll(vtkPoints+vtkPolys, "<DataArray ", "<DataArray TimeStep=\"0\" ")
	second := strings.Replace(vtkPoints, "<DataArray ", "<DataArray TimeStep=\"1\" ", 1)
	second = strings.Replace(strings.TrimPrefix(second, "<Points>"), "1 1 0", "9 9 9", 1)
	return strings.Replace(text, "</Points>\n", second, 1)
}

func TestVTKXMLAccepted(t *testing.T) {
	plain := vtkPiece("", vtkOnePolygon, vtkPoints+vtkPolys)
	header := base64Of(uint32(12))
	for _, a := range []acceptance{
		{"polygon", "a.vtp", plain, 4, 1, "", ""},
		{"no suffix", "a", plain, 4, 1, "", ""},
		{"version", "a.vtp", strings.Replace(plain, "<VTKFile", "<VTKFile version='4.2'", 1), 4, 1, "", `the version "4.2" of the format is unknown`},
		{"byte order mark, declaration, comment", "a.stl", "\xef\xbb\xbf<?xml version='1.0'?><!-- <a> -->\n" + plain + "<!-- end -->\n", 4, 1, "", ""},
		{"UTF-16", "a.vtp", utf16Text(binary.LittleEndian, plain), 4, 1, "", ""},
		{"gzip", "a.vtp.gz", gzipped(plain), 4, 1, "", ""},
		{"header apart", "a.vtp", vtkInline("", "\n"+header+"\n"+base64Of([]int32{0, 1, 2})+"\n"), 4, 1, "", ""},
		{"header with the data", "a.vtp", vtkInline(`version="2.2"`, base64Of(uint32(12), []int32{0, 1, 2})), 4, 1, "", ""},
		{"more values", "a.vtp", vtkInline("", base64Of(uint32(16), []int32{0, 1, 2, 3})), 4, 1, "", "ignored values at the end of 1 array beyond the necessary number"},
		{"comment before the values", "a.vtp", strings.Replace(plain, "\n0 0 0", "<!-- 3 -->\n0 0 0", 1), 4, 1, "", ""},
		{"time steps", "a.vtp", vtkPiece("", vtkOnePolygon, vtkSteps()), 4, 1, "", "took the first of several time steps"},
		{"cut end", "a.vtp", strings.Replace(strings.Replace(plain, "format=\"ascii\">0 1 2", "format=\"appended\" offset=\"0\">", 1), "</VTKFile>",
			"<AppendedData encoding=\"base64\">_"+base64Of(uint32(12), []int32{0, 1, 2}), 1), 4, 1, "", "the file does not end in </VTKFile>, so it can be truncated"},
		{"two pieces", "a.vtp", strings.Replace(plain, "</Piece>", "</Piece><Piece "+vtkOnePolygon+">"+vtkPoints+vtkPolys+"</Piece>", 1), 8, 2, "", ""},
		{"markup in raw bytes", "a.vtp", strings.Replace(strings.Replace(plain, "format=\"ascii\">0 1 2", "format=\"appended\" offset=\"12\">", 1), "</VTKFile>",
			"<AppendedData encoding=\"raw\"> _</b> <a <!--"+pack(binary.LittleEndian, uint32(12), []int32{0, 1, 2})+"\n</AppendedData></VTKFile>", 1), 4, 1, "", ""},
	} {
		a.run(t)
	}
}

func TestVTKXMLRefused(t *testing.T) {
	plain := vtkPiece("", vtkOnePolygon, vtkPoints+vtkPolys)
	change := func(old, replacement string) string {
		t.Helper()
		if !strings.Contains(plain, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(plain, old, replacement, 1)
	}
	ofType := func(kind string) string { return strings.ReplaceAll(plain, "PolyData", kind) }
	zlibHead := `compressor="vtkZLibDataCompressor" header_type="UInt64"`
	lz4Head := `compressor="vtkLZ4DataCompressor"`
	packed := (&vtkWriter{vtkVariant: vtkVariant{compressor: "zlib"}}).compress([]byte(pack(binary.LittleEndian, []int32{0, 1, 2})))
	spoilt := bytes.Clone(packed)
	spoilt[len(spoilt)-1] ^= 1
	appended := func(offset, encoding, data string) string {
		return strings.Replace(change("format=\"ascii\">0 1 2", "format=\"appended\" offset=\""+offset+"\">"), "</VTKFile>", "<AppendedData encoding=\""+encoding+"\">"+data, 1)
	}
	for _, r := range []refusal{
		{"other XML", "a.vtp", "<svg></svg>", ErrSyntax, `line 1: syntax error: the first element is "svg", must be VTKFile`},
		{"no XML", "a.vtp", "hello", ErrSyntax, "byte 0"},
		{"empty element", "a.vtp", `<VTKFile type="PolyData"/>`, ErrSyntax, "no element PolyData"},
		{"table", "a.vtt", ofType("Table"), ErrUnsupported, `line 1: not supported: the data set has the type "Table"`},
		{"parallel image", "a.pvti", ofType("PImageData"), ErrUnsupported, "only lists files"},
		{"parallel", "a.pvtp", ofType("PPolyData"), ErrUnsupported, "only lists files"},
		{"blocks", "a.vtm", ofType("vtkMultiBlockDataSet"), ErrUnsupported, "only lists other files"},
		{"byte order", "a.vtp", vtkPiece(`byte_order="Middle"`, vtkOnePolygon, ""), ErrSyntax, "byte_order"},
		{"header type", "a.vtp", vtkPiece(`header_type="UInt8"`, vtkOnePolygon, ""), ErrSyntax, "header_type"},
		{"document type", "a.vtp", "<!DOCTYPE a>" + plain, ErrUnsupported, "document type"},
		{"end tag", "a.vtp", change("</Points>", "</Polys>"), ErrSyntax, `line 7: syntax error: the end tag of "Polys"`},
		{"text after the root", "a.vtp", plain + "<a/>", ErrSyntax, "line 12"},
		{"cut", "a.vtp", plain[:len(plain)-30], ErrTruncated, `the file ends in the element "Piece"`},
		{"cut tag", "a.vtp", plain[:30], ErrTruncated, `the file ends in a tag of "Po"`},
		{"cut comment", "a.vtp", "<VTKFile type=\"PolyData\"><!-- ", ErrTruncated, "-->"},
		{"attribute without quotes", "a.vtp", change(`"1"`, "1"), ErrSyntax, `"NumberOfPolys" has no quotes`},
		{"attribute twice", "a.vtp", change(`NumberOfPolys`, `NumberOfPoints`), ErrSyntax, "twice"},
		{"attributes without a blank", "a.vtp", change(`" NumberOfPolys`, `"NumberOfPolys`), ErrSyntax, "blank"},
		{"deep", "a.vtp", "<VTKFile type=\"PolyData\">" + strings.Repeat("<a>", 300), ErrSyntax, "nest"},
		{"many attributes", "a.vtp", "<VTKFile " + func() (s string) {
			for i := range 100 {
				s += fmt.Sprintf("a%d='' ", i)
			}
			return s
		}(), ErrSyntax, "more than 64 attributes"},
		{"no number of points", "a.vtp", change(`NumberOfPoints="4"`, ""), ErrSyntax, "line 3: syntax error: a piece lacks NumberOfPoints"},
		{"no number of polygons", "a.vtp", change(`NumberOfPolys="1"`, ""), ErrSyntax, "lacks NumberOfPolys"},
		{"negative number", "a.vtp", change(`"1"`, `"-1"`), ErrSyntax, "NumberOfPolys"},
		{"huge number", "a.vtp", change(`"1"`, `"3000000000"`), ErrTooLarge, "more than 2147483647 cells"},
		{"too many points", "a.vtp", change(`"4"`, `"2000000000"`), ErrTruncated, "line 5: truncated: 2000000000 points do not fit"},
		{"no points", "a.vtp", vtkPiece("", vtkOnePolygon, vtkPolys), ErrSyntax, "lacks the array Points"},
		{"no offsets", "a.vtp", change(`"offsets"`, `"other"`), ErrSyntax, "lacks the array Polys offsets"},
		{"second array", "a.vtp", change(`Name="offsets"`, `Name="connectivity"`), ErrSyntax, "a second array Polys connectivity"},
		{"components", "a.vtp", change(`Components="3"`, `Components="2"`), ErrSyntax, "must have 3"},
		{"type of values", "a.vtp", change(`type="Float64"`, `type="String"`), ErrUnsupported, `type "String"`},
		{"format of values", "a.vtp", change(`format="ascii"`, `format="hex"`), ErrUnsupported, `format "hex"`},
		{"word", "a.vtp", change("1 1 0", "1 x 0"), ErrSyntax, `line 6: syntax error: found "x" instead of a number`},
		{"NaN", "a.vtp", change("1 1 0", "1 nan 0"), ErrNotFinite, "line 6: coordinate is not finite: point 2"},
		{"interrupted", "a.vtp", change("1 1 0", "1 <!-- --> 1 0"), ErrSyntax, "interrupted"},
		{"CDATA", "a.vtp", change("0 1 2", "<![CDATA[0 1 2]]>"), ErrUnsupported, "CDATA"},
		{"few values", "a.vtp", change("0 1 2", "0 1"), ErrTruncated, "3 connectivity of Polys do not fit"},
		{"index", "a.vtp", change("0 1 2", "0 1 4"), ErrIndexRange, "polygon 0: index out of range: the cell refers to point 4"},
		{"index in the second piece", "a.vtp", strings.Replace(plain, "</Piece>", "</Piece><Piece "+vtkOnePolygon+">"+vtkPoints+strings.Replace(vtkPolys, "0 1 2", "0 1 7", 1)+"</Piece>", 1),
			ErrIndexRange, "piece 1 polygon 0: index out of range"},
		{"negative offset", "a.vtp", change(">3<", ">-3<"), ErrIndexRange, "offsets"},
		{"fraction", "a.vtp", change(">3<", ">2.5<"), ErrIndexRange, "must be an integer"},

		{"base64", "a.vtp", vtkInline("", "DAAA*AAA"), ErrSyntax, `Polys connectivity: byte`},
		{"cut base64", "a.vtp", vtkInline("", "DAAAAAA"), ErrTruncated, "within four characters"},
		{"empty base64", "a.vtp", vtkInline("", ""), ErrTruncated, "too early"},
		{"bytes", "a.vtp", vtkInline("", base64Of(uint32(1<<30), []int32{0, 1, 2})), ErrTruncated, "1073741824 bytes of numbers do not fit"},
		{"few bytes", "a.vtp", vtkInline("", base64Of(uint32(8), []int32{0, 1, 2})), ErrTruncated, "do not fit"},
		{"huge header", "a.vtp", vtkInline(`header_type="UInt64"`, base64Of(uint64(1<<63), []int32{0, 1, 2})), ErrTooLarge, "header"},
		{"LZMA", "a.vtp", vtkInline(`compressor="vtkLZMADataCompressor"`, base64Of(uint32(12), []int32{0, 1, 2})), ErrUnsupported, `compressed by "vtkLZMADataCompressor"`},
		{"blocks", "a.vtp", vtkInline(zlibHead, base64Of([]uint64{1 << 40, 12, 0, 5})), ErrTruncated, "1099511627776 compressed blocks"},
		{"block size", "a.vtp", vtkInline(zlibHead, base64Of([]uint64{1, 0, 0, 5})), ErrSyntax, "size 0"},
		{"last block", "a.vtp", vtkInline(zlibHead, base64Of([]uint64{1, 12, 13, 5})), ErrSyntax, "size 13"},
		{"compressed size", "a.vtp", vtkInline(zlibHead, base64Of([]uint64{1, 12, 0, 1 << 60})), ErrTruncated, "does not fit"},
		{"zlib", "a.vtp", vtkInline(zlibHead, base64Of([]uint64{1, 12, 0, 4}, []uint8("abcd"))), ErrSyntax, "compressed block 0"},
		{"zlib checksum", "a.vtp", vtkInline(zlibHead, base64Of([]uint64{1, 12, 0, uint64(len(spoilt))}, spoilt)), ErrSyntax, "compressed block 0"},
		{"zlib with few bytes", "a.vtp", vtkInline(zlibHead, base64Of([]uint64{2, 1 << 50, 4, uint64(len(packed)), 1}, packed)), ErrSyntax, "fewer bytes"},
		{"zlib too long", "a.vtp", vtkInline(zlibHead, base64Of([]uint64{2, 8, 4, uint64(len(packed)), uint64(len(packed))}, packed, packed)), ErrSyntax, "more bytes"},
		{"zlib with a tail", "a.vtp", vtkInline(zlibHead, base64Of([]uint64{1, 12, 0, uint64(len(packed) + 1)}, packed, uint8(0))), ErrSyntax, "more bytes"},
		{"LZ4 size", "a.vtp", vtkInline(lz4Head, base64Of([]uint32{1, 1 << 31, 0, 4}, []uint8("abcd"))), ErrSyntax, "has 4 bytes"},
		{"LZ4", "a.vtp", vtkInline(lz4Head, base64Of([]uint32{1, 12, 0, 4}, []uint8("abcd"))), ErrSyntax, "compressed block 0"},
		{"LZ4 too short", "a.vtp", vtkInline(lz4Head, base64Of([]uint32{1, 12, 0, 9}, []uint8("\x80abcdefgh"))), ErrSyntax, "fewer bytes"},

		{"appended data first", "a.vtp", change("<PolyData>", "<AppendedData encoding=\"raw\">_</AppendedData>\n<PolyData>"), ErrSyntax, "line 2: syntax error: no element PolyData comes before AppendedData"},
		{"offset", "a.vtp", appended("x", "raw", "_"), ErrSyntax, "offset"},
		{"offset beyond the end", "a.vtp", appended("100", "raw", "_"), ErrTruncated, "beyond the end"},
		{"no underscore", "a.vtp", appended("0", "raw", "abc"), ErrSyntax, "underscore"},
		{"encoding", "a.vtp", appended("0", "hex", "_"), ErrUnsupported, `"hex"`},
		{"no appended data", "a.vtp", change("format=\"ascii\">0 1 2", "format=\"appended\" offset=\"0\">"), ErrTruncated, "beyond the end"},
		{"cut appended data", "a.vtp", appended("0", "raw", "_"+pack(binary.LittleEndian, uint32(12), []int32{0, 1})), ErrTruncated, "do not fit"},

		{"tag within the appended data", "a.vtp", strings.Replace(appended("0", "raw", "_"+pack(binary.LittleEndian, uint32(40), []int32{0, 1})), "</VTKFile>", "", 1) + "</AppendedData>" + strings.Repeat(" ", 40) + "</VTKFile>", ErrTruncated, "do not fit"},
		{"unknown faces", "a.vtu", strings.ReplaceAll(polyhedronFile(vtkVariants()[0], false), `Name="faces"`, `Name="other"`), ErrSyntax, "lacks the array Cells faces"},
		{"no faces", "a.vtu", strings.ReplaceAll(polyhedronFile(vtkVariants()[0], false), `"faceoffsets"`, `"other"`), ErrSyntax, "lacks the array Cells faceoffsets"},
		{"number of faces", "a.vtu", strings.ReplaceAll(polyhedronFile(vtkVariants()[0], true), "2 4 5 6", "2 4 5 7"), ErrTruncated, "line 22: truncated: the numbers end too early"},
		{"faces of a cell", "a.vtu", strings.ReplaceAll(polyhedronFile(vtkVariants()[0], true), "4 4 8", "4 3 8"), ErrIndexRange, "faces of cell 1"},
		{"cell type", "a.vtu", strings.ReplaceAll(polyhedronFile(vtkVariants()[0], true), "42 3 42", "42 77777 42"), ErrUnsupported, "cell 1: not supported: cells of type 77777"},
		{"few ghost flags", "a.vtu", strings.ReplaceAll(gridFile(vtkVariants()[0]), "0 2 33", "0 2"), ErrTruncated, "3 vtkGhostType of CellData"},
	} {
		r.run(t)
	}
}

// TestVTKHints checks the advice in errors about files that are not read.
func TestVTKHints(t *testing.T) {
	plain := vtkPiece("", vtkOnePolygon, vtkPoints+vtkPolys)
	for data, hint := range map[string]string{
		strings.ReplaceAll(plain, "PolyData", "HyperTreeGrid"):               "ParaView",
		strings.ReplaceAll(plain, "PolyData", "PStructuredGrid"):             "read the files of its pieces",
		strings.ReplaceAll(plain, "PolyData", "PUnstructuredGrid"):           "read the files of its pieces",
		strings.ReplaceAll(plain, "PolyData", "Collection"):                  "read the files that it lists",
		vtkInline(`compressor="vtkLZMADataCompressor"`, base64Of(uint32(1))): "ZLib or LZ4",
		"\x89HDF\r\n\x1a\n": "ParaView",
	} {
		_, _, err := readString("a", data)
		var e *Error
		if !errors.Is(err, ErrUnsupported) || !errors.As(err, &e) || !strings.Contains(e.Hint, hint) {
			t.Errorf("%.60q: got %v, want a hint with %q", data, err, hint)
		}
	}
}

// vtkBomb returns a file of 2^21 points in one compressed block.
func vtkBomb(compressor string) string {
	const n = 1 << 21
	w := &vtkWriter{vtkVariant: vtkVariant{format: "raw", order: binary.LittleEndian, compressor: compressor, block: 24 * n}}
	fmt.Fprintf(&w.body, "<Piece NumberOfPoints=\"%d\" NumberOfPolys=\"1\"><Points>", n)
	w.array("Points", make([]float64, 3*n))
	w.body.WriteString("</Points>" + vtkPolys + "</Piece>")
	return w.file("PolyData")
}

// TestVTKProgress checks that the reported progress grows during the reading of an array.
func TestVTKProgress(t *testing.T) {
	const n = 100000
	points := make([]float64, 3*n)
	for i := range points {
		points[i] = float64(i % 1000)
	}
	files := map[string]string{"legacy text": vtkHead("ASCII", "POLYDATA") + fmt.Sprintf("POINTS %d float\n%s\nPOLYGONS 1 4\n3 0 1 2\n", n, strings.Trim(fmt.Sprint(points), "[]"))}
	for _, v := range vtkVariants() {
		if v.block == 16 && v.compressor != "" || v.block == 40 {
			continue
		}
		w := &vtkWriter{vtkVariant: v}
		fmt.Fprintf(&w.body, "<Piece NumberOfPoints=\"%d\" NumberOfPolys=\"1\"><Points>", n)
		w.array("Points", points)
		w.body.WriteString("</Points>" + vtkPolys + "</Piece>")
		files[v.String()] = w.file("PolyData")
	}
	for name, data := range files {
		var calls int
		var last, sum int64
		_, info, err := Read(context.Background(), "a", strings.NewReader(data), Options{Progress: func(done, total int64) {
			if done < last || done > total {
				t.Errorf("%s: progress %d of %d after %d", name, done, total, last)
			}
			if calls++; done < total {
				sum = done
			}
			last = done
		}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if calls < 10 || last != info.Bytes || sum < info.Bytes*9/10 {
			t.Errorf("%s: %d calls, the last values %d and %d of %d bytes", name, calls, sum, last, info.Bytes)
		}
	}
}

func FuzzVTKXML(f *testing.F) {
	seen := map[string]bool{}
	for i, v := range vtkVariants() {
		v.block = 40
		if seen[v.String()] || i%3 != 0 && v.compressor != "" {
			continue
		}
		seen[v.String()] = true
		f.Add([]byte(gridFile(v)))
		f.Add([]byte(polyFile(v)))
		f.Add([]byte(polyhedronFile(v, i%2 == 0)))
	}
	f.Add([]byte(vtkPiece("", vtkOnePolygon, vtkSteps())))
	f.Add([]byte(vtkImage(`WholeExtent="0 3 0 2 0 1" Origin="1 2 3" Spacing="1 .5 1" Direction="0 1 0 -1 0 0 0 0 1"`, "0 2 0 2 0 1", "1 3 0 2 0 1")))
	for _, v := range vtkVariants()[:4] {
		f.Add([]byte(boxFile(v)))
		f.Add([]byte(axesFile(v)))
	}
	f.Fuzz(func(t *testing.T, data []byte) { fuzzRead(t, bytes.Clone(data), VTK) })
}

// TestVTKSharedBytes checks that pieces whose arrays share their bytes do not take time without limit.
func TestVTKSharedBytes(t *testing.T) {
	const cells, pieces = 1 << 16, 100
	w := &vtkWriter{vtkVariant: vtkVariant{format: "raw", order: binary.LittleEndian}}
	fmt.Fprintf(&w.body, "<Piece NumberOfPoints=\"0\" NumberOfPolys=\"%d\"><Polys>", cells)
	w.array("connectivity", []int32{0})
	w.array("offsets", make([]int32, cells))
	w.body.WriteString("</Polys></Piece>")
	data := w.file("PolyData")
	from, to := strings.Index(data, "<Piece"), strings.Index(data, "</PolyData>")
	one := data[:from] + data[from:to] + data[to:]
	refusal{"one piece", "a.vtp", one, ErrNoTriangles, ""}.run(t)
	refusal{"many pieces", "a.vtp", data[:from] + strings.Repeat(data[from:to], pieces) + data[to:], ErrTooLarge, "share their bytes"}.run(t)

	// The pieces lack other arrays, so only the search for volume cells reads their types.
	w = &vtkWriter{vtkVariant: vtkVariant{format: "raw", order: binary.LittleEndian}}
	fmt.Fprintf(&w.body, "<Piece NumberOfPoints=\"0\" NumberOfCells=\"%d\"><Cells>", cells)
	w.array("types", bytes.Repeat([]byte{5}, cells))
	w.body.WriteString("</Cells></Piece>")
	data = w.file("UnstructuredGrid")
	from, to = strings.Index(data, "<Piece"), strings.Index(data, "</UnstructuredGrid>")
	refusal{"many pieces of a grid", "a.vtu", data[:from] + strings.Repeat(data[from:to], pieces) + data[to:], ErrTooLarge, "share their bytes"}.run(t)
}

// TestVTKSharedFaces checks that polyhedra that share their faces do not take time without limit.
func TestVTKSharedFaces(t *testing.T) {
	file := func(cells int) string {
		w := &vtkWriter{vtkVariant: vtkVariant{format: "raw", order: binary.LittleEndian}}
		fmt.Fprintf(&w.body, "<Piece NumberOfPoints=\"2\" NumberOfCells=\"%d\"><Points>", cells)
		w.array("Points", make([]float32, 6))
		w.body.WriteString("</Points><Cells>")
		ends := make([]int32, cells)
		for i := range ends {
			ends[i] = int32(i + 1)
		}
		w.array("connectivity", []int32{})
		w.array("offsets", make([]int32, cells))
		w.array("types", bytes.Repeat([]byte{42}, cells))
		w.array("face_connectivity", make([]int32, 1000))
		w.array("face_offsets", []int32{1000})
		w.array("polyhedron_to_faces", make([]int32, cells))
		w.array("polyhedron_offsets", ends)
		w.body.WriteString("</Cells></Piece>")
		return w.file("UnstructuredGrid")
	}
	refusal{"eight cells", "a.vtu", file(8), ErrNoTriangles, ""}.run(t)
	refusal{"nine cells", "a.vtu", file(9), ErrTooLarge, "faces: too large: the cells share their faces"}.run(t)
}
