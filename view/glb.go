package view

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"slices"

	"github.com/golang/geo/r3"
	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/ext/unlit"
	"github.com/qmuntal/gltf/modeler"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/loaders"
)

// ErrEmpty is returned if there is nothing to draw.
var ErrEmpty = errors.New("view: the mesh has no triangles and there are no points: nothing to draw")

// ErrRange is returned for positions that the format cannot store.
var ErrRange = errors.New("out of the range of float32, the type of positions in glTF")

// WriteGLB writes the scene as a GLB file (glTF 2.0). The file has these nodes:
//
//   - "mesh", which is translucent
//   - one node for the points of each side, such as "points in" (POINTS with colors)
//   - one node for each kind of defect (LINES or TRIANGLES)
//   - "slice", a rectangle with a texture
//
// Positions are float32 relative to the middle of the box of the mesh. Each node is translated by
// this middle. WriteGLB builds the file in memory.
//
// Errors: ErrEmpty if there is nothing to draw; ErrRange for a position beyond float32;
// loaders.ErrTooLarge for a file beyond 4 GB; the error of w.
func (s *Scene) WriteGLB(w io.Writer) error {
	b := glbBuilder{scene: s, doc: &gltf.Document{
		Asset: gltf.Asset{Version: "2.0", Generator: "inpoly"},
	}}
	err := b.build()
	if err == nil {
		err = b.write(w)
	}
	if err != nil {
		return fmt.Errorf("writing GLB: %w", err)
	}
	return nil
}

type glbBuilder struct {
	scene *Scene
	doc   *gltf.Document
	nodes []int
	err   error // first error
}

func (b *glbBuilder) build() error {
	s := b.scene
	if len(s.surface.faces) > 0 {
		b.surface()
	}
	for _, side := range sideOrder {
		b.points(side)
	}
	for _, l := range s.layers {
		b.layer(l)
	}
	if s.sliceInSpace() != nil {
		b.slice()
	}
	if b.err == nil && len(b.nodes) == 0 {
		return ErrEmpty
	}
	b.doc.Scenes = []*gltf.Scene{{Name: s.opt.Name, Nodes: b.nodes}}
	b.doc.Scene = gltf.Index(0)
	return b.err
}

func (b *glbBuilder) surface() {
	s := b.scene
	positions := make([][3]float32, len(s.surface.vertices))
	for i, v := range s.surface.vertices {
		for k, x := range v {
			positions[i][k] = float32(float64(x) * s.frame.scale) // exact, because scale is a power of two
		}
	}
	at := b.positions(positions)
	index := make([]uint32, 0, 3*len(s.surface.faces))
	for _, f := range s.surface.faces {
		index = append(index, f[:]...)
	}
	b.node("mesh", &gltf.Primitive{
		Attributes: gltf.PrimitiveAttributes{gltf.POSITION: at}, Indices: gltf.Index(modeler.WriteIndices(b.doc, index)),
		Material: gltf.Index(b.material("mesh", meshColor, 0.35, false)),
	})
}

func (b *glbBuilder) points(side inpoly.Side) {
	var list []r3.Vector
	for _, p := range b.scene.points {
		if p.side&3 == side {
			list = append(list, p.p)
		}
	}
	if len(list) == 0 {
		return
	}
	c := [4]uint8{3: 255} // vertex colors in glTF are linear, like the colors of materials
	for k, v := range sideColors[side] {
		c[k] = uint8(math.Round(255 * linear(v)))
	}
	at := b.positions(b.relative(list))
	colors := modeler.WriteColor(b.doc, slices.Repeat([][4]uint8{c}, len(list)))
	// The product of the vertex color and the material color is drawn, so the material is white.
	material := b.material("points "+sideNames[side], rgb{255, 255, 255}, 1, true)
	b.node("points "+sideNames[side], &gltf.Primitive{
		Mode:       gltf.PrimitivePoints,
		Attributes: gltf.PrimitiveAttributes{gltf.POSITION: at, gltf.COLOR_0: colors}, Material: gltf.Index(material),
	})
}

func (b *glbBuilder) layer(l *layer) {
	mode, alpha := gltf.PrimitiveTriangles, 0.8
	if l.IsEdges() {
		mode, alpha = gltf.PrimitiveLines, 1
	}
	b.node(l.Name, &gltf.Primitive{
		Mode: mode, Attributes: gltf.PrimitiveAttributes{gltf.POSITION: b.positions(b.relative(b.scene.corners(l)))},
		Material: gltf.Index(b.material(l.Name, l.Color, alpha, true)),
	})
}

