package gltf

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/qmuntal/gltf"

	"github.com/inpoly/inpoly/loaders/internal/soup"
	"github.com/inpoly/inpoly/mesh"
)

// tally counts objects that the notes mention.
type tally struct {
	points, lines    int      // numbers of point and line primitives
	empty            int      // number of primitives without a vertex
	morphed, skinned int      // numbers of nodes with morph targets and with skins
	fallbacks        []string // compression extensions whose uncompressed fallback was read
}

// fallback adds the name of an extension to t.fallbacks.
func (t *tally) fallback(name string) {
	if !slices.Contains(t.fallbacks, name) {
		t.fallbacks = append(t.fallbacks, name)
	}
}

// note adds a note to b for each count in t that is not zero.
func (t *tally) note(b *soup.Builder) {
	b.NoteCount("ignored %d point primitives", t.points)
	b.NoteCount("ignored %d line primitives", t.lines)
	b.NoteCount("ignored %d primitives without vertices", t.empty)
	b.NoteCount("%d nodes have morph targets: all weights are taken as 0", t.morphed)
	b.NoteCount("%d nodes have skins: the meshes were read as stored, without joints", t.skinned)
	for _, name := range t.fallbacks {
		b.Note("ignored the data of the extension %s and read the uncompressed fallback", name)
	}
}

// hasTargets reports whether mesh m has morph targets.
func (d *document) hasTargets(m int) bool {
	for _, p := range d.doc.Meshes[m].Primitives {
		if len(p.Targets) > 0 {
			return true
		}
	}
	return false
}

// appendMesh appends mesh m as a body with the given name and transform.
func (d *document) appendMesh(m int, name string, world *soup.Affine) error {
	mesh := d.doc.Meshes[m]
	if err := d.refuseRequired(mesh.Extensions, fmt.Sprintf("/meshes/%d", m)); err != nil {
		return err
	}
	if err := d.b.BeginBody(name); err != nil {
		return err
	}
	bases := map[int]int32{} // for each POSITION accessor, the index of its first vertex in the soup
	for k, p := range mesh.Primitives {
		if err := d.appendPrimitive(p, world, bases, fmt.Sprintf("/meshes/%d/primitives/%d", m, k)); err != nil {
			return err
		}
	}
	return nil
}

// corners are the corners of a primitive in their stored order.
type corners struct {
	pos   *accessor
	index *accessor // accessor of the indices; if it is nil, the indices are 0, 1, 2, …
	n     int       // number of corners
	at    string    // place of the primitive
}

// get returns the index of the element of c.pos that corner k uses.
func (c *corners) get(k int) (int, error) {
	if c.index == nil {
		return k, nil
	}
	v := c.index.index(k)
	if v == c.index.restart { // glTF forbids the restart value as an index (§3.7.2.1)
		return 0, soup.AtPath(c.at+"/indices", soup.ErrSyntax, "corner %d refers to vertex %d, which is the primitive restart value", k, v)
	}
	if uint64(v) >= uint64(c.pos.base.count) {
		return 0, soup.AtPath(c.at+"/indices", soup.ErrIndexRange, "corner %d refers to vertex %d, but there are %d vertices", k, v, c.pos.base.count)
	}
	return int(v), nil
}

// appendPrimitive appends the triangles of p.
func (d *document) appendPrimitive(p *gltf.Primitive, world *soup.Affine, bases map[int]int32, at string) error {
	switch p.Mode {
	case gltf.PrimitivePoints:
		d.tally.points++
		return nil
	case gltf.PrimitiveLines, gltf.PrimitiveLineLoop, gltf.PrimitiveLineStrip:
		d.tally.lines++
		return nil
	}
	if err := cmp.Or(d.refuseRequired(p.Extensions, at), d.checkDraco(p, at)); err != nil {
		return err
	}
	c, accessor, err := d.corners(p, at)
	if err != nil || c.n == 0 {
		return err
	}
	if p.Mode == gltf.PrimitiveTriangles && c.n%3 != 0 {
		return soup.AtPath(at, soup.ErrSyntax, "the primitive has %d corners, must have a multiple of 3", c.n)
	}
	if c.n < 3 {
		return soup.AtPath(at, soup.ErrSyntax, "the primitive has %d corners, too few for mode %s", c.n, p.Mode)
	}
	// If the primitive uses few elements of the accessor, only these elements become vertices.
	base, ok := bases[accessor]
	if !ok && c.pos.base.count/3 <= c.n {
		if base, err = d.appendVertices(c.pos, world, at); err != nil {
			return err
		}
		bases[accessor], ok = base, true
	}
	if ok {
		return d.appendTriangles(p.Mode, c, world.Mirror, func(e int) (int32, error) { return base + int32(e), nil })
	}
	if err := d.src.Budget.Reserve(usedBytes * int64(c.n)); err != nil {
		return err
	}
	used := make(map[int]int32, c.n)
	err = d.appendTriangles(p.Mode, c, world.Mirror, func(e int) (int32, error) {
		v, ok := used[e]
		if ok {
			return v, nil
		}
		v, err := d.b.AddVertex(world.Apply(c.pos.position(e)))
		used[e] = v
		return v, err
	})
	d.src.Budget.Release(usedBytes * int64(c.n))
	return err
}

