package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// saved is a complete result, as the command report reads it.
type saved struct {
	Origin     []string // the head of all files of the run
	Took       float64  // seconds
	Load       string   // why the times cannot be judged, or ""
	Processes  int
	Plain      bool // one more process had no assembly
	Statements []Statement
	Figures    []savedFigure
	Tables     []savedTable
	Notes      []string
}

type savedFigure struct{ Name, Title string }

// savedTable is a table. Markdown is its text on the page, or "" if only a CSV file contains it.
type savedTable struct{ Name, Markdown string }

// mostCurves is the largest number of curves of a figure.
const mostCurves = 4

// tableMark begins a line in the head of the CSV file of a table. The CSV file of a chart has no such
// line.
const tableMark = "table: "

// These files are in the folder of an experiment.
const (
	savedName      = "result.json"
	statementsName = "statements.csv"
)

// write creates a folder and writes all results of an experiment to it. It writes result.json last,
// so a folder with this file is complete.
func write(dir string, e Experiment, r *Run, res *Result, took time.Duration) error {
	for _, s := range res.Statements {
		if err := s.check(); err != nil {
			return err
		}
	}
	if err := res.checkNames(); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	lines := head(e, r)
	all := saved{Origin: lines, Took: took.Seconds(), Load: r.load, Processes: r.samples(), Plain: r.plain != nil, Statements: res.Statements, Notes: res.Notes}
	for _, f := range res.Figures {
		if len(f.Series) > mostCurves {
			return fmt.Errorf("%s has %d curves; more than %d are hard to read", f.Name, len(f.Series), mostCurves)
		}
		if err := f.Write(filepath.Join(dir, f.Name), lines, true); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		all.Figures = append(all.Figures, savedFigure{f.Name, f.Title})
	}
	for _, t := range res.Tables {
		if err := writeCSV(filepath.Join(dir, t.Name+".csv"), append(slices.Clone(lines), tableMark+t.Title), t.rows()); err != nil {
			return err
		}
		one := savedTable{Name: t.Name}
		if !t.Long {
			one.Markdown = t.Title + ":\n\n" + t.markdown()
		}
		all.Tables = append(all.Tables, one)
	}
	if err := writeCSV(filepath.Join(dir, statementsName), lines, statementRows(res.Statements)); err != nil {
		return err
	}
	data, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return writeWhole(filepath.Join(dir, savedName), data)
}

// checkNames returns an error if two figures or tables have the same name. They would have the same
// file.
func (res *Result) checkNames() error {
	seen := map[string]bool{}
	add := func(name string) error {
		if seen[name] {
			return fmt.Errorf("two figures or tables have the name %s", name)
		}
		seen[name] = true
		return nil
	}
	for _, f := range res.Figures {
		if err := add(f.Name); err != nil {
			return err
		}
	}
	for _, t := range res.Tables {
		if err := add(t.Name); err != nil {
			return err
		}
	}
	return nil
}

// statementRows returns the rows of the CSV file of statements.
func statementRows(list []Statement) [][]string {
	rows := [][]string{{"id", "the paper", "ours", "decides", "holds if", "holds", "cause", "why", "not counted"}}
	for _, s := range list {
		rows = append(rows, []string{s.ID, s.Paper, s.Ours, string(s.Decides), s.Criterion, string(s.Verdict), string(s.Cause), s.Why, s.Uncounted})
	}
	return rows
}

// readSaved reads the result in a folder.
func readSaved(dir string) (saved, error) {
	var all saved
	path := filepath.Join(dir, savedName)
	data, err := os.ReadFile(path)
	if err != nil {
		return all, err
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return all, fmt.Errorf("%s: %w", path, err)
	}
	if len(all.Origin) != headLines {
		return all, fmt.Errorf("%s: %d lines of origin, expected %d", path, len(all.Origin), headLines)
	}
	return all, nil
}

// complete reports whether dir has a complete run of experiment e with the origin of r. The run must
// have at least as many processes as the flags demand.
func (f *flags) complete(dir string, e Experiment, r *Run) bool {
	all, err := readSaved(dir)
	return err == nil && sameOrigin(all.Origin, head(e, r)) && all.Processes >= f.processCount(e, r) && (all.Plain || !f.withoutAssembly(e, r))
}

// writeCSV writes the head as comment lines, and then the rows.
func writeCSV(path string, head []string, rows [][]string) error {
	var b strings.Builder
	for _, line := range head {
		b.WriteString("# " + line + "\n")
	}
	w := csv.NewWriter(&b)
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

// rows returns the rows of the CSV file of a table.
func (t Table) rows() [][]string {
	rows := [][]string{t.Columns}
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = exact(v)
		}
		rows = append(rows, cells)
	}
	return rows
}

// markdown formats a table for the page. Columns of numbers are aligned to the right.
func (t Table) markdown() string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("|" + strings.Join(cells, "|") + "|\n") }
	line(t.Columns)
	rule := make([]string, len(t.Columns))
	for i := range rule {
		rule[i] = "---:"
		if len(t.Rows) > 0 {
			if _, text := t.Rows[0][i].(string); text {
				rule[i] = "---"
			}
		}
	}
	line(rule)
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = readable(v)
		}
		line(cells)
	}
	return b.String()
}

// exact formats a cell of a CSV file with all digits.
func exact(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// readable formats a cell of a page with three digits.
func readable(v any) string {
	f, ok := v.(float64)
	switch {
	case !ok:
		return strings.ReplaceAll(fmt.Sprint(v), "|", `\|`)
	case math.IsNaN(f):
		return "–"
	}
	return short(f)
}

// short formats f with about three digits. Only very small and very large numbers have an exponent.
func short(f float64) string {
	a := math.Abs(f)
	switch {
	case f == 0:
		return "0"
	case a >= 99.95 && a < 1e7:
		return strconv.FormatFloat(f, 'f', 0, 64)
	case a >= 1e-4 && a < 1e7:
		// Three significant digits need 2 − ⌊log₁₀ a⌋ decimals.
		return strconv.FormatFloat(f, 'f', max(0, 2-int(math.Floor(math.Log10(a)))), 64)
	}
	return strconv.FormatFloat(f, 'g', 3, 64)
}

// These are the lines of a head.
const (
	headExperiment = iota
	headSize
	headMachine
	headGo
	headCommit
	headLines
)

// commitPrefix begins the line of the commit. A commit that ends with modified has modified files.
const (
	commitPrefix = "commit: "
	modified     = "+"
)

// head returns the lines that state the origin of the numbers in a file.
func head(e Experiment, r *Run) []string {
	return []string{
		fmt.Sprintf("%s: %s (%s, %s)", e.Name, e.Title, e.Source, e.Figure),
		fmt.Sprintf("size %s, threads %d", r.Size, r.Threads),
		"machine: " + machine(),
		"go: " + runtime.Version(),
		commitPrefix + commit(),
	}
}

// machine describes the processor and the system.
func machine() string {
	return fmt.Sprintf("%s, %d processors, %s/%s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
}

// processor returns the name of the processor if the system reports it.
func processor() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// commit returns the commit at the start of the run. Changes during the run do not matter.
var commit = sync.OnceValue(findCommit)

// findCommit returns the commit of the build or of the working directory, or "" if neither is known.
func findCommit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		id, changed := "", ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				id = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = modified
			}
		}
		if id != "" {
			return id + changed
		}
	}
	out, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return ""
	}
	id := strings.TrimSpace(string(out))
	if exec.Command("git", "diff", "--quiet", "HEAD").Run() != nil {
		id += modified
	}
	return id
}
