package skin

import (
	"cmp"
	"slices"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// shell is the surface of one polyhedron.
type shell struct {
	corners []int32 // corners of all faces
	ends    []int32 // end of each face in corners
	edges   []edge
	turned  []int8  // 1 if the face is reversed, 0 if not, unknown if not yet decided
	queue   []int32 // faces whose neighbors are not decided yet
	first   []int32 // first of the edges of each face in byFace; has one more element
	byFace  []int32 // indices into edges
}

// edge is an edge of a face. The lower vertex comes first.
type edge struct {
	low, high int32
	face      int32
	down      bool // the face runs from high to low
}

const (
	unknown   = -1
	edgeBytes = 16
)

// AddPolyhedron adds a cell with arbitrary faces. The sizes are the numbers of corners of the faces, and
// corners lists the corners of all faces. The faces can have any orientations. If they do not agree,
// AddPolyhedron reverses faces, so that neighbor faces agree.
//
// Errors: ErrSyntax if the faces do not enclose a volume, or if more than two faces share an edge and
// the faces do not agree; ErrIndexRange; ErrTooLarge. The errors have no place in the file.
func (s *Skin) AddPolyhedron(sizes, corners []int32) error {
	if err := s.check(corners); err != nil {
		return err
	}
	p := &s.shell
	if err := p.set(s.b.Budget, sizes, corners); err != nil {
		return err
	}
	if len(p.ends) == 0 {
		s.orient(polyhedron, 0)
		return nil
	}
	slices.SortFunc(p.edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high), cmp.Compare(a.face, b.face))
	})
	if !p.closed() {
		if err := p.agree(s.b.Budget); err != nil {
			return err
		}
	}
	v := s.volume(p.corners)
	for f := range p.ends {
		v.add(p.face(f))
	}
	sign := s.orient(polyhedron, v.sign())
	for f := range p.ends {
		if err := s.addFace(p.face(f), sign); err != nil {
			return err
		}
	}
	return nil
}

// set copies the faces, without repeated corners, and lists their edges.
func (p *shell) set(budget *soup.Budget, sizes, corners []int32) error {
	p.corners, p.ends, p.edges = p.corners[:0], p.ends[:0], p.edges[:0]
	err := cmp.Or(soup.Grow(budget, &p.corners, len(corners), 4), soup.Grow(budget, &p.ends, len(sizes), 4),
		soup.Grow(budget, &p.edges, len(corners), edgeBytes))
	if err != nil {
		return err
	}
	for _, n := range sizes {
		from := len(p.corners)
		p.corners = append(p.corners, corners[:n]...)
		corners = corners[n:]
		face := reduce(p.corners[from:])
		p.corners = append(p.corners[:from], face...)
		if len(face) < 3 {
			continue
		}
		last := face[len(face)-1]
		for _, c := range face {
			p.edges = append(p.edges, edge{min(last, c), max(last, c), int32(len(p.ends)), last > c})
			last = c
		}
		p.ends = append(p.ends, int32(len(p.corners)))
	}
	return nil
}

// face returns the corners of a face.
func (p *shell) face(f int) []int32 {
	from := int32(0)
	if f > 0 {
		from = p.ends[f-1]
	}
	return p.corners[from:p.ends[f]]
}

// run returns the end of the run of edges that have the same two vertices as edge i. The edges must be
// sorted.
func (p *shell) run(i int) int {
	j := i + 1
	for j < len(p.edges) && p.edges[j].low == p.edges[i].low && p.edges[j].high == p.edges[i].high {
		j++
	}
	return j
}

// closed reports whether the numbers of faces in the two directions are equal at each edge.
func (p *shell) closed() bool {
	for i := 0; i < len(p.edges); {
		end, sum := p.run(i), 0
		for ; i < end; i++ {
			if p.edges[i].down {
				sum--
			} else {
				sum++
			}
		}
		if sum != 0 {
			return false
		}
	}
	return true
}

// agree reverses faces so that the faces at each edge have opposite directions.
func (p *shell) agree(budget *soup.Budget) error {
	for i := 0; i < len(p.edges); {
		end := p.run(i)
		if end-i != 2 {
			return soup.Reason(soup.ErrSyntax, "the faces of a polyhedron do not agree: the edge of vertices %d and %d belongs to %d faces, must belong to two", p.edges[i].low, p.edges[i].high, end-i)
		}
		i = end
	}
	faces := len(p.ends)
	p.turned, p.queue, p.first, p.byFace = p.turned[:0], p.queue[:0], p.first[:0], p.byFace[:0]
	err := cmp.Or(soup.Grow(budget, &p.turned, faces, 1), soup.Grow(budget, &p.queue, faces, 4),
		soup.Grow(budget, &p.first, faces+1, 4), soup.Grow(budget, &p.byFace, len(p.edges), 4))
	if err != nil {
		return err
	}
	p.listEdges()
	shells := 0
	for f := range faces {
		if p.turned[f] != unknown {
			continue
		}
		if shells++; shells > 1 {
			return soup.Reason(soup.ErrSyntax, "the faces of a polyhedron do not agree, and they are not connected")
		}
		p.turned[f] = 0
		p.queue = append(p.queue[:0], int32(f))
		for head := 0; head < len(p.queue); head++ {
			if err := p.visit(p.queue[head]); err != nil {
				return err
			}
		}
	}
	for f := range faces {
		if p.turned[f] == 1 {
			reverse(p.face(f))
		}
	}
	return nil
}

// listEdges fills first and byFace, and makes turned unknown for all faces.
func (p *shell) listEdges() {
	from := int32(0)
	for _, end := range p.ends {
		p.first = append(p.first, from)
		from = end // a face has as many edges as corners
		p.turned = append(p.turned, unknown)
	}
	p.byFace = p.byFace[:len(p.edges)]
	for i := range p.edges {
		f := p.edges[i].face
		p.byFace[p.first[f]] = int32(i)
		p.first[f]++
	}
}

// visit decides the direction of the neighbors of a face.
func (p *shell) visit(f int32) error {
	from := int32(0)
	if f > 0 {
		from = p.first[f-1] // after listEdges, first[f−1] is the end of the edges of face f−1
	}
	for _, i := range p.byFace[from:p.first[f]] {
		e, other := p.edges[i], p.edges[i^1] // each edge has two entries, which follow each other
		want := p.turned[f]
		if e.down == other.down {
			want = 1 - want
		}
		switch p.turned[other.face] {
		case unknown:
			p.turned[other.face] = want
			p.queue = append(p.queue, other.face)
		case want:
		default:
			return soup.Reason(soup.ErrSyntax, "the faces of a polyhedron cannot agree: it is a surface with one side")
		}
	}
	return nil
}
