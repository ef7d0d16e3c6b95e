package voxels

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
)

// written lists options for Write. The other fields are the expected names of the value type in the
// headers, and the expected number of components of a voxel.
var written = []struct {
	opt        Options
	npy        string
	vtk, nrrd  string
	components int
}{
	{Options{}, "|u1", "UInt8", "uint8", 1},
	{Options{Quantity: Winding}, "<f4", "Float32", "float", 1},
	{Options{Quantity: Winding, Float64: true, Error: true}, "<f8", "Float64", "double", 2},
	{Options{Quantity: Fraction, Samples: 2, Error: true}, "<f4", "Float32", "float", 2},
}

// framed returns the output of Write in the format f, and the values of this output without the
// header and the footer.
func framed(t *testing.T, f Format, opt Options) (g Grid, all, values []byte) {
	t.Helper()
	s := newSolid(t, testmesh.Sphere(2), inpoly.Options{})
	g = Grid{Origin: r3.Vector{X: -1.25, Y: -1e-7, Z: -1.5}, Spacing: r3.Vector{X: 0.25, Y: 0.1, Z: 0.5}, Counts: [3]int{11, 7, 5}}
	var b, v bytes.Buffer
	opt.Format = f
	if _, err := Write(t.Context(), &b, s, g, opt); err != nil {
		t.Fatal(err)
	}
	opt.Format = Raw
	if _, err := Write(t.Context(), &v, s, g, opt); err != nil {
		t.Fatal(err)
	}
	if bytes.Count(v.Bytes(), []byte{0}) == v.Len() {
		t.Fatal("all values are 0")
	}
	return g, b.Bytes(), v.Bytes()
}

func TestNPY(t *testing.T) {
	for _, c := range written {
		g, all, values := framed(t, NPY, c.opt)
		n := 10 + int(binary.LittleEndian.Uint16(all[8:]))
		shape := fmt.Sprintf("%d, %d, %d", g.Counts[2], g.Counts[1], g.Counts[0])
		if c.components > 1 {
			shape += fmt.Sprintf(", %d", c.components)
		}
		want := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", c.npy, shape)
		head := string(all[10:n])
		if !bytes.HasPrefix(all, []byte("\x93NUMPY\x01\x00")) || n%64 != 0 || strings.TrimRight(head, " \n") != want || !strings.HasSuffix(head, "\n") {
			t.Errorf("%v: header of %d bytes %q, want %q", c.opt.Quantity, n, head, want)
		}
		if !bytes.Equal(all[n:], values) {
			t.Errorf("%v: other values than raw", c.opt.Quantity)
		}
	}
}

// vtkFile is the part of the XML that the reader of VTK uses.
type vtkFile struct {
	Type   string `xml:"type,attr"`
	Order  string `xml:"byte_order,attr"`
	Header string `xml:"header_type,attr"`
	Image  struct {
		Extent  string `xml:"WholeExtent,attr"`
		Origin  string `xml:"Origin,attr"`
		Spacing string `xml:"Spacing,attr"`
		Piece   struct {
			Extent string `xml:"Extent,attr"`
			Cells  struct {
				Scalars string `xml:"Scalars,attr"`
				Array   struct {
					Type       string     `xml:"type,attr"`
					Name       string     `xml:"Name,attr"`
					Components int        `xml:"NumberOfComponents,attr"`
					Names      []xml.Attr `xml:",any,attr"`
					Format     string     `xml:"format,attr"`
					Offset     int        `xml:"offset,attr"`
				} `xml:"DataArray"`
			} `xml:"CellData"`
		} `xml:"Piece"`
	} `xml:"ImageData"`
	Appended struct {
		Encoding string `xml:"encoding,attr"`
	} `xml:"AppendedData"`
}

