package loaders

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const extInstancing = "EXT_mesh_gpu_instancing"

// instances holds random transforms of the tetrahedron.
type instances struct {
	translations, scales [][3]float32
	rotations            [][4]float32
	code                 int // component type of the rotations
}

func randomInstances(n, code int, seed uint64) instances {
	r := rand.New(rand.NewPCG(seed, 2))
	s := instances{code: code}
	number := func() float32 { return float32(r.NormFloat64()) }
	for range n {
		s.translations = append(s.translations, [3]float32{number(), number(), number()})
		s.scales = append(s.scales, [3]float32{number(), number(), number()})
		q := [4]float32{number(), number(), number(), number()}
		if code != 5126 {
			for k := range q {
				q[k] = float32(r.IntN(1<<(8*componentSize(code))) - 1<<(8*componentSize(code)-1))
			}
		}
		s.rotations = append(s.rotations, q)
	}
	return s
}

func componentSize(code int) int {
	for _, c := range componentTypes {
		if c.code == code {
			return c.size
		}
	}
	panic(code)
}

// text returns a document with the given node, whose instances have the named attributes.
func (s instances) text(node string, attributes []string) string {
	buffer := append([]byte(nil), tetBuffer...)
	accessors := strings.TrimSuffix(tetAccessors, "]")
	views := `"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":24}`
	var list []string
	for i, name := range attributes {
		start := len(buffer)
		form := `"componentType":5126,"type":"VEC3"`
		switch name {
		case "TRANSLATION":
			buffer = append(buffer, bytesOf(s.translations)...)
		case "SCALE":
			buffer = append(buffer, bytesOf(s.scales)...)
		case "ROTATION":
			form = fmt.Sprintf(`"componentType":%d,"normalized":%t,"type":"VEC4"`, s.code, s.code != 5126)
			for _, q := range s.rotations {
				for _, c := range q {
					if s.code == 5126 {
						buffer = append(buffer, bytesOf(c)...)
					} else {
						buffer = append(buffer, encode(s.code, int(c))...)
					}
				}
			}
		default:
			form = `"componentType":5121,"type":"SCALAR"`
			buffer = append(buffer, make([]byte, len(s.scales))...)
		}
		views += fmt.Sprintf(`,{"buffer":0,"byteOffset":%d,"byteLength":%d}`, start, len(buffer)-start)
		accessors += fmt.Sprintf(`,{"bufferView":%d,%s,"count":%d}`, i+2, form, len(s.scales))
		list = append(list, fmt.Sprintf(`"%s":%d`, name, i+2))
	}
	accessors = accessors[strings.Index(accessors, `"accessors"`):] + "]"
	return gltfText(buffer, views+"],"+accessors+","+tetMesh+fmt.Sprintf(`,"nodes":[{%s"mesh":0,"extensions":{"%s":{"attributes":{%s}}}}]`, node, extInstancing, strings.Join(list, ",")))
}

// expanded returns a document that has a node for each instance.
func (s instances) expanded(node string, attributes []string) string {
	nodes := []string{fmt.Sprintf(`{%s"children":[%s]}`, node, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(count(1, len(s.scales)))), ","), "[]"))}
	for k := range s.scales {
		child := `{"mesh":0`
		for _, name := range attributes {
			switch name {
			case "TRANSLATION":
				v := s.translations[k]
				child += fmt.Sprintf(`,"translation":[%v,%v,%v]`, float64(v[0]), float64(v[1]), float64(v[2]))
			case "SCALE":
				v := s.scales[k]
				child += fmt.Sprintf(`,"scale":[%v,%v,%v]`, float64(v[0]), float64(v[1]), float64(v[2]))
			case "ROTATION":
				var q [4]float64
				for j, c := range s.rotations[k] {
					q[j] = float64(c)
					if s.code != 5126 {
						q[j] = max(q[j]/float64(int(1)<<(8*componentSize(s.code)-1)-1), -1)
					}
				}
				child += fmt.Sprintf(`,"rotation":[%v,%v,%v,%v]`, q[0], q[1], q[2], q[3])
			}
		}
		nodes = append(nodes, child+"}")
	}
	return tetText(`"scenes":[{"nodes":[0]}],"nodes":[` + strings.Join(nodes, ",") + "]")
}

