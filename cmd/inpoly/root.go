package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/ask"
	"github.com/inpoly/inpoly/points"
)

// flags holds the values of all flags.
type flags struct {
	ask.Flags
	out          string
	shard, bytes string
	stats        string
	format       string // of check and others
	resume       bool
}

// command builds the command tree.
func (a *app) command() *cobra.Command {
	var f flags
	root := &cobra.Command{
		Use:               "inpoly mesh points",
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              queryArgs,
		RunE:              func(c *cobra.Command, args []string) error { return a.query(c.Context(), &f, args) },
	}
	set := root.Flags()
	f.Define(set)
	a.quietFlag(root)
	set.StringVarP(&f.out, "out", "o", "", "")
	set.StringVar(&f.shard, "shard", "", "")
	set.StringVar(&f.bytes, "bytes", "", "")
	set.StringVar(&f.stats, "stats", "", "")
	set.BoolVar(&f.resume, "resume", false, "")
	for name, values := range map[string][]string{
		"format": points.OutputFormats(),
		"keep":   {"inside", "outside", "on", "uncertain"},
		"body":   {"first", "innermost", "all", "count"},
		"method": {"auto", "raycross", "cells", "direct", "fmm"},
		"rule":   {"nonzero", "positive", "negative", "evenodd"},
		"stats":  {"json"},
	} {
		if err := root.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // a flag of that name is not defined
		}
	}

	check := &cobra.Command{
		Use:  "check mesh",
		Args: checkArgs,
		RunE: func(c *cobra.Command, args []string) error { return a.check(c.Context(), &f, args[0]) },
	}
	check.Flags().StringVar(&f.format, "format", "text", "")
	a.sharedFlags(check, &f)

	version := &cobra.Command{
		Use: "version",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("version takes no arguments, got %q", args[0])}
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error { return a.version() },
	}
	root.AddCommand(check, a.explainCommand(), a.voxelsCommand(), a.viewCommand(), a.collideCommand(), a.mergeCommand(), a.completionCommand(), a.manCommand(), version)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		// What follows the flag is the parser's own reason.
		text, _, invalid := strings.Cut(err.Error(), `" flag: `)
		if invalid {
			text += `"`
		}
		return usageError{errors.New(text)}
	})
	root.Version = versionText()
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetOut(a.out)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		text, _ := helpOf(c.Name())
		_, a.helpErr = fmt.Fprint(a.out, text)
	})
	root.SetHelpCommand(&cobra.Command{
		Use: "help",
		RunE: func(_ *cobra.Command, args []string) error {
			name := strings.Join(append(args, "inpoly")[:max(1, len(args))], " ")
			text, ok := helpOf(name)
			if !ok {
				var names []string
				for _, t := range topics()[1:] {
					names = append(names, t.name)
				}
				return usageError{fmt.Errorf("no help for %q: want %s or nothing", name, strings.Join(names, ", "))}
			}
			_, err := fmt.Fprint(a.out, text)
			return err
		},
	})
	return root
}

// sharedFlags defines the flags that all questions have.
func (a *app) sharedFlags(c *cobra.Command, f *flags) {
	f.DefineShared(c.Flags())
	a.quietFlag(c)
}

func (a *app) quietFlag(c *cobra.Command) { c.Flags().BoolVarP(&a.quiet, "quiet", "q", false, "") }

// queryArgs checks the arguments of the main command.
func queryArgs(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usageError{hinted{errors.New("no files given: want a mesh and a point file"), "inpoly part.stl points.csv > inside.csv; see inpoly help"}}
	case len(args) == 1:
		return usageError{hinted{fmt.Errorf("one file given (%s): want a mesh and a point file", args[0]),
			"inpoly mesh points answers for points (- reads them from standard input); inpoly check mesh diagnoses a mesh"}}
	case len(args) == 2 && args[0] == "-" && args[1] == "-":
		return usageError{errors.New("mesh and points cannot both be standard input")}
	case len(args) > 2 && slices.Contains(args[:len(args)-1], "-"):
		return usageError{errors.New("several meshes must be files: standard input is read for one mesh, or for the points")}
	}
	return nil
}

// checkArgs checks the arguments of check.
func checkArgs(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{hinted{fmt.Errorf("%d files given: check wants one mesh", len(args)), "see inpoly help check"}}
	}
	return nil
}

// options turns the flags into the options of the library.
func (f *flags) options() (inpoly.Options, error) {
	opt, err := f.Options()
	if err != nil {
		return opt, usageError{err}
	}
	return opt, nil
}

// parseShard reads i/n. "" is 0, 0.
func parseShard(s string) (i, n int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	a, b, ok := strings.Cut(s, "/")
	i, errI := strconv.Atoi(a)
	n, errN := strconv.Atoi(b)
	if !ok || errI != nil || errN != nil || n < 1 || i < 1 || i > n {
		return 0, 0, fmt.Errorf("shard %q: want i/n with 1 ≤ i ≤ n", s)
	}
	return i, n, nil
}

// parseBytes reads LO-HI, places in a file. "" is none.
func parseBytes(s string) (r [2]int64, err error) {
	if s == "" {
		return r, nil
	}
	lo, hi, ok := strings.Cut(s, "-")
	r[0], err = strconv.ParseInt(lo, 10, 64)
	if err == nil {
		r[1], err = strconv.ParseInt(hi, 10, 64)
	}
	if !ok || err != nil || r[0] < 0 || r[1] <= r[0] {
		return r, fmt.Errorf("bytes %q: want LO-HI with 0 ≤ LO < HI, such as 0-1000000", s)
	}
	return r, nil
}
