package drillhole

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/internal/suggest"
	"github.com/inpoly/inpoly/internal/tabular"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/points"
)

// Dip says which sign the dip of a hole has in the table of surveys.
type Dip uint8

const (
	// DipUnstated refuses tables with positive dips, because two conventions are in use. Tables without
	// positive dips are read as DownNegative.
	DipUnstated Dip = iota
	// DownNegative means that holes that go down have negative dips.
	DownNegative
	// DownPositive means that holes that go down have positive dips.
	DownPositive
)

// DipNames lists the names of DownNegative and DownPositive.
var DipNames = []string{"down-negative", "down-positive"}

// ErrDip means that the sign of the dips has to be stated.
var ErrDip = errors.New("the table has positive dips, and two conventions are in use")

// Options configures Read. The zero value is ready to use, except that Chord must be positive.
type Options struct {
	Method Method
	Dip    Dip
	// Chord is the largest distance between an arc and its chords, in the unit of the coordinates.
	Chord float64
	// CollarColumns and SurveyColumns are the arguments of FindCollars and FindSurveys.
	CollarColumns, SurveyColumns []string
}

// Hole is a drill hole.
type Hole struct {
	Name string
	Path Path
	// Late reports whether the first station is below the collar. Its direction then holds from the
	// collar on.
	Late bool
	// Beyond is the length of the hole below the last station, where the hole is straight.
	Beyond float64

	end      float64 // maximum depth, or NaN if the collar has none
	stations []Station
	place    string // place of the collar in its table
	last     string // place of the last station in its table
}

// Read reads the collars and the surveys. It returns the holes in the order of the collars. The readers
// have the columns that FindCollars and FindSurveys find. The caller closes them.
//
// A hole ends at the maximum depth of its collar. If the collar has none, the hole ends at its last
// station. If the first station of a hole is below the collar, its direction holds from the collar on.
//
// Each of these is an error, with the file, the row and the column: a number that is missing or not
// finite; a hole without a name, with two collars, without a collar, without a survey or without
// length; a depth that is negative, not above the previous depth of the hole, or beyond the maximum
// depth; an azimuth that is not from 0 to 360; a dip that is not from −90 to 90; an angle whose column
// name states another unit than degrees; lengths in several units; and positive dips without
// Options.Dip (ErrDip). A path can fail with ErrReversal, ErrTooFar or ErrChords.
func Read(collars, surveys *points.Reader, opt Options) ([]*Hole, error) {
	r := reader{opt: &opt, collarFile: collars.Name(), surveyFile: surveys.Name(), byName: map[string]*Hole{}}
	collarNames, surveyNames := tabular.Names(collars), tabular.Names(surveys)
	at, err := findCollars(collarNames, opt.CollarColumns)
	if err != nil {
		return nil, tabular.At(r.collarFile, 0, err)
	}
	surveyAt, err := tabular.Find(surveyNames, surveyColumns, opt.SurveyColumns)
	if err != nil {
		return nil, tabular.At(r.surveyFile, 0, err)
	}
	if err := r.checkUnits(collarNames, at, surveyNames, surveyAt); err != nil {
		return nil, err
	}
	r.hasEnd = at[4] >= 0
	if !r.hasEnd {
		at = at[:4]
	}
	if err := tabular.Each(collars, at, r.collar); err != nil {
		return nil, err
	}
	if len(r.holes) == 0 {
		return nil, tabular.At(r.collarFile, 0, errors.New("the table has no collars"))
	}
	if err := tabular.Each(surveys, surveyAt, r.station); err != nil {
		return nil, err
	}
	for _, h := range r.holes {
		if err := r.complete(h); err != nil {
			return nil, tabular.AtPlace(r.collarFile, h.place, fmt.Errorf("hole %s: %w", quote.Line(h.Name), err))
		}
	}
	return r.holes, nil
}

// reader reads the tables of drill holes.
type reader struct {
	opt                    *Options
	collarFile, surveyFile string
	hasEnd                 bool // the collars have a column of maximum depths
	holes                  []*Hole
	byName                 map[string]*Hole
}

// hole returns the name of the hole in a row, which is in the first column.
func hole(row *tabular.Row) (string, error) {
	name := row.Text(0)
	if name == "" {
		return "", row.InColumn(0, errors.New("expected the name of a hole, found an empty cell"))
	}
	return name, nil
}

// finite returns the number in a column of a row.
func finite(row *tabular.Row, column int) (float64, error) {
	x, err := row.Number(column)
	if err == nil && x-x != 0 {
		err = row.InColumn(column, fmt.Errorf("expected a finite number, found %v", x))
	}
	return x, err
}

