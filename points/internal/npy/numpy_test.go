package npy

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testcloud"
)

// numpy runs a script, or skips the test if NumPy is missing.
func numpy(t *testing.T, script, dir string) {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import numpy").Run() != nil {
			continue
		}
		if out, err := exec.Command(python, "-c", script, dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	t.Skip("this system has no NumPy")
}

// makeArrays writes arrays and archives, and the points of each as float64 without a header.
const makeArrays = `
import sys, numpy as np
d = sys.argv[1] + "/"
r = np.random.default_rng(1)
n = 1000
p = r.standard_normal((n, 3))
p[7, 1] = np.nan
p.tofile(d + "points.bin")
q = p.astype("f4").astype("f8")
q.tofile(d + "float32.bin")
ints = r.integers(-1000, 1000, (n, 3))
ints.astype("f8").tofile(d + "ints.bin")
def rec(dtype, **cols):
    a = np.zeros(n, dtype)
    for k, v in cols.items(): a[k] = v
    return a
x, y, z = p.T
save = lambda name, a: np.save(d + name, a)
save("plain.npy", rec([("x", "<f8"), ("id", "<i4"), ("y", "<f8"), ("z", "<f8")], x=x, y=y, z=z, id=np.arange(n)))
save("big.npy", rec([("z", ">f4"), ("y", ">f8"), ("x", ">f4"), ("t", "<U3"), ("s", "S4"), ("b", "?")], x=x, y=y, z=z, t="äb", s=b"q"))
save("padded.npy", rec(np.dtype([("a", "u1"), ("x", "f8"), ("y", "f4"), ("z", "f8")], align=True), x=x, y=y, z=z, a=3))
save("offsets.npy", rec(np.dtype({"names": ["y", "x", "z"], "formats": ["f8"] * 3, "offsets": [8, 20, 40], "itemsize": 64}), x=x, y=y, z=z))
a = rec([("pos", "<f8", (3,)), ("cov", "<f4", (2, 2)), ("when", "<M8[ns]")]); a["pos"] = p
save("subarray.npy", a)
a = rec([("p", [("x", "<f8"), ("yz", [("y", "<f8"), ("z", "<f8")])]), ("w", "<f2")]); a["p"]["x"] = x; a["p"]["yz"]["y"] = y; a["p"]["yz"]["z"] = z
save("nested.npy", a)
save("titles.npy", rec(np.dtype([(("the x", "x"), "<f8"), ("y", "<f8"), ("z", "<f8")]), x=x, y=y, z=z))
save("unicode.npy", rec([("x", "<f8"), ("y", "<f8"), ("z", "<f8"), ("größe€", "<f4")], x=x, y=y, z=z))
save("columns.npy", np.ascontiguousarray(p.T))
h = p.astype("f2"); h.astype("f8").tofile(d + "half.bin")
save("ints.npy", ints)
save("shorts.npy", np.asfortranarray(ints.astype(">i2")))
save("half.npy", h)
save("grid.npy", ints.reshape(10, 20, 5, 3))
save("rows.npy", np.concatenate([p, p], 1).reshape(50, 20, 6))
save("fortran.npy", np.asfortranarray(p))
save("fortran_columns.npy", np.asfortranarray(p.T))
for f, s in ("s", np.savez), ("d", np.savez_compressed):
    s(d + f + "_xyz.npz", x=x, y=y, z=z, id=np.arange(n), name=np.array(["a%d" % i for i in range(n)]), scale=0.5, other=np.arange(3))
    s(d + f + "_points.npz", points=p, intensity=np.arange(n, dtype="u2"))
    s(d + f + "_ints.npz", arr_0=ints)
    s(d + f + "_half.npz", p=h.astype(">f2"), w=np.arange(n, dtype="f2"))
    s(d + f + "_columns.npz", a=np.ascontiguousarray(p.T), b=np.arange(n))
    s(d + f + "_fortran.npz", a=np.asfortranarray(p), b=np.arange(n))
    s(d + f + "_two.npz", a=p, b=-p)
    s(d + f + "_record.npz", cloud=np.load(d + "plain.npy"))
    s(d + f + "_records.npz", cloud=np.load(d + "plain.npy"), w=np.arange(n))
`

