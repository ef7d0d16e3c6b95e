package skin

import (
	"hash/maphash"

	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Skin collects cells. It is not safe for concurrent use.
type Skin struct {
	b       *soup.Builder
	faces   faces
	signs   counter
	cycle   []int32            // scratch
	last    [numKinds + 1]int8 // orientation of the previous cell of each kind; the last kind is polyhedra
	shell   shell              // scratch of AddPolyhedron
	cells   int
	inside  int // number of reversed cells
	flat    int // number of cells without volume
	doubled int // number of faces beyond the first with the same corners and orientation
}

// polyhedron is the index of polyhedra in Skin.last.
const polyhedron = numKinds

// New returns a Skin that appends to b.
func New(b *soup.Builder) *Skin {
	s := &Skin{b: b, faces: faces{budget: b.Budget, seed: maphash.MakeSeed(), free: -1}}
	for k := range s.last {
		s.last[k] = 1
	}
	return s
}

// AddCell adds a cell. The number of corners must be kind.Corners(). Errors: ErrIndexRange and
// ErrTooLarge, without a place in the file.
func (s *Skin) AddCell(kind Kind, corners []int32) error {
	if len(corners) != kind.Corners() {
		panic("skin: wrong number of corners")
	}
	if err := s.check(corners); err != nil {
		return err
	}
	sign := s.orient(kind, s.volumeSign(kind, corners))
	for _, face := range shapes[kind].faces {
		s.cycle = s.cycle[:0]
		for _, k := range face {
			s.cycle = append(s.cycle, corners[k])
		}
		if err := s.addFace(s.cycle, sign); err != nil {
			return err
		}
	}
	return nil
}

// CountCells counts n cells for Note. The caller adds their surface to the Builder. reversed means that
// the order of their corners gives them a negative volume.
func (s *Skin) CountCells(n int, reversed bool) {
	s.cells += n
	if reversed {
		s.inside += n
	}
}

// check returns ErrIndexRange if a corner is not a vertex.
func (s *Skin) check(corners []int32) error {
	n := uint32(len(s.b.Vertices))
	for _, c := range corners {
		if uint32(c) >= n {
			return soup.Reason(soup.ErrIndexRange, "a cell refers to vertex %d, counted from 0, but there are %d vertices", c, n)
		}
	}
	return nil
}

// orient counts a cell whose volume has the given sign. It returns the orientation of the cell, which
// is 1 or −1.
func (s *Skin) orient(kind Kind, sign int) int32 {
	s.cells++
	if sign == 0 {
		s.flat++
		sign = int(s.last[kind])
	}
	s.last[kind] = int8(sign)
	if sign < 0 {
		s.inside++
	}
	return int32(sign)
}

// addFace adds a face. The sign −1 reverses it. addFace changes the slice.
func (s *Skin) addFace(cycle []int32, sign int32) error {
	if cycle = reduce(cycle); len(cycle) < 3 {
		return nil
	}
	if canonical(cycle) {
		sign = -sign
	}
	return s.faces.add(cycle, sign)
}

// Flush appends the surface of the cells since the previous Flush to the Builder. Errors: ErrTooLarge
// and the error of the context, without a place in the file.
func (s *Skin) Flush() error {
	err := s.faces.each(func(cycle []int32, net int32) error {
		if net < 0 {
			reverse(cycle)
			net = -net
		}
		s.doubled += int(net) - 1
		for range net {
			if err := s.b.AddPolygon(cycle); err != nil {
				return err
			}
		}
		return nil
	})
	s.faces.reset()
	return err
}

// Note adds notes about all cells to the Builder.
func (s *Skin) Note() {
	if s.cells == 0 {
		return
	}
	s.b.Note("took the outer surface of %d volume cells", s.cells)
	s.b.NoteCount("reversed %d cells, because the order of their corners gives them a negative volume", s.inside)
	s.b.NoteCount("%d cells have no volume", s.flat)
	s.b.NoteCount("%d faces occur again with the same orientation, so cells overlap", s.doubled)
}
