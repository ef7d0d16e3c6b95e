package threemf

import (
	"cmp"
	"encoding/xml"
	"math/big"
	"slices"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// The namespaces omit the year, so the code accepts later revisions of the specifications. New
// elements of a later revision count as unknown elements.
const (
	nsDraft      = "http://schemas.microsoft.com/3dmanufacturing/2013/" // the core of drafts of 2013 and 2014
	nsCore       = "http://schemas.microsoft.com/3dmanufacturing/core/"
	nsProduction = "http://schemas.microsoft.com/3dmanufacturing/production/"
	nsMaterial   = "http://schemas.microsoft.com/3dmanufacturing/material/"
	nsSlice      = "http://schemas.microsoft.com/3dmanufacturing/slice/"
	nsBeams      = "http://schemas.microsoft.com/3dmanufacturing/beamlattice/"
	nsSets       = "http://schemas.microsoft.com/3dmanufacturing/trianglesets/"
)

// hintPlain is the hint in errors about shapes that the reader does not support.
const hintPlain = "export the model as a plain mesh"

// modelPart is a model part. Its coordinates are in the unit of the root model.
type modelPart struct {
	part    string // name of the part
	unit    unit
	objects map[int64]*object
	items   []reference
}

// object is an object of a model part: a mesh or a list of components. Extensions can describe
// other shapes.
type object struct {
	id         int64
	name       string
	kind       string // type; "" means "model"
	number     string // part number, an attribute of the object
	vertices   []r3.Vector
	faces      [][3]int32
	components []reference
	lowRes     bool   // the mesh is only a preview of the slices of the object
	shaped     bool   // the object has a mesh or a list of components
	unknown    string // name of the first element of an extension in the object

	volumes  []part      // parts of the mesh in the settings of PrusaSlicer, in the order of their triangles
	settings *partObject // the object in the settings of a slicer, or nil

	state  uint8       // state in measure
	extent soup.Extent // what the object adds to the soup, with its components
}

// reference is a build item or a component. It refers to an object and has a transform.
type reference struct {
	part   string // name of the part that defines the object
	id     int64
	t      soup.Affine
	number string // part number, an attribute of an item
	line   int
}

// Sizes in bytes of a model part, an object and a reference without their strings, including their
// entries in maps.
const (
	modelBytes     = 400
	objectBytes    = 400
	referenceBytes = 176
)

// model returns the model part with the given name. It reads each part once.
func (p *archive) model(name string) (*modelPart, error) {
	if m := p.models[name]; m != nil {
		return m, nil
	}
	if err := p.src.Budget.Reserve(modelBytes); err != nil {
		return nil, err
	}
	m := &modelPart{part: name, objects: map[int64]*object{}}
	p.models[name] = m
	err := p.parse(name, func(x *xmlPart, root xml.StartElement) error {
		if root.Name.Local != "model" || !ofCore(root) {
			return x.fail(soup.ErrSyntax, "the root element is %s, must be a 3MF model", root.Name.Local)
		}
		x.plain = x.plain && attr(root, "xmlns") == root.Name.Space
		if err := cmp.Or(p.readUnit(x, m, root), checkRequired(x, root)); err != nil {
			return err
		}
		return x.children(func(e xml.StartElement) error {
			switch {
			case !ofCore(e):
			case e.Name.Local == "resources":
				return x.children(func(e xml.StartElement) error {
					if ofCore(e) && e.Name.Local == "object" {
						return p.object(x, m, e)
					}
					return x.skip()
				})
			case e.Name.Local == "build":
				return x.childrenNamed("build", "item", func(e xml.StartElement) error { return p.ref(x, m, e, &m.items) })
			}
			return x.skip()
		})
	})
	return m, err
}

// checkRequired refuses a part if a required extension can change the shape.
func checkRequired(x *xmlPart, root xml.StartElement) error {
	for _, prefix := range strings.Fields(attr(root, "requiredextensions")) {
		space := ""
		for _, a := range root.Attr {
			if a.Name.Space == "xmlns" && a.Name.Local == prefix {
				space = a.Value
			}
		}
		known := []string{nsCore, nsProduction, nsMaterial, nsSlice, nsSets}
		if !slices.ContainsFunc(known, func(ns string) bool { return strings.HasPrefix(space, ns) }) {
			return x.fail(soup.ErrUnsupported, "required extension %s (%s)", quote.Word(prefix), quote.Line(space)).WithHint(hintPlain)
		}
	}
	return nil
}

// object reads the object whose start element is e.
func (p *archive) object(x *xmlPart, m *modelPart, e xml.StartElement) error {
	o := &object{name: attr(e, "name"), kind: attr(e, "type"), number: attr(e, "partnumber")}
	if err := p.src.Budget.Reserve(objectBytes + int64(len(o.name)+len(o.kind)+len(o.number))); err != nil {
		return err
	}
	id, ok := parseInt(attr(e, "id"))
	if !ok || id < 0 {
		return x.fail(soup.ErrSyntax, "object id %s is not a number", quote.Word(attr(e, "id")))
	}
	if m.objects[id] != nil {
		return x.fail(soup.ErrSyntax, "the object id %d occurs twice", id)
	}
	o.id = id
	for _, a := range e.Attr {
		o.lowRes = o.lowRes || strings.HasPrefix(a.Name.Space, nsSlice) && a.Name.Local == "meshresolution" && a.Value == "lowres"
	}
	m.objects[id] = o
	return x.children(func(e xml.StartElement) error {
		switch {
		case !ofCore(e):
			if o.unknown == "" {
				o.unknown = e.Name.Local
				if err := p.src.Budget.Reserve(int64(len(o.unknown))); err != nil {
					return err
				}
			}
		case e.Name.Local == "mesh" || e.Name.Local == "components":
			if o.shaped {
				return x.fail(soup.ErrSyntax, "object %d has several shapes: expected one mesh or one list of components", id)
			}
			o.shaped = true
			if e.Name.Local == "mesh" {
				return p.mesh(x, m, o)
			}
			return x.childrenNamed("components", "component", func(e xml.StartElement) error { return p.ref(x, m, e, &o.components) })
		}
		return x.skip()
	})
}

// mesh reads the vertices and triangles of o. The vertices must come first (3MF core §4.1).
func (p *archive) mesh(x *xmlPart, m *modelPart, o *object) error {
	seen := map[string]bool{}
	list := func(parent, name string, wanted [3]string, add func([3][]byte) error) error {
		if seen[parent] {
			return x.fail(soup.ErrSyntax, "the mesh of object %d has two lists of %s", o.id, parent)
		}
		seen[parent] = true
		return x.emptyElements(parent, name, wanted, add)
	}
	return x.children(func(e xml.StartElement) error {
		switch {
		case strings.HasPrefix(e.Name.Space, nsBeams) && e.Name.Local == "beamlattice":
			p.beams++
		case !ofCore(e):
		case e.Name.Local == "vertices":
			return list("vertices", "vertex", [3]string{"x", "y", "z"}, func(values [3][]byte) error { return p.vertex(x, m, o, values) })
		case e.Name.Local == "triangles":
			return list("triangles", "triangle", [3]string{"v1", "v2", "v3"}, func(values [3][]byte) error { return p.triangle(x, o, values) })
		default:
			return x.unexpected("mesh", e)
		}
		return x.skip()
	})
}

// vertex appends the vertex with the given coordinates.
func (p *archive) vertex(x *xmlPart, m *modelPart, o *object, values [3][]byte) error {
	var c [3]float64
	for i, text := range values {
		v, n, ok := decimal.Parse(text)
		if !ok || n != len(text) {
			return x.fail(soup.ErrSyntax, "%s of vertex %d is %s, not a number", "xyz"[i:i+1], len(o.vertices), quote.Word(text))
		}
		c[i] = m.unit.convert(v)
	}
	v := r3.Vector{X: c[0], Y: c[1], Z: c[2]}
	if !soup.InRange(v) {
		return x.fail(soup.RangeError(v), "vertex %d is (%g, %g, %g)", len(o.vertices), v.X, v.Y, v.Z)
	}
	if len(o.vertices) == cap(o.vertices) {
		if err := soup.Grow(p.src.Budget, &o.vertices, 1, soup.VertexBytes); err != nil {
			return err
		}
	}
	o.vertices = append(o.vertices, v)
	return nil
}

// triangle appends the triangle with the given vertex indices.
func (p *archive) triangle(x *xmlPart, o *object, values [3][]byte) error {
	var f [3]int32
	for i, text := range values {
		v, n, ok := decimal.ParseInt(text)
		if !ok || n != len(text) {
			return x.fail(soup.ErrSyntax, "v%d of triangle %d is %s, not an index", i+1, len(o.faces), quote.Word(text))
		}
		if v < 0 || v >= int64(len(o.vertices)) {
			return x.fail(soup.ErrIndexRange, "v%d of triangle %d refers to vertex %d, but there are %d vertices", i+1, len(o.faces), v, len(o.vertices))
		}
		f[i] = int32(v)
	}
	if len(o.faces) == cap(o.faces) {
		if err := soup.Grow(p.src.Budget, &o.faces, 1, soup.FaceBytes); err != nil {
			return err
		}
	}
	o.faces = append(o.faces, f)
	return nil
}

// ref reads a build item or a component from e and appends it to *list.
func (p *archive) ref(x *xmlPart, m *modelPart, e xml.StartElement, list *[]reference) error {
	r := reference{part: m.part, number: attr(e, "partnumber"), line: x.line()}
	var ok bool
	if r.id, ok = parseInt(attr(e, "objectid")); !ok {
		return x.fail(soup.ErrSyntax, "objectid of %s is %s, not a number", e.Name.Local, quote.Word(attr(e, "objectid")))
	}
	for _, a := range e.Attr {
		switch {
		case a.Name.Local != "path":
		case strings.HasPrefix(a.Name.Space, nsProduction):
			if m.part != p.root { // only the root model can have paths (production extension, chapter 2)
				return x.fail(soup.ErrSyntax, "%s has a path, which is allowed only in the root model", e.Name.Local)
			}
			r.part = partName(a.Value)
		case undeclared(a.Name.Space):
			return x.fail(soup.ErrSyntax, "prefix %s of the attribute path is not declared", quote.Word(a.Name.Space))
		}
	}
	text := attr(e, "transform")
	if r.t, ok = parseTransform(text); !ok {
		return x.fail(soup.ErrSyntax, "transform of %s is %s, not 12 finite numbers", e.Name.Local, quote.Word(text))
	}
	r.t.T = r3.Vector{X: m.unit.convert(r.t.T.X), Y: m.unit.convert(r.t.T.Y), Z: m.unit.convert(r.t.T.Z)}
	if !vec.Finite(r.t.T) {
		return x.fail(soup.ErrNotFinite, "the transform of %s is too large for float64 in the unit %s", e.Name.Local, p.unit)
	}
	if err := cmp.Or(p.src.Budget.Reserve(int64(len(r.part)+len(r.number))), soup.Grow(p.src.Budget, list, 1, referenceBytes)); err != nil {
		return err
	}
	*list = append(*list, r)
	return nil
}

// parseTransform parses the numbers m00 m01 m02 m10 … m32 (3MF core §3.3). The numbers are the rows
// of a matrix M. The image of a row vector v = (x, y, z, 1) is v·M. Blank text means the identity.
func parseTransform(text string) (soup.Affine, bool) {
	var m [12]float64
	words := strings.Fields(text)
	if len(words) == 0 {
		return soup.Identity(), true
	}
	if len(words) != len(m) {
		return soup.Affine{}, false
	}
	for i, w := range words {
		v, n, ok := decimal.Parse([]byte(w))
		if !ok || n != len(w) || v-v != 0 {
			return soup.Affine{}, false
		}
		m[i] = v
	}
	a := soup.Affine{
		X: r3.Vector{X: m[0], Y: m[3], Z: m[6]},
		Y: r3.Vector{X: m[1], Y: m[4], Z: m[7]},
		Z: r3.Vector{X: m[2], Y: m[5], Z: m[8]},
		T: r3.Vector{X: m[9], Y: m[10], Z: m[11]},
	}
	a.Mirror = soup.Mirrors(a.X, a.Y, a.Z)
	return a, true
}

// parseInt parses an integer. White space can surround the integer.
func parseInt(text string) (int64, bool) {
	text = strings.TrimSpace(text)
	v, n, ok := decimal.ParseInt([]byte(text))
	return v, ok && n == len(text)
}

// defaultUnit is the unit of a model that does not state its unit (3MF core §3.4).
const defaultUnit = "millimeter"

// units maps the name of each 3MF unit to its length in tenths of a micron.
var units = map[string]int64{
	"micron":     10,
	"millimeter": 10_000,
	"centimeter": 100_000,
	"inch":       254_000,
	"foot":       3_048_000,
	"meter":      10_000_000,
}

// unit is the unit of a part divided by the unit of the root model: the fraction num/den in lowest
// terms.
type unit struct{ num, den float64 }

// newUnit returns the fraction part/root of two units of length.
func newUnit(part, root int64) unit {
	ratio := big.NewRat(part, root)
	return unit{float64(ratio.Num().Int64()), float64(ratio.Denom().Int64())}
}

// convert returns x·num/den. A float32 number has at most 24 significant bits. If x has at most 33
// significant bits, the product is exact, because num ≤ 10⁶ < 2²⁰. Then the result is correctly
// rounded. For other x the relative error is at most 2⁻⁵² (1+2⁻⁵³).
func (u unit) convert(x float64) float64 { return float64(x*u.num) / u.den }

// readUnit reads the unit of m from its root element. The first part that is read is the root
// model. Its unit is the unit of the result.
func (p *archive) readUnit(x *xmlPart, m *modelPart, root xml.StartElement) error {
	name := cmp.Or(attr(root, "unit"), defaultUnit)
	length, ok := units[name]
	if !ok {
		return x.fail(soup.ErrSyntax, "unit %s does not exist", quote.Word(name))
	}
	if m.part == p.root {
		p.unit = name
	} else if name != p.unit {
		p.b.Note("%s is in unit %s: converted to %s", quote.Line(m.part), name, p.unit)
	}
	m.unit = newUnit(length, units[p.unit])
	return nil
}
