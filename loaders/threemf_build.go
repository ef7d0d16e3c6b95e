package loaders

import (
	"github.com/inpoly/inpoly/mesh"

	"errors"
	"fmt"
	"math"
)

// place3MF is an object still to be emitted, with its transform.
type place3MF struct {
	o    *object3MF
	part string
	t    affine
}

// place3MFBytes is the size of a place3MF.
const place3MFBytes = 136

// maxTotal caps counts of triangles: more than any soup holds, and the sum of two
// does not overflow.
const maxTotal = math.MaxInt64 / 4

// The states of an object in measure.
const (
	unmeasured uint8 = iota
	measuring
	measured
)

// build emits the items of m, each as a body.
func (p *threeMF) build(m *model3MF) error {
	all := int64(0)
	roots := make([]*object3MF, len(m.items))
	if err := p.src.mem.reserve(8 * int64(len(roots))); err != nil {
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
		all = min(all+o.total, maxTotal)
	}
	if len(m.items) == 0 && len(m.objects) > 0 {
		p.b.note("%d objects, but no build items", len(m.objects))
	}
	if all > math.MaxInt32 {
		return atPath(m.part, ErrTooLarge, "the build has more than %d triangles", math.MaxInt32)
	}
	if err := p.b.expectFaces(int(all)); err != nil {
		return err
	}
	for i := range m.items {
		item := &m.items[i]
		if err := p.b.body(label(roots[i].name, item.number, item.id)); err != nil {
			return err
		}
		if err := p.emit(place3MF{roots[i], item.part, item.t}); err != nil {
			return err
		}
	}
	return nil
}

// resolve returns the object that r, in part from, refers to. One that has no shape
// the core knows is refused: left out, it would leave a hole without a word.
func (p *threeMF) resolve(from string, r *ref3MF) (*object3MF, error) {
	m, err := p.model(r.part)
	if err != nil {
		return nil, err
	}
	o := m.objects[r.id]
	if o == nil {
		e := atPath(from, ErrIndexRange, "there is no object %d in %s", r.id, r.part)
		e.Line = r.line
		return nil, e
	}
	if !o.shaped {
		e := atPath(from, ErrUnsupported, "object %d has neither mesh nor components", r.id).
			withHint("export the model as a plain mesh")
		if o.foreign != "" {
			e.Err = fmt.Errorf("%w, but %q", e.Err, o.foreign)
		}
		e.Line = r.line
		return nil, e
	}
	return o, nil
}

// measure counts the triangles of root, components included, without recursion,
// and refuses an object that is a component of itself. Each object is counted once.
func (p *threeMF) measure(root *object3MF, part string) error {
	type frame struct {
		o    *object3MF
		part string // part where o is defined
		next int    // component to look at
	}
	if root.state == measured {
		return nil
	}
	p.begin(root)
	stack := []frame{{root, part, 0}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(top.o.components) {
			top.o.state = measured
			stack = stack[:len(stack)-1]
			if len(stack) > 0 {
				parent := stack[len(stack)-1].o
				parent.total = min(parent.total+top.o.total, maxTotal)
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
			e := atPath(top.part, ErrSyntax, "object %d is a component of itself", r.id)
			e.Line = r.line
			return e
		case measured:
			top.o.total = min(top.o.total+o.total, maxTotal)
		default:
			p.begin(o)
			if stack, err = extend(p.src.mem, stack, 1, 40); err != nil {
				return err
			}
			stack = append(stack, frame{o, r.part, 0})
		}
	}
	return nil
}

// begin counts an object in use, without its components.
func (p *threeMF) begin(o *object3MF) {
	o.state = measuring
	o.total = int64(len(o.faces))
	if o.kind != "" && o.kind != "model" {
		p.kinds[o.kind]++
	}
	if o.coarse {
		p.coarse++
	}
}

// emit appends the triangles of root, depth first in the order of the file.
// Objects without triangles are passed over, and each repeated visit costs budget:
// doubled components cannot explode.
func (p *threeMF) emit(root place3MF) error {
	stack := []place3MF{root}
	for visited := 0; len(stack) > 0; visited++ {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		o := top.o
		if o.total == 0 {
			continue
		}
		if err := p.src.ctx.Err(); err != nil {
			return err
		}
		if o.shown {
			if err := p.src.mem.reserve(place3MFBytes); err != nil {
				return err
			}
		}
		o.shown = true
		if err := p.instance(o, &top.t, top.part); err != nil {
			return err
		}
		var err error
		if stack, err = extend(p.src.mem, stack, len(o.components), place3MFBytes); err != nil {
			return err
		}
		for k := len(o.components) - 1; k >= 0; k-- {
			r := &o.components[k]
			child, err := p.resolve(top.part, r)
			if err != nil {
				return err
			}
			stack = append(stack, place3MF{child, r.part, top.t.after(&r.t)})
		}
	}
	return nil
}

// instance appends the mesh of o under the transform t.
func (p *threeMF) instance(o *object3MF, t *affine, part string) error {
	if len(o.faces) == 0 {
		return nil
	}
	b := p.b
	if err := b.growVertices(len(o.verts)); err != nil {
		return err
	}
	base := int32(len(b.verts))
	for i, v := range o.verts {
		if _, err := b.vertex(t.apply(v)); err != nil {
			if errors.Is(err, ErrNotFinite) || errors.Is(err, mesh.ErrTooLarge) {
				return atPath(part, err, "vertex %d of object %d under its transforms", i, o.id)
			}
			return err
		}
		if i%pauseEvery == 0 && p.src.ctx.Err() != nil {
			return p.src.ctx.Err()
		}
	}
	for i, f := range o.faces {
		if t.mirror {
			f[1], f[2] = f[2], f[1]
		}
		if err := b.emit(base+f[0], base+f[1], base+f[2]); err != nil {
			return err
		}
		if i%pauseEvery == 0 && p.src.ctx.Err() != nil {
			return p.src.ctx.Err()
		}
	}
	return nil
}
