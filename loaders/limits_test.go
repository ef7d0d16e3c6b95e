package loaders

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// gzipped returns data compressed with gzip.
func gzipped(data string) string {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	io.WriteString(w, data)
	w.Close()
	return buf.String()
}

func zstandard(data string) string {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return string(w.EncodeAll([]byte(data), nil))
}

func TestPacked(t *testing.T) {
	text := "OFF\n4 1 0\n" + offFour + "3 0 1 2\n"
	for _, a := range []acceptance{
		{"gzip", "a.off.gz", gzipped(text), 4, 1, "", ""},
		{"gzip without its suffix", "a.off", gzipped(text), 4, 1, "", ""},
		{"gzip of two members", "a.off.gz", gzipped(text[:20]) + gzipped(text[20:]), 4, 1, "", ""},
		{"gzip with padding", "a.off.gz", gzipped(text[:20]) + gzipped(text[20:]) + strings.Repeat("\x00", 700), 4, 1, "", ""},
		{"zstandard", "a.off.zst", zstandard(text), 4, 1, "", ""},
		{"zstandard behind a skippable frame", "a.off.zst", "\x5a\x2a\x4d\x18\x03\x00\x00\x00abc" + zstandard(text), 4, 1, "", ""},
		{"zstandard, format by the inner suffix", "a.OBJ.ZST", zstandard(square + "f 1 2 3\n"), 4, 1, "", ""},
	} {
		a.run(t)
	}
	_, info, err := readString("a.off.gz", gzipped(text))
	if err != nil || info.Compression != "gzip" || info.Bytes != int64(len(text)) || info.Format != OFF {
		t.Errorf("got %+v, %v, want gzip, %d bytes", info, err, len(text))
	}
	flipped := []byte(gzipped(text))
	flipped[len(flipped)-6] ^= 1 // damage the checksum
	spoilt := []byte(zstandard(text))
	spoilt[len(spoilt)-1] ^= 1 // damage the checksum
	for _, r := range []refusal{
		{"gzip cut", "a.off.gz", gzipped(text)[:30], ErrTruncated, "gzip data is cut off at byte 30"},
		{"gzip with a tail", "a.off.gz", gzipped(text) + "a tail of text", ErrSyntax, "bytes after the end of the gzip data"},
		{"gzip with padding inside", "a.off.gz", gzipped(text[:20]) + "\x00" + gzipped(text[20:]), ErrSyntax, "bytes after the end of the gzip data"},
		{"gzip header cut", "a.off.gz", gzipped(text)[:5], ErrTruncated, "gzip"},
		{"gzip broken", "a.off.gz", string(flipped), ErrSyntax, "checksum"},
		{"zstandard cut", "a.off.zst", zstandard(text)[:20], ErrTruncated, "zstd data is cut off at byte 20"},
		{"zstandard broken", "a.off.zst", string(spoilt), ErrSyntax, "invalid zstd data"},
		// In this frame header, the single-segment flag is 0 and the window exponent is 31 (RFC 8878,
		// 3.1.1.1).
		{"zstandard of a huge window", "a.off.zst", "\x28\xb5\x2f\xfd\x00\xf8\x01\x00\x00", ErrTooLarge, "window"},
		{"empty inside", "a.off.gz", gzipped(""), ErrEmpty, ""},
		{"packed twice", "a.off.gz", gzipped(gzipped(text)), ErrSyntax, ""},
	} {
		r.run(t)
	}
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name, data string
		want       Format
	}{
		{"a.stl", "OFF\n1 2 3", OFF},
		{"a.off", "ply\nformat", PLY},
		{"a.obj", "glTF\x02\x00\x00\x00", GLB},
		{"a.ply", " {\"asset\":{}}", GLTF},
		{"a.ply", " {\"nodes\":[{}],\"accessors\":[", GLTF},
		{"a.gltf", "{\"extras\":1", GLTF},
		{"a", "{\"buffers\":[{\"uri\":\"" + strings.Repeat("x", jsonHead) + "\"}],\"asset\":{}}", GLTF},
		{"a.obj", "{\"type\":\"CityJSON\"", CityJSON},
		{"a", "{\"version\":\"1.1\",\"type\" : \"CityJSON\",", CityJSON},
		{"a", "\x1e{\"CityObjects\":{", CityJSON},
		{"a", "\xff\xfe{\x00\"\x00C\x00i\x00t\x00y\x00O\x00b\x00j\x00e\x00c\x00t\x00s\x00\"\x00:\x00{\x00", CityJSON},
		{"a", "{\"a\":\"" + strings.Repeat("x", jsonHead) + "\",\"type\":\"CityJSON\"}", CityJSON},
		{"a.city.json", "{\"a\":", CityJSON},
		{"a.city.jsonl.gz", "{\"a\":", CityJSON},
		{"a.cityjson", "", CityJSON},
		{"a.json", "{\"a\":1}", Auto},
		{"a.jsonl", "{\"x\":1}", Auto},
		{"a", "{\"type\":\"CityJSON", Auto},
		{"a", "{\"type\":7,\"x\":{\"type\":\"CityJSON\"}}", Auto},
		{"a.glb", "PK\x03\x04", ThreeMF},
		{"a.off", "solid x\nfacet", STL},
		{"a.off", "solidify", OFF},
		{"a.obj", "plywood", OBJ},
		{"a.OFF", "8 6 12\n", OFF},
		{"a.stl", binarySTL("OFF ", 2, 2), STL},
		{"a.ply", binarySTL("ply\n", 2, 2), STL},
		{"a.stl", binarySTL("{", 2, 2), STL},
		{"a.stl", binarySTL("COFF", 2, 2), STL},
		{"a.stl", binarySTL("ply ", 2, 3), PLY},
		{"a.coff.zst", "8 6 12\n", OFF},
		{"noname", "v 1 2 3\n", OBJ},
		{"noname", "# x\n\n mtllib a.mtl\n", OBJ},
		{"noname", "v\n", Auto},
		{"noname", "hello\n", Auto},
		{"noname.", "", Auto},
		{"noname", binarySTL("", 2, 2), STL},
		{"noname", binarySTL("", 2, 3), Auto},
	} {
		if got, _ := detect(c.name, []byte(c.data)); got != c.want {
			t.Errorf("detect(%q, %q) = %v, want %v", c.name, c.data, got, c.want)
		}
	}
	for f := Auto; int(f) < len(formats); f++ {
		if got, err := ParseFormat(strings.ToUpper(f.String())); got != f || err != nil {
			t.Errorf("ParseFormat(%v) = %v, %v", f, got, err)
		}
	}
	if _, err := ParseFormat("step"); !errors.Is(err, ErrUnknownFormat) {
		t.Errorf("got %v, want ErrUnknownFormat", err)
	}
	refusal{"unknown", "a.dat", "10303-21;", ErrUnknownFormat, "a.dat: unknown format"}.run(t)
}

