package view

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/golang/geo/r3"
	"github.com/qmuntal/gltf"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// readGLB decodes the GLB of a scene. It checks that each accessor is aligned and fits into its
// buffer view, and that the bounds of positions are exact.
func readGLB(t *testing.T, s *Scene) *gltf.Document {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteGLB(&b); err != nil {
		t.Fatal(err)
	}
	if n := binary.LittleEndian.Uint32(b.Bytes()[8:]); int(n) != b.Len() {
		t.Fatalf("the header says %d bytes of %d", n, b.Len())
	}
	text := b.Bytes()[20:][:binary.LittleEndian.Uint32(b.Bytes()[12:])]
	bin := b.Len() - 20 - len(text) - 8
	var doc gltf.Document
	if err := gltf.NewDecoder(&b).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	if n := doc.Buffers[0].ByteLength; n != bin {
		t.Errorf("the buffer has %d bytes, its chunk has %d", n, bin)
	}
	if again, err := json.Marshal(&doc); err != nil || !bytes.Equal(bytes.TrimRight(text, " "), again) {
		t.Errorf("members of the document are in another order (%v):\n%s\n%s", err, text, again)
	}
	size := map[gltf.ComponentType]int{gltf.ComponentFloat: 4, gltf.ComponentUint: 4, gltf.ComponentUbyte: 1}
	parts := map[gltf.AccessorType]int{gltf.AccessorScalar: 1, gltf.AccessorVec2: 2, gltf.AccessorVec3: 3, gltf.AccessorVec4: 4}
	for i, a := range doc.Accessors {
		v := doc.BufferViews[*a.BufferView]
		if want := size[a.ComponentType] * parts[a.Type] * a.Count; v.ByteLength != want || want == 0 {
			t.Errorf("accessor %d: %d bytes, want %d", i, v.ByteLength, want)
		}
		if v.ByteOffset%4 != 0 || v.ByteOffset+v.ByteLength > len(doc.Buffers[0].Data) {
			t.Errorf("accessor %d begins at %d and has %d bytes of %d", i, v.ByteOffset, v.ByteLength, len(doc.Buffers[0].Data))
		}
	}
	for _, m := range doc.Meshes {
		for _, p := range m.Primitives {
			at := doc.Accessors[p.Attributes[gltf.POSITION]]
			for _, other := range p.Attributes {
				if doc.Accessors[other].Count != at.Count {
					t.Errorf("%s: attributes of %d and %d", m.Name, at.Count, doc.Accessors[other].Count)
				}
			}
			lo, hi := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}, [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
			for _, v := range glbVectors(&doc, p.Attributes[gltf.POSITION]) {
				for k, x := range v {
					lo[k], hi[k] = min(lo[k], float64(x)), max(hi[k], float64(x))
				}
			}
			if [3]float64(at.Min) != lo || [3]float64(at.Max) != hi {
				t.Errorf("%s: bounds %v to %v, the positions have %v to %v", m.Name, at.Min, at.Max, lo, hi)
			}
			if p.Indices != nil {
				for _, i := range glbIndices(&doc, *p.Indices) {
					if int(i) >= at.Count {
						t.Fatalf("%s: index %d of %d", m.Name, i, at.Count)
					}
				}
			}
		}
	}
	return &doc
}

func glbBytes(doc *gltf.Document, accessor int) []byte {
	v := doc.BufferViews[*doc.Accessors[accessor].BufferView]
	return doc.Buffers[0].Data[v.ByteOffset : v.ByteOffset+v.ByteLength]
}

func glbVectors(doc *gltf.Document, accessor int) [][3]float32 {
	b := glbBytes(doc, accessor)
	out := make([][3]float32, len(b)/12)
	for i := range out {
		for k := range 3 {
			out[i][k] = math.Float32frombits(binary.LittleEndian.Uint32(b[12*i+4*k:]))
		}
	}
	return out
}