func TestVTI(t *testing.T) {
	for _, c := range written {
		g, all, values := framed(t, VTI, c.opt)
		start := bytes.Index(all, []byte("\n   _")) + 5
		end := bytes.LastIndex(all, []byte("\n  </AppendedData>"))
		var f vtkFile
		if err := xml.Unmarshal(slices.Concat(all[:start], all[end:]), &f); err != nil {
			t.Fatal(err)
		}
		a := f.Image.Piece.Cells.Array
		if f.Type != "ImageData" || f.Order != "LittleEndian" || f.Header != "UInt64" || f.Appended.Encoding != "raw" ||
			f.Image.Extent != "0 11 0 7 0 5" || f.Image.Piece.Extent != f.Image.Extent ||
			f.Image.Origin != "-1.25 -1e-07 -1.5" || f.Image.Spacing != "0.25 0.1 0.5" ||
			f.Image.Piece.Cells.Scalars != a.Name || a.Name != c.opt.Quantity.String() || a.Type != c.vtk || a.Format != "appended" || a.Offset != 0 ||
			max(1, a.Components) != c.components {
			t.Errorf("%v: %+v", c.opt.Quantity, f)
		}
		if n := binary.LittleEndian.Uint64(all[start:]); n != uint64(len(values)) || n != uint64(g.Len()*c.opt.cell().bytes()) {
			t.Errorf("%v: block of %d bytes, want %d", c.opt.Quantity, n, len(values))
		}
		if !bytes.Equal(all[start+8:end], values) {
			t.Errorf("%v: other values than raw", c.opt.Quantity)
		}
	}
}

func TestNRRD(t *testing.T) {
	for _, c := range written {
		g, all, values := framed(t, NRRD, c.opt)
		head, data, ok := bytes.Cut(all, []byte("\n\n"))
		lines := strings.Split(string(head), "\n")
		fields := map[string]string{}
		for _, l := range lines[1:] {
			if name, value, ok := strings.Cut(l, ": "); ok {
				fields[name] = value
			} else if !strings.HasPrefix(l, "#") {
				t.Errorf("%v: line %q", c.opt.Quantity, l)
			}
		}
		sizes := "11 7 5"
		if c.components > 1 {
			sizes = fmt.Sprint(c.components) + " " + sizes
		}
		n := len(strings.Fields(sizes))
		if !ok || lines[0] != "NRRD0005" || fields["type"] != c.nrrd || fields["sizes"] != sizes || fields["dimension"] != fmt.Sprint(n) ||
			len(strings.Fields(fields["kinds"])) != n || len(strings.Fields(fields["centers"])) != n || len(strings.Fields(fields["space directions"])) != n ||
			fields["encoding"] != "raw" || (fields["endian"] == "little") != (c.npy != "|u1") {
			t.Errorf("%v: header %q", c.opt.Quantity, head)
		}
		var x, y, z float64
		if _, err := fmt.Sscanf(fields["space origin"], "(%g,%g,%g)", &x, &y, &z); err != nil || (r3.Vector{X: x, Y: y, Z: z}) != g.Center(0, 0, 0) {
			t.Errorf("%v: origin %s, %v; want %v", c.opt.Quantity, fields["space origin"], err, g.Center(0, 0, 0))
		}
		if !bytes.Equal(data, values) {
			t.Errorf("%v: other values than raw", c.opt.Quantity)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for f := range formats {
		if got, err := ParseFormat(Format(f).String()); err != nil || got != Format(f) {
			t.Errorf("%v: %v, %v", Format(f), got, err)
		}
	}
	if _, err := ParseFormat("vtk"); err == nil || !strings.Contains(err.Error(), "npy, vti, nrrd or raw") {
		t.Errorf("vtk: %v", err)
	}
	if s := Format(9).String() + Quantity(9).String(); s != "Format(9)Quantity(9)" {
		t.Errorf("%q", s)
	}
}

// roundUp returns a number that is at least x. For normal numbers, the relative difference is below
// 2^−22.
func TestRoundUp(t *testing.T) {
	for _, x := range []float64{0, 1, 0.1, 1.0 / 3, 1e-50, 1e300, math.Inf(1), 0x1p-149, 1 + 0x1p-30} {
		v := float64(roundUp(x))
		if v < x || x == 0 && v != 0 || x >= 0x1p-120 && x < 1e30 && v > x*(1+0x1p-22) {
			t.Errorf("%g rounded up is %g", x, v)
		}
	}
}
