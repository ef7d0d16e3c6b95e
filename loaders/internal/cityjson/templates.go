package cityjson

import (
	"cmp"
	"errors"
	"math/big"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/affine"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// templates has the geometries that instances repeat, with their own vertices.
type templates struct {
	list     []template
	vertices []r3.Vector
	added    []int32 // for each vertex of a template, the last instance that added it to the mesh
	index    []int32 // for each vertex that the current instance has added, its index in the mesh
	instance int32   // number of instances so far
}

// template is a geometry. Its faces are read when the first instance needs them.
type template struct {
	geometry
	read    bool
	corners []int32 // corners of all rings
	ends    []int32 // end of each ring in corners
	faces   []int32 // end of each face in ends
}

const templateBytes = geometryBytes + 80

// readTemplates reads the templates, except their boundaries.
func (r *reader) readTemplates() error {
	t := &r.templates
	return r.members([]string{"templates", "vertices-templates"}, func(key string) error {
		if key == "vertices-templates" {
			return r.list(func(int) error { return r.templateVertex() })
		}
		return r.list(func(int) error {
			at := r.At
			g, err := r.readGeometry()
			if err == nil && g.shape == instance {
				err = r.fail(at, soup.ErrSyntax, "a template cannot be a GeometryInstance")
			}
			if err := cmp.Or(err, soup.Grow(r.b.Budget, &t.list, 1, templateBytes)); err != nil {
				return err
			}
			t.list = append(t.list, template{geometry: g})
			return nil
		})
	})
}

func (r *reader) templateVertex() error {
	at := r.At
	v, err := r.vertex(func(int) (float64, error) { return r.real() })
	if err != nil {
		return err
	}
	if !soup.InRange(v) {
		return r.fail(at, soup.RangeError(v), "the vertex is (%g, %g, %g)", v.X, v.Y, v.Z)
	}
	t := &r.templates
	err = cmp.Or(soup.Grow(r.b.Budget, &t.vertices, 1, soup.VertexBytes), soup.Grow(r.b.Budget, &t.added, 1, 4), soup.Grow(r.b.Budget, &t.index, 1, 4))
	if err != nil {
		return err
	}
	t.vertices, t.added, t.index = append(t.vertices, v), append(t.added, 0), append(t.index, 0)
	r.stored++
	return nil
}

// addInstance adds an instance of a template. The cursor must be at its boundaries, which are the index
// of the reference point.
//
// A vertex p of the template becomes M·p + reference point. The matrix M has the decimal numbers of the
// file. The coordinates of p and of the reference point are the float64 numbers nearest to the numbers of
// the file. Each coordinate of the result is the float64 nearest to the exact value.
func (r *reader) addInstance(o *object, g *geometry) error {
	t := &r.templates.list[g.template]
	reference, err := r.referencePoint()
	if err != nil {
		return err
	}
	if err := r.readFaces(t, g.template); err != nil {
		return err
	}
	r.at(o, g, "transformationMatrix")
	r.At = g.matrix
	m, err := r.matrix(reference)
	if errors.Is(err, affine.ErrSingular) {
		r.ignored.singular++
		return nil
	}
	if err != nil {
		return err
	}
	mirrors := m.Mirrors()
	r.templates.instance++
	firstRing, first := int32(0), int32(0)
	for _, lastRing := range t.faces {
		f := &r.face
		ends := t.ends[firstRing:lastRing]
		f.corners, f.ends = f.corners[:0], f.ends[:0]
		for _, end := range ends {
			if err := r.addInstanceRing(m, mirrors, t.corners[first:end]); err != nil {
				return err
			}
			first = end
		}
		if err := r.b.AddPolygonWithHoles(f.corners, f.ends); err != nil {
			return err
		}
		firstRing = lastRing
	}
	return nil
}

// addInstanceRing adds a ring of a template to the current face. If the map mirrors, it reverses the
// ring, so that its orientation stays outward.
func (r *reader) addInstanceRing(m *affine.Map, mirrors bool, ring []int32) error {
	f, t := &r.face, &r.templates
	if err := cmp.Or(soup.Grow(r.b.Budget, &f.corners, len(ring), 4), soup.Grow(r.b.Budget, &f.ends, 1, 4)); err != nil {
		return err
	}
	from := len(f.corners)
	for _, i := range ring {
		if t.added[i] != t.instance {
			k, err := r.b.AddVertex(m.Apply(t.vertices[i]))
			if err != nil {
				return err
			}
			t.added[i], t.index[i] = t.instance, k
		}
		f.corners = append(f.corners, t.index[i])
	}
	if mirrors {
		slices.Reverse(f.corners[from:])
	}
	f.ends = append(f.ends, int32(len(f.corners)))
	r.faces++
	return r.src.Check(r.faces)
}

// referencePoint reads the boundaries of an instance, which are a list of one index. It returns the
// vertex with this index.
func (r *reader) referencePoint() (v r3.Vector, err error) {
	at, n := r.At, 0
	err = r.list(func(int) error {
		at := r.At
		i, err := r.index()
		if err == nil && int(i) >= r.root.count {
			err = r.fail(at, soup.ErrIndexRange, "vertex %d of %d", i, r.root.count)
		}
		if n++; err == nil && n == 1 {
			v = r.b.Vertices[r.root.first+i]
		}
		return err
	})
	if err == nil && n != 1 {
		err = r.fail(at, soup.ErrSyntax, "the boundaries of an instance have %d indices, must have 1", n)
	}
	return v, err
}

// matrix reads the 4×4 matrix of an instance, row by row, and adds the reference point to its
// translation.
func (r *reader) matrix(reference r3.Vector) (*affine.Map, error) {
	at := r.At
	m, err := r.numbers(16)
	if err != nil {
		return nil, err
	}
	for k, want := range [4]int64{0, 0, 0, 1} {
		if m[12+k].rational().Cmp(big.NewRat(want, 1)) != 0 {
			return nil, r.fail(at, soup.ErrUnsupported, "the last row of the matrix must be 0, 0, 0, 1")
		}
	}
	var c affine.Coefficients
	for i, x := range [3]float64{reference.X, reference.Y, reference.Z} {
		for j := range c[i] {
			c[i][j] = m[4*i+j].rational()
		}
		c[i][3].Add(c[i][3], new(big.Rat).SetFloat64(x))
	}
	return affine.New(c)
}

// readFaces reads the faces of a template, unless they were read before.
func (r *reader) readFaces(t *template, number int32) error {
	if t.read {
		return nil
	}
	t.read = true
	r.At = t.boundaries
	r.path = append(r.path[:0], step{[]byte("geometry-templates"), -1}, step{[]byte("templates"), -1}, step{number: int(number)}, step{[]byte("boundaries"), -1})
	return r.nest(t.shape.levels(), len(r.templates.vertices), func() error {
		f := &r.face
		mem, base := r.b.Budget, int32(len(t.corners))
		err := cmp.Or(soup.Grow(mem, &t.corners, len(f.corners), 4), soup.Grow(mem, &t.ends, len(f.ends), 4), soup.Grow(mem, &t.faces, 1, 4))
		if err != nil {
			return err
		}
		t.corners = append(t.corners, f.corners...)
		for _, end := range f.ends {
			t.ends = append(t.ends, base+end)
		}
		t.faces = append(t.faces, int32(len(t.ends)))
		return nil
	})
}
