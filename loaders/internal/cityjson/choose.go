package cityjson

import (
	"cmp"
	"slices"

	"github.com/inpoly/inpoly/internal/jsontext"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// addObjects chooses geometries and adds their surfaces: a body for each object.
func (r *reader) addObjects() error {
	t := &r.table
	for i := range t.objects {
		if err := r.choose(&t.objects[i]); err != nil {
			return err
		}
	}
	if t.related {
		if err := r.compareFamilies(); err != nil {
			return err
		}
	}
	for i := range t.objects {
		if o := &t.objects[i]; o.count > 0 && !o.ignore {
			if err := r.addObject(o); err != nil {
				return err
			}
		}
		if err := r.src.Check(i); err != nil {
			return err
		}
	}
	return nil
}

// at sets the path of the cursor to a member of a geometry of an object.
func (r *reader) at(o *object, g *geometry, member string) {
	r.path = append(r.path[:0], step{[]byte("CityObjects"), -1}, step{[]byte(o.name), -1},
		step{[]byte("geometry"), -1}, step{number: int(g.number)}, step{[]byte(member), -1})
}

// geometriesOf returns the geometries of an object.
func (t *table) geometriesOf(o *object) []geometry { return t.geometries[o.first : o.first+o.count] }

// choose finds the highest LoD of an object, and whether there are solids of this LoD.
func (r *reader) choose(o *object) error {
	own := r.table.geometriesOf(o)
	for k := range own {
		g := &own[k]
		if g.shape == instance {
			if int(g.template) >= len(r.templates.list) {
				r.at(o, g, "template")
				return r.fail(g.boundaries, soup.ErrIndexRange, "template %d of %d", g.template, len(r.templates.list))
			}
			t := &r.templates.list[g.template]
			if g.lod = t.lod; !r.keep(&t.geometry) {
				g.shape = missing
				continue
			}
		}
		o.lod = max(o.lod, g.lod)
	}
	for _, g := range own {
		o.solid = o.solid || g.lod == o.lod && r.isSolid(&g)
	}
	return nil
}

// isSolid reports whether a geometry consists of solids.
func (r *reader) isSolid(g *geometry) bool {
	s := g.shape
	if s == instance {
		s = r.templates.list[g.template].shape
	}
	return s == solid || s == solids
}

// relation is a pair of objects: a child and its parent.
type relation struct{ child, parent int32 }

const relationBytes = 8

// compareFamilies ignores each object of LoD 0 if a descendant has a higher LoD. It also counts the
// solids whose parts are solids.
//
// According to CityGML 2.0 (OGC 12-019, section 10.3), a building with parts has the geometry of its
// central part. Such a building does not repeat the geometries of its parts, so compareFamilies keeps
// all solids.
func (r *reader) compareFamilies() error {
	t := &r.table
	var all []relation
	add := func(child, parent int32) error {
		if err := soup.Grow(r.b.Budget, &all, 1, relationBytes); err != nil {
			return err
		}
		all = append(all, relation{child, parent})
		return nil
	}
	for i := range int32(len(t.objects)) {
		o := &t.objects[i]
		if o.group {
			continue // its children are its members
		}
		err := cmp.Or(r.names(o, "parents", o.parents, func(j int32) error {
			if t.objects[j].group {
				return nil
			}
			return add(i, j)
		}), r.names(o, "children", o.children, func(j int32) error { return add(j, i) }), r.src.Check(int(i)))
		if err != nil {
			return err
		}
	}
	slices.SortFunc(all, func(a, b relation) int {
		return cmp.Or(cmp.Compare(a.child, b.child), cmp.Compare(a.parent, b.parent))
	})
	all = slices.Compact(all)
	r.ignoreOutlines(all)
	wholes := map[int32]bool{}
	for _, pair := range all {
		part, whole := &t.objects[pair.child], &t.objects[pair.parent]
		if part.part && part.solid && whole.solid && !wholes[pair.parent] {
			wholes[pair.parent] = true
			r.ignored.wholes++
		}
	}
	r.b.Budget.Release(relationBytes * int64(cap(all)))
	return nil
}

// ignoreOutlines marks each object of LoD 0 that has a descendant of a higher LoD. The relations
// must be sorted by child.
func (r *reader) ignoreOutlines(all []relation) {
	objects := r.table.objects
	higher := make([]bool, len(objects)) // objects with a descendant of a higher LoD
	var next []int32
	for i := range objects {
		if objects[i].count > 0 && objects[i].lod >= oneLoD {
			next = append(next, int32(i))
		}
	}
	for len(next) > 0 {
		child := next[len(next)-1]
		next = next[:len(next)-1]
		k, _ := slices.BinarySearchFunc(all, child, func(pair relation, child int32) int { return cmp.Compare(pair.child, child) })
		for ; k < len(all) && all[k].child == child; k++ {
			if p := all[k].parent; !higher[p] {
				higher[p] = true
				next = append(next, p)
			}
		}
	}
	for i := range objects {
		if o := &objects[i]; higher[i] && o.count > 0 && 0 <= o.lod && o.lod < oneLoD {
			o.ignore = true
			r.ignored.outlines++
		}
	}
}

// names calls visit for each known object in a list of names at byte i. The list is a member of object
// o. If i is 0, there is no list.
func (r *reader) names(o *object, member string, i int, visit func(int32) error) error {
	if i == 0 {
		return nil
	}
	r.At, r.path = i, append(r.path[:0], step{[]byte("CityObjects"), -1}, step{[]byte(o.name), -1}, step{[]byte(member), -1})
	return r.list(func(int) error {
		if err := r.expect(jsontext.String); err != nil {
			return err
		}
		q, err := r.Quoted()
		if err != nil {
			return err
		}
		if j, ok := r.table.byName[string(q.Text())]; ok {
			return visit(j)
		}
		return nil
	})
}
