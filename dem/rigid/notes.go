package rigid

import (
	"fmt"
	"slices"
	"strings"
)

// Notes returns sentences for the user about the contacts of the scene that do not conserve energy.
// There are none if all polyhedra are convex or compounds, and no wall is a sheet.
func (w *World) Notes() []string {
	var concave, polyhedra, sheets []int
	for i := range w.bodies {
		if l := w.bodies[i].shape.layered; l != nil {
			polyhedra = append(polyhedra, i)
			if !l.isConvex() {
				concave = append(concave, i)
			}
		}
	}
	if w.opt.Contacts == Nodes {
		isMesh := func(x wallMesh) bool { return x.surface != nil }
		if len(polyhedra) < 2 && (len(polyhedra) == 0 || !slices.ContainsFunc(w.walls, isMesh)) {
			return nil
		}
		return []string{"Polyhedra touch at their vertices and edges. Such contacts do not conserve energy, and flat faces need many vertices."}
	}
	var walls []int
	for i, x := range w.walls {
		switch {
		case x.rim != nil:
			sheets = append(sheets, i)
		case x.layered != nil && !x.layered.isConvex():
			walls = append(walls, i)
		}
	}
	var notes []string
	switch {
	case len(concave) == 0:
	case len(walls) > 0:
		notes = append(notes, fmt.Sprintf("%s and %s are not convex. They touch each other at vertices and edges, and such contacts do not conserve energy. NewCompound makes bodies of convex parts.",
			listed("Body", "Bodies", concave), listed("wall", "walls", walls)))
	case len(concave) > 1:
		notes = append(notes, fmt.Sprintf("%s are not convex. They touch each other at vertices and edges, and such contacts do not conserve energy. NewCompound makes bodies of convex parts.",
			listed("Body", "Bodies", concave)))
	}
	if len(sheets) > 0 && len(polyhedra) > 0 {
		notes = append(notes, fmt.Sprintf("%s has an open mesh. Polyhedra touch it at vertices, and such contacts do not conserve energy. A closed mesh or a half-space can be instead.",
			listed("Wall", "Each of the walls", sheets)))
	}
	return notes
}

// listed returns a name and numbers. If there are many numbers, it leaves out some.
func listed(one, many string, numbers []int) string {
	const most = 5
	if len(numbers) == 1 {
		return fmt.Sprintf("%s %d", one, numbers[0])
	}
	var text []string
	for _, i := range numbers[:min(most, len(numbers))] {
		text = append(text, fmt.Sprint(i))
	}
	if more := len(numbers) - most; more > 0 {
		return fmt.Sprintf("%s %s and %d more", many, strings.Join(text, ", "), more)
	}
	last := len(text) - 1
	return fmt.Sprintf("%s %s and %s", many, strings.Join(text[:last], ", "), text[last])
}
