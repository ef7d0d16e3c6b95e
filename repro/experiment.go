package main

import (
	"context"
	"fmt"
	"strings"
)

// Size is the scale of a run.
type Size int

// The sizes.
const (
	Tiny  Size = iota // for tests: does it run, and are the answers right
	Small             // minutes for all experiments; shows slopes, not all of the papers' numbers
	Paper             // the papers' own numbers
)

// sizes are the names of sizes.
var sizes = []string{"tiny", "small", "paper"}

func (s Size) String() string { return sizes[s] }

// parseSize returns the size with the given name.
func parseSize(name string) (Size, error) {
	for i, n := range sizes {
		if n == name {
			return Size(i), nil
		}
	}
	return 0, fmt.Errorf("no size %q: want %s", name, strings.Join(sizes, ", "))
}

// pick returns the argument for the size.
func pick[T any](s Size, tiny, small, paper T) T { return [...]T{tiny, small, paper}[s] }

// Experiment is one of a paper's experiments.
type Experiment struct {
	Name   string // P1
	Figure string // what it is in the paper
	Title  string
	Source string // the paper
	Run    func(ctx context.Context, r *Run) (*Result, error)
}

// The papers.
const (
	muth2006        = "Muth, Of, Eberhard, Steinbach 2006"
	leszczynski2004 = "Leszczynski, Ciesielski 2004"
	muth2007        = "Muth, Müller, Eberhard, Luding 2007"
	schinner1999    = "Schinner 1999"
	ogarko2012      = "Ogarko, Luding 2012"
)

// find returns the experiment with the given name, in either case.
func find(name string) (Experiment, error) {
	for _, e := range experiments {
		if strings.EqualFold(e.Name, name) {
			return e, nil
		}
	}
	return Experiment{}, fmt.Errorf("no experiment %q: see list", name)
}

// Run is one run of an experiment, with the options of all experiments.
type Run struct {
	Size     Size
	Threads  int    // of everything that is timed, but where threads are compared
	Cache    string // folder for packings
	progress progress
}

// Result holds the results of an experiment.
type Result struct {
	Notes      []string // how it was done, where the paper leaves it open
	Figures    []Figure
	Tables     []Table
	Statements []Statement
}

// Statement compares a statement of the paper with the measurement.
type Statement struct {
	Paper, Measured string
	Holds           string // yes, no, or partly and why
}

// verdict returns "yes" or "no".
func verdict(holds bool) string {
	if holds {
		return "yes"
	}
	return "no"
}

// Figure is one figure of the paper, drawn again.
type Figure struct {
	Name       string // of its files, without suffix
	Title      string
	X, Y       string // axes, named as in the paper
	LogX, LogY bool
	Series     []Series
}

// Series is one curve.
type Series struct {
	Name  string
	X, Y  []float64
	Style Style
	Hue   int // 1, 2, … for series that belong together; 0: that of its place
}

// Style is the style of a curve.
type Style int

// The styles.
const (
	Measured   Style = iota // line and marks
	Dashed                  // the same, dashed
	FromPaper               // hollow marks and dashes: numbers printed in the paper
	Prediction              // a line without marks
)

// Add appends a point.
func (s *Series) Add(x, y float64) { s.X, s.Y = append(s.X, x), append(s.Y, y) }

// Table is one table. Cells are strings, integers or float64.
type Table struct {
	Name    string // of its files, without suffix
	Title   string
	Columns []string
	Rows    [][]any
	Long    bool // too long for a page: a CSV file only
}

// Add appends a row.
func (t *Table) Add(row ...any) {
	if len(row) != len(t.Columns) {
		panic(fmt.Sprintf("table %s: %d cells, %d columns", t.Name, len(row), len(t.Columns)))
	}
	t.Rows = append(t.Rows, row)
}
