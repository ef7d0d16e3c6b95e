package threemf

import (
	"cmp"
	"encoding/xml"
	"errors"
	"slices"

	"github.com/inpoly/inpoly/internal/order"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// settings are the files in which slicers describe the parts of objects: first the files of
// PrusaSlicer, SuperSlicer and Slic3r, which share a format; then the file of Bambu Studio and
// OrcaSlicer. The names are in src/libslic3r/Format: 3mf.cpp of SuperSlicer and bbs_3mf.cpp of
// OrcaSlicer. The reader takes the first file of each group, because a slicer writes the others for
// older versions.
var settings = [...][]string{
	{"/metadata/slic3r_pe_model.config", "/metadata/superslicer_model.config", "/metadata/slic3r_model.config"},
	{"/metadata/model_settings.config"},
}

// kind is the type of a part in a slicer (src/libslic3r/Model.hpp: ModelVolumeType).
//
// A slicer cuts negative parts out of the other parts of one object (PrintObjectSlice.cpp:
// slices_to_regions, for each PrintObject). A slicer prints each instance of an object alone. So each
// build item gets a number of its own for mesh.Body.Object.
type kind uint8

const (
	solidPart kind = iota
	negativePart
	modifierPart
	supportBlocker
	supportEnforcer
	kinds
)

// kindOf maps the names of types to types (src/libslic3r/Model.cpp: ModelVolume::type_from_string of
// PrusaSlicer and of Bambu Studio). "0" and "1" are old values of volume_type.
var kindOf = map[string]kind{
	"": solidPart, "0": solidPart, "ModelPart": solidPart, "normal_part": solidPart,
	"NegativeVolume": negativePart, "negative_part": negativePart,
	"1": modifierPart, "ParameterModifier": modifierPart, "modifier_part": modifierPart,
	"SupportBlocker": supportBlocker, "support_blocker": supportBlocker,
	"SupportEnforcer": supportEnforcer, "support_enforcer": supportEnforcer,
}

// part is a part of an object in a slicer.
type part struct {
	id          int64 // object with the mesh of the part; Bambu Studio and OrcaSlicer
	first, last int64 // range of triangles in the mesh of the object; PrusaSlicer
	name        string
	kind        kind
	line        int
	used        bool // a build item contains the part
}

// partObject is an object in the settings of a slicer.
type partObject struct {
	id      int64
	line    int
	name    string
	volumes []part // parts of PrusaSlicer
	parts   []part // parts of Bambu Studio and OrcaSlicer
}

// Sizes in bytes of a part and of an object in the settings, without their names. The size of a part
// includes its entry in archive.partIndex.
const (
	partBytes       = 112
	partObjectBytes = 160
)

const hintParts = "to read all parts as solid, use --parts all (AllParts in Go, parts=\"all\" in Python)"

// readParts reads the settings of slicers and assigns the parts to the objects of m, the root model.
// It refuses settings that do not determine the type of every triangle.
func (p *archive) readParts(m *modelPart) error {
	for _, names := range settings {
		k := slices.IndexFunc(names, func(name string) bool { return p.parts[name] != nil })
		if k < 0 {
			continue
		}
		name := names[k]
		if p.src.AllParts {
			p.b.Note("the types of parts in %s are ignored: all parts are read as solid", quote.Line(name))
			continue
		}
		if err := p.readSettings(name, m); err != nil {
			var e *soup.Error
			if errors.As(err, &e) && e.Hint == "" {
				e.Hint = hintParts
			}
			return err
		}
	}
	return nil
}

func (p *archive) readSettings(name string, m *modelPart) error {
	seen := map[int64]bool{}
	missing, unknown := 0, 0
	err := p.parse(name, func(x *xmlPart, root xml.StartElement) error {
		if root.Name.Local != "config" {
			return x.fail(soup.ErrSyntax, "the root element is %s, must be config", quote.Word(root.Name.Local))
		}
		return x.children(func(e xml.StartElement) error {
			if e.Name.Local != "object" {
				return x.skip()
			}
			o, err := p.partObject(x, e, &unknown)
			if err != nil {
				return err
			}
			if seen[o.id] {
				return x.fail(soup.ErrSyntax, "the object id %d occurs twice", o.id)
			}
			seen[o.id] = true
			target := m.objects[o.id]
			if target == nil || len(o.volumes) > 0 && len(target.faces) == 0 {
				missing++
				return nil
			}
			if len(o.volumes) > 0 {
				if target.volumes, err = p.volumes(x, o, len(target.faces)); err != nil {
					return err
				}
			}
			target.settings, o.volumes = o, nil
			return nil
		})
	})
	p.b.NoteCount("ignored %d objects of "+name+" without an object in the model", missing)
	p.b.NoteCount("%d parts are of an unknown type in "+name+": read as solid", unknown)
	return err
}

// partObject reads an element object of the settings. It counts parts of unknown types.
func (p *archive) partObject(x *xmlPart, e xml.StartElement, unknown *int) (*partObject, error) {
	o := &partObject{line: x.line()}
	var err error
	if o.id, err = number(x, e, "id"); err != nil {
		return nil, err
	}
	if err := p.src.Budget.Reserve(partObjectBytes); err != nil {
		return nil, err
	}
	return o, x.children(func(e xml.StartElement) error {
		v := part{line: x.line()}
		list := &o.parts
		switch e.Name.Local {
		case "metadata":
			if attr(e, "key") == "name" {
				o.name = attr(e, "value")
				if err := p.src.Budget.Reserve(int64(len(o.name))); err != nil {
					return err
				}
			}
			return x.skip()
		case "part":
			if v.id, err = number(x, e, "id"); err != nil {
				return err
			}
		case "volume":
			list = &o.volumes
			if v.first, err = number(x, e, "firstid"); err != nil {
				return err
			}
			if v.last, err = number(x, e, "lastid"); err != nil {
				return err
			}
		default:
			return x.skip()
		}
		known := true
		if v.kind, known = kindOf[attr(e, "subtype")]; !known {
			*unknown++
		}
		err := x.children(func(e xml.StartElement) error {
			value := attr(e, "value")
			switch key := attr(e, "key"); {
			case e.Name.Local != "metadata":
			case key == "name":
				v.name = value
			case key == "volume_type" || key == "part_type":
				k, ok := kindOf[value]
				if !ok && known {
					*unknown++
				}
				v.kind, known = k, ok
			case key == "modifier" && value == "1":
				v.kind = modifierPart
			}
			return x.skip()
		})
		if err != nil {
			return err
		}
		if err := cmp.Or(p.src.Budget.Reserve(int64(len(v.name))), soup.Grow(p.src.Budget, list, 1, partBytes)); err != nil {
			return err
		}
		*list = append(*list, v)
		return nil
	})
}

// number returns an attribute of e that is a number ≥ 0.
func number(x *xmlPart, e xml.StartElement, name string) (int64, error) {
	v, ok := parseInt(attr(e, name))
	if !ok || v < 0 {
		return 0, x.fail(soup.ErrSyntax, "%s of %s is %s, not a number", name, e.Name.Local, quote.Word(attr(e, name)))
	}
	return v, nil
}

// volumes returns the parts of o in the order of their triangles, for a mesh with n triangles. Triangles
// outside all parts become solid parts without a name. volumes refuses parts that share triangles, and
// parts with triangles that do not exist.
func (p *archive) volumes(x *xmlPart, o *partObject, n int) ([]part, error) {
	sorted := order.Sorted(o.volumes, func(a, b *part) int { return cmp.Compare(a.first, b.first) })
	if err := p.src.Budget.Reserve(2 * partBytes * int64(len(sorted)+1)); err != nil {
		return nil, err
	}
	all := make([]part, 0, 2*len(sorted)+1)
	next, loose := int64(0), int64(0)
	gap := func(end int64) {
		if next < end {
			all = append(all, part{first: next, last: end - 1, line: o.line})
			loose += end - next
		}
	}
	fail := func(v *part, kind error, format string, args ...any) error {
		return soup.AtPath(x.name, kind, format, args...).OnLine(v.line)
	}
	for i := range sorted {
		v := &sorted[i]
		switch {
		case v.last < v.first:
			return nil, fail(v, soup.ErrSyntax, "firstid is %d and lastid is %d, expected firstid ≤ lastid", v.first, v.last)
		case v.last >= int64(n):
			return nil, fail(v, soup.ErrIndexRange, "lastid is %d, but object %d has %d triangles", v.last, o.id, n)
		case v.first < next:
			return nil, fail(v, soup.ErrSyntax, "two volumes of object %d share triangle %d", o.id, v.first)
		}
		gap(v.first)
		all = append(all, *v)
		next = v.last + 1
	}
	gap(int64(n))
	if loose > 0 {
		p.b.Note("%s: %d triangles of object %d are in no volume: read as solid", quote.Line(x.name), loose, o.id)
	}
	return all, nil
}

// place is the build item that build appends.
type place struct {
	name   string
	root   *object
	object int32 // number of the object, for mesh.Body
	meshes int   // number of meshes so far
	inPart bool  // the current body is a part, not the whole item
}

// partsOf returns the parts of the mesh of o, which belongs to the current item. It returns nil if no
// slicer has described the mesh.
//
// PrusaSlicer describes the object with the mesh. Bambu Studio and OrcaSlicer describe the object of
// the item. For mesh number k of the item, they take part k if it refers to this mesh, and otherwise
// the first part that does (_generate_volumes_new in bbs_3mf.cpp).
func (p *archive) partsOf(o *object) []part {
	if o.volumes != nil {
		return o.volumes
	}
	k := p.item.meshes
	p.item.meshes++
	s := p.item.root.settings
	if s == nil || len(s.parts) == 0 {
		return nil
	}
	if k >= len(s.parts) || s.parts[k].id != o.id {
		if p.partIndex == nil {
			p.partIndex = map[*partObject]map[int64]int{}
		}
		index := p.partIndex[s]
		if index == nil {
			index = make(map[int64]int, len(s.parts))
			for i := len(s.parts) - 1; i >= 0; i-- {
				index[s.parts[i].id] = i
			}
			p.partIndex[s] = index
		}
		var ok bool
		if k, ok = index[o.id]; !ok {
			return nil
		}
	}
	return s.parts[k : k+1]
}

// beginPart begins a body for v, or for the whole item if v is nil.
func (p *archive) beginPart(v *part) error {
	if v == nil {
		if !p.item.inPart {
			return nil // the body of the item is open
		}
		p.item.inPart = false
		return p.b.BeginPart(p.item.name, false, p.item.object)
	}
	p.item.inPart = true
	return p.b.BeginPart(cmp.Or(v.name, p.item.name), v.kind == negativePart, p.item.object)
}

// noteParts adds a note for each type of parts, and a note about parts without a mesh.
func (p *archive) noteParts(m *modelPart) {
	p.b.NoteCount("%d negative parts: to be cut out of the solid parts of the same object", p.placed[negativePart])
	p.b.NoteCount("left out %d modifier parts: a slicer only prints with other settings there", p.placed[modifierPart])
	p.b.NoteCount("left out %d support blocker parts", p.placed[supportBlocker])
	p.b.NoteCount("left out %d support enforcer parts", p.placed[supportEnforcer])
	unused := 0
	for i := range m.items {
		if m.items[i].part != p.root {
			continue
		}
		s := m.objects[m.items[i].id].settings
		for k := range partsIn(s) {
			if !s.parts[k].used {
				s.parts[k].used = true // counts it once
				unused++
			}
		}
	}
	p.b.NoteCount("ignored %d parts in the settings of the slicer without a mesh in the model", unused)
}

// partsIn returns the parts of s, which can be nil.
func partsIn(s *partObject) []part {
	if s == nil {
		return nil
	}
	return s.parts
}
