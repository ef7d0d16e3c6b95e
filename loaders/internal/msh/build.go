package msh

import (
	"slices"

	"github.com/inpoly/inpoly/loaders/internal/skin"
)

// body lists the sets of a physical group, or those without a group.
type body struct {
	group    int // number of the physical group; 0 means none
	sets     []*set
	reversed []bool // reports for each set whether its elements have the reverse orientation
}

// build appends the bodies of the highest dimension that has elements.
func (r *reader) build() error {
	var counts [4]int
	for _, s := range r.elements.order {
		counts[s.entity.dim] += s.count()
	}
	dim := 2
	if counts[3] > 0 {
		dim = 3
	}
	bodies := r.bodies(dim)
	repeated, err := r.dropRepeated(bodies)
	if err != nil {
		return r.placed(len(r.data), err, "elements in several physical groups")
	}
	cells := skin.New(r.b)
	filled := 0 // number of bodies with elements
	for _, one := range bodies {
		if slices.ContainsFunc(one.sets, func(s *set) bool { return len(s.corners) > 0 }) {
			filled++
		}
		if one.group != 0 {
			err = r.b.BeginBody(r.groups.name(tag{dim, one.group}))
		}
		if err == nil && dim == 3 {
			err = r.addCells(cells, one)
		} else if err == nil {
			err = r.addSurface(one)
		}
		if err != nil {
			return r.placed(len(r.data), err, "physical group %d", one.group)
		}
	}
	r.note(dim, counts, filled, repeated)
	if dim == 3 {
		cells.Note()
	}
	return nil
}

// bodies returns the bodies of a dimension in the order of the file. The body without a group comes
// first.
func (r *reader) bodies(dim int) []*body {
	none := &body{}
	list, byGroup := []*body{none}, map[int]*body{0: none}
	for _, s := range r.elements.order {
		if s.entity.dim != dim {
			continue
		}
		group := s.physical
		if r.version4 {
			group = r.groups.of(s.entity)
		}
		number := max(group, -group)
		at := byGroup[number]
		if at == nil {
			at = &body{group: number}
			byGroup[number] = at
			list = append(list, at)
		}
		at.sets = append(at.sets, s)
		at.reversed = append(at.reversed, group < 0)
	}
	if len(none.sets) == 0 {
		list = list[1:]
	}
	return list
}

// addCells appends the outer surface of the cells of a body.
func (r *reader) addCells(cells *skin.Skin, one *body) error {
	for _, s := range one.sets {
		n := s.kind.corners
		for k := 0; k < len(s.corners); k += n {
			if err := cells.AddCell(s.kind.cell, s.corners[k:k+n]); err != nil {
				return err
			}
			if err := r.src.Check(k / n); err != nil {
				return err
			}
		}
		r.free(s)
	}
	return cells.Flush()
}

// addSurface appends the surface elements of a body.
func (r *reader) addSurface(one *body) error {
	for j, s := range one.sets {
		n := s.kind.corners
		for k := 0; k < len(s.corners); k += n {
			face := s.corners[k : k+n]
			if one.reversed[j] {
				slices.Reverse(face)
			}
			if err := r.b.AddPolygon(face); err != nil {
				return err
			}
			if err := r.src.Check(k / n); err != nil {
				return err
			}
		}
		r.free(s)
	}
	return nil
}

// free releases the corners of a set.
func (r *reader) free(s *set) {
	r.b.Budget.Release(4 * int64(cap(s.corners)))
	s.corners = nil
}

// dropRepeated removes elements that MSH 2.2 stores again because their entity is in several physical
// groups. Such an element has the same entity, type and corners, but another group. dropRepeated
// returns the number of removed elements.
func (r *reader) dropRepeated(bodies []*body) (int, error) {
	type place struct {
		entity tag
		kind   int
	}
	times := map[place]int{}
	for _, one := range bodies {
		for _, s := range one.sets {
			times[place{s.entity, s.setKey.kind}]++
		}
	}
	seen := map[place]map[[8]int32]bool{}
	repeated := 0
	for _, one := range bodies {
		for _, s := range one.sets {
			at := place{s.entity, s.setKey.kind}
			if times[at] == 1 {
				continue
			}
			earlier := seen[at]
			own := map[[8]int32]bool{}
			n, kept := s.kind.corners, s.corners[:0]
			for k := 0; k < len(s.corners); k += n {
				key := cornerKey(s.corners[k : k+n])
				if earlier[key] {
					repeated++
					continue
				}
				kept = append(kept, s.corners[k:k+n]...)
				if err := r.b.Budget.Reserve(repeatBytes); err != nil {
					return 0, err
				}
				own[key] = true
				if err := r.src.Check(k / n); err != nil {
					return 0, err
				}
			}
			s.corners = kept
			if earlier == nil {
				seen[at] = own
				continue
			}
			for key := range own {
				earlier[key] = true
			}
		}
	}
	return repeated, nil
}

// repeatBytes bounds the memory of an element in dropRepeated, which is in two maps at most.
const repeatBytes = 192

// cornerKey returns the sorted corners of an element.
func cornerKey(corners []int32) (key [8]int32) {
	n := copy(key[:], corners)
	slices.Sort(key[:n])
	for k := n; k < len(key); k++ {
		key[k] = -1
	}
	return key
}

// note adds notes about what was ignored or interpreted.
func (r *reader) note(dim int, counts [4]int, solids, repeated int) {
	r.b.NoteCount("ignored %d point elements", r.elements.ignored[0])
	r.b.NoteCount("ignored %d curve elements", r.elements.ignored[1])
	if dim == 3 {
		r.b.NoteCount("ignored %d surface elements: the outer surface of the volume elements was read", counts[2])
		if solids > 1 {
			r.b.Note("each physical volume is a closed body: faces between two of them are in both")
		}
	}
	r.b.NoteCount("number of elements of higher order that were read as flat elements with the same corners: %d", r.elements.curved)
	r.b.NoteCount("number of entities in several physical groups, of which the first counts: %d", r.groups.several)
	r.b.NoteCount("number of ignored elements that are stored again for another physical group: %d", repeated)
}
