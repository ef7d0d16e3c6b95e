package cityjson

import (
	"cmp"

	"github.com/inpoly/inpoly/internal/jsontext"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// face is a surface of the file: an outer ring and holes.
type face struct {
	corners, ends []int32
}

// levels returns the number of levels of lists around the surfaces of a shape.
func (s shape) levels() int {
	switch s {
	case solid:
		return 2 // shells, surfaces
	case solids:
		return 3
	}
	return 1
}

// addObject adds the chosen geometries of an object as a body, and counts the others.
func (r *reader) addObject(o *object) error {
	if err := r.b.BeginBody(o.name); err != nil {
		return err
	}
	for k := range r.table.geometriesOf(o) {
		g := &r.table.geometriesOf(o)[k]
		switch {
		case g.shape == missing: // an instance of a template without surfaces
			continue
		case g.lod < o.lod:
			r.ignored.lowerLoD++
			continue
		case o.solid && !r.isSolid(g):
			r.ignored.besides++
			continue
		}
		r.at(o, g, "boundaries")
		r.At = g.boundaries
		var err error
		if g.shape == instance {
			err = r.addInstance(o, g)
		} else {
			err = r.nest(g.shape.levels(), r.root.count, r.addFace)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addFace adds the current face to the mesh.
func (r *reader) addFace() error {
	f := &r.face
	for i := range f.corners {
		f.corners[i] += r.root.first
	}
	return r.b.AddPolygonWithHoles(f.corners, f.ends)
}

// nest reads lists that are nested levels deep around surfaces. It calls add for each surface that has
// a ring of three corners or more. Each index must be below count.
func (r *reader) nest(levels, count int, add func() error) error {
	if levels == 0 {
		return r.surface(count, add)
	}
	return r.elements(func() error { return r.nest(levels-1, count, add) })
}

// elements does the same as list, for a list that was read before.
func (r *reader) elements(visit func() error) error {
	if err := r.expect(jsontext.List); err != nil {
		return err
	}
	r.At++ // the bracket
	r.enterItem(0)
	for k := 0; ; k++ {
		if more, err := r.more(); err != nil {
			return err
		} else if !more {
			r.leave()
			return nil
		}
		r.setItem(k)
		if err := visit(); err != nil {
			return err
		}
	}
}

// surface reads the rings of a surface.
func (r *reader) surface(count int, add func() error) error {
	f := &r.face
	f.corners, f.ends = f.corners[:0], f.ends[:0]
	if err := r.expect(jsontext.List); err != nil {
		return err
	}
	r.At++ // the bracket
	r.enterItem(0)
	for k := 0; ; k++ {
		if more, err := r.more(); err != nil {
			return err
		} else if !more {
			break
		}
		r.setItem(k)
		if err := r.ring(count); err != nil {
			return err
		}
	}
	r.leave()
	if len(f.ends) == 0 {
		return nil
	}
	r.faces++
	return cmp.Or(add(), r.src.Check(r.faces))
}

// ring reads the indices of a ring. It counts and drops a ring of fewer than three corners.
func (r *reader) ring(count int) error {
	if err := r.expect(jsontext.List); err != nil {
		return err
	}
	f := &r.face
	first := len(f.corners)
	r.At++ // the bracket
	for n := 1; ; n++ {
		if more, err := r.more(); err != nil {
			return err
		} else if !more {
			break
		}
		i, err := r.index()
		if err == nil && int(i) >= count {
			err = r.fail(r.At, soup.ErrIndexRange, "vertex %d of %d", i, count)
		}
		if err := cmp.Or(err, soup.Grow(r.b.Budget, &f.corners, 1, 4), r.src.Check(n)); err != nil {
			return err
		}
		f.corners = append(f.corners, i)
	}
	if len(f.corners) < first+3 {
		f.corners = f.corners[:first]
		r.ignored.rings++
		return nil
	}
	err := soup.Grow(r.b.Budget, &f.ends, 1, 4)
	f.ends = append(f.ends, int32(len(f.corners)))
	return err
}