// count returns the integers from first to last.
func count(first, last int) []int {
	list := []int{}
	for i := first; i <= last; i++ {
		list = append(list, i)
	}
	return list
}

// instancedText returns a document with instances.
func instancedText(n, code int, seed uint64) string {
	return randomInstances(n, code, seed).text(`"scale":[1,-2,1],`, []string{"TRANSLATION", "ROTATION", "SCALE", "_ID"})
}

// TestGLTFInstances compares instances with a document that has a node for each instance. The soups
// must be equal bit by bit.
func TestGLTFInstances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := randomInstances(rapid.IntRange(1, 30).Draw(t, "instances"), rapid.SampledFrom([]int{5126, 5120, 5122}).Draw(t, "rotation"), rapid.Uint64().Draw(t, "seed"))
		attributes := rapid.SampledFrom([][]string{{"TRANSLATION"}, {"ROTATION"}, {"SCALE"}, {"TRANSLATION", "SCALE"}, {"ROTATION", "_ID", "SCALE"},
			{"_ID"}, {"SCALE", "ROTATION", "TRANSLATION"}, {"_A", "_B", "TRANSLATION"}}).Draw(t, "attributes")
		node := rapid.SampledFrom([]string{"", `"scale":[-1,2,3],`, `"rotation":[1,2,3,4],"translation":[5,6,7],`, `"matrix":[2,0,0,0,0,-2,0,0,0,1,2,0,4,5,6,1],`}).Draw(t, "node")
		got, info, err := readString("a.gltf", s.text(node, attributes))
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := readString("a.gltf", s.expanded(node, attributes))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Bodies) != len(s.scales) || len(info.Notes) != 1 { // the note about the missing scene
			t.Fatalf("%d bodies and notes %q, want %d bodies", len(got.Bodies), info.Notes, len(s.scales))
		}
		for i := range want.Bodies {
			want.Bodies[i].Name = "node 0"
		}
		if describe(got) != describe(want) {
			t.Fatalf("got\n%s, want\n%s", describe(got), describe(want))
		}
	})
}

func TestGLTFInstancesRead(t *testing.T) {
	s := randomInstances(3, 5126, 1)
	all := []string{"TRANSLATION", "ROTATION", "SCALE"}
	required := func(text string) string {
		return strings.TrimSuffix(text, "}") + `,"extensionsRequired":["EXT_mesh_gpu_instancing"]}`
	}
	const note = "the file has no scenes: 1 root node was read"
	for _, a := range []acceptance{
		{name: "required", file: "a.gltf", data: required(s.text("", all)), vertices: 12, triangles: 12, bodies: "node 0|node 0|node 0", notes: note},
		{name: "name", file: "a.gltf", data: s.text(`"name":"tree",`, all), vertices: 12, triangles: 12, bodies: "tree|tree|tree", notes: note},
		{name: "skin and weights", file: "a.gltf", data: s.text(`"skin":0,"weights":[1],`, all), vertices: 12, triangles: 12, bodies: "node 0|node 0|node 0",
			notes: note + "|1 node has morph targets: all weights are taken as 0|1 node has skins: the meshes were read as stored, without joints"},
		{name: "no mesh", file: "a.gltf", data: tetText(`"scenes":[{"nodes":[0,1]}],"nodes":[{"extensions":{"EXT_mesh_gpu_instancing":{}}},{"mesh":0}]`),
			vertices: 4, triangles: 4, bodies: "node 1"},
		{name: "zeros without a buffer view", file: "a.gltf", data: strings.Replace(s.text("", []string{"TRANSLATION"}), `{"bufferView":2,`, `{`, 1),
			vertices: 12, triangles: 12, bodies: "node 0|node 0|node 0", notes: note},
		{name: "sparse rotations", file: "a.gltf", data: strings.Replace(s.text("", []string{"ROTATION"}), `"type":"VEC4"`,
			`"type":"VEC4","sparse":{"count":1,"indices":{"bufferView":1,"componentType":5123,"byteOffset":2},"values":{"bufferView":2}}`, 1),
			vertices: 12, triangles: 12, bodies: "node 0|node 0|node 0", notes: note},
		{name: "two nodes of one mesh", file: "a.gltf", data: strings.Replace(s.text("", all), `"nodes":[`, `"nodes":[{"mesh":0,"name":"plain"},`, 1),
			vertices: 16, triangles: 16, bodies: "plain|node 1|node 1|node 1", notes: "the file has no scenes: 2 root nodes were read"},
	} {
		a.run(t)
	}
}

