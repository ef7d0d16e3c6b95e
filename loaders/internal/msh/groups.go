package msh

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// tag identifies an entity or a physical group by its dimension and its number in this dimension.
type tag struct{ dim, number int }

// anyDim is the dimension of a physical group whose name has none, as in MSH 2.0.
const anyDim = -1

// entryBytes bounds the memory of an entry of a map of groups, without the text of a name.
const entryBytes = 128

// groups holds the names of the physical groups, and the groups of the entities of MSH 4.1.
type groups struct {
	names    map[tag]string
	physical map[tag]int // first physical group of each entity that has one
	parent   map[tag]tag // parent of each partitioned entity
	several  int         // number of entities with more than one group
}

// of returns the physical group of an entity, or 0. A negative number means that the group contains
// the elements of the entity in reverse orientation.
func (g *groups) of(entity tag) int {
	if number, ok := g.physical[entity]; ok {
		return number
	}
	if parent, ok := g.parent[entity]; ok && parent.dim == entity.dim {
		return g.physical[parent]
	}
	return 0
}

// name returns the name of a physical group.
func (g *groups) name(group tag) string {
	return cmp.Or(g.names[group], g.names[tag{anyDim, group.number}], fmt.Sprintf("physical %d", group.number))
}

// physicalNames reads the section $PhysicalNames, which is text in all files.
func (r *reader) physicalNames() error {
	text := cursor{data: r.data, i: r.i}
	n, err := text.count("the number of physical names", true, 1)
	if err != nil {
		return err
	}
	r.groups.names = map[tag]string{}
	for k := range n {
		dim, err := text.integer("the dimension of a physical group")
		if err != nil {
			return err
		}
		group := tag{anyDim, dim}
		if i := scan.SkipBlank(text.data, text.i); i == len(text.data) || text.data[i] != '"' {
			number, err := text.integer("the number of a physical group")
			if err != nil {
				return err
			}
			group = tag{dim, number}
		}
		end := scan.LineEnd(text.data, text.i)
		line := bytes.TrimSpace(text.data[text.i:end])
		last := bytes.LastIndexByte(line, '"') // other words can follow the name
		if last < 1 || line[0] != '"' {
			return text.fail(text.i, soup.ErrSyntax, "the name of a physical group must be in quotes")
		}
		if err := text.placed(text.i, r.b.Budget.Reserve(entryBytes+int64(len(line))), "physical group %d", group.number); err != nil {
			return err
		}
		r.groups.names[group] = string(line[1:last])
		text.i = end
		if err := r.src.Check(k); err != nil {
			return err
		}
	}
	r.i = text.i
	return r.end("PhysicalNames")
}

// entities reads the section $Entities of MSH 4.1.
func (r *reader) entities() error {
	if !r.version4 {
		return r.skipSection("Entities")
	}
	counts, err := r.entityCounts()
	if err != nil {
		return err
	}
	for dim, n := range counts {
		for k := range n {
			number, err := r.integer("the tag of an entity")
			if err != nil {
				return err
			}
			if err := r.entity(tag{dim, number}, k); err != nil {
				return err
			}
		}
	}
	return r.end("Entities")
}

// partitionedEntities reads the section $PartitionedEntities of MSH 4.1.
func (r *reader) partitionedEntities() error {
	if !r.version4 {
		return r.skipSection("PartitionedEntities")
	}
	if _, err := r.size("the number of partitions"); err != nil {
		return err
	}
	ghosts, err := r.count("the number of ghost entities", true, 8)
	if err != nil {
		return err
	}
	if err := r.skip(2*ghosts, 4, "a ghost entity"); err != nil {
		return err
	}
	counts, err := r.entityCounts()
	if err != nil {
		return err
	}
	if r.groups.parent == nil {
		r.groups.parent = map[tag]tag{}
	}
	for dim, n := range counts {
		for k := range n {
			var head [3]int // tag, dimension of the parent, tag of the parent
			for j := range head {
				if head[j], err = r.integer("the tag of a partitioned entity"); err != nil {
					return err
				}
			}
			at := r.i
			partitions, err := r.count("the number of partitions of an entity", true, 4)
			if err != nil {
				return err
			}
			if err := r.skip(partitions, 4, "the number of a partition"); err != nil {
				return err
			}
			if err := r.placed(at, r.b.Budget.Reserve(entryBytes), "entity %d", head[0]); err != nil {
				return err
			}
			r.groups.parent[tag{dim, head[0]}] = tag{head[1], head[2]}
			if err := r.entity(tag{dim, head[0]}, k); err != nil {
				return err
			}
		}
	}
	return r.end("PartitionedEntities")
}

// entityCounts reads the numbers of points, curves, surfaces and volumes.
func (r *reader) entityCounts() (counts [4]int, err error) {
	for dim := range counts {
		if counts[dim], err = r.count("the number of entities", true, 4); err != nil {
			return counts, err
		}
	}
	return counts, nil
}

// entity reads the description of entity number k of its dimension after its tag: the box, the
// physical groups, and the entities on its boundary.
func (r *reader) entity(e tag, k int) error {
	box := 6
	if e.dim == 0 {
		box = 3
	}
	if err := r.skip(box, 8, "the box of an entity"); err != nil {
		return err
	}
	n, err := r.count("the number of physical groups of an entity", true, 4)
	if err != nil {
		return err
	}
	if n > 1 {
		r.groups.several++
	}
	if r.groups.physical == nil {
		r.groups.physical = map[tag]int{}
	}
	for j := range n {
		number, err := r.integer("the number of a physical group")
		if err != nil {
			return err
		}
		if j > 0 || number == 0 {
			continue
		}
		if err := r.placed(r.i, r.b.Budget.Reserve(entryBytes), "entity %d", e.number); err != nil {
			return err
		}
		r.groups.physical[e] = number
	}
	if e.dim > 0 {
		n, err := r.count("the number of entities on a boundary", true, 4)
		if err != nil {
			return err
		}
		if err := r.skip(n, 4, "an entity on a boundary"); err != nil {
			return err
		}
	}
	return r.src.Check(k)
}
