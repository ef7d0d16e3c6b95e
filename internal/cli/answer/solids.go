package answer

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
)

// Solids is an assembly and its name in messages.
type Solids struct {
	*assembly.Assembly
	Name    string // the names of all files
	Several bool   // true for several files or --body, where columns and warnings name the solids
}

// Open opens the meshes at paths. If there are several files, each file is one solid. If
// splitBodies is set, each body of a single file is a solid.
func Open(ctx context.Context, paths []string, splitBodies bool, opt inpoly.Options) (*Solids, error) {
	s := &Solids{Name: strings.Join(paths, ", "), Several: splitBodies || len(paths) > 1}
	var err error
	s.Assembly, err = assembly.Open(ctx, paths, assembly.Options{Options: opt, SplitBodies: splitBodies && len(paths) == 1})
	if err != nil {
		return nil, err
	}
	s.Several = s.Several || s.Len() > 1 // a file with negative parts becomes several solids
	return s, nil
}

// Read reads one solid from r. Messages contain the given name.
func Read(ctx context.Context, name string, r io.Reader, opt inpoly.Options) (*Solids, error) {
	a, err := assembly.Read(ctx, name, r, assembly.Options{Options: opt})
	if err != nil {
		return nil, err
	}
	return &Solids{Assembly: a, Name: name, Several: a.Len() > 1}, nil
}

// RefuseNegative returns an error that wraps inpoly.ErrNegative if the solids have negative parts.
func (s *Solids) RefuseNegative() error {
	if err := s.CheckNegative(); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	return nil
}

// checkSolid returns an error that wraps inpoly.ErrNegative and names a flag if the solids have negative
// parts.
func (s *Solids) checkSolid(flag string) error {
	if err := s.CheckNegative(); err != nil {
		return fmt.Errorf("%s: %s: %w", s.Name, flag, err)
	}
	return nil
}

// Warnings returns the warnings of the meshes. Each warning begins with the name of the solid if
// s.Several is set, otherwise with s.Name. The list is not nil.
func (s *Solids) Warnings() []string {
	r := s.Report()
	if s.Several {
		return append([]string{}, r.Warnings()...)
	}
	list := []string{}
	for _, w := range r.Solids[0].Warnings() {
		list = append(list, s.Name+": "+w)
	}
	return list
}

// Box returns the box around all solids without negative parts, at their poses.
func (s *Solids) Box() bvh.Box {
	box := bvh.EmptyBox()
	for i, r := range s.Report().Solids {
		b := r.Diagnosis.Box
		if at := s.Posed(i); at != nil {
			b = at.Box()
		}
		if !b.Empty() && !s.Negative(i) {
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

// Method returns the name of the chosen method and the reason. For several solids, the reason is
// the number of solids for each method.
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
		return order[0], "for " + plural.Count(int64(s.Len()), "solid")
	}
	var parts []string
	for _, m := range order {
		parts = append(parts, fmt.Sprintf("%s for %d", m, counts[m]))
	}
	return "several", strings.Join(parts, ", ")
}

// Rule returns the rule of the solids. The rules differ if a solid without a consistent orientation
// has the rule evenodd; Rule then returns all names, in the order of the solids.
func (s *Solids) Rule() string {
	var names []string
	for _, r := range s.Report().Solids {
		if name := r.Rule.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " and ")
}

// Turned returns the numbers of faces and components that --orient has turned over in all meshes, and
// a text for the summary, which is empty if no face was turned over.
func Turned(reports ...inpoly.Report) (faces, components int, text string) {
	var sum inpoly.Orientation
	for _, r := range reports {
		if r.Orientation != nil {
			sum.Faces += r.Orientation.Faces
			sum.Components += r.Orientation.Components
		}
	}
	if sum.Faces > 0 {
		text = fmt.Sprintf(" (turned %s)", sum.Changes())
	}
	return sum.Faces, sum.Components, text
}

const (
	// UncertainName is written if the solid or the state of a point could not be decided.
	UncertainName = "uncertain"
	// NameSeparator separates the names of several solids.
	NameSeparator = "|"
)

// Names returns the names of the solids. The names are distinct, differ from UncertainName and do
// not contain NameSeparator.
func (s *Solids) Names() []string {
	names := make([]string, s.Len())
	taken := map[string]bool{UncertainName: true}
	for i := range names {
		base := strings.ReplaceAll(s.Assembly.Name(i), NameSeparator, "/")
		name := base
		for k := 2; taken[name]; k++ {
			name = fmt.Sprintf("%s_%d", base, k)
		}
		taken[name] = true
		names[i] = name
	}
	return names
}

// RefuseDefects returns an error that names the solids with defects. It ends with the given outcome,
// such as "no output was written". At least one solid must have defects.
func (s *Solids) RefuseDefects(outcome string) error {
	if !s.Several {
		return term.Strictf("%s has defects: %s", s.Name, outcome)
	}
	const most = 5 // fits into two lines of a terminal for usual names
	var names []string
	r := s.Report()
	for i, report := range r.Solids {
		if report.Defects() {
			names = append(names, r.Names[i])
		}
	}
	verb := "have"
	if len(names) == 1 {
		verb = "has"
	}
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	return term.Strictf("%s %s defects: %s", term.Join(names, "and"), verb, outcome)
}

// Hash writes the vertices and faces of all solids to the hash w. It also writes the names and face
// numbers that results can contain.
func (s *Solids) Hash(w io.Writer) { // the writer of a hash returns no error
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
