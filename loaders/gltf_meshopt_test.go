package loaders

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const (
	extMeshopt = "EXT_meshopt_compression"
	khrMeshopt = "KHR_meshopt_compression"
)

// packAttributes returns a stream of version 1 for elements of the given size. It stores each delta as
// a byte. loaders/internal/meshopt has tests with the streams of another encoder.
func packAttributes(data []byte, stride int) []byte {
	stream := []byte{0xa1}
	last := make([]byte, stride)
	block := min(8192/stride&^15, 256) * stride
	for len(data) > 0 {
		part := data[:min(block, len(data))]
		for range stride / 4 {
			stream = append(stream, 0xff)
		}
		for k := range stride {
			for i := k; i < len(part); i += stride {
				d := int8(part[i] - last[k])
				stream = append(stream, byte(d<<1^d>>7))
				last[k] = part[i]
			}
		}
		data = data[len(part):]
	}
	tail := stride + stride/4 // the element before the first one, and the channel modes
	return append(stream, make([]byte, max(24, tail))...)
}

func zigzag32(d int32) uint32 { return uint32(d<<1 ^ d>>31) }

// packIndices returns a stream of the mode INDICES.
func packIndices(list []uint16) []byte {
	stream, last := []byte{0xd1}, int32(0)
	for _, x := range list {
		stream = binary.AppendUvarint(stream, uint64(zigzag32(int32(x)-last))<<1)
		last = int32(x)
	}
	return append(stream, 0, 0, 0, 0)
}

// packTriangles returns a stream of the mode TRIANGLES that stores each corner.
func packTriangles(list []uint16) []byte {
	codes, data, last := []byte{0xe1}, []byte(nil), int32(0)
	for i, x := range list {
		if i%3 == 0 {
			codes, data = append(codes, 0xff), append(data, 0xff)
		}
		data = binary.AppendUvarint(data, uint64(zigzag32(int32(x)-last)))
		last = int32(x)
	}
	return append(append(codes, data...), make([]byte, 16)...)
}

// packedView returns a buffer view whose content is the compressed data in buffer 0, from the given
// offset. The uncompressed content would be in buffer 1.
func packedView(name, mode string, offset, length, stride, count, fallbackAt int, more string) string {
	return fmt.Sprintf(`{"buffer":1,"byteOffset":%d,"byteLength":%d,"extensions":{"%s":{"buffer":0,"byteOffset":%d,"byteLength":%d,"byteStride":%d,"count":%d,"mode":"%s"%s}}}`,
		fallbackAt, count*stride, name, offset, length, stride, count, mode, more)
}

// packedDocument returns a document with the given compressed data and buffer views. members are the
// accessors and the following members.
func packedDocument(name string, buffer []byte, views, members string) string {
	return fmt.Sprintf(`{"asset":{"version":"2.0"},"extensionsRequired":["%s"],"buffers":[{"byteLength":%d,"uri":"%s"},{"byteLength":1000000,"extensions":{"%s":{"fallback":true}}}],"bufferViews":[%s],%s}`,
		name, len(buffer), dataURI(buffer), name, views, members)
}

// packedText returns a document with the tetrahedron, whose data is only compressed.
func packedText(name string) string {
	positions, corners := packAttributes(bytesOf(tetPositions), 12), packTriangles(tetCorners)
	views := packedView(name, "ATTRIBUTES", 0, len(positions), 12, 4, 0, "") + "," +
		packedView(name, "TRIANGLES", len(positions), len(corners), 2, 12, 48, `,"filter":"NONE"`)
	return packedDocument(name, append(positions, corners...), views, tetAccessors[strings.Index(tetAccessors, `"accessors"`):]+","+tetMesh+","+tetScene)
}

