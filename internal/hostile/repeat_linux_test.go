package hostile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// repeated are files of one short unit again and again, for which a reader needs much memory.
var repeated = []struct {
	file             string
	head, unit, tail string
}{
	{"a.stl", "solid\n", "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 0 vertex 0 0 0 endloop endfacet\n", ""},
	{"a.stl", "solid\nfacet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 0 vertex 0 0 0 endloop endfacet\nendsolid\n", "solid\nendsolid\n", ""},
	{"a.stl", "solid ", "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 0 vertex 0 0 0 endloop endfacet endsolid solid ", ""},
	{"a.stl", "solid\nfacet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 0 vertex 0 0 0 endloop endfacet\nendsolid", " solid", ""},
	{"a.obj", "", "v 0 0 0\n", "f 1 2 3\n"},
	{"a.obj", "v 0 0 0\n", "f 1 1 1\n", ""},
	{"a.obj", "v 0 0 0\n", "f 1 1 1 1\n", ""},
	{"a.obj", "v 0 0 0\n", "f -1 -1 -1\n", ""},
	{"a.obj", "v 0 0 0\nf", " 1", "\n"},
	{"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf", " 1 2 3", "\n"},
	{"a.obj", "v 0 0 0\n", "o\nf 1 1 1\n", ""},
	{"a.obj", "v 0 0 0\nf 1 1 1\n", "o a\n", ""},
	{"a.obj", "v 0 0 0\nf 1 1 1\n", "\n", ""},
	{"a.obj", "v 0 0 0\nf 1 1 1\n", "\r", ""},
	{"a.ply", "ply\nformat ascii 1.0\nelement vertex COUNT\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n", "0 0 0\n", "3 0 0 0\n"},
	{"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face COUNT\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n", "3 0 0 0\n", ""},
	{"a.ply", "ply\nformat binary_little_endian 1.0\nelement vertex COUNT\nproperty char x\nproperty char y\nproperty char z\nelement face 1\nproperty list uchar uchar vertex_indices\nend_header\n", "aaa", "\x03aaa"},
	{"a.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty char x\nproperty char y\nproperty char z\nelement face COUNT\nproperty list uchar uchar vertex_indices\nend_header\naaa", "\x03\x00\x00\x00", ""},
	{"a.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty char x\nproperty char y\nproperty char z\nelement face COUNT\nproperty list uchar uchar vertex_indices\nend_header\naaa", "\x04\x00\x00\x00\x00", ""},
	{"a.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty char x\nproperty char y\nproperty char z\nelement tristrips 1\nproperty list int uchar vertex_indices\nend_header\naaaaabaca\x00\x00\x40\x00", "\x00\x01\x02\x00", "\x00\x01\x02\x00"},
	{"a.off", "OFF\nCOUNT 1 0\n", "0 0 0\n", "3 0 0 0\n"},
	{"a.off", "OFF\n1 COUNT 0\n0 0 0\n", "3 0 0 0\n", ""},
	{"a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3000000", " 0 1 2", "\n"},
	{"a.gltf", `{"asset":{"version":"2.0"},"nodes":[`, "{},", "{}]}"},
	{"a.gltf", `{"asset":{"version":"2.0"},"extras":[`, "[],", "0]}"},
	{"a.gltf", `{"asset":{"version":"2.0"},"extras":{`, `"a":{},`, `"b":0}}`},
	{"a.gltf", `{"asset":{"version":"2.0"},"extras":[`, "0,", "0]}"},
	{"a.gltf", `{"asset":{"version":"2.0"},"nodes":[{"children":[`, "0,", "0]}]}"},
	{"a.gltf", `{"asset":{"version":"2.0"},"scenes":[{"nodes":[`, "0,", `0]}],"nodes":[{}]}`},
	{"a.gltf", `{"asset":{"version":"2.0"},"nodes":[{"matrix":[`, "0,", "0]}]}"},
	{"a.gltf", `{"asset":{"version":"2.0"},"extensionsRequired":[`, `"",`, `""]}`},
	{"a.gltf", `{"asset":{"version":"2.0"},"extensions":{`, `"a":{},`, `"b":{}}}`},
	{"a.gltf", `{"asset":{"version":"2.0"},"accessors":[`, `{"componentType":5126,"type":"VEC3","count":1},`, `{}]}`},
	{"a.gltf", `{"asset":{"version":"2.0"},"meshes":[`, `{"primitives":[]},`, `{"primitives":[]}]}`},
	{"a.gltf", `{"asset":{"version":"2.0"},"meshes":[{"primitives":[`, `{"attributes":{}},`, `{"attributes":{}}]}]}`},
	{"a.gltf", `{"asset":{"version":"2.0"},"meshes":[{"primitives":[{"attributes":{`, `"A":0,`, `"B":0}}]}]}`},
	{"a.gltf", `{"asset":{"version":"2.0"},"meshes":[{"primitives":[{"attributes":{},"targets":[`, `{},`, `{}]}]}]}`},
	{"a.gltf", `{"asset":{"version":"2.0"},"meshes":[{"weights":[`, `0,`, `0]}]}`},
	{"a.gltf", `{"asset":{"version":"2.0"},"buffers":[{"byteLength":1,"uri":"data:;base64,`, `AAAA`, `"}],"bufferViews":[{"buffer":0,"byteLength":1}],"accessors":[{"bufferView":0,"componentType":5121,"type":"VEC3","count":1}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]}`},
	{"a.gltf", `{"asset":{"version":"2.0"},"x":"`, `a`, `"}`},
	{"a.gltf", `{"asset":{"version":"2.0"},"`, `\u0041`, `":1}`},
	{"a.gltf", `{"asset":{"version":"2.0"},"scene":1`, `0`, `}`},
	{"a.gltf", `{"asset":{"version":"2.0"},"nodes":[`, `0.0,`, `0]}`},
	{"a.3mf", modelHead + `<resources><object id="1"><mesh><vertices>`, `<vertex x="0" y="0" z="0"/>`, `</vertices></mesh></object></resources></model>`},
	{"a.3mf", modelHead + `<resources><object id="1"><mesh><vertices><vertex x="0" y="0" z="0"/></vertices><triangles>`, `<triangle v1="0" v2="0" v3="0"/>`, `</triangles></mesh></object></resources><build><item objectid="1"/></build></model>`},
	{"a.3mf", modelHead + `<resources><object id="1">` + tetMesh + `</object></resources><build>`, `<item objectid="1"/>`, `</build></model>`},
	{"a.3mf", modelHead + `<resources><object id="1">` + tetMesh + `</object><object id="2"><components>`, `<component objectid="1"/>`, `</components></object></resources><build><item objectid="2"/></build></model>`},
	{"a.3mf", modelHead + `<resources>`, `<object id="NUMBER"/>`, `</resources></model>`},
	{"a.3mf", modelHead + `<metadata>`, `<a/>`, `</metadata></model>`},
	{"a.3mf", modelHead + `<metadata>`, `<a xmlns="b:c"/>`, `</metadata></model>`},
	{"a.3mf", modelHead + `<metadata>`, `<!---->`, `</metadata></model>`},
	{"a.3mf", modelHead + strings.Repeat("<a "+strings.Repeat(`xmlns:b="c:d" `, 1000)+">", 200), ``, `</model>`},
	{"a.3mf", modelHead, strings.Repeat("<"+strings.Repeat("n", 500_000)+">", 20), `</model>`},
	{"a.zip", "", "", ""},
}

