package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// write creates a folder and writes all results of an experiment to it. It writes the page last, so
// a folder with a page is complete.
func write(dir string, e Experiment, r *Run, res *Result, took time.Duration) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	lines := head(e, r)
	for _, f := range res.Figures {
		if err := f.Write(filepath.Join(dir, f.Name), lines, true); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	for _, t := range res.Tables {
		if err := writeCSV(filepath.Join(dir, t.Name+".csv"), lines, t.rows()); err != nil {
			return err
		}
	}
	statements := statementTable(res.Statements)
	if err := writeCSV(filepath.Join(dir, statementsName), lines, statements.rows()); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, pageName), []byte(page(e, lines, res, took)), 0o644)
}

// These files are in the folder of an experiment. The command report reads them.
const (
	pageName       = "page.md"
	statementsName = "statements.csv"
)

// statementTable returns a table of statements.
func statementTable(list []Statement) Table {
	t := Table{Columns: []string{"the paper", "measured", "holds"}}
	for _, s := range list {
		t.Add(s.Paper, s.Measured, s.Holds)
	}
	return t
}

// complete reports whether dir has a complete run of experiment e with the size of r.
func complete(dir string, e Experiment, r *Run) bool {
	data, err := os.ReadFile(filepath.Join(dir, pageName))
	return err == nil && strings.Contains(string(data), head(e, r)[1])
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
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
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

// page returns the page of an experiment: the head as a comment, statements, figures, tables and notes.
func page(e Experiment, head []string, res *Result, took time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- %s -->\n", strings.Join(head, "\n     "))
	if len(res.Statements) > 0 {
		b.WriteString("\n" + statementTable(res.Statements).markdown())
	}
	for _, f := range res.Figures {
		fmt.Fprintf(&b, "\n![%s](results/%s.svg)\n", f.Title, f.Name)
	}
	for _, t := range res.Tables {
		if t.Long {
			continue
		}
		fmt.Fprintf(&b, "\n%s:\n\n%s", t.Title, t.markdown())
	}
	if len(res.Notes) > 0 {
		b.WriteString("\n")
		for _, n := range res.Notes {
			b.WriteString("- " + n + "\n")
		}
	}
	fmt.Fprintf(&b, "\nSize %s. The run took %d s on %s, with %s at commit %s.\n", strings.TrimPrefix(head[1], "size "), int(took.Seconds()+0.5),
		machine(), strings.TrimPrefix(head[3], "go: "), strings.TrimPrefix(head[4], "commit: "))
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

// head returns the lines that state the origin of the numbers in a file.
func head(e Experiment, r *Run) []string {
	return []string{
		fmt.Sprintf("%s: %s (%s, %s)", e.Name, e.Title, e.Source, e.Figure),
		fmt.Sprintf("size %s, threads %d", r.Size, r.Threads),
		"machine: " + machine(),
		"go: " + runtime.Version(),
		"commit: " + commit(),
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

// commit returns the commit of the build or of the working directory, or "" if neither is known. A "+"
// marks modified files.
func commit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		id, changed := "", ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				id = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = "+"
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
		id += "+"
	}
	return id
}
