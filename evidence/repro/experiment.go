package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/inpoly/inpoly/evidence/repro/chart"
)

// Size is the scale of a run.
type Size int

// The sizes of a run.
const (
	Tiny  Size = iota // a smoke test that checks the answers
	Small             // takes minutes for all experiments; shows the slopes of the papers' figures
	Paper             // uses the numbers of bodies and points in the papers
)

// sizes holds the names of the sizes.
var sizes = []string{"tiny", "small", "paper"}

func (s Size) String() string { return sizes[s] }

// parseSize returns the size with the given name.
func parseSize(name string) (Size, error) {
	for i, n := range sizes {
		if n == name {
			return Size(i), nil
		}
	}
	return 0, fmt.Errorf("unknown size %q; the sizes are %s", name, strings.Join(sizes, ", "))
}

// pick returns the argument that belongs to size s.
func pick[T any](s Size, tiny, small, paper T) T { return [...]T{tiny, small, paper}[s] }

// Experiment is one experiment of a paper.
type Experiment struct {
	Name   string // short name, for example P1
	Figure string // figure, table or section of the paper
	Title  string
	Source string // the paper
	Run    func(ctx context.Context, r *Run) (*Result, error)
	// Repeated means that times decide or confirm a statement of the experiment, so several
	// processes measure the times.
	Repeated bool
	Plain    bool // one more process measures without assembly
}

const (
	muth2006        = "Muth, Of, Eberhard, Steinbach 2006"
	leszczynski2004 = "Leszczynski, Ciesielski 2004"
	muth2007        = "Muth, Müller, Eberhard, Luding 2007"
	schinner1999    = "Schinner 1999"
	ogarko2012      = "Ogarko, Luding 2012"
)

// find returns the experiment with the given name, in upper or lower case.
func find(name string) (Experiment, error) {
	for _, e := range experiments {
		if strings.EqualFold(e.Name, name) {
			return e, nil
		}
	}
	return Experiment{}, fmt.Errorf("unknown experiment %q; \"repro list\" prints the names", name)
}

// Run holds the options and the progress of one run of an experiment.
type Run struct {
	Size     Size
	Threads  int    // number of threads in measurements, except in experiments that compare numbers of threads
	Cache    string // folder of the cached packings
	progress progress

	TimesOnly  bool // this process only measures times for another process
	AllMethods bool // such a process also measures times that no statement needs
	own        map[string]float64
	others     []Times // times of the other processes
	plain      *Times  // times of the process without assembly
	meter      *loadMeter
	load       string // why the times of the complete experiment cannot be judged, or ""
}

// run runs an experiment and judges its times.
func (e Experiment) run(ctx context.Context, r *Run) (*Result, error) {
	res, err := e.Run(ctx, r)
	if err == nil {
		r.judgeTimes(res.Statements)
	}
	return res, err
}

// Result holds the results of an experiment.
type Result struct {
	Notes      []string // choices that the paper leaves open
	Figures    []Figure
	Tables     []Table
	Statements []Statement
}

// Figure is a figure of the paper, drawn from our measurements.
type Figure = chart.Chart

// Series is one curve.
type Series = chart.Series

// Style is the style of a curve.
type Style = chart.Style

// The styles of a curve.
const (
	Measured   = chart.Measured
	Dashed     = chart.Dashed
	FromPaper  = chart.FromPaper
	Prediction = chart.Prediction
	Marks      = chart.Marks
)

// Table is one table. Cells are strings, integers or float64.
type Table struct {
	Name    string // name of the files of the table, without suffix
	Title   string
	Columns []string
	Rows    [][]any
	Long    bool // the table is not on the page; only a CSV file contains it
}

// Add appends a row.
func (t *Table) Add(row ...any) {
	if len(row) != len(t.Columns) {
		panic(fmt.Sprintf("table %s: the row has %d cells, but the table has %d columns", t.Name, len(row), len(t.Columns)))
	}
	t.Rows = append(t.Rows, row)
}
