package vtk

import (
	"math"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Types of structured data sets in XML files.
const (
	structuredGrid  = "StructuredGrid"
	rectilinearGrid = "RectilinearGrid"
	imageData       = "ImageData"
)

// axisNames are the names of the arrays of coordinates of a rectilinear grid. In files, the arrays can
// have any names, so only their order matters.
var axisNames = [3]string{"x", "y", "z"}

// isStructured reports whether the data set has a structured grid.
func (d *document) isStructured() bool {
	return d.kind == structuredGrid || d.kind == rectilinearGrid || d.kind == imageData
}

// openStructured reads the attributes of the element of a structured grid.
func (d *document) openStructured(t tag) error {
	if err := d.extentOf(t, "WholeExtent", &d.whole); err != nil || d.kind != imageData {
		return err
	}
	var origin [3]float64
	spacing, direction := [3]float64{1, 1, 1}, identity
	for _, a := range []struct {
		name string
		dst  []float64
	}{{"Origin", origin[:]}, {"Spacing", spacing[:]}, {"Direction", direction[:]}} {
		text := d.x.attr(a.name)
		if text == "" {
			continue
		}
		if err := numbersOf(text, a.dst); err != nil {
			return d.x.text.Fail(t.at, err, "%s is %s", a.name, quote.Word(text))
		}
	}
	d.image = newImage(origin, spacing, direction)
	return nil
}

// extentOf reads an attribute with an extent. An extent whose end is below its beginning is empty.
func (d *document) extentOf(t tag, name string, e *extent) error {
	text := d.x.attr(name)
	if text == "" {
		return d.x.text.Fail(t.at, soup.ErrSyntax, "the element %s lacks the attribute %s", quote.Word(t.name), name)
	}
	var v [6]int64
	words := strings.Fields(text)
	valid := len(words) == len(v)
	for i := 0; valid && i < len(v); i++ {
		var length int
		v[i], length, valid = decimal.ParseInt([]byte(words[i]))
		valid = valid && length == len(words[i]) && v[i] >= math.MinInt32 && v[i] <= math.MaxInt32
	}
	if !valid {
		return d.x.text.Fail(t.at, soup.ErrSyntax, "%s is %s, must be six integers in the range of int32", name, quote.Word(text))
	}
	*e = extent{from: [3]int64{v[0], v[2], v[4]}, to: [3]int64{v[1], v[3], v[5]}}
	return nil
}

// coordinates reads the element Coordinates of a rectilinear grid, which has three arrays.
func (d *document) coordinates(p *piece, t tag) error {
	n, step := 0, ""
	return d.x.children(t, func(t tag) error {
		if string(t.name) != "DataArray" {
			return d.x.skip(t)
		}
		switch s := d.x.attr("TimeStep"); {
		case n == 0:
			step = s
		case s != step: // the arrays of another time step
			d.repeated = true
			return d.x.skip(t)
		case n == len(axisNames):
			return d.x.text.Fail(t.at, soup.ErrSyntax, "a fourth array of coordinates")
		}
		n++
		return d.array(p, "Coordinates", axisNames[n-1], t)
	})
}

// addStructuredPieces adds the points and cells of all pieces of a structured grid.
func (d *document) addStructuredPieces() error {
	box, all, err := d.box()
	if err != nil {
		return err
	}
	if all == 0 {
		return nil
	}
	if !slices.ContainsFunc(d.pieces, func(p piece) bool { return p.extent.dimension() >= 2 }) {
		return box.noSurface()
	}
	if slices.ContainsFunc(d.pieces, func(p piece) bool { return p.extent.dimension() == 3 }) {
		d.useSkin()
	}
	var seen *cellSet
	if all > 1 {
		if seen, err = newCellSet(d.b.Budget, box); err != nil {
			return err
		}
	}
	for i := range d.pieces {
		if p := &d.pieces[i]; p.extent.dimension() >= 0 {
			if err := d.addStructuredPiece(p, seen, all == 1); err != nil {
				return err
			}
		}
	}
	cells := box.cells()
	if seen != nil {
		cells = seen.count
		seen.release(d.b.Budget)
	}
	if cells < d.whole.cells() {
		d.b.Note("the pieces have %d cells, fewer than the whole extent of the grid", cells)
	}
	d.packed.release(d.b.Budget)
	return d.finish()
}

// box returns the extent of all pieces and the number of pieces that are not empty.
func (d *document) box() (box extent, n int, err error) {
	for i := range d.pieces {
		e := d.pieces[i].extent
		if e.dimension() < 0 {
			continue
		}
		if !d.whole.contains(e) {
			return box, 0, d.x.text.Fail(d.pieces[i].at, soup.ErrSyntax, "the extent of the piece exceeds WholeExtent")
		}
		if n++; n == 1 {
			box = e
		} else {
			box = box.join(e)
		}
	}
	return box, n, nil
}

// addStructuredPiece adds the points and cells of a piece. single means that there is no other piece.
func (d *document) addStructuredPiece(p *piece, seen *cellSet, single bool) error {
	g := &structured{extent: p.extent, base: len(d.b.Vertices)}
	path := d.path(p, "point")
	var err error
	if g.cellFlags, err = d.readGhosts(p, g.cells()); err != nil {
		return err
	}
	if p.find("PointData", ghostTypes) != nil {
		if err := d.integers(p, "PointData", ghostTypes, &g.pointFlags, g.extent.points(), 0); err != nil {
			return err
		}
	}
	switch d.kind {
	case structuredGrid:
		p.points = g.extent.points()
		if err = d.addPoints(p); err == nil {
			err = d.addStructured(g, seen)
		}
	case rectilinearGrid:
		var a axes
		if err = d.readAxes(p, &a); err == nil {
			err = d.addRectilinear(g, &a, path, seen, single)
		}
		a.release(d.b.Budget)
	default:
		err = d.addImage(g, d.image, path, seen, single)
	}
	d.b.Budget.Release(4 * int64(cap(g.cellFlags)+cap(g.pointFlags)))
	return err
}

// readAxes reads the coordinates of a piece of a rectilinear grid.
func (d *document) readAxes(p *piece, a *axes) error {
	for k, n := range p.extent.sizes() {
		v, err := d.open(p, "Coordinates", axisNames[k])
		if err != nil {
			return err
		}
		if err := d.axis(v, &a[k], n); err != nil {
			return err
		}
		if err := d.close(v); err != nil {
			return err
		}
	}
	return nil
}