func TestGLTFInstancesRefuse(t *testing.T) {
	base := randomInstances(3, 5122, 1).text("", []string{"TRANSLATION", "ROTATION", "SCALE", "_ID"})
	with := func(from, to string) string {
		t.Helper()
		if !strings.Contains(base, from) {
			t.Fatalf("%q is not in the document", from)
		}
		return strings.Replace(base, from, to, 1)
	}
	const place = "/nodes/0/extensions/EXT_mesh_gpu_instancing/attributes"
	zero := strings.Replace(randomInstances(3, 5122, 1).text("", []string{"ROTATION"}), `{"bufferView":2,`, `{`, 1)
	for _, r := range []refusal{
		{"nothing", "a.gltf", tetText(`"nodes":[{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{}}}]`), ErrSyntax, place + ": syntax error: the instances have no attributes"},
		{"null", "a.gltf", tetText(`"nodes":[{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":null}}]`), ErrSyntax, "the instances have no attributes"},
		{"no object", "a.gltf", tetText(`"nodes":[{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":7}}]`), ErrSyntax, "the attributes must be an object"},
		{"a list", "a.gltf", tetText(`"nodes":[{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":[0]}}}]`), ErrSyntax, "the attributes must be an object"},
		{"null attribute", "a.gltf", with(`"TRANSLATION":2`, `"TRANSLATION":null`), ErrSyntax, "an attribute is null"},
		{"fraction", "a.gltf", with(`"TRANSLATION":2`, `"TRANSLATION":2.5`), ErrSyntax, "the attributes must be an object"},
		{"accessor out of range", "a.gltf", with(`"TRANSLATION":2`, `"TRANSLATION":99`), ErrIndexRange, place + ": index out of range: accessor 99 does not exist: the file has 6"},
		{"negative accessor", "a.gltf", with(`"TRANSLATION":2`, `"TRANSLATION":-2`), ErrIndexRange, "accessor -2"},
		{"unequal counts", "a.gltf", with(`"VEC4","count":3`, `"VEC4","count":2`), ErrSyntax, place + ": syntax error: the attributes have different numbers of elements"},
		{"unequal count of another attribute", "a.gltf", with(`"componentType":5121,"type":"SCALAR","count":3`, `"componentType":5121,"type":"SCALAR","count":2`), ErrSyntax, "different numbers"},
		{"negative count", "a.gltf", strings.ReplaceAll(base, `"count":3`, `"count":-3`), ErrSyntax, "count is -3"},
		{"count beyond int32", "a.gltf", strings.ReplaceAll(base, `"count":3`, `"count":4000000000`), ErrTooLarge, ""},
		{"count beyond the view", "a.gltf", strings.ReplaceAll(base, `"count":3`, `"count":9`), ErrTruncated, "/accessors/2: truncated: 9 elements with a stride of 12 bytes"},
		{"translations of four numbers", "a.gltf", with(`"TRANSLATION":2`, `"TRANSLATION":3`), ErrSyntax, place + "/TRANSLATION: syntax error: accessor 3 has type VEC4 of SHORT, must have type VEC3 of FLOAT"},
		{"rotations of three numbers", "a.gltf", with(`"ROTATION":3`, `"ROTATION":2`), ErrSyntax, place + "/ROTATION: syntax error: accessor 2 has type VEC3 of FLOAT, must have type VEC4 of FLOAT, normalized BYTE or normalized SHORT"},
		{"rotations that are not normalized", "a.gltf", with(`"normalized":true`, `"normalized":false`), ErrSyntax, "must have type VEC4"},
		{"unsigned rotations", "a.gltf", with("5122", "5123"), ErrSyntax, "VEC4 of UNSIGNED_SHORT"},
		{"zero rotation", "a.gltf", zero, ErrSyntax, place + ": instance 0: syntax error: the rotation is a quaternion of length zero"},
		{"overflow", "a.gltf", strings.Replace(base, `[{"mesh":0`, `[{"matrix":[1e300,0,0,0,0,1e300,0,0,0,0,1e300,0,0,0,0,1],"children":[1]},{"matrix":[1e300,0,0,0,0,1e300,0,0,0,0,1e300,0,0,0,0,1],"mesh":0`, 1),
			ErrNotFinite, "vertex 0 is out of range after the transform of its node"},
	} {
		r.run(t)
	}
	nan := randomInstances(3, 5126, 1)
	nan.translations[2][1] *= float32(1e38)
	nan.translations[2][1] *= float32(1e38)
	refusal{"infinite translation", "a.gltf", nan.text("", []string{"TRANSLATION"}), ErrNotFinite, place + ": instance 2: coordinate is not finite"}.run(t)
}

