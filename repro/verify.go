package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// verifyCommand returns the command that repeats all experiments and compares the verdicts.
func (f *flags) verifyCommand() *cobra.Command {
	runs := 5
	c := &cobra.Command{
		Use:   "verify-verdicts [experiment ...]",
		Short: "Repeat the experiments and compare the verdicts, whatever else the machine does",
		Long: "Verify-verdicts runs the experiments (default: all) several times and fails if a\n" +
			"verdict changes. Counts decide nearly all statements, so a busy machine does not\n" +
			"matter. A statement about times must stay inconclusive on a busy machine.",
		RunE: func(c *cobra.Command, args []string) error {
			chosen, err := chosenExperiments(args)
			if err != nil {
				return err
			}
			folder, err := os.MkdirTemp("", "repro-verify")
			if err != nil {
				return err
			}
			defer os.RemoveAll(folder)
			lists := map[string][][]Statement{}
			for k := range runs {
				one := *f
				one.out = filepath.Join(folder, fmt.Sprint(k))
				if err := one.run(c.Context(), chosen); err != nil {
					return err
				}
				for _, e := range chosen {
					all, err := readSaved(filepath.Join(one.out, e.Name))
					if err != nil {
						return err
					}
					lists[e.Name] = append(lists[e.Name], all.Statements)
				}
			}
			n, flips := 0, 0
			for _, e := range chosen {
				for _, s := range lists[e.Name][0] {
					n++
					if text := changes(lists[e.Name], s.ID); text != "" {
						flips++
						fmt.Fprintln(c.OutOrStdout(), text)
					}
				}
			}
			fmt.Fprintf(c.OutOrStdout(), "%d statements, %d runs: %d verdicts changed\n", n, runs, flips)
			if flips > 0 {
				return errors.New("verdicts changed")
			}
			return nil
		},
	}
	c.Flags().IntVar(&runs, "runs", runs, "number of runs")
	return c
}

// changes describes the verdicts of a statement in several runs, or returns "" if they are equal.
func changes(runs [][]Statement, id string) string {
	var verdicts []string
	differ := false
	for _, list := range runs {
		v := "missing"
		for _, s := range list {
			if s.ID == id {
				v = string(s.Verdict)
			}
		}
		differ = differ || len(verdicts) > 0 && v != verdicts[0]
		verdicts = append(verdicts, v)
	}
	if !differ {
		return ""
	}
	return id + ": " + strings.Join(verdicts, ", ")
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