// collar reads a row with the columns hole, x, y, z and the maximum depth.
func (r *reader) collar(row *tabular.Row) error {
	name, err := hole(row)
	if err != nil {
		return err
	}
	h := &Hole{Name: name, end: math.NaN(), place: row.Place()}
	if other := r.byName[name]; other != nil {
		return row.InColumn(0, fmt.Errorf("hole %s has another collar in %s", quote.Line(name), other.place))
	}
	var at [3]float64
	for axis := range at {
		if at[axis], err = finite(row, 1+axis); err != nil {
			return err
		}
	}
	p := r3.Vector{X: at[0], Y: at[1], Z: at[2]}
	if vec.MaxAbs(p) > mesh.MaxCoordinate {
		return fmt.Errorf("hole %s: the coordinates of the collar are too large", quote.Line(name))
	}
	h.Path.Points = []r3.Vector{p}
	if r.hasEnd && !row.Missing(4) {
		if h.end, err = finite(row, 4); err != nil {
			return err
		}
		if !(h.end > 0) {
			return row.InColumn(4, fmt.Errorf("maximum depth %v: must be positive", h.end))
		}
	}
	r.holes = append(r.holes, h)
	r.byName[name] = h
	return nil
}

// station reads a row with the columns hole, depth, azimuth and dip.
func (r *reader) station(row *tabular.Row) error {
	name, err := hole(row)
	if err != nil {
		return err
	}
	h := r.byName[name]
	if h == nil {
		return row.InColumn(0, r.unknown(name))
	}
	var v [3]float64
	for i := range v {
		if v[i], err = finite(row, 1+i); err != nil {
			return err
		}
	}
	s := Station{Depth: v[0], Azimuth: v[1], Dip: v[2]}
	switch n := len(h.stations); {
	case s.Depth < 0:
		return row.InColumn(1, fmt.Errorf("depth %v: must not be negative", s.Depth))
	case n > 0 && s.Depth == h.stations[n-1].Depth:
		return row.InColumn(1, fmt.Errorf("depth %v: hole %s has this depth in %s too", s.Depth, quote.Line(name), h.last))
	case n > 0 && s.Depth < h.stations[n-1].Depth:
		return row.InColumn(1, fmt.Errorf("depth %v: must be above the previous depth of hole %s, which is %v in %s: sort the rows of each hole by depth",
			s.Depth, quote.Line(name), h.stations[n-1].Depth, h.last))
	case s.Depth > h.end:
		return row.InColumn(1, fmt.Errorf("depth %v: exceeds the maximum depth of hole %s, which is %v in %s", s.Depth, quote.Line(name), h.end, r.collarFile))
	case !(s.Azimuth >= 0 && s.Azimuth <= 360):
		return row.InColumn(2, fmt.Errorf("azimuth %v: must be from 0 to 360", s.Azimuth))
	case !(s.Dip >= -90 && s.Dip <= 90):
		return row.InColumn(3, fmt.Errorf("dip %v: must be from -90 to 90", s.Dip))
	case s.Dip > 0 && r.opt.Dip == DipUnstated:
		return row.InColumn(3, fmt.Errorf("dip %v: %w", s.Dip, ErrDip))
	case r.opt.Dip == DownPositive:
		s.Dip = -s.Dip
	}
	h.stations = append(h.stations, s)
	h.last = row.Place()
	return nil
}

// unknown returns the error for a survey of a hole without a collar.
func (r *reader) unknown(name string) error {
	err := fmt.Errorf("hole %s has no collar in %s", quote.Line(name), r.collarFile)
	for _, h := range r.holes {
		if strings.EqualFold(h.Name, name) {
			return fmt.Errorf("%w: did you mean %s?", err, quote.Line(h.Name))
		}
	}
	var names []string
	for _, h := range r.holes {
		names = append(names, h.Name)
	}
	if meant, ok := suggest.Closest(name, names); ok {
		return fmt.Errorf("%w: did you mean %s?", err, quote.Line(meant))
	}
	return err
}

// complete computes the path of a hole from its stations.
func (r *reader) complete(h *Hole) (err error) {
	n := len(h.stations)
	if n == 0 {
		return fmt.Errorf("%s has no survey of this hole", r.surveyFile)
	}
	end := h.stations[n-1].Depth
	if h.end > end {
		h.Beyond, end = h.end-end, h.end
	}
	if end == 0 {
		return errors.New("the hole has no length: its only station is at depth 0, and its collar has no maximum depth")
	}
	if first := h.stations[0]; first.Depth > 0 {
		h.Late = true
		first.Depth = 0
		h.stations = append([]Station{first}, h.stations...)
	}
	h.Path, err = Desurvey(h.Path.Points[0], h.stations, end, r.opt.Method, r.opt.Chord)
	h.stations = nil
	return err
}