// TestGLTFMeshopt reads the compressed tetrahedron in several forms.
func TestGLTFMeshopt(t *testing.T) {
	same := func(name, file, data string) {
		t.Helper()
		acceptance{name: name, file: file, data: data, vertices: 4, triangles: 4, bodies: "node 0"}.run(t)
		soup, _, err := readString(file, data)
		if err != nil {
			return
		}
		if got, want := describe(soup), describe(unitTetrahedron()); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got\n%s, want\n%s", name, got, want)
		}
	}
	with := func(from, to string) string {
		t.Helper()
		text := packedText(khrMeshopt)
		if !strings.Contains(text, from) {
			t.Fatalf("%q is not in the document", from)
		}
		return strings.Replace(text, from, to, 1)
	}
	same("EXT", "a.gltf", packedText(extMeshopt))
	same("KHR", "a.gltf", packedText(khrMeshopt))
	same("not required", "a.gltf", with(`"extensionsRequired"`, `"extensionsUsed"`))
	same("unmarked fallback", "a.gltf", with(`,"extensions":{"KHR_meshopt_compression":{"fallback":true}}`, ""))
	same("fallback in a missing file", "a.gltf", with(`{"byteLength":1000000,`, `{"byteLength":1000000,"uri":"missing.bin",`))
	same("another stride of the buffer view", "a.gltf", with(`"byteLength":48,`, `"byteLength":48,"byteStride":12,`))

	// In a GLB file, the compressed data is in the BIN chunk.
	positions, corners := packAttributes(bytesOf(tetPositions), 12), packTriangles(tetCorners)
	bin := append(positions, corners...)
	same("GLB", "a.glb", glbFile(with(`,"uri":"`+dataURI(bin)+`"`, ""), bin))

	// The same indices as a sequence.
	sequence := packIndices(tetCorners)
	views := packedView(extMeshopt, "ATTRIBUTES", 0, len(positions), 12, 4, 0, "") + "," + packedView(extMeshopt, "INDICES", len(positions), len(sequence), 2, 12, 48, "")
	same("sequence", "a.gltf", packedDocument(extMeshopt, append(positions[:len(positions):len(positions)], sequence...), views,
		tetAccessors[strings.Index(tetAccessors, `"accessors"`):]+","+tetMesh+","+tetScene))

	// Each position is m·2^e, with m = 0 or 8 and e = −3.
	filtered := make([]uint32, 12)
	for i, x := range tetPositions {
		filtered[i] = 0xfd<<24 | uint32(8*x)
	}
	exponential := packAttributes(bytesOf(filtered), 12)
	views = packedView(extMeshopt, "ATTRIBUTES", 0, len(exponential), 12, 4, 0, `,"filter":"EXPONENTIAL"`) + "," + packedView(extMeshopt, "TRIANGLES", len(exponential), len(corners), 2, 12, 48, "")
	same("exponential filter", "a.gltf", packedDocument(extMeshopt, append(exponential, corners...), views,
		tetAccessors[strings.Index(tetAccessors, `"accessors"`):]+","+tetMesh+","+tetScene))
}

// TestGLTFMeshoptEncodings compresses quantized positions of random types, with a node that scales
// them back, and compares the soup with the soup of the same document without compression.
func TestGLTFMeshoptEncodings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 3 * rapid.IntRange(1, 200).Draw(t, "triangles")
		kind := rapid.SampledFrom(componentTypes).Draw(t, "component")
		stride := (3*kind.size + 3) / 4 * 4
		var data []byte
		for range n {
			for range 3 {
				data = append(data, encode(kind.code, rapid.IntRange(-128, 127).Draw(t, "coordinate"))...)
			}
			for len(data)%stride != 0 {
				data = append(data, 0)
			}
		}
		members := fmt.Sprintf(`"accessors":[{"bufferView":0,"componentType":%d,"normalized":%t,"type":"VEC3","count":%d}],`+
			`"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0,"scale":[0.1,0.3,7],"translation":[1,2,3]}]`,
			kind.code, rapid.Bool().Draw(t, "normalized") && kind.maxInt > 0, n)
		plain := gltfText(data, fmt.Sprintf(`"bufferViews":[{"buffer":0,"byteLength":%d,"byteStride":%d}],`, len(data), stride)+members)
		name := rapid.SampledFrom([]string{extMeshopt, khrMeshopt}).Draw(t, "extension")
		stream := packAttributes(data, stride)
		view := packedView(name, "ATTRIBUTES", 0, len(stream), stride, n, 0, "")
		view = strings.Replace(view, `"extensions"`, fmt.Sprintf(`"byteStride":%d,"extensions"`, stride), 1)
		want, _, err := readString("a.gltf", plain)
		if err != nil {
			t.Fatal(err)
		}
		got, info, err := readString("a.gltf", packedDocument(name, stream, view, members))
		if err != nil {
			t.Fatal(err)
		}
		if describe(got) != describe(want) {
			t.Fatalf("got\n%s, want\n%s", describe(got), describe(want))
		}
		if info.Bytes < int64(len(data)) {
			t.Fatalf("Bytes is %d, want the %d bytes of the decompressed view in it", info.Bytes, len(data))
		}
	})
}

