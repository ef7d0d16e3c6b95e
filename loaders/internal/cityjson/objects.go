package cityjson

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/jsontext"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// table has the city objects of a text and their geometries.
type table struct {
	objects    []object
	geometries []geometry
	byName     map[string]int32
	related    bool  // an object has parents or children
	entries    int64 // memory of the entries of byName
}

// object is a city object.
type object struct {
	name              string
	first, count      int32 // range in table.geometries
	parents, children int   // places of the lists of names; 0 if there is none
	group, part       bool  // a CityObjectGroup; a part, such as a BuildingPart

	lod    lod  // the highest LoD of its geometries
	solid  bool // there are solids of this LoD
	ignore bool // a descendant has a higher LoD
}

// geometry is a geometry of a city object, or a template.
type geometry struct {
	shape      shape
	lod        lod
	number     int32 // number in the list of the object
	template   int32 // number of the template of an instance
	boundaries int   // places of lists; 0 if there is none
	matrix     int
	empty      bool // the list of boundaries is empty
}

// Sizes in bytes of an object, a geometry and an entry of table.byName, without the name.
const (
	objectBytes   = 72
	geometryBytes = 48
	entryBytes    = 128
)

// shape is a type of geometry.
type shape uint8

const (
	missing  shape = iota // the geometry has no type
	unknown               // a type of an extension
	points                // MultiPoint
	lines                 // MultiLineString
	surfaces              // MultiSurface and CompositeSurface
	solid                 // Solid
	solids                // MultiSolid and CompositeSolid
	instance              // GeometryInstance
)

var shapes = map[string]shape{
	"MultiPoint": points, "MultiLineString": lines, "MultiSurface": surfaces, "CompositeSurface": surfaces,
	"Solid": solid, "MultiSolid": solids, "CompositeSolid": solids, "GeometryInstance": instance,
}

// lod is a level of detail: 100 times its first number, plus its second number.
type lod int32

const (
	noLoD  lod = -1
	oneLoD lod = 100 // the lowest LoD with volumes
)

// parseLoD returns the value of an LoD such as "2" or "2.1", or noLoD.
func parseLoD(text string) lod {
	major, minor, found := strings.Cut(text, ".")
	a, errA := strconv.ParseUint(major, 10, 8)
	b, errB := uint64(0), error(nil)
	if found {
		b, errB = strconv.ParseUint(minor, 10, 8)
	}
	if errA != nil || errB != nil || b >= uint64(oneLoD) {
		return noLoD
	}
	return lod(a)*oneLoD + lod(b)
}

// release empties the table and releases its memory to the budget.
func (t *table) release(mem *soup.Budget) {
	mem.Release(t.entries)
	clear(t.byName)
	clear(t.objects)
	t.objects, t.geometries, t.entries, t.related = t.objects[:0], t.geometries[:0], 0, false
}

// readObjects reads the city objects into the table.
func (r *reader) readObjects() error {
	t := &r.table
	if t.byName == nil {
		t.byName = map[string]int32{}
	}
	return r.object(func(key []byte) error {
		if _, ok := t.byName[string(key)]; ok {
			return r.twice()
		}
		need := entryBytes + int64(len(key))
		if err := cmp.Or(r.b.Budget.Reserve(need), soup.Grow(r.b.Budget, &t.objects, 1, objectBytes)); err != nil {
			return err
		}
		t.entries += need
		o := object{name: string(key), first: int32(len(t.geometries)), lod: noLoD}
		t.byName[o.name] = int32(len(t.objects))
		if err := r.readObject(&o); err != nil {
			return err
		}
		t.objects = append(t.objects, o)
		return cmp.Or(r.src.Check(len(t.objects)), r.progress.step(r.src, r.At))
	})
}

// readObject reads a city object.
func (r *reader) readObject(o *object) error {
	t := &r.table
	return r.members([]string{"type", "parents", "children", "geometry"}, func(key string) error {
		switch key {
		case "type":
			kind, err := r.text()
			o.group, o.part = kind == "CityObjectGroup", strings.HasSuffix(kind, "Part")
			return err
		case "parents":
			o.parents, t.related = r.At, true
			return r.skip()
		case "children":
			o.children, t.related = r.At, true
			return r.skip()
		}
		return r.list(func(k int) error {
			g, err := r.readGeometry()
			if err != nil || !r.keep(&g) {
				return err
			}
			if err := soup.Grow(r.b.Budget, &t.geometries, 1, geometryBytes); err != nil {
				return err
			}
			g.number = int32(k)
			t.geometries = append(t.geometries, g)
			o.count++
			return nil
		})
	})
}

