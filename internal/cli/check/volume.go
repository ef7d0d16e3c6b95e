package check

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/mesh"
)

// volume describes the volume of the mesh after faces were turned over, because flipped faces falsify
// the volume of the mesh as it is.
func (r *diagnosis) volume() string {
	d, when := &r.Diagnosis, ""
	if r.turned != nil {
		d, when = r.turned, ", after turning"
	}
	switch {
	case d.ZeroBoundary:
	case d.BoundaryEdges+d.UnbalancedEdges == 0:
		when += " (falsified by flipped faces)"
	default:
		when += " (of an open surface: depends on how it is closed)"
	}
	return plural.GroupedDecimal(d.Volume, 9) + when
}

// whenOriented returns text for the diagnosis after faces were turned over, with an introduction. It
// returns "" if no faces were turned over.
func (r *diagnosis) whenOriented(text func(*mesh.Diagnosis) string) string {
	if r.turned == nil {
		return ""
	}
	return "; after turning, " + text(r.turned)
}

// exact formats the coordinates of a vertex without rounding.
func exact(p r3.Vector) string {
	return plural.Decimal(p.X, -1) + " " + plural.Decimal(p.Y, -1) + " " + plural.Decimal(p.Z, -1)
}