// TestForcedFormat checks that Options.Format has priority over the format that the content
// suggests.
func TestForcedFormat(t *testing.T) {
	_, info, err := Read(context.Background(), "a.obj", strings.NewReader(square+"f 1 2 3\n"), Options{Format: OFF})
	if !errors.Is(err, ErrSyntax) || info.Format != OFF {
		t.Errorf("got %v as %v, want a syntax error of OFF", err, info.Format)
	}
	if _, _, err := Read(context.Background(), "a", strings.NewReader(square), Options{Format: 99}); !errors.Is(err, ErrUnknownFormat) {
		t.Errorf("got %v, want ErrUnknownFormat", err)
	}
}

// TestMemoryLimit reads files that need more memory than a small limit, and measures the
// allocations. The default limit is large enough for the files.
func TestMemoryLimit(t *testing.T) {
	const limit = 8 << 20
	zeros := strings.Repeat("\x00", 64<<20)
	var polygon strings.Builder
	polygon.WriteString(square + "f")
	for range 1 << 20 {
		polygon.WriteString(" 1 2 3 4")
	}
	for _, c := range []struct{ name, file, data string }{
		{"gzip bomb", "a.stl.gz", gzipped(zeros)},
		{"zstandard bomb", "a.stl.zst", zstandard(zeros)},
		{"gzip bomb of vertices", "a.obj.gz", gzipped(strings.Repeat("v 0 0 0\n", 1<<20))},
		{"gzip bomb of a header", "a.ply.gz", gzipped(plyHead("binary_little_endian", "element vertex 10000000\nproperty char x\nproperty char y\nproperty char z", plyOne) + zeros)},
		{"huge polygon", "a.obj.gz", gzipped(polygon.String())},
		{"gzip bomb of MSH nodes", "a.msh.gz", gzipped("$MeshFormat\n2.2 1 8\n\x01\x00\x00\x00\n$EndMeshFormat\n$Nodes\n2000000\n" + zeros)},
		{"gzip bomb of VTK points", "a.vtk.gz", gzipped(vtkHead("BINARY", "POLYDATA") + "POINTS 5000000 float\n" + zeros)},
		{"zlib bomb of VTK points", "a.vtp", vtkBomb("zlib")},
		{"LZ4 bomb of VTK points", "a.vtp", vtkBomb("lz4")},
		{"gzip bomb of VTK pieces", "a.vtp.gz", gzipped(`<VTKFile type="PolyData"><PolyData>` + strings.Repeat(`<Piece NumberOfPoints="0"/>`, 1<<18))},
		{"VTK image of many points", "a.vti", vtkImage(`WholeExtent="0 299 0 299 0 299"`, "0 299 0 299 0 299")},
		{"VTK image of many pieces", "a.vti.gz", gzipped(vtkImage(`WholeExtent="0 9 0 9 0 9"`, slices.Repeat([]string{"0 9 0 9 0 9"}, 1<<14)...))},
		{"coordinates of a VTK grid", "a.vtk.gz", gzipped(vtkHead("BINARY", "RECTILINEAR_GRID") + "X_COORDINATES 5000000 float\n" + zeros)},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := Read(context.Background(), c.file, strings.NewReader(c.data), Options{MaxMemory: limit})
		runtime.ReadMemStats(&after)
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrTooLarge) || e.Hint == "" {
			t.Errorf("%s: got %v, want ErrTooLarge with a hint", c.name, err)
		}
		// TotalAlloc also counts memory that was freed, such as replaced buffers.
		if got := int64(after.TotalAlloc - before.TotalAlloc); got > 4*limit {
			t.Errorf("%s: allocated %d bytes with a limit of %d", c.name, got, limit)
		}
	}
	if _, _, err := Read(context.Background(), "a.obj", strings.NewReader(square+"f 1 2 3\n"), Options{MaxMemory: limit}); err != nil {
		t.Errorf("a small file: %v", err)
	}
	if _, _, err := Read(context.Background(), "a.obj", strings.NewReader(square), Options{MaxMemory: -1}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("negative limit: got %v", err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "part.obj")
	if err := os.WriteFile(path, []byte(square+"f 1 2 3 4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var last, total int64
	soup, info, err := Load(context.Background(), path, Options{Progress: func(d, n int64) {
		if d < last {
			t.Errorf("progress went from %d to %d", last, d)
		}
		last, total = d, n
	}})
	if err != nil {
		t.Fatal(err)
	}
	checkSoup(t, soup)
	if info.Bytes == 0 || last != info.Bytes || total != info.Bytes {
		t.Errorf("progress ended at %d of %d, want %d", last, total, info.Bytes)
	}
	for _, c := range []struct {
		path string
		kind error
	}{
		{filepath.Join(dir, "none.obj"), fs.ErrNotExist},
		{dir, syscall.EISDIR},
	} {
		_, _, err := Load(context.Background(), c.path, Options{})
		var e *Error
		if !errors.As(err, &e) || e.File != c.path || !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want %v", c.path, err, c.kind)
		}
		if strings.Count(err.Error(), c.path) != 1 {
			t.Errorf("%q does not name the file once", err)
		}
	}
}

// TestCanceled checks that Load and Read stop when the context is canceled.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, name := range []string{"a.stl", "a.obj", "a.ply", "a.off", "a.cityjson"} {
		_, _, err := Read(ctx, name, strings.NewReader("x"), Options{})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", name, err)
		}
	}
	soup := torus(100, 100)
	for name, data := range map[string][]byte{
		"a.stl": asciiSTL(soup), "a.obj": objText(soup), "a.ply": asciiPLY(soup),
		"b.stl": []byte(binarySTL("", 30000, 30000)),
	} {
		// The first call of Progress cancels the context.
		ctx, cancel := context.WithCancel(context.Background())
		_, _, err := Read(ctx, name, bytes.NewReader(data), Options{Progress: func(done, total int64) { cancel() }})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", name, err)
		}
		cancel()
	}
}

// TestSameForAnyWorkers reads files of several chunks. The result must be the same for every number
// of processors.
func TestSameForAnyWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	soup := torus(150, 100)
	for name, data := range map[string][]byte{"a.stl": asciiSTL(soup), "a.obj": objText(soup), "a.ply": asciiPLY(soup)} {
		var want string
		for _, n := range []int{1, 2, 7} {
			runtime.GOMAXPROCS(n)
			got, _, err := Read(context.Background(), name, bytes.NewReader(data), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if text := describe(got); want == "" {
				want = text
			} else if text != want {
				t.Errorf("%s: %d processors give another soup", name, n)
			}
		}
	}
}