// usedBytes bounds the memory for each entry of a map[int]int32: 16 bytes and a control byte. After
// a map has grown, at least 7/16 of its slots are full.
const usedBytes = 40

// corners returns the corners of p, and the number of the accessor that holds their positions.
func (d *document) corners(p *gltf.Primitive, at string) (corners, int, error) {
	c := corners{at: at}
	accessor, ok := p.Attributes[gltf.POSITION]
	if !ok { // a primitive without positions is legal, but draws nothing (glTF 2.0 §3.7.2.1)
		d.tally.empty++
		return c, 0, nil
	}
	var err error
	if c.pos, err = d.positions(accessor, at+"/attributes/POSITION"); err != nil {
		return c, 0, err
	}
	c.n = c.pos.base.count
	if p.Indices != nil {
		if c.index, err = d.indices(*p.Indices, at+"/indices"); err != nil {
			return c, 0, err
		}
		c.n = c.index.base.count
	}
	if c.n == 0 {
		d.tally.empty++
	}
	return c, accessor, nil
}

// appendVertices appends all elements of pos as vertices and returns the index of the first one.
func (d *document) appendVertices(pos *accessor, world *soup.Affine, at string) (int32, error) {
	if err := d.b.GrowVertices(pos.base.count); err != nil {
		return 0, err
	}
	base := int32(len(d.b.Vertices))
	for e := range pos.base.count {
		if _, err := d.b.AddVertex(world.Apply(pos.position(e))); err != nil {
			return 0, placeVertex(err, at, e)
		}
		if err := d.src.Check(e); err != nil {
			return 0, err
		}
	}
	return base, nil
}

// placeVertex adds the place of element e to err if the transformed vertex is out of range.
func placeVertex(err error, at string, e int) error {
	if errors.Is(err, soup.ErrNotFinite) || errors.Is(err, mesh.ErrTooLarge) {
		return soup.AtPath(at, err, "vertex %d is out of range after the transform of its node", e)
	}
	return err
}

// appendTriangles appends the triangles of c. Triangle i of a strip has the corners i, i+1+i%2 and
// i+2−i%2. Triangle i of a fan has the corners i+1, i+2 and 0 (glTF 2.0 §3.7.2.1). If mirror is
// true, the last two corners are swapped. Triangles with equal corners, which connect strips,
// become faces of zero area. vertexOf maps elements of c.pos to vertices.
func (d *document) appendTriangles(mode gltf.PrimitiveMode, c corners, mirror bool, vertexOf func(int) (int32, error)) error {
	n, step := c.n-2, 1
	if mode == gltf.PrimitiveTriangles {
		step = 3
	}
	if err := d.b.ExpectTriangles((n + step - 1) / step); err != nil {
		return err
	}
	for i := 0; i < n; i += step {
		k := [3]int{i, i + 1, i + 2}
		switch {
		case mode == gltf.PrimitiveTriangleStrip && i%2 == 1:
			k[1], k[2] = i+2, i+1
		case mode == gltf.PrimitiveTriangleFan:
			k = [3]int{i + 1, i + 2, 0}
		}
		if mirror {
			k[1], k[2] = k[2], k[1]
		}
		var f [3]int32
		for j, corner := range k {
			e, err := c.get(corner)
			if err != nil {
				return err
			}
			if f[j], err = vertexOf(e); err != nil {
				return placeVertex(err, c.at, e)
			}
		}
		if err := d.b.AddTriangle(f[0], f[1], f[2]); err != nil {
			return err
		}
		if err := d.src.Check(i); err != nil {
			return err
		}
	}
	return nil
}
