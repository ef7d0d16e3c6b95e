package loaders

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// countdown is a context that is canceled at the n-th call of its method Err.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestContainersCancel cancels the reading of glTF, GLB and 3MF at each check of the context. Read
// must return the error of the context and no soup.
func TestContainersCancel(t *testing.T) {
	instances := strings.Repeat(`<item objectid="2"/>`, 3)
	for _, c := range []struct{ name, data string }{
		{"a.gltf", tetText(`"scenes":[{"nodes":[0,1]}],"nodes":[{"children":[2,3]},{"mesh":0},{"mesh":0},{"mesh":0}]`)},
		{"a.glb", glbFile(tetGLB(), tetBuffer)},
		{"a.3mf", package3MF(model3(tetObject(1, "")+`<object id="2"><components><component objectid="1"/><component objectid="1"/></components></object>`, instances))},
	} {
		looks := 0
		for ; ; looks++ {
			soup, _, err := Read(&countdown{t.Context(), looks}, c.name, strings.NewReader(c.data), Options{})
			if err == nil {
				checkSoup(t, soup)
				break
			}
			if !errors.Is(err, context.Canceled) || soup != nil {
				t.Fatalf("%s at look %d: got %v, want %v", c.name, looks, err, context.Canceled)
			}
			if looks > 1000 {
				t.Fatalf("%s: still looking", c.name)
			}
		}
		if looks < 5 {
			t.Errorf("%s: %d looks at the context, want it looked at in each part", c.name, looks)
		}
	}
}

// TestContainersProgress checks that the reported progress never decreases and ends at the total.
func TestContainersProgress(t *testing.T) {
	for _, c := range []struct{ name, data string }{
		{"a.gltf", tetText(tetScene)},
		{"a.glb", glbFile(tetGLB(), tetBuffer)},
		{"a.3mf", package3MF(model3(tetObject(1, ""), `<item objectid="1"/>`))},
	} {
		last, end := int64(-1), int64(0)
		_, info, err := Read(t.Context(), c.name, strings.NewReader(c.data), Options{Progress: func(done, total int64) {
			if done < last || done > total {
				t.Errorf("%s: %d of %d after %d", c.name, done, total, last)
			}
			last, end = done, total
		}})
		if err != nil || last != end || end != info.Bytes {
			t.Errorf("%s: %v, progress ended at %d of %d, want %d", c.name, err, last, end, info.Bytes)
		}
	}
}

// TestGLTFSparseIndices replaces some indices of an accessor with sparse elements.
func TestGLTFSparseIndices(t *testing.T) {
	buffer := bytesOf(tetPositions, tetCorners, []uint8{0, 11}, []uint16{3, 0})
	text := gltfText(buffer, `"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":24},`+
		`{"buffer":0,"byteOffset":72,"byteLength":2},{"buffer":0,"byteOffset":74,"byteLength":4}],`+
		`"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":4},{"bufferView":1,"componentType":5123,"type":"SCALAR","count":12,`+
		`"sparse":{"count":2,"indices":{"bufferView":2,"componentType":5121},"values":{"bufferView":3}}}],`+tetMesh+","+tetScene)
	soup, _, err := readString("a.gltf", text)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(soup.Faces), "[[3 2 1] [0 1 3] [0 3 2] [1 2 0]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestGLTFFewOfMany uses three elements of a long POSITION accessor. The soup must have only these
// three vertices.
func TestGLTFFewOfMany(t *testing.T) {
	points := make([]float32, 3*1000)
	points[3*999] = 7
	buffer := bytesOf(points, []uint16{999, 500, 999, 0, 1, 999})
	text := gltfText(buffer, `"bufferViews":[{"buffer":0,"byteLength":12000},{"buffer":0,"byteOffset":12000,"byteLength":12}],`+
		`"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":1000},{"bufferView":1,"componentType":5123,"type":"SCALAR","count":6}],`+tetMesh+","+tetScene)
	soup, _, err := readString("a.gltf", text)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(len(soup.Vertices), soup.Faces, soup.Vertices[0].X); got != "4 [[0 1 0] [2 3 0]] 7" {
		t.Errorf("got %s", got)
	}
}

func TestGLTFMembers(t *testing.T) {
	for _, r := range []refusal{
		{"scenes is a number", "a.gltf", `{"asset":{"version":"2.0"},"scenes":7}`, ErrSyntax, "/scenes: syntax error: a JSON number is not allowed here"},
		{"buffers holds a list", "a.gltf", `{"asset":{"version":"2.0"},"buffers":[[1]]}`, ErrSyntax, "/buffers"},
		{"null buffer", "a.gltf", `{"asset":{"version":"2.0"},"buffers":[null]}`, ErrSyntax, "/buffers/0"},
		{"null scene", "a.gltf", `{"asset":{"version":"2.0"},"scenes":[null]}`, ErrSyntax, "/scenes/0"},
		{"null mesh", "a.gltf", `{"asset":{"version":"2.0"},"meshes":[null]}`, ErrSyntax, "/meshes/0"},
		{"null accessor", "a.gltf", `{"asset":{"version":"2.0"},"accessors":[null]}`, ErrSyntax, "/accessors/0"},
		{"null view", "a.gltf", `{"asset":{"version":"2.0"},"bufferViews":[null]}`, ErrSyntax, "/bufferViews/0"},
		{"long version", "a.gltf", `{"asset":{"version":"` + strings.Repeat("9", 999) + `"}}`, ErrUnsupported, "…"},
	} {
		r.run(t)
	}
	acceptance{name: "relative to a center", file: "a.gltf", data: tetText(tetScene + `,"extensions":{"CESIUM_RTC":{"center":[1,2,3]}}`),
		vertices: 4, triangles: 4, bodies: "node 0", notes: "coordinates are relative to the center that the extension CESIUM_RTC defines"}.run(t)
}