// keep reports whether a geometry of an object has surfaces. It counts the others.
func (r *reader) keep(g *geometry) bool {
	switch n := &r.ignored; {
	case g.shape == points:
		n.points++
	case g.shape == lines:
		n.lines++
	case g.shape == unknown:
		n.unknown++
	case g.empty && g.shape != instance:
		n.empty++
	default:
		if g.lod == noLoD && g.shape != instance {
			n.withoutLoD++
		}
		return true
	}
	return false
}

// readGeometry reads a geometry. It stores the positions of its boundaries and its matrix, but not
// their content.
func (r *reader) readGeometry() (geometry, error) {
	g := geometry{lod: noLoD, template: -1}
	at, kind := r.At, ""
	err := r.members([]string{"type", "lod", "boundaries", "template", "transformationMatrix"}, func(key string) (err error) {
		switch key {
		case "type":
			kind, err = r.text()
		case "lod":
			g.lod, err = r.readLoD()
		case "boundaries":
			if err := r.expect(jsontext.List); err != nil {
				return err
			}
			g.boundaries = r.At
			err = r.skip()
			g.empty = len(bytes.Trim(r.Text[g.boundaries:r.At], "[], \t\r\n")) == 0
		case "template":
			at := r.At
			if _, err = r.word(); err == nil { // index does not check the syntax
				r.At = at
				g.template, err = r.index()
			}
		case "transformationMatrix":
			g.matrix = r.At
			err = r.skip()
		}
		return err
	})
	if err != nil {
		return g, err
	}
	if g.shape = shapes[kind]; g.shape == missing && strings.HasPrefix(kind, "+") {
		g.shape = unknown
	}
	switch {
	case kind == "":
		err = r.fail(at, soup.ErrSyntax, "the member type is missing")
	case g.shape == missing:
		err = r.fail(at, soup.ErrSyntax, "the type %s of geometries does not exist", quote.Word(kind))
	case g.shape >= surfaces && g.boundaries == 0:
		err = r.fail(at, soup.ErrSyntax, "the member boundaries is missing")
	case g.shape == instance && (g.template < 0 || g.matrix == 0):
		err = r.fail(at, soup.ErrSyntax, "template or transformationMatrix is missing")
	}
	return g, err
}

// readLoD reads an LoD, which is a string since CityJSON 1.1, and a number before.
func (r *reader) readLoD() (lod, error) {
	c, err := r.Peek()
	if err != nil {
		return noLoD, err
	}
	if c == '"' {
		text, err := r.text()
		return parseLoD(text), err
	}
	if c == '[' || c == '{' {
		return noLoD, r.expect(jsontext.String)
	}
	word, _, err := r.Word()
	return parseLoD(string(word)), err
}

// index reads an index: an integer ≥ 0. It does not check the syntax, because the text has been
// read before.
func (r *reader) index() (int32, error) {
	if _, err := r.Peek(); err != nil {
		return 0, err
	}
	at := r.At
	if v, n, ok := decimal.ParseInt(r.Text[at:]); ok && v >= 0 && int64(int32(v)) == v && r.ends(at+n) {
		r.At += n
		return int32(v), nil
	}
	word, err := r.word()
	if err != nil {
		return 0, err
	}
	v, ok := parseNumber(word)
	if !ok {
		return 0, r.badNumber(at, word)
	}
	p := power(v.places)
	switch v.m.QuoRem(&v.m, p, p); {
	case p.Sign() != 0:
		return 0, r.fail(at, soup.ErrSyntax, "the index is %s, must be an integer", quote.Word(word))
	case v.m.Sign() < 0 || !v.m.IsInt64() || v.m.Int64() != int64(int32(v.m.Int64())):
		return 0, r.fail(at, soup.ErrIndexRange, "the index is %s", quote.Word(word))
	}
	return int32(v.m.Int64()), nil
}
