package loaders

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGLTFRefuse(t *testing.T) {
	with := func(from, to string) string {
		text := tetText(tetScene)
		if !strings.Contains(text, from) {
			t.Fatalf("%q is not in the document", from)
		}
		return strings.Replace(text, from, to, 1)
	}
	const position, corner = `"componentType":5126,"type":"VEC3","count":4`, `"componentType":5123,"type":"SCALAR","count":12`
	sparse := func(members string) string { return with(position, position+`,"sparse":{`+members+`}`) }
	nan := bytesOf(tetPositions, tetCorners)
	copy(nan[4:], []byte{0, 0, 0xc0, 0x7f})
	for _, r := range []refusal{
		{"not JSON", "a.gltf", "{asset", ErrSyntax, "line 1: byte 1: "},
		{"cut JSON", "a.gltf", "{\n\"asset\":", ErrTruncated, "line 2: "},
		{"two values", "a.gltf", "{}\n{}", ErrSyntax, "line 2: byte 3: "},
		{"no object", "a.gltf", "[]", ErrSyntax, "array"},
		{"no asset", "a.gltf", `{"nodes":[]}`, ErrSyntax, "/asset/version"},
		{"version 1.0", "a.gltf", `{"asset":{"version":"1.0"}}`, ErrUnsupported, `glTF version "1.0", must be 2.0`},
		{"version as number", "a.gltf", `{"asset":{"version":1}}`, ErrUnsupported, "glTF version 1, must be 2.0"},
		{"glTF 1.0 without asset", "a.gltf", `{"nodes":{"a":{}}}`, ErrSyntax, "/asset/version"},
		{"version 3", "a.gltf", `{"asset":{"version":"3.0"}}`, ErrUnsupported, `"3.0"`},
		{"later minimal version", "a.gltf", `{"asset":{"version":"2.1","minVersion":"2.1"}}`, ErrUnsupported, `/asset/minVersion`},
		{"nothing", "a.gltf", `{"asset":{"version":"2.0"}}`, ErrNoTriangles, "0 vertices"},
		{"list of meshes is no list", "a.gltf", with(`"meshes":[`, `"meshes":7,"x":[`), ErrSyntax, "meshes cannot be a JSON number"},
		{"null node", "a.gltf", with(`"nodes":[{"mesh":0}]`, `"nodes":[null]`), ErrSyntax, "/nodes/0: syntax error: the element is null, must be an object"},
		{"null primitive", "a.gltf", with(`"primitives":[`, `"primitives":[null,`), ErrSyntax, "/meshes/0/primitives/0"},
		{"scene out of range", "a.gltf", with(`"scenes"`, `"scene":1,"scenes"`), ErrIndexRange, "/scene: index out of range: scene 1 does not exist: the file has 1"},
		{"negative scene", "a.gltf", with(`"scenes"`, `"scene":-1,"scenes"`), ErrIndexRange, "scene -1 does not exist: the file has 1"},
		{"node out of range", "a.gltf", with(`"nodes":[0]`, `"nodes":[0,7]`), ErrIndexRange, "/scenes/0/nodes: index out of range: node 7 does not exist: the file has 1"},
		{"child out of range", "a.gltf", with(`{"mesh":0}`, `{"mesh":0,"children":[-1]}`), ErrIndexRange, "/nodes/0/children"},
		{"mesh out of range", "a.gltf", with(`{"mesh":0}`, `{"mesh":1}`), ErrIndexRange, "/nodes/0/mesh: index out of range: mesh 1 does not exist: the file has 1"},
		{"accessor out of range", "a.gltf", with(`"POSITION":0`, `"POSITION":2`), ErrIndexRange, "/meshes/0/primitives/0/attributes/POSITION"},
		{"indices out of range", "a.gltf", with(`"indices":1`, `"indices":-1`), ErrIndexRange, "/meshes/0/primitives/0/indices"},
		{"buffer view out of range", "a.gltf", with(`"bufferView":1`, `"bufferView":2`), ErrIndexRange, "/accessors/1: index out of range: buffer view 2 does not exist: the file has 2"},
		{"buffer out of range", "a.gltf", with(`"buffer":0,"byteLength":48`, `"buffer":1,"byteLength":48`), ErrIndexRange, "/bufferViews/0"},
		{"own descendant", "a.gltf", with(`{"mesh":0}`, `{"mesh":0,"children":[1]},{"children":[0]}`), ErrSyntax, "/nodes/0: syntax error: the node is its own descendant"},
		{"only a cycle", "a.gltf", tetText(`"nodes":[{"children":[1]},{"children":[0]}]`), ErrSyntax, "a cycle"},
		{"mode 7", "a.gltf", with(`"indices":1`, `"indices":1,"mode":7`), ErrSyntax, "mode 7"},
		{"component type 5124", "a.gltf", with("5123", "5124"), ErrSyntax, "component type 5124"},
		{"no count", "a.gltf", with(`,"count":12`, ``), ErrSyntax, "/accessors/1"},
		{"type VEC5", "a.gltf", with("VEC3", "VEC5"), ErrSyntax, "/accessors"},
		{"positions of scalars", "a.gltf", with("VEC3", "SCALAR"), ErrSyntax, "/accessors/0: syntax error: positions have type SCALAR, must have type VEC3"},
		{"positions of 32-bit integers", "a.gltf", with("5126", "5125"), ErrSyntax, "UNSIGNED_INT"},
		{"indices of vectors", "a.gltf", with(corner, `"componentType":5123,"type":"VEC3","count":4`), ErrSyntax, "/accessors/1: syntax error: indices have type VEC3, must have type SCALAR"},
		{"signed indices", "a.gltf", with("5123", "5122"), ErrSyntax, "must have an unsigned integer type"},
		{"float indices", "a.gltf", with("5123", "5126"), ErrSyntax, "must have an unsigned integer type"},
		{"negative count", "a.gltf", with(`"count":4`, `"count":-4`), ErrSyntax, "/accessors/0: syntax error: count is -4"},
		{"huge count", "a.gltf", with(`"count":4`, `"count":4000000000`), ErrTooLarge, "/accessors/0"},
		{"count beyond the view", "a.gltf", with(`"count":4`, `"count":5`), ErrTruncated, "/accessors/0: truncated: 5 elements with a stride of 12 bytes do not fit: buffer view 0 has only 48 bytes left"},
		{"count that overflows", "a.gltf", with(`"count":4`, `"count":2147483647`), ErrTruncated, "/accessors/0"},
		{"offset beyond the view", "a.gltf", with(position, `"byteOffset":49,`+position), ErrTruncated, "the accessor begins at byte 49 of buffer view 0, which has 48 bytes"},
		{"negative offset", "a.gltf", with(position, `"byteOffset":-1,`+position), ErrTruncated, "/accessors/0"},
		{"view beyond the buffer", "a.gltf", with(`"byteLength":48`, `"byteLength":73`), ErrTruncated, "/bufferViews/0: truncated: 73 bytes that begin at byte 0 do not fit: buffer 0 has 72 bytes"},
		{"view offset that overflows", "a.gltf", with(`"byteLength":48`, `"byteOffset":9223372036854775807,"byteLength":48`), ErrTruncated, "/bufferViews/0"},
		{"negative view", "a.gltf", with(`"byteLength":48`, `"byteLength":-48`), ErrSyntax, "/bufferViews/0"},
		{"small stride", "a.gltf", with(`"byteLength":48`, `"byteStride":8,"byteLength":48`), ErrSyntax, "the stride is 8 bytes, must be at least the 12 bytes of an element"},
		{"huge stride", "a.gltf", with(`"byteLength":48`, `"byteStride":9223372036854775807,"byteLength":48`), ErrTruncated, "/accessors/0"},
		{"short buffer", "a.gltf", with(`"byteLength":72`, `"byteLength":73`), ErrTruncated, "/buffers/0: truncated: the content has 72 bytes, but byteLength is 73"},
		{"negative buffer", "a.gltf", with(`"byteLength":72`, `"byteLength":-1`), ErrSyntax, "/buffers/0"},
		{"buffer without uri", "a.gltf", with(`,"uri"`, `,"url"`), ErrSyntax, "/buffers/0: syntax error: the buffer has no uri"},
		{"fraction as count", "a.gltf", with(`"count":4`, `"count":4.5`), ErrSyntax, "accessors.count cannot be a JSON number"},
		{"index out of range", "a.gltf", with(tetBufferURI(), dataURI(bytesOf(tetPositions, []uint16{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 4}))),
			ErrIndexRange, "/meshes/0/primitives/0/indices: index out of range: corner 11 refers to vertex 4, but there are 4 vertices"},
		{"restart value", "a.gltf", with(tetBufferURI(), dataURI(bytesOf(tetPositions, []uint16{0, 2, 65535}, make([]uint16, 9)))),
			ErrSyntax, "corner 2 refers to vertex 65535, which is the primitive restart value"},
		{"NaN", "a.gltf", with(tetBufferURI(), dataURI(nan)), ErrNotFinite, "/accessors/0: coordinate is not finite: element 0 is (0, NaN, 0)"},
		{"incomplete triangle", "a.gltf", with(`"count":12`, `"count":11`), ErrSyntax, "the primitive has 11 corners, must have a multiple of 3"},
		{"strip of two", "a.gltf", strings.Replace(with(`"count":12`, `"count":2`), `"indices":1`, `"indices":1,"mode":5`, 1), ErrSyntax, "the primitive has 2 corners, too few for mode TRIANGLE_STRIP"},
		{"points only", "a.gltf", with(`"indices":1`, `"mode":0`), ErrNoTriangles, "no triangles"},
		{"lines only", "a.gltf", with(`"indices":1`, `"mode":2`), ErrNoTriangles, "no triangles"},
		{"matrix of 15", "a.gltf", with(`{"mesh":0}`, `{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0]}`), ErrSyntax, "/nodes/0/matrix: syntax error: the array has 15 numbers, must have 16"},
		{"rotation of 3", "a.gltf", with(`{"mesh":0}`, `{"mesh":0,"rotation":[0,0,1]}`), ErrSyntax, "/nodes/0/rotation"},
		{"matrix and scale", "a.gltf", with(`{"mesh":0}`, `{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],"scale":[1,1,1]}`), ErrSyntax, "the node has both a matrix and a translation, rotation or scale"},
		{"projecting matrix", "a.gltf", with(`{"mesh":0}`, `{"mesh":0,"matrix":[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]}`), ErrSyntax, "/nodes/0: syntax error: the last row of the matrix is (1, 0, 0, 1), must be (0, 0, 0, 1)"},
		{"matrix with a rounded last row", "a.gltf", with(`{"mesh":0}`, `{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,0.9999999]}`), ErrSyntax, "(0, 0, 0, 0.9999999)"},
		{"rotation too long", "a.gltf", with(`{"mesh":0}`, `{"mesh":0,"rotation":[1e308,1e308,1e308,1e308]}`), ErrNotFinite, "quaternion is +Inf"},
		{"zero quaternion", "a.gltf", with(`{"mesh":0}`, `{"mesh":0,"rotation":[0,0,0,0]}`), ErrSyntax, "/nodes/0: syntax error: the rotation is a quaternion of length zero"},
		{"overflow under a transform", "a.gltf", with(`{"mesh":0}`, `{"children":[1],"scale":[1e200,1,1]},{"mesh":0,"scale":[1e200,1,1]}`), ErrNotFinite, "vertex 0 is out of range after the transform of its node"},
		{"sparse of nothing", "a.gltf", sparse(``), ErrSyntax, "/accessors/0/sparse"},
		{"sparse: too many", "a.gltf", sparse(`"count":5,"indices":{"bufferView":1,"componentType":5123},"values":{"bufferView":0}`), ErrSyntax, "the accessor has 5 sparse elements, must have at most 4"},
		{"sparse: float indices", "a.gltf", sparse(`"count":1,"indices":{"bufferView":1,"componentType":5126},"values":{"bufferView":0}`), ErrSyntax, "/accessors/0/sparse/indices"},
		{"sparse: falling indices", "a.gltf", sparse(`"count":3,"indices":{"bufferView":1,"componentType":5123},"values":{"bufferView":0}`), ErrIndexRange, "index 1 after 2: indices must increase and be below 4"},
		{"sparse: values cut", "a.gltf", sparse(`"count":2,"indices":{"bufferView":1,"componentType":5123},"values":{"bufferView":1,"byteOffset":4}`), ErrTruncated, "/accessors/0/sparse/values"},
		{"Draco alone", "a.gltf", strings.Replace(with(`"bufferView":0,"componentType":5126`, `"componentType":5126`),
			`"indices":1`, `"indices":1,"extensions":{"KHR_draco_mesh_compression":{}}`, 1), ErrUnsupported, "/meshes/0/primitives/0: not supported: the geometry is compressed with KHR_draco_mesh_compression and has no uncompressed fallback"},
		{"required extension on a primitive", "a.gltf",
			strings.TrimSuffix(with(`"indices":1`, `"indices":1,"extensions":{"ACME_curves":{}}`), "}") + `,"extensionsRequired":["ACME_curves"]}`,
			ErrUnsupported, `/meshes/0/primitives/0: not supported: required extension "ACME_curves"`},
		{"required extension on a node", "a.gltf", tetText(`"nodes":[{"children":[1],"extensions":{"KHR_node_visibility":{"visible":false}}},{"mesh":0}],"extensionsRequired":["KHR_node_visibility"]`),
			ErrUnsupported, `/nodes/0: not supported: required extension "KHR_node_visibility" is unknown`},
		{"external buffer of a stream", "a.gltf", with(tetBufferURI(), "a.bin"), ErrUnsupported, "comes from a stream"},
	} {
		r.run(t)
	}
}

