package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/repro/chart"
)

// reportCommand returns the command that copies results into the document.
func reportCommand() *cobra.Command {
	var from, to string
	c := &cobra.Command{
		Use:   "report",
		Short: "Put results into the document, and the pictures beside it",
		Long: "Report replaces what is between the lines <!-- P1 --> and <!-- end P1 --> by the\n" +
			"page of the experiment, and copies its charts; what is between <!-- summary -->\n" +
			"and <!-- end summary --> by the statements of all. Experiments without results\n" +
			"stay as they are, and are not in the summary.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return report(from, to) },
	}
	c.Flags().StringVar(&from, "from", "results", "folder of results")
	c.Flags().StringVar(&to, "to", filepath.Join("..", "docs", "results.md"), "the document")
	return c
}

// report copies the result pages and the pictures into a document.
func report(from, to string) error {
	data, err := os.ReadFile(to)
	if err != nil {
		return err
	}
	text, pictures := string(data), filepath.Join(filepath.Dir(to), "results")
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		return err
	}
	summary := Table{Columns: []string{"experiment", "the paper", "holds"}}
	for _, e := range experiments {
		dir := filepath.Join(from, e.Name)
		page, err := os.ReadFile(filepath.Join(dir, pageName))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if text, err = replaced(text, e.Name, string(page)); err != nil {
			return fmt.Errorf("%s: %w", to, err)
		}
		if err := summary.addStatements(e.Name, filepath.Join(dir, statementsName)); err != nil {
			return err
		}
		if err := copyCharts(dir, pictures); err != nil {
			return err
		}
	}
	if text, err = replaced(text, "summary", "\n"+summary.markdown()+"\n"); err != nil {
		return fmt.Errorf("%s: %w", to, err)
	}
	return os.WriteFile(to, []byte(text), 0o644)
}

// copyCharts copies the SVG files of a folder and their data.
func copyCharts(from, to string) error {
	svgs, err := filepath.Glob(filepath.Join(from, "*.svg"))
	if err != nil {
		return err
	}
	for _, svg := range svgs {
		for _, path := range []string{svg, strings.TrimSuffix(svg, ".svg") + ".csv"} {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(to, filepath.Base(path)), data, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// drawCommand returns the command that draws charts again.
func drawCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "draw file.csv ...",
		Short:   "Draw charts again from their CSV files",
		Example: "  repro draw ../docs/results/*.csv ../bench/results/*.csv",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, path := range args {
				c, head, err := chart.Read(path)
				if err != nil {
					return err
				}
				if err := c.Write(strings.TrimSuffix(path, ".csv"), head, false); err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
			}
			return nil
		},
	}
}

// addStatements adds the statements of a file with their verdicts.
func (t *Table) addStatements(name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, row := range rows[min(1, len(rows)):] {
		if len(row) != 3 {
			return fmt.Errorf("%s: a row has %d columns, expected 3", path, len(row))
		}
		t.Add(fmt.Sprintf("[%s](#%s)", name, strings.ToLower(name)), row[0], row[2])
	}
	return nil
}

// replaced returns a copy of text with a new page between two marks.
func replaced(text, name, page string) (string, error) {
	begin, end := "<!-- "+name+" -->\n", "<!-- end "+name+" -->\n"
	before, rest, ok := strings.Cut(text, begin)
	if !ok {
		return "", fmt.Errorf("no line %q", strings.TrimSpace(begin))
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return "", fmt.Errorf("no line %q", strings.TrimSpace(end))
	}
	return before + begin + page + end + after, nil
}