// checkOutputs compares the outputs of Passthrough with the inputs.
const checkOutputs = `
import sys, glob, numpy as np
d = sys.argv[1] + "/"
n = 1000
def same(a, b): return a.dtype.newbyteorder("=") == b.dtype.newbyteorder("=") and a.tobytes() == b.tobytes()
count = 0
for path in glob.glob(d + "*.out.npy"):
    name = path[len(d):-8]
    out = np.load(path)
    state = out["state"] if out.dtype.names else None
    if state is None:
        a = np.load(d + name)
        if a.dtype.kind in "iu" or a.dtype.itemsize == 2:
            count += 1
            assert out.dtype == "<f8" and out.shape[0] == n and (out[:, :3] == a.reshape(-1, 3)).all(axis=1).sum() >= n - 1, name
        continue
    count += 1
    assert len(out) == n, name
    assert (out["winding"][1:11] == np.arange(1, 11) / 7).all() and (out["nearest"] == np.arange(n) - 3).all(), name
    assert (state == np.array([255, 0, 2, 1])[np.arange(n) % 4]).all(), name
    a = np.load(d + name)
    if isinstance(a, np.ndarray):
        for f in a.dtype.names:
            assert same(out[f], a[f]), (name, f)
        continue
    for f in a.files:
        v = a[f]
        if v.dtype.names and f in out.dtype.names:
            assert same(out[f], v), (name, f)
        elif v.dtype.names:
            for g in v.dtype.names: assert same(out[g], v[g]), (name, g)
        elif v.shape == (n,):
            assert same(out[f], v), (name, f)
assert count >= 28, count
`

// TestNumPy reads arrays that NumPy has written. NumPy reads the outputs.
func TestNumPy(t *testing.T) {
	dir := t.TempDir()
	numpy(t, makeArrays, dir)
	points := func(name string) (pts []r3.Vector) {
		data, err := os.ReadFile(filepath.Join(dir, name+".bin"))
		if err != nil {
			t.Fatal(err)
		}
		at := func(k int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(data[8*k:])) }
		for k := 0; k < len(data)/8; k += 3 {
			pts = append(pts, r3.Vector{X: at(k), Y: at(k + 1), Z: at(k + 2)})
		}
		return pts
	}
	mixed := func(single string) []r3.Vector { // some coordinates are float32
		pts, rounded := points("points"), points("float32")
		for k := range pts {
			for axis, to := range []*float64{&pts[k].X, &pts[k].Y, &pts[k].Z} {
				if strings.Contains(single, "xyz"[axis:axis+1]) {
					*to = []float64{rounded[k].X, rounded[k].Y, rounded[k].Z}[axis]
				}
			}
		}
		return pts
	}
	all := points("points")
	type test struct {
		file    string
		want    []r3.Vector
		columns string
	}
	tests := []test{{"plain.npy", all, ""}, {"big.npy", mixed("xz"), ""}, {"padded.npy", mixed("y"), ""}, {"offsets.npy", all, ""},
		{"subarray.npy", all, "pos_0,pos_1,pos_2"}, {"nested.npy", all, "p.x,p.yz.y,p.yz.z"}, {"titles.npy", all, ""}, {"unicode.npy", all, ""},
		{"ints.npy", points("ints"), ""}, {"shorts.npy", points("ints"), ""}, {"half.npy", points("half"), ""}, {"grid.npy", points("ints"), ""}, {"rows.npy", all, ""},
		{"columns.npy", all, "row:1,row:2,row:3"}, {"fortran.npy", all, ""}, {"fortran_columns.npy", all, "row:1,row:2,row:3"}}
	for _, f := range []string{"s", "d"} {
		tests = append(tests, test{f + "_xyz.npz", all, ""}, test{f + "_points.npz", all, ""}, test{f + "_ints.npz", points("ints"), ""}, test{f + "_half.npz", points("half"), ""},
			test{f + "_columns.npz", all, "a:row:1,a:row:2,a:row:3"}, test{f + "_fortran.npz", all, ""}, test{f + "_two.npz", all, "a:1,a:2,a:3"},
			test{f + "_record.npz", all, ""}, test{f + "_records.npz", all, "cloud.x,cloud.y,cloud.z"})
	}
	for _, c := range tests {
		data, err := os.ReadFile(filepath.Join(dir, c.file))
		if err != nil {
			t.Fatal(err)
		}
		opt := Options{}
		if c.columns != "" {
			copy(opt.Columns[:], strings.Split(c.columns, ","))
		}
		format := testcloud.Format[Array, Options]{File: c.file, New: New}
		if strings.HasSuffix(c.file, ".npz") {
			format.New = NewArchive
		}
		whole := ""
		for _, stream := range []bool{false, true} {
			for _, opt.Block = range []int{0, 500} {
				src, err := format.Open(string(data), stream, opt)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := testcloud.Points(src); err != nil || !testcloud.SamePoints(got, c.want) {
					t.Fatalf("%s, stream %v: other points, %v", c.file, stream, err)
				}
				whole = format.MustPassthrough(t, string(data), stream, opt, testcloud.AllColumns, true, nil)
				unknown := format.MustPassthrough(t, string(data), stream, opt, testcloud.AllColumns, false, nil)
				if got := testcloud.Resumed(t, format.Start(t, string(data), stream, opt, testcloud.AllColumns), 1, nil); got != unknown {
					t.Errorf("%s: another output after an interruption", c.file)
				}
			}
		}
		if err := os.WriteFile(filepath.Join(dir, c.file+".out.npy"), []byte(whole), 0o666); err != nil {
			t.Fatal(err)
		}
		var heads [][]byte
		var rows []int64
		body := ""
		for i := range 3 {
			part := format.MustPassthrough(t, string(data), false, Options{Columns: opt.Columns, Shard: i + 1, Shards: 3}, testcloud.AllColumns, true, nil)
			h, n, err := readOriented(strings.NewReader(part))
			if err != nil {
				t.Fatal(err)
			}
			heads, rows, body = append(heads, []byte(part[:n])), append(rows, h.rows), body+part[n:]
		}
		if head, err := (Joiner{}).JoinHeads(heads, rows); err != nil || string(head)+body != whole {
			t.Errorf("%s: joined shards differ: %v", c.file, err)
		}
	}
	numpy(t, checkOutputs, dir)
}

