package loaders

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// bytesOf returns the little-endian encoding of the values.
func bytesOf(values ...any) []byte {
	var b []byte
	for _, v := range values {
		var err error
		if b, err = binary.Append(b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return b
}

// dataURI returns data as a data URI in base64, with the media type of glTF buffers.
func dataURI(data []byte) string {
	return "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(data)
}

// gltfText returns a document with one buffer and the given other members.
func gltfText(buffer []byte, members string) string {
	return fmt.Sprintf(`{"asset":{"version":"2.0"},"buffers":[{"byteLength":%d,"uri":"%s"}],%s}`,
		len(buffer), dataURI(buffer), members)
}

// glbFile returns a GLB container. If bin is nil, there is no BIN chunk.
func glbFile(text string, bin []byte) string {
	for len(text)%4 != 0 {
		text += " "
	}
	chunks := string(bytesOf(uint32(len(text)), uint32(0x4e4f534a))) + text
	if bin != nil {
		for len(bin)%4 != 0 {
			bin = append(bin, 0)
		}
		chunks += string(bytesOf(uint32(len(bin)), uint32(0x004e4942))) + string(bin)
	}
	return "glTF" + string(bytesOf(uint32(2), uint32(12+len(chunks)))) + chunks
}

// These variables encode unitTetrahedron as float32 positions and as indices.
var (
	tetPositions = []float32{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}
	tetCorners   = []uint16{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}
	tetBuffer    = bytesOf(tetPositions, tetCorners)
)

const (
	tetAccessors = `"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":24}],` +
		`"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":4},` +
		`{"bufferView":1,"componentType":5123,"type":"SCALAR","count":12}]`
	tetMesh  = `"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}]`
	tetScene = `"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}]`
)

// tetText returns a document with the tetrahedron as mesh 0, and with the given members, such as
// "scenes" and "nodes".
func tetText(nodes string) string {
	return gltfText(tetBuffer, tetAccessors+","+tetMesh+","+nodes)
}

// volume returns the signed volume of a soup. It uses the first corner as the origin to avoid
// cancellation.
func volume(s *mesh.Soup) float64 {
	o := s.Vertices[s.Faces[0][0]]
	v := 0.0
	for _, f := range s.Faces {
		a, b, c := s.Vertices[f[0]].Sub(o), s.Vertices[f[1]].Sub(o), s.Vertices[f[2]].Sub(o)
		v += a.Dot(b.Cross(c)) / 6
	}
	return v
}

func TestGLTFRead(t *testing.T) {
	const twoNodes = `"scenes":[{"nodes":[0,1]}],"nodes":[{"mesh":0,"name":"left"},{"mesh":0}]`
	for _, a := range []acceptance{
		{name: "default scene", file: "a.gltf", data: tetText(`"scene":1,"scenes":[{},{"nodes":[0]}],"nodes":[{"mesh":0}]`),
			vertices: 4, triangles: 4, bodies: "node 0", notes: "only scene 1 of 2 was read"},
		{name: "first scene", file: "a.gltf", data: tetText(tetScene), vertices: 4, triangles: 4, bodies: "node 0"},
		{name: "no scenes", file: "a.gltf", data: tetText(`"nodes":[{"children":[1],"name":"a"},{"mesh":0,"name":"b"}]`),
			vertices: 4, triangles: 4, bodies: "b", notes: "the file has no scenes: 1 root node was read"},
		{name: "no nodes", file: "a.gltf", data: gltfText(tetBuffer, tetAccessors+","+tetMesh),
			vertices: 4, triangles: 4, bodies: "mesh 0", notes: "the file has no nodes: each mesh was read once, without a transform"},
		{name: "instances are bodies", file: "a.gltf", data: tetText(twoNodes), vertices: 8, triangles: 8, bodies: "left|node 1"},
		{name: "node outside the scene", file: "a.gltf", data: tetText(`"scenes":[{"nodes":[1]}],"nodes":[{"mesh":0},{"mesh":0,"name":"in"}]`),
			vertices: 4, triangles: 4, bodies: "in"},
		{name: "two parents", file: "a.gltf", data: tetText(`"scenes":[{"nodes":[0,1]}],"nodes":[{"children":[2]},{"children":[2]},{"mesh":0}]`),
			vertices: 8, triangles: 8, bodies: "node 2|node 2", notes: "nodes with several parents were read once for each parent: 1 repetition"},
		{name: "skin and morph", file: "a.gltf", data: gltfText(tetBuffer, tetAccessors+
			`,"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"targets":[{"POSITION":0}]}],"weights":[1]}],`+
			`"skins":[{"joints":[0]}],"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"skin":0}]`),
			vertices: 4, triangles: 4, bodies: "node 0",
			notes: "1 node has morph targets: all weights are taken as 0|1 node has skins: the meshes were read as stored, without joints"},
		{name: "points and lines beside triangles", file: "a.gltf", data: gltfText(tetBuffer, tetAccessors+
			`,"meshes":[{"name":"m","primitives":[{"attributes":{"POSITION":0},"mode":0},{"attributes":{"POSITION":0},"mode":3},`+
			`{"attributes":{},"mode":4},{"attributes":{"POSITION":0},"indices":1}]}],`+tetScene),
			vertices: 4, triangles: 4, bodies: "m", notes: "ignored 1 point primitive|ignored 1 line primitive|ignored 1 primitive without vertices"},
		{name: "shared positions of two primitives", file: "a.gltf", data: gltfText(tetBuffer, tetAccessors+
			`,"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1},{"attributes":{"POSITION":0},"indices":1}]}],`+tetScene),
			vertices: 4, triangles: 8, bodies: "node 0"},
		{name: "unknown required extension elsewhere", file: "a.gltf", data: tetText(tetScene + `,"extensionsRequired":["ACME_glow"]`),
			vertices: 4, triangles: 4, bodies: "node 0", notes: `required extension "ACME_glow" is unknown: the geometry was read without the extension`},
		{name: "Draco with a fallback", file: "a.gltf", data: gltfText(tetBuffer, tetAccessors+
			`,"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"extensions":{"KHR_draco_mesh_compression":{"bufferView":0}}}]}],`+tetScene),
			vertices: 4, triangles: 4, bodies: "node 0", notes: "ignored the data of the extension KHR_draco_mesh_compression and read the uncompressed fallback"},
		{name: "byte order mark", file: "a.gltf", data: "\xef\xbb\xbf" + tetText(tetScene), vertices: 4, triangles: 4, bodies: "node 0"},
		{name: "zeros after the JSON", file: "a.gltf", data: tetText(tetScene) + "\x00\x00", vertices: 4, triangles: 4, bodies: "node 0"},
		{name: "wrong materials do not matter", file: "a.gltf", data: tetText(tetScene + `,"materials":[{"pbrMetallicRoughness":[]}],"images":7`),
			vertices: 4, triangles: 4, bodies: "node 0"},
		{name: "content before suffix", file: "a.stl", data: tetText(tetScene), vertices: 4, triangles: 4, bodies: "node 0"},
	} {
		a.run(t)
	}
}

// TestGLTFTransforms checks the first face and the volume of the soup in world space.
func TestGLTFTransforms(t *testing.T) {
	s := math.Sqrt(0.5)
	for _, c := range []struct {
		name, nodes string
		corners     [3]r3.Vector // expected corners of face 0, which is stored as (0,0,0) (0,1,0) (1,0,0)
		volume      float64
	}{
		{"translation", `[{"mesh":0,"translation":[10,20,30]}]`, [3]r3.Vector{{X: 10, Y: 20, Z: 30}, {X: 10, Y: 21, Z: 30}, {X: 11, Y: 20, Z: 30}}, 1.0 / 6},
		{"scale", `[{"mesh":0,"scale":[2,3,4]}]`, [3]r3.Vector{{}, {Y: 3}, {X: 2}}, 4},
		{"half a turn about z", `[{"mesh":0,"rotation":[0,0,1,0]}]`, [3]r3.Vector{{}, {Y: -1}, {X: -1}}, 1.0 / 6},
		{"quarter turn about z", fmt.Sprintf(`[{"mesh":0,"rotation":[0,0,%v,%v]}]`, s, s), [3]r3.Vector{{}, {X: -1}, {Y: 1}}, 1.0 / 6},
		{"quaternion not of length 1", `[{"mesh":0,"rotation":[0,0,7,7]}]`, [3]r3.Vector{{}, {X: -1}, {Y: 1}}, 1.0 / 6},
		{"scale, then rotation, then translation", `[{"mesh":0,"scale":[2,1,1],"rotation":[0,0,1,1],"translation":[5,0,0]}]`,
			[3]r3.Vector{{X: 5}, {X: 4}, {X: 5, Y: 2}}, 2.0 / 6},
		{"matrix in column order", `[{"mesh":0,"matrix":[0,1,0,0, -1,0,0,0, 0,0,1,0, 7,8,9,1]}]`,
			[3]r3.Vector{{X: 7, Y: 8, Z: 9}, {X: 6, Y: 8, Z: 9}, {X: 7, Y: 9, Z: 9}}, 1.0 / 6},
		{"parent before child", `[{"children":[1],"scale":[2,2,2]},{"mesh":0,"translation":[1,0,0]}]`,
			[3]r3.Vector{{X: 2}, {X: 2, Y: 2}, {X: 4}}, 8.0 / 6},
		{"a mirror keeps the outside", `[{"mesh":0,"scale":[-1,1,1]}]`, [3]r3.Vector{{}, {X: -1}, {Y: 1}}, 1.0 / 6},
		{"a mirroring matrix", `[{"mesh":0,"matrix":[1,0,0,0, 0,1,0,0, 0,0,-1,0, 0,0,0,1]}]`, [3]r3.Vector{{}, {X: 1}, {Y: 1}}, 1.0 / 6},
		{"two mirrors are none", `[{"children":[1],"scale":[1,-1,1]},{"mesh":0,"scale":[-1,1,1]}]`, [3]r3.Vector{{}, {Y: -1}, {X: -1}}, 1.0 / 6},
		{"three negative scales", `[{"mesh":0,"scale":[-1,-1,-1]}]`, [3]r3.Vector{{}, {X: -1}, {Y: -1}}, 1.0 / 6},
		{"flat", `[{"mesh":0,"scale":[1,1,0]}]`, [3]r3.Vector{{}, {Y: 1}, {X: 1}}, 0},
		{"nothing left", `[{"mesh":0,"scale":[0,0,0]}]`, [3]r3.Vector{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			soup, _, err := readString("a.gltf", tetText(`"scenes":[{"nodes":[0]}],"nodes":`+c.nodes))
			if err != nil {
				t.Fatal(err)
			}
			for k, i := range soup.Faces[0] {
				// The sines of quarter turns are rounded. The tolerance 5·2⁻⁵⁰
				// allows 8 roundings of numbers up to 5.
				if got := soup.Vertices[i]; got.Sub(c.corners[k]).Norm() > 5*0x1p-50 {
					t.Errorf("corner %d of face 0 is %v, want %v", k, got, c.corners[k])
				}
			}
			if got := volume(soup); math.Abs(got-c.volume) > 0x1p-45 {
				t.Errorf("volume %v, want %v", got, c.volume)
			}
		})
	}
}

// TestGLTFModes compares the triangles of each primitive mode with glTF 2.0 §3.7.2.1.
func TestGLTFModes(t *testing.T) {
	positions := []float32{0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0} // vertex i is (i, 0, 0)
	for _, c := range []struct {
		mode, count int
		want        string
	}{
		{4, 6, "012 345"},
		{5, 6, "012 132 234 354"},
		{5, 3, "012"},
		{6, 6, "120 230 340 450"},
	} {
		for _, indexed := range []bool{false, true} {
			view := `"bufferViews":[{"buffer":0,"byteLength":72},{"buffer":0,"byteOffset":72,"byteLength":6}],`
			accessors := fmt.Sprintf(`"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":%d},`+
				`{"bufferView":1,"componentType":5121,"type":"SCALAR","count":%d}],`, c.count, c.count)
			indices := ""
			if indexed {
				indices = `,"indices":1`
			}
			text := gltfText(bytesOf(positions, []byte{0, 1, 2, 3, 4, 5}), view+accessors+
				fmt.Sprintf(`"meshes":[{"primitives":[{"attributes":{"POSITION":0}%s,"mode":%d}]}],`, indices, c.mode)+tetScene)
			soup, _, err := readString("a.gltf", text)
			if err != nil {
				t.Fatalf("mode %d: %v", c.mode, err)
			}
			var got []string
			for _, f := range soup.Faces {
				face := ""
				for _, i := range f {
					face += fmt.Sprint(soup.Vertices[i].X)
				}
				got = append(got, face)
			}
			if g := strings.Join(got, " "); g != c.want {
				t.Errorf("mode %d of %d corners, indexed %t: got %s, want %s", c.mode, c.count, indexed, g, c.want)
			}
		}
	}
}

// TestGLTFBuffers stores the buffer of the tetrahedron at every supported place and reads it.
func TestGLTFBuffers(t *testing.T) {
	folder := fstest.MapFS{
		"a.bin":         {Data: tetBuffer},
		"sub/b c.bin":   {Data: append(tetBuffer[:len(tetBuffer):len(tetBuffer)], 1, 2, 3)},
		"100%.bin":      {Data: tetBuffer},
		"short.bin":     {Data: tetBuffer[:71]},
		"grüße/#1?.bin": {Data: tetBuffer},
		"folder/x":      {Data: tetBuffer},
	}
	for _, c := range []struct {
		name, uri string
		kind      error  // expected reason; nil if the file must be read
		want      string // text that the message must contain
	}{
		{"beside", "a.bin", nil, ""},
		{"dot", "./a.bin", nil, ""},
		{"down and up", "sub/../a.bin", nil, ""},
		{"percent-encoded", "sub/b%20c.bin", nil, ""},
		{"a space as it is", "sub/b c.bin", nil, ""},
		{"a percent sign as it is", "100%.bin", nil, ""},
		{"backslash", `sub\\b c.bin`, nil, ""},
		{"other letters", "gr%C3%BC%C3%9Fe/%231%3F.bin", nil, ""},
		{"octet stream", dataURI(tetBuffer), nil, ""},
		{"buffer type", "data:application/gltf-buffer;base64," + base64.StdEncoding.EncodeToString(tetBuffer), nil, ""},
		{"no type, capitals", "DATA:;BASE64," + base64.StdEncoding.EncodeToString(tetBuffer), nil, ""},
		{"no padding", "data:;base64," + base64.RawStdEncoding.EncodeToString(tetBuffer[:72:72]), nil, ""},
		{"percent-encoded base64", "data:;base64," + strings.ReplaceAll(base64.StdEncoding.EncodeToString(tetBuffer), "A", "%41"), nil, ""},
		{"above", "../a.bin", fs.ErrInvalid, "the path leads out of the folder of the mesh"},
		{"above, hidden", "sub/%2E%2E/%2e%2e/a.bin", fs.ErrInvalid, "the path leads out of the folder of the mesh"},
		{"absolute", "/etc/passwd", ErrUnsupported, "the path is absolute"},
		{"web", "https://example.org/a.bin", ErrUnsupported, `"https:"`},
		{"file", "file:///a.bin", ErrUnsupported, `"file:"`},
		{"drive", `C:\\a.bin`, ErrUnsupported, `"C:"`},
		{"missing", "b.bin", fs.ErrNotExist, "/buffers/0/uri b.bin"},
		{"folder", "folder", ErrUnsupported, "not a regular file"},
		{"short", "short.bin", ErrTruncated, "the content has 71 bytes, but byteLength is 72"},
		{"bad base64", "data:;base64,AA!A", ErrSyntax, "data URI"},
		{"no base64", "data:text/plain,abc", ErrSyntax, `the data URI has no ";base64,"`},
		{"empty data", "data:;base64,", ErrTruncated, "the content has 0 bytes, but byteLength is 72"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := fmt.Sprintf(`{"asset":{"version":"2.0"},"buffers":[{"byteLength":72,"uri":"%s"}],%s,%s,%s}`, c.uri, tetAccessors, tetMesh, tetScene)
			soup, info, err := Read(t.Context(), "a.gltf", strings.NewReader(text), Options{FS: folder})
			if c.kind != nil {
				if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("got %v, want %v with %q", err, c.kind, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, want := describe(soup), describe(unitTetrahedron()); !strings.HasPrefix(got, want) {
				t.Errorf("got\n%s, want\n%s", got, want)
			}
			if external := int64(len(folder["a.bin"].Data)); !strings.EqualFold(c.uri[:min(5, len(c.uri))], "data:") && info.Bytes < int64(len(text))+external {
				t.Errorf("Bytes is %d, want the buffer's %d counted beside the text's %d", info.Bytes, external, len(text))
			}
		})
	}
}
