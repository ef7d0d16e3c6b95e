package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/table"
)

// npyFile returns a version 1 file with the given dictionary.
func npyFile(dict string, data []byte) []byte {
	out := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(out[8:], uint16(len(dict)))
	return append(append(out, dict...), data...)
}

type array struct {
	rows, columns int
	v             []float64 // elements, row by row
}

func randomArray(r *rand.Rand, rows, columns int) array {
	a := array{rows, columns, make([]float64, rows*columns)}
	for i := range a.v {
		a.v[i] = float64(float32(r.NormFloat64()))
		if r.IntN(50) == 0 {
			a.v[i] = math.NaN()
		}
	}
	return a
}

// file returns a .npy file with the elements of a.
func (a array) file(descr string, fortran bool) []byte {
	h := header{itemSize: int(descr[2] - '0'), bigEndian: descr[0] == '>'}
	var data []byte
	for i := range a.v {
		k := i
		if fortran {
			k = i%a.rows*a.columns + i/a.rows
		}
		data = h.append(data, a.v[k])
	}
	word := map[bool]string{false: "False", true: "True"}[fortran]
	return npyFile(fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }\n", descr, word, a.rows, a.columns), data)
}

// answered returns a copy with an answer column: NaN if x, y or z is NaN, 1 if x ≥ 0, otherwise 0.
func (a array) answered() array {
	out := array{a.rows, a.columns + 1, nil}
	for k := range a.rows {
		row := a.v[k*a.columns : (k+1)*a.columns]
		inside := 0.0
		switch {
		case row[0] != row[0] || row[1] != row[1] || row[2] != row[2]:
			inside = math.NaN()
		case row[0] >= 0:
			inside = 1
		}
		out.v = append(append(out.v, row...), inside)
	}
	return out
}

// TestNPY writes arrays of every kind, streams them in blocks of every size, and compares the
// output with the expected array. It does not compare the bytes of headers.
func TestNPY(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, 1))
	path := filepath.Join(t.TempDir(), "a.npy")
	for _, descr := range []string{"<f8", ">f8", "<f4", ">f4"} {
		for _, fortran := range []bool{false, true} {
			for _, rows := range []int{0, 1, 2, 17, 1000} {
				a := randomArray(r, rows, 3+r.IntN(3))
				if err := os.WriteFile(path, a.file(descr, fortran), 0o666); err != nil {
					t.Fatal(err)
				}
				for _, chunk := range []int{1, 100, 0} {
					in := open(t, path, Options{Block: chunk})
					if in.Rows() != int64(rows) {
						t.Fatalf("%d rows, want %d", in.Rows(), rows)
					}
					out, sum, err := testcloud.Pump(in, insideColumn, func(s Array) (table.Sink, error) { return s.Passthrough(insideColumn) })
					if err != nil || sum.Rows != int64(rows) {
						t.Fatalf("%s fortran=%v rows=%d chunk=%d: %d rows, %v", descr, fortran, rows, chunk, sum.Rows, err)
					}
					want := a.answered().file(descr, false)
					h, length, err := readOriented(strings.NewReader(out))
					if err != nil || length%64 != 0 || h.rows != int64(rows) || h.columns != int64(a.columns+1) || h.dtype != descr || h.fortran {
						t.Fatalf("output header %+v of %d bytes, %v", h, length, err)
					}
					_, skip, _ := readOriented(bytes.NewReader(want))
					if out[length:] != string(want[skip:]) {
						t.Fatalf("%s fortran=%v rows=%d chunk=%d: other bytes", descr, fortran, rows, chunk)
					}
				}
			}
		}
	}
}

func TestNPYStateAndNumbers(t *testing.T) {
	a := array{4, 3, []float64{1, 0, 0, 0, 0, 0, -1, 0, 0, math.NaN(), 0, 0}}
	out, _, err := files.Run(a.file("<f8", false), Options{}, []table.Column{{Name: "state", Kind: table.State}, {Name: "w", Kind: table.Number}})
	if err != nil {
		t.Fatal(err)
	}
	want := array{4, 5, []float64{1, 0, 0, 1, 1, 0, 0, 0, 0.5, 0, -1, 0, 0, 0, -1, math.NaN(), 0, 0, math.NaN(), math.NaN()}}
	w := want.file("<f8", false)
	if got := out[len(out)-4*5*8:]; got != string(w[len(w)-4*5*8:]) {
		t.Errorf("got %x, want %x", got, w)
	}
}