func TestGLTFMeshoptRefuse(t *testing.T) {
	base := packedText(extMeshopt)
	with := func(pairs ...string) string {
		t.Helper()
		text := base
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(text, pairs[i]) {
				t.Fatalf("%q is not in the document", pairs[i])
			}
			text = strings.Replace(text, pairs[i], pairs[i+1], 1)
		}
		return text
	}
	const (
		view  = "/bufferViews/0/extensions/EXT_meshopt_compression: "
		count = `"byteStride":12,"count":4`
	)
	streamLength := fmt.Sprintf(`"byteLength":%d,"byteStride":12`, len(packAttributes(bytesOf(tetPositions), 12)))
	for _, r := range []refusal{
		{"no object", "a.gltf", strings.Replace(base, `{"EXT_meshopt_compression":{"buffer":0,`, `{"EXT_meshopt_compression":7,"x":{"buffer":0,`, 1), ErrSyntax, view + "syntax error: a JSON number is not allowed here"},
		{"null", "a.gltf", strings.Replace(base, `{"EXT_meshopt_compression":{"buffer":0,`, `{"EXT_meshopt_compression":null,"x":{"buffer":0,`, 1), ErrSyntax, view},
		{"no count", "a.gltf", with(count, `"byteStride":12`), ErrSyntax, view + "syntax error: buffer, byteLength, byteStride, count or mode is missing"},
		{"no stride", "a.gltf", with(count, `"count":4`), ErrSyntax, "is missing"},
		{"no mode", "a.gltf", with(`,"mode":"ATTRIBUTES"`, ""), ErrSyntax, "is missing"},
		{"count as a text", "a.gltf", with(count, `"byteStride":12,"count":"4"`), ErrSyntax, view + "syntax error: count cannot be a JSON string"},
		{"unknown mode", "a.gltf", with("ATTRIBUTES", "VERTICES"), ErrSyntax, view + `syntax error: mode "VERTICES" does not exist`},
		{"unknown filter", "a.gltf", with(`"ATTRIBUTES"`, `"ATTRIBUTES","filter":"GAUSS"`), ErrSyntax, view + `syntax error: filter "GAUSS" does not exist`},
		{"empty filter", "a.gltf", with(`"NONE"`, `""`), ErrSyntax, `filter "" does not exist`},
		{"filter of indices", "a.gltf", with(`"NONE"`, `"COLOR"`), ErrSyntax, "must have no filter"},
		{"negative count", "a.gltf", with(count, `"byteStride":12,"count":-4`), ErrSyntax, "count is -4"},
		{"huge count", "a.gltf", with(count, `"byteStride":12,"count":2000000000`), ErrTruncated, view + "truncated: the compressed stream has"},
		{"count beyond int32", "a.gltf", with(count, `"byteStride":12,"count":4000000000`), ErrTooLarge, ""},
		{"another count", "a.gltf", with(count, `"byteStride":12,"count":3`), ErrSyntax, "/bufferViews/0: syntax error: byteLength is 48, must be 36 for 3 elements of 12 bytes"},
		{"another stride", "a.gltf", with(count, `"byteStride":16,"count":3`), ErrSyntax, view + "syntax error: byte 45 of the compressed stream: the last element ends 7 bytes before the tail"},
		{"stride 10", "a.gltf", with(count, `"byteStride":10,"count":4`), ErrSyntax, "byteStride is 10, must be a multiple of 4 from 4 to 256"},
		{"stride of the buffer view", "a.gltf", with(`"byteLength":48,`, `"byteLength":48,"byteStride":16,`), ErrSyntax, "/bufferViews/0: syntax error: byteStride is 16, but the extension EXT_meshopt_compression has 12"},
		{"buffer out of range", "a.gltf", with(`"EXT_meshopt_compression":{"buffer":0`, `"EXT_meshopt_compression":{"buffer":7`), ErrIndexRange, view + "index out of range: buffer 7 does not exist: the file has 2"},
		{"fallback out of range", "a.gltf", with(`{"buffer":1`, `{"buffer":7`), ErrIndexRange, "/bufferViews/0: index out of range: buffer 7"},
		{"data in the fallback", "a.gltf", with(`"EXT_meshopt_compression":{"buffer":0`, `"EXT_meshopt_compression":{"buffer":1`), ErrSyntax, "the compressed data is in buffer 1, which is marked as a fallback"},
		{"data beyond the buffer", "a.gltf", with(streamLength, `"byteLength":9999,"byteStride":12`), ErrTruncated, view + "truncated: 9999 bytes that begin at byte 0 do not fit"},
		{"negative data", "a.gltf", with(streamLength, `"byteLength":-1,"byteStride":12`), ErrSyntax, view},
		{"cut data", "a.gltf", with(streamLength, `"byteLength":40,"byteStride":12`), ErrTruncated, view},
		{"no data", "a.gltf", with(streamLength, `"byteLength":0,"byteStride":12`), ErrTruncated, view + "truncated: the compressed stream is empty"},
		{"extra byte", "a.gltf", with(streamLength, strings.Replace(streamLength, ":76", ":77", 1)), ErrSyntax, view},
		{"small fallback", "a.gltf", with("1000000", "71"), ErrTruncated, "/bufferViews/1: truncated: 24 bytes that begin at byte 48 do not fit: buffer 1 has 71 bytes"},
		{"both names", "a.gltf", with(`{"EXT_meshopt_compression":{"buffer":0`, `{"KHR_meshopt_compression":{},"EXT_meshopt_compression":{"buffer":0`), ErrSyntax,
			"/bufferViews/0: syntax error: the buffer view has both extensions EXT_meshopt_compression and KHR_meshopt_compression"},
		{"plain view of a fallback", "a.gltf", with(`{"EXT_meshopt_compression":{"buffer":0`, `{"x":{"buffer":0`), ErrSyntax, "/buffers/1: syntax error: the buffer is a fallback without content, but /bufferViews/0 is not compressed"},
		{"index out of range", "a.gltf", with(`"type":"VEC3","count":4`, `"type":"VEC3","count":3`), ErrIndexRange, "corner 5 refers to vertex 3, but there are 3 vertices"},
		{"accessor beyond the view", "a.gltf", with(`"type":"VEC3","count":4`, `"type":"VEC3","count":5`), ErrTruncated, "/accessors/0: truncated: 5 elements"},
		{"elements of another mode", "a.gltf", with(`"ATTRIBUTES"`, `"TRIANGLES"`, count, `"byteStride":4,"count":12`), ErrSyntax, "begins with the byte 0xa1, which the mode TRIANGLES does not define"},
	} {
		r.run(t)
	}
}

