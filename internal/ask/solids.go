package ask

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
)

// Solids is what points are asked against: one mesh, or several solids that are
// files or the bodies of one file.
type Solids struct {
	One  *inpoly.Solid    // nil if there are several
	Many *inpoly.Assembly // nil if there is one
	Name string           // for messages
}

// Open opens the meshes of paths. bodies asks for a solid for each body where there is
// one file; several files are one solid each.
func Open(ctx context.Context, paths []string, bodies bool, opt inpoly.Options) (*Solids, error) {
	s := &Solids{Name: strings.Join(paths, ", ")}
	var err error
	switch {
	case len(paths) > 1:
		s.Many, err = inpoly.OpenAssembly(ctx, paths, opt)
	case bodies:
		s.Many, err = inpoly.OpenBodies(ctx, paths, opt)
	default:
		s.One, err = inpoly.Open(ctx, paths[0], opt)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Each calls f for every solid.
func (s *Solids) Each(f func(solid *inpoly.Solid)) {
	if s.One != nil {
		f(s.One)
		return
	}
	for i := range s.Many.Len() {
		f(s.Many.Solid(i))
	}
}

// Defects reports whether any mesh has one.
func (s *Solids) Defects() bool {
	if s.Many != nil {
		return s.Many.Report().Defects()
	}
	return s.One.Report().Defects()
}

// Box returns the box around all meshes.
func (s *Solids) Box() bvh.Box {
	box := bvh.EmptyBox()
	s.Each(func(solid *inpoly.Solid) {
		if b := solid.Report().Diagnosis.Box; !b.Empty() {
			box = box.Add(b.Min).Add(b.Max)
		}
	})
	return box
}

// Triangles and BoundaryEdges count those of all meshes.
func (s *Solids) Triangles() (n int) {
	s.Each(func(solid *inpoly.Solid) { n += solid.Report().Diagnosis.Triangles })
	return n
}

func (s *Solids) BoundaryEdges() (n int) {
	s.Each(func(solid *inpoly.Solid) { n += solid.Report().Diagnosis.BoundaryEdges })
	return n
}

// Len returns the number of solids.
func (s *Solids) Len() int {
	if s.One != nil {
		return 1
	}
	return s.Many.Len()
}

// Method returns the method that answers and why; of several solids how many have each.
func (s *Solids) Method() (name, reason string) {
	if s.One != nil {
		m, reason := s.One.Method()
		return m.String(), reason
	}
	counts := map[string]int{}
	var order []string
	s.Each(func(solid *inpoly.Solid) {
		m, _ := solid.Method()
		if counts[m.String()]++; counts[m.String()] == 1 {
			order = append(order, m.String())
		}
	})
	if len(order) == 1 {
		return order[0], fmt.Sprintf("for %d solids", s.Len())
	}
	var parts []string
	for _, m := range order {
		parts = append(parts, fmt.Sprintf("%s for %d", m, counts[m]))
	}
	return "several", strings.Join(parts, ", ")
}

// Timings returns how long building took.
func (s *Solids) Timings() inpoly.Timings {
	if s.One != nil {
		return s.One.Timings()
	}
	return s.Many.Timings()
}

// Rule returns the rule of the solids.
func (s *Solids) Rule() inpoly.Rule {
	if s.One != nil {
		return s.One.Report().Rule
	}
	rule := inpoly.NonZero
	s.Each(func(solid *inpoly.Solid) { rule = solid.Report().Rule })
	return rule
}

// Unsure is the word for a solid that is not known, and between the word between names
// of several.
const (
	Unsure  = "uncertain"
	between = "|"
)

// Names are those of several solids, told apart from the words above.
func (s *Solids) Names() []string {
	names := make([]string, s.Many.Len())
	taken := map[string]bool{Unsure: true}
	for i := range names {
		base := strings.ReplaceAll(s.Many.Name(i), between, "/")
		name := base
		for k := 2; taken[name]; k++ {
			name = fmt.Sprintf("%s_%d", base, k)
		}
		taken[name] = true
		names[i] = name
	}
	return names
}

// Hash writes what the solids are, with the names and the numbers of faces that answers
// may have.
func (s *Solids) Hash(w io.Writer) {
	// What is written is hashed: no error can occur.
	b := bufio.NewWriter(w)
	defer b.Flush()
	number := func(n uint64) { b.Write(binary.LittleEndian.AppendUint64(b.AvailableBuffer(), n)) }
	if s.Many != nil {
		for _, name := range s.Names() {
			fmt.Fprintf(b, "%q\n", name)
		}
	}
	k := 0
	s.Each(func(solid *inpoly.Solid) {
		m := solid.Mesh()
		number(uint64(len(m.Vertices)))
		number(uint64(len(m.Faces)))
		for _, v := range m.Vertices {
			number(math.Float64bits(v.X))
			number(math.Float64bits(v.Y))
			number(math.Float64bits(v.Z))
		}
		for i, face := range m.Faces {
			if s.Many != nil {
				number(uint64(s.Many.FileFace(k, int32(i))))
			}
			for _, v := range face {
				number(uint64(v))
			}
		}
		k++
	})
}

// Closed reports whether all meshes are.
func (s *Solids) Closed() bool {
	closed := true
	s.Each(func(solid *inpoly.Solid) { closed = closed && solid.Mesh().Closed() })
	return closed
}
