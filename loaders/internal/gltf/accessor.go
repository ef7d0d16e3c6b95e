package gltf

import (
	"fmt"
	"math"

	"github.com/golang/geo/r3"
	"github.com/qmuntal/gltf"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// positions are the values of a POSITION accessor. Each is read when it is needed, so a
// primitive that uses few vertices of a long accessor is cheap.
type positions struct {
	base       strided
	component  gltf.ComponentType
	normalized bool
	overlay    overlay
}

// at returns element i, 0 ≤ i < count. Normalized integers c are c/255, c/65535,
// max(c/127, −1) or max(c/32767, −1) in float64 (glTF 2.0 §3.11).
func (p *positions) at(i int) r3.Vector {
	s := p.base
	if j, ok := p.overlay.find(i); ok {
		s, i = p.overlay.values, j
	}
	if s.data == nil {
		return r3.Vector{}
	}
	e := s.data[i*s.stride:]
	switch p.component {
	case gltf.ComponentByte:
		return p.scale(float64(int8(e[0])), float64(int8(e[1])), float64(int8(e[2])), 127)
	case gltf.ComponentUbyte:
		return p.scale(float64(e[0]), float64(e[1]), float64(e[2]), 255)
	case gltf.ComponentShort:
		return p.scale(float64(int16(le16(e))), float64(int16(le16(e[2:]))), float64(int16(le16(e[4:]))), 32767)
	case gltf.ComponentUshort:
		return p.scale(float64(le16(e)), float64(le16(e[2:])), float64(le16(e[4:])), 65535)
	}
	return r3.Vector{X: leFloat32(e), Y: leFloat32(e[4:]), Z: leFloat32(e[8:])}
}

// scale divides by full if the accessor is normalized. The most negative value of a signed
// type is one step below −full and becomes −1.
func (p *positions) scale(x, y, z, full float64) r3.Vector {
	if !p.normalized {
		return r3.Vector{X: x, Y: y, Z: z}
	}
	return r3.Vector{X: max(x/full, -1), Y: max(y/full, -1), Z: max(z/full, -1)}
}

// indices are the values of an index accessor.
type indices struct {
	base      strided
	component gltf.ComponentType
	overlay   overlay
}

// at returns element i, 0 ≤ i < count.
func (x *indices) at(i int) uint32 {
	if j, ok := x.overlay.find(i); ok {
		return x.overlay.values.unsigned(j, x.component)
	}
	return x.base.unsigned(i, x.component)
}

// restart returns the largest value of the component type. glTF 2.0 §3.7.2.1 forbids it as an
// index because GPUs take it for "primitive restart".
func (x *indices) restart() uint32 {
	switch x.component {
	case gltf.ComponentUbyte:
		return math.MaxUint8
	case gltf.ComponentUshort:
		return math.MaxUint16
	}
	return math.MaxUint32
}

// indexComponent reports whether indices may have components of type c.
func indexComponent(c gltf.ComponentType) bool {
	return c == gltf.ComponentUbyte || c == gltf.ComponentUshort || c == gltf.ComponentUint
}

// positions resolves accessor i, to which the object at place refers. It refuses elements that
// are not finite, used or not. It checks every accessor once.
func (d *document) positions(i int, place string) (*positions, error) {
	if p := d.resolved[i]; p != nil {
		return p, nil
	}
	a, at, err := d.accessor(i, place)
	if err != nil {
		return nil, err
	}
	if a.Type != gltf.AccessorVec3 {
		return nil, soup.AtPath(at, soup.ErrSyntax, "positions of type %s, want VEC3", a.Type)
	}
	if a.ComponentType == gltf.ComponentUint {
		return nil, soup.AtPath(at, soup.ErrSyntax, "positions of component type UNSIGNED_INT")
	}
	p := &positions{component: a.ComponentType, normalized: a.Normalized && a.ComponentType != gltf.ComponentFloat}
	if p.base, p.overlay, err = d.elements(a, at); err != nil {
		return nil, err
	}
	if err := d.checkFinite(p, at); err != nil {
		return nil, err
	}
	if err := d.src.Budget.Reserve(resolvedBytes); err != nil {
		return nil, err
	}
	d.resolved[i] = p
	return p, nil
}

// checkFinite refuses the first element of p that is not finite. Its work is bounded by the
// bytes of the file: of zeros that are not stored, it checks only the replaced ones.
func (d *document) checkFinite(p *positions, at string) error {
	if p.component != gltf.ComponentFloat {
		return nil
	}
	element, n := p.at, p.base.count
	if p.base.data == nil {
		stored := positions{base: p.overlay.values, component: p.component}
		element, n = stored.at, stored.base.count
	}
	for k := range n {
		if v := element(k); !vec.Finite(v) {
			return soup.AtPath(at, soup.ErrNotFinite, "element %d is (%g, %g, %g)", k, v.X, v.Y, v.Z)
		}
		if err := d.checkContext(k); err != nil {
			return err
		}
	}
	return nil
}

// resolvedBytes bounds the size of an entry of document.resolved: positions with two strided
// and the indices of the overlay (208 bytes), and 16 bytes in a map, whose table is at least
// 7/16 full after it doubled.
const resolvedBytes = 256

// indices resolves accessor i, to which the object at place refers.
func (d *document) indices(i int, place string) (*indices, error) {
	a, at, err := d.accessor(i, place)
	if err != nil {
		return nil, err
	}
	if a.Type != gltf.AccessorScalar {
		return nil, soup.AtPath(at, soup.ErrSyntax, "indices of type %s, want SCALAR", a.Type)
	}
	if !indexComponent(a.ComponentType) {
		return nil, soup.AtPath(at, soup.ErrSyntax, "indices of component type %s, want an unsigned integer", a.ComponentType)
	}
	x := &indices{component: a.ComponentType}
	x.base, x.overlay, err = d.elements(a, at)
	return x, err
}

// accessor returns accessor i, to which the object at place refers, and its own place. Its
// count fits int32.
func (d *document) accessor(i int, place string) (*gltf.Accessor, string, error) {
	if i < 0 || i >= len(d.doc.Accessors) {
		return nil, "", soup.AtPath(place, soup.ErrIndexRange, "accessor %d of %d", i, len(d.doc.Accessors))
	}
	a := d.doc.Accessors[i]
	at := fmt.Sprintf("/accessors/%d", i)
	if a.Count < 0 {
		return nil, at, soup.AtPath(at, soup.ErrSyntax, "count is %d", a.Count)
	}
	if a.Count > math.MaxInt32 {
		return nil, at, soup.AtPath(at, soup.ErrTooLarge, "count is %d, at most %d fit", a.Count, math.MaxInt32)
	}
	return a, at, d.refuseRequired(a.Extensions, at)
}

// elements returns the elements of a's buffer view, or zeros if it has none, and the sparse
// elements that replace some of them.
func (d *document) elements(a *gltf.Accessor, at string) (base strided, over overlay, err error) {
	size := componentSize(a.ComponentType) * a.Type.Components()
	base = strided{count: a.Count}
	if a.BufferView != nil {
		if base, err = d.view(*a.BufferView, a.ByteOffset, size, a.Count, at); err != nil {
			return base, over, err
		}
	}
	if a.Sparse != nil {
		over, err = d.overlay(a, size, at+"/sparse")
	}
	return base, over, err
}