func (b *glbBuilder) slice() {
	x := b.scene.slice
	var list []r3.Vector
	var uv [][2]float32
	for _, c := range [6][2]int{{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}} {
		list = append(list, x.corner(c[0], c[1]))
		uv = append(uv, [2]float32{float32(c[0]), float32(1 - c[1])}) // the v axis of a texture points down
	}
	at, coordinates := b.positions(b.relative(list)), modeler.WriteTextureCoord(b.doc, uv)
	var picture bytes.Buffer
	err := png.Encode(&picture, x.image())
	if err == nil {
		_, err = modeler.WriteImage(b.doc, "slice", "image/png", &picture)
	}
	b.err = cmp.Or(b.err, err)
	b.doc.Samplers = []*gltf.Sampler{{WrapS: gltf.WrapClampToEdge, WrapT: gltf.WrapClampToEdge}}
	b.doc.Textures = []*gltf.Texture{{Sampler: gltf.Index(0), Source: gltf.Index(0)}}
	material := b.material("slice", rgb{255, 255, 255}, 1, true)
	m := b.doc.Materials[material]
	m.AlphaMode = gltf.AlphaBlend
	m.PBRMetallicRoughness.BaseColorTexture = &gltf.TextureInfo{Index: 0}
	b.node("slice "+x.plane.Label(), &gltf.Primitive{
		Attributes: gltf.PrimitiveAttributes{gltf.POSITION: at, gltf.TEXCOORD_0: coordinates}, Material: gltf.Index(material),
	})
}

func (b *glbBuilder) relative(list []r3.Vector) [][3]float32 {
	out := make([][3]float32, len(list))
	for i, p := range list {
		d := p.Sub(b.scene.frame.center)
		out[i] = [3]float32{float32(d.X), float32(d.Y), float32(d.Z)}
	}
	return out
}

func (b *glbBuilder) positions(list [][3]float32) int {
	for i, p := range list {
		if b.err == nil && (p[0]-p[0] != 0 || p[1]-p[1] != 0 || p[2]-p[2] != 0) {
			b.err = fmt.Errorf("position %d, relative to the middle of the box, is %w", i, ErrRange)
		}
	}
	return modeler.WritePosition(b.doc, list)
}

// material adds a two-sided material with the sRGB color c and returns its index.
func (b *glbBuilder) material(name string, c rgb, alpha float64, flat bool) int {
	factor := [4]float64{linear(c[0]), linear(c[1]), linear(c[2]), alpha}
	metallic, roughness := 0.0, 0.9
	m := &gltf.Material{Name: name, DoubleSided: true, PBRMetallicRoughness: &gltf.PBRMetallicRoughness{
		BaseColorFactor: &factor, MetallicFactor: &metallic, RoughnessFactor: &roughness,
	}}
	if alpha < 1 {
		m.AlphaMode = gltf.AlphaBlend
	}
	if flat {
		b.doc.ExtensionsUsed = []string{unlit.ExtensionName}
		m.Extensions = gltf.Extensions{unlit.ExtensionName: unlit.Unlit{}}
	}
	b.doc.Materials = append(b.doc.Materials, m)
	return len(b.doc.Materials) - 1
}

// linear converts a component of an sRGB color to linear light (IEC 61966-2-1).
func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// node adds a mesh of one primitive, and a node that translates the mesh to the middle of the box.
func (b *glbBuilder) node(name string, p *gltf.Primitive) {
	b.doc.Meshes = append(b.doc.Meshes, &gltf.Mesh{Name: name, Primitives: []*gltf.Primitive{p}})
	o := b.scene.frame.center
	b.doc.Nodes = append(b.doc.Nodes, &gltf.Node{Name: name, Mesh: gltf.Index(len(b.doc.Meshes) - 1), Translation: [3]float64{o.X, o.Y, o.Z}})
	b.nodes = append(b.nodes, len(b.doc.Nodes)-1)
}

// write writes the container: a header of 12 bytes and two chunks. A header of 8 bytes precedes
// each chunk (glTF 2.0, §4.4).
func (b *glbBuilder) write(w io.Writer) error {
	// Package modeler aligns the beginning of each piece of data. The length of the buffer must
	// also be a multiple of four.
	buffer := b.doc.Buffers[0]
	data := append(buffer.Data, make([]byte, -len(buffer.Data)&3)...)
	buffer.Data, buffer.ByteLength = nil, len(data)
	text, err := json.Marshal(b.doc)
	if err != nil {
		return err
	}
	text = append(text, "   "[:-len(text)&3]...)
	total := uint64(12 + 8 + len(text) + 8 + len(data))
	if total > math.MaxUint32 {
		return plural.Errorf("the file needs %d bytes, but a GLB file has at most %d: %w", total, uint32(math.MaxUint32), loaders.ErrTooLarge)
	}
	head := binary.LittleEndian.AppendUint32([]byte("glTF\x02\x00\x00\x00"), uint32(total))
	for _, part := range [][]byte{append(head, chunkHead("JSON", len(text))...), text, chunkHead("BIN\x00", len(data)), data} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func chunkHead(kind string, n int) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(n)), kind...)
}
