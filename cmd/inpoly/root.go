package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/points"
)

// flags holds the values of all flags.
type flags struct {
	out               string
	state             bool
	winding, distance bool
	certify           bool
	method, rule      string
	tolerance         float64
	epsilon           float64
	verify            int
	orient            bool
	seed              uint64
	columns, shard    string
	workers           int
	maxMemory         string
	strict            bool
	stats             string
	format            string
	convert           string // format of the output
	nearest, resume   bool
	body, keep, bytes string
	text              string // columns taken as text

	// What parse makes of them.
	choice inpoly.BodyChoice
	kept   *keep
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
	set.StringVarP(&f.out, "out", "o", "", "")
	set.BoolVar(&f.state, "state", false, "")
	set.BoolVar(&f.winding, "winding", false, "")
	set.BoolVar(&f.certify, "certify", false, "")
	set.BoolVar(&f.distance, "distance", false, "")
	set.Float64Var(&f.epsilon, "epsilon", 0, "")
	set.IntVar(&f.verify, "verify", 0, "")
	set.StringVar(&f.method, "method", "auto", "")
	set.Float64Var(&f.tolerance, "tolerance", 0, "")
	set.BoolVar(&f.orient, "orient", false, "")
	set.Uint64Var(&f.seed, "seed", 0, "")
	set.StringVar(&f.columns, "columns", "", "")
	set.StringVar(&f.shard, "shard", "", "")
	set.StringVar(&f.bytes, "bytes", "", "")
	set.StringVar(&f.text, "text", "", "")
	set.StringVar(&f.stats, "stats", "", "")
	set.StringVar(&f.convert, "format", "", "")
	set.BoolVar(&f.nearest, "nearest", false, "")
	set.StringVar(&f.body, "body", "", "")
	set.StringVar(&f.keep, "keep", "", "")
	set.BoolVar(&f.resume, "resume", false, "")
	set.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "xyz" {
			name = "columns"
		}
		return pflag.NormalizedName(name)
	})
	a.sharedFlags(root, &f)
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
	root.AddCommand(check, a.explainCommand(), a.voxelsCommand(), a.viewCommand(), a.collideCommand(), a.completionCommand(), a.manCommand(), version)
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

// sharedFlags defines the flags of both commands.
func (a *app) sharedFlags(c *cobra.Command, f *flags) {
	set := c.Flags()
	set.StringVar(&f.rule, "rule", "nonzero", "")
	set.IntVar(&f.workers, "workers", 0, "")
	set.StringVar(&f.maxMemory, "max-memory", "", "")
	set.BoolVar(&f.strict, "strict", false, "")
	set.BoolVarP(&a.quiet, "quiet", "q", false, "")
}

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

// maxWorkers is as many as the library takes.
const maxWorkers = 1024

// options turns the flags into the options of the library.
func (f *flags) options() (inpoly.Options, error) {
	var opt inpoly.Options
	var err error
	if opt.Method, err = inpoly.ParseMethod(f.method); err != nil {
		return opt, usageError{fmt.Errorf("--method: %w", err)}
	}
	if opt.Rule, err = inpoly.ParseRule(f.rule); err != nil {
		return opt, usageError{fmt.Errorf("--rule: %w", err)}
	}
	if !(f.tolerance >= 0) || math.IsInf(f.tolerance, 0) {
		return opt, usageError{fmt.Errorf("--tolerance %g: want a finite distance ≥ 0", f.tolerance)}
	}
	if !(f.epsilon >= 0) || math.IsInf(f.epsilon, 0) {
		return opt, usageError{fmt.Errorf("--epsilon %g: want a finite number ≥ 0", f.epsilon)}
	}
	if f.verify < 0 || f.verify > maxVerify {
		return opt, usageError{fmt.Errorf("--verify %d: want a number from 0 to %d", f.verify, maxVerify)}
	}
	if f.workers < 0 || f.workers > maxWorkers {
		return opt, usageError{fmt.Errorf("--workers %d: want a number from 0 to %d", f.workers, maxWorkers)}
	}
	if opt.MaxMemory, err = parseSize(f.maxMemory); err != nil {
		return opt, usageError{fmt.Errorf("--max-memory: %w", err)}
	}
	if f.convert != "" && !slices.Contains(points.OutputFormats(), f.convert) {
		return opt, usageError{fmt.Errorf("--format %q: want one of %s", f.convert, strings.Join(points.OutputFormats(), ", "))}
	}
	if f.body != "" {
		if f.choice, err = inpoly.ParseBodyChoice(f.body); err != nil {
			return opt, usageError{fmt.Errorf("--body: %w", err)}
		}
	}
	if f.kept, err = parseKeep(f.keep); err != nil {
		return opt, usageError{fmt.Errorf("--keep: %w", err)}
	}
	opt.Epsilon = f.epsilon
	opt.Tolerance, opt.Workers, opt.Seed, opt.Orient = f.tolerance, f.workers, f.seed, f.orient
	return opt, nil
}

// parseSize reads a number of bytes with an optional K, M, G or T (powers of
// 1024; B or iB may follow). "" is 0.
func parseSize(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	digits := strings.TrimRight(s, "kKmMgGtTiIbB")
	unit := strings.ToLower(s[len(digits):])
	unit = strings.TrimSuffix(strings.TrimSuffix(unit, "b"), "i")
	shift, ok := map[string]int{"": 0, "k": 10, "m": 20, "g": 30, "t": 40}[unit]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !ok || n <= 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("size %q: want a number of bytes such as 500000, 512M or 4G", s)
	}
	return n << shift, nil
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

// parseColumns reads three names. "" is none.
func parseColumns(s string) (columns [3]string, err error) {
	if s == "" {
		return columns, nil
	}
	parts := strings.Split(s, ",")
	if len(parts) != 3 {
		return columns, fmt.Errorf("columns %q: want three names or numbers, such as 2,3,4", s)
	}
	for k, p := range parts {
		if columns[k] = strings.TrimSpace(p); columns[k] == "" {
			return columns, fmt.Errorf("columns %q: want three names or numbers, such as 2,3,4", s)
		}
	}
	return columns, nil
}
