package threemf

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/soup"
	"github.com/inpoly/inpoly/mesh"
)

// placement is an object that appendObject must append, and its transform.
type placement struct {
	o    *object
	part string // name of the part that defines o
	t    soup.Affine
}

const placementBytes = 136

// States of an object in measure.
const (
	unmeasured uint8 = iota
	measuring
	measured
)

// build appends the build items of m. Each item becomes a body, or a body for each of its parts.
func (p *archive) build(m *modelPart) error {
	all := soup.Extent{Bodies: int64(len(m.items))}
	p.references = int64(len(m.items))
	roots := make([]*object, len(m.items))
	if err := p.src.Budget.Reserve(8 * int64(len(roots))); err != nil {
		return err
	}
	for i := range m.items {
		o, err := p.resolve(m.part, &m.items[i])
		if err != nil {
			return err
		}
		if err := p.measure(o, m.items[i].part); err != nil {
			return err
		}
		roots[i] = o
		all.Add(o.extent)
	}
	if len(m.items) == 0 && len(m.objects) > 0 {
		p.b.Note("the file has %d objects, but no build items", len(m.objects))
	}
	if err := p.b.Expect(all, p.references); err != nil {
		return err
	}
	for i := range m.items {
		item := &m.items[i]
		name := cmp.Or(roots[i].name, item.number)
		if s := roots[i].settings; s != nil {
			name = cmp.Or(name, s.name)
		}
		p.lastObject++
		p.item = place{name: cmp.Or(name, fmt.Sprintf("object %d", item.id)), root: roots[i], object: p.lastObject}
		if err := p.b.BeginPart(p.item.name, false, p.item.object); err != nil {
			return err
		}
		if err := p.appendObject(placement{roots[i], item.part, item.t}); err != nil {
			return err
		}
	}
	return nil
}

// resolve returns the object to which r refers. It refuses an object that has neither a mesh nor
// components, because the shape would be incomplete.
func (p *archive) resolve(from string, r *reference) (*object, error) {
	m, err := p.model(r.part)
	if err != nil {
		return nil, err
	}
	o := m.objects[r.id]
	if o == nil {
		return nil, soup.AtPath(from, soup.ErrIndexRange, "there is no object %d in %s", r.id, quote.Line(r.part)).OnLine(r.line)
	}
	if !o.shaped {
		e := soup.AtPath(from, soup.ErrUnsupported, "object %d has neither mesh nor components", r.id).
			WithHint(hintPlain).OnLine(r.line)
		if o.unknown != "" {
			e.Err = fmt.Errorf("%w, but it has an element %s", e.Err, quote.Word(o.unknown))
		}
		return nil, e
	}
	return o, nil
}

// measure computes the extents of an object and of its components, without recursion. It visits each
// object once. It refuses an object that is a component of itself.
func (p *archive) measure(root *object, part string) error {
	type frame struct {
		o    *object
		part string // name of the part that defines o
		next int    // index of the next component
	}
	if root.state == measured {
		return nil
	}
	p.startObject(root)
	stack := []frame{{root, part, 0}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(top.o.components) {
			top.o.state = measured
			if top.o.extent.Triangles == 0 { // appendObject skips the object
				top.o.extent = soup.Extent{Visits: 1}
			}
			stack = stack[:len(stack)-1]
			if len(stack) > 0 {
				stack[len(stack)-1].o.extent.Add(top.o.extent)
			}
			continue
		}
		r := &top.o.components[top.next]
		top.next++
		o, err := p.resolve(top.part, r)
		if err != nil {
			return err
		}
		switch o.state {
		case measuring:
			return soup.AtPath(top.part, soup.ErrSyntax, "object %d is a component of itself", r.id).OnLine(r.line)
		case measured:
			top.o.extent.Add(o.extent)
		default:
			p.startObject(o)
			if err := soup.Grow(p.src.Budget, &stack, 1, 40); err != nil {
				return err
			}
			stack = append(stack, frame{o, r.part, 0})
		}
	}
	return nil
}