// TestNPYVersions reads all three header versions, in several Python spellings.
func TestNPYVersions(t *testing.T) {
	var data []byte
	for _, v := range []float64{1, 2, 3} {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	for _, dict := range []string{
		"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3), }          \n",
		"{\"shape\":(1,3),\"descr\":\"<f8\",\"fortran_order\":False}",
		"{'descr': '<f8', 'fortran_order': False, 'shape': (1L, 3L)}\n",
	} {
		for version := byte(1); version <= 3; version++ {
			in := npyFile(dict, nil)[:10]
			in[6] = version
			if version > 1 {
				in = binary.LittleEndian.AppendUint32(in[:8], uint32(len(dict)))
			}
			in = append(append(in, dict...), data...)
			pts, err := files.Points(in, Options{})
			if err != nil || len(pts) != 1 || pts[0] != (r3.Vector{X: 1, Y: 2, Z: 3}) {
				t.Errorf("version %d of %q: %v, %v", version, dict, pts, err)
			}
		}
	}
}

func TestNPYErrors(t *testing.T) {
	row := make([]byte, 24)
	good := "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3), }"
	dict := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for _, c := range []struct {
		name string
		in   []byte
		want string // text in the error for the file
		flow string // text in the error for the stream, or "" if it is the same
	}{
		{"cut in the magic's version", []byte("\x93NUMPY\x01"), "npy header is cut off", ""},
		{"cut in the header", npyFile(good, nil)[:40], "npy header is cut off", ""},
		{"version 4", append([]byte("\x93NUMPY\x04\x00"), make([]byte, 20)...), "npy version 4.0", ""},
		{"huge header", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), "npy header has 4294967295 bytes", ""},
		{"no dictionary", npyFile("[1, 2]", row), "not the dictionary", ""},
		{"missing key", npyFile("{'descr': '<f8', 'shape': (1, 3)}", row), "not the dictionary", ""},
		{"double key", npyFile("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1, 3)}", row), "not the dictionary", ""},
		{"other key", npyFile(dict("'shape'", "'size'"), row), "not the dictionary", ""},
		{"open dictionary", npyFile(dict("}", ""), row), "not the dictionary", ""},
		{"text after", npyFile(good+"x", row), "not the dictionary", ""},
		{"large integer", npyFile(dict("<f8", "<i8"), []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff")), "", "row 0: z is -72057594037927936: coordinates that are integers must be at most 2^53"},
		{"truth values", npyFile(dict("<f8", "|b1"), row), `dtype "|b1": expected numbers`, ""},
		{"dates", npyFile(dict("<f8", "<M8[ns]"), row), `dtype "<M8[ns]": expected numbers`, ""},
		{"complex", npyFile(dict("<f8", "<c16"), row), `dtype "<c16": expected numbers`, ""},
		{"texts", npyFile(dict("<f8", "<U2"), row), `dtype "<U2": expected numbers`, ""},
		{"no order", npyFile(dict("<f8", "=f8"), row), "does not name its byte order", ""},
		{"structured", npyFile(dict("'<f8'", "[('x', '<f8')]"), row), "expected one dimension", ""},
		{"flat", npyFile(dict("(1, 3)", "(3,)"), row), "shape [3]: expected N×3", ""},
		{"grid", npyFile(dict("(1, 3)", "(1, 1, 1, 3)"), row), "", ""},
		{"grid of pairs", npyFile(dict("(1, 3)", "(1, 1, 2)"), row[:16]), "expected N×3", ""},
		{"transposed grid", npyFile(dict("(1, 3)", "(3, 1, 1)"), row), "expected N×3", ""},
		{"grid that can be transposed", npyFile(dict("(1, 3)", "(3, 1, 4)"), make([]byte, 96)), "expected N×3", ""},
		{"wide grid", npyFile(dict("(1, 3)", "(1, 1, 33)"), make([]byte, 33*8)), "expected N×3", ""},
		{"grid in Fortran order", npyFile(strings.Replace(dict("(1, 3)", "(1, 1, 3)"), "False", "True", 1), row), "in Fortran order: numpy.ascontiguousarray", ""},
		{"huge grid", npyFile(dict("(1, 3)", "(9223372036854775807, 9223372036854775807, 3)"), row), "larger than any file", ""},
		{"scalar", npyFile(dict("(1, 3)", "()"), row), "expected N×3", ""},
		{"narrow", npyFile(dict("(1, 3)", "(1, 2)"), row), "expected N×3", ""},
		{"negative", npyFile(dict("(1, 3)", "(-1, 3)"), row), "not the dictionary", ""},
		{"comma alone", npyFile(dict("(1, 3)", "(,)"), row), "not the dictionary", ""},
		{"form feed", npyFile(dict("(1, 3)", "(1,\f3)"), row), "not the dictionary", ""},
		{"wide", npyFile(dict("(1, 3)", "(1, 99999999)"), row), "99999999 columns", ""},
		{"huge", npyFile(dict("(1, 3)", "(9223372036854775807, 3)"), row), "larger than any file", ""},
		{"larger than the file", npyFile(dict("(1, 3)", "(1000000000000, 3)"), row), "but the file has", "cut off"},
		{"truncated", npyFile(good, row[:23]), "but the file has", "cut off after row 0 of 1"},
		{"Fortran order", npyFile(dict("False", "True"), row), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "p.npy")
			if err := os.WriteFile(path, c.in, 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := New(path, file(t, path), file(t, path), int64(len(c.in)), Options{})
			checkError(t, err, path, c.want)
			flow := c.flow
			if flow == "" {
				flow = c.want
			}
			_, err = files.Points(c.in, Options{})
			checkError(t, err, "in", flow)
		})
	}
}

// checkError expects an error that begins with the name of the file and contains want. If want is
// empty, it expects no error.
func checkError(t *testing.T, err error, file, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("error %v, want none", err)
		}
		return
	}
	if err == nil || !strings.HasPrefix(err.Error(), file+": ") || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one of %s with %q", err, file, want)
	}
}

