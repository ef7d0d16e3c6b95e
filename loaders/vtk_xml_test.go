package loaders

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
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
