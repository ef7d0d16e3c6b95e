package main

import (
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/ask"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
)

// warnMeshes prints what is wrong with the meshes.
func (a *app) warnMeshes(s *ask.Solids) {
	if !s.Several {
		a.warnReport(s.Name, s.Report().Solids[0])
		return
	}
	for _, w := range s.Warnings() {
		a.warn("%s", w)
	}
}

// warnReport prints what is wrong with the mesh.
func (a *app) warnReport(path string, r inpoly.Report) {
	if o := r.Orientation; o != nil {
		a.note("%s: oriented: %d faces flipped to agree with their neighbors, %d of %d shells turned as a whole, %d parts not orientable",
			inputName(path), o.Inconsistent, o.Turned, o.Shells, o.NonOrientable)
	}
	for _, w := range r.Warnings() {
		a.warn("%s: %s", inputName(path), w)
	}
}

// warnPoints prints what is odd about the points: rows without coordinates, what the
// output has lost, and a box that does not fit the mesh. whole says that there should be some.
func (a *app) warnPoints(mesh bvh.Box, in *points.Reader, sum points.Summary, whole bool) {
	for _, w := range sum.Warnings {
		a.warn("%s: %s", in.Name(), w)
	}
	if sum.Rows == 0 && whole {
		a.warn("%s: no points", in.Name())
	}
	if n := sum.RowLike; n.Count > 0 {
		a.warn("%s: %s like rows of points, the first in line %d: not answered", in.Name(), plural.Count(n.Count, "comment line"), n.First)
	}
	if n := sum.Ragged; n.Count > 0 {
		a.warn("%s: %s wider or narrower than the header or the first row, the first in line %d: their answers stand in another column",
			in.Name(), plural.Count(n.Count, "row"), n.First)
	}
	if n := sum.NonFinite; n.Count > 0 {
		place := "row"
		if in.Format() == "text" {
			place = "line"
		}
		a.warn("%s: %s with a coordinate that is missing or not finite, the first in %s %d: answered uncertain",
			in.Name(), plural.Count(n.Count, "row"), place, n.First)
	}
	cloud := bvh.Box{Min: sum.Min, Max: sum.Max}
	if mesh.Empty() || cloud.Empty() {
		return
	}
	unit := unitHint(mesh, cloud)
	switch {
	case !mesh.Overlaps(cloud):
		a.warn("the box of the points (%s) does not meet that of the mesh (%s)%s", boxText(cloud), boxText(mesh), unit)
	case unit != "":
		a.warn("the box of the points (%s) and that of the mesh (%s) differ much in size%s", boxText(cloud), boxText(mesh), unit)
	}
}

// unitHint says which units may have been mixed up, by the longest sides of the
// boxes, or returns "".
func unitHint(mesh, cloud bvh.Box) string {
	m, c := longest(mesh.Size()), longest(cloud.Size())
	for _, u := range []struct {
		ratio float64
		names [2]string // large unit, small unit
	}{{25.4, [2]string{"inches", "millimeters"}}, {1000, [2]string{"meters", "millimeters"}}} {
		switch {
		case about(c, m*u.ratio):
			return fmt.Sprintf("; the points are about %g times as large: is the mesh in %s, the points in %s?", u.ratio, u.names[0], u.names[1])
		case about(m, c*u.ratio):
			return fmt.Sprintf("; the mesh is about %g times as large: is the mesh in %s, the points in %s?", u.ratio, u.names[1], u.names[0])
		}
	}
	return ""
}

// about reports whether a and b agree to a quarter: points usually fill a box a
// little larger or smaller than the mesh's. A choice, it only words a warning.
func about(a, b float64) bool { return a > 0 && a <= 1.25*b && b <= 1.25*a }

func longest(v r3.Vector) float64 { return max(v.X, v.Y, v.Z) }

func boxText(b bvh.Box) string {
	return fmt.Sprintf("%.4g %.4g %.4g to %.4g %.4g %.4g", b.Min.X, b.Min.Y, b.Min.Z, b.Max.X, b.Max.Y, b.Max.Z)
}