func glbIndices(doc *gltf.Document, accessor int) []uint32 {
	b := glbBytes(doc, accessor)
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

func TestWriteGLB(t *testing.T) {
	soup := testmesh.Move(brokenSoup(), func(p r3.Vector) r3.Vector { return p.Add(vector(1000, 2000, 3000)) })
	solid := newSolid(t, soup, inpoly.Options{Orient: inpoly.OrientNever})
	cloud := newCloud(t, solid, vector(998, 1998, 2998), vector(1004, 2002, 3002), 500, 1000)
	s := newScene(t, solid, cloud, Options{Name: "broken"})
	doc := readGLB(t, s)
	found := map[string]*gltf.Primitive{}
	for _, n := range doc.Nodes {
		if r3.Vector(vector(n.Translation[0], n.Translation[1], n.Translation[2])) != s.frame.center {
			t.Errorf("%s is moved by %v, want %v", n.Name, n.Translation, s.frame.center)
		}
		name, plane, _ := strings.Cut(n.Name, "=") // the name of a slice is "slice x", "slice y" or "slice z"
		if plane != "" {
			name = "slice"
		}
		found[name] = doc.Meshes[*n.Mesh].Primitives[0]
	}
	if len(doc.Scenes[0].Nodes) != len(doc.Nodes) {
		t.Errorf("%d of %d nodes are in the scene", len(doc.Scenes[0].Nodes), len(doc.Nodes))
	}

	// The mesh is translucent. Its corners equal the corners of the solid within the resolution of
	// float32.
	p := found["mesh"]
	m, vectors, indices := solid.Mesh(), glbVectors(doc, p.Attributes[gltf.POSITION]), glbIndices(doc, *p.Indices)
	k := 0
	for f, face := range m.Faces {
		for _, v := range face {
			got := vectors[indices[k]]
			k++
			want := m.Vertices[v].Sub(s.frame.center)
			if math.Abs(float64(got[0])-want.X)+math.Abs(float64(got[1])-want.Y)+math.Abs(float64(got[2])-want.Z) > 3*0x1p-23*4 {
				t.Fatalf("face %d: a corner at %v, want %v", f, got, want)
			}
		}
	}
	if k != len(indices) {
		t.Errorf("%d indices, want %d", len(indices), k)
	}
	if mat := doc.Materials[*p.Material]; mat.AlphaMode != gltf.AlphaBlend || !mat.DoubleSided || !(mat.PBRMetallicRoughness.BaseColorFactor[3] < 1) {
		t.Errorf("the mesh is not translucent: %+v", mat)
	}

	counts := cloud.Counts()
	for side, name := range sideNames {
		p := found["points "+name]
		if (p != nil) != (counts[side] > 0) {
			t.Errorf("points %s: %d, node %v", name, counts[side], p)
		}
		if p == nil {
			continue
		}
		if n := doc.Accessors[p.Attributes[gltf.POSITION]].Count; p.Mode != gltf.PrimitivePoints || int64(n) != counts[side] {
			t.Errorf("points %s: %d in mode %v, want %d", name, n, p.Mode, counts[side])
		}
		color := glbBytes(doc, p.Attributes[gltf.COLOR_0])
		for c := range 3 {
			if math.Abs(float64(color[c])/255-linear(sideColors[side][c])) > 0.5/255 {
				t.Errorf("points %s: color %v", name, color[:4])
			}
		}
	}

	d := solid.Report().Diagnosis
	for name, want := range map[string]int{"open edges": 2 * d.BoundaryEdges, "misoriented edges": 2 * d.MisorientedEdges,
		"non-manifold edges": 2 * d.NonManifoldEdges, "faces of zero area": 2 * d.ZeroArea} {
		p := found[name]
		if p == nil {
			t.Errorf("no node for %s", name)
		} else if n := doc.Accessors[p.Attributes[gltf.POSITION]].Count; p.Mode != gltf.PrimitiveLines || n != want {
			t.Errorf("%s: %d ends in mode %v, want %d", name, n, p.Mode, want)
		}
	}
	if p := found["flipped faces"]; p == nil || p.Mode != gltf.PrimitiveTriangles || doc.Accessors[p.Attributes[gltf.POSITION]].Count != 9 {
		t.Errorf("flipped faces: %+v", p)
	}

	if found["slice"] == nil || len(doc.Images) != 1 {
		t.Fatal("no slice")
	}
	v := doc.BufferViews[*doc.Images[0].BufferView]
	img, err := png.Decode(bytes.NewReader(doc.Buffers[0].Data[v.ByteOffset : v.ByteOffset+v.ByteLength]))
	if err != nil || img.Bounds().Dx() != s.slice.cols {
		t.Errorf("the picture of the slice: %v, %v", img, err)
	}
}

func TestGLBEmpty(t *testing.T) {
	collapsed := mesh.Soup{Vertices: []r3.Vector{vector(0, 0, 0), vector(1, 0, 0)}, Faces: [][3]int32{{0, 1, 1}}}
	for name, soup := range map[string]mesh.Soup{"no face": testmesh.Union(), "a collapsed face": collapsed} {
		var b bytes.Buffer
		solid := newSolid(t, soup, inpoly.Options{})
		if err := newScene(t, solid, nil, Options{}).WriteGLB(&b); !errors.Is(err, ErrEmpty) || b.Len() > 0 {
			t.Errorf("%s: %d bytes, %v", name, b.Len(), err)
		}
		cloud := newCloud(t, solid, vector(0, 0, 0), vector(1, 1, 1), 5, 5)
		if doc := readGLB(t, newScene(t, solid, cloud, Options{})); len(doc.Nodes) != 1 {
			t.Errorf("%s with points: %d nodes, want those of the points", name, len(doc.Nodes))
		}
	}
}

func TestGLBTooLarge(t *testing.T) {
	solid := newSolid(t, testmesh.Scale(testmesh.Cube(vector(-1, -1, -1), vector(1, 1, 1)), 0x1p300), inpoly.Options{})
	if err := newScene(t, solid, nil, Options{}).WriteGLB(&bytes.Buffer{}); !errors.Is(err, ErrRange) {
		t.Errorf("positions of 2^300 were written: %v", err)
	}
}
