package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// verifyCommand returns the command that repeats all experiments and compares the verdicts.
func (f *flags) verifyCommand() *cobra.Command {
	runs := 5
	c := &cobra.Command{
		Use:   "verify-verdicts [experiment ...]",
		Short: "Repeat the experiments and compare the verdicts, whatever else the machine does",
		Long: "Verify-verdicts runs the experiments (default: all) several times from the start. It\n" +
			"fails if the verdict of a count changes, or if one run answers yes and another no\n" +
			"about a time. So it shows that the load of this machine does not change verdicts.\n" +
			"It does not show that verdicts are right.\n\n" +
			"A time is only judged if at least five processes measure it. So by default all\n" +
			"statements about times are inconclusive, which proves nothing about them. Use\n" +
			"--processes 5 to judge them. A run may call a time inconclusive that another run\n" +
			"decides, for example because the machine is busy; this is printed.",
		RunE: func(c *cobra.Command, args []string) error {
			if runs < 2 {
				return errors.New("--runs must be at least 2")
			}
			chosen, err := chosenExperiments(args)
			if err != nil {
				return err
			}
			folder, err := os.MkdirTemp("", "repro-verify")
			if err != nil {
				return err
			}
			defer os.RemoveAll(folder)
			var lists [][]Statement
			for k := range runs {
				one := *f
				one.out = filepath.Join(folder, fmt.Sprint(k))
				list, err := one.statements(c.Context(), chosen)
				if err != nil {
					return err
				}
				lists = append(lists, list)
			}
			return compareRuns(c.OutOrStdout(), lists)
		},
	}
	f.addMeasurement(c)
	f.addProcesses(c)
	c.Flags().IntVar(&runs, "runs", runs, "number of runs, at least 2")
	return c
}

// statements runs experiments and returns their statements.
func (f *flags) statements(ctx context.Context, chosen []Experiment) ([]Statement, error) {
	if err := f.run(ctx, chosen); err != nil {
		return nil, err
	}
	var list []Statement
	for _, e := range chosen {
		all, err := readSaved(filepath.Join(f.out, e.Name))
		if err != nil {
			return nil, err
		}
		list = append(list, all.Statements...)
	}
	return list, nil
}

// compareRuns prints the verdicts that differ between runs, and a summary. It returns an error if some
// verdicts contradict each other.
func compareRuns(out io.Writer, runs [][]Statement) error {
	var ids []string // names of the statements of all runs
	times := map[string]bool{}
	for _, list := range runs {
		for _, s := range list {
			if !slices.Contains(ids, s.ID) {
				ids = append(ids, s.ID)
			}
			times[s.ID] = times[s.ID] || s.Decides == Time
		}
	}
	counts, judged, flips := 0, 0, 0
	for _, id := range ids {
		verdicts := verdictsOf(runs, id)
		text := changes(runs, id)
		if !times[id] {
			counts++
		} else if !slices.Contains(verdicts, Inconclusive) {
			judged++
		}
		switch {
		case text == "":
		case contradictory(verdicts):
			flips++
			fmt.Fprintln(out, text)
		default:
			fmt.Fprintln(out, text+" (no contradiction)")
		}
	}
	fmt.Fprintf(out, "%d runs. Statements about counts: %d. Statements about times: %d, of which all runs decide %d. Contradictions: %d.\n", len(runs), counts, len(ids)-counts, judged, flips)
	if flips > 0 {
		return errors.New("verdicts changed")
	}
	return nil
}

// verdictsOf returns the verdicts of a statement in several runs. The verdict is "missing" for a run
// without the statement.
func verdictsOf(runs [][]Statement, id string) []Verdict {
	list := make([]Verdict, len(runs))
	for k, run := range runs {
		list[k] = "missing"
		for _, s := range run {
			if s.ID == id {
				list[k] = s.Verdict
			}
		}
	}
	return list
}

// contradictory reports whether two verdicts differ and neither is inconclusive. Only a verdict about
// times can be inconclusive.
func contradictory(verdicts []Verdict) bool {
	decided := slices.DeleteFunc(slices.Clone(verdicts), func(v Verdict) bool { return v == Inconclusive })
	return len(slices.Compact(decided)) > 1
}

// changes describes the verdicts of a statement in several runs, or returns "" if they are equal.
func changes(runs [][]Statement, id string) string {
	verdicts := verdictsOf(runs, id)
	if len(slices.Compact(slices.Clone(verdicts))) == 1 {
		return ""
	}
	var b strings.Builder
	for k, v := range verdicts {
		if k > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(v))
	}
	return id + ": " + b.String()
}

// chosenExperiments returns the experiments with the given names, or all of them if there are no
// names.
func chosenExperiments(names []string) ([]Experiment, error) {
	if len(names) == 0 {
		names = rising
	}
	var list []Experiment
	for _, name := range names {
		e, err := find(name)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}
