package msh

import (
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// elements holds the elements of dimension 2 and 3, in sets of equal entity, group and type.
type elements struct {
	sets    map[setKey]*set
	order   []*set // in the order of the file
	current *set   // set of the latest element
	ignored [2]int // numbers of points and curve elements
	curved  int    // number of elements of higher order
}

// setKey identifies a set of elements.
type setKey struct {
	entity   tag // with the dimension of the element
	physical int // physical group in MSH 2.2
	kind     int // number of the type in the file
}

// set holds the corners of elements of one type, as vertices.
type set struct {
	setKey
	kind    kind
	corners []int32
}

// setBytes bounds the memory of a set without its corners.
const setBytes = 256

// count returns the number of elements.
func (s *set) count() int { return len(s.corners) / s.kind.corners }

// set returns the set with the given key.
func (r *reader) set(key setKey, k kind) (*set, error) {
	e := &r.elements
	if e.current != nil && e.current.setKey == key {
		return e.current, nil
	}
	s := e.sets[key]
	if s == nil {
		if err := r.b.Budget.Reserve(setBytes); err != nil {
			return nil, r.placed(r.i, err, "the table of groups")
		}
		if e.sets == nil {
			e.sets = map[setKey]*set{}
		}
		s = &set{setKey: key, kind: k}
		e.sets[key] = s
		e.order = append(e.order, s)
	}
	e.current = s
	return s, nil
}

// kindAt returns the description of an element type, which the file names before byte i.
func (r *reader) kindAt(number, i int) (kind, error) {
	k, ok := kinds[number]
	if !ok {
		return kind{}, r.fail(max(i-1, 0), soup.ErrUnsupported, "elements of type %d are not known", number).
			WithHint("export the mesh with elements of Gmsh's standard types, for example with Mesh.ElementOrder = 1")
	}
	return k, nil
}

// readElements reads the section $Elements.
func (r *reader) readElements() error {
	var err error
	switch {
	case r.version4:
		err = r.elements4()
	case r.order != nil:
		err = r.elements2Binary()
	default:
		err = r.elements2()
	}
	if err != nil {
		return err
	}
	return r.end("Elements")
}

// elements4 reads the elements of MSH 4.1, which are in blocks.
func (r *reader) elements4() error {
	blocks, total, err := r.blockCounts("elements")
	if err != nil {
		return err
	}
	at, sum := r.i, 0
	for range blocks {
		var head [3]int
		for j, what := range []string{"the dimension of a block of elements", "the entity of a block of elements", "the type of a block of elements"} {
			if head[j], err = r.integer(what); err != nil {
				return err
			}
		}
		k, err := r.kindAt(head[2], r.i)
		if err != nil {
			return err
		}
		n, err := r.count("the number of elements of a block", true, 8*(1+k.nodes))
		if err != nil {
			return err
		}
		key := setKey{entity: tag{k.dim, head[1]}, kind: head[2]}
		for j := range n {
			t, err := r.size("the tag of an element")
			if err != nil {
				return err
			}
			if err := r.element(key, k, t); err != nil {
				return err
			}
			if err := r.src.Check(j); err != nil {
				return err
			}
		}
		sum += n
	}
	if sum != total {
		return r.fail(at, soup.ErrSyntax, "the blocks have %d elements, but the section declares %d", sum, total)
	}
	return nil
}

// element reads the nodes of an element and stores its corners.
func (r *reader) element(key setKey, k kind, t int64) error {
	what := "a node of an element"
	width := 4
	if r.version4 {
		width = 8
	}
	if k.dim < 2 {
		r.elements.ignored[k.dim]++
		return r.skip(k.nodes, width, what)
	}
	s, err := r.set(key, k)
	if err != nil {
		return err
	}
	if k.nodes > k.corners {
		r.elements.curved++
	}
	if err := soup.Grow(r.b.Budget, &s.corners, k.corners, 4); err != nil {
		return r.placed(r.i, err, "element %d", t)
	}
	for range k.corners {
		var node int64
		if r.version4 {
			node, err = r.size(what)
		} else {
			var small int
			small, err = r.integer(what)
			node = int64(small)
		}
		if err != nil {
			return err
		}
		v := r.nodes.vertex(node)
		if v < 0 {
			return r.fail(r.i-1, soup.ErrIndexRange, "element %d refers to node %d, which does not exist", t, node)
		}
		s.corners = append(s.corners, v)
	}
	return r.skip(k.nodes-k.corners, width, what)
}

// elements2 reads the elements of MSH 2.2 as text: a number, a type, tags and nodes.
func (r *reader) elements2() error {
	n, err := r.textCount("the number of elements")
	if err != nil {
		return err
	}
	for j := range n {
		t, err := r.integer("the number of an element")
		if err != nil {
			return err
		}
		number, err := r.integer("the type of an element")
		if err != nil {
			return err
		}
		k, err := r.kindAt(number, r.i)
		if err != nil {
			return err
		}
		tags, err := r.count("the number of tags of an element", false, 4)
		if err != nil {
			return err
		}
		if err := r.element2(number, k, t, tags); err != nil {
			return err
		}
		if err := r.src.Check(j); err != nil {
			return err
		}
	}
	return nil
}

// element2 reads the tags and the nodes of an element of MSH 2.2. The first tag is the physical group,
// and the second tag is the entity.
func (r *reader) element2(number int, k kind, t, tags int) error {
	key := setKey{entity: tag{dim: k.dim}, kind: number}
	for j := range min(tags, 2) {
		v, err := r.integer("a tag of an element")
		if err != nil {
			return err
		}
		if j == 0 {
			key.physical = v
		} else {
			key.entity.number = v
		}
	}
	if err := r.skip(max(tags-2, 0), 4, "a tag of an element"); err != nil {
		return err
	}
	return r.element(key, k, int64(t))
}

// elements2Binary reads the elements of MSH 2.2 in binary. Each block begins with a type, a number
// of elements and a number of tags.
func (r *reader) elements2Binary() error {
	n, err := r.textCount("the number of elements")
	if err != nil {
		return err
	}
	for done := 0; done < n; {
		at := r.i
		var head [3]int
		for j, what := range []string{"the type of elements", "the number of elements of a block", "the number of tags of elements"} {
			if head[j], err = r.integer(what); err != nil {
				return err
			}
		}
		k, err := r.kindAt(head[0], at+1)
		if err != nil {
			return err
		}
		rest := (len(r.data) - r.i) / 4
		if head[1] <= 0 || head[1] > n-done || head[2] < 0 || head[2] > rest {
			return r.fail(at, soup.ErrSyntax, "a block of %d elements with %d tags does not fit: %d elements and %d numbers are left", head[1], head[2], n-done, rest)
		}
		for j := range head[1] {
			t, err := r.integer("the number of an element")
			if err != nil {
				return err
			}
			if err := r.element2(head[0], k, t, head[2]); err != nil {
				return err
			}
			if err := r.src.Check(j); err != nil {
				return err
			}
		}
		done += head[1]
	}
	return nil
}
