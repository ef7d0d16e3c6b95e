package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/loaders"
)

// solids is what points are asked against: one mesh, or several solids that are
// files or the bodies of one file.
type solids struct {
	one  *inpoly.Solid
	many *inpoly.Assembly
	name string // for messages
}

// openSolids opens the meshes of paths. bodies asks for a solid for each body where
// there is one file; several files are one solid each.
func (a *app) openSolids(ctx context.Context, paths []string, bodies bool, opt inpoly.Options) (*solids, error) {
	s := &solids{name: inputName(paths[0])}
	var err error
	switch {
	case len(paths) > 1:
		s.name = strings.Join(paths, ", ")
		s.many, err = inpoly.OpenAssembly(ctx, paths, opt)
	case bodies && paths[0] == "-":
		return nil, usageError{errors.New("--body wants the mesh in a file, not on standard input")}
	case bodies:
		s.many, err = inpoly.OpenBodies(ctx, paths, opt)
	case paths[0] == "-":
		s.one, err = inpoly.OpenReader(ctx, stdinName, a.in, opt)
	default:
		s.one, err = inpoly.Open(ctx, paths[0], opt)
	}
	if errors.Is(err, loaders.ErrUnknownFormat) && hasSuffix(paths[0], pointSuffixes) {
		err = hinted{err, "the order is: inpoly mesh points"}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// each calls f for every solid.
func (s *solids) each(f func(solid *inpoly.Solid)) {
	if s.one != nil {
		f(s.one)
		return
	}
	for i := range s.many.Len() {
		f(s.many.Solid(i))
	}
}

// defects reports whether any mesh has one.
func (s *solids) defects() bool {
	if s.many != nil {
		return s.many.Report().Defects()
	}
	return s.one.Report().Defects()
}

// box returns the box around all meshes.
func (s *solids) box() bvh.Box {
	box := bvh.EmptyBox()
	s.each(func(solid *inpoly.Solid) {
		if b := solid.Report().Diagnosis.Box; !b.Empty() {
			box = box.Add(b.Min).Add(b.Max)
		}
	})
	return box
}

// triangles and boundaryEdges count those of all meshes.
func (s *solids) triangles() (n int) {
	s.each(func(solid *inpoly.Solid) { n += solid.Report().Diagnosis.Triangles })
	return n
}

func (s *solids) boundaryEdges() (n int) {
	s.each(func(solid *inpoly.Solid) { n += solid.Report().Diagnosis.BoundaryEdges })
	return n
}

// len returns the number of solids.
func (s *solids) len() int {
	if s.one != nil {
		return 1
	}
	return s.many.Len()
}

// method returns the method that answers and why; of several solids how many have each.
func (s *solids) method() (name, reason string) {
	if s.one != nil {
		m, reason := s.one.Method()
		return m.String(), reason
	}
	counts := map[string]int{}
	var order []string
	s.each(func(solid *inpoly.Solid) {
		m, _ := solid.Method()
		if counts[m.String()]++; counts[m.String()] == 1 {
			order = append(order, m.String())
		}
	})
	if len(order) == 1 {
		return order[0], fmt.Sprintf("for %s", count(int64(s.len()), "solid"))
	}
	var parts []string
	for _, m := range order {
		parts = append(parts, fmt.Sprintf("%s for %d", m, counts[m]))
	}
	return "several", strings.Join(parts, ", ")
}

// timings returns how long building took.
func (s *solids) timings() inpoly.Timings {
	if s.one != nil {
		return s.one.Timings()
	}
	return s.many.Timings()
}

// rule returns the rule of the solids.
func (s *solids) rule() inpoly.Rule {
	if s.one != nil {
		return s.one.Report().Rule
	}
	rule := inpoly.NonZero
	s.each(func(solid *inpoly.Solid) { rule = solid.Report().Rule })
	return rule
}

// unsure is the word for a solid that is not known, and between the word between names
// of several.
const (
	unsure  = "uncertain"
	between = "|"
)

// names are those of several solids, told apart from the words above.
func (s *solids) names() []string {
	names := make([]string, s.many.Len())
	taken := map[string]bool{unsure: true}
	for i := range names {
		base := strings.ReplaceAll(s.many.Name(i), between, "/")
		name := base
		for k := 2; taken[name]; k++ {
			name = fmt.Sprintf("%s_%d", base, k)
		}
		taken[name] = true
		names[i] = name
	}
	return names
}
