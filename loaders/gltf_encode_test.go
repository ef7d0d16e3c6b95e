package loaders

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// componentTypes lists the component types of glTF.
var componentTypes = []struct {
	code, size int
	maxInt     float64 // largest normalized integer, which represents 1; 0 for floats
}{{5120, 1, 127}, {5121, 1, 255}, {5122, 2, 32767}, {5123, 2, 65535}, {5126, 4, 0}}

// encode returns x as a component of the type with the given code.
func encode(code int, x int) []byte {
	switch code {
	case 5120:
		return bytesOf(int8(x))
	case 5121:
		return bytesOf(uint8(x))
	case 5122:
		return bytesOf(int16(x))
	case 5123:
		return bytesOf(uint16(x))
	case 5125:
		return bytesOf(uint32(x))
	}
	return bytesOf(float32(x))
}

// gltfWriter collects the buffer views of one buffer.
type gltfWriter struct {
	buffer []byte
	views  []string
}

// view appends a buffer view with gaps before and between the rows. It returns the number of the
// view and the byte offset for an accessor.
func (w *gltfWriter) view(code int, rows [][]int, stride, lead int) (view, offset int) {
	for len(w.buffer)%4 != 0 {
		w.buffer = append(w.buffer, 0xee)
	}
	start := len(w.buffer)
	for range lead {
		w.buffer = append(w.buffer, 0xdd)
	}
	end := len(w.buffer)
	for _, row := range rows {
		begin := end
		w.buffer = w.buffer[:end]
		for _, x := range row {
			w.buffer = append(w.buffer, encode(code, x)...)
		}
		end = len(w.buffer)
		if stride > 0 {
			for end = begin + stride; len(w.buffer) < end; {
				w.buffer = append(w.buffer, 0xcc)
			}
		}
	}
	// The last element has no gap after it.
	strided := ""
	if stride > 0 {
		strided = fmt.Sprintf(`,"byteStride":%d`, stride)
	}
	w.views = append(w.views, fmt.Sprintf(`{"buffer":0,"byteOffset":%d,"byteLength":%d%s}`, start, len(w.buffer)-start, strided))
	return len(w.views) - 1, lead
}

// TestGLTFEncodings writes one small mesh in random encodings and checks the triangles. The
// encodings vary in component type, normalization, stride, offset, sparse elements, index type and
// length of the accessors. Some documents have no indices.
func TestGLTFEncodings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 40).Draw(t, "vertices")
		points := make([][]int, n)
		for i := range points {
			points[i] = rapid.SliceOfN(rapid.IntRange(0, 127), 3, 3).Draw(t, "point")
		}
		kind := rapid.SampledFrom(componentTypes).Draw(t, "component")
		normalized := rapid.Bool().Draw(t, "normalized")
		var w gltfWriter

		// Some positions are stored as sparse elements. In some documents all positions are sparse,
		// and the accessor has no buffer view.
		base := make([][]int, n)
		var where, values [][]int
		bare := rapid.Bool().Draw(t, "no base")
		for i := range points {
			base[i] = points[i]
			if bare || rapid.IntRange(0, 3).Draw(t, "sparse") == 0 {
				base[i] = []int{99, 98, 97}
				where, values = append(where, []int{i}), append(values, points[i])
			}
		}
		tight := 3 * kind.size
		stride := rapid.SampledFrom([]int{0, tight, tight + 1, 4 * tight}).Draw(t, "stride")
		position := fmt.Sprintf(`{"componentType":%d,"type":"VEC3","count":%d,"normalized":%t`, kind.code, n, normalized)
		if !bare {
			view, offset := w.view(kind.code, base, stride, rapid.IntRange(0, 9).Draw(t, "lead"))
			position += fmt.Sprintf(`,"bufferView":%d,"byteOffset":%d`, view, offset)
		}
		if len(where) > 0 {
			code := rapid.SampledFrom([]int{5121, 5123, 5125}).Draw(t, "sparse indices")
			iv, io := w.view(code, where, 0, rapid.IntRange(0, 4).Draw(t, "lead of indices"))
			vv, vo := w.view(kind.code, values, 0, rapid.IntRange(0, 4).Draw(t, "lead of values"))
			position += fmt.Sprintf(`,"sparse":{"count":%d,"indices":{"bufferView":%d,"byteOffset":%d,"componentType":%d},"values":{"bufferView":%d,"byteOffset":%d}}`,
				len(where), iv, io, code, vv, vo)
		}
		accessors := []string{position + "}"}

		// Some documents have indices, which use all vertices or only a few. The other documents
		// use the vertices in order.
		primitive := `"attributes":{"POSITION":0}`
		var corners []int
		if rapid.Bool().Draw(t, "indexed") {
			corners = rapid.SliceOfN(rapid.IntRange(0, n-1), 3, 30).Draw(t, "corners")
			corners = corners[:len(corners)/3*3]
			rows := make([][]int, len(corners))
			for i, c := range corners {
				rows[i] = []int{c}
			}
			code := rapid.SampledFrom([]int{5121, 5123, 5125}).Draw(t, "indices")
			view, offset := w.view(code, rows, rapid.SampledFrom([]int{0, 4, 7}).Draw(t, "index stride"), rapid.IntRange(0, 4).Draw(t, "index lead"))
			accessors = append(accessors, fmt.Sprintf(`{"bufferView":%d,"byteOffset":%d,"componentType":%d,"type":"SCALAR","count":%d}`, view, offset, code, len(corners)))
			primitive += `,"indices":1`
		} else {
			if n%3 != 0 {
				t.Skip("vertices that are no whole number of triangles")
			}
			for i := range n {
				corners = append(corners, i)
			}
		}

		text := gltfText(w.buffer, fmt.Sprintf(`"bufferViews":[%s],"accessors":[%s],"meshes":[{"primitives":[{%s}]}],%s`,
			strings.Join(w.views, ","), strings.Join(accessors, ","), primitive, tetScene))
		soup, _, err := readString("a.gltf", text)
		if err != nil {
			t.Fatalf("%v; input %s", err, text)
		}
		checkSoup(t, soup)
		if len(soup.Faces) != len(corners)/3 {
			t.Fatalf("%d faces, want %d; input %s", len(soup.Faces), len(corners)/3, text)
		}
		for k, c := range corners {
			v := soup.Vertices[soup.Faces[k/3][k%3]]
			for axis, got := range [3]float64{v.X, v.Y, v.Z} {
				want := float64(points[c][axis])
				if normalized && kind.maxInt > 0 {
					want /= kind.maxInt
				}
				if got != want {
					t.Fatalf("corner %d is %v, want %v on axis %d; input %s", k, v, want, axis, text)
				}
			}
		}
	})
}