// TestRepeated measures the readers of mesh files for files of equal units. With INPOLY_FULL=1, the
// files are large, and each is read with three memory limits.
func TestRepeated(t *testing.T) {
	size, limits, batch := 128<<10, []int64{4 << 20}, 50
	if full() {
		size, limits, batch = 32<<20, []int64{0, 16 << 20, 128 << 20}, 3
	}
	measureAll(t, len(repeated)*len(limits), batch, func(i int) hostileCase {
		r := repeated[i/len(limits)]
		n := size / max(1, len(r.unit))
		p := text{strings.Replace(r.head, "COUNT", fmt.Sprint(n), 1), r.unit, n, r.tail}
		c := hostileCase{label: fmt.Sprintf("%.30s in %.90s", r.unit, r.head), file: r.file, plain: p.size(), limit: limits[i%len(limits)]}
		var b bytes.Buffer
		p.writeTo(&b)
		if strings.Contains(r.unit, "NUMBER") {
			b.Reset()
			b.WriteString(r.head)
			for k := range n {
				b.WriteString(strings.Replace(r.unit, "NUMBER", fmt.Sprint(k), 1))
			}
			b.WriteString(r.tail)
			p = text{head: b.String()}
			c.plain = p.size()
		}
		c.data = b.Bytes()
		switch r.file {
		case "a.3mf":
			c.data, c.plain = pack3MF(zip.Deflate, part{"3D/3dmodel.model", p})
		case "a.zip":
			list := []part{{"3D/3dmodel.model", text{head: modelHead + modelTail}}}
			for k := range size / 120 {
				list = append(list, part{fmt.Sprint("p", k), text{}})
			}
			c.file = "a.3mf"
			c.data, _ = pack3MF(zip.Store, list...)
			c.plain = int64(len(c.data))
		}
		return c
	}, readMesh)
}
