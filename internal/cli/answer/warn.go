package answer

import (
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
)

// WarnSolids prints the warnings of all meshes.
func WarnSolids(t *term.Terminal, s *Solids) {
	if !s.Several {
		WarnReport(t, s.Name, s.Report().Solids[0])
		return
	}
	for _, w := range s.Warnings() {
		t.Warn("%s", w)
	}
}

// WarnReport prints the changes of --orient and the warnings of the mesh at path.
func WarnReport(t *term.Terminal, path string, r inpoly.Report) {
	if o := r.Orientation; o != nil {
		t.Note("%s: oriented: %d faces flipped to agree with their neighbors, %d of %d shells flipped as a whole, %d parts not orientable",
			term.InputName(path), o.Inconsistent, o.Turned, o.Shells, o.NonOrientable)
	}
	for _, w := range r.Warnings() {
		t.Warn("%s: %s", term.InputName(path), w)
	}
}

// WarnPoints prints warnings about the points: rows without coordinates, values that the output
// format cannot store, and a box that does not fit the box of the mesh. If whole is set, sum covers
// the whole file, and WarnPoints also warns if the file has no points.
func WarnPoints(t *term.Terminal, mesh bvh.Box, in *points.Reader, sum points.Summary, whole bool) {
	warn := func(format string, args ...any) { t.Warn("%s: %s", in.Name(), fmt.Sprintf(format, args...)) }
	for _, w := range sum.Warnings {
		warn("%s", w)
	}
	if sum.Rows == 0 && whole {
		warn("the file has no points")
	}
	if n := sum.RowLike; n.Count > 0 {
		warn("%s like rows of points, the first in line %d: skipped", plural.Count(n.Count, "comment line"), n.First)
	}
	if n := sum.Ragged; n.Count > 0 {
		warn("%s wider or narrower than the header or the first row, the first in line %d: the results of these rows are in other columns",
			plural.Count(n.Count, "row"), n.First)
	}
	if n := sum.NonFinite; n.Count > 0 {
		place := "row"
		if in.Format() == "text" {
			place = "line"
		}
		warn("%s with a coordinate that is missing or not finite, the first in %s %d: the results are uncertain",
			plural.Count(n.Count, "row"), place, n.First)
	}
	cloud := bvh.Box{Min: sum.Min, Max: sum.Max}
	if mesh.Empty() || cloud.Empty() {
		return
	}
	unit := unitHint(mesh, cloud)
	switch {
	case !mesh.Overlaps(cloud):
		t.Warn("the box of the points (%s) does not overlap the box of the mesh (%s)%s", BoxText(cloud), BoxText(mesh), unit)
	case unit != "":
		t.Warn("the box of the points (%s) and the box of the mesh (%s) have very different sizes%s", BoxText(cloud), BoxText(mesh), unit)
	}
}

// unitHint returns a hint about two units that could be mixed up, or "". It compares the longest
// sides of the boxes.
func unitHint(mesh, cloud bvh.Box) string {
	m, c := longest(mesh.Size()), longest(cloud.Size())
	for _, u := range []struct {
		ratio        float64
		large, small string
	}{{25.4, "inches", "millimeters"}, {1000, "meters", "millimeters"}} {
		switch {
		case about(c, m*u.ratio):
			return fmt.Sprintf("; the points are about %g times as large: is the mesh in %s, the points in %s?", u.ratio, u.large, u.small)
		case about(m, c*u.ratio):
			return fmt.Sprintf("; the mesh is about %g times as large: is the mesh in %s, the points in %s?", u.ratio, u.small, u.large)
		}
	}
	return ""
}

// about reports whether a and b agree within 25 %. The box of the points is usually a little larger
// or smaller than the box of the mesh. The limit only affects a warning.
func about(a, b float64) bool { return a > 0 && a <= 1.25*b && b <= 1.25*a }

func longest(v r3.Vector) float64 { return max(v.X, v.Y, v.Z) }

// SideCounts returns the numbers of points, indexed by side, as text.
func SideCounts(n [4]int64) string {
	return fmt.Sprintf("%d inside, %d outside, %d on, %d uncertain", n[inpoly.Inside], n[inpoly.Outside], n[inpoly.OnSurface], n[inpoly.Unknown])
}

// BoxText returns the corners of a box as text.
func BoxText(b bvh.Box) string {
	return fmt.Sprintf("%.4g %.4g %.4g to %.4g %.4g %.4g", b.Min.X, b.Min.Y, b.Min.Z, b.Max.X, b.Max.Y, b.Max.Z)
}