// TestGLTFNormalized checks normalized integers at the ends of their ranges (glTF 2.0 §3.11).
func TestGLTFNormalized(t *testing.T) {
	for _, c := range []struct {
		code  int
		value int
		want  float64
	}{
		{5120, 127, 1}, {5120, -127, -1}, {5120, -128, -1}, {5120, 1, 1.0 / 127},
		{5121, 255, 1}, {5121, 51, 0.2},
		{5122, 32767, 1}, {5122, -32767, -1}, {5122, -32768, -1}, {5122, -1, -1.0 / 32767},
		{5123, 65535, 1}, {5123, 13107, 0.2},
		{5126, 7, 7}, // normalization has no effect on floats
	} {
		var w gltfWriter
		w.view(c.code, [][]int{{c.value, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 0, 0)
		text := gltfText(w.buffer, fmt.Sprintf(`"bufferViews":[%s],"accessors":[{"bufferView":0,"componentType":%d,"normalized":true,"type":"VEC3","count":3}],`+
			`"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],%s`, w.views[0], c.code, tetScene))
		soup, _, err := readString("a.gltf", text)
		if err != nil {
			t.Fatal(err)
		}
		if got := soup.Vertices[0].X; got != c.want {
			t.Errorf("%d of type %d: got %v, want %v", c.value, c.code, got, c.want)
		}
	}
}

// TestGLTFMemory checks that Read refuses small documents that declare a very large content.
func TestGLTFMemory(t *testing.T) {
	zeros := func(count int, mode string) string {
		return `{"asset":{"version":"2.0"},"accessors":[{"componentType":5126,"type":"VEC3","count":` + fmt.Sprint(count) + `}],` +
			`"meshes":[{"primitives":[{"attributes":{"POSITION":0}` + mode + `}]}],` + tetScene + `}`
	}
	// Node i lists node i+1 twice as a child, so there are 2^60 paths.
	chain := func(leaf string) string {
		var nodes []string
		for i := range 60 {
			nodes = append(nodes, fmt.Sprintf(`{"children":[%d,%d]}`, i+1, i+1))
		}
		return tetText(`"scenes":[{"nodes":[0]}],"nodes":[` + strings.Join(nodes, ",") + "," + leaf + "]")
	}
	many := func(n int) string {
		return tetText(`"scenes":[{"nodes":[` + strings.Repeat("0,", n-1) + `0]}],"nodes":[{"mesh":0}]`)
	}
	deep := `{"asset":{"version":"2.0","extras":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}}`
	for _, c := range []struct {
		name, text string
		limit      int64
		kind       error
	}{
		{"zeros", zeros(300_000_000, ""), 0, ErrTooLarge},
		{"a strip of zeros", zeros(2_000_000_000, `,"mode":5`), 0, ErrTooLarge},
		{"a doubled chain of meshes", chain(`{"mesh":0}`), 64 << 20, ErrTooLarge},
		{"a doubled chain of nothing", chain(`{}`), 0, ErrTooLarge},
		{"instances beyond a limit", many(100_000), 8 << 20, ErrTooLarge},
		{"empty objects", `{"asset":{"version":"2.0"},"nodes":[` + strings.Repeat("{},", 100_000) + `{}]}`, 16 << 20, ErrTooLarge},
		{"nested lists", deep, 0, ErrNoTriangles},
		{"too deeply nested lists", strings.ReplaceAll(deep, "[[[", strings.Repeat("[", 9)), 0, ErrSyntax},
		{"data URI beyond a limit", tetText(tetScene), int64(len(tetText(tetScene))) + 100, ErrTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := Read(t.Context(), "a.gltf", strings.NewReader(c.text), Options{MaxMemory: c.limit})
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, c.kind) {
				t.Errorf("got %v, want %v", err, c.kind)
			}
		})
	}
	refusal{"number of triangles", "a.gltf", chain(`{"mesh":0}`), ErrTooLarge, "the scene has at least 1125899906842624 triangles"}.run(t)
	// Read must accept a document with very many small parts.
	node := `{"mesh":0,"translation":[1.25,2.5,3.75],"rotation":[0,0,0,1]}`
	parts := tetText(`"nodes":[` + strings.Repeat(node+",", 200_000) + node + "]")
	if soup, _, err := readString("a.gltf", parts); err != nil || len(soup.Faces) != 4*200_001 {
		t.Errorf("200,001 nodes without a limit: %v", err)
	}
	if soup, _, err := readString("a.gltf", many(100_000)); err != nil || len(soup.Faces) != 400_000 {
		t.Errorf("100,000 instances without a limit: %v", err)
	}
}
