package answer

import (
	"fmt"
	"iter"
	"strings"
	"unicode"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
)

// Numbers of warnings that WarnSolids and OpenPoints leave to later warnings of the same run: the
// warnings about meshes precede the warnings about the results of points.
const (
	reservedForPoints = 3
	reservedForMeshes = 4 + reservedForPoints
)

// Mesh is the name and the report of a mesh in a warning.
type Mesh struct {
	Name   string
	Report inpoly.Report
}

// WarnSolids prints the warnings of all meshes, one line for each kind of warning.
func WarnSolids(t *term.Terminal, s *Solids, files []string) {
	r := s.Report()
	if !s.Several {
		WarnReport(t, s.Name, r.Solids[0])
		return
	}
	var meshes []Mesh
	for i, report := range r.Solids {
		meshes = append(meshes, Mesh{r.Names[i], report})
	}
	WarnMeshes(t, meshes, files)
}

// WarnMeshes prints the warnings of meshes, one line for each kind of warning. If there is one file,
// the meshes are its bodies.
func WarnMeshes(t *term.Terminal, meshes []Mesh, files []string) {
	noun, file, where := "mesh", "FILE", "inpoly check FILE describes each of them"
	if len(files) == 1 {
		noun, file = "body", files[0]
		where = "inpoly check " + file + " lists them"
	}
	var lines []string
	warnings := func(yield func(string, inpoly.Warning) bool) {
		for _, m := range meshes {
			for _, w := range m.Report.WarningList() {
				if !yield(m.Name, w) {
					return
				}
			}
		}
	}
	for _, g := range GroupWarnings(warnings) {
		lines = append(lines, g.line(files, noun, len(meshes), where))
	}
	t.WarnList(lines, reservedForPoints, "inpoly check "+file+" lists them")
}

// WarnReport prints the warnings of the mesh at path, and the changes of --orient=always. The
// warnings have the changes of --orient=auto.
func WarnReport(t *term.Terminal, path string, r inpoly.Report) {
	name := term.InputName(path)
	if o := r.Orientation; o != nil && r.Orient == inpoly.OrientAlways {
		if text := changes(o); text != "" {
			t.Note("%s: %s", name, text)
		}
	}
	var lines []string
	for _, w := range r.Warnings() {
		lines = append(lines, name+": "+w)
	}
	t.WarnList(lines, reservedForPoints, "inpoly check "+path+" lists them")
}

// changes describes the changes of --orient=always, or returns "" if there are none.
func changes(o *inpoly.Orientation) string {
	var turned, parts []string
	if o.Inconsistent > 0 {
		turned = append(turned, plural.Count(int64(o.Inconsistent), "face")+" to agree with adjacent faces")
	}
	if o.Turned > 0 {
		turned = append(turned, fmt.Sprintf("%d of %s as a whole", o.Turned, plural.Count(int64(o.Shells), "shell")))
	}
	if len(turned) > 0 {
		parts = append(parts, "turned over "+strings.Join(turned, ", and "))
	}
	if o.NonOrientable > 0 {
		parts = append(parts, plural.Count(int64(o.NonOrientable), "part")+" of the surface cannot be oriented")
	}
	return strings.Join(parts, "; ")
}

// WarningGroup is the warnings of one kind.
type WarningGroup struct {
	Kind  inpoly.WarningKind
	Text  string   // text of the first warning
	Names []string // names of the meshes that have the warning
	same  bool     // all warnings have the same text
}

// GroupWarnings groups warnings with the names of their meshes by kind. The warnings of a mesh must be
// consecutive. The most important kinds come first. Notes of readers that differ only in numbers are
// one kind.
func GroupWarnings(warnings iter.Seq2[string, inpoly.Warning]) []*WarningGroup {
	groups := map[string]*WarningGroup{}
	byKind := map[inpoly.WarningKind][]*WarningGroup{}
	for name, w := range warnings {
		key := string(w.Kind)
		if w.Kind == inpoly.WarnNote {
			key += withoutNumbers(w.Text)
		}
		g := groups[key]
		if g == nil {
			g = &WarningGroup{Kind: w.Kind, Text: w.Text, same: true}
			groups[key] = g
			byKind[w.Kind] = append(byKind[w.Kind], g)
		}
		if n := len(g.Names); n > 0 && g.Names[n-1] == name {
			continue // notes of one mesh that differ only in numbers
		}
		g.same = g.same && g.Text == w.Text
		g.Names = append(g.Names, name)
	}
	var list []*WarningGroup
	for _, kind := range warningKinds {
		list = append(list, byKind[kind.kind]...)
	}
	return list
}

func withoutNumbers(text string) string {
	return strings.Join(strings.FieldsFunc(text, unicode.IsDigit), "0")
}

// warningKinds lists the kinds of warnings, the most important first, with the predicate of a
// sentence about several meshes.
var warningKinds = []struct {
	kind      inpoly.WarningKind
	predicate string
}{
	{inpoly.WarnEmpty, "have no triangles, so no point is inside them"},
	{inpoly.WarnTurned, "have faces turned over to agree with adjacent faces (--orient=never takes the meshes as they are)"},
	{inpoly.WarnDoubtful, "have parts with so many flipped faces that it is uncertain which side is outside (compare with the rule evenodd)"},
	{inpoly.WarnParity, "have no consistent orientation, so their rule is evenodd (--orient=never keeps the given rule)"},
	{inpoly.WarnOpen, "are open"},
	{inpoly.WarnMisoriented, "have edges that join faces of opposite orientation"},
	{inpoly.WarnDuplicate, "have duplicate faces"},
	{inpoly.WarnNegative, "have no component that faces inward, but --rule negative needs one"},
	{inpoly.WarnInward, "have components that face inward"},
	{inpoly.WarnFlat, "have faces without area"},
	{inpoly.WarnFloat32, "have float32 coordinates with a spacing similar to the shortest edge"},
	{inpoly.WarnNote, "have notes such as"},
}

// Predicate returns the predicate of a sentence about several meshes that have the warning, such as
// "are open".
func (g *WarningGroup) Predicate() string {
	for _, k := range warningKinds {
		if k.kind == g.Kind {
			return k.predicate
		}
	}
	return "have the warning " + string(g.Kind)
}

// line returns the warning of a group. where says how the user gets all warnings.
func (g *WarningGroup) line(files []string, noun string, meshes int, where string) string {
	n := len(g.Names)
	switch {
	case n == 1:
		return g.Names[0] + ": " + g.Text
	case g.Kind == inpoly.WarnNote && g.same && len(files) == 1: // bodies have the notes of their file
		return files[0] + ": " + g.Text
	}
	predicate := g.Predicate()
	if g.Kind == inpoly.WarnNote {
		predicate += fmt.Sprintf(" “%s”", g.Text)
	}
	return fmt.Sprintf("%d of %s %s; %s", n, plural.Count(int64(meshes), noun), predicate, where)
}
