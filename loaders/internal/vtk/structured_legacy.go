package vtk

import (
	"cmp"
	"math"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Types of structured data sets in legacy files.
const (
	structuredGridSet   = "STRUCTURED_GRID"
	rectilinearGridSet  = "RECTILINEAR_GRID"
	structuredPointsSet = "STRUCTURED_POINTS"
)

// axisSections lists the sections of the coordinates of a rectilinear grid.
var axisSections = [3]string{"X_COORDINATES", "Y_COORDINATES", "Z_COORDINATES"}

// legacyGrid is a structured data set of a legacy file.
type legacyGrid struct {
	extent
	sized   bool // the extent was read
	at      int  // position of the extent
	axes    axes
	known   [3]bool // the coordinates in this direction were read
	origin  [3]float64
	spacing [3]float64
	blank   []int32 // for each point, whether it is visible; empty if there is no such section
}

// structuredSection reads a section of a structured data set, whose name is at from. It returns false if
// the data set has no section with this name.
func (l *legacy) structuredSection(word string, from int) (bool, error) {
	g := &l.structured
	switch {
	case word == "DIMENSIONS" && !g.sized:
		return true, l.dimensions(from)
	case word == "EXTENT" && !g.sized:
		return true, l.readExtent(from)
	case word == "BLANKING" && l.kind == structuredGridSet && g.blank == nil:
		return true, l.blanking(from)
	case word == "ORIGIN" && l.kind == structuredPointsSet:
		return true, l.triple(&g.origin)
	case (word == "SPACING" || word == "ASPECT_RATIO") && l.kind == structuredPointsSet:
		return true, l.triple(&g.spacing)
	}
	for a, name := range axisSections {
		if word == name && l.kind == rectilinearGridSet && !g.known[a] {
			g.known[a] = true
			return true, l.axisSection(a, from)
		}
	}
	return false, nil
}

// dimensions reads the numbers of points in the three directions.
func (l *legacy) dimensions(from int) error {
	var n [3]int64
	for a := range n {
		var err error
		if n[a], err = l.count("a number of points"); err != nil {
			return err
		}
	}
	l.structured.sized, l.structured.at, l.structured.extent = true, from, extentOf(n)
	return nil
}

// readExtent reads the ranges of the indices in the three directions.
func (l *legacy) readExtent(from int) error {
	e := &l.structured.extent
	for a := range e.from {
		for _, end := range []*int64{&e.from[a], &e.to[a]} {
			i := scan.SkipSpace(l.text, l.at)
			v, length, ok := decimal.ParseInt(l.text[i:])
			if !ok || v < math.MinInt32 || v > math.MaxInt32 || i+length < len(l.text) && !scan.IsSpace(l.text[i+length]) {
				return l.text.Expected(i, "an index of the extent")
			}
			*end, l.at = v, i+length
		}
	}
	l.structured.sized, l.structured.at = true, from
	return nil
}

// triple reads three numbers, which are text even in binary files.
func (l *legacy) triple(dst *[3]float64) error {
	v := &textValues{text: l.text, at: l.at, end: len(l.text), previous: l.at}
	for k := range dst {
		if err := v.read(dst[k : k+1]); err != nil {
			return err
		}
		if err := checkRange(dst[k]); err != nil {
			return v.fail(err, "%v", dst[k])
		}
	}
	l.at = v.at
	return nil
}

// numbers reads the type of an array, and calls a function for its values. The section begins at from.
func (l *legacy) numbers(from int, what string, do func(values) error) error {
	name := l.word()
	kind, ok := legacyNumber(name)
	if !ok {
		return l.text.Fail(from, soup.ErrUnsupported, "%s of type %s", what, quote.Word(name))
	}
	v := l.data(kind)
	err := do(v)
	l.after(v)
	return err
}

// axisSection reads the coordinates of a rectilinear grid in a direction.
func (l *legacy) axisSection(a, from int) error {
	n, err := l.count("the number of coordinates")
	if err != nil {
		return err
	}
	return l.numbers(from, "coordinates", func(v values) error { return l.axis(v, &l.structured.axes[a], n) })
}

// blanking reads a value for each point, which is 0 if the point is hidden. Files of VTK up to version 5
// have this section.
func (l *legacy) blanking(from int) error {
	n, err := l.count("the number of values")
	if err != nil {
		return err
	}
	blank := &l.structured.blank
	if err := l.numbers(from, "values", func(v values) error { return l.integers(v, blank, n, 0, "values of BLANKING") }); err != nil {
		return err
	}
	for i, visible := range *blank {
		(*blank)[i] = 0
		if visible == 0 {
			(*blank)[i] = hiddenPoint
		}
	}
	return nil
}

// addStructuredSet adds the points and cells of a structured data set.
func (l *legacy) addStructuredSet() error {
	set := &l.structured
	if !set.sized {
		return l.text.Fail(l.at, soup.ErrSyntax, "the data set lacks DIMENSIONS")
	}
	if set.dimension() < 2 {
		return set.noSurface()
	}
	g := &structured{extent: set.extent, pointFlags: set.blank}
	if g.dimension() == 3 {
		l.useSkin()
	}
	switch l.kind {
	case rectilinearGridSet:
		for a, name := range axisSections {
			if err := l.checkLength(name, int64(len(set.axes[a])), set.sizes()[a]); err != nil {
				return err
			}
		}
		if err := l.addRectilinear(g, &set.axes, "point", nil, true); err != nil {
			return err
		}
		set.axes.release(l.b.Budget)
	case structuredPointsSet:
		if err := l.addImage(g, newImage(set.origin, set.spacing, identity), "point", nil, true); err != nil {
			return err
		}
	default:
		err := l.checkLength("POINTS", int64(len(l.b.Vertices)), set.points())
		if set.blank != nil {
			err = cmp.Or(err, l.checkLength("BLANKING", int64(len(set.blank)), set.points()))
		}
		if err == nil {
			err = l.addStructured(g, nil)
		}
		if err != nil {
			return err
		}
	}
	return l.finish()
}

// checkLength refuses a section whose number of elements differs from the dimensions.
func (l *legacy) checkLength(section string, n, want int64) error {
	if n == want {
		return nil
	}
	size := l.structured.sizes()
	return l.text.Fail(l.structured.at, soup.ErrSyntax, "the dimensions are %d × %d × %d, but %s has %d elements", size[0], size[1], size[2], section, n)
}
