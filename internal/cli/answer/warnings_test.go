package answer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/mesh"
)

// report is a report with an open mesh, faces without area and notes.
func report(open bool, flat int, notes ...string) inpoly.Report {
	r := inpoly.Report{Diagnosis: mesh.Diagnosis{Triangles: 1, ZeroBoundary: !open, ZeroArea: flat}}
	if open {
		r.Diagnosis.BoundaryEdges, r.Diagnosis.ChainLoops = 3, 1
	}
	r.Source.Notes = notes
	return r
}

// Several meshes with the same kind of warning give one line. The warning of a single mesh is
// complete.
func TestWarnMeshes(t *testing.T) {
	var meshes []Mesh
	for i := range 86 {
		flat := 0
		if i == 4 {
			flat = 2
		}
		meshes = append(meshes, Mesh{fmt.Sprintf("part/b%d", i), report(i < 57, flat, "ignored 3 lines", fmt.Sprintf("number of bytes: %d", i))})
	}
	for _, c := range []struct {
		meshes []Mesh
		files  []string
		want   []string
	}{
		{meshes, []string{"part.glb"}, []string{
			"57 of 86 bodies are open; inpoly check part.glb lists them",
			"part/b4: 2 faces have no area: points exactly on such a face are on the surface; there is no other effect",
			"part.glb: ignored 3 lines",
			"86 of 86 bodies have notes such as “number of bytes: 0”; inpoly check part.glb lists them",
		}},
		{[]Mesh{{"a.obj", report(true, 0)}, {"b.obj", report(true, 1)}, {"c.obj", report(false, 0)}}, []string{"a.obj", "b.obj", "c.obj"}, []string{
			"2 of 3 meshes are open; inpoly check FILE describes each of them",
			"b.obj: 1 face has no area: points exactly on such a face are on the surface; there is no other effect",
		}},
		{[]Mesh{{"c.obj", report(false, 0)}, {"d.obj", report(false, 0)}}, []string{"c.obj", "d.obj"}, nil},
	} {
		var errs bytes.Buffer
		WarnMeshes(&term.Terminal{Err: &errs}, c.meshes, c.files)
		want := ""
		for _, line := range c.want {
			want += "warning: " + line + "\n"
		}
		if errs.String() != want {
			t.Errorf("%q:\ngot\n%swant\n%s", c.files, errs.String(), want)
		}
	}
}

// At most ten warnings are printed, and the rest is counted.
func TestManyWarnings(t *testing.T) {
	var notes []string
	for i := range 30 {
		notes = append(notes, strings.Repeat("n", i+1))
	}
	var errs bytes.Buffer
	WarnReport(&term.Terminal{Err: &errs}, "a.obj", report(true, 1, notes...))
	lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
	if len(lines) != 10-reservedForPoints || lines[len(lines)-1] != "warning: … and 26 more kinds; inpoly check a.obj lists them" {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
}

// Every kind of warning has a text for several meshes.
func TestWarningKinds(t *testing.T) {
	kinds := map[inpoly.WarningKind]bool{}
	for _, k := range warningKinds {
		if k.predicate == "" || kinds[k.kind] {
			t.Errorf("%s: %q", k.kind, k.predicate)
		}
		kinds[k.kind] = true
	}
	if len(kinds) != 12 {
		t.Errorf("%d kinds, want 12", len(kinds))
	}
}

// The note on --orient=always names only changes. Without changes there is no note.
func TestChanges(t *testing.T) {
	for _, c := range []struct {
		o    inpoly.Orientation
		want string
	}{
		{inpoly.Orientation{Shells: 3, Patches: 3}, ""},
		{inpoly.Orientation{Shells: 3, Inconsistent: 1}, "turned over 1 face to agree with adjacent faces"},
		{inpoly.Orientation{Shells: 1, Turned: 1}, "turned over 1 of 1 shell as a whole"},
		{inpoly.Orientation{NonOrientable: 1}, "1 part of the surface cannot be oriented"},
		{inpoly.Orientation{Shells: 3, Inconsistent: 2, Turned: 1, NonOrientable: 2},
			"turned over 2 faces to agree with adjacent faces, and 1 of 3 shells as a whole; 2 parts of the surface cannot be oriented"},
	} {
		if got := changes(&c.o); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.o, got, c.want)
		}
	}
}
