package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/evidence/repro/chart"
)

// reportCommand returns the command that writes the page of all results.
func reportCommand() *cobra.Command {
	var from, to string
	var mixed bool
	c := &cobra.Command{
		Use:   "report",
		Short: "Write the pages of all results, with their pictures and data",
		Long: "Report writes the pages from the results: one of all papers, and one of each\n" +
			"paper. The pages of the papers, the pictures, their data, the tables and the\n" +
			"statements go to the folder results beside the first page. All experiments must\n" +
			"have results of one size, machine and commit.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return report(from, to, mixed) },
	}
	c.Flags().StringVar(&from, "from", "results", "folder of results")
	c.Flags().StringVar(&to, "to", filepath.Join("..", "..", "docs", "results.md"), "the first page; it need not exist")
	c.Flags().BoolVar(&mixed, "mixed", false, "accept missing experiments, and results of several commits, and say so on the first page")
	return c
}

// found is the result of one experiment.
type found struct {
	Experiment
	saved
}

// report writes the pages.
func report(from, to string, mixed bool) error {
	var all []found
	for _, e := range experiments {
		s, err := readSaved(filepath.Join(from, e.Name))
		if errors.Is(err, fs.ErrNotExist) && mixed {
			continue
		}
		if err != nil {
			return err
		}
		all = append(all, found{e, s})
	}
	if len(all) == 0 {
		return fmt.Errorf("%s has no results", from)
	}
	for _, f := range all[1:] {
		if !mixed && !slices.Equal(f.Origin[headSize:], all[0].Origin[headSize:]) {
			return fmt.Errorf("the results of %s and %s differ in their origin: %q and %q; repeat one of them, or use --mixed",
				all[0].Name, f.Name, all[0].Origin[headSize:], f.Origin[headSize:])
		}
	}
	pictures := filepath.Join(filepath.Dir(to), "results")
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		return err
	}
	rows := [][]string{}
	for _, f := range all {
		if err := copyFiles(filepath.Join(from, f.Name), pictures, f.saved); err != nil {
			return err
		}
		list := statementRows(f.Statements)
		if len(rows) == 0 {
			rows = list[:1]
		}
		rows = append(rows, list[1:]...)
	}
	if err := writeCSV(filepath.Join(pictures, statementsName), all[0].Origin[headSize:], rows); err != nil {
		return err
	}
	for path, text := range pages(all, to) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// copyFiles copies the SVG files of figures, their data, and the data of tables.
func copyFiles(from, to string, s saved) error {
	var names []string
	for _, f := range s.Figures {
		names = append(names, f.Name+".svg", f.Name+".csv")
	}
	for _, t := range s.Tables {
		names = append(names, t.Name+".csv")
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// drawCommand returns the command that draws charts again.
func drawCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "draw file.csv ...",
		Short:   "Draw charts again from their CSV files; tables are left out",
		Example: "  repro draw ../../docs/results/[A-Z]*.csv ../bench/results/*.csv",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, path := range args {
				c, head, err := chart.Read(path)
				if err != nil && isTable(path) {
					continue
				}
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

// isTable reports whether a file is the CSV file of a table.
func isTable(path string) bool {
	data, err := os.ReadFile(path)
	return err == nil && strings.Contains(string(data), "\n# "+tableMark)
}