// tetBufferURI returns the data URI of the buffer in tetText.
func tetBufferURI() string { return dataURI(tetBuffer) }

// TestGLTFFolder loads documents from disk. Load must read buffers in the folder of the document.
// It must refuse links that lead out of the folder.
func TestGLTFFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text := func(uri string) []byte {
		return []byte(strings.Replace(tetText(tetScene), tetBufferURI(), uri, 1))
	}
	write("in/a.gltf", text("a.bin"))
	write("in/a.bin", tetBuffer)
	write("in/up.gltf", text("../secret.bin"))
	write("in/link.gltf", text("link.bin"))
	write("in/hard.gltf", text("sub/link.bin"))
	write("secret.bin", tetBuffer)
	if err := os.Symlink("../secret.bin", filepath.Join(dir, "in/link.bin")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", filepath.Join(dir, "in/sub")); err != nil {
		t.Fatal(err)
	}
	if soup, _, err := Load(t.Context(), filepath.Join(dir, "in/a.gltf"), Options{}); err != nil || len(soup.Faces) != 4 {
		t.Errorf("a.gltf: %v, want 4 faces", err)
	}
	for _, name := range []string{"up.gltf", "link.gltf", "hard.gltf"} {
		_, _, err := Load(t.Context(), filepath.Join(dir, "in", name), Options{})
		var e *Error
		if !errors.As(err, &e) || !strings.HasPrefix(e.Path, "/buffers/0/uri") || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want a refusal at /buffers/0/uri", name, err)
		}
	}
}
