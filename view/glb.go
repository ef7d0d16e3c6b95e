package view

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"

	"github.com/golang/geo/r3"
	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/ext/unlit"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/loaders"
)

// ErrEmpty is returned if there is nothing to draw.
var ErrEmpty = errors.New("view: the mesh has no triangles and there are no points: nothing to draw")

// ErrRange is returned for positions that the format cannot store.
var ErrRange = errors.New("beyond the range of float32, which glTF needs")

// WriteGLB writes the scene as a GLB file (glTF 2.0). The file has these nodes: "mesh", which is
// translucent; one node for the points of each side, such as "points in" (POINTS with colors); one
// node for each kind of defect (LINES or TRIANGLES); and "slice", a rectangle with a texture.
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
	bin   []byte
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
	if b.err != nil {
		return b.err
	}
	if len(b.nodes) == 0 {
		return ErrEmpty
	}
	b.doc.Scenes = []*gltf.Scene{{Name: s.opt.Name, Nodes: b.nodes}}
	b.doc.Scene = gltf.Index(0)
	b.doc.Buffers = []*gltf.Buffer{{ByteLength: len(b.bin)}}
	return nil
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
	begin := len(b.bin)
	for _, f := range s.surface.faces {
		for _, i := range f {
			b.bin = binary.LittleEndian.AppendUint32(b.bin, i)
		}
	}
	index := b.accessor(begin, gltf.TargetElementArrayBuffer, &gltf.Accessor{
		ComponentType: gltf.ComponentUint, Type: gltf.AccessorScalar, Count: 3 * len(s.surface.faces),
	})
	material := b.material("mesh", meshColor, 0.35, false)
	b.node("mesh", &gltf.Primitive{
		Attributes: gltf.PrimitiveAttributes{gltf.POSITION: at}, Indices: gltf.Index(index), Material: gltf.Index(material),
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
	at := b.positions(b.relative(list))
	begin := len(b.bin)
	c := sideColors[side]
	for range list {
		for _, v := range c { // linear, like the factors of materials
			b.bin = append(b.bin, byte(math.Round(255*linear(v))))
		}
		b.bin = append(b.bin, 255)
	}
	colors := b.accessor(begin, gltf.TargetArrayBuffer, &gltf.Accessor{
		ComponentType: gltf.ComponentUbyte, Normalized: true, Type: gltf.AccessorVec4, Count: len(list),
	})
	// The material is white because vertex colors are multiplied by its color.
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
	var uv []float32
	for _, c := range [6][2]int{{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}} {
		list = append(list, x.corner(c[0], c[1]))
		uv = append(uv, float32(c[0]), float32(1-c[1])) // v points down
	}
	at := b.positions(b.relative(list))
	begin := len(b.bin)
	for _, v := range uv {
		b.bin = binary.LittleEndian.AppendUint32(b.bin, math.Float32bits(v))
	}
	coordinates := b.accessor(begin, gltf.TargetArrayBuffer, &gltf.Accessor{
		ComponentType: gltf.ComponentFloat, Type: gltf.AccessorVec2, Count: len(list),
	})
	picture := bytes.NewBuffer(b.bin)
	begin = len(b.bin)
	if err := png.Encode(picture, x.image()); err != nil && b.err == nil {
		b.err = err
	}
	b.bin = picture.Bytes()
	b.doc.Images = []*gltf.Image{{Name: "slice", MimeType: "image/png", BufferView: gltf.Index(b.view(begin, gltf.TargetNone))}}
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

// positions appends a list of positions and returns its accessor.
func (b *glbBuilder) positions(list [][3]float32) int {
	begin := len(b.bin)
	inf := math.Inf(1)
	lo, hi := [3]float64{inf, inf, inf}, [3]float64{-inf, -inf, -inf}
	for i, p := range list {
		for k, x := range p {
			if x-x != 0 && b.err == nil {
				b.err = fmt.Errorf("position %d relative to the middle of the box: %w", i, ErrRange)
			}
			b.bin = binary.LittleEndian.AppendUint32(b.bin, math.Float32bits(x))
			lo[k], hi[k] = min(lo[k], float64(x)), max(hi[k], float64(x))
		}
	}
	return b.accessor(begin, gltf.TargetArrayBuffer, &gltf.Accessor{
		ComponentType: gltf.ComponentFloat, Type: gltf.AccessorVec3, Count: len(list), Min: lo[:], Max: hi[:],
	})
}

// accessor adds a as the accessor of the bytes appended since begin. It returns the index of a.
func (b *glbBuilder) accessor(begin int, target gltf.Target, a *gltf.Accessor) int {
	a.BufferView = gltf.Index(b.view(begin, target))
	b.doc.Accessors = append(b.doc.Accessors, a)
	return len(b.doc.Accessors) - 1
}

// view adds a buffer view of the bytes appended since begin and returns its index. It pads the
// buffer to a multiple of four bytes, because accessors are aligned.
func (b *glbBuilder) view(begin int, target gltf.Target) int {
	b.doc.BufferViews = append(b.doc.BufferViews, &gltf.BufferView{ByteOffset: begin, ByteLength: len(b.bin) - begin, Target: target})
	for len(b.bin)%4 != 0 {
		b.bin = append(b.bin, 0)
	}
	return len(b.doc.BufferViews) - 1
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

// write writes the container: a header of 12 bytes and two chunks, each after 8 bytes (glTF 2.0,
// §4.4).
func (b *glbBuilder) write(w io.Writer) error {
	text, err := json.Marshal(b.doc)
	if err != nil {
		return err
	}
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	total := uint64(12 + 8 + len(text) + 8 + len(b.bin))
	if total > math.MaxUint32 {
		return fmt.Errorf("%d bytes exceed the limit of the format, %d: %w", total, uint32(math.MaxUint32), loaders.ErrTooLarge)
	}
	head := binary.LittleEndian.AppendUint32([]byte("glTF\x02\x00\x00\x00"), uint32(total))
	parts := [][]byte{append(head, chunkHead("JSON", len(text))...), text, chunkHead("BIN\x00", len(b.bin)), b.bin}
	for _, p := range parts {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

func chunkHead(kind string, n int) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(n)), kind...)
}
