package gltf

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/golang/geo/r3"
	"github.com/qmuntal/gltf"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/loaders/internal/soup"
	"github.com/inpoly/inpoly/mesh"
)

// WriteBinary writes m as GLB; see loaders.WriteGLB.
func WriteBinary(w io.Writer, m *mesh.Mesh) error {
	if err := write(w, m); err != nil {
		return fmt.Errorf("writing GLB: %w", err)
	}
	return nil
}

func write(w io.Writer, m *mesh.Mesh) error {
	origin := chooseOrigin(m)
	bin, lo, hi, err := encodePositions(m, origin)
	if err != nil {
		return err
	}
	doc := &gltf.Document{Asset: gltf.Asset{Version: "2.0", Generator: "inpoly"}}
	if len(m.Faces) > 0 {
		bin = describe(doc, m, origin, lo, hi, bin)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	for len(bin)%4 != 0 {
		bin = append(bin, 0)
	}
	total := uint64(containerHeaderBytes + chunkHeaderBytes + len(text))
	if len(bin) > 0 {
		total += uint64(chunkHeaderBytes + len(bin))
	}
	if total > math.MaxUint32 {
		return plural.Errorf("the file would have %d bytes, but GLB allows at most %d: %w", total, uint32(math.MaxUint32), soup.ErrTooLarge)
	}
	buf := bufio.NewWriterSize(w, 1<<20)
	// Only the error of Flush is checked, because a bufio.Writer keeps its first error.
	header := append([]byte("glTF"), 2, 0, 0, 0)
	buf.Write(binary.LittleEndian.AppendUint32(header, uint32(total)))
	writeChunk(buf, chunkJSON, text)
	if len(bin) > 0 {
		writeChunk(buf, chunkBIN, bin)
	}
	return buf.Flush()
}

// writeChunk writes a chunk of the GLB container: length, type and padded data.
func writeChunk(buf *bufio.Writer, kind uint32, data []byte) {
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(data)))
	buf.Write(binary.LittleEndian.AppendUint32(head, kind))
	buf.Write(data)
}

// chooseOrigin returns the origin of the stored positions. The origin is 0 if all coordinates are
// float32 numbers. Otherwise it is the middle of the bounding box.
func chooseOrigin(m *mesh.Mesh) r3.Vector {
	for _, v := range m.Vertices {
		if soup.Float64s(soup.Float32s(v)) != v {
			b := m.Box()
			// Min and Max are halved before the addition, because their sum could overflow.
			return b.Min.Mul(0.5).Add(b.Max.Mul(0.5))
		}
	}
	return r3.Vector{}
}

// encodePositions returns the positions relative to origin as little-endian float32 numbers, and
// their bounds lo and hi. The capacity of bin suffices for the positions and the indices.
func encodePositions(m *mesh.Mesh, origin r3.Vector) (bin []byte, lo, hi [3]float64, err error) {
	bin = make([]byte, 0, 12*(len(m.Vertices)+len(m.Faces))+4)
	for k := range lo {
		lo[k], hi[k] = math.Inf(1), math.Inf(-1)
	}
	for i, v := range m.Vertices {
		p := soup.Float32s(v.Sub(origin))
		if err := soup.CheckFloat32(i, v, p); err != nil {
			return nil, lo, hi, err
		}
		for k, x := range p {
			bin = binary.LittleEndian.AppendUint32(bin, math.Float32bits(x))
			lo[k], hi[k] = min(lo[k], float64(x)), max(hi[k], float64(x))
		}
	}
	return bin, lo, hi, nil
}

// describe appends the indices to bin and fills doc. Buffer view 0 has the positions, and buffer
// view 1 has the indices. Accessor 0 has the positions, and accessor 1+i has the indices of body i.
// Mesh i and node i represent body i.
func describe(doc *gltf.Document, m *mesh.Mesh, origin r3.Vector, lo, hi [3]float64, bin []byte) []byte {
	bodies := tiling(m.Bodies, int32(len(m.Faces)))
	component, size := gltf.ComponentUint, 4
	if len(m.Vertices) <= math.MaxUint16 { // every index is less than the restart value MaxUint16
		component, size = gltf.ComponentUshort, 2
	}
	positions := len(bin)
	for _, f := range m.Faces {
		for _, i := range f {
			if size == 2 {
				bin = binary.LittleEndian.AppendUint16(bin, uint16(i))
			} else {
				bin = binary.LittleEndian.AppendUint32(bin, uint32(i))
			}
		}
	}
	doc.Buffers = []*gltf.Buffer{{ByteLength: len(bin)}}
	doc.BufferViews = []*gltf.BufferView{
		{Buffer: 0, ByteLength: positions, Target: gltf.TargetArrayBuffer},
		{Buffer: 0, ByteOffset: positions, ByteLength: len(bin) - positions, Target: gltf.TargetElementArrayBuffer},
	}
	doc.Accessors = []*gltf.Accessor{{
		BufferView: gltf.Index(0), ComponentType: gltf.ComponentFloat, Type: gltf.AccessorVec3,
		Count: len(m.Vertices), Min: lo[:], Max: hi[:],
	}}
	scene := &gltf.Scene{}
	for i, b := range bodies {
		doc.Accessors = append(doc.Accessors, &gltf.Accessor{
			BufferView: gltf.Index(1), ByteOffset: 3 * size * int(b.First), ComponentType: component,
			Type: gltf.AccessorScalar, Count: 3 * int(b.Count),
		})
		doc.Meshes = append(doc.Meshes, &gltf.Mesh{Name: b.Name, Primitives: []*gltf.Primitive{{
			Attributes: gltf.PrimitiveAttributes{gltf.POSITION: 0}, Indices: gltf.Index(1 + i),
		}}})
		doc.Nodes = append(doc.Nodes, &gltf.Node{
			Name: b.Name, Mesh: gltf.Index(i), Translation: [3]float64{origin.X, origin.Y, origin.Z},
		})
		scene.Nodes = append(scene.Nodes, i)
	}
	doc.Scenes = []*gltf.Scene{scene}
	doc.Scene = gltf.Index(0)
	return bin
}

// tiling returns bodies that together cover every face once, in order: the given bodies that are
// not empty, and new bodies without a name for all other faces. If the given bodies overlap, tiling
// returns one body with all faces.
func tiling(bodies []mesh.Body, faces int32) []mesh.Body {
	var tiles []mesh.Body
	next := int32(0)
	for _, b := range append(bodies[:len(bodies):len(bodies)], mesh.Body{First: faces}) {
		if b.First > next {
			tiles = append(tiles, mesh.Body{First: next, Count: b.First - next})
		}
		if b.First < next && b.Count > 0 {
			return []mesh.Body{{Count: faces}}
		}
		if b.Count > 0 {
			tiles = append(tiles, b)
		}
		next = max(next, b.First+b.Count)
	}
	return tiles
}
