package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// write writes everything that an experiment found into dir, which it makes. The page is
// written last, so its presence tells that the rest is complete.
func write(dir string, e Experiment, r *Run, res *Result, took time.Duration) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	lines := head(e, r)
	for _, f := range res.Figures {
		if err := writeCSV(filepath.Join(dir, f.Name+".csv"), lines, f.rows()); err != nil {
			return err
		}
		if err := f.draw(filepath.Join(dir, f.Name), lines); err != nil {
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

// The page of an experiment, and its statements alone, in its folder.
const (
	pageName       = "page.md"
	statementsName = "statements.csv"
)

// statementTable is the table of statements.
func statementTable(list []Statement) Table {
	t := Table{Columns: []string{"the paper", "measured", "holds"}}
	for _, s := range list {
		t.Add(s.Paper, s.Measured, s.Holds)
	}
	return t
}

// complete tells whether dir holds a run of the size.
func complete(dir string, e Experiment, r *Run) bool {
	data, err := os.ReadFile(filepath.Join(dir, pageName))
	return err == nil && strings.Contains(string(data), head(e, r)[1])
}

// writeCSV writes rows after the head, each line of which begins with "# ".
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

// rows are the lines of a figure's CSV file: series, x, y.
func (f Figure) rows() [][]string {
	rows := [][]string{{"series", f.X, f.Y}}
	for _, s := range f.Series {
		for i := range s.X {
			rows = append(rows, []string{s.Name, exact(s.X[i]), exact(s.Y[i])})
		}
	}
	return rows
}

// rows are the lines of a table's CSV file.
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

// markdown returns the table for a page. Columns of numbers are set to the right.
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

// page returns the page of an experiment: its head as a comment, statements, figures,
// tables and notes.
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
	fmt.Fprintf(&b, "\nSize %s, %d s, %s; %s, commit %s.\n", strings.TrimPrefix(head[1], "size "), int(took.Seconds()+0.5),
		machine(), strings.TrimPrefix(head[3], "go: "), strings.TrimPrefix(head[4], "commit: "))
	return b.String()
}
