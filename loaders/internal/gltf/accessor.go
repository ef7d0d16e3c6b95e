package gltf

import (
	"fmt"
	"math"

	"github.com/golang/geo/r3"
	"github.com/qmuntal/gltf"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// accessor holds the values of a glTF accessor. It decodes a value only when a caller needs it.
// Therefore a primitive that uses few values of a long accessor is cheap.
type accessor struct {
	base       strided
	overlay    overlay
	component  gltf.ComponentType
	normalized bool
	restart    uint32 // primitive restart value: the largest value of the component type
}

// position returns element i of a POSITION accessor, where 0 ≤ i < count. If the accessor is
// normalized, an integer c becomes c/255, c/65535, max(c/127, −1) or max(c/32767, −1) in float64
// (glTF 2.0 §3.11).
func (a *accessor) position(i int) r3.Vector {
	s := a.base
	if j, ok := a.overlay.find(i); ok {
		s, i = a.overlay.values, j
	}
	if s.data == nil {
		return r3.Vector{}
	}
	e := s.data[i*s.stride:]
	switch a.component {
	case gltf.ComponentByte:
		return a.scale(float64(int8(e[0])), float64(int8(e[1])), float64(int8(e[2])), 127)
	case gltf.ComponentUbyte:
		return a.scale(float64(e[0]), float64(e[1]), float64(e[2]), 255)
	case gltf.ComponentShort:
		return a.scale(float64(int16(le16(e))), float64(int16(le16(e[2:]))), float64(int16(le16(e[4:]))), 32767)
	case gltf.ComponentUshort:
		return a.scale(float64(le16(e)), float64(le16(e[2:])), float64(le16(e[4:])), 65535)
	}
	return r3.Vector{X: leFloat32(e), Y: leFloat32(e[4:]), Z: leFloat32(e[8:])}
}

// scale divides x, y and z by maxInt if the accessor is normalized. The integer −maxInt−1
// becomes −1.
func (a *accessor) scale(x, y, z, maxInt float64) r3.Vector {
	if !a.normalized {
		return r3.Vector{X: x, Y: y, Z: z}
	}
	return r3.Vector{X: max(x/maxInt, -1), Y: max(y/maxInt, -1), Z: max(z/maxInt, -1)}
}

// index returns element i of an index accessor, where 0 ≤ i < count.
func (a *accessor) index(i int) uint32 {
	if j, ok := a.overlay.find(i); ok {
		return a.overlay.values.unsigned(j, a.component)
	}
	return a.base.unsigned(i, a.component)
}

// indexComponent reports whether glTF allows indices with components of type c.
func indexComponent(c gltf.ComponentType) bool {
	return c == gltf.ComponentUbyte || c == gltf.ComponentUshort || c == gltf.ComponentUint
}

// positions returns POSITION accessor i. It refuses values that are not finite, even if no
// primitive uses them.
func (d *document) positions(i int, refPath string) (*accessor, error) {
	if x := d.resolved[i]; x != nil {
		return x, nil
	}
	a, at, err := d.accessor(i, refPath)
	if err != nil {
		return nil, err
	}
	if a.Type != gltf.AccessorVec3 {
		return nil, soup.AtPath(at, soup.ErrSyntax, "positions have type %s, must have type VEC3", a.Type)
	}
	if a.ComponentType == gltf.ComponentUint {
		return nil, soup.AtPath(at, soup.ErrSyntax, "positions have component type UNSIGNED_INT, must have FLOAT or an integer of 8 or 16 bits")
	}
	x, err := d.values(a, at)
	if err != nil {
		return nil, err
	}
	if err := d.checkFinite(x, at); err != nil {
		return nil, err
	}
	if err := d.src.Budget.Reserve(resolvedBytes); err != nil {
		return nil, err
	}
	d.resolved[i] = x
	return x, nil
}

// checkFinite refuses the accessor x if a value is not finite. If x has no buffer view, checkFinite
// checks only the sparse elements, because all other elements are zero. Therefore the size of the
// file bounds the work.
func (d *document) checkFinite(x *accessor, at string) error {
	if x.component != gltf.ComponentFloat {
		return nil
	}
	if x.base.data == nil {
		x = &accessor{base: x.overlay.values, component: x.component}
	}
	for k := range x.base.count {
		if v := x.position(k); !vec.Finite(v) {
			return soup.AtPath(at, soup.ErrNotFinite, "element %d is (%g, %g, %g)", k, v.X, v.Y, v.Z)
		}
		if err := d.src.Check(k); err != nil {
			return err
		}
	}
	return nil
}

// resolvedBytes bounds the size of an entry of document.resolved: an accessor of 144 bytes and a
// map slot of 16 bytes. After a map has grown, at least 7/16 of its slots are full.
const resolvedBytes = 256

// indices returns index accessor i.
func (d *document) indices(i int, refPath string) (*accessor, error) {
	a, at, err := d.accessor(i, refPath)
	if err != nil {
		return nil, err
	}
	if a.Type != gltf.AccessorScalar {
		return nil, soup.AtPath(at, soup.ErrSyntax, "indices have type %s, must have type SCALAR", a.Type)
	}
	if !indexComponent(a.ComponentType) {
		return nil, soup.AtPath(at, soup.ErrSyntax, "indices have component type %s, must have an unsigned integer type", a.ComponentType)
	}
	return d.values(a, at)
}

// accessor returns the description of accessor i and the place of the accessor. The count in the
// description fits in an int32. Errors about i itself name refPath, the place of the reference.
func (d *document) accessor(i int, refPath string) (*gltf.Accessor, string, error) {
	if i < 0 || i >= len(d.doc.Accessors) {
		return nil, "", soup.AtPath(refPath, soup.ErrIndexRange, "accessor %d does not exist: the file has %d", i, len(d.doc.Accessors))
	}
	a := d.doc.Accessors[i]
	at := fmt.Sprintf("/accessors/%d", i)
	if a.Count < 0 {
		return nil, at, soup.AtPath(at, soup.ErrSyntax, "count is %d, must not be negative", a.Count)
	}
	if a.Count > math.MaxInt32 {
		return nil, at, soup.AtPath(at, soup.ErrTooLarge, "count is %d, must be at most %d", a.Count, math.MaxInt32)
	}
	return a, at, d.refuseRequired(a.Extensions, at)
}

// values resolves the buffer view and the sparse elements of a. If a has no buffer view, all
// elements that are not sparse are zero.
func (d *document) values(a *gltf.Accessor, at string) (x *accessor, err error) {
	component := a.ComponentType.ByteSize()
	size := component * a.Type.Components()
	x = &accessor{
		base: strided{count: a.Count}, component: a.ComponentType, restart: uint32(1<<(8*component) - 1),
		normalized: a.Normalized && a.ComponentType != gltf.ComponentFloat,
	}
	if a.BufferView != nil {
		if x.base, err = d.view(*a.BufferView, a.ByteOffset, size, a.Count, at); err != nil {
			return nil, err
		}
	}
	if a.Sparse != nil {
		x.overlay, err = d.overlay(a, size, at+"/sparse")
	}
	return x, err
}
