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
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/bvh"
)

// Solids is an assembly and how messages and columns speak of it.
type Solids struct {
	*assembly.Assembly
	Name    string // for messages
	Several bool   // files or bodies were asked for: columns and warnings name the solids
}

// Open opens the meshes of paths. bodies asks for a solid for each body if there is
// one file; several files are one solid each.
func Open(ctx context.Context, paths []string, bodies bool, opt inpoly.Options) (*Solids, error) {
	s := &Solids{Name: strings.Join(paths, ", "), Several: bodies || len(paths) > 1}
	var err error
	s.Assembly, err = assembly.Open(ctx, paths, assembly.Options{Options: opt, SplitBodies: bodies && len(paths) == 1})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Read is Open for a stream.
func Read(ctx context.Context, name string, r io.Reader, opt inpoly.Options) (*Solids, error) {
	a, err := assembly.Read(ctx, name, r, assembly.Options{Options: opt})
	if err != nil {
		return nil, err
	}
	return &Solids{Assembly: a, Name: name}, nil
}

// Warnings returns the warnings of the meshes, which name the solids if there may be
// several.
func (s *Solids) Warnings() []string {
	r := s.Report()
	if s.Several {
		return r.Warnings()
	}
	return r.Solids[0].Warnings()
}

// Box returns the box around all meshes.
func (s *Solids) Box() bvh.Box {
	box := bvh.EmptyBox()
	for _, r := range s.Report().Solids {
		if b := r.Diagnosis.Box; !b.Empty() {
			box = box.Add(b.Min).Add(b.Max)
		}
	}
	return box
}

// Triangles counts the triangles of all meshes.
func (s *Solids) Triangles() (n int) {
	for _, r := range s.Report().Solids {
		n += r.Diagnosis.Triangles
	}
	return n
}

// BoundaryEdges counts the boundary edges of all meshes.
func (s *Solids) BoundaryEdges() (n int) {
	for _, r := range s.Report().Solids {
		n += r.Diagnosis.BoundaryEdges
	}
	return n
}

// Method returns the method that answers and why; of several solids how many have each.
func (s *Solids) Method() (name, reason string) {
	reports := s.Report().Solids
	if !s.Several {
		return reports[0].Method.String(), reports[0].MethodReason
	}
	counts := map[string]int{}
	var order []string
	for _, r := range reports {
		m := r.Method.String()
		if counts[m]++; counts[m] == 1 {
			order = append(order, m)
		}
	}
	if len(order) == 1 {
		return order[0], fmt.Sprintf("for %d solids", s.Len())
	}
	var parts []string
	for _, m := range order {
		parts = append(parts, fmt.Sprintf("%s for %d", m, counts[m]))
	}
	return "several", strings.Join(parts, ", ")
}

// Rule returns the rule of the solids.
func (s *Solids) Rule() inpoly.Rule {
	for _, r := range s.Report().Solids {
		return r.Rule
	}
	return inpoly.NonZero
}

// Unsure is the word for a solid that is not known, and between the word between names
// of several.
const (
	Unsure  = "uncertain"
	between = "|"
)

// Names are those of several solids, told apart from the words above.
func (s *Solids) Names() []string {
	names := make([]string, s.Len())
	taken := map[string]bool{Unsure: true}
	for i := range names {
		base := strings.ReplaceAll(s.Assembly.Name(i), between, "/")
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
	if s.Several {
		for _, name := range s.Names() {
			fmt.Fprintf(b, "%q\n", name)
		}
	}
	for k := range s.Len() {
		m := s.Solid(k).Mesh()
		number(uint64(len(m.Vertices)))
		number(uint64(len(m.Faces)))
		for _, v := range m.Vertices {
			number(math.Float64bits(v.X))
			number(math.Float64bits(v.Y))
			number(math.Float64bits(v.Z))
		}
		for i, face := range m.Faces {
			if s.Several {
				number(uint64(s.FileFace(k, int32(i))))
			}
			for _, v := range face {
				number(uint64(v))
			}
		}
	}
}

// Closed reports whether all meshes are closed.
func (s *Solids) Closed() bool {
	for k := range s.Len() {
		if !s.Solid(k).Mesh().Closed() {
			return false
		}
	}
	return true
}