// TestGLTFMeshoptMemory reads a small file that decompresses to 1000 times its size. The limit of
// the memory counts the decompressed views before they are allocated.
func TestGLTFMeshoptMemory(t *testing.T) {
	const n = 12 << 20 / 3 * 3
	stream := []byte{0xa1} // no byte of an element changes, so a block of 256 elements has three bytes
	for range n / 256 {
		stream = append(stream, 0xaa, 0xaa, 0xaa)
	}
	stream = append(stream, make([]byte, 24)...)
	views := packedView(khrMeshopt, "ATTRIBUTES", 0, len(stream), 12, n, 0, "")
	members := fmt.Sprintf(`"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":%d}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],%s`, n, tetScene)
	text := strings.Replace(packedDocument(khrMeshopt, stream, views, members), "1000000", fmt.Sprint(12*n), 1)
	for _, c := range []struct {
		limit int64
		kind  error
	}{{32 << 20, ErrTooLarge}, {100 << 20, ErrTooLarge}} {
		_, _, err := Read(t.Context(), "a.gltf", strings.NewReader(text), Options{MaxMemory: c.limit})
		if !errors.Is(err, c.kind) {
			t.Errorf("limit %d: got %v, want %v", c.limit, err, c.kind)
		}
	}
	// Several views of the same data count several times, also without a limit.
	many, list := views, `{"POSITION":0}`
	accessors := fmt.Sprintf(`{"bufferView":0,"componentType":5126,"type":"VEC3","count":%d}`, n)
	for i := 1; i < 4; i++ {
		many += "," + views
		accessors += fmt.Sprintf(`,{"bufferView":%d,"componentType":5126,"type":"VEC3","count":3}`, i)
		list += fmt.Sprintf(`},{"attributes":{"POSITION":%d}`, i)
	}
	accessors = strings.Replace(accessors, fmt.Sprint(n), "3", 1)
	text = packedDocument(khrMeshopt, stream, many, `"accessors":[`+accessors+`],"meshes":[{"primitives":[{"attributes":`+list+`}]}],`+tetScene)
	text = strings.Replace(text, "1000000", fmt.Sprint(12*n), 1)
	if _, _, err := readString("a.gltf", text); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "unpacks to more than") {
		t.Errorf("four views of %d MB: got %v, want %v", 12*n>>20, err, ErrTooLarge)
	}
	if _, _, err := readString("a.gltf", strings.ReplaceAll(text, fmt.Sprintf(`"count":%d`, n), fmt.Sprintf(`"count":%d`, math.MaxInt32))); !errors.Is(err, ErrTruncated) {
		t.Errorf("more elements than the stream can have: got %v, want %v", err, ErrTruncated)
	}
}