// TestArchiveRefused checks the messages for archives whose points are not clear, and for damage.
func TestArchiveRefused(t *testing.T) {
	dir := t.TempDir()
	numpy(t, makeArrays+`
np.savez(d + "none.npz", a=np.zeros(5))
np.savez(d + "object.npz", a=np.array([{}, 1]), b=p)
np.savez(d + "transposed.npz", a=p.T)
np.savez(d + "short.npz", x=p[:, 0], y=p[1:, 1], z=p[:, 2])
open(d + "damaged.npz", "wb").write(open(d + "s_points.npz", "rb").read().replace(p.tobytes()[-60:-50], b"0123456789"))
open(d + "deflated.npz", "wb").write((lambda b: b[:9000] + bytes(60) + b[9060:])(open(d + "d_points.npz", "rb").read()))
open(d + "cut.npz", "wb").write(open(d + "d_points.npz", "rb").read()[:-500])
`, dir)
	for _, c := range []struct{ file, columns, want string }{
		{"none.npz", "", "no array has the shape N×3"},
		{"s_two.npz", "", "several arrays can be the points"},
		{"transposed.npz", "", "no array has the shape N×3"},
		{"transposed.npz", "a:1,a:2,a:row:3", "named as rows and as columns"},
		{"transposed.npz", "a:row:1,a:row:2,a:row:4", "has no row 4"},
		{"short.npz", "", `array "y" is left out: its shape is [`},
		{"object.npz", "a,a,a", "objects of Python cannot be read"},
		{"s_xyz.npz", "x,y,q", `no array "q"`},
		{"s_xyz.npz", "x,y,name", "cannot be a coordinate"},
		{"s_xyz.npz", "x,y,other", `no column "other"`},
		{"damaged.npz", "", "damaged"},
		{"deflated.npz", "", ""},
		{"cut.npz", "", "zip archive is damaged"},
	} {
		data, err := os.ReadFile(filepath.Join(dir, c.file))
		if err != nil {
			t.Fatal(err)
		}
		opt := Options{}
		if c.columns != "" {
			copy(opt.Columns[:], strings.Split(c.columns, ","))
		}
		format := testcloud.Format[Array, Options]{File: "in", New: NewArchive}
		src, err := format.Open(string(data), false, opt)
		if err == nil {
			err = testcloud.ReadAll(src)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "in: ") {
			t.Errorf("%s, %s: %v, want %s", c.file, c.columns, err, c.want)
		}
		if src, err := format.Open(string(data), false, Options{Columns: opt.Columns, Bytes: [2]int64{1, 2}}); err == nil {
			t.Errorf("%s: a range of bytes of %v", c.file, src)
		}
	}
	src, err := os.ReadFile(filepath.Join(dir, "s_xyz.npz"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := testcloud.Format[Array, Options]{File: "in", New: NewArchive}.Open(string(src), false, Options{})
	if err != nil || len(a.Warnings()) != 2 {
		t.Errorf("%v, %v", a.Warnings(), err)
	}
}

// TestRecordRefused checks the messages for types that cannot be read.
func TestRecordRefused(t *testing.T) {
	for descr, want := range map[string]string{
		"[('x', '<f8'), ('y', '<f8'), ('z', '|O')]":                              "objects of Python",
		"[('x', '<f8'), ('y', '<f8'), ('z', '=f8')]":                             "does not name its byte order",
		"[('x', '<f8'), ('y', '<f8'), ('w', '<f8')]":                             "no column for z",
		"[('x', '<f8'), ('y', '<f8'), ('z', '<q8')]":                             "expected numbers, truth values or texts",
		"[('x', '<f8'), ('y', '<f8'), ('z', 'f')]":                               "not a type of NumPy",
		"[('x', '<f8'), ('y', '<f8'), ('z',)]":                                   "expected a field",
		"[('x', '<f8'), ('y', '<f8'), 'z']":                                      "expected a field",
		"[('x', '<f8') ('y', '<f8')]":                                            "expected a field",
		"[('x', '<f8'), ('y', '<f8'), ('z', '<f8', (-1,))]":                      "expected a field",
		"[('x', '<f8'), ('y', '<f8'), ('z', '<f8'), ('a', '<f8', (9999, 9999))]": "expected a field",
		"[]": "a record of 0 bytes",
		"[('x', [('y', " + strings.Repeat("[('y', ", 20) + "'<f8'" + strings.Repeat(")]", 20) + ")])]": "more than 16 levels",
		"[('x', '<f8'), (": "not the dictionary",
	} {
		in := npyFile(fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': (1,), }\n", descr), make([]byte, 24))
		if _, err := files.Points(in, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", descr, err, want)
		}
	}
	for columns, want := range map[string]string{"row:1,row:2,3": "expected three rows", "row:1,row:2,row:0": "expected row:", "row:1,row:2,row:9": "no column 9"} {
		a := array{4, 5, make([]float64, 20)}
		opt := Options{}
		copy(opt.Columns[:], strings.Split(columns, ","))
		if _, err := files.Points(a.file("<f8", false), opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", columns, err)
		}
	}
}

// FuzzRecords copies every valid array with fields.
func FuzzRecords(f *testing.F) {
	f.Add("[('x', '<f8'), ('y', '>f4'), ('z', '|u1'), ('', '|V3'), ('t', '<U2'), ('s', '<i2', (2, 2))]", string(make([]byte, 96)), true)
	f.Add("[('7', '<f8'), ('v', '>f8'), ('M', 'u1')]", string(make([]byte, 17)), false)
	f.Add("[('p', [('x', '<f8'), ('y', '>f4')]), ('z', '|b1')]", string(make([]byte, 26)), false)
	f.Fuzz(func(t *testing.T, descr, data string, stream bool) {
		rows := 0
		if r, err := parseRecord(descr); err == nil {
			rows = len(data) / r.size
			data = data[:rows*r.size]
		}
		in := string(npyFile(fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': (%d,), }\n", descr, rows), []byte(data)))
		out, err := files.Passthrough(in, stream, Options{}, testcloud.AllColumns, true, nil)
		if err != nil {
			return
		}
		src, err := files.Open(in, stream, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := testcloud.Points(src)
		if err != nil {
			t.Fatal(err)
		}
		// The answers can make it unclear which columns are the coordinates.
		if got, err := files.Points([]byte(out), named(src)); err != nil || !testcloud.SamePoints(got, want) {
			t.Fatalf("%q\nbecame %q: %v", in, out, err)
		}
	})
}

// named returns Options with the names of the coordinates of src.
func named(src Array) (opt Options) {
	for axis, k := range src.Axes() {
		opt.Columns[axis] = src.Fields()[k].Name
	}
	return opt
}

// FuzzArchive reads archives.
func FuzzArchive(f *testing.F) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		for name, data := range map[string][]byte{
			"p": array{3, 4, make([]float64, 12)}.file("<f8", true),
			"t": npyFile("{'descr': '<U2', 'fortran_order': False, 'shape': (3,), }\n", make([]byte, 24)),
		} {
			w, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: method})
			if err == nil {
				_, err = w.Write(data)
			}
			if err != nil {
				f.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		format := testcloud.Format[Array, Options]{File: "in", New: NewArchive}
		out, err := format.Passthrough(string(in), false, Options{}, testcloud.AllColumns, true, nil)
		if err != nil {
			return
		}
		src, err := format.Open(string(in), true, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := testcloud.Points(src)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := files.Points([]byte(out), named(src)); err != nil || !testcloud.SamePoints(got, want) {
			t.Fatalf("%q\nbecame %q: %v", in, out, err)
		}
	})
}
