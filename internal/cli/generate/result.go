package generate

import (
	"fmt"
	"time"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/mesh"
)

// result is what a run has written.
type result struct {
	*plan
	mesh          *mesh.Mesh
	out           string
	size          int64 // number of bytes
	made, written time.Duration
}

// summary returns the size of the mesh, and says whether the file has rounded coordinates.
func (r *result) summary() term.Summary {
	closed := "closed"
	if !r.mesh.Closed() {
		closed = "open"
	}
	s := term.Summary{Lines: []string{
		fmt.Sprintf("%s: %s, %s, %s", r.shape, plural.Grouped(int64(r.mesh.NumFaces()), "triangle"), plural.Grouped(int64(len(r.mesh.Vertices)), "vertex"), closed),
		"the file has all digits of the coordinates",
	}}
	if r.format == "stl" {
		s.Lines[1] = "STL stores float32: the coordinates are rounded, and the mesh stays closed"
	}
	if r.shape == sphere {
		s.Details = append(s.Details, term.Detail("sphere", "%s, radius %v", plural.Count(int64(r.sphere.Refine), "refinement"), r.sphere.Radius))
	} else {
		s.Details = append(s.Details, term.Detail("foam", "%s, resolution %d, strut %v, seed %d, size %v", plural.Count(int64(r.foam.Cells), "cell"), r.foam.Resolution, r.foam.Strut, r.foam.Seed, r.foam.Size))
	}
	s.Details = append(s.Details,
		term.Detail("output", "%s, %s", r.name(), plural.Count(r.size, "byte")),
		term.Detail("time", "%.3g s, then %.3g s for writing", r.made.Seconds(), r.written.Seconds()))
	return s
}

// object returns the JSON object of --stats. It has the options, also the defaults, from which the same
// command makes the same mesh.
func (r *result) object() term.Object {
	o := term.Object{"shape", r.shape}
	if r.shape == sphere {
		o = append(o, "refine", r.sphere.Refine, "radius", r.sphere.Radius)
	} else {
		o = append(o, "cells", r.foam.Cells, "resolution", r.foam.Resolution, "strut", r.foam.Strut, "seed", r.foam.Seed, "size", r.foam.Size)
	}
	compression, kind := "", "float64"
	if r.compressed {
		compression = "gzip"
	}
	if r.format == "stl" {
		kind = "float32"
	}
	box := r.mesh.Box()
	return append(o, "out", r.out, "format", r.format, "compression", term.OmitZero(compression), "bytes", r.size, "coordinates", kind,
		"triangles", r.mesh.NumFaces(), "vertices", len(r.mesh.Vertices), "closed", r.mesh.Closed(),
		"min", term.Numbers(box.Min), "max", term.Numbers(box.Max), "make_s", r.made.Seconds(), "write_s", r.written.Seconds())
}