func TestNPYColumns(t *testing.T) {
	a := array{1, 5, []float64{1, 2, 3, 4, 5}}
	in := a.file(">f4", false)
	pts, err := files.Points(in, Options{Columns: [3]string{"5", "3", "1"}})
	if err != nil || len(pts) != 1 || pts[0] != (r3.Vector{X: 5, Y: 3, Z: 1}) {
		t.Errorf("%v, %v", pts, err)
	}
	for _, bad := range [][3]string{{"x", "y", "z"}, {"1", "2", "6"}, {"1", "1", "2"}} {
		if _, err := files.Points(in, Options{Columns: bad}); err == nil {
			t.Errorf("columns %v are accepted", bad)
		}
	}
}

func FuzzNPY(f *testing.F) {
	a := array{2, 4, []float64{1, 2, 3, 4, 5, 6, math.NaN(), 8}}
	f.Add(a.file("<f8", false))
	f.Add(a.file(">f4", true))
	f.Add(npyFile("{'shape': (0L, 3), 'descr': \"<f4\", 'fortran_order': False}", nil))
	f.Fuzz(func(t *testing.T, in []byte) {
		path := filepath.Join(t.TempDir(), "p.npy")
		if !bytes.HasPrefix(in, magic) {
			in = append(bytes.Clone(magic), in...)
		}
		if err := os.WriteFile(path, in, 0o666); err != nil {
			t.Fatal(err)
		}
		f := file(t, path)
		r, err := New(path, f, f, int64(len(in)), Options{Block: 64})
		if err != nil {
			return
		}
		out, sum, err := testcloud.Pump(r, insideColumn, func(s Array) (table.Sink, error) { return s.Passthrough(insideColumn) })
		if err != nil || sum.Rows != r.Rows() {
			t.Fatalf("%q: %d rows of %d, %v", in, sum.Rows, r.Rows(), err)
		}
		h, length, err := readOriented(strings.NewReader(out))
		if err != nil || h.rows != sum.Rows || int64(len(out)) != length+h.rows*h.rowBytes() {
			t.Fatalf("%q → %q: %v", in, out, err)
		}
		// The output must have the same coordinates as the input.
		want, err := testcloud.Points(open(t, path, Options{}))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := files.Points([]byte(out), Options{}); err != nil || !testcloud.SamePoints(got, want) {
			t.Fatalf("%q: output has %v, want %v, %v", in, got, want, err)
		}
	})
}