// TestGLTFInstancesMemory reads small files with very many instances.
func TestGLTFInstancesMemory(t *testing.T) {
	text := func(count int, mode string) string {
		return gltfText(tetBuffer, strings.TrimSuffix(tetAccessors, "]")+fmt.Sprintf(`,{"componentType":5126,"type":"VEC3","count":%d}],`, count)+
			strings.Replace(tetMesh, `"indices":1`, `"indices":1`+mode, 1)+`,"nodes":[{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":2}}}}]`)
	}
	for _, c := range []struct {
		name, text string
		limit      int64
	}{
		{"many", text(1_000_000_000, ""), 0},
		{"many with a large limit", text(2_000_000_000, ""), 1 << 50},
		{"many of nothing", text(1_000_000_000, `,"mode":0`), 0},
		{"many of no primitives", strings.Replace(text(1_000_000_000, ""), tetMesh, `"meshes":[{"primitives":[]}]`, 1), 0},
		{"beyond a limit", text(100_000, ""), 16 << 20},
		{"below each other", strings.Replace(text(60_000, ""), `"nodes":[`, `"nodes":[{"children":[1,1,1,1,1,1,1,1]},`, 1), 64 << 20},
	} {
		start := time.Now()
		_, _, err := Read(t.Context(), "a.gltf", strings.NewReader(c.text), Options{MaxMemory: c.limit})
		if !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: got %v, want %v", c.name, err, ErrTooLarge)
		}
		t.Logf("%s: %v after %v", c.name, err, time.Since(start))
	}
	// A node with a long extension and very many parents. Each parent would take a long time if the
	// extension were decoded again.
	long := `"TRANSLATION":2`
	for i := range 20_000 {
		long += fmt.Sprintf(`,"_%d":2`, i)
	}
	parents := strings.Replace(strings.Replace(text(1, ""), `"TRANSLATION":2`, long, 1), `"nodes":[`, `"nodes":[{"children":[`+strings.Repeat("1,", 20_000)+`1]},`, 1)
	if soup, _, err := readString("a.gltf", parents); err != nil || len(soup.Bodies) != 20_001 {
		t.Errorf("20,001 parents: %v", err)
	}
	soup, _, err := Read(t.Context(), "a.gltf", strings.NewReader(text(100_000, "")), Options{MaxMemory: 100 << 20})
	if err != nil || len(soup.Faces) != 400_000 || len(soup.Bodies) != 100_000 {
		t.Errorf("100,000 instances in 100 MB: %v", err)
	}
}