// startObject counts o for the notes. It sets o.extent to the extent of the mesh of o, without
// components.
func (p *archive) startObject(o *object) {
	o.state = measuring
	o.extent = soup.Extent{Triangles: int64(len(o.faces)), Vertices: int64(len(o.vertices)), Visits: 1}
	p.references += int64(len(o.components))
	if o.kind != "" && o.kind != "model" {
		p.kinds[o.kind]++
	}
	if o.lowRes {
		p.lowRes++
	}
}

// appendObject appends the triangles of root and its components, depth first in the order of the
// file. It skips objects without triangles.
func (p *archive) appendObject(root placement) error {
	stack := []placement{root}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		o := top.o
		if o.extent.Triangles == 0 {
			continue
		}
		if err := p.src.Err(); err != nil {
			return err
		}
		if err := p.appendInstance(o, &top.t, top.part); err != nil {
			return err
		}
		if err := soup.Grow(p.src.Budget, &stack, len(o.components), placementBytes); err != nil {
			return err
		}
		for k := len(o.components) - 1; k >= 0; k-- {
			r := &o.components[k]
			child, err := p.resolve(top.part, r)
			if err != nil {
				return err
			}
			stack = append(stack, placement{child, r.part, top.t.After(&r.t)})
		}
	}
	return nil
}

// appendInstance appends the mesh of o under the transform t, without the parts that have no shape.
func (p *archive) appendInstance(o *object, t *soup.Affine, name string) error {
	if len(o.faces) == 0 {
		return nil
	}
	parts, volumes := p.partsOf(o), o.volumes != nil
	if parts != nil && o.kind != "" { // bbs_3mf.cpp writes the object type "other" for all but solid parts
		p.kinds[o.kind]--
		o.kind = ""
	}
	if parts != nil && !slices.ContainsFunc(parts, func(v part) bool { return v.kind <= negativePart }) {
		p.count(parts)
		return nil
	}
	b := p.b
	if err := b.GrowVertices(len(o.vertices)); err != nil {
		return err
	}
	base := int32(len(b.Vertices))
	for i, v := range o.vertices {
		if _, err := b.AddVertex(t.Apply(v)); err != nil {
			if errors.Is(err, soup.ErrNotFinite) || errors.Is(err, mesh.ErrTooLarge) {
				return soup.AtPath(name, err, "the transforms move vertex %d of object %d out of range", i, o.id)
			}
			return err
		}
		if err := p.src.Check(i); err != nil {
			return err
		}
	}
	if volumes { // PrusaSlicer cuts the parts of each mesh apart from other meshes of the item
		p.lastObject++
		defer func(number int32) { p.item.object = number }(p.item.object)
		p.item.object = p.lastObject
	}
	if parts == nil {
		return cmp.Or(p.beginPart(nil), p.appendFaces(o.faces, base, t.Mirror))
	}
	for i := range parts {
		v, faces := &parts[i], o.faces
		if volumes {
			faces = faces[v.first : v.last+1]
		}
		if v.kind > negativePart {
			continue
		}
		if err := p.beginPart(v); err != nil {
			return err
		}
		if err := p.appendFaces(faces, base, t.Mirror); err != nil {
			return err
		}
	}
	p.count(parts)
	return nil
}

// count adds parts of the current item to the counts for the notes.
func (p *archive) count(parts []part) {
	for i := range parts {
		p.placed[parts[i].kind]++
		parts[i].used = true
	}
}

// appendFaces appends triangles to the current body. base is the number of their first vertex.
func (p *archive) appendFaces(faces [][3]int32, base int32, mirror bool) error {
	b := p.b
	for i, f := range faces {
		if mirror {
			f[1], f[2] = f[2], f[1]
		}
		if err := b.AppendTriangle(base+f[0], base+f[1], base+f[2]); err != nil {
			return err
		}
		if err := p.src.Check(i); err != nil {
			return err
		}
	}
	return nil
}