// TestNPYTransposed reads 3×N arrays. Without Options.Columns, New returns a warning if N is 4 to
// 32, and an error if N is larger.
func TestNPYTransposed(t *testing.T) {
	for columns, want := range map[int]string{
		3: "", 4: "shape (3, 4) is taken for three points, not for 4 points in columns",
		maxAmbiguousColumns: "shape (3, 32) is taken for three points, not for 32 points in columns", maxAmbiguousColumns + 1: "error",
	} {
		in := array{3, columns, make([]float64, 3*columns)}.file("<f8", false)
		src, err := New("in", bytes.NewReader(in), nil, -1, Options{})
		switch {
		case want == "error":
			if !errors.Is(err, table.ErrTransposed) {
				t.Errorf("%d columns: error %v, want ErrTransposed", columns, err)
			}
		case err != nil || strings.Join(src.Warnings(), "; ") != want:
			t.Errorf("%d columns: %v, want warning %q", columns, err, want)
		}
		src, err = New("in", bytes.NewReader(in), nil, -1, Options{Columns: [3]string{"1", "2", "3"}})
		if err != nil || src.Rows() != 3 || len(src.Warnings()) > 0 {
			t.Errorf("%d columns, given: %v", columns, err)
		}
	}
	in := array{4, 33, make([]float64, 4*33)}.file("<f8", false)
	if src, err := New("in", bytes.NewReader(in), nil, -1, Options{}); err != nil || len(src.Warnings()) > 0 {
		t.Errorf("four rows: %v", err)
	}
}

var insideColumn = []table.Column{{Name: "inside", Kind: table.Inside}}

// files opens test files as streams.
var files = testcloud.Format[Array, Options]{File: "in", New: New}

// file opens the file at path, and closes it at the end of the test.
func file(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// open returns a Source for the plain file at path.
func open(t *testing.T, path string, opt Options) Array {
	t.Helper()
	f := file(t, path)
	fi, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	src, err := New(path, f, f, fi.Size(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// append appends x to dst as an element of the array.
func (h *header) append(dst []byte, x float64) []byte {
	dst = append(dst, make([]byte, h.itemSize)...)
	h.putFloats(dst[len(dst)-h.itemSize:], h.itemSize, []float64{x})
	return dst
}

// readOriented reads a header, and sets the numbers of rows and columns.
func readOriented(r io.Reader) (h header, length int64, err error) {
	if h, length, err = readHeader(r); err == nil {
		err = h.orient(false)
	}
	return h, length, err
}

// An array of more than fewRows rows has smaller blocks. All rows are read in both cases.
func TestBlockRows(t *testing.T) {
	for rows, most := range map[int]int{fewRows: maxBlockRows, fewRows + 1: maxBlockRows / 2} {
		a := array{rows, 3, make([]float64, 3*rows)}
		src, err := New("in", bytes.NewReader(a.file("<f4", false)), nil, -1, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b table.Block
		sum, largest := 0, 0
		for err = src.Fill(&b); err == nil; err = src.Fill(&b) {
			if err := src.Parse(&b); err != nil {
				t.Fatal(err)
			}
			sum, largest = sum+len(b.Points), max(largest, len(b.Points))
		}
		if !errors.Is(err, io.EOF) || sum != rows || largest != most {
			t.Errorf("%d rows: %d read, %d in the largest block, want %d; error %v", rows, sum, largest, most, err)
		}
	}
}
